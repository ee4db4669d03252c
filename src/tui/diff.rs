//! What an edit changes, for the last look before it is confirmed.

use crate::inbox::{Block, Span, Tone, changed_lines};
use crate::text::Visible;
use serde_json::Value;
use similar::{ChangeTag, TextDiff};

/// The arguments that differ, each with its lines taken away and put in; empty if nothing does.
pub fn changes(proposed: &Value, edited: &Value) -> Vec<Block> {
    let keys = |value: &Value| value.as_object().map(|map| map.keys().cloned().collect::<Vec<_>>());
    let mut names = keys(proposed).unwrap_or_default();
    names.extend(keys(edited).unwrap_or_default());
    names.sort();
    names.dedup();
    let mut blocks = Vec::new();
    for name in names {
        let (before, after) = (proposed.get(&name), edited.get(&name));
        if before == after {
            continue;
        }
        blocks.push(Block::Heading(Visible::line(&name)));
        let (before, after) = (lines(before), lines(after));
        blocks.push(Block::Diff(changed_lines(&before, &after)));
    }
    blocks
}

/// A text in which words were taken away and put in.
pub fn changed_words(before: &str, after: &str) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for change in TextDiff::from_words(before, after).iter_all_changes() {
        let tone = match change.tag() {
            ChangeTag::Equal => Tone::Plain,
            ChangeTag::Delete => Tone::Removed,
            ChangeTag::Insert => Tone::Added,
        };
        match spans.last_mut() {
            Some(last) if last.tone == tone => {
                last.text = Visible::new(&format!("{}{}", last.text, change.value()));
            }
            _ => spans.push(Span { tone, text: Visible::new(change.value()) }),
        }
    }
    // Where nothing stayed, one text stands in place of another.
    if let [Span { tone: Tone::Removed, .. }, Span { tone: Tone::Added, .. }] = spans.as_slice() {
        spans.insert(1, Span { tone: Tone::Quiet, text: Visible::new(" → ") });
    }
    spans
}

/// Two texts as lines of words, with the words taken away and put in where they stand.
pub fn word_lines(before: &str, after: &str) -> Vec<Vec<Span>> {
    let mut lines: Vec<Vec<Span>> = vec![Vec::new()];
    for change in TextDiff::from_words(before.trim_end(), after.trim_end()).iter_all_changes() {
        let tone = match change.tag() {
            ChangeTag::Equal => Tone::Quiet,
            ChangeTag::Delete => Tone::Removed,
            ChangeTag::Insert => Tone::Added,
        };
        for (n, part) in change.value().split('\n').enumerate() {
            if n > 0 {
                lines.push(Vec::new());
            }
            let Some(line) = lines.last_mut().filter(|_| !part.is_empty()) else { continue };
            match line.last_mut() {
                Some(last) if last.tone == tone => last.text = Visible::new(&format!("{}{part}", last.text)),
                _ => line.push(Span { tone, text: Visible::new(part) }),
            }
        }
    }
    // A line that was taken away leaves its end behind.
    lines.retain(|line| !line.is_empty());
    lines
}

fn lines(value: Option<&Value>) -> String {
    let mut text = match value {
        None => return String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(items)) if items.iter().all(Value::is_string) => {
            items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
        }
        Some(other) => serde_json::to_string_pretty(other).unwrap_or_default(),
    };
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn words_that_differ_are_told_apart() {
        let spans = changed_words("see you on Monday then", "see you on Tuesday then");
        let shown: Vec<(Tone, &str)> = spans.iter().map(|span| (span.tone, span.text.as_str())).collect();
        assert_eq!(
            shown,
            [
                (Tone::Plain, "see you on "),
                (Tone::Removed, "Monday"),
                (Tone::Added, "Tuesday"),
                (Tone::Plain, " then"),
            ]
        );
        assert_eq!(changed_words("Monday", "Tuesday").len(), 3, "with an arrow between them");
        assert!(changed_words("", "").is_empty());
    }

    #[test]
    fn words_are_told_apart_within_their_line() {
        let shown = |before: &str, after: &str| -> Vec<String> {
            let sign = |span: &Span| match span.tone {
                Tone::Added => format!("+{}+", span.text),
                Tone::Removed => format!("-{}-", span.text),
                _ => span.text.to_string(),
            };
            word_lines(before, after).iter().map(|line| line.iter().map(sign).collect()).collect()
        };
        assert_eq!(
            shown("Be brief.\nSign with Ada.", "Be kind.\nSign with Ada."),
            ["Be -brief.-+kind.+", "Sign with Ada."]
        );
        assert_eq!(shown("", "One\nTwo"), ["+One+", "+Two+"]);
        assert_eq!(shown("a\nb\nc", "a\nc"), ["a", "-b-", "c"]);
        assert_eq!(shown("same\n", "same"), ["same"]);
    }

    #[test]
    fn only_what_differs_is_shown() {
        let before = json!({"to": ["a", "b"], "body": "one\ntwo", "cc": null});
        let after = json!({"to": ["a", "c"], "body": "one\ntwo", "cc": null});
        let blocks = changes(&before, &after);
        assert_eq!(blocks.len(), 2);
        let Block::Diff(spans) = &blocks[1] else { panic!("a diff") };
        let shown: Vec<(Tone, &str)> = spans.iter().map(|span| (span.tone, span.text.as_str())).collect();
        assert_eq!(shown, [(Tone::Quiet, "a"), (Tone::Removed, "b"), (Tone::Added, "c")]);
        assert!(changes(&before, &before).is_empty());
    }
}
