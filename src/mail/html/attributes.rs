//! The attributes of a tag that affect its text.

use super::token::attributes;

#[derive(Default)]
pub(super) struct Attributes<'a> {
    pub style: &'a str,
    pub class: &'a str,
    pub id: &'a str,
    pub href: Option<&'a str>,
    pub alt: &'a str,
    pub colour: Option<&'a str>,
    pub back: Option<&'a str>,
    pub picture: bool,
    pub hidden: bool,
    pub unfolded: bool,
    pub start: Option<u32>,
    pub cite: bool,
}

impl<'a> Attributes<'a> {
    pub fn read(text: &'a str) -> Self {
        let mut result = Self::default();
        // Nobody needs more than 64 attributes. If a name repeats, the first one counts.
        for (name, value) in attributes(text).take(64) {
            let set_once = |to: &mut &'a str| {
                if to.is_empty() {
                    *to = value;
                }
            };
            match name.to_ascii_lowercase().as_str() {
                "style" => set_once(&mut result.style),
                "class" => set_once(&mut result.class),
                "id" => set_once(&mut result.id),
                "href" => result.href = result.href.or(Some(value)),
                "alt" => set_once(&mut result.alt),
                "color" | "text" => result.colour = Some(value),
                "bgcolor" => result.back = Some(value),
                "background" => result.picture = !value.is_empty(),
                "hidden" => result.hidden = true,
                "open" => result.unfolded = true,
                "start" => result.start = value.parse().ok(),
                "cite" => result.cite = true,
                "type" => result.cite |= value.eq_ignore_ascii_case("cite"),
                _ => {}
            }
        }
        result
    }

    /// Mail programs use quotes without a border to indent text; those are not quotes.
    pub fn is_quote(&self) -> bool {
        let style = self.style.to_ascii_lowercase();
        let indented =
            style.contains("border:none") || style.contains("border: none") || style.contains("border:0");
        self.cite || !indented
    }
}
