//! Tables for people: aligned, and cut to the terminal's width in the one flexible column.

use super::output::Format;
use crate::text::{Visible, pad, truncate, width};

const GAP: &str = "  ";

/// The flexible column keeps at least this many columns; on a narrower page, lines are too long.
const LEAST: usize = 12;

#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    head: &'static str,
    fit: Fit,
}

/// How the width of a column is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fit {
    /// As wide as its widest cell.
    Full,
    /// Like `Full`, aligned right.
    Right,
    /// Cut if the page is too narrow.
    Cut,
    /// A name: at most a quarter of the page if that is too narrow.
    Name,
}

/// A column as wide as its widest cell.
pub(super) const fn full(head: &'static str) -> Column {
    Column { head, fit: Fit::Full }
}

/// A column of numbers.
pub(super) const fn right(head: &'static str) -> Column {
    Column { head, fit: Fit::Right }
}

/// A column of names, which may be long.
pub(super) const fn name(head: &'static str) -> Column {
    Column { head, fit: Fit::Name }
}

/// The column that is cut if the page is too narrow.
pub(super) const fn cut(head: &'static str) -> Column {
    Column { head, fit: Fit::Cut }
}

/// The table, one line per row, with a heading line.
pub(super) fn table<const N: usize>(format: &Format, columns: [Column; N], rows: &[[String; N]]) -> String {
    let heads = columns.map(|column| column.head.to_owned());
    let cells: Vec<[Visible; N]> = std::iter::once(&heads)
        .chain(rows)
        .map(|row| row.each_ref().map(|cell| Visible::line(cell)))
        .collect();
    let mut widths = [0; N];
    for row in &cells {
        for (widest, cell) in widths.iter_mut().zip(row) {
            *widest = width(cell).max(*widest);
        }
    }
    if let Some(width) = format.width {
        let too_wide = |widths: &[usize; N]| {
            (widths.iter().sum::<usize>() + GAP.len() * N.saturating_sub(1)).saturating_sub(width)
        };
        if too_wide(&widths) > 0 {
            let names = columns.iter().zip(&mut widths).filter(|(column, _)| column.fit == Fit::Name);
            names.for_each(|(_, widest)| *widest = (*widest).min(width / 4).max(LEAST.min(*widest)));
        }
        let over = too_wide(&widths);
        for (column, widest) in columns.iter().zip(&mut widths) {
            if column.fit == Fit::Cut {
                *widest = widest.saturating_sub(over).max(LEAST.min(*widest));
            }
        }
    }
    let mut out = String::new();
    for row in &cells {
        let line: Vec<String> = columns
            .iter()
            .zip(row)
            .zip(widths)
            .map(|((column, cell), columns)| match column.fit {
                Fit::Full | Fit::Cut | Fit::Name => pad(cell, columns),
                Fit::Right => {
                    let cell = truncate(cell, columns);
                    format!("{}{cell}", " ".repeat(columns.saturating_sub(width(&cell))))
                }
            })
            .collect();
        out.push_str(line.join(GAP).trim_end());
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::tz::TimeZone;

    fn drawn(width: Option<usize>) -> String {
        let mut format = Format::new(false, TimeZone::UTC);
        format.width = width;
        let columns = [full("ID"), right("N"), cut("TITLE")];
        let rows = [
            ["i1".to_owned(), "7".to_owned(), "漢字 and a rather long title".to_owned()],
            ["i22".to_owned(), "12".to_owned(), "short\n\u{7}".to_owned()],
        ];
        table(&format, columns, &rows)
    }

    #[test]
    fn columns_line_up() {
        assert_eq!(
            drawn(None),
            "ID    N  TITLE\ni1    7  漢字 and a rather long title\ni22  12  short ⟨U+0007⟩\n"
        );
    }

    #[test]
    fn the_flexible_column_is_cut() {
        assert_eq!(drawn(Some(24)), "ID    N  TITLE\ni1    7  漢字 and a rat…\ni22  12  short ⟨U+0007⟩\n");
        assert!(drawn(Some(1)).contains("漢字 and a …"));
    }

    #[test]
    fn a_name_of_180_letters_leaves_room_for_the_rest() {
        let mut format = Format::new(false, TimeZone::UTC);
        format.width = Some(80);
        let columns = [full("ID"), full("ACTION"), name("FROM"), right("AGE"), cut("TITLE")];
        let row = |from: String| {
            let rest = ["i3wtb5yrt", "answer_invitation", "12m", "Could you answer until Friday?"];
            let [id, action, age, title] = rest.map(str::to_owned);
            [id, action, from, age, title]
        };
        let rows = [row("Long name ".repeat(18)), row("Ines".to_owned())];
        let drawn = table(&format, columns, &rows);
        assert!(drawn.lines().all(|line| width(line) <= 80), "{drawn}");
        assert!(drawn.contains("Long name Long name…"), "{drawn}");
        assert!(drawn.contains("Could you answer"), "{drawn}");
        format.width = None;
        assert!(table(&format, columns, &rows).contains(&"Long name ".repeat(17)), "a pipe gets all of it");
    }
}
