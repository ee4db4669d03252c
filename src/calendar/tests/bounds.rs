//! Broken and hostile events give an error that names the event, never too little busy time.

use super::{busy, calendar, event};
use crate::calendar::CalendarError;

#[track_caller]
fn refused(inside: &str, expected: &str) {
    match busy(&calendar(inside), "2026-11-16", "2026-11-23") {
        Err(CalendarError::Permanent(text)) => assert!(text.contains(expected), "{text}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_broken_event_is_named() {
    refused(&event("X-A:b"), "“It” (one@test): it has no DTSTART; fix it or delete it");
    refused(&event("DTSTART:tomorrow"), "its DTSTART is no time (tomorrow)");
    refused(&event("DTSTART:20260230T090000Z"), "its DTSTART is no time");
    refused(&event("DTSTART;TZID=Mars/Olympus:20261117T090000"), "its time zone is not known (Mars/Olympus)");
    refused(&event("DTSTART:20261117T090000Z\nDTEND:20261117T080000Z"), "it ends before it begins");
    refused(&event("DTSTART:20261117T090000Z\nDURATION:an hour"), "its DURATION is not a duration (an hour)");
    refused(&event("DTSTART:20261117T090000Z\nRRULE:FREQ=SOMETIMES"), "is not understood (FREQ=SOMETIMES)");
    refused(&event("DTSTART:20261117T090000Z\nEXRULE:FREQ=DAILY"), "it uses EXRULE");
    refused(&event("DTSTART:20261117T090000Z\nEXDATE:never"), "its EXDATE is no time (never)");
    refused(&event("DTSTART:20261117T090000Z\nDURATION:P99999999D"), "too far in the future");
    let hostile = event("DTSTART:x\u{1b}[2J\u{202e}");
    refused(&hostile, "⟨U+202E⟩");
}

#[test]
fn a_zone_that_does_not_change_yearly_is_refused() {
    let zone = |more: &str| {
        let lines = event("DTSTART;TZID=Ship:20261117T090000\nDTEND;TZID=Ship:20261117T100000");
        format!(
            "BEGIN:VTIMEZONE\nTZID:Ship\nBEGIN:STANDARD\nDTSTART:20000101T000000\nTZOFFSETFROM:+0000\n\
             TZOFFSETTO:+0100\n{more}\nEND:STANDARD\nEND:VTIMEZONE\n{lines}"
        )
    };
    for rule in [
        "FREQ=SECONDLY",
        "FREQ=MONTHLY;BYDAY=-1SU",
        "FREQ=YEARLY;INTERVAL=5",
        "FREQ=YEARLY;BYHOUR=1,2,3",
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29",
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
    ] {
        let expected = format!(
            "its time zone (Ship) cannot be followed: it changes by a rule that is not yearly ({rule})"
        );
        refused(&zone(&format!("RRULE:{rule}")), &expected);
    }
    refused(&zone("RRULE:FREQ=YEARLY\n".repeat(33).trim()), "more than 32 rules");
    refused(&zone("RDATE:soon"), "its RDATE is not understood (soon)");
    let shown = busy(&calendar(&zone("RRULE:FREQ=YEARLY;COUNT=3")), "2026-11-16", "2026-11-23").unwrap();
    assert_eq!(shown.len(), 1);
}

#[test]
fn a_damaged_file_is_not_an_empty_one() {
    for text in ["BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:a\n", "<html></html>", "BEGIN:VCALENDAR\nEND:VEVENT\n"] {
        let error = busy(text, "2026-11-16", "2026-11-23").unwrap_err().to_string();
        assert!(error.contains("is damaged"), "{error}");
    }
}

#[test]
fn rules_without_end_are_told_to_an_end() {
    for rule in [
        "FREQ=SECONDLY",
        "FREQ=SECONDLY;COUNT=4000000000",
        "FREQ=SECONDLY;BYSECOND=0,1,2,3,4,5,6,7,8,9",
        "FREQ=DAILY;BYHOUR=0,1,2,3,4,5,6,7,8,9,10,11;BYMINUTE=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29;BYSECOND=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30",
        "FREQ=MINUTELY;COUNT=4000000000",
    ] {
        refused(
            &event(&format!("DTSTART:20200101T000000Z\nDURATION:PT1S\nRRULE:{rule}")),
            "it recurs too often",
        );
    }
}

#[test]
fn rules_that_never_come_true_end() {
    for rule in [
        "FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=YEARLY;INTERVAL=9223372036854775807",
        "FREQ=MONTHLY;INTERVAL=9223372036854775807;BYMONTHDAY=31",
        "FREQ=DAILY;BYSETPOS=-366",
        "FREQ=YEARLY;BYWEEKNO=53;BYMONTH=6;BYDAY=MO",
    ] {
        let text = calendar(&event(&format!("DTSTART:00010101T000000Z\nDURATION:PT1S\nRRULE:{rule}")));
        assert_eq!(busy(&text, "2026-11-16", "2026-11-23").unwrap(), [], "{rule}");
    }
}

#[test]
fn times_at_the_ends_of_time_do_no_harm() {
    for lines in
        ["DTSTART:99991231T235959Z\nDURATION:PT1S", "DTSTART;VALUE=DATE:99991231", "DTSTART:00000101T000000"]
    {
        // It either works or is an error, but never panics.
        let _ = busy(&calendar(&event(lines)), "2026-11-16", "2026-11-23");
        let _ = busy(&calendar(&event(&format!("{lines}\nRRULE:FREQ=DAILY"))), "2026-11-16", "2026-11-23");
    }
}

#[test]
fn many_exceptions_and_changes_are_looked_up_not_searched() {
    let days: Vec<String> = (0..20_000)
        .map(|n| format!("{:04}{:02}{:02}T090000Z", 2000 + n / 336, n / 28 % 12 + 1, n % 28 + 1))
        .collect();
    let mut text = event(&format!(
        "DTSTART:20000101T090000Z\nDURATION:PT1H\nRRULE:FREQ=DAILY\nEXDATE:{}",
        days[..5_000].join(",")
    ));
    for day in &days[10_000..12_000] {
        text += &event(&format!("RECURRENCE-ID:{day}\nDTSTART:{day}\nDURATION:PT2H"));
    }
    assert_eq!(busy(&calendar(&text), "2026-11-16", "2026-11-23").unwrap().len(), 7);
}
