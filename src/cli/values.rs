//! JSON as text for people: names and values on separate lines, lists with dashes, strings verbatim.

use crate::text::{Visible, wrap};
use serde_json::Value;
use std::fmt::Write;

/// Columns of indentation per level.
const STEP: usize = 2;

/// Lines never get narrower than this, however far they are indented.
const NARROWEST: usize = 20;

/// Text that grows line by line; wrapped lines keep their indentation.
#[derive(Debug)]
pub(super) struct Lines {
    text: String,
    columns: usize,
}

impl Lines {
    /// No lines yet; they get at most `columns` wide.
    pub(super) fn new(columns: usize) -> Self {
        Self { text: String::new(), columns }
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// A heading, after an empty line.
    pub(super) fn heading(&mut self, text: &str) {
        let _ = write!(self.text, "\n{text}\n");
    }

    /// A line, wrapped if needed.
    pub(super) fn line(&mut self, indent: usize, text: &str) {
        let text = Visible::new(text);
        for line in wrap(&text, self.columns.saturating_sub(indent).max(NARROWEST)) {
            let _ = writeln!(self.text, "{}", format!("{:indent$}{line}", "").trim_end());
        }
    }

    /// A name and its value: on one line if the value has no line break and no parts, else the value below.
    pub(super) fn field(&mut self, indent: usize, name: &str, value: &Value) {
        match scalar(value) {
            Some(text) if !text.contains('\n') => self.line(indent, &format!("{name}: {text}")),
            _ => {
                self.line(indent, &format!("{name}:"));
                self.value(indent + STEP, value);
            }
        }
    }

    /// A value on separate lines.
    pub(super) fn value(&mut self, indent: usize, value: &Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| match scalar(item) {
                Some(text) => self.line(indent, &format!("- {text}")),
                None => {
                    self.line(indent, "-");
                    self.value(indent + STEP, item);
                }
            }),
            Value::Object(fields) => {
                fields.iter().for_each(|(name, value)| self.field(indent, name, value));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                self.line(indent, &scalar(value).unwrap_or_default());
            }
        }
    }
}

/// The text of a value without parts: strings verbatim, the rest as JSON; `None` if it has parts.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Null | Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Array(items) if items.is_empty() => Some("(none)".to_owned()),
        Value::Object(fields) if fields.is_empty() => Some("(nothing)".to_owned()),
        Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_read_well() {
        let mut lines = Lines::new(40);
        let mail = json!({
            "to": ["ada@example.org"],
            "subject": "Tea",
            "content": "Dear Ada,\n\nfour o'clock is fine by me, and so is five.",
            "cc": [],
            "nested": [{"a": 1}, [true, null]]
        });
        lines.field(0, "proposed", &mail);
        let expected = "\
proposed:
  cc: (none)
  content:
    Dear Ada,

    four o'clock is fine by me, and so
    is five.
  nested:
    -
      a: 1
    -
      - true
      - null
  subject: Tea
  to:
    - ada@example.org
";
        assert_eq!(lines.into_text(), expected);
    }
}
