//! Markdown for terminals: marks become weight, lists hang, tables get columns, lines fit. Pure.
//!
//! It works line by line, so that text can be shown while it is still being written; only tables need all their lines.
//! Unknown syntax stays unchanged; a link shows its target, so that its words cannot mislead anybody. Use it for what
//! models write to people, never for text that will be sent: the marks it removes are not shown.

use super::width::{expand_tabs, fit, width};
use super::wrap::{table_row, wrap, wrap_code};

/// How much a piece of text stands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    Plain,
    Heading,
    Strong,
    Emphasis,
    Code,
    /// The words of a link.
    Link,
    /// Less prominent than the rest.
    Quiet,
}

/// One line of the screen.
pub type Line = Vec<(Weight, String)>;

/// Text is not indented if that would leave fewer columns than this.
const NARROWEST: usize = 12;

/// The state carried from one line to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Markdown {
    fenced: bool,
}

impl Markdown {
    /// Renders one line of source.
    fn line(&mut self, source: &str, columns: usize) -> Vec<Line> {
        let source = expand_tabs(source.trim_end());
        let body = source.trim_start();
        let indent = source.len() - body.len();
        if is_fence(body) {
            self.fenced = !self.fenced;
            return Vec::new();
        }
        if self.fenced {
            let set_in = if columns < NARROWEST + 4 { "" } else { "    " };
            let part = |(inset, part): (usize, &str)| {
                vec![(Weight::Code, format!("{set_in}{}{part}", " ".repeat(inset)))]
            };
            let parts = wrap_code(&source, columns.saturating_sub(set_in.len()));
            let lines: Vec<Line> = parts.into_iter().map(part).collect();
            return if lines.is_empty() { vec![Line::new()] } else { lines };
        }
        if body.is_empty() {
            return vec![Line::new()];
        }
        let heading = body.trim_start_matches('#');
        let level = body.len() - heading.len();
        if (1..=6).contains(&level) && heading.starts_with(' ') {
            return flow("", "", heading.trim(), Weight::Heading, columns);
        }
        if is_rule(body) {
            return vec![vec![(Weight::Quiet, "─".repeat(columns.min(24)))]];
        }
        if let Some(quoted) = body.strip_prefix('>') {
            return flow("│ ", "│ ", quoted.trim_start(), Weight::Quiet, columns);
        }
        if let Some(emphasized) = whole_emphasis(body) {
            return flow("", "", emphasized, Weight::Quiet, columns);
        }
        let mark = list_mark(body);
        let indent = if columns < indent + mark + NARROWEST { 0 } else { indent };
        let first = format!("{:indent$}{}", "", &body[..mark]);
        let rest = " ".repeat(width(&first));
        flow(&first, &rest, body[mark..].trim_start(), Weight::Plain, columns)
    }

    /// The state after the lines of `text`.
    pub fn after(mut self, text: &str) -> Self {
        let fences = text.lines().filter(|line| is_fence(line.trim_start())).count();
        self.fenced ^= fences % 2 == 1;
        self
    }

    /// Renders a whole text, with tables in columns.
    pub fn lines(mut self, text: &str, columns: usize) -> Vec<Line> {
        let source: Vec<&str> = text.lines().collect();
        let mut lines = Vec::new();
        let mut at = 0;
        while at < source.len() {
            let rows = if self.fenced { 0 } else { table_length(&source[at..]) };
            if rows > 0 {
                lines.extend(table(&source[at..at + rows], columns));
                at += rows;
            } else {
                lines.extend(self.line(source[at], columns));
                at += 1;
            }
        }
        lines
    }
}

fn is_fence(body: &str) -> bool {
    body.starts_with("```") || body.starts_with("~~~")
}

/// How many lines the table at the start has: heading, rule and rows. 0 if there is no table.
fn table_length(source: &[&str]) -> usize {
    let row = |line: &&&str| line.trim_start().starts_with('|');
    let ruled = source
        .get(1)
        .is_some_and(|line| line.contains("--") && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ')));
    if ruled { source.iter().take_while(row).count() } else { 0 }
}

fn table(source: &[&str], columns: usize) -> Vec<Line> {
    let cells = |line: &&str| -> Vec<String> {
        let inner = line.trim().trim_start_matches('|');
        let inner = inner.strip_suffix('|').unwrap_or(inner);
        let bare = |cell: &str| {
            let mut plain = String::new();
            inline(&expand_tabs(cell.trim()), Weight::Plain, &mut plain, &mut Vec::new());
            plain
        };
        inner.split('|').map(bare).collect()
    };
    let rows: Vec<Vec<String>> =
        source.iter().enumerate().filter(|(n, _)| *n != 1).map(|(_, line)| cells(line)).collect();
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widest =
        |n: usize| rows.iter().filter_map(|row| row.get(n)).map(|cell| width(cell)).max().unwrap_or(0).max(1);
    let widths = fit((0..count).map(widest).collect(), columns);
    let mut lines = Vec::new();
    for (n, row) in rows.iter().enumerate() {
        let weight = if n == 0 { Weight::Strong } else { Weight::Plain };
        lines.extend(table_row(row, &widths).into_iter().map(|line| vec![(weight, line)]));
        if n == 0 {
            let rule: Vec<String> = widths.iter().map(|wide| "─".repeat(*wide)).collect();
            lines.push(vec![(Weight::Quiet, rule.join("─┼─"))]);
        }
    }
    lines
}

fn is_rule(body: &str) -> bool {
    let marks: Vec<char> = body.chars().filter(|c| *c != ' ').collect();
    marks.len() >= 3 && "-*_".contains(marks[0]) && marks.iter().all(|c| *c == marks[0])
}

/// The text of a line that is emphasised as a whole, without its marks.
fn whole_emphasis(body: &str) -> Option<&str> {
    ['_', '*'].into_iter().find_map(|mark| {
        let inner = body.strip_prefix(mark)?.strip_suffix(mark)?;
        let is_emphasis = !inner.is_empty() && !inner.contains(mark) && !inner.starts_with(' ');
        is_emphasis.then_some(inner)
    })
}

/// The length of a list mark with the space after it; 0 if there is none.
fn list_mark(body: &str) -> usize {
    let digits = body.bytes().take_while(u8::is_ascii_digit).count();
    let mark = match body.as_bytes().get(digits) {
        Some(b'.' | b')') if (1..=9).contains(&digits) => digits + 1,
        Some(b'-' | b'*' | b'+') if digits == 0 => 1,
        _ => return 0,
    };
    if body[mark..].starts_with(' ') { mark + 1 } else { 0 }
}

/// Wraps text into lines that fit, with one prefix for the first line and another for the rest.
fn flow(first: &str, rest: &str, text: &str, weight: Weight, columns: usize) -> Vec<Line> {
    let mut plain = String::with_capacity(text.len());
    let mut marks = Vec::new();
    inline(text, weight, &mut plain, &mut marks);
    let room = columns.saturating_sub(width(first)).max(1);
    let mut lines = Vec::new();
    for part in wrap(&plain, room) {
        let prefix = if lines.is_empty() { first } else { rest };
        let mut line = Line::new();
        if !prefix.is_empty() {
            line.push((weight, prefix.to_owned()));
        }
        let begin = part.as_ptr() as usize - plain.as_ptr() as usize;
        line.extend(weighed(part, begin, &marks));
        lines.push(line);
    }
    if lines.is_empty() { vec![vec![(weight, first.to_owned())]] } else { lines }
}

/// Splits `part`, which starts at `begin`, into pieces by the weights that end at `marks`.
fn weighed(part: &str, begin: usize, marks: &[(usize, Weight)]) -> Line {
    let mut line = Line::new();
    let mut at = 0;
    for (end, weight) in marks {
        let end = end.saturating_sub(begin).min(part.len());
        if end > at {
            line.push((*weight, part[at..end].to_owned()));
            at = end;
        }
    }
    line
}

/// Removes marks, but leaves code unchanged. `marks` says which weight ends where in `plain`.
fn inline(text: &str, weight: Weight, plain: &mut String, marks: &mut Vec<(usize, Weight)>) {
    let mut rest = text;
    while let Some(at) = rest.find(['`', '*', '_', '[', '\\']) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(code) = code(rest) {
            marks.push((plain.len(), weight));
            plain.push_str(code);
            marks.push((plain.len(), Weight::Code));
            rest = &rest[code.len()..];
        } else if let Some(strong) = strong(rest) {
            marks.push((plain.len(), weight));
            inline(strong, Weight::Strong, plain, marks);
            rest = &rest[strong.len() + 4..];
        } else if let Some(stressed) = emphasis(rest, plain.chars().next_back()) {
            marks.push((plain.len(), weight));
            inline(stressed, Weight::Emphasis, plain, marks);
            rest = &rest[stressed.len() + 2..];
        } else if let Some((words, target)) = link(rest) {
            marks.push((plain.len(), weight));
            if words != target {
                plain.push_str(words);
                marks.push((plain.len(), Weight::Link));
                plain.push_str(" (");
                plain.push_str(target);
                plain.push(')');
            } else {
                plain.push_str(target);
            }
            marks.push((plain.len(), Weight::Quiet));
            rest = &rest[words.len() + target.len() + 4..];
        } else if let Some(escaped) =
            rest.strip_prefix('\\').filter(|r| r.starts_with(['*', '_', '`', '#', '[', '|']))
        {
            plain.push_str(&escaped[..1]);
            rest = &escaped[1..];
        } else {
            plain.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    plain.push_str(rest);
    marks.push((plain.len(), weight));
}

/// The code span at the start, with its marks.
fn code(text: &str) -> Option<&str> {
    let marks = text.bytes().take_while(|byte| *byte == b'`').count();
    let end = text[marks..].find(&text[..marks]).filter(|_| marks > 0)?;
    Some(&text[..marks + end + marks])
}

/// The text between two pairs of asterisks at the start.
fn strong(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("**")?;
    let inner = &inner[..inner.find("**")?];
    let is_literal = inner.is_empty() || inner.starts_with([' ', '*']) || inner.ends_with(' ');
    (!is_literal).then_some(inner)
}

/// The text between two single marks around words. A mark inside a word does not count.
fn emphasis(text: &str, before: Option<char>) -> Option<&str> {
    let mark = text.chars().next().filter(|c| matches!(c, '*' | '_'))?;
    let inner = &text[1..];
    let inner = &inner[..inner.find(mark)?];
    let after = text[inner.len() + 2..].chars().next();
    let in_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == mark);
    let is_literal = inner.is_empty() || inner.starts_with(' ') || inner.ends_with(' ');
    (!is_literal && !in_word(before) && !in_word(after)).then_some(inner)
}

/// The words and target of `[words](target)` at the start.
fn link(text: &str) -> Option<(&str, &str)> {
    let (words, rest) = text.strip_prefix('[')?.split_once("](")?;
    let target = &rest[..rest.find(')')?];
    let is_literal =
        words.is_empty() || words.contains(['[', ']']) || target.is_empty() || target.contains([' ', '(']);
    (!is_literal).then_some((words, target))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Lines with `[…]` around strong and `(…)` around quiet text.
    fn drawn(text: &str, columns: usize) -> String {
        let piece = |(weight, text): &(Weight, String)| match weight {
            Weight::Plain | Weight::Code => text.clone(),
            Weight::Strong | Weight::Heading => format!("[{text}]"),
            Weight::Emphasis => format!("/{text}/"),
            Weight::Link => format!("<{text}>"),
            Weight::Quiet => format!("({text})"),
        };
        let line = |line: &Line| line.iter().map(piece).collect::<String>();
        Markdown::default().lines(text, columns).iter().map(line).collect::<Vec<_>>().join("\n")
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
        check("a *word* and _two words_.", 40, "a /word/ and /two words/.");
        check("see [here](https://example.org).", 40, "see <here>( (https://example.org)).");
        check("[a.test](a.test) [x] (y) [z](no target)", 60, "(a.test) [x] (y) [z](no target)");
    }

    #[test]
    fn lists_hang_and_code_stays() {
        check("- one two three four five\n  10. six", 20, "- one two three four\n  five\n  10. six");
        check("```rust\nlet a = **b;\n```\nend", 40, "    let a = **b;\nend");
        check("a\n\n---\nb", 5, "a\n\n(─────)\nb");
    }

    #[test]
    fn tables_stand_in_columns() {
        let table = "|name|sold|\n|:--|--:|\n| `a` | 1 |\n|**long** name|20|x|\nend";
        check(
            table,
            40,
            "[name      │ sold │  ]\n(──────────┼──────┼──)\n`a`       │ 1    │  \nlong name │ 20   │ x\nend",
        );
        check(
            "|a|b|\n|--|--|\n|one two three|x|",
            11,
            "[a       │ b]\n(────────┼──)\none two │ x\nthree   │  ",
        );
        check("| no | table", 40, "| no | table");
        check("```\n|a|\n|--|\n```", 40, "    |a|\n    |--|");
    }

    #[test]
    fn a_piece_goes_on_where_the_one_before_it_ended() {
        let (one, two) = ("a\n```\n**b**\n", "**c**\n```\n**d**\n");
        let joined = Markdown::default().lines(&format!("{one}{two}"), 30);
        let mut pieces = Markdown::default().lines(one, 30);
        pieces.extend(Markdown::default().after(one).lines(two, 30));
        assert_eq!(joined, pieces);
    }

    #[test]
    fn weight_goes_on_over_a_line_break() {
        check("one **two three four** five six seven", 16, "one [two three]\n[four] five six\nseven");
    }

    proptest! {
        #[test]
        fn all_fits(text in "[-a#*`_>\\\\ 漢1.|:()\\[\\]\n]{0,60}", columns in 24_usize..40) {
            for line in Markdown::default().lines(&text, columns) {
                let line: String = line.into_iter().map(|(_, text)| text).collect();
                // Tables with many columns keep three characters per column and may run over the edge.
                prop_assert!(width(&line) <= columns || line.contains(['│', '┼']), "{:?}", line);
            }
        }

        #[test]
        fn no_text_panics_and_no_word_is_lost(text in "[-a#*`_>\\\\ 漢1.\n]{0,60}", columns in 0_usize..30) {
            let lines = Markdown::default().lines(&text, columns);
            let lines: String = lines.into_iter().flatten().map(|(_, text)| text).collect();
            let letters = |text: &str| text.chars().filter(|c| "a漢".contains(*c)).count();
            // Only the lines that open or close a fence are left out.
            let fences = |line: &&str| line.trim_start().starts_with("```");
            let left_out: usize = text.lines().filter(fences).map(letters).sum();
            prop_assert_eq!(letters(&lines) + left_out, letters(&text));
        }
    }
}
