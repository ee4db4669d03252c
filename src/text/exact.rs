//! JSON kept byte for byte, so that unchanged parts go back exactly as they came.
//!
//! Parsed numbers are 64 bits; other programs may send bigger ones, and may care whether they wrote `1.0` or `1`. So we
//! keep the text of each value next to what is shown of it, and apply an edit to the text it changes.

use super::Visible;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use std::fmt;

/// The fields of an object, each with its text; `None` if it is not an object.
pub fn fields(text: &str) -> Option<Vec<(String, String)>> {
    struct Fields;
    impl<'de> Visitor<'de> for Fields {
        type Value = Vec<(String, String)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut fields: Vec<(String, String)> = Vec::new();
            while let Some((key, value)) = map.next_entry::<String, &RawValue>()? {
                // If a key occurs twice, the later one counts, as it does for the sender.
                fields.retain(|(other, _)| *other != key);
                fields.push((key, value.get().to_owned()));
            }
            Ok(fields)
        }
    }
    serde_json::Deserializer::from_str(text).deserialize_map(Fields).ok()
}

/// The texts of a list's members; `None` if it is not a list.
pub fn members(text: &str) -> Option<Vec<String>> {
    let members: Vec<&RawValue> = serde_json::from_str(text).ok()?;
    Some(members.into_iter().map(|member| member.get().to_owned()).collect())
}

pub fn field(text: &str, name: &str) -> Option<String> {
    fields(text)?.into_iter().find(|(key, _)| key == name).map(|(_, value)| value)
}

/// The text to send after a person saw `text` drawn by [`Visible::json`] and left it as `edited`.
pub fn apply_edit(text: &str, edited: &Value) -> String {
    let Ok(value) = serde_json::from_str::<Value>(text) else { return edited.to_string() };
    if Visible::json(&value) == *edited {
        return text.to_owned();
    }
    match (edited, fields(text), members(text)) {
        (Value::Object(edited_value), Some(fields), _) => {
            let mut parts = Vec::new();
            for (key, value) in &fields {
                if let Some(edited) = edited_value.get(Visible::line(key).as_str()) {
                    parts.push(format!("{}:{}", Value::from(key.as_str()), apply_edit(value, edited)));
                }
            }
            let exists = |key: &str| fields.iter().any(|(name, _)| Visible::line(name).as_str() == key);
            let added = edited_value.iter().filter(|(key, _)| !exists(key));
            parts.extend(added.map(|(key, value)| format!("{}:{value}", Value::from(key.as_str()))));
            format!("{{{}}}", parts.join(","))
        }
        (Value::Array(edited_value), _, Some(members)) => {
            let each =
                edited_value.iter().zip(origins(&members, edited_value)).map(|(edited, old)| match old {
                    Some(old) => apply_edit(old, edited),
                    None => edited.to_string(),
                });
            format!("[{}]", each.collect::<Vec<_>>().join(","))
        }
        // A number with a fraction keeps one: `1.0` becomes `2.0`, not `2`.
        (Value::Number(number), ..) if value.is_f64() && !number.is_f64() => format!("{number}.0"),
        (Value::String(edited), ..) if value.as_str().is_some_and(has_windows_line_ends) => {
            Value::from(edited.replace('\n', "\r\n")).to_string()
        }
        _ => edited.to_string(),
    }
}

/// Maps each member of an edited list to its original: the one shown the same way, else the one at the same position.
fn origins<'m>(members: &'m [String], values: &[Value]) -> Vec<Option<&'m String>> {
    let shown =
        |text: &String| serde_json::from_str(text).map(|value| Visible::json(&value)).unwrap_or_default();
    let mut unused_members: Vec<Option<(Value, &String)>> =
        members.iter().map(|text| Some((shown(text), text))).collect();
    let mut take = |place: usize, same: Option<&Value>| {
        let fits = |(shown, _): &(Value, &String)| same.is_none_or(|same| shown == same);
        unused_members.get_mut(place)?.take_if(|member| fits(member)).map(|(_, text)| text)
    };
    let mut sources: Vec<Option<&String>> =
        values.iter().enumerate().map(|(place, edited)| take(place, Some(edited))).collect();
    for (edited, source) in values.iter().zip(&mut sources).filter(|(_, source)| source.is_none()) {
        *source = (0..members.len()).find_map(|place| take(place, Some(edited)));
    }
    for (place, source) in sources.iter_mut().enumerate().filter(|(_, source)| source.is_none()) {
        *source = take(place, None);
    }
    sources
}

/// Whether all lines end in CRLF. They are shown and edited with plain newlines.
fn has_windows_line_ends(text: &str) -> bool {
    let ends = text.matches("\r\n").count();
    ends > 0 && ends == text.matches('\n').count()
}

/// Whether parsing keeps every number of a JSON text exactly.
pub fn is_exact(text: &str) -> bool {
    let mut rest = text.as_bytes();
    while let Some(&first) = rest.first() {
        match first {
            b'"' => rest = after_string(rest),
            b'-' | b'0'..=b'9' => {
                let end = rest
                    .iter()
                    .position(|byte| !matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9'));
                let (number, more) = rest.split_at(end.unwrap_or(rest.len()));
                if !str::from_utf8(number).is_ok_and(is_exact_number) {
                    return false;
                }
                rest = more;
            }
            _ => rest = &rest[1..],
        }
    }
    true
}

fn after_string(text: &[u8]) -> &[u8] {
    let mut at = 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => return &text[at + 1..],
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    &[]
}

fn is_exact_number(number: &str) -> bool {
    if !number.contains(['.', 'e', 'E']) {
        return number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok();
    }
    let parsed = serde_json::from_str::<f64>(number).ok();
    parsed.is_some_and(|parsed| number.parse().is_ok_and(|exact: f64| parsed.to_bits() == exact.to_bits()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[track_caller]
    fn woven(text: &str, edited: Value, expected: &str) {
        assert_eq!(apply_edit(text, &edited), expected);
    }

    #[test]
    fn what_is_not_changed_stays_letter_by_letter() {
        let big = r#"{ "n": 123456789012345678901234567890, "f": 1.0, "e": 1e2, "s": "a\u0062" }"#;
        let shown = Visible::json(&serde_json::from_str(big).unwrap());
        woven(big, shown.clone(), big);
        let mut edited = shown;
        edited["s"] = json!("x");
        woven(big, edited, r#"{"n":123456789012345678901234567890,"f":1.0,"e":1e2,"s":"x"}"#);
    }

    #[test]
    fn edits_keep_the_types_around_them() {
        woven(r#"{"f":1.0,"i":1}"#, json!({"f": 2, "i": 2}), r#"{"f":2.0,"i":2}"#);
        woven(r#"[1.0, 2.50, 3]"#, json!([1.0, 2.5, 4]), "[1.0,2.50,4]");
        woven(r#"[1.0]"#, json!([1.0, 2]), "[1.0,2]");
        // Removing a member does not change those after it.
        woven(r#"[1.0, 2.50, 3.0]"#, json!([2.5, 3.0]), "[2.50,3.0]");
        woven("[\"a\\r\\n\", \"b\\r\\n\"]", json!(["b\n"]), "[\"b\\r\\n\"]");
        woven(
            r#"{"a":{"b":1e3,"c":[]}}"#,
            json!({"a": {"b": 1000.0, "c": ["x"]}}),
            r#"{"a":{"b":1e3,"c":["x"]}}"#,
        );
        woven(r#"{"a":1,"b":2}"#, json!({"b": 2, "z": null}), r#"{"b":2,"z":null}"#);
        woven(r#"{"a":1}"#, json!("words"), "\"words\"");
        woven(r#"{"a":true}"#, json!({"a": null}), r#"{"a":null}"#);
    }

    #[test]
    fn hidden_characters_left_alone_stay_hidden_characters() {
        let text = "{\"a\u{202e}\":\"x\u{200b}\",\"b\":1}";
        woven(text, json!({"a⟨U+202E⟩": "x⟨U+200B⟩", "b": 2}), "{\"a\u{202e}\":\"x\u{200b}\",\"b\":2}");
    }

    #[test]
    fn edited_text_keeps_its_kind_of_line_ends() {
        let text = json!({"content": "one\r\ntwo\r\n", "old": "a\r\nb", "new": "c"}).to_string();
        let edited = json!({"content": "one\ntwo\nthree\n", "old": "a\nb", "new": "c\nd"});
        let expected = json!({"content": "one\r\ntwo\r\nthree\r\n", "old": "a\r\nb", "new": "c\nd"});
        woven(&text, edited, &expected.to_string());
        woven(r#"{"mixed":"a\r\nb\n"}"#, json!({"mixed": "a\nb\nc\n"}), r#"{"mixed":"a\nb\nc\n"}"#);
    }

    #[test]
    fn numbers_that_do_not_fit_are_noticed() {
        for exact in [
            "1",
            "-1",
            "1.0",
            "0.1",
            "18446744073709551615",
            "1e300",
            "[1,2.5]",
            r#""9e999""#,
            r#""\"1e999""#,
        ] {
            assert!(is_exact(exact), "{exact}");
        }
        for lost in ["18446744073709551616", "[1e999]", r#"{"a":123456789012345678901234567890}"#] {
            assert!(!is_exact(lost), "{lost}");
        }
    }

    proptest! {
        #[test]
        fn an_edit_that_changes_nothing_sends_the_same_text(a in any::<f64>().prop_filter("finite", |f| f.is_finite()), i in any::<i64>(), s in ".{0,12}") {
            let text = json!({"a": a, "i": [i, {"s": s}]}).to_string();
            let shown = Visible::json(&serde_json::from_str(&text).unwrap());
            prop_assert_eq!(apply_edit(&text, &shown), text);
        }
    }
}
