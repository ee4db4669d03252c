//! Converts events between iCalendar and Google's format.
//!
//! Google makes the person the organizer of events we add for them, so we store the real organizer and the event's
//! version along with it.

use crate::calendar::entry::{Entry, Zones};
use crate::calendar::invited::{InvitedEvent, bare, events, rule_words};
use crate::calendar::lines;
use crate::calendar::time::rule::Rule;
use crate::calendar::write::Person;
use crate::text::{hex, short_line};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
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
    if entry.uid.is_empty() || entry.start.is_day() || !entry.rules.is_empty() {
        return Err(bad(&"it is no plain meeting with a UID"));
    }
    let start = entry.start.instant(person).ok_or_else(|| bad(&"it begins too far in the future"))?;
    let end = entry.length.end(entry.start.civil, &entry.start.clock, person);
    let end = end.ok_or_else(|| bad(&"it ends too far in the future"))?;
    let zone = event.line("DTSTART").and_then(|line| line.param("TZID")).unwrap_or("UTC");
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
        "start": {"dateTime": start, "timeZone": zone},
        "end": {"dateTime": end, "timeZone": zone},
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

/// An event from Google; `None` if it cannot be understood.
pub(super) fn read(uid: &str, event: &Value, person: &TimeZone) -> Option<InvitedEvent> {
    let line = |text: &str| short_line(text, 400);
    let text = |key: &str| line(event[key].as_str().unwrap_or_default());
    let property = |key: &str| event["extendedProperties"]["private"][key].as_str();
    let organizer = property("organizer").or_else(|| event["organizer"]["email"].as_str());
    let sequence = property("sequence").and_then(|sequence| sequence.parse().ok());
    let stamp = property("stamp")
        .and_then(|stamp| crate::calendar::time::moment::Moment::bare(stamp)?.instant(&TimeZone::UTC));
    Some(InvitedEvent {
        uid: line(uid),
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
        all_day: event["start"].get("date").is_some(),
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
}
