//! `Visible`: the one type untrusted text passes through (docs/safety.md, "You see what the model sees").
//!
//! Promises: no control or escape character except newline and tab, no bidi control, no zero-width character except
//! those that emoji and joining scripts need, no piles of marks. Everything else is replaced by a visible placeholder:
//!
//! | instead of | we show |
//! | --- | --- |
//! | one hidden character | `⟨U+202E⟩` |
//! | the same one, 12 times in a row | `⟨U+200B×12⟩` |
//! | 28 different ones in a row | `⟨U+E0069…×28⟩`, named by the first |
//! | marks beyond six on one base | the same, as for hidden characters |
//!
//! Text that spells out a placeholder stays unchanged: it hides nothing. Does not escape anything for HTML, SQL or a
//! shell, does not judge look-alike letters, and does not reorder right-to-left text.

use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::sanitize::{LineBreaks, sanitize};
use super::width::truncate;

/// Text without anything a terminal obeys or a reader cannot see.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Visible(String);

impl Visible {
    /// Makes `raw` visible and keeps its lines: newline and tab stay, CRLF and a lone CR become a newline.
    pub fn new(raw: &str) -> Self {
        Self(sanitize(raw, LineBreaks::Keep).text)
    }

    /// Makes `raw` visible on a single line: each newline or tab becomes a space.
    pub fn line(raw: &str) -> Self {
        Self(sanitize(raw, LineBreaks::Space).text)
    }

    /// Makes every string in `value` visible, the keys of objects included.
    ///
    /// Two keys that look the same afterwards become one key with the later value: we carry out what we show.
    pub fn json(value: &Value) -> Value {
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
            Value::String(text) => Value::String(Self::new(text).0),
            Value::Array(items) => items.iter().map(Self::json).collect(),
            Value::Object(fields) => {
                fields.iter().map(|(key, value)| (Self::line(key).0, Self::json(value))).collect()
            }
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0
    }
}

/// The start of `raw` on a single visible line that takes at most `columns`.
pub fn short_line(raw: &str, columns: usize) -> String {
    truncate(&Visible::line(raw), columns).into_owned()
}

/// How many characters of `raw` [`Visible::new`] would replace, for a card's warning.
pub fn hidden_count(raw: &str) -> usize {
    sanitize(raw, LineBreaks::Keep).hidden
}

/// Cleans every string of typed JSON like [`sanitize_typed`]; field names do not come from the person.
pub fn sanitize_typed_json(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(sanitize_typed(&text)),
        Value::Array(items) => items.into_iter().map(sanitize_typed_json).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(key, value)| (key, sanitize_typed_json(value))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

/// What a person typed, minus control characters; newline and tab stay, CR becomes a newline.
///
/// People may write in any script and need its marks and joiners, so we remove only what a terminal would obey. To show
/// the text to somebody else, make it [`Visible`].
pub fn sanitize_typed(raw: &str) -> String {
    if raw.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n')) {
        return raw.to_owned();
    }
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\r' if rest.peek() == Some(&'\n') => {}
            '\r' => text.push('\n'),
            '\n' | '\t' => text.push(c),
            _ if c.is_control() => {}
            _ => text.push(c),
        }
    }
    text
}

impl<'de> Deserialize<'de> for Visible {
    /// Files and rows are untrusted too, so reading sanitizes again.
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        String::deserialize(input).map(Self::from)
    }
}

impl fmt::Display for Visible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for Visible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Deref for Visible {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Visible {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Visible {
    fn from(raw: &str) -> Self {
        Self::new(raw)
    }
}

impl From<String> for Visible {
    fn from(raw: String) -> Self {
        Self::new(&raw)
    }
}

impl From<Visible> for String {
    fn from(visible: Visible) -> Self {
        visible.0
    }
}

impl PartialEq<str> for Visible {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for Visible {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

#[cfg(test)]
#[path = "visible_tests.rs"]
mod tests;
