//! Markdown as a terminal reads best: marks become weight, lists hang, lines fit. Pure.
//!
//! It goes line by line, so that text can be shown while it is still being written. What it does not know stays as
//! it stands; a link keeps its target, so that nobody follows words to somewhere else.

use crate::text::{expand_tabs, width, wrap};

/// How a piece of text stands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    /// Not at all.
    Plain,
    /// Bold.
    Strong,
    /// Dim.
    Quiet,
}

/// One line of the terminal.
pub(super) type Line = Vec<(Tone, String)>;

/// However far in a line stands, it keeps this many columns.
const NARROWEST: usize = 16;

/// What has to be remembered from one line to the next.
#[derive(Debug, Default)]
pub(super) struct Markdown {
    fenced: bool,
}

impl Markdown {
    /// The lines that one line of source becomes.
    pub(super) fn line(&mut self, source: &str, columns: usize) -> Vec<Line> {
        let source = expand_tabs(source.trim_end());
        let body = source.trim_start();
        let indent = source.len() - body.len();
        if body.starts_with("```") || body.starts_with("~~~") {
            self.fenced = !self.fenced;
            return Vec::new();
        }
        if self.fenced {
            return vec![vec![(Tone::Plain, format!("    {source}"))]];
        }
        if body.is_empty() {
            return vec![Line::new()];
        }
        let heading = body.trim_start_matches('#');
        let level = body.len() - heading.len();
        if (1..=6).contains(&level) && heading.starts_with(' ') {
            return flow("", "", heading.trim(), Tone::Strong, columns);
        }
        if is_rule(body) {
            return vec![vec![(Tone::Quiet, "─".repeat(columns.min(24)))]];
        }
        if let Some(quoted) = body.strip_prefix('>') {
            return flow("│ ", "│ ", quoted.trim_start(), Tone::Quiet, columns);
        }
        if let Some(whole) = whole_emphasis(body) {
            return flow("", "", whole, Tone::Quiet, columns);
        }
        let mark = list_mark(body);
        let first = format!("{:indent$}{}", "", &body[..mark]);
        let rest = " ".repeat(width(&first));
        flow(&first, &rest, body[mark..].trim_start(), Tone::Plain, columns)
    }
}

/// All lines of a text.
pub(super) fn lines(text: &str, columns: usize) -> Vec<Line> {
    let mut markdown = Markdown::default();
    text.lines().flat_map(|line| markdown.line(line, columns)).collect()
}

fn is_rule(body: &str) -> bool {
    let marks: Vec<char> = body.chars().filter(|c| *c != ' ').collect();
    marks.len() >= 3 && "-*_".contains(marks[0]) && marks.iter().all(|c| *c == marks[0])
}

/// The text of a line that is emphasised as a whole.
fn whole_emphasis(body: &str) -> Option<&str> {
    ['_', '*'].into_iter().find_map(|mark| {
        let inner = body.strip_prefix(mark)?.strip_suffix(mark)?;
        let plain = !inner.is_empty() && !inner.contains(mark) && !inner.starts_with(' ');
        plain.then_some(inner)
    })
}

/// How long the mark of a list is, with the space after it; 0 where there is none.
fn list_mark(body: &str) -> usize {
    let digits = body.bytes().take_while(u8::is_ascii_digit).count();
    let mark = match body.as_bytes().get(digits) {
        Some(b'.' | b')') if (1..=9).contains(&digits) => digits + 1,
        Some(b'-' | b'*' | b'+') if digits == 0 => 1,
        _ => return 0,
    };
    if body[mark..].starts_with(' ') { mark + 1 } else { 0 }
}

/// Text in lines that fit, the first behind one prefix and the others behind another.
fn flow(first: &str, rest: &str, text: &str, tone: Tone, columns: usize) -> Vec<Line> {
    let mut plain = String::with_capacity(text.len());
    let mut marks = Vec::new();
    inline(text, tone, &mut plain, &mut marks);
    let room = columns.saturating_sub(width(first)).max(NARROWEST);
    let mut lines = Vec::new();
    for part in wrap(&plain, room) {
        let prefix = if lines.is_empty() { first } else { rest };
        let mut line = Line::new();
        if !prefix.is_empty() {
            line.push((tone, prefix.to_owned()));
        }
        let begin = part.as_ptr() as usize - plain.as_ptr() as usize;
        line.extend(toned(part, begin, &marks));
        lines.push(line);
    }
    if lines.is_empty() { vec![vec![(tone, first.to_owned())]] } else { lines }
}

/// The pieces of `part`, which begins at `begin`, by the tones that end at `marks`.
fn toned(part: &str, begin: usize, marks: &[(usize, Tone)]) -> Line {
    let mut line = Line::new();
    let mut at = 0;
    for (end, tone) in marks {
        let end = end.saturating_sub(begin).min(part.len());
        if end > at {
            line.push((*tone, part[at..end].to_owned()));
            at = end;
        }
    }
    line
}

/// Takes `**…**` off, and leaves code as it stands. `marks` says which tone ends where in `plain`.
fn inline(text: &str, tone: Tone, plain: &mut String, marks: &mut Vec<(usize, Tone)>) {
    let mut rest = text;
    while let Some(at) = rest.find(['`', '*', '\\']) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(code) = code(rest) {
            plain.push_str(code);
            rest = &rest[code.len()..];
        } else if let Some(strong) = strong(rest) {
            marks.push((plain.len(), tone));
            inline(strong, Tone::Strong, plain, marks);
            rest = &rest[strong.len() + 4..];
        } else if let Some(escaped) = rest.strip_prefix('\\').filter(|r| r.starts_with(['*', '_', '`', '#']))
        {
            plain.push_str(&escaped[..1]);
            rest = &escaped[1..];
        } else {
            plain.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    plain.push_str(rest);
    marks.push((plain.len(), tone));
}

/// A piece of code at the beginning, its marks included.
fn code(text: &str) -> Option<&str> {
    let marks = text.bytes().take_while(|byte| *byte == b'`').count();
    let end = text[marks..].find(&text[..marks]).filter(|_| marks > 0)?;
    Some(&text[..marks + end + marks])
}

/// What stands between two pairs of asterisks at the beginning.
fn strong(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("**")?;
    let inner = &inner[..inner.find("**")?];
    let bare = inner.is_empty() || inner.starts_with([' ', '*']) || inner.ends_with(' ');
    (!bare).then_some(inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Lines with `[…]` around what is strong and `(…)` around what is quiet.
    fn drawn(text: &str, columns: usize) -> String {
        let piece = |(tone, text): &(Tone, String)| match tone {
            Tone::Plain => text.clone(),
            Tone::Strong => format!("[{text}]"),
            Tone::Quiet => format!("({text})"),
        };
        let line = |line: &Line| line.iter().map(piece).collect::<String>();
        lines(text, columns).iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[track_caller]
    fn check(text: &str, columns: usize, expected: &str) {
        assert_eq!(drawn(text, columns), expected);
    }

    #[test]
    fn marks_become_weight() {
        check("## What they say", 40, "[What they say]");
        check("A **bold word**, `**code**`.", 40, "A [bold word], `**code**`.");
        check("**Question.** Which one?", 40, "[Question.] Which one?");
        check("_a note_", 40, "(a note)");
        check("snake_case_name and 2 * 3 * 4", 40, "snake_case_name and 2 * 3 * 4");
        check("\\*not a list", 40, "*not a list");
        check("#hashtag, **open", 40, "#hashtag, **open");
        check("> quoted", 40, "(│ )(quoted)");
        check("[here](https://example.org)", 40, "[here](https://example.org)");
    }

    #[test]
    fn lists_hang_and_code_stays() {
        check("- one two three four five\n  10. six", 20, "- one two three four\n  five\n  10. six");
        check("```rust\nlet a = **b;\n```\nend", 40, "    let a = **b;\nend");
        check("a\n\n---\nb", 5, "a\n\n(─────)\nb");
    }

    #[test]
    fn weight_goes_on_over_a_line_break() {
        check("one **two three four** five six seven", 16, "one [two three]\n[four] five six\nseven");
    }

    proptest! {
        #[test]
        fn no_text_panics_and_no_word_is_lost(text in "[-a#*`_>\\\\ 漢1.\n]{0,60}", columns in 0_usize..30) {
            let said: String = lines(&text, columns).into_iter().flatten().map(|(_, text)| text).collect();
            let letters = |text: &str| text.chars().filter(|c| "a漢".contains(*c)).count();
            // The line that opens or closes a fence is all that is left out.
            let fences = |line: &&str| line.trim_start().starts_with("```");
            let left_out: usize = text.lines().filter(fences).map(letters).sum();
            prop_assert_eq!(letters(&said) + left_out, letters(&text));
        }
    }
}
