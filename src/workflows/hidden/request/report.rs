//! The outcome of an allowed call, as the agent that made it reports it afterwards.

use crate::text::{Visible, short_line};
use serde::{Deserialize, Serialize};

/// Columns for the error.
const ERROR_WIDTH: usize = 120;

/// How many files are named; the others are counted.
const MAX_NAMED_FILES: usize = 3;

/// The outcome of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    pub exit_code: Option<i64>,
    /// The files it changed.
    pub files: Vec<String>,
    pub error: Option<String>,
}

impl Report {
    /// The report in a few words.
    pub fn words(&self) -> String {
        let error_text = || {
            let first = self.error.as_deref()?.lines().find(|line| !line.trim().is_empty())?;
            Some(format!("failed: {}", short_line(first.trim(), ERROR_WIDTH)))
        };
        match (self.exit_code, self.files.as_slice()) {
            (Some(code), _) => format!("exit code {code}"),
            (None, _) if self.error.is_some() => error_text().unwrap_or_else(|| "failed".to_owned()),
            (None, []) => "done".to_owned(),
            (None, files) => {
                let names: Vec<String> = files
                    .iter()
                    .take(MAX_NAMED_FILES)
                    .map(|file| Visible::line(file).into_string())
                    .collect();
                let more = match files.len().saturating_sub(MAX_NAMED_FILES) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                format!("changed {}{more}", names.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_told_in_a_few_words() {
        let words = |exit_code, files: &[&str], error: Option<&str>| {
            let files = files.iter().map(|file| (*file).to_owned()).collect();
            Report { exit_code, files, error: error.map(str::to_owned) }.words()
        };
        assert_eq!(words(None, &[], None), "done");
        assert_eq!(words(Some(3), &[], Some("Exit code 3\nhello")), "exit code 3");
        assert_eq!(words(None, &["a.rs"], None), "changed a.rs");
        assert_eq!(words(None, &["a", "b", "c", "d", "e"], None), "changed a, b, c and 2 more");
        assert_eq!(words(None, &[], Some("\n no such file\nx")), "failed: no such file");
        assert_eq!(words(None, &[], Some("")), "failed");
        assert!(!words(None, &["a\u{1b}[2J"], None).contains('\u{1b}'));
    }
}
