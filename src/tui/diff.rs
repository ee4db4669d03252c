//! What an edit changes, shown for review before it is confirmed.

use crate::inbox::{Block, Span, Tone, changed_lines};
use crate::text::Visible;
use serde_json::Value;
use similar::{ChangeTag, DiffTag, TextDiff};

/// The arguments that differ, each with its removed and added lines; empty if nothing differs.
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
        let (before, after) = (value_text(before), value_text(after));
        blocks.push(Block::Diff(changed_lines(&before, &after)));
    }
    blocks
}

/// A text with its removed and added words marked.
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
    // If nothing stayed, one text replaced the other.
    if let [Span { tone: Tone::Removed, .. }, Span { tone: Tone::Added, .. }] = spans.as_slice() {
        spans.insert(1, Span { tone: Tone::Quiet, text: Visible::new(" → ") });
    }
    spans
}

/// Two texts as lines: unchanged, removed and added. If one line replaced another, only the words that differ are
/// marked as changed.
pub fn word_lines(before: &str, after: &str) -> Vec<(Tone, Vec<Span>)> {
    let (old, new) =
        (before.trim_end().lines().collect::<Vec<_>>(), after.trim_end().lines().collect::<Vec<_>>());
    let mut lines = Vec::new();
    for op in TextDiff::from_slices(&old, &new).ops() {
        let (removed, added) = (&old[op.old_range()], &new[op.new_range()]);
        if op.tag() == DiffTag::Equal {
            lines.extend(removed.iter().map(|line| whole_line(Tone::Quiet, line)));
            continue;
        }
        let is_replaced = removed.len() == added.len();
        for (at, line) in removed.iter().enumerate() {
            let other = added.get(at).filter(|_| is_replaced);
            lines.push(other.map_or_else(
                || whole_line(Tone::Removed, line),
                |other| changed_line(Tone::Removed, line, other),
            ));
        }
        for (at, line) in added.iter().enumerate() {
            let other = removed.get(at).filter(|_| is_replaced);
            lines.push(other.map_or_else(
                || whole_line(Tone::Added, line),
                |other| changed_line(Tone::Added, other, line),
            ));
        }
    }
    lines
}

fn whole_line(tone: Tone, line: &str) -> (Tone, Vec<Span>) {
    (tone, vec![Span { tone, text: Visible::line(line) }])
}

/// The removed or the added words of a changed line, plus the words that stayed.
fn changed_line(tone: Tone, before: &str, after: &str) -> (Tone, Vec<Span>) {
    let mut spans = changed_words(before, after);
    spans.retain(|span| span.tone == tone || span.tone == Tone::Plain);
    spans.iter_mut().filter(|span| span.tone == Tone::Plain).for_each(|span| span.tone = Tone::Quiet);
    (tone, spans)
}

fn value_text(value: Option<&Value>) -> String {
    let mut text = match value {
        None => return String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(items)) if items.iter().all(Value::is_string) => {
            items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
        }
        Some(other) => serde_json::to_string_pretty(other).unwrap_or_default(),
    };
    // No line is not an empty line.
    if !text.is_empty() {
        text.push('\n');
    }
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
            let line = |(tone, spans): &(Tone, Vec<Span>)| {
                let words: String = spans.iter().map(sign).collect();
                format!("{tone:?} {words}")
            };
            word_lines(before, after).iter().map(line).collect()
        };
        assert_eq!(
            shown("Be brief.\nSign with Ada.", "Be kind.\nSign with Ada."),
            ["Removed Be -brief.-", "Added Be +kind.+", "Quiet Sign with Ada."]
        );
        assert_eq!(shown("", "One\nTwo"), ["Added +One+", "Added +Two+"]);
        assert_eq!(shown("a\nb\nc", "a\nc"), ["Quiet a", "Removed -b-", "Quiet c"]);
        assert_eq!(shown("same\n", "same"), ["Quiet same"]);
        assert_eq!(shown("a b\nc", "x"), ["Removed -a b-", "Removed -c-", "Added +x+"]);
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
        let written = changes(&json!({"body": "", "to": []}), &json!({"body": "Hi", "to": ["a"]}));
        let Block::Diff(spans) = &written[1] else { panic!("a diff") };
        assert_eq!(spans.iter().map(|span| span.tone).collect::<Vec<_>>(), [Tone::Added]);
    }
}
