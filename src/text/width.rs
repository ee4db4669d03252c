//! How many columns text takes, and how to cut and pad it to fit.
//!
//! Promises: what is drawn as one (a letter with its marks, a family emoji) is measured and cut as one; tabs reach to
//! the next stop. Does not make text safe: measure text that is already [`Visible`](super::Visible). Does not expect
//! newlines; see [`wrap`](super::wrap()).

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Columns from one tab stop to the next.
pub const TAB_STOP: usize = 4;

/// The columns `line` takes if it starts at the left edge.
pub fn width(line: &str) -> usize {
    clusters(line).fold(0, |column, cluster| column + cluster.width_at(column))
}

/// `line` if it fits into `columns`, else as much of its start as fits before an ellipsis.
pub fn truncate(line: &str, columns: usize) -> Cow<'_, str> {
    let mut column = 0;
    let mut end = 0;
    // Where to cut if the whole line does not fit: the last place that leaves a column for the ellipsis.
    let mut cut = 0;
    for cluster in clusters(line) {
        column += cluster.width_at(column);
        if column > columns {
            return if columns == 0 { "".into() } else { format!("{}…", &line[..cut]).into() };
        }
        end += cluster.text.len();
        if column < columns {
            cut = end;
        }
    }
    line.into()
}

/// `line` if it fits into `columns`, else as many of its words as fit before an ellipsis. Only a first word that is too
/// long is cut.
pub fn truncate_words(line: &str, columns: usize) -> Cow<'_, str> {
    let cut = match truncate(line, columns) {
        Cow::Borrowed(line) => return line.into(),
        Cow::Owned(cut) => cut,
    };
    let start = cut.strip_suffix('…').unwrap_or(&cut);
    let ends_at_word = line[start.len()..].starts_with(' ');
    let words = if ends_at_word { Some(start) } else { start.rfind(' ').map(|at| &start[..at]) };
    let words = words.map(|words| words.trim_end_matches([' ', '·', ',', ':', ';', '–', '-', '“']));
    match words.filter(|words| !words.is_empty()) {
        Some(words) => format!("{words}…").into(),
        None => cut.into(),
    }
}

/// `line` truncated or filled with spaces on the right, so that it takes exactly `columns`. Tabs become spaces.
pub fn pad(line: &str, columns: usize) -> String {
    let mut padded = expand_tabs(&truncate(line, columns)).into_owned();
    let missing = columns.saturating_sub(width(&padded));
    padded.extend(std::iter::repeat_n(' ', missing));
    padded
}

/// Shrinks a table's columns, widest first, until they fit with three columns between them.
pub fn fit(mut widths: Vec<usize>, columns: usize) -> Vec<usize> {
    widths.iter_mut().for_each(|wide| *wide = (*wide).min(columns.max(1)));
    let between = widths.len().saturating_sub(1) * 3;
    while widths.iter().sum::<usize>() + between > columns {
        match widths.iter_mut().max() {
            Some(widest) if *widest > 3 => *widest -= 1,
            _ => break,
        }
    }
    widths
}

/// `line` with spaces for tabs, for a screen without tab stops.
pub fn expand_tabs(line: &str) -> Cow<'_, str> {
    if !line.contains('\t') {
        return line.into();
    }
    let mut expanded = String::with_capacity(line.len() + 4 * TAB_STOP);
    let mut column = 0;
    for cluster in clusters(line) {
        let width = cluster.width_at(column);
        match cluster.text {
            "\t" => expanded.extend(std::iter::repeat_n(' ', width)),
            text => expanded.push_str(text),
        }
        column += width;
    }
    expanded.into()
}

/// A grapheme cluster, which is drawn as one, and the columns it takes.
#[derive(Clone, Copy)]
pub(super) struct Cluster<'a> {
    pub(super) text: &'a str,
    width: usize,
}

impl Cluster<'_> {
    /// The columns it takes when drawn at `column`; only tabs depend on it.
    pub(super) fn width_at(&self, column: usize) -> usize {
        if self.text == "\t" { TAB_STOP - column % TAB_STOP } else { self.width }
    }
}

/// Iterates over the clusters of `text` lazily.
pub(super) fn clusters(text: &str) -> impl Iterator<Item = Cluster<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (text, width) = match rest.as_bytes() {
            [] => return None,
            // A letter followed by ASCII has no marks, so there is no cluster to look up.
            [b' '..=b'~'] | [b' '..=b'~', 0..=0x7F, ..] => (&rest[..1], 1),
            _ => {
                let cluster = rest.graphemes(true).next()?;
                (cluster, if matches!(cluster, "\n" | "\r\n") { 0 } else { cluster.width() })
            }
        };
        rest = &rest[text.len()..];
        Some(Cluster { text, width })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sentences_are_cut_between_words() {
        for (line, columns, expected) in [
            ("Sent to Ines", 12, "Sent to Ines"),
            ("Sent to Ines", 11, "Sent to…"),
            ("Sent to Ines", 9, "Sent to…"),
            ("Sent to Ines", 8, "Sent to…"),
            ("Sent to Ines", 7, "Sent…"),
            ("Accepted · u undoes it", 12, "Accepted…"),
            ("Donaudampfschiff", 6, "Donau…"),
            ("漢字 漢字", 8, "漢字…"),
            ("Sent", 0, ""),
        ] {
            assert_eq!(truncate_words(line, columns), expected, "{line} {columns}");
        }
    }

    #[test]
    fn widths() {
        for (line, columns) in [
            ("", 0),
            ("abc", 3),
            ("e\u{301}", 1),
            ("漢字", 4),
            ("한국", 4),
            ("ᄒ\u{1161}\u{11AB}", 2),
            ("👍🏽", 2),
            ("👩‍👩‍👧‍👦!", 3),
            ("🇫🇷", 2),
            ("❤️", 2),
            ("⟨U+202E⟩", 8),
            ("\t", 4),
            ("a\tb", 5),
            ("漢\t\tx", 9),
            ("כן", 2),
        ] {
            assert_eq!(width(line), columns, "{line:?}");
        }
    }

    #[test]
    fn cutting() {
        for (line, columns, expected) in [
            ("hello", 5, "hello"),
            ("hello", 4, "hel…"),
            ("hello", 1, "…"),
            ("hello", 0, ""),
            ("", 0, ""),
            ("漢字", 4, "漢字"),
            ("漢字", 3, "漢…"),
            ("漢字", 2, "…"),
            ("漢", 1, "…"),
            ("ae\u{301}\u{302}io", 3, "ae\u{301}\u{302}…"),
            ("👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 3, "👩‍👩‍👧‍👦…"),
            ("a\tb", 4, "a…"),
        ] {
            assert_eq!(truncate(line, columns), expected, "{line:?} to {columns}");
        }
    }

    #[test]
    fn filling() {
        assert_eq!(pad("ab", 4), "ab  ");
        assert_eq!(pad("漢字", 3), "漢…");
        assert_eq!(pad("漢字", 6), "漢字  ");
        assert_eq!(pad("a\tb", 6), "a   b ");
        assert_eq!(pad("a", 0), "");
    }

    #[test]
    fn tabs_reach_the_next_stop() {
        assert_eq!(expand_tabs("\ta\tbcd\t"), "    a   bcd ");
        assert!(matches!(expand_tabs("none"), Cow::Borrowed(_)));
    }

    proptest! {
        #[test]
        fn a_cut_fits_and_never_splits(line in "[a \t漢e\u{301}👩\u{200D}🇫\u{FE0F}\u{94D}क]{0,30}", columns in 0_usize..20) {
            let cut = truncate(&line, columns);
            prop_assert!(width(&cut) <= columns);
            prop_assert_eq!(width(&line) <= columns, cut == line);
            let start = cut.strip_suffix('…').unwrap_or(&cut);
            prop_assert!(line.starts_with(start));
            let ends: Vec<usize> = std::iter::once(0).chain(line.grapheme_indices(true).map(|(at, g)| at + g.len())).collect();
            prop_assert!(ends.contains(&start.len()));
        }

        #[test]
        fn a_padded_line_is_exact(line in "[a \t漢e\u{301}👩]{0,30}", columns in 0_usize..20) {
            prop_assert_eq!(width(&pad(&line, columns)), columns);
        }

        #[test]
        fn expanding_keeps_the_width(line in "[a \t漢e\u{301}]{0,30}") {
            prop_assert_eq!(width(&expand_tabs(&line)), width(&line));
        }

        #[test]
        fn clusters_are_those_of_unicode(line in any::<String>()) {
            let ours: Vec<&str> = clusters(&line).map(|cluster| cluster.text).collect();
            prop_assert_eq!(ours, line.graphemes(true).collect::<Vec<_>>());
        }
    }
}
