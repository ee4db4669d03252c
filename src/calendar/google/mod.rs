//! Google Calendar: reads when the person is busy, adds events once, changes and removes them.
//!
//! Google handles recurrences and time zones: we ask for busy times, which come without titles. An event's id follows
//! from its UID, so Google refuses to add it twice. Events that Google took from the mail itself are found by their
//! UID. Google sends no invitations; sayso's own mail does.

mod event;

use super::revise::{News, Revision};
use super::{BoxFuture, Busy, Calendar, CalendarError, InvitedEvent};
use crate::config;
use crate::tools::web::google::{Api, CallError, EVENTS, FREE_BUSY, Page, Repeat};
use crate::tools::web::{WebTimeouts, safe_excerpt};
use event::{id, read, written};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use reqwest::Method;
use reqwest::header::IF_MATCH;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;

/// The maximum size of a response.
const MAX_REPLY: usize = 4 << 20;
/// How many changed occurrences a series may have.
const MAX_OCCURRENCES: usize = 10_000;
/// How often we read an event again if others change it.
const TRIES: usize = 4;
/// Tells Google to write to nobody.
const SILENT: (&str, &str) = ("sendUpdates", "none");

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
#[serde(rename_all = "camelCase")]
struct Listed {
    #[serde(default)]
    items: Vec<Value>,
    next_page_token: Option<String>,
}

impl Page for Listed {
    fn next_page(&self) -> Option<&str> {
        self.next_page_token.as_deref()
    }
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
    /// The calendar of a login. Makes no request yet.
    pub fn new(google: &config::Google, calendar: &str, person: TimeZone) -> Self {
        Self::with_timeouts(google, calendar, person, WebTimeouts::default())
    }

    /// Like `new`, with other timeouts.
    pub fn with_timeouts(
        google: &config::Google,
        calendar: &str,
        person: TimeZone,
        wait: WebTimeouts,
    ) -> Self {
        let api = Api::new(google, &google.calendar_url, &[EVENTS, FREE_BUSY], wait);
        Self { api, calendar: calendar.to_owned(), person }
    }

    fn api(&self) -> Result<&Api, CalendarError> {
        self.api.as_ref().map_err(|why| CalendarError::Permanent(why.clone()))
    }

    async fn busy_times(&self, from: Timestamp, until: Timestamp) -> Result<Vec<Busy>, CalendarError> {
        let api = self.api()?;
        let body = json!({"timeMin": from, "timeMax": until, "items": [{"id": self.calendar}]});
        let ask = api.request(Method::POST, &["freeBusy"], &[]).most(MAX_REPLY);
        let ask = ask.body("application/json", body.to_string().into_bytes());
        let mut reply: FreeBusy = api.json(ask, Repeat::Freely).await.map_err(to_calendar_error)?;
        // Skipping a calendar would invent free time.
        let Some(times) = reply.calendars.remove(&self.calendar) else {
            return Err(to_calendar_error(api.unexpected("another calendar than the one asked for")));
        };
        if let Some(error) = times.errors.first() {
            let reason = error.get("reason").and_then(Value::as_str).unwrap_or("no reason given");
            let text = format!(
                "Google does not show the times of the calendar {} ({}); check calendar in [calendar]",
                safe_excerpt(&self.calendar),
                safe_excerpt(reason)
            );
            return Err(CalendarError::Permanent(text));
        }
        let busy =
            |time: Time| Busy { start: time.start, end: time.end, title: String::new(), all_day: false };
        let is_inside = |time: &Time| time.start < until && time.end > from;
        let mut busy: Vec<Busy> = times.busy.into_iter().filter(is_inside).map(busy).collect();
        busy.sort_by_key(|one| (one.start, one.end));
        Ok(busy)
    }

    async fn put(&self, event: &[u8]) -> Result<(), CalendarError> {
        let api = self.api()?;
        let (uid, body) = written(event, &self.person).map_err(CalendarError::Permanent)?;
        if !self.imported(&uid).await?.is_empty() {
            return Ok(());
        }
        let path = ["calendars", &self.calendar, "events"];
        let ask = api.request(Method::POST, &path, &[SILENT]).most(MAX_REPLY);
        match api.call(ask.body("application/json", body.to_string().into_bytes()), Repeat::Never).await {
            Ok(_) => Ok(()),
            // An id stays taken, even after the event is deleted.
            Err(CallError::Refused { status: 409, .. }) => match self.added_event(&uid).await? {
                Some(_) => Ok(()),
                None => {
                    let text = "this same event was in the calendar and was deleted there; propose it again";
                    Err(CalendarError::Permanent(text.to_owned()))
                }
            },
            Err(error) => Err(to_calendar_error(error)),
        }
    }

    /// The event that sayso added.
    async fn added_event(&self, uid: &str) -> Result<Option<Value>, CalendarError> {
        let api = self.api()?;
        let ask =
            api.request(Method::GET, &["calendars", &self.calendar, "events", &id(uid)], &[]).most(MAX_REPLY);
        match api.json::<Value>(ask, Repeat::Freely).await {
            Ok(event) => Ok(Some(event).filter(|event| event["status"] != "cancelled")),
            Err(CallError::Refused { status: 404 | 410, .. }) => Ok(None),
            Err(error) => Err(to_calendar_error(error)),
        }
    }

    /// The events that Google itself has for a UID: the series and its changed occurrences.
    async fn imported(&self, uid: &str) -> Result<Vec<Value>, CalendarError> {
        let api = self.api()?;
        let query = [("iCalUID", uid), ("maxResults", "250")];
        let ask = api.request(Method::GET, &["calendars", &self.calendar, "events"], &query).most(MAX_REPLY);
        let (mut events, mut pages) = (Vec::new(), api.pages(ask));
        while let Some(listed) = pages.next::<Listed>().await.map_err(to_calendar_error)? {
            events.extend(listed.items);
            if events.len() > MAX_OCCURRENCES {
                return Err(to_calendar_error(api.unexpected("more occurrences than a series may have")));
            }
        }
        events.retain(|event| event["status"] != "cancelled");
        Ok(events)
    }

    /// Everything with this UID, the event itself first.
    async fn find_events(&self, uid: &str) -> Result<Vec<Value>, CalendarError> {
        let mut events = self.imported(uid).await?;
        if events.is_empty() {
            events.extend(self.added_event(uid).await?);
        }
        events.sort_by_key(|event| event.get("recurringEventId").is_some());
        Ok(events)
    }

    /// Google's events, parsed. An event that cannot be read is an error.
    fn parse_events(&self, uid: &str, events: &[Value]) -> Result<Vec<InvitedEvent>, CalendarError> {
        let unreadable = || {
            let text = format!("Google shows an event that cannot be read ({})", safe_excerpt(uid));
            CalendarError::Permanent(text)
        };
        events.iter().map(|event| read(uid, event, &self.person).ok_or_else(unreadable)).collect()
    }

    async fn of_uid(&self, uid: &str) -> Result<Vec<InvitedEvent>, CalendarError> {
        let events = self.find_events(uid).await?;
        self.parse_events(uid, &events)
    }

    async fn make_revision(
        &self,
        event: &[u8],
        sender: &str,
        revision: Revision,
    ) -> Result<(), CalendarError> {
        let news = News::read(event, sender, revision, &self.person)?;
        for _ in 0..TRIES {
            let events = self.find_events(&news.uid).await?;
            if !news.applies(&self.parse_events(&news.uid, &events)?)? {
                return Ok(());
            }
            let is_done = match (news.is_whole(), events.first()) {
                (_, None) => return Ok(()),
                (true, Some(series)) => self.change_event(series, event, revision).await?,
                (false, Some(_)) => self.change_occurrence(&news, &events, event, revision).await?,
            };
            if is_done {
                return Ok(());
            }
        }
        let text = "the event keeps changing at Google; try again later";
        Err(CalendarError::Temporary(text.to_owned()))
    }

    /// Changes a single occurrence of a series. We can tell Google about only one at a time, so the mail may name only
    /// one.
    async fn change_occurrence(
        &self,
        news: &News<'_>,
        events: &[Value],
        event: &[u8],
        revision: Revision,
    ) -> Result<bool, CalendarError> {
        let [InvitedEvent { occurrence: Some(at), onwards: false, .. }] = news.events.as_slice() else {
            let text = "the mail changes several occurrences at once; sayso can only tell Google of one";
            return Err(CalendarError::Permanent(text.to_owned()));
        };
        let held = self.parse_events(&news.uid, events)?;
        if let Some(index) = held.iter().position(|one| one.occurrence == Some(*at)) {
            return self.change_event(&events[index], event, revision).await;
        }
        let (api, series) = (self.api()?, events[0]["id"].as_str().unwrap_or_default());
        let path = ["calendars", &self.calendar, "events", series, "instances"];
        let at = at.to_string();
        let ask = api.request(Method::GET, &path, &[("originalStart", at.as_str())]).most(MAX_REPLY);
        let (mut occurrence, mut pages) = (None, api.pages(ask));
        while occurrence.is_none()
            && let Some(listed) = pages.next::<Listed>().await.map_err(to_calendar_error)?
        {
            occurrence = listed.items.into_iter().next();
        }
        match occurrence.filter(|one| one["status"] != "cancelled") {
            Some(occurrence) => self.change_event(&occurrence, event, revision).await,
            // It is already gone.
            None if revision == Revision::Remove => Ok(true),
            None => {
                let text = "the series in the calendar has no such occurrence; nothing was changed there";
                Err(CalendarError::Permanent(text.to_owned()))
            }
        }
    }

    /// Changes or deletes one event in the version we read; `false` if it has changed since.
    async fn change_event(
        &self,
        current: &Value,
        event: &[u8],
        revision: Revision,
    ) -> Result<bool, CalendarError> {
        let api = self.api()?;
        let id = current["id"].as_str().unwrap_or_default();
        let path = ["calendars", &self.calendar, "events", id];
        let ask = match revision {
            Revision::Remove => api.request(Method::DELETE, &path, &[SILENT]),
            Revision::Change if current["recurrence"].is_array() && current["recurringEventId"].is_null() => {
                let text = "the event is a series at Google, where sayso changes only single occurrences";
                return Err(CalendarError::Permanent(text.to_owned()));
            }
            Revision::Change => {
                let (_, mut body) = written(event, &self.person).map_err(CalendarError::Permanent)?;
                if let Some(body) = body.as_object_mut() {
                    // The id stays, and the organizer tells who else comes.
                    body.retain(|key, _| key != "id" && key != "attendees");
                    for key in ["location", "description"] {
                        body.entry(key).or_insert(Value::Null);
                    }
                    // What was a day may become a time, and the other way round.
                    for key in ["start", "end"] {
                        if let Some(time) = body.get_mut(key).and_then(Value::as_object_mut) {
                            for form in ["date", "dateTime", "timeZone"] {
                                time.entry(form).or_insert(Value::Null);
                            }
                        }
                    }
                }
                let ask = api.request(Method::PATCH, &path, &[SILENT]);
                ask.body("application/json", body.to_string().into_bytes())
            }
        };
        let version = current["etag"].as_str().unwrap_or("*");
        match api.call(ask.header(IF_MATCH, version).most(MAX_REPLY), Repeat::Never).await {
            Ok(_) => Ok(true),
            Err(CallError::Refused { status: 404 | 410 | 412, .. }) => Ok(false),
            Err(error) => Err(to_calendar_error(error)),
        }
    }
}

impl Calendar for GoogleCalendar {
    fn name(&self) -> &str {
        &self.calendar
    }

    fn busy(&self, from: Timestamp, until: Timestamp) -> BoxFuture<'_, Result<Vec<Busy>, CalendarError>> {
        Box::pin(self.busy_times(from, until))
    }

    fn add<'a>(&'a self, event: &'a [u8]) -> BoxFuture<'a, Result<(), CalendarError>> {
        Box::pin(self.put(event))
    }

    fn events_of<'a>(&'a self, uid: &'a str) -> BoxFuture<'a, Result<Vec<InvitedEvent>, CalendarError>> {
        Box::pin(self.of_uid(uid))
    }

    fn revise<'a>(
        &'a self,
        event: &'a [u8],
        sender: &'a str,
        revision: Revision,
    ) -> BoxFuture<'a, Result<(), CalendarError>> {
        Box::pin(self.make_revision(event, sender, revision))
    }

    fn check(&self) -> BoxFuture<'_, Result<String, CalendarError>> {
        Box::pin(async move {
            let now = Timestamp::now();
            let soon = now.saturating_add(jiff::SignedDuration::from_hours(1)).unwrap_or(now);
            self.busy_times(now, soon).await?;
            Ok(format!("the times of {} are shown by {}", safe_excerpt(&self.calendar), self.api()?.place()))
        })
    }
}

fn to_calendar_error(error: CallError) -> CalendarError {
    match error {
        // After a new login it can succeed.
        CallError::Temporary(text) | CallError::Login(text) => CalendarError::Temporary(text),
        CallError::Unknown(text) => CalendarError::Unknown(text),
        CallError::Refused { text, .. } | CallError::Permanent(text) => CalendarError::Permanent(text),
    }
}
