//! Writing and reading invitations.

use super::{at, berlin, calendar, event};
use crate::calendar::{Event, Person, event_text, invitation, read_invitation};

fn lunch() -> Event {
    let person = |name: &str, address: &str| Person { name: name.to_owned(), address: address.to_owned() };
    Event {
        uid: "20261115-ab12@sayso".to_owned(),
        stamp: at("2026-11-15T10:00:00"),
        title: "Lunch, with \\ and; a title that is long enough to be folded: 日本語のとても長い題名です"
            .to_owned(),
        start: at("2026-11-17T11:00:00"),
        end: at("2026-11-17T12:30:00"),
        zone: Some("Europe/Berlin".to_owned()),
        location: "Room 3,\nsecond floor".to_owned(),
        organizer: Some(person("Ada \"Countess\" Lovelace", "ada@example.org")),
        attendees: vec![person("Grace: Hopper", "grace@example.com"), person("", "alan@example.net")],
    }
}

fn shown(bytes: Vec<u8>) -> String {
    let text = String::from_utf8(bytes).unwrap();
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count(), "lines end in CRLF");
    assert!(text.split("\r\n").all(|line| line.len() <= 75), "{text}");
    text.replace("\r\n", "\n")
}

#[test]
fn golden() {
    insta::assert_snapshot!("event", shown(event_text(&lunch())));
    insta::assert_snapshot!("request", shown(invitation(&lunch())));
}

#[test]
fn what_is_written_is_read() {
    let text = String::from_utf8(invitation(&lunch())).unwrap();
    let read = read_invitation(&text, &berlin()).unwrap();
    let event = lunch();
    assert_eq!(read.uid, event.uid);
    assert_eq!((read.title, read.location.as_str()), (event.title, "Room 3, second floor"));
    assert_eq!((read.start, read.end, read.all_day), (event.start, event.end, false));
    assert_eq!(read.organizer.unwrap().name, "Ada 'Countess' Lovelace");
    assert_eq!(read.attendees, event.attendees);
    assert_eq!(read.recurrence, None);
}

#[test]
fn an_event_in_utc_is_written_without_a_zone() {
    for zone in [None, Some("UTC".to_owned()), Some("Mars/Olympus".to_owned())] {
        let text = shown(event_text(&Event { zone, ..lunch() }));
        assert!(text.contains("\nDTSTART:20261117T110000Z\n") && !text.contains("VTIMEZONE"), "{text}");
    }
}

#[test]
fn recurrences_in_words() {
    for (rule, expected) in [
        ("FREQ=DAILY", "every day"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,TH;COUNT=10", "every 2 weeks on Tuesday and Thursday, 10 times"),
        ("FREQ=MONTHLY;BYDAY=-1FR", "every month on the last Friday"),
        ("FREQ=MONTHLY;BYMONTHDAY=1,22", "every month on the 1st day of the month and 22nd day of the month"),
        (
            "FREQ=YEARLY;BYMONTH=11;BYDAY=4TH;UNTIL=20301231",
            "every year on the 4th Thursday in November, until 31 Dec 2030",
        ),
        ("FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=-1", "every month on Monday and Tuesday by a longer rule"),
    ] {
        let text = calendar(&event(&format!("DTSTART:20261117T090000Z\nRRULE:{rule}")));
        let read = read_invitation(&text, &berlin()).unwrap();
        assert_eq!(read.recurrence.as_deref(), Some(expected));
    }
}

#[test]
fn what_others_write_is_made_visible() {
    let text = calendar(&event(
        "DTSTART:20261117T090000Z\nLOCATION:a\u{1b}[2Jb\u{202e}c\nORGANIZER;CN=\u{200b}Ada:MAILTO:a@b.c\nMETHOD:x",
    ));
    let read = read_invitation(&text, &berlin()).unwrap();
    let all = format!("{read:?}");
    assert!(!all.contains(['\u{1b}', '\u{202e}', '\u{200b}']), "{all}");
    assert_eq!(read.organizer.unwrap().address, "a@b.c");
}

#[test]
fn what_is_no_invitation_is_said() {
    for (text, expected) in [
        ("hello".to_owned(), "the invitation cannot be read: line 1 is not iCalendar text (NAME:value)"),
        (calendar(""), "the invitation holds no event"),
        (calendar(&event("X-A:b")), "sayso cannot interpret the invitation's event: it has no DTSTART"),
        ("x".repeat(2 << 20), "the invitation cannot be read: it is larger than 1 MiB"),
    ] {
        assert_eq!(read_invitation(&text, &berlin()).unwrap_err().to_string(), expected);
    }
}

/// Programs that do not know the zone's name use its definition.
#[test]
fn the_definition_of_a_zone_says_what_its_name_does() {
    let names = [
        "Europe/Berlin",
        "America/New_York",
        "Australia/Sydney",
        "Asia/Kathmandu",
        "Africa/Casablanca",
        "Australia/Lord_Howe",
        "America/Santiago",
    ];
    for name in names {
        for month in 1..=12 {
            let start = at(&format!("2026-{month:02}-08T11:00:00"));
            let end = start + jiff::SignedDuration::from_hours(2);
            let text = event_text(&Event { start, end, zone: Some(name.to_owned()), ..lunch() });
            let text = String::from_utf8(text).unwrap().replace(name, "Elsewhere");
            let read = read_invitation(&text, &berlin()).unwrap();
            assert_eq!((read.start, read.end), (start, end), "{name}\n{text}");
        }
    }
}
