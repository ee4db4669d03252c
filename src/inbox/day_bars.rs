//! A bar for each day, the newest on the right.

use super::day_strip::{StripLine, StripMark};

/// How high the bars are, in lines.
const LINES: usize = 4;

/// The width of a day; every other day has its name below.
const COLUMNS: usize = 2;

/// Parts of a line, from nothing to all of it.
const EIGHTHS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Days with their names and counts, oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DayBars(pub Vec<(String, u64)>);

impl DayBars {
    /// The bars, highest line first, and the days' names below; as many days as fit, and nothing if all are zero.
    pub fn lines(&self, columns: usize) -> Vec<StripLine> {
        let fits = (columns / COLUMNS).min(self.0.len());
        let days = &self.0[self.0.len() - fits..];
        let Some(most) = days.iter().map(|(_, count)| *count).max().filter(|most| *most > 0) else {
            return Vec::new();
        };
        let bar = |count: u64, line: usize| {
            let eighths = usize::try_from((count * 8 * LINES as u64).div_ceil(most)).unwrap_or(8 * LINES);
            EIGHTHS[eighths.saturating_sub(line * 8).min(8)]
        };
        let line = |mark, cells: String| vec![(mark, cells.trim_end().to_owned())];
        let mut lines: Vec<StripLine> = Vec::new();
        for at in (0..LINES).rev() {
            let cells = days.iter().map(|(_, count)| format!("{} ", bar(*count, at)));
            lines.push(line(StripMark::Proposed, cells.collect()));
        }
        let named = |(at, (name, _)): (usize, &(String, u64))| match (days.len() - at) % 2 {
            1 => name.clone(),
            _ => " ".repeat(COLUMNS),
        };
        lines.push(line(StripMark::Scale, days.iter().enumerate().map(named).collect()));
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(counts: &[u64], columns: usize) -> Vec<String> {
        let days = counts.iter().zip(1..).map(|(count, day)| (format!("{day:02}"), *count));
        let lines = DayBars(days.collect()).lines(columns);
        lines.into_iter().map(|line| line.into_iter().map(|(_, text)| text).collect()).collect()
    }

    #[test]
    fn the_highest_bar_fills_the_lines_and_the_smallest_is_seen() {
        assert_eq!(drawn(&[0, 1, 40, 20], 80), ["    █", "    █", "    █ █", "  ▁ █ █", "  02  04"]);
        assert!(drawn(&[0, 0], 80).is_empty());
    }

    #[test]
    fn the_newest_days_are_those_that_fit() {
        assert_eq!(drawn(&[1, 2, 3], 5).last().map(String::as_str), Some("  03"));
        assert!(drawn(&[1, 2, 3], 1).is_empty());
    }
}
