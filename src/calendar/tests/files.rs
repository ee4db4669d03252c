//! Files and folders: events are added once, everything else is kept, and other programs write at the same time.

use super::{at, berlin, calendar, event, run};
use crate::calendar::{Calendar, CalendarError, Event, IcsCalendar, Person, event_text, open};
use crate::config;
use proptest::prelude::*;
use std::fs;

fn meeting(uid: &str) -> Event {
    Event {
        uid: uid.to_owned(),
        stamp: at("2026-11-15T10:00:00"),
        title: "Lunch".to_owned(),
        start: at("2026-11-17T11:00:00"),
        end: at("2026-11-17T12:00:00"),
        zone: None,
        location: String::new(),
        organizer: None,
        attendees: Vec::new(),
    }
}

fn titles(calendar: &IcsCalendar) -> Vec<String> {
    let times = run(calendar.busy(at("2026-11-16"), at("2026-11-23"))).unwrap();
    times.into_iter().map(|it| it.title).collect()
}

#[test]
fn a_missing_file_is_made_and_an_event_is_put_in_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.ics");
    let calendar = IcsCalendar::new(&path, berlin());
    assert_eq!(titles(&calendar), [""; 0]);
    assert!(run(calendar.check()).unwrap().ends_with("will be made with its first event"));
    let text = event_text(&meeting("a@sayso"));
    for _ in 0..3 {
        run(calendar.add(&text)).unwrap();
    }
    assert_eq!(fs::read(&path).unwrap(), text);
    assert_eq!(titles(&calendar), ["Lunch"]);
    assert!(run(calendar.holds("a@sayso")).unwrap());
    assert!(!run(calendar.holds("b@sayso")).unwrap());
    assert!(run(calendar.check()).unwrap().ends_with("holds 1 event"));
}

#[test]
fn everything_else_stays_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("work.ics");
    // Other line breaks, unknown properties, odd folds, no line break at the end.
    let before = "BEGIN:VCALENDAR\nX-WR-CALNAME:Wörk\nBEGIN:VEVENT\nUID:x\nSUM\n MARY:Odd\nDTSTART:20261118T090000Z\nX-ODD;A=B:c\nEND:VEVENT\nEND:VCALENDAR";
    fs::write(&path, before).unwrap();
    let calendar = IcsCalendar::new(&path, berlin());
    let mut zoned = meeting("a@sayso");
    zoned.zone = Some("Europe/Berlin".to_owned());
    run(calendar.add(&event_text(&zoned))).unwrap();
    let after = fs::read_to_string(&path).unwrap();
    let (head, tail) = before.split_at(before.rfind("END:VCALENDAR").unwrap());
    assert!(after.starts_with(head) && after.ends_with(tail), "{after}");
    assert_eq!(titles(&calendar), ["Lunch", "Odd"]);
    // A zone that already exists is not added again.
    zoned.uid = "b@sayso".to_owned();
    run(calendar.add(&event_text(&zoned))).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap().matches("BEGIN:VTIMEZONE").count(), 1);
}

#[test]
fn a_folder_has_a_file_for_each_event() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x.ics"), calendar(&event("DTSTART:20261118T090000Z"))).unwrap();
    fs::write(folder.path().join(".hidden.ics"), "no").unwrap();
    fs::write(folder.path().join("notes.txt"), "no").unwrap();
    let settings = config::Calendar::Ics { path: folder.path().to_owned() };
    let calendar = open(&settings, berlin());
    let text = event_text(&meeting("a@sayso"));
    run(calendar.add(&text)).unwrap();
    run(calendar.add(&text)).unwrap();
    assert_eq!(fs::read(folder.path().join("a@sayso.ics")).unwrap(), text);
    assert_eq!(run(calendar.busy(at("2026-11-16"), at("2026-11-23"))).unwrap().len(), 2);
    assert!(run(calendar.holds("one@test")).unwrap());
}

#[test]
fn what_cannot_be_told_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let check = |path: &std::path::Path, expected: &str| {
        let calendar = IcsCalendar::new(path, berlin());
        let text = event_text(&meeting("a@sayso"));
        for error in [
            run(calendar.busy(at("2026-11-16"), at("2026-11-23"))).unwrap_err(),
            run(calendar.holds("a")).unwrap_err(),
            run(calendar.add(&text)).unwrap_err(),
            run(calendar.check()).unwrap_err(),
        ] {
            assert!(matches!(&error, CalendarError::Permanent(text) if text.contains(expected)), "{error}");
        }
    };
    check(&folder.path().join("no/such/work.ics"), "is not there; make it");
    let damaged = folder.path().join("damaged.ics");
    fs::write(&damaged, "BEGIN:VCALENDAR\n").unwrap();
    check(&damaged, "it ends before VCALENDAR does");
    assert_eq!(fs::read(&damaged).unwrap(), b"BEGIN:VCALENDAR\n");

    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("home")).unwrap();
    fs::write(root.path().join("home/x.ics"), calendar("")).unwrap();
    check(root.path(), "holds folders of calendars (home); name one of them");

    let links = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(&damaged, links.path().join("x.ics")).unwrap();
    check(links.path(), "leads out of its folder");
}

#[test]
fn only_one_event_with_a_uid_is_put_in() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("work.ics");
    let target = IcsCalendar::new(&path, berlin());
    let two = format!("{}{}", event("DTSTART:20261118T090000Z"), event("DTSTART:20261119T090000Z"));
    let nameless = event("DTSTART:20261118T090000Z").replace("UID:one@test\n", "");
    for (text, expected) in [
        (calendar(&two), "it is not exactly one event"),
        (calendar(""), "it is not exactly one event"),
        (calendar(&nameless), "it has no UID"),
        ("hello".to_owned(), "the event is no calendar text"),
    ] {
        let error = run(target.add(text.as_bytes())).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    assert!(!path.exists());
}

#[test]
fn several_put_in_at_once_are_all_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("work.ics");
    std::thread::scope(|scope| {
        for n in 0..8 {
            let path = &path;
            scope.spawn(move || {
                let calendar = IcsCalendar::new(path, berlin());
                run(calendar.add(&event_text(&meeting(&format!("{n}@sayso"))))).unwrap();
            });
        }
    });
    let calendar = IcsCalendar::new(&path, berlin());
    assert!((0..8).all(|n| run(calendar.holds(&format!("{n}@sayso"))).unwrap()));
    assert_eq!(titles(&calendar).len(), 8);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// At the end of summer time, Berlin's 02:15 comes after its 02:30.
#[test]
fn an_event_across_the_repeated_hour_keeps_its_times() {
    let folder = tempfile::tempdir().unwrap();
    let target = IcsCalendar::new(&folder.path().join("work.ics"), berlin());
    let start: jiff::Timestamp = "2026-10-25T00:30:00Z".parse().unwrap();
    let end: jiff::Timestamp = "2026-10-25T01:15:00Z".parse().unwrap();
    let event = Event { start, end, zone: Some("Europe/Berlin".to_owned()), ..meeting("x") };
    run(target.add(&event_text(&event))).unwrap();
    let times = run(target.busy(at("2026-10-20"), at("2026-11-20"))).unwrap();
    assert_eq!((times[0].start, times[0].end), (start, end));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn what_is_put_in_is_found(
        uid in "[!-~]{1,90}",
        title in "\\PC{0,120}",
        location in "(?s).{0,80}",
        name in "\\PC{0,40}",
        minutes in 0i64..60 * 24 * 6,
        length in 1i64..600,
        zone in prop::sample::select(vec![None, Some("Europe/Berlin"), Some("America/New_York"), Some("Asia/Kathmandu")]),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("work.ics");
        fs::write(&path, calendar(&event("DTSTART:20260101T090000Z"))).unwrap();
        let start = at("2026-10-24") + jiff::SignedDuration::from_mins(minutes);
        let end = start + jiff::SignedDuration::from_mins(length);
        let expected = Event {
            uid: uid.clone(),
            title: title.clone(),
            start,
            end,
            zone: zone.map(str::to_owned),
            location,
            organizer: Some(Person { name: name.clone(), address: "ada@example.org".to_owned() }),
            ..meeting("x")
        };
        let target = IcsCalendar::new(&path, berlin());
        run(target.add(&event_text(&expected))).unwrap();
        prop_assert!(run(target.holds(&uid)).unwrap());
        let times = run(target.busy(at("2026-10-20"), at("2026-11-20"))).unwrap();
        prop_assert_eq!(times.len(), 1);
        prop_assert_eq!((times[0].start, times[0].end), (start, end));
        prop_assert!(event_text(&expected).split(|b| *b == b'\n').all(|line| line.len() <= 76));
    }
}
