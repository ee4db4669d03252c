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
        let mut found = Self::default();
        // Nobody needs more than 64 attributes. If a name repeats, the first one counts.
        for (name, value) in attributes(text).take(64) {
            let once = |to: &mut &'a str| {
                if to.is_empty() {
                    *to = value;
                }
            };
            match name.to_ascii_lowercase().as_str() {
                "style" => once(&mut found.style),
                "class" => once(&mut found.class),
                "id" => once(&mut found.id),
                "href" => found.href = found.href.or(Some(value)),
                "alt" => once(&mut found.alt),
                "color" | "text" => found.colour = Some(value),
                "bgcolor" => found.back = Some(value),
                "background" => found.picture = !value.is_empty(),
                "hidden" => found.hidden = true,
                "open" => found.unfolded = true,
                "start" => found.start = value.parse().ok(),
                "cite" => found.cite = true,
                "type" => found.cite |= value.eq_ignore_ascii_case("cite"),
                _ => {}
            }
        }
        found
    }

    /// Mail programs use quotes without a border to indent text; those are not quotes.
    pub fn is_quote(&self) -> bool {
        let style = self.style.to_ascii_lowercase();
        let indented =
            style.contains("border:none") || style.contains("border: none") || style.contains("border:0");
        self.cite || !indented
    }
}
