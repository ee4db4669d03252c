//! Compares two texts line by line.

use super::{Span, Tone};
use crate::text::Visible;
use similar::{ChangeTag, TextDiff};

/// All lines of two texts, marked as unchanged, removed or added.
pub fn changed_lines(before: &str, after: &str) -> Vec<Span> {
    // A missing newline at the end is not a change.
    let end = |text: &str| if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let with_newline = |text: &str| format!("{text}{}", end(text));
    let (before, after) = (with_newline(before), with_newline(after));
    TextDiff::from_lines(&before, &after)
        .iter_all_changes()
        .map(|change| {
            let tone = match change.tag() {
                ChangeTag::Equal => Tone::Quiet,
                ChangeTag::Delete => Tone::Removed,
                ChangeTag::Insert => Tone::Added,
            };
            Span { tone, text: Visible::new(change.value().trim_end_matches('\n')) }
        })
        .map(|span| if span.text.is_empty() { Span { text: Visible::new(" "), ..span } } else { span })
        .collect()
}
