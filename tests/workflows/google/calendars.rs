//! Google Calendar: busy times, events added once, and everything that can go wrong.

use super::WAIT;
use crate::support::google::{Fault, Google};
use crate::support::merged;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use sayso::calendar::{Calendar, CalendarError, Event, GoogleCalendar, Person, Revision, event_text};
use serde_json::{Value, json};

pub fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

pub fn meeting(uid: &str) -> Vec<u8> {
    event_text(&Event {
        uid: uid.to_owned(),
        stamp: at("2026-03-01T00:00:00Z"),
        title: "Offer".to_owned(),
        start: at("2026-03-30T08:00:00Z"),
        end: at("2026-03-30T08:30:00Z"),
        zone: Some("Europe/Paris".to_owned()),
        location: String::new(),
        organizer: Some(Person { name: "Ada".to_owned(), address: "ada@gmail.example".to_owned() }),
        attendees: vec![Person { name: String::new(), address: "bob@example.com".to_owned() }],
    })
}

struct Diary {
    google: Google,
    _folder: tempfile::TempDir,
    login: sayso::config::Google,
}

impl Diary {
    fn new() -> (Self, GoogleCalendar) {
        let (google, folder) = (Google::start(), tempfile::tempdir().unwrap());
        let login = google.login(folder.path());
        let calendar = GoogleCalendar::with_timeouts(&login, "primary", TimeZone::UTC, WAIT);
        (Self { google, _folder: folder, login }, calendar)
    }
}

const INSERT: &str = "POST /calendar/v3/calendars/primary/events";

#[tokio::test]
async fn busy_times_are_instants_in_order() {
    let (diary, calendar) = Diary::new();
    diary.google.world().busy = vec![
        ("2026-03-30T14:00:00+02:00".into(), "2026-03-30T15:00:00+02:00".into()),
        ("2026-03-30T08:00:00Z".into(), "2026-03-30T08:30:00Z".into()),
    ];
    let busy = calendar.busy(at("2026-03-30T00:00:00Z"), at("2026-03-31T00:00:00Z")).await.unwrap();
    let times: Vec<(Timestamp, Timestamp)> = busy.iter().map(|one| (one.start, one.end)).collect();
    let expected = [
        (at("2026-03-30T08:00:00Z"), at("2026-03-30T08:30:00Z")),
        (at("2026-03-30T12:00:00Z"), at("2026-03-30T13:00:00Z")),
    ];
    assert_eq!(times, expected);
    assert!(calendar.check().await.unwrap().contains("primary"));
}

#[tokio::test]
async fn a_calendar_that_cannot_be_read_is_an_error_and_never_free_time() {
    let (diary, calendar) = Diary::new();
    let day = (at("2026-03-30T00:00:00Z"), at("2026-03-31T00:00:00Z"));
    let other = GoogleCalendar::with_timeouts(&diary.login, "nobody@example.org", TimeZone::UTC, WAIT);
    let error = other.busy(day.0, day.1).await.unwrap_err();
    assert!(matches!(&error, CalendarError::Permanent(text) if text.contains("notFound")), "{error:?}");
    for odd in
        [r#"{"calendars": {}}"#, "{}", r#"{"calendars": {"primary": {"busy": [{"start": 7}]}}}"#, "<html>"]
    {
        diary.google.world().fault("POST /calendar/v3/freeBusy", Fault::Reply(200, vec![], odd.into()));
        assert!(calendar.busy(day.0, day.1).await.is_err(), "{odd}");
    }
    diary.google.world().fault("POST /calendar/v3/freeBusy", Fault::Endless);
    assert!(calendar.busy(day.0, day.1).await.is_err());
    let off = r#"{"error": {"errors": [{"reason": "accessNotConfigured"}]}}"#;
    diary.google.world().fault("POST /calendar/v3/freeBusy", Fault::Reply(403, vec![], off.into()));
    let error = calendar.busy(day.0, day.1).await.unwrap_err().to_string();
    assert!(error.contains("switch it on in Google's console"), "{error}");
}

#[tokio::test]
async fn an_event_is_added_once_whatever_breaks_off() {
    let (diary, calendar) = Diary::new();
    let (event, uid) = (meeting("t1-c1@sayso"), "t1-c1@sayso");
    assert!(!calendar.holds(uid).await.unwrap());
    diary.google.world().fault(INSERT, Fault::Cut);
    assert!(matches!(calendar.add(&event).await, Err(CalendarError::Unknown(_))));
    assert!(!calendar.holds(uid).await.unwrap());
    diary.google.world().fault(INSERT, Fault::CutAfter);
    assert!(matches!(calendar.add(&event).await, Err(CalendarError::Unknown(_))));
    assert!(calendar.holds(uid).await.unwrap());
    calendar.add(&event).await.unwrap();
    let inserted = {
        let world = diary.google.world();
        assert!(
            world.requests.iter().all(|call| !call.starts_with(INSERT) || call.contains("sendUpdates=none"))
        );
        assert_eq!(world.events.len(), 1);
        world.events.values().next().unwrap().clone()
    };
    assert_eq!(inserted["attendees"][0]["email"], "bob@example.com");
    assert_eq!(inserted["start"]["timeZone"], "Europe/Paris");
    // The person deleted it, so it is not added again unasked.
    diary.google.world().events.values_mut().for_each(|event| event["status"] = "cancelled".into());
    assert!(!calendar.holds(uid).await.unwrap());
    assert!(matches!(calendar.add(&event).await, Err(CalendarError::Permanent(_))));
}

/// An update of an event.
pub fn news(uid: &str, sequence: u32, start: &str, more: &str) -> Vec<u8> {
    format!(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\nBEGIN:VEVENT\r\nUID:{uid}\r\nSEQUENCE:{sequence}\r\n\
         DTSTAMP:2026030{sequence}T000000Z\r\nDTSTART:{start}\r\nDURATION:PT30M\r\nSUMMARY:Offer\r\n{more}\
         ORGANIZER:mailto:ada@gmail.example\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )
    .into_bytes()
}

pub const ADA: &str = "ada@gmail.example";

#[tokio::test]
async fn an_event_is_changed_and_taken_out_as_the_version_that_was_read() {
    let (diary, calendar) = Diary::new();
    let uid = "t1-c1@sayso";
    calendar.add(&meeting(uid)).await.unwrap();
    let id = diary.google.world().events.keys().next().unwrap().clone();
    let moved = news(uid, 2, "20260331T090000Z", "");
    let patch = format!("PATCH /calendar/v3/calendars/primary/events/{id}");
    diary.google.world().fault(&patch, Fault::Reply(412, vec![], "{}".into()));
    for _ in 0..2 {
        calendar.revise(&moved, ADA, Revision::Change).await.unwrap();
    }
    let event = diary.google.world().events[&id].clone();
    assert_eq!(event["start"]["dateTime"], "2026-03-31T09:00:00Z");
    assert_eq!(event["attendees"][0]["email"], "bob@example.com", "who comes is not Google's affair");
    let held = calendar.events_of(uid).await.unwrap();
    assert_eq!((held.len(), held[0].sequence, held[0].start), (1, 2, at("2026-03-31T09:00:00Z")));
    let patches = diary.google.world().requests.iter().filter(|call| call.starts_with("PATCH")).count();
    assert_eq!(patches, 2, "once refused, once taken, and not told again");

    for (news, sender, expected) in [
        (news(uid, 3, "20260331T100000Z", ""), "eve@example.com", "is not the organizer"),
        (news(uid, 1, "20260331T100000Z", ""), ADA, "a newer version"),
        (news("gone", 3, "20260331T100000Z", ""), ADA, "no longer in the calendar"),
    ] {
        let error = calendar.revise(&news, sender, Revision::Change).await.unwrap_err();
        assert!(matches!(&error, CalendarError::Permanent(text) if text.contains(expected)), "{error}");
    }
    let delete = format!("DELETE /calendar/v3/calendars/primary/events/{id}");
    diary.google.world().fault(&delete, Fault::CutAfter);
    let gone = news(uid, 4, "20260331T090000Z", "");
    assert!(matches!(calendar.revise(&gone, ADA, Revision::Remove).await, Err(CalendarError::Unknown(_))));
    assert!(!calendar.holds(uid).await.unwrap());
    calendar.revise(&gone, ADA, Revision::Remove).await.unwrap();
}

/// An event of Google's own, with these fields besides.
fn weekly(id: &str, more: Value) -> Value {
    let event = json!({
        "id": id, "iCalUID": "weekly@client", "etag": "\"1\"", "status": "confirmed", "summary": "Weekly",
        "sequence": 0, "organizer": {"email": ADA},
        "start": {"dateTime": "2026-03-30T08:00:00Z"}, "end": {"dateTime": "2026-03-30T08:30:00Z"},
    });
    merged(event, more)
}

#[tokio::test]
async fn an_event_that_google_added_itself_is_found_by_its_uid() {
    let (diary, calendar) = Diary::new();
    let series = weekly("abcde", json!({"recurrence": ["RRULE:FREQ=WEEKLY"]}));
    diary.google.world().events.insert("abcde".to_owned(), series);
    // Adding it again would make two of it.
    calendar.add(&meeting("weekly@client")).await.unwrap();
    assert_eq!(diary.google.world().events.len(), 1);
    let once = news("weekly@client", 1, "20260407T110000Z", "RECURRENCE-ID:20260406T080000Z\r\n");
    // The occurrence may stand on a later page.
    let empty = json!({"items": [], "nextPageToken": "two"});
    let list = "GET /calendar/v3/calendars/primary/events/abcde/instances";
    diary.google.world().fault(list, Fault::Reply(200, Vec::new(), empty.to_string()));
    calendar.revise(&once, ADA, Revision::Change).await.unwrap();
    // News of a single event is not news of the whole series.
    let whole = news("weekly@client", 2, "20260407T110000Z", "");
    let error = calendar.revise(&whole, ADA, Revision::Change).await.unwrap_err().to_string();
    assert!(error.contains("single occurrences"), "{error}");
    let world = diary.google.world();
    assert_eq!(world.count("pageToken=two"), 1);
    assert_eq!(world.events["abcde"]["start"]["dateTime"], "2026-03-30T08:00:00Z", "the series stays");
    let changed = &world.events["abcde_20260406t080000z"];
    assert_eq!(changed["start"]["dateTime"], "2026-04-07T11:00:00Z");
}

#[tokio::test]
async fn a_series_with_many_changed_occurrences_is_read_to_its_last_page() {
    let (diary, calendar) = Diary::new();
    let series = weekly("abcde", json!({"recurrence": ["RRULE:FREQ=WEEKLY"]}));
    let changed = json!({
        "recurringEventId": "abcde", "originalStartTime": {"dateTime": "2026-04-06T08:00:00Z"},
    });
    diary.google.world().events.insert("abcde".to_owned(), series);
    let list = "GET /calendar/v3/calendars/primary/events?iCalUID";
    let page = |token: &str| {
        let items = [weekly("abcde_20260406t080000z", changed.clone())];
        let body = json!({"items": items, "nextPageToken": token});
        Fault::Reply(200, Vec::new(), body.to_string())
    };
    diary.google.world().fault(list, page("two"));
    let held = calendar.events_of("weekly@client").await.unwrap();
    assert_eq!(held.len(), 2, "{held:?}");
    assert_eq!(held[0].occurrence, None, "the series comes first, whichever page it was on");
    assert_eq!(diary.google.world().count("pageToken=two"), 1);
    // Part of a series is not the series.
    for _ in 0..2 {
        diary.google.world().fault(list, page("again"));
    }
    let error = calendar.events_of("weekly@client").await.unwrap_err();
    assert!(matches!(error, CalendarError::Temporary(_)), "{error:?}");
}
