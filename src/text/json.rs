//! JSON that is safe to print to a terminal.

use super::is_hidden;
use serde::Serialize;
use serde_json::ser::Formatter;
use std::io::{self, Write};

/// JSON on one line, with every invisible character escaped. A parser reads the same value.
pub fn plain_json<T: Serialize + ?Sized>(data: &T) -> Result<String, serde_json::Error> {
    let mut bytes = Vec::new();
    data.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, Escaping))?;
    String::from_utf8(bytes).map_err(|e| serde_json::Error::io(io::Error::other(e)))
}

struct Escaping;

impl Formatter for Escaping {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        // Nearly all text is this plain, and serde_json has escaped what comes before the space.
        if fragment.is_ascii() && !fragment.as_bytes().contains(&0x7f) {
            return writer.write_all(fragment.as_bytes());
        }
        let mut rest = fragment;
        while let Some((at, hidden)) = rest.char_indices().find(|(_, c)| is_hidden(*c)) {
            writer.write_all(&rest.as_bytes()[..at])?;
            for unit in hidden.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = &rest[at + hidden.len_utf8()..];
        }
        writer.write_all(rest.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_says_the_same_and_hides_nothing() {
        let value = serde_json::json!({"\u{9b}31m": "a\u{1b}[2J\u{7f}\u{202e}b\u{e0041} \"é\" 漢\n"});
        let text = plain_json(&value).unwrap();
        assert!(!text.chars().any(is_hidden), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
        assert!(text.contains("é") && text.contains("漢"));
    }
}
