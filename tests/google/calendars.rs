//! Google Calendar: times that are taken, events put in once, and every way it can go wrong.

use crate::WAIT;
use crate::fake::{Fault, Google};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use sayso::calendar::{Calendar, CalendarError, Event, GoogleCalendar, Person, event_text};

pub fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

pub fn meeting(uid: &str) -> Vec<u8> {
    event_text(&Event {
        uid: uid.to_owned(),
        stamp: at("2026-03-01T00:00:00Z"),
        sequence: 0,
        title: "Offer".to_owned(),
        start: at("2026-03-30T08:00:00Z"),
        end: at("2026-03-30T08:30:00Z"),
        zone: Some("Europe/Paris".to_owned()),
        location: String::new(),
        description: String::new(),
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
        let calendar = GoogleCalendar::patient(&login, "primary", TimeZone::UTC, WAIT);
        (Self { google, _folder: folder, login }, calendar)
    }
}

const INSERT: &str = "POST /calendar/v3/calendars/primary/events";

#[tokio::test]
async fn times_that_are_taken_are_instants_in_order() {
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
async fn what_cannot_be_seen_is_an_error_and_never_free_time() {
    let (diary, calendar) = Diary::new();
    let day = (at("2026-03-30T00:00:00Z"), at("2026-03-31T00:00:00Z"));
    let other = GoogleCalendar::patient(&diary.login, "nobody@example.org", TimeZone::UTC, WAIT);
    let error = other.busy(day.0, day.1).await.unwrap_err();
    assert!(matches!(&error, CalendarError::Lasting(text) if text.contains("notFound")), "{error:?}");
    for odd in
        [r#"{"calendars": {}}"#, "{}", r#"{"calendars": {"primary": {"busy": [{"start": 7}]}}}"#, "<html>"]
    {
        diary.google.world().fault("POST /calendar/v3/freeBusy", Fault::Says(200, vec![], odd.into()));
        assert!(calendar.busy(day.0, day.1).await.is_err(), "{odd}");
    }
    diary.google.world().fault("POST /calendar/v3/freeBusy", Fault::Endless);
    assert!(calendar.busy(day.0, day.1).await.is_err());
    let off = r#"{"error": {"errors": [{"reason": "accessNotConfigured"}]}}"#;
    diary.google.world().fault("POST /calendar/v3/freeBusy", Fault::Says(403, vec![], off.into()));
    let error = calendar.busy(day.0, day.1).await.unwrap_err().to_string();
    assert!(error.contains("switch it on in Google's console"), "{error}");
}

#[tokio::test]
async fn an_event_is_put_in_once_whatever_breaks_off() {
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
            world.asked.iter().all(|call| !call.contains("/events?") || call.contains("sendUpdates=none"))
        );
        assert_eq!(world.events.len(), 1);
        world.events.values().next().unwrap().clone()
    };
    assert_eq!(inserted["attendees"][0]["email"], "bob@example.com");
    assert_eq!(inserted["start"]["timeZone"], "Europe/Paris");
    // Deleted by the person, it is not put in again unasked.
    diary.google.world().events.values_mut().for_each(|event| event["status"] = "cancelled".into());
    assert!(!calendar.holds(uid).await.unwrap());
    assert!(matches!(calendar.add(&event).await, Err(CalendarError::Lasting(_))));
}
