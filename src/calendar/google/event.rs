//! Converts events between iCalendar and Google's format.
//!
//! Google makes the person the organizer of events we add for them, so we store the real organizer and the event's
//! version along with it.

use crate::calendar::entry::{BEYOND, Entry, Zones};
use crate::calendar::invited::{InvitedEvent, bare, events, rule_words};
use crate::calendar::lines;
use crate::calendar::time::moment::{Clock, Moment};
use crate::calendar::time::rule::Rule;
use crate::calendar::write::Person;
use crate::text::{hex, short_line};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The id of an event at Google, which allows only digits and the letters a to v.
pub(super) fn id(uid: &str) -> String {
    hex(&Sha256::digest(uid.as_bytes())[..20])
}

/// The UID of an iCalendar event, and the event in Google's format.
pub(super) fn written(event: &[u8], person: &TimeZone) -> Result<(String, Value), String> {
    let bad = |why: &dyn std::fmt::Display| format!("the event cannot be put in: {why}");
    let calendars = lines::read(event).map_err(|error| bad(&error))?;
    let components: Vec<_> = events(&calendars).collect();
    let [event] = components.as_slice() else { return Err(bad(&"it is not exactly one event")) };
    let entry = Entry::read(event, &Zones::of(&calendars), person).map_err(|error| bad(&error))?;
    if entry.uid.is_empty() {
        return Err(bad(&"it has no UID"));
    }
    if !entry.rules.is_empty() || !entry.extra.is_empty() {
        return Err(bad(&"it repeats, and sayso puts no series into Google Calendar"));
    }
    let (start, end) = times(&entry, person).map_err(|error| bad(&error))?;
    let attendees: Vec<Value> = event
        .all("ATTENDEE")
        .map(|who| {
            let address = bare(&who.value);
            match who.param("CN") {
                Some(name) => json!({"email": address, "displayName": name}),
                None => json!({ "email": address }),
            }
        })
        .collect();
    let mut body = json!({
        "id": id(&entry.uid),
        "summary": event.text("SUMMARY"),
        "start": start,
        "end": end,
        "attendees": attendees,
    });
    let mut properties = json!({"uid": entry.uid, "sequence": entry.sequence.to_string()});
    if let Some(organizer) = event.line("ORGANIZER") {
        properties["organizer"] = json!(bare(&organizer.value));
    }
    if let Some(stamp) = event.line("DTSTAMP") {
        properties["stamp"] = json!(stamp.value.trim());
    }
    body["extendedProperties"] = json!({ "private": properties });
    for (key, name) in [("location", "LOCATION"), ("description", "DESCRIPTION")] {
        if event.line(name).is_some() {
            body[key] = json!(event.text(name));
        }
    }
    Ok((entry.uid, body))
}

/// When an event begins and ends. Google knows zones by their IANA names only.
fn times(entry: &Entry, person: &TimeZone) -> Result<(Value, Value), &'static str> {
    let Entry { start: Moment { civil, clock }, length, .. } = entry;
    if *clock == Clock::Day {
        let days = length.exact.is_zero().then_some(length.days).ok_or("it does not end with a day")?;
        let end = Span::new().try_days(days).and_then(|days| civil.date().checked_add(days));
        return Ok((json!({ "date": civil.date() }), json!({ "date": end.map_err(|_| BEYOND)? })));
    }
    let zone = match clock {
        Clock::Zone(zone) => zone.iana_name(),
        Clock::Day | Clock::Person => person.iana_name(),
        Clock::Utc => None,
    };
    let time = |at: Timestamp| json!({"dateTime": at, "timeZone": zone.unwrap_or("UTC")});
    let end = length.end(*civil, clock, person).ok_or(BEYOND)?;
    Ok((time(entry.start.instant(person).ok_or(BEYOND)?), time(end)))
}

/// An event from Google; `None` if it cannot be understood.
pub(super) fn read(uid: &str, event: &Value, person: &TimeZone) -> Option<InvitedEvent> {
    let line = |text: &str| short_line(text, 400);
    let text = |key: &str| line(event[key].as_str().unwrap_or_default());
    let property = |key: &str| event["extendedProperties"]["private"][key].as_str();
    let organizer = property("organizer").or_else(|| event["organizer"]["email"].as_str());
    let sequence = property("sequence").and_then(|sequence| sequence.parse().ok());
    let stamp = property("stamp").and_then(|stamp| Moment::bare(stamp)?.instant(&TimeZone::UTC));
    Some(InvitedEvent {
        uid: uid.to_owned(),
        occurrence: match event.get("originalStartTime") {
            Some(time) => Some(moment(time, person)?),
            None => None,
        },
        sequence: sequence.or_else(|| event["sequence"].as_i64()).unwrap_or(0),
        stamp,
        cancelled: event["status"] == "cancelled",
        title: text("summary"),
        start: moment(&event["start"], person)?,
        end: moment(&event["end"], person)?,
        all_day: event["start"]["date"].is_string(),
        organizer: organizer.map(|address| Person { name: String::new(), address: line(address) }),
        location: text("location"),
        recurrence: recurrence(event),
        ..InvitedEvent::default()
    })
}

/// How an event repeats, in words.
fn recurrence(event: &Value) -> Option<String> {
    if event.get("recurringEventId").is_some() {
        return Some("only this once of a series".to_owned());
    }
    let lines = event["recurrence"].as_array()?.iter().filter_map(Value::as_str);
    let rules = lines.filter_map(|line| Rule::read(line.strip_prefix("RRULE:")?).ok());
    let words: Vec<String> = rules.map(|rule| rule_words(&rule)).collect();
    Some(if words.is_empty() { "repeated".to_owned() } else { words.join("; ") })
}

fn moment(time: &Value, person: &TimeZone) -> Option<Timestamp> {
    if let Some(at) = time["dateTime"].as_str() {
        return at.parse().ok();
    }
    let day: Date = time["date"].as_str()?.parse().ok()?;
    Some(day.to_zoned(person.clone()).ok()?.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::{Event, Person, event_text};

    #[test]
    fn an_event_as_google_writes_it() {
        let event = Event {
            uid: "t1-c1@sayso".to_owned(),
            stamp: "2026-03-01T00:00:00Z".parse().unwrap(),
            title: "Offer; and more".to_owned(),
            start: "2026-03-30T08:00:00Z".parse().unwrap(),
            end: "2026-03-30T08:30:00Z".parse().unwrap(),
            zone: Some("Europe/Paris".to_owned()),
            location: "Room 1".to_owned(),
            organizer: None,
            attendees: vec![Person { name: "Bob".to_owned(), address: "bob@example.com".to_owned() }],
        };
        let (uid, body) = written(&event_text(&event), &TimeZone::UTC).unwrap();
        assert_eq!(uid, "t1-c1@sayso");
        assert_eq!(body["summary"], "Offer; and more");
        assert_eq!(body["start"], json!({"dateTime": "2026-03-30T08:00:00Z", "timeZone": "Europe/Paris"}));
        assert_eq!(body["end"]["dateTime"], "2026-03-30T08:30:00Z");
        assert_eq!(body["attendees"], json!([{"email": "bob@example.com", "displayName": "Bob"}]));
        assert_eq!(body["location"], "Room 1");
        assert_eq!(body["extendedProperties"]["private"]["stamp"], "20260301T000000Z");
        let shown = read(&uid, &body, &TimeZone::UTC).unwrap();
        assert_eq!((shown.start, shown.end, shown.stamp), (event.start, event.end, Some(event.stamp)));
        assert_eq!((shown.title, shown.sequence), (event.title, 0));
        assert!(read(&uid, &json!({"start": {"dateTime": "soon"}}), &TimeZone::UTC).is_none());
        assert!(body["id"].as_str().unwrap().len() == 40);
        assert!(written(b"BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n", &TimeZone::UTC).is_err());
    }

    #[test]
    fn days_zones_and_series_as_google_takes_them() {
        let event = |lines: &str| {
            let text = format!(
                "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:a\r\n{lines}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
            );
            written(text.as_bytes(), &TimeZone::get("Asia/Tokyo").unwrap()).map(|(_, body)| body)
        };
        let days = event("DTSTART;VALUE=DATE:20261117\r\nDTEND;VALUE=DATE:20261119").unwrap();
        assert_eq!(
            (&days["start"], &days["end"]),
            (&json!({"date": "2026-11-17"}), &json!({"date": "2026-11-19"}))
        );
        let read = read("a", &days, &TimeZone::UTC).unwrap();
        assert!(read.all_day && read.end == "2026-11-19T00:00:00Z".parse().unwrap());
        for (start, zone) in [
            ("DTSTART;TZID=W. Europe Standard Time:20261117T090000", "Europe/Berlin"),
            ("DTSTART:20261117T170000", "Asia/Tokyo"),
            ("DTSTART:20261117T080000Z", "UTC"),
        ] {
            let body = event(start).unwrap();
            assert_eq!(body["start"], json!({"dateTime": "2026-11-17T08:00:00Z", "timeZone": zone}));
        }
        for series in ["RRULE:FREQ=DAILY", "RDATE:20261118T080000Z"] {
            let error = event(&format!("DTSTART:20261117T080000Z\r\n{series}")).unwrap_err();
            assert!(error.contains("it repeats"), "{error}");
        }
    }
}
