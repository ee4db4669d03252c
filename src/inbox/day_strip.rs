//! A day of a calendar as a strip of hours: busy times, the proposed time, and conflicts between them.
//!
//! Promises: a strip says the same with and without colour, and fits into the given columns.

use crate::text::{Visible, wrap};
use std::ops::Range;

/// The hours that are always shown; the strip grows if busy or proposed times lie outside.
const HOURS: Range<u16> = 8..18;

/// Possible numbers of cells per hour, finest first.
const CELLS: [u16; 3] = [4, 2, 1];

/// The width of an hour's label, including the space after it.
const NAME: u16 = 4;

/// A day with a proposed time on it. Times are minutes since midnight by the person's clock.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DayStrip {
    /// The day and what is busy on it, in words.
    pub about: Visible,
    pub busy: Vec<Range<u16>>,
    /// Whether an event takes up the whole day.
    pub all_day: bool,
    pub proposed: Range<u16>,
}

/// The meaning of a part of a strip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StripMark {
    Words,
    /// The labels of the hours, and the legend.
    Scale,
    Free,
    /// An event takes up the whole day.
    AllDay,
    Busy,
    Proposed,
    /// Both proposed and busy.
    Conflict,
}

impl StripMark {
    fn sign(self) -> char {
        match self {
            StripMark::Words | StripMark::Scale => ' ',
            StripMark::Free => '·',
            StripMark::AllDay => '░',
            StripMark::Busy => '█',
            StripMark::Proposed => '▒',
            StripMark::Conflict => '╳',
        }
    }

    fn meaning(self) -> Option<&'static str> {
        match self {
            StripMark::Words | StripMark::Scale | StripMark::Free => None,
            StripMark::AllDay => Some("all day"),
            StripMark::Busy => Some("busy"),
            StripMark::Proposed => Some("proposed"),
            StripMark::Conflict => Some("conflict"),
        }
    }
}

/// A line of a strip.
pub type StripLine = Vec<(StripMark, String)>;

/// The lines as plain text.
pub fn plain(lines: Vec<StripLine>) -> String {
    let line = |line: StripLine| line.into_iter().map(|(_, text)| text).collect::<String>();
    lines.into_iter().map(line).collect::<Vec<_>>().join("\n")
}

impl DayStrip {
    /// The day in words, the hours, a cell for each part of them, and the legend. If the hours do not fit, only the
    /// words.
    pub fn lines(&self, columns: usize) -> Vec<StripLine> {
        let words = wrap(&self.about, columns.max(1));
        let mut lines: Vec<StripLine> = words.map(|line| vec![(StripMark::Words, line.to_owned())]).collect();
        let hours = self.hours();
        let cells = CELLS
            .into_iter()
            .find(|cells| usize::from(hours.end - hours.start) * usize::from(*cells) <= columns);
        if let Some(cells) = cells {
            let marks = self.marks(&hours, cells);
            lines.push(vec![(StripMark::Scale, scale(&hours, cells))]);
            lines.push(runs(&marks));
            lines
                .extend(wrap(&legend(&marks), columns).map(|line| vec![(StripMark::Scale, line.to_owned())]));
        }
        lines
    }

    /// The hours to show.
    fn hours(&self) -> Range<u16> {
        let times = self.busy.iter().chain([&self.proposed]);
        times
            .fold(HOURS, |hours, time| hours.start.min(time.start / 60)..hours.end.max(time.end.div_ceil(60)))
    }

    fn marks(&self, hours: &Range<u16>, cells: u16) -> Vec<StripMark> {
        let minutes = 60 / cells;
        let starts = (hours.start * 60..hours.end * 60).step_by(usize::from(minutes));
        starts.map(|start| self.mark(&(start..start + minutes))).collect()
    }

    fn mark(&self, cell: &Range<u16>) -> StripMark {
        let proposed = shared(cell, &self.proposed);
        let busy = |within: &Range<u16>| self.busy.iter().any(|busy| !shared(busy, within).is_empty());
        match (proposed.is_empty(), self.all_day) {
            (false, true) => StripMark::Conflict,
            (false, false) if busy(&proposed) => StripMark::Conflict,
            (false, false) => StripMark::Proposed,
            (true, _) if busy(cell) => StripMark::Busy,
            (true, true) => StripMark::AllDay,
            (true, false) => StripMark::Free,
        }
    }
}

/// The minutes that both ranges cover.
fn shared(one: &Range<u16>, other: &Range<u16>) -> Range<u16> {
    one.start.max(other.start)..one.end.min(other.end)
}

/// Labels of the hours, as many as fit.
fn scale(hours: &Range<u16>, cells: u16) -> String {
    let named = hours.clone().step_by(usize::from(NAME / cells));
    let names: String = named.map(|hour| format!("{hour:02}  ")).collect();
    names.trim_end().to_owned()
}

/// Joins neighbouring cells with the same mark into one text.
fn runs(marks: &[StripMark]) -> StripLine {
    let same = marks.chunk_by(|one, other| one == other);
    same.map(|run| (run[0], run.iter().map(|mark| mark.sign()).collect())).collect()
}

/// Explains the signs that occur in a strip.
fn legend(marks: &[StripMark]) -> String {
    let order = [StripMark::Proposed, StripMark::Conflict, StripMark::Busy, StripMark::AllDay];
    let used = order.into_iter().filter(|mark| marks.contains(mark));
    let meanings = used.filter_map(|mark| Some(format!("{} {}", mark.sign(), mark.meaning()?)));
    meanings.collect::<Vec<_>>().join("  ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strip(busy: &[(u16, u16)], all_day: bool, proposed: Range<u16>) -> DayStrip {
        let busy = busy.iter().map(|(from, until)| *from..*until).collect();
        DayStrip { about: Visible::line("Mon 5 May"), busy, all_day, proposed }
    }

    fn text(strip: &DayStrip, columns: usize) -> String {
        plain(strip.lines(columns))
    }

    const fn at(hour: u16, minute: u16) -> u16 {
        hour * 60 + minute
    }

    #[test]
    fn a_day_shows_what_is_taken_and_proposed() {
        let free = strip(&[(at(9, 0), at(10, 0))], false, at(14, 0)..at(14, 30));
        assert_eq!(
            text(&free, 72),
            "Mon 5 May\n\
             08  09  10  11  12  13  14  15  16  17\n\
             ····████················▒▒··············\n\
             ▒ proposed  █ busy"
        );
    }

    #[test]
    fn a_conflict_shows_without_colour() {
        let taken = strip(&[(at(14, 15), at(15, 0))], false, at(14, 0)..at(14, 30));
        assert!(
            text(&taken, 72).contains("························▒╳██············"),
            "{}",
            text(&taken, 72)
        );
        assert!(text(&taken, 72).ends_with("▒ proposed  ╳ conflict  █ busy"));
        // Five minutes are enough for a conflict; ranges that only touch are no conflict.
        let five = strip(&[(at(14, 25), at(15, 0))], false, at(14, 0)..at(14, 30));
        assert!(text(&five, 72).contains("▒╳██"), "{}", text(&five, 72));
        let next = strip(&[(at(13, 0), at(13, 50)), (at(14, 20), at(15, 0))], false, at(13, 50)..at(14, 20));
        assert!(!text(&next, 72).contains('╳'), "{}", text(&next, 72));
    }

    #[test]
    fn a_whole_day_lies_under_the_hours() {
        let day = strip(&[(at(9, 0), at(10, 0))], true, at(11, 0)..at(12, 0));
        assert!(text(&day, 72).contains("░░░░████░░░░╳╳╳╳░░░░"), "{}", text(&day, 72));
        assert!(text(&day, 72).ends_with("╳ conflict  █ busy  ░ all day"));
    }

    #[test]
    fn the_hours_grow_and_the_cells_shrink() {
        let night = strip(&[(0, at(2, 30))], false, at(23, 0)..at(24, 0));
        let lines = text(&night, 60);
        assert!(lines.contains("\n00  02  04") && lines.contains("22\n"), "{lines}");
        assert!(lines.contains("█████·····") && lines.contains("·▒▒\n"), "{lines}");
        assert!(text(&night, 100).contains("\n00  01  02"));
        assert!(text(&night, 30).contains("\n00  04  08"));
        assert_eq!(text(&night, 20), "Mon 5 May", "there is no room for a strip");
        for columns in 24..120 {
            for line in text(&night, columns).lines() {
                assert!(crate::text::width(line) <= columns, "{columns}: {line}");
            }
        }
    }
}
