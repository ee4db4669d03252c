//! Draws the days of a proposed meeting as strips, from the busy times read when it was proposed. Drawing asks no
//! calendar.

use super::times::TimeRange;
use crate::calendar::{self, Busy};
use crate::inbox::{Block, DayStrip};
use crate::text::{Visible, truncate};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use std::ops::Range;

/// Days with more entries are not kept: the picture would say nothing.
const MAX_BUSY: usize = 100;

const MAX_TITLE: usize = 60;

const DAY_MINUTES: u16 = 24 * 60;

/// The busy times to keep, or None if there are too many to show.
pub(super) fn busy_to_keep(busy: &[Busy]) -> Option<Vec<Busy>> {
    let short = |one: &Busy| Busy { title: truncate(&one.title, MAX_TITLE).into_owned(), ..one.clone() };
    (busy.len() <= MAX_BUSY).then(|| busy.iter().map(short).collect())
}

/// The days of a meeting. Empty if it lasts longer than two days.
pub(super) fn strips(busy: &[Busy], when: TimeRange, zone: &TimeZone) -> Vec<Block> {
    let Some((first, last)) = when.dates(zone) else { return Vec::new() };
    let days = if first == last { vec![first] } else { vec![first, last] };
    days.into_iter().filter_map(|day| strip(busy, day, when, zone)).map(Block::Day).collect()
}

fn strip(busy: &[Busy], day: Date, when: TimeRange, zone: &TimeZone) -> Option<DayStrip> {
    let window = calendar::day_window(day, zone)?;
    let on_day = |one: &&Busy| one.start < window.1 && one.end > window.0;
    let (all_day, timed): (Vec<&Busy>, Vec<&Busy>) = busy.iter().filter(on_day).partition(|one| one.all_day);
    Some(DayStrip {
        about: Visible::line(&calendar::day_line(busy, day, zone)),
        busy: timed.into_iter().map(|one| minutes(one.start, one.end, window, zone)).collect(),
        all_day: !all_day.is_empty(),
        proposed: minutes(when.start, when.end, window, zone),
    })
}

/// The part of a time range that lies on the day, in minutes of the person's clock.
fn minutes(
    start: Timestamp,
    end: Timestamp,
    (day_start, day_end): (Timestamp, Timestamp),
    zone: &TimeZone,
) -> Range<u16> {
    let minute = |at: Timestamp| {
        let time = zone.to_datetime(at).time();
        u16::try_from(i32::from(time.hour()) * 60 + i32::from(time.minute())).unwrap_or(0)
    };
    let mut from = if start <= day_start { 0 } else { minute(start) };
    let mut until = if end >= day_end { DAY_MINUTES } else { minute(end) };
    // If clocks are set back in this range, the repeated hour counts as a whole.
    for change in
        zone.following(start.max(day_start)).take_while(|change| change.timestamp() < end.min(day_end))
    {
        let at = change.timestamp();
        let last_moment = at.checked_sub(SignedDuration::from_mins(1)).unwrap_or(at);
        (from, until) = (from.min(minute(at)), until.max(minute(last_moment) + 1));
    }
    from..until.max(from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inbox::Card;

    fn busy(start: &str, end: &str, title: &str, all_day: bool) -> Busy {
        let at = |text: &str| text.parse().unwrap();
        Busy { start: at(start), end: at(end), title: title.to_owned(), all_day }
    }

    #[track_caller]
    fn check(zone: &str, meeting: [&str; 2], busy: &[Busy], expected: &[&str]) {
        let [start, end] = meeting.map(|at| at.parse().unwrap());
        let zone = TimeZone::get(zone).unwrap();
        let text = Card { blocks: strips(busy, TimeRange { start, end }, &zone) }.text();
        let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(lines, expected, "{text}");
    }

    #[test]
    fn a_day_is_that_of_the_persons_clock() {
        let dentist = || [busy("2026-11-17T08:00:00Z", "2026-11-17T09:00:00Z", "Dentist", false)];
        let meeting = ["2026-11-17T15:30:00+05:30", "2026-11-17T16:00:00+05:30"];
        check(
            "Europe/Berlin",
            meeting,
            &dentist(),
            &[
                "Tue 17 Nov: 09:00–10:00 Dentist; free otherwise",
                "08  09  10  11  12  13  14  15  16  17",
                "····████····▒▒··························",
                "▒ proposed  █ busy",
            ],
        );
        check(
            "Asia/Kolkata",
            meeting,
            &dentist(),
            &[
                "Tue 17 Nov: 13:30–14:30 Dentist; free otherwise",
                "08  09  10  11  12  13  14  15  16  17",
                "······················████····▒▒········",
                "▒ proposed  █ busy",
            ],
        );
    }

    #[test]
    fn a_meeting_over_midnight_is_two_days() {
        check(
            "UTC",
            ["2026-11-17T23:30:00Z", "2026-11-18T00:30:00Z"],
            &[busy("2026-11-17T23:45:00Z", "2026-11-18T01:00:00Z", "Train", false)],
            &[
                "Tue 17 Nov: 23:45–24:00 Train; free otherwise",
                "08  09  10  11  12  13  14  15  16  17  18  19  20  21  22  23",
                "······························································▒╳",
                "▒ proposed  ╳ conflict",
                "Wed 18 Nov: 00:00–01:00 Train; free otherwise",
                "00  01  02  03  04  05  06  07  08  09  10  11  12  13  14  15  16  17",
                "╳╳██····································································",
                "╳ conflict  █ busy",
            ],
        );
        let until_midnight = ["2026-11-17T23:00:00Z", "2026-11-18T00:00:00Z"].map(|at| at.parse().unwrap());
        let when = TimeRange { start: until_midnight[0], end: until_midnight[1] };
        assert_eq!(strips(&[], when, &TimeZone::UTC).len(), 1);
    }

    #[test]
    fn a_day_that_is_taken_is_a_conflict_and_hides_no_hours() {
        check(
            "Europe/Berlin",
            ["2026-11-17T10:00:00Z", "2026-11-17T11:00:00Z"],
            &[
                busy("2026-11-16T23:00:00Z", "2026-11-17T23:00:00Z", "Holiday", true),
                busy("2026-11-17T08:00:00Z", "2026-11-17T09:00:00Z", "Call", false),
                busy("2026-11-17T23:00:00Z", "2026-11-18T23:00:00Z", "Next day", true),
            ],
            &[
                "Tue 17 Nov: all day Holiday; 09:00–10:00 Call",
                "08  09  10  11  12  13  14  15  16  17",
                "░░░░████░░░░╳╳╳╳░░░░░░░░░░░░░░░░░░░░░░░░",
                "╳ conflict  █ busy  ░ all day",
            ],
        );
    }

    #[test]
    fn hours_stand_where_the_clock_has_them_on_days_of_25_and_23_hours() {
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        let placed = |start: &str, end: &str| {
            let when = TimeRange { start: start.parse().unwrap(), end: end.parse().unwrap() };
            let blocks = strips(&[], when, &berlin);
            let [Block::Day(strip)] = blocks.as_slice() else { panic!("{blocks:?}") };
            strip.proposed.clone()
        };
        // Set back: before it, across it, from the first 02:30 to the second, after it, all day.
        assert_eq!(placed("2026-10-25T01:00+02:00", "2026-10-25T02:00+02:00"), 60..120);
        assert_eq!(placed("2026-10-25T01:30+02:00", "2026-10-25T02:15+01:00"), 90..180);
        assert_eq!(placed("2026-10-25T02:30+02:00", "2026-10-25T02:30+01:00"), 120..180);
        assert_eq!(placed("2026-10-25T09:00+01:00", "2026-10-25T10:00+01:00"), 540..600);
        assert_eq!(placed("2026-10-25T00:00+02:00", "2026-10-26T00:00+01:00"), 0..1440);
        // Set forward: across it, and after it.
        assert_eq!(placed("2026-03-29T01:30+01:00", "2026-03-29T03:30+02:00"), 90..210);
        assert_eq!(placed("2026-03-29T09:00+02:00", "2026-03-29T10:00+02:00"), 540..600);
    }

    #[test]
    fn clocks_that_are_set_back_and_long_meetings_harm_nothing() {
        // 02:30 summer time until 02:15 standard time, three quarters of an hour later.
        let back = [busy("2026-10-25T00:30:00Z", "2026-10-25T01:15:00Z", "Night", false)];
        let start: Timestamp = "2026-10-25T09:00:00Z".parse().unwrap();
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        let when = TimeRange { start, end: start + SignedDuration::from_hours(1) };
        let blocks = strips(&back, when, &berlin);
        let [Block::Day(strip)] = blocks.as_slice() else { panic!("{blocks:?}") };
        assert_eq!((strip.busy.first(), &strip.proposed), (Some(&(120..180)), &(600..660)));
        let week = TimeRange { start, end: start + SignedDuration::from_hours(24 * 7) };
        assert!(strips(&back, week, &berlin).is_empty() && week.dates(&berlin).is_none());
        assert_eq!(busy_to_keep(&vec![back[0].clone(); MAX_BUSY + 1]), None);
    }
}
