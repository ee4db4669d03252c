//! Changing and removing events in files.

use super::{at, berlin, calendar, run};
use crate::calendar::{
    Calendar, CalendarError, IcsCalendar, Revision, RevisionCheck, check_revision, read_events,
};
use std::fs;

const INES: &str = "ines@lumen.example";

fn event(sequence: u32, lines: &str) -> String {
    format!(
        "BEGIN:VEVENT\nUID:kick\nSEQUENCE:{sequence}\nDTSTAMP:20261101T080000Z\nSUMMARY:Kickoff\n\
         ORGANIZER;SENT-BY=\"mailto:tom@lumen.example\":MAILTO:Ines@Lumen.example\n{lines}\nEND:VEVENT\n"
    )
}

fn news(sequence: u32, lines: &str) -> Vec<u8> {
    calendar(&event(sequence, lines)).into_bytes()
}

const OTHER: &str = "BEGIN:VEVENT\nUID:other\nSUMMARY:Mine\nDTSTART:20261117T080000Z\nEND:VEVENT\n";
const START: &str = "DTSTART:20261117T100000Z\nDTEND:20261117T110000Z";
const MOVED: &str = "DTSTART:20261118T130000Z\nDTEND:20261118T140000Z";
const WEEKLY: &str = "DTSTART:20261117T100000Z\nDTEND:20261117T110000Z\nRRULE:FREQ=WEEKLY";
const SECOND: &str = "RECURRENCE-ID:20261124T100000Z\nDTSTART:20261125T100000Z\nDTEND:20261125T110000Z";

struct Fixture {
    _folder: tempfile::TempDir,
    path: std::path::PathBuf,
    calendar: IcsCalendar,
}

/// A calendar file with this event and another one.
fn fixture(inside: &str) -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("work.ics");
    fs::write(&path, calendar(&format!("{OTHER}{inside}"))).unwrap();
    let calendar = IcsCalendar::new(&path, berlin());
    Fixture { _folder: folder, path, calendar }
}

impl Fixture {
    fn text(&self) -> String {
        fs::read_to_string(&self.path).unwrap()
    }

    fn times(&self) -> Vec<String> {
        let busy = run(self.calendar.busy(at("2026-11-16"), at("2026-12-03"))).unwrap();
        busy.iter().map(|one| format!("{} {}", one.start, one.title)).collect()
    }

    fn refuses(&self, revised: Result<(), CalendarError>, expected: &str) {
        let before = self.text();
        let error = revised.unwrap_err();
        assert!(matches!(&error, CalendarError::Permanent(text) if text.contains(expected)), "{error}");
        assert_eq!(self.text(), before);
    }
}

#[test]
fn an_event_is_changed_and_nothing_beside_it() {
    let fixture = fixture(&event(1, START));
    let before = fixture.text();
    for _ in 0..2 {
        run(fixture.calendar.revise(&news(2, MOVED), INES, Revision::Change)).unwrap();
    }
    let after = fixture.text();
    assert_eq!(after.matches("UID:kick").count(), 1);
    let text_before = |text: &str| text[..text.find("UID:kick").unwrap()].to_owned();
    assert_eq!(text_before(&after), text_before(&before), "what stands before it stays byte for byte");
    assert_eq!(fixture.times(), ["2026-11-17T08:00:00Z Mine", "2026-11-18T13:00:00Z Kickoff"]);
    run(fixture.calendar.revise(&news(3, MOVED), "tom@lumen.example", Revision::Remove)).unwrap();
    run(fixture.calendar.revise(&news(3, MOVED), INES, Revision::Remove)).unwrap();
    assert_eq!(fixture.text(), calendar(OTHER));
}

#[test]
fn the_persons_reminders_outlast_a_change() {
    let alarm = |minutes: u32| {
        format!("BEGIN:VALARM\nACTION:DISPLAY\nDESCRIPTION:Soon\nTRIGGER:-PT{minutes}M\nEND:VALARM")
    };
    let reminders = |fixture: &Fixture| {
        let text = fixture.text();
        text.lines().filter_map(|line| line.strip_prefix("TRIGGER:")).map(str::to_owned).collect::<Vec<_>>()
    };
    let change = |fixture: &Fixture, news: &[u8]| {
        run(fixture.calendar.revise(news, INES, Revision::Change)).unwrap();
    };
    let own = fixture(&event(1, &format!("{START}\n{}\n{}", alarm(10), alarm(60))));
    change(&own, &news(2, &format!("{}\n{MOVED}", alarm(5))));
    assert_eq!(reminders(&own), ["-PT10M", "-PT60M"], "not the organizer's");
    assert_eq!(own.times(), ["2026-11-17T08:00:00Z Mine", "2026-11-18T13:00:00Z Kickoff"]);
    let none = fixture(&event(1, START));
    change(&none, &news(2, &format!("{MOVED}\n{}", alarm(5))));
    assert_eq!(reminders(&none), [""; 0], "what the person does not want does not come back");
    let series = fixture(&event(1, &format!("{WEEKLY}\n{}", alarm(15))));
    change(&series, &news(2, SECOND));
    assert_eq!(reminders(&series), ["-PT15M"; 2], "one of a series has the reminders of the series");
    let gone = "RECURRENCE-ID:20261201T100000Z\nDTSTART:20261201T100000Z\nSTATUS:CANCELLED";
    run(series.calendar.revise(&news(2, gone), INES, Revision::Remove)).unwrap();
    assert_eq!(reminders(&series), ["-PT15M"; 2], "nothing rings for what is cancelled");
}

#[test]
fn only_who_invites_changes_it_and_never_back() {
    let fixture = fixture(&event(2, START));
    let change = |event: &[u8], who: &str| run(fixture.calendar.revise(event, who, Revision::Change));
    let remove = |event: &[u8], who: &str| run(fixture.calendar.revise(event, who, Revision::Remove));
    fixture.refuses(change(&news(3, MOVED), "eve@lumen.example"), "eve@lumen.example is not the organizer");
    fixture.refuses(remove(&news(3, MOVED), "eve@lumen.example"), "is not the organizer");
    fixture.refuses(change(&news(1, MOVED), INES), "a newer version");
    fixture.refuses(remove(&news(1, MOVED), INES), "a newer version");
    let earlier = String::from_utf8(news(2, MOVED)).unwrap().replace("20261101T08", "20261101T07");
    fixture.refuses(change(earlier.as_bytes(), INES), "a newer version");
    let other = String::from_utf8(news(3, MOVED)).unwrap().replace("Ines@Lumen", "eve@lumen");
    fixture.refuses(change(other.as_bytes(), INES), "names eve@lumen.example as the organizer");
    let absent = String::from_utf8(news(3, MOVED)).unwrap().replace("UID:kick", "UID:gone");
    fixture.refuses(change(absent.as_bytes(), INES), "no longer in the calendar");
    run(fixture.calendar.revise(absent.as_bytes(), INES, Revision::Remove)).unwrap();
    fixture.refuses(change(b"hello", INES), "cannot be changed");
}

#[test]
fn one_of_a_series_is_changed_and_then_the_series() {
    let fixture = fixture(&event(1, WEEKLY));
    run(fixture.calendar.revise(&news(1, SECOND), INES, Revision::Change)).unwrap();
    let mine = "2026-11-17T08:00:00Z Mine";
    let series =
        ["2026-11-17T10:00:00Z Kickoff", "2026-11-25T10:00:00Z Kickoff", "2026-12-01T10:00:00Z Kickoff"];
    assert_eq!(fixture.times(), [&[mine][..], &series[..]].concat());
    // The place of the series changes; the moved occurrence stays moved.
    let place = calendar(&event(2, &format!("{WEEKLY}\nLOCATION:Room 2")));
    run(fixture.calendar.revise(place.as_bytes(), INES, Revision::Change)).unwrap();
    assert_eq!(fixture.times(), [&[mine][..], &series[..]].concat());
    // One is cancelled and does not come back.
    let gone = "RECURRENCE-ID:20261201T100000Z\nDTSTART:20261201T100000Z\nSTATUS:CANCELLED";
    for _ in 0..2 {
        run(fixture.calendar.revise(&news(2, gone), INES, Revision::Remove)).unwrap();
    }
    assert_eq!(fixture.times(), [&[mine][..], &series[..2]].concat());
    // The series moves, so changes to the old series are dropped.
    run(fixture.calendar.revise(
        &news(3, &WEEKLY.replace("T10", "T12").replace("T11", "T13")),
        INES,
        Revision::Change,
    ))
    .unwrap();
    let moved =
        ["2026-11-17T12:00:00Z Kickoff", "2026-11-24T12:00:00Z Kickoff", "2026-12-01T12:00:00Z Kickoff"];
    assert_eq!(fixture.times(), [&[mine][..], &moved[..]].concat());
    run(fixture.calendar.revise(&news(4, WEEKLY), INES, Revision::Remove)).unwrap();
    assert_eq!(fixture.text(), calendar(OTHER));
}

#[test]
fn in_a_folder_the_file_of_the_event_goes() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.ics"), calendar(OTHER)).unwrap();
    fs::write(folder.path().join("b.ics"), calendar(&event(1, START))).unwrap();
    let target = IcsCalendar::new(folder.path(), berlin());
    run(target.revise(&news(2, MOVED), INES, Revision::Change)).unwrap();
    assert!(fs::read_to_string(folder.path().join("b.ics")).unwrap().contains("SEQUENCE:2"));
    assert_eq!(run(target.events_of("kick")).unwrap()[0].sequence, 2);
    run(target.revise(&news(3, MOVED), INES, Revision::Remove)).unwrap();
    assert!(!folder.path().join("b.ics").exists() && folder.path().join("a.ics").exists());
    // If it is in the folder twice, we cannot tell which one is meant.
    for name in ["b.ics", "c.ics"] {
        fs::write(folder.path().join(name), calendar(&event(1, START))).unwrap();
    }
    let error = run(target.revise(&news(2, MOVED), INES, Revision::Change)).unwrap_err().to_string();
    assert!(error.contains("in 2 files"), "{error}");
}

#[test]
fn how_news_stand_to_what_is_held() {
    let read = |inside: &str| read_events(&calendar(inside), &berlin()).unwrap();
    let is =
        |held: &str, news: &str, revision: Revision| check_revision(&read(held), &read(news), INES, revision);
    let (change, remove) = (Revision::Change, Revision::Remove);
    let before = event(1, START);
    assert_eq!(check_revision(&[], &read(&before), INES, change), RevisionCheck::Absent);
    assert_eq!(is(&before, &before, change), RevisionCheck::Same);
    assert!(matches!(is(&before, &before, remove), RevisionCheck::Differs(Some(_))));
    // Without a DTSTAMP, the content decides.
    let bare = |text: String| text.replace("DTSTAMP:20261101T080000Z\n", "");
    assert_eq!(is(&bare(before.clone()), &bare(before.clone()), change), RevisionCheck::Same);
    assert!(matches!(is(&bare(before.clone()), &bare(event(1, MOVED)), change), RevisionCheck::Differs(_)));
    let later = event(1, START).replace("20261101T08", "20261101T09");
    assert!(
        matches!(is(&before, &later, change), RevisionCheck::Differs(_)),
        "a later word of the same version"
    );
    assert_eq!(
        is(&event(1, SECOND), &event(1, SECOND).replace("24T10", "25T10"), change),
        RevisionCheck::Differs(None)
    );
    assert_eq!(
        is(&event(3, WEEKLY), &event(2, SECOND), change),
        RevisionCheck::Stale,
        "of the series as it was"
    );
}
