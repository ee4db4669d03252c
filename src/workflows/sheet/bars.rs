//! Shows grouped results as bars: a few lines that each end in a number make a table worth drawing. A line that only
//! says what was left out is no reason against it.

use crate::inbox::Block;
use crate::text::Visible;

/// The fewest and most lines for bars, and the length of the longest bar.
const MIN_BARS: usize = 2;
const MAX_BARS: usize = 30;
const MAX_BAR_LENGTH: f64 = 24.0;
/// The partial blocks a bar may end with.
const PARTS: [char; 8] =
    ['\u{2588}', '\u{258f}', '\u{258e}', '\u{258d}', '\u{258c}', '\u{258b}', '\u{258a}', '\u{2589}'];

/// Bars for the printed text, if all of it is names with numbers worth comparing.
pub(super) fn from_text(printed: &str) -> Option<Block> {
    let is_left_out_note = |line: &str| line.starts_with("Left out: ") && row(line).is_none();
    let mut lines: Vec<&str> =
        printed.lines().filter(|line| !line.trim().is_empty() && !is_left_out_note(line)).collect();
    let (mut group, mut number) = ("", "");
    let first = lines.first().copied().filter(|line| row(line).is_none() && !lacks_number(line));
    let is_series_footer = |line: &&str| line.starts_with("Name: ") || line.starts_with("dtype: ");
    if let Some(last) = lines.last().copied().filter(is_series_footer) {
        // pandas prints these above and below a series.
        let name_and_type = last.strip_prefix("Name: ").and_then(|rest| rest.rsplit_once(", dtype: "));
        number = name_and_type.map_or("", |(name, _)| name);
        lines.pop();
        if let Some(first) = first {
            group = first.trim();
            lines.remove(0);
        }
    } else if let Some(names) = first.and_then(|line| line.split_once(": "))
        && lines.iter().all(|line| line.contains(':'))
    {
        (group, number) = names;
        lines.remove(0);
    }
    if !(MIN_BARS..=MAX_BARS).contains(&lines.len()) {
        return None;
    }
    let rows: Vec<(&str, f64)> = lines.iter().map(|line| row(line)).collect::<Option<_>>()?;
    let max = rows.iter().map(|(_, number)| *number).fold(0.0, f64::max);
    if max <= 0.0 || rows.iter().any(|(_, number)| *number < 0.0) {
        return None;
    }
    let head = [group.trim(), number.trim(), ""].map(Visible::line).to_vec();
    let number_texts: Vec<&str> =
        lines.iter().map(|line| line.trim().rsplit(char::is_whitespace).next().unwrap_or_default()).collect();
    let cells = rows.iter().zip(align_numbers(&number_texts)).map(|((name, number), aligned)| {
        vec![Visible::line(name), Visible::line(&aligned), Visible::line(&bar(number / max))]
    });
    Some(Block::Table { head, rows: cells.collect() })
}

/// The numbers as printed, to the right, plain ones with the same number of decimals.
fn align_numbers(texts: &[&str]) -> Vec<String> {
    let is_plain = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '-');
    let decimals = |number: &str| number.split_once('.').map_or(0, |(_, after)| after.len());
    let max_decimals = if texts.iter().all(|number| number.chars().all(is_plain)) {
        texts.iter().map(|number| decimals(number)).max().unwrap_or(0)
    } else {
        0
    };
    let pad_decimals = |number: &&str| match max_decimals.saturating_sub(decimals(number)) {
        0 => (*number).to_owned(),
        missing => {
            let point = if number.contains('.') { "" } else { "." };
            format!("{number}{point}{}", "0".repeat(missing))
        }
    };
    let numbers: Vec<String> = texts.iter().map(pad_decimals).collect();
    let widest = numbers.iter().map(|number| number.chars().count()).max().unwrap_or(0);
    numbers.iter().map(|number| format!("{number:>widest$}")).collect()
}

/// A name and the number after it.
fn row(line: &str) -> Option<(&str, f64)> {
    let (name, number) = line.trim().rsplit_once(char::is_whitespace)?;
    let name = name.trim().trim_end_matches([':', '=', '|']).trim();
    let number = number.trim_end_matches(['%', '\u{20ac}']).replace(',', "");
    let is_plain = number.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let number = number.parse::<f64>().ok().filter(|number| is_plain && number.is_finite())?;
    (!name.is_empty() && name.chars().any(char::is_alphanumeric)).then_some((name, number))
}

/// Whether the line stands for a name without a number, so that it is no heading.
fn lacks_number(line: &str) -> bool {
    let last = line.trim().rsplit(|c: char| c.is_whitespace() || c == ':').next().unwrap_or_default();
    let value = last.trim_matches(['+', '-', '<', '>']).to_lowercase();
    matches!(value.as_str(), "" | "nan" | "nat" | "na" | "n/a" | "none" | "null" | "inf" | "infinity")
}

fn bar(share: f64) -> String {
    let eighths = (share * MAX_BAR_LENGTH * 8.0).round().clamp(0.0, MAX_BAR_LENGTH * 8.0) as usize;
    let mut bar: String = std::iter::repeat_n(PARTS[0], eighths / 8).collect();
    if let part @ 1.. = eighths % 8 {
        bar.push(PARTS[part]);
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar_rows(printed: &str) -> Option<Vec<Vec<String>>> {
        let Block::Table { rows, .. } = from_text(printed)? else { panic!() };
        Some(rows.iter().map(|row| row.iter().map(|cell| cell.as_str().to_owned()).collect()).collect())
    }

    #[test]
    fn groups_with_numbers_are_bars_and_nothing_else_is() {
        let rows = bar_rows("North: 180\nSouth: 90\nEast: 1,440.0\n").unwrap();
        assert_eq!(rows[2], ["East", "1,440.0", &"\u{2588}".repeat(24)]);
        assert_eq!(rows[0], ["North", "  180.0", &"\u{2588}".repeat(3)]);
        assert_eq!(rows[1][2], "\u{2588}\u{258c}");
        let series = "Region\nEast     900\nNorth    180\nName: Amount, dtype: int64\n";
        assert_eq!(bar_rows(series).unwrap().len(), 2);
        let left_out = "North: 15\nSouth: 7\nLeft out: East (no number in Amount)\nLeft out: 1 value in Amount that is \
                        not a number: “n/a” (row 3)\n";
        assert_eq!(bar_rows(left_out).unwrap().len(), 2);
        for other in
            ["North 180", "The total is 5\nNothing else.", "a -1\nb 2", "a 0\nb 0", "2026 1\n2027 x", ""]
        {
            assert_eq!(bar_rows(other), None, "{other}");
        }
    }

    #[test]
    fn a_row_without_a_number_is_no_heading() {
        for value in ["nan", "NaN", "None", "null", "n/a", "<NA>", "-inf", "-", ""] {
            let printed = format!("East: {value}\nNorth: 5\nSouth: 6\n");
            assert_eq!(bar_rows(&printed), None, "{printed}");
        }
        let series = "East     NaN\nNorth    5.0\nSouth    6.0\nName: Amount, dtype: float64\n";
        assert_eq!(bar_rows(series), None);
    }

    #[test]
    fn columns_are_named_as_printed_and_numbers_are_told_alike() {
        for (printed, names) in [
            ("Region: Amount (sum)\nWest: 634850.6\nNorth: 528135.75\n", ["Region", "Amount (sum)", ""]),
            ("Region\nEast     900\nNorth    180\nName: Amount, dtype: int64\n", ["Region", "Amount", ""]),
            ("West 5\nNorth 6\n", ["", "", ""]),
        ] {
            let Some(Block::Table { head, .. }) = from_text(printed) else { panic!("{printed}") };
            assert_eq!(head.iter().map(Visible::as_str).collect::<Vec<_>>(), names, "{printed}");
        }
        let rows = bar_rows("Region: Amount (sum)\nWest: 634850.6\nNorth: 28135.75\n").unwrap();
        assert_eq!((rows[0][1].as_str(), rows[1][1].as_str()), ("634850.60", " 28135.75"));
        assert_eq!(bar_rows("a: 50%\nb: 5.5%\n").unwrap()[0][1], " 50%");
    }
}
