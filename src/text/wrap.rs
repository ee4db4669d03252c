//! Breaks text into lines that fit, one line at a time.
//!
//! Promises: each line is a slice of the text and fits its width; nothing is lost except white space at a break; linear
//! time, and reading only as far as the requested lines, so the first screen of a 50 MB mail costs one screen.
//! Indentation at the start of a line stays. Does not justify or hyphenate, and indents continuation lines only for
//! code ([`wrap_code`]).
//!
//! Lines break at spaces, and between wide characters (Chinese, Japanese and Korean have few spaces), but not before
//! closing or after opening punctuation. A word longer than a whole line is broken after a slash, or else at the end of
//! the line.

use super::width::{Cluster, clusters, pad, width};

/// The lines of `text`, none wider than `columns`, unless a single character needs more.
pub fn wrap(text: &str, columns: usize) -> Wrap<'_> {
    Wrap { text, at: 0, columns: columns.max(1) }
}

/// The lines of a table's row with columns of these widths: cells that do not fit wrap.
pub fn table_row(cells: &[String], widths: &[usize]) -> Vec<String> {
    let text = |n: usize| cells.get(n).map_or("", String::as_str);
    let wrapped: Vec<Vec<&str>> =
        widths.iter().enumerate().map(|(n, wide)| wrap(text(n), *wide).collect()).collect();
    let height = wrapped.iter().map(Vec::len).max().unwrap_or(0).max(1);
    let line = |n: usize| {
        let part = |(cell, wide): (&Vec<&str>, &usize)| pad(cell.get(n).copied().unwrap_or_default(), *wide);
        wrapped.iter().zip(widths).map(part).collect::<Vec<_>>().join(" │ ")
    };
    (0..height).map(line).collect()
}

/// The lines of a text, found on demand. Made by [`wrap`].
#[derive(Clone, Debug)]
pub struct Wrap<'a> {
    text: &'a str,
    at: usize,
    columns: usize,
}

impl<'a> Iterator for Wrap<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.at == self.text.len() {
            return None;
        }
        let rest = &self.text[self.at..];
        let line = at_a_good_place(rest, first_line(rest, self.columns), &['/']);
        self.at += line.next;
        Some(&rest[..line.end])
    }
}

impl std::iter::FusedIterator for Wrap<'_> {}

/// Like [`wrap`], but the continuation of a quoted line starts with its mark (`> `), which comes before each line.
pub fn wrap_quoted(text: &str, columns: usize) -> WrapQuoted<'_> {
    WrapQuoted { text, at: 0, columns: columns.max(1), mark: "" }
}

/// The lines of a text with the marks to repeat before them, found on demand. Made by [`wrap_quoted`].
#[derive(Clone, Debug)]
pub struct WrapQuoted<'a> {
    text: &'a str,
    at: usize,
    columns: usize,
    /// The mark of the line being broken.
    mark: &'a str,
}

impl<'a> Iterator for WrapQuoted<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        if self.at == self.text.len() {
            return None;
        }
        let rest = &self.text[self.at..];
        let mark = if self.at == 0 || self.text[..self.at].ends_with('\n') {
            self.mark = quote_mark(rest, self.columns / 2);
            ""
        } else {
            self.mark
        };
        let line = at_a_good_place(rest, first_line(rest, self.columns - mark.len()), &['/']);
        self.at += line.next;
        Some((mark, &rest[..line.end]))
    }
}

/// The mark of a quoted line, or nothing if it would take more than `most` columns.
fn quote_mark(line: &str, most: usize) -> &str {
    let marks = line.bytes().take(most + 1).take_while(|byte| matches!(byte, b'>' | b' ')).count();
    if line.starts_with('>') && marks <= most { &line[..marks] } else { "" }
}

/// How much further continuation lines of code are indented than the first.
const CONTINUATION_INDENT: usize = 2;

/// A word of code that is too long is best broken after one of these.
const CODE_BREAKS: [char; 11] = [',', ';', '(', '[', '{', '/', '&', '|', '=', ':', '.'];

/// Splits a line of code into parts that fit `columns`, each with its inset; continuation lines are set in further. A
/// word that is too long is broken after a comma, bracket, slash or similar, if it has one.
pub fn wrap_code(line: &str, columns: usize) -> Vec<(usize, &str)> {
    let columns = columns.max(1);
    let indent = width(&line[..line.len() - line.trim_start_matches([' ', '\t']).len()]);
    let further = (indent + CONTINUATION_INDENT).min(columns / 2);
    let (mut parts, mut at) = (Vec::new(), 0);
    while at < line.len() {
        let inset = if at == 0 { 0 } else { further };
        let rest = &line[at..];
        let cut = at_a_good_place(rest, first_line(rest, columns - inset), &CODE_BREAKS);
        parts.push((inset, &rest[..cut.end]));
        at += cut.next;
    }
    parts
}

/// The cut, or an earlier one after one of the `marks` if this one splits a word.
fn at_a_good_place(text: &str, cut: LineBreak, marks: &[char]) -> LineBreak {
    if cut.end < cut.next || cut.next == text.len() {
        return cut;
    }
    let word = text[..cut.end].rfind([' ', '\t']).map_or(0, |space| space + 1);
    let after = text[word..cut.end].rfind(marks);
    // Breaking too early would leave most of the line empty.
    match after.map(|at| word + at + 1).filter(|end| *end * 2 >= cut.end) {
        Some(end) => LineBreak { end, next: end },
        None => cut,
    }
}

/// The end of a line and the start of the next one; only white space lies between.
#[derive(Clone, Copy)]
struct LineBreak {
    end: usize,
    next: usize,
}

/// The first line of `text`. Each character is read in a few calls at most: a word that did not fit is read again as
/// the start of its own line, where it fits or is broken.
fn first_line(text: &str, columns: usize) -> LineBreak {
    let mut at = 0;
    let mut column = 0;
    let mut fits = 0; // everything up to here fits, trailing spaces included
    let mut word_end = 0; // the end of the last word; 0 while there is only indentation
    let mut chance: Option<LineBreak> = None; // the last place where the line may break
    let mut before: Option<Cluster<'_>> = None;

    for cluster in clusters(text) {
        let end = at + cluster.text.len();
        if is_newline(cluster.text) {
            return LineBreak { end: fits, next: end };
        }
        column += cluster.width_at(column);
        if is_space(cluster.text) {
            if column <= columns {
                fits = end;
            }
        } else {
            if word_end > 0 && before.is_some_and(|before| may_break(before, cluster)) {
                chance = Some(LineBreak { end: word_end, next: at });
            }
            if column > columns {
                let forced =
                    if at == 0 { LineBreak { end, next: end } } else { LineBreak { end: fits, next: at } };
                return chance.unwrap_or(forced);
            }
            word_end = end;
            fits = end;
        }
        before = Some(cluster);
        at = end;
    }
    LineBreak { end: fits, next: at }
}

fn is_newline(cluster: &str) -> bool {
    matches!(cluster, "\n" | "\r\n")
}

/// Whether a line may break here and drop the cluster. No-break spaces are excluded on purpose.
fn is_space(cluster: &str) -> bool {
    cluster.chars().all(|c| matches!(c, ' ' | '\t' | '\u{1680}' | '\u{2000}'..='\u{2006}' | '\u{2008}'..='\u{200A}' | '\u{205F}' | '\u{3000}'))
}

fn may_break(before: Cluster<'_>, after: Cluster<'_>) -> bool {
    if is_space(before.text) {
        return true;
    }
    let is_wide = |cluster: Cluster<'_>| cluster.width_at(0) > 1;
    (is_wide(before) || is_wide(after))
        && !before.text.ends_with(is_opening)
        && !after.text.starts_with(is_closing)
}

fn is_opening(c: char) -> bool {
    "([{‘“⟨「『【〈《〔（［｛".contains(c)
}

fn is_closing(c: char) -> bool {
    ")]}’”⟩」』】〉》〕）］｝、。，．：；！？!?,.:;ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ".contains(c)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_line_of_a_program_goes_on_further_in() {
        let code = |line: &'static str, columns| wrap_code(line, columns);
        assert_eq!(code("", 10), []);
        assert_eq!(code("short()", 10), [(0, "short()")]);
        assert_eq!(
            code("    total = first + second + third", 20),
            [(0, "    total = first +"), (6, "second + third")]
        );
        assert_eq!(
            code("  call(alpha,beta,gamma,delta)", 16),
            [(0, "  call(alpha,"), (4, "beta,gamma,"), (4, "delta)")]
        );
        assert_eq!(code("cd /usr/share/doc/sayso", 14), [(0, "cd"), (2, "/usr/share/"), (2, "doc/sayso")]);
        assert_eq!(code("aaaaaaaaaaaa", 5), [(0, "aaaaa"), (2, "aaa"), (2, "aaa"), (2, "a")]);
        assert_eq!(code("ab", 1), [(0, "a"), (0, "b")]);
        assert_eq!(code("                deep(a, b)", 12), [(0, "            "), (6, "deep("), (6, "a, b)")]);
    }

    #[test]
    fn a_quoted_line_keeps_its_mark() {
        let quoted = |text: &'static str, columns| wrap_quoted(text, columns).collect::<Vec<_>>();
        assert_eq!(
            quoted("> one two three\nfour five six\n>> seven eight", 10),
            [
                ("", "> one two"),
                ("> ", "three"),
                ("", "four five"),
                ("", "six"),
                ("", ">> seven"),
                (">> ", "eight")
            ]
        );
        assert_eq!(quoted(">>>> a b", 6), [("", ">>>> a"), ("", "b")], "the mark would leave no room");
        assert_eq!(quoted(">", 1), [("", ">")]);
        assert_eq!(quoted("", 4), []);
    }

    #[track_caller]
    fn check(text: &str, columns: usize, expected: &[&str]) {
        assert_eq!(wrap(text, columns).collect::<Vec<_>>(), expected, "{text:?} at {columns}");
    }

    #[test]
    fn words() {
        check("", 5, &[]);
        check("hello", 5, &["hello"]);
        check("hello world", 5, &["hello", "world"]);
        check("hello world", 6, &["hello", "world"]);
        check("hello world", 11, &["hello world"]);
        check("a b c d", 3, &["a b", "c d"]);
        check("a    b", 3, &["a", "b"]);
        check("one two  three", 8, &["one two", "three"]);
    }

    #[test]
    fn newlines() {
        check("a\nb", 5, &["a", "b"]);
        check("a\n\nb\n", 5, &["a", "", "b"]);
        check("\n", 5, &[""]);
        check("a\r\nb", 5, &["a", "b"]);
        check("hello world\nx", 5, &["hello", "world", "x"]);
    }

    #[test]
    fn long_words() {
        check("abcdefgh", 3, &["abc", "def", "gh"]);
        check("x abcdefgh", 3, &["x", "abc", "def", "gh"]);
        check("abcdefgh x", 3, &["abc", "def", "gh", "x"]);
        check("ab", 0, &["a", "b"]);
    }

    #[test]
    fn a_path_is_broken_after_a_slash() {
        check("/demo/sheets/orders.xlsx", 22, &["/demo/sheets/", "orders.xlsx"]);
        check("see /demo/sheets/orders.xlsx", 22, &["see", "/demo/sheets/", "orders.xlsx"]);
        check("a/averylongname", 10, &["a/averylon", "gname"]);
        check("and/or 漢字漢字", 10, &["and/or 漢", "字漢字"]);
    }

    #[test]
    fn indentation_and_trailing_space() {
        check("  a b", 3, &["  a", "b"]);
        check("\tab cd", 7, &["\tab", "cd"]);
        check("      word", 4, &["    ", "word"]);
        check("  toolong", 5, &["  too", "long"]);
        check("ab  ", 4, &["ab  "]);
        check("ab    \ncd", 3, &["ab ", "cd"]);
        check("     ", 3, &["   "]);
    }

    #[test]
    fn wide_text() {
        check("漢字漢字", 4, &["漢字", "漢字"]);
        check("漢字漢字", 5, &["漢字", "漢字"]);
        check("漢字。漢", 4, &["漢", "字。", "漢"]);
        check("漢「字」", 4, &["漢", "「字", "」"]);
        check("ab漢字", 3, &["ab", "漢", "字"]);
        check("漢", 1, &["漢"]);
        check("漢\u{3000}字", 4, &["漢", "字"]);
        check("안녕 세상", 4, &["안녕", "세상"]);
    }

    #[test]
    fn what_is_drawn_as_one_stays_one() {
        check("👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 2, &["👩‍👩‍👧‍👦", "👩‍👩‍👧‍👦"]);
        check("e\u{301}e\u{301}", 1, &["e\u{301}", "e\u{301}"]);
        check("a\u{A0}b c", 3, &["a\u{A0}b", "c"]);
    }

    #[test]
    fn the_first_lines_of_a_long_text_are_cheap() {
        // 20 MB on one line: reading it all a thousand times would take far too long for a test.
        let text = "word ".repeat(4_000_000);
        for _ in 0..1000 {
            assert_eq!(wrap(&text, 40).take(20).count(), 20);
        }
        assert_eq!(wrap(&" ".repeat(1_000_000), 10).count(), 1);
        assert_eq!(wrap(&"x".repeat(1_000_000), 10).count(), 100_000);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn nothing_is_lost_and_all_fits(text in "([ab]{0,9}|[ \t\n漢字。「e\u{301}👩]{0,4}){0,12}", columns in 1_usize..12) {
            let mut end = 0;
            for line in wrap(&text, columns) {
                let start = line.as_ptr() as usize - text.as_ptr() as usize;
                prop_assert!(start >= end && text[end..start].trim().is_empty());
                prop_assert!(!line.contains('\n'));
                prop_assert!(width(line) <= columns || clusters(line).count() == 1, "{:?}", line);
                end = start + line.len();
            }
            prop_assert!(text[end..].trim().is_empty());
            prop_assert!(wrap(&text, columns).count() >= text.lines().count());
        }

        #[test]
        fn no_text_panics(text in any::<String>(), columns in 0_usize..9) {
            prop_assert!(wrap(&text, columns).count() <= text.len());
            prop_assert!(wrap_quoted(&text, columns).count() <= text.len());
        }
    }
}
