//! Small formatting helpers: ages, counts, times.

pub use crate::text::{age, ago, bytes};

use crate::engine::graph::Kind;
use crate::inbox::ItemKind;
use crate::text::Visible;
use jiff::Timestamp;
use std::collections::HashMap;

/// Makes any text safe to show on one line.
pub fn line(text: &str) -> String {
    Visible::line(text).into_string()
}

/// The text with a capital first letter.
pub fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// The time from one moment to another, to the second: `0:07`, `8:12`, `1:02:03`.
pub fn clock(from: Timestamp, to: Timestamp) -> String {
    crate::text::clock(to.duration_since(from))
}

/// The name in `Ines Ruiz <ines@example.org>`, or the whole text if there is none.
pub fn name(who: &str) -> &str {
    match who.split_once(" <") {
        Some((name, _)) if !name.trim_matches('"').is_empty() => name.trim_matches('"'),
        _ => who,
    }
}

/// Whom a mail with these arguments goes to, by name if there is one: `Adaeze Obi and 2 more`.
pub fn recipients(args: &serde_json::Value, names: &HashMap<String, String>) -> Option<String> {
    let lists = ["to", "cc", "bcc"].into_iter().filter_map(|key| args.get(key)?.as_array());
    let people: Vec<&str> = lists.flatten().filter_map(serde_json::Value::as_str).collect();
    let (first, more) = people.split_first()?;
    let first = names.get(*first).map_or(name(first), String::as_str);
    match more.len() {
        0 => Some(first.to_owned()),
        more => Some(format!("{first} and {more} more")),
    }
}

/// The items of a kind, in words.
pub fn kinds(kind: ItemKind) -> &'static str {
    match kind {
        ItemKind::Question(Kind::Approval) => "approvals",
        ItemKind::Question(Kind::Triage) => "triage",
        ItemKind::Question(Kind::Question) => "questions",
        ItemKind::Question(Kind::Trouble) => "trouble",
        ItemKind::Result => "results",
    }
}

/// Names of arguments that hold the text of a letter, which users want to change first.
pub const BODY_ARGS: &[&str] = &["content", "body", "text", "message"];

/// What somebody gave as an answer: their words, or a line for each argument and then the letter.
pub fn answer_text(args: &serde_json::Value) -> String {
    use serde_json::Value;
    let fields = match args {
        Value::Null => return String::new(),
        Value::Object(fields) => fields,
        other => return value(other).into_string(),
    };
    let shown = fields.iter().filter(|(_, argument)| !argument.is_null());
    let shown = shown.map(|(name, argument)| (name.as_str(), value(argument)));
    let shown = shown.filter(|(_, text)| !text.as_str().is_empty());
    let (letter, header_lines): (Vec<_>, Vec<_>) = shown.partition(|(name, _)| BODY_ARGS.contains(name));
    let header_lines = header_lines.into_iter().map(|(name, text)| format!("{name}: {text}"));
    header_lines.chain(letter.into_iter().map(|(_, text)| text.into_string())).collect::<Vec<_>>().join("\n")
}

/// An argument as people read it: texts as they are, lists of texts with commas, anything else as JSON.
pub fn value(value: &serde_json::Value) -> Visible {
    use serde_json::Value;
    match value {
        Value::String(text) => Visible::new(text),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            Visible::new(&items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "))
        }
        other => Visible::new(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn people_are_called_by_the_names_that_are_known() {
        let names = HashMap::from([("a@b.org".to_owned(), "Ada".to_owned())]);
        let told = |args: Value| recipients(&args, &names);
        assert_eq!(told(json!({"to": ["a@b.org"]})).as_deref(), Some("Ada"));
        assert_eq!(
            told(json!({"to": ["c@d.org"], "cc": ["a@b.org"]})).as_deref(),
            Some("c@d.org and 1 more")
        );
        assert_eq!(told(json!({"to": []})), None);
    }

    #[test]
    fn an_answer_is_told_in_words() {
        assert_eq!(answer_text(&Value::Null), "");
        assert_eq!(answer_text(&json!("On Monday.")), "On Monday.");
        let mail =
            json!({"cc": [], "content": "Thank you.", "subject": "Re: Tests", "to": ["a@b.org", "c@d.org"]});
        assert_eq!(answer_text(&mail), "subject: Re: Tests\nto: a@b.org, c@d.org\nThank you.");
    }
}
