//! The attributes of a tag that affect its text.

const READ: [&str; 14] = [
    "alt",
    "background",
    "bgcolor",
    "cite",
    "class",
    "color",
    "hidden",
    "href",
    "id",
    "open",
    "start",
    "style",
    "text",
    "type",
];

#[derive(Default)]
pub(super) struct Attributes {
    found: Vec<(&'static str, String)>,
    /// Whether the next value belongs to the last one found.
    awaits_value: bool,
}

impl Attributes {
    pub fn clear(&mut self) {
        self.found.clear();
    }

    /// If a name repeats, the first one counts.
    pub fn add_name(&mut self, name: &[u8]) {
        let known = READ.into_iter().find(|known| known.as_bytes() == name);
        let new = known.filter(|known| self.get(known).is_none());
        self.awaits_value = new.is_some();
        self.found.extend(new.map(|name| (name, String::new())));
    }

    pub fn add_value(&mut self, value: &[u8]) {
        if self.awaits_value
            && let Some((_, last)) = self.found.last_mut()
        {
            last.push_str(&String::from_utf8_lossy(value));
        }
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.found.iter().find(|(found, _)| *found == name).map(|(_, value)| value.as_str())
    }

    pub fn text(&self, name: &str) -> &str {
        self.get(name).unwrap_or_default()
    }

    /// Mail programs use quotes without a border to indent text; those are not quotes.
    pub fn is_quote(&self) -> bool {
        let style = self.text("style").to_ascii_lowercase();
        let indented =
            style.contains("border:none") || style.contains("border: none") || style.contains("border:0");
        self.get("cite").is_some() || self.text("type").eq_ignore_ascii_case("cite") || !indented
    }
}
