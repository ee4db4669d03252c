//! Google Calendar: when the person is busy, and events put in once.
//!
//! Recurrences and time zones are Google's own affair here: it is asked for the times that are taken, and tells no
//! titles. An event has an id that follows from its UID, so putting it in twice is refused by Google itself. Google
//! sends no invitations; sayso's own mail invites.

use super::entry::{Entry, Zones};
use super::lines::{self, Component};
use super::{BoxFuture, Busy, Calendar, CalendarError};
use crate::config;
use crate::text::hex;
use crate::web::google::{Api, CallError, Repeat};
use crate::web::{Wait, said};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use reqwest::Method;
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// How long a reply may be.
const MOST: usize = 4 << 20;

pub struct GoogleCalendar {
    api: Result<Api, String>,
    calendar: String,
    person: TimeZone,
}

#[derive(Deserialize)]
struct FreeBusy {
    calendars: HashMap<String, Times>,
}

#[derive(Deserialize)]
struct Times {
    #[serde(default)]
    errors: Vec<Value>,
    #[serde(default)]
    busy: Vec<Time>,
}

#[derive(Deserialize)]
struct Time {
    start: Timestamp,
    end: Timestamp,
}

impl GoogleCalendar {
    /// The calendar of a login. Nothing is said yet.
    pub fn new(google: &config::Google, calendar: &str, person: TimeZone) -> Self {
        Self::patient(google, calendar, person, Wait::default())
    }

    /// The same with another patience.
    pub fn patient(google: &config::Google, calendar: &str, person: TimeZone, wait: Wait) -> Self {
        Self { api: Api::new(google, &google.calendar_url, wait), calendar: calendar.to_owned(), person }
    }

    fn api(&self) -> Result<&Api, CalendarError> {
        self.api.as_ref().map_err(|why| CalendarError::Lasting(why.clone()))
    }

    async fn taken(&self, from: Timestamp, until: Timestamp) -> Result<Vec<Busy>, CalendarError> {
        let api = self.api()?;
        let body = json!({"timeMin": from, "timeMax": until, "items": [{"id": self.calendar}]});
        let ask = api.request(Method::POST, &["freeBusy"], &[]).most(MOST);
        let ask = ask.body("application/json", body.to_string().into_bytes());
        let mut said_times: FreeBusy = api.json(ask, Repeat::Freely).await.map_err(surely_not)?;
        // Leaving a calendar out would make up free time.
        let Some(times) = said_times.calendars.remove(&self.calendar) else {
            return Err(surely_not(api.odd("another calendar than the one asked for")));
        };
        if let Some(error) = times.errors.first() {
            let reason = error.get("reason").and_then(Value::as_str).unwrap_or("no reason given");
            let text = format!(
                "Google does not show the times of the calendar {} ({}); check calendar in [calendar]",
                said(&self.calendar),
                said(reason)
            );
            return Err(CalendarError::Lasting(text));
        }
        let busy =
            |time: Time| Busy { start: time.start, end: time.end, title: String::new(), all_day: false };
        let inside = |time: &Time| time.start < until && time.end > from;
        let mut busy: Vec<Busy> = times.busy.into_iter().filter(inside).map(busy).collect();
        busy.sort_by_key(|one| (one.start, one.end));
        Ok(busy)
    }

    async fn put(&self, event: &[u8]) -> Result<(), CalendarError> {
        let api = self.api()?;
        let (uid, body) = written(event, &self.person).map_err(CalendarError::Lasting)?;
        let path = ["calendars", &self.calendar, "events"];
        let ask = api.request(Method::POST, &path, &[("sendUpdates", "none")]).most(MOST);
        match api.call(ask.body("application/json", body.to_string().into_bytes()), Repeat::Never).await {
            Ok(_) => Ok(()),
            // An id is taken for good, also after the event is deleted.
            Err(CallError::Refused { status: 409, .. }) => match self.there(&uid).await? {
                true => Ok(()),
                false => {
                    let text = "this very event was in the calendar and was deleted there; propose it anew";
                    Err(CalendarError::Lasting(text.to_owned()))
                }
            },
            Err(error) => Err(surely_not(error)),
        }
    }

    async fn there(&self, uid: &str) -> Result<bool, CalendarError> {
        let api = self.api()?;
        let ask =
            api.request(Method::GET, &["calendars", &self.calendar, "events", &id(uid)], &[]).most(MOST);
        match api.json::<Value>(ask, Repeat::Freely).await {
            Ok(event) => Ok(event.get("status").and_then(Value::as_str) != Some("cancelled")),
            Err(CallError::Refused { status: 404 | 410, .. }) => Ok(false),
            Err(error) => Err(surely_not(error)),
        }
    }
}

impl Calendar for GoogleCalendar {
    fn name(&self) -> &str {
        &self.calendar
    }

    fn busy(&self, from: Timestamp, until: Timestamp) -> BoxFuture<'_, Result<Vec<Busy>, CalendarError>> {
        Box::pin(self.taken(from, until))
    }

    fn add<'a>(&'a self, event: &'a [u8]) -> BoxFuture<'a, Result<(), CalendarError>> {
        Box::pin(self.put(event))
    }

    fn holds<'a>(&'a self, uid: &'a str) -> BoxFuture<'a, Result<bool, CalendarError>> {
        Box::pin(self.there(uid))
    }

    fn check(&self) -> BoxFuture<'_, Result<String, CalendarError>> {
        Box::pin(async move {
            let now = Timestamp::now();
            let soon = now.saturating_add(jiff::SignedDuration::from_hours(1)).unwrap_or(now);
            self.taken(now, soon).await?;
            Ok(format!("the times of {} are shown by {}", said(&self.calendar), self.api()?.place()))
        })
    }
}

fn surely_not(error: CallError) -> CalendarError {
    match error {
        // Logged in again, the same can be done.
        CallError::Passing(text) | CallError::Odd(text) | CallError::Login(text) => {
            CalendarError::Passing(text)
        }
        CallError::Unknown(text) => CalendarError::Unknown(text),
        CallError::Refused { text, .. } | CallError::Lasting(text) => CalendarError::Lasting(text),
    }
}

/// The id an event has at Google: letters a to v and digits alone are allowed.
fn id(uid: &str) -> String {
    hex(&Sha256::digest(uid.as_bytes())[..20])
}

/// The UID of an iCalendar event, and the event as Google writes it.
fn written(event: &[u8], person: &TimeZone) -> Result<(String, Value), String> {
    let bad = |why: &dyn std::fmt::Display| format!("the event cannot be put in: {why}");
    let calendars = lines::read(event).map_err(|error| bad(&error))?;
    let inside = calendars.iter().flat_map(|calendar| &calendar.inside);
    let events: Vec<&Component> = inside.filter(|part| part.kind == "VEVENT").collect();
    let [event] = events.as_slice() else { return Err(bad(&"it is not exactly one event")) };
    let entry = Entry::read(event, &Zones::of(&calendars), person).map_err(|error| bad(&error))?;
    if entry.uid.is_empty() || entry.start.is_day() || !entry.rules.is_empty() {
        return Err(bad(&"it is no plain meeting with a UID"));
    }
    let start = entry.start.instant(person).ok_or_else(|| bad(&"it begins beyond the end of time"))?;
    let end = entry.length.end(entry.start.civil, &entry.start.clock, person);
    let end = end.ok_or_else(|| bad(&"it ends beyond the end of time"))?;
    let zone = event.line("DTSTART").and_then(|line| line.param("TZID")).unwrap_or("UTC");
    let attendees: Vec<Value> = event
        .all("ATTENDEE")
        .map(|who| {
            let address = who.value.trim();
            let address =
                address.get(7..).filter(|_| address[..7].eq_ignore_ascii_case("mailto:")).unwrap_or(address);
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
        "extendedProperties": {"private": {"uid": entry.uid}},
    });
    for (key, name) in [("location", "LOCATION"), ("description", "DESCRIPTION")] {
        if event.line(name).is_some() {
            body[key] = json!(event.text(name));
        }
    }
    Ok((entry.uid, body))
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
            sequence: 0,
            title: "Offer; and more".to_owned(),
            start: "2026-03-30T08:00:00Z".parse().unwrap(),
            end: "2026-03-30T08:30:00Z".parse().unwrap(),
            zone: Some("Europe/Paris".to_owned()),
            location: "Room 1".to_owned(),
            description: String::new(),
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
        assert!(body["id"].as_str().unwrap().len() == 40);
        assert!(written(b"BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n", &TimeZone::UTC).is_err());
    }
}
