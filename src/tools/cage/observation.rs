//! What a piece of code did, for people and for models.

use serde::{Deserialize, Serialize};

/// How many changed cells a model is told of.
const TOLD: usize = 20;
/// How much of what was printed it is told, in bytes.
const PRINTED: usize = 8 << 10;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Observation {
    pub stdout: String,
    /// The value of its last expression.
    pub value: Option<String>,
    pub error: Option<String>,
    /// Whether it was stopped at a limit: then none of it counts.
    pub stopped: bool,
    /// The first cells it changed.
    pub changes: Vec<Change>,
    /// How many cells it changed.
    pub changed: usize,
    pub added: Vec<String>,
    /// What else it did to the workbook, in words.
    pub layout: Vec<String>,
    /// The other files it saved.
    pub files: Vec<String>,
    /// Files it left that are not kept, each with the reason.
    pub dropped: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub sheet: String,
    /// The position, like `B7`.
    pub cell: String,
    pub before: String,
    pub after: String,
}

impl Observation {
    /// Code that was stopped, and why.
    pub fn stopped(why: impl Into<String>) -> Self {
        Self { error: Some(why.into()), stopped: true, ..Self::default() }
    }

    /// As text, for a model.
    pub fn text(&self) -> String {
        let mut parts = Vec::new();
        if !self.stdout.is_empty() {
            parts.push(format!("Printed:\n{}", head_and_tail(self.stdout.trim_end(), PRINTED)));
        }
        if let Some(value) = &self.value {
            parts.push(format!("Value: {}", head_and_tail(value, PRINTED)));
        }
        if let Some(error) = &self.error {
            parts.push(format!("Error:\n{}", error.trim_end()));
        }
        if self.stopped {
            parts
                .push("Nothing of this code counts: the workbook and the files are as before it.".to_owned());
        }
        if !self.added.is_empty() {
            parts.push(format!("Sheets added: {}", self.added.join(", ")));
        }
        parts.extend(self.layout.iter().cloned());
        if self.changed > 0 {
            let line = |change: &Change| {
                let Change { sheet, cell, before, after } = change;
                format!("{sheet}!{cell}: {} → {}", or_empty(before), or_empty(after))
            };
            let lines: Vec<String> = self.changes.iter().take(TOLD).map(line).collect();
            parts.push(format!("{} cells changed, the first:\n{}", self.changed, lines.join("\n")));
        }
        if !self.files.is_empty() {
            parts.push(format!("Files saved: {}", self.files.join(", ")));
        }
        if !self.dropped.is_empty() {
            parts.push(format!("Files that are not kept: {}", self.dropped.join("; ")));
        }
        if parts.is_empty() {
            parts.push("It ran; nothing was printed, nothing changed and no file was saved.".to_owned());
        }
        parts.join("\n")
    }
}

fn or_empty(text: &str) -> &str {
    if text.is_empty() { "(empty)" } else { text }
}

/// A text of at most `most` bytes, with its beginning and its end.
fn head_and_tail(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let head = text.get(..text.floor_char_boundary(most * 3 / 4)).unwrap_or_default();
    let tail = text.get(text.ceil_char_boundary(text.len() - most / 4)..).unwrap_or_default();
    let cut = text.len() - head.len() - tail.len();
    format!("{head}\n[… {cut} bytes are left out here: print less …]\n{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_told_what_was_printed_changed_and_saved() {
        let nothing = Observation::default().text();
        assert_eq!(nothing, "It ran; nothing was printed, nothing changed and no file was saved.");
        let saved =
            Observation { files: vec!["costs.png".into(), "sum.csv".into()], ..Observation::default() };
        assert_eq!(saved.text(), "Files saved: costs.png, sum.csv");
        let stdout = format!("first\n{}last\n", "é\n".repeat(9_000));
        let long = Observation { stdout, ..Observation::default() }.text();
        assert!(
            long.len() < 8_400 && long.starts_with("Printed:\nfirst\né") && long.ends_with("é\nlast"),
            "{long}"
        );
        assert!(long.contains("[… 18818 bytes are left out here: print less …]"), "{long}");
    }
}
