//! Shows grouped results as bars: a few lines that each end in a number make a table worth drawing.

use crate::inbox::Block;
use crate::text::Visible;

/// The fewest and most lines for bars, and the length of the longest bar.
const FEWEST: usize = 2;
const MOST: usize = 30;
const LONGEST: f64 = 24.0;
/// The partial blocks a bar may end with.
const PARTS: [char; 8] =
    ['\u{2588}', '\u{258f}', '\u{258e}', '\u{258d}', '\u{258c}', '\u{258b}', '\u{258a}', '\u{2589}'];

/// Bars for the printed text, if all of it is names with numbers worth comparing.
pub(super) fn of(printed: &str) -> Option<Block> {
    let mut lines: Vec<&str> = printed.lines().filter(|line| !line.trim().is_empty()).collect();
    // pandas prints these above and below a series.
    if lines.last().is_some_and(|line| line.starts_with("Name: ") || line.starts_with("dtype: ")) {
        lines.pop();
        if lines.first().is_some_and(|line| row(line).is_none()) {
            lines.remove(0);
        }
    }
    if !(FEWEST..=MOST).contains(&lines.len()) {
        return None;
    }
    let rows: Vec<(&str, f64)> = lines.iter().map(|line| row(line)).collect::<Option<_>>()?;
    let most = rows.iter().map(|(_, number)| *number).fold(0.0, f64::max);
    if most <= 0.0 || rows.iter().any(|(_, number)| *number < 0.0) {
        return None;
    }
    let head = ["group", "number", ""].map(Visible::line).to_vec();
    let cells = rows.iter().zip(&lines).map(|((name, number), line)| {
        let said = line.trim().rsplit(char::is_whitespace).next().unwrap_or_default();
        vec![Visible::line(name), Visible::line(said), Visible::line(&bar(number / most))]
    });
    Some(Block::Table { head, rows: cells.collect() })
}

/// A name and the number after it.
fn row(line: &str) -> Option<(&str, f64)> {
    let (name, number) = line.trim().rsplit_once(char::is_whitespace)?;
    let name = name.trim().trim_end_matches([':', '=', '|']).trim();
    let number = number.trim_end_matches(['%', '\u{20ac}']).replace(',', "");
    let plain = number.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let number = number.parse::<f64>().ok().filter(|number| plain && number.is_finite())?;
    (!name.is_empty() && name.chars().any(char::is_alphanumeric)).then_some((name, number))
}

fn bar(share: f64) -> String {
    let eighths = (share * LONGEST * 8.0).round().clamp(0.0, LONGEST * 8.0) as usize;
    let mut bar: String = std::iter::repeat_n(PARTS[0], eighths / 8).collect();
    if let part @ 1.. = eighths % 8 {
        bar.push(PARTS[part]);
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(printed: &str) -> Option<Vec<Vec<String>>> {
        let Block::Table { rows, .. } = of(printed)? else { panic!() };
        Some(rows.iter().map(|row| row.iter().map(|cell| cell.as_str().to_owned()).collect()).collect())
    }

    #[test]
    fn groups_with_numbers_are_bars_and_nothing_else_is() {
        let rows = drawn("North: 180\nSouth: 90\nEast: 1,440.0\n").unwrap();
        assert_eq!(rows[2], ["East", "1,440.0", &"\u{2588}".repeat(24)]);
        assert_eq!(rows[0], ["North", "180", &"\u{2588}".repeat(3)]);
        assert_eq!(rows[1][2], "\u{2588}\u{258c}");
        let series = "Region\nEast     900\nNorth    180\nName: Amount, dtype: int64\n";
        assert_eq!(drawn(series).unwrap().len(), 2);
        for other in
            ["North 180", "The total is 5\nNothing else.", "a -1\nb 2", "a 0\nb 0", "2026 1\n2027 x", ""]
        {
            assert_eq!(drawn(other), None, "{other}");
        }
    }
}
