//! A calendar in an iCalendar file, or in a folder of them (one event per file, like vdirsyncer and khal).
//!
//! Promises: an event that cannot be read is an error that names it, because skipping it would invent free time.
//! Adding, changing or removing an event touches no other byte, and is on disk when we say so. Adding an event twice
//! adds it once. Changes that another program makes meanwhile are kept.

use super::busy::{Window, busy_times};
use super::entry::{Entry, entries_of};
use super::file::{self, Changed};
use super::invited::{InvitedEvent, events_of, holds};
use super::lines::{self, Component};
use super::revise::{News, Revision, only_uid, revise};
use super::{BoxFuture, Busy, Calendar, CalendarError};
use crate::text::count_noun;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How often we read a file again if others write to it.
const TRIES: usize = 8;

#[derive(Clone, Debug)]
pub struct IcsCalendar {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    name: String,
    path: PathBuf,
    person: TimeZone,
}

impl IcsCalendar {
    /// The calendar at `path`. Times without a zone are the person's.
    pub fn new(path: &Path, person: TimeZone) -> Self {
        let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Self { inner: Arc::new(Inner { name, path: path.to_owned(), person }) }
    }

    /// Runs disk work on a blocking thread.
    fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Inner) -> Result<T, CalendarError> + Send + 'static,
    ) -> BoxFuture<'_, Result<T, CalendarError>> {
        let inner = self.inner.clone();
        Box::pin(async move {
            match tokio::task::spawn_blocking(move || work(&inner)).await {
                Ok(done) => done,
                Err(error) => Err(CalendarError::Unknown(format!("the calendar was given up: {error}"))),
            }
        })
    }
}

impl Calendar for IcsCalendar {
    fn name(&self) -> &str {
        &self.inner.name
    }

    fn busy(&self, from: Timestamp, until: Timestamp) -> BoxFuture<'_, Result<Vec<Busy>, CalendarError>> {
        self.work(move |inner| inner.busy(from, until))
    }

    fn add<'a>(&'a self, event: &'a [u8]) -> BoxFuture<'a, Result<(), CalendarError>> {
        let event = event.to_vec();
        self.work(move |inner| inner.add(&event))
    }

    fn events_of<'a>(&'a self, uid: &'a str) -> BoxFuture<'a, Result<Vec<InvitedEvent>, CalendarError>> {
        let uid = uid.to_owned();
        self.work(move |inner| inner.events(&uid))
    }

    fn revise<'a>(
        &'a self,
        event: &'a [u8],
        sender: &'a str,
        revision: Revision,
    ) -> BoxFuture<'a, Result<(), CalendarError>> {
        let (event, sender) = (event.to_vec(), sender.to_owned());
        self.work(move |inner| inner.revise(&event, &sender, revision))
    }

    fn check(&self) -> BoxFuture<'_, Result<String, CalendarError>> {
        self.work(Inner::check)
    }
}

/// A parsed file.
struct Text {
    path: PathBuf,
    bytes: Vec<u8>,
    calendars: Vec<Component>,
}

impl Text {
    fn read(path: PathBuf, bytes: Vec<u8>) -> Result<Self, CalendarError> {
        // A newly created file is an empty calendar.
        let calendars = if bytes.trim_ascii().is_empty() {
            Vec::new()
        } else {
            lines::read(&bytes).map_err(|error| damaged(&path, &error))?
        };
        Ok(Self { path, bytes, calendars })
    }
}

impl Inner {
    fn is_folder(&self) -> bool {
        self.path.is_dir()
    }

    /// All files; none if the file does not exist yet.
    fn texts(&self) -> Result<Vec<Text>, CalendarError> {
        if self.is_folder() {
            let files = file::read_folder(&self.path)?;
            return files.into_iter().map(|(path, bytes)| Text::read(path, bytes)).collect();
        }
        match file::read(&self.path)? {
            Some(bytes) => Ok(vec![Text::read(self.path.clone(), bytes)?]),
            None if self
                .path
                .parent()
                .is_some_and(|parent| parent.as_os_str().is_empty() || parent.is_dir()) =>
            {
                Ok(Vec::new())
            }
            None => {
                let path = self.path.display();
                Err(CalendarError::Permanent(format!(
                    "the folder of the calendar {path} is not there; make it"
                )))
            }
        }
    }

    fn entries(&self, texts: &[Text]) -> Result<Vec<Entry>, CalendarError> {
        let mut entries = Vec::new();
        for text in texts {
            let read = entries_of(&text.calendars, &self.person);
            let read = read.map_err(|(title, uid, error)| broken(&text.path, &title, &uid, &error))?;
            entries.extend(read);
        }
        Ok(entries)
    }

    fn busy(&self, from: Timestamp, until: Timestamp) -> Result<Vec<Busy>, CalendarError> {
        let entries = self.entries(&self.texts()?)?;
        busy_times(&entries, &Window { from, until, person: &self.person })
            .map_err(|(entry, error)| broken(&self.path, &entry.title, &entry.uid, &error))
    }

    fn add(&self, event: &[u8]) -> Result<(), CalendarError> {
        let bad = |error: &dyn std::fmt::Display| {
            CalendarError::Permanent(format!("the event cannot be put in: {error}"))
        };
        let added = Text::read(PathBuf::new(), event.to_vec())?;
        let uid = only_uid(&added.calendars).map_err(|error| bad(&error))?;
        self.texts()?;
        let _lock = file::lock(&self.path)?;
        for _ in 0..TRIES {
            let texts = self.texts()?;
            if texts.iter().any(|text| holds(&text.calendars, &uid)) {
                return Ok(());
            }
            let changed = if self.is_folder() {
                file::replace(&self.path.join(file::name_for(&uid)), None, event)?
            } else {
                match texts.first() {
                    Some(text) => file::replace(&self.path, Some(&text.bytes), &with(text, &added))?,
                    None => file::replace(&self.path, None, event)?,
                }
            };
            if changed == Changed::Done {
                return Ok(());
            }
        }
        Err(self.busy_elsewhere())
    }

    fn busy_elsewhere(&self) -> CalendarError {
        let path = self.path.display();
        CalendarError::Temporary(format!(
            "another program keeps changing the calendar {path}; try again later"
        ))
    }

    fn events(&self, uid: &str) -> Result<Vec<InvitedEvent>, CalendarError> {
        let mut events = Vec::new();
        for text in self.texts()?.iter().filter(|text| holds(&text.calendars, uid)) {
            let read = events_of(&text.calendars, uid, &self.person);
            events.extend(read.map_err(|error| broken(&text.path, "", uid, &error))?);
        }
        Ok(events)
    }

    fn revise(&self, event: &[u8], sender: &str, revision: Revision) -> Result<(), CalendarError> {
        let news = News::read(event, sender, revision, &self.person)?;
        self.texts()?;
        let _lock = file::lock(&self.path)?;
        for _ in 0..TRIES {
            let mut texts = self.texts()?;
            texts.retain(|text| holds(&text.calendars, &news.uid));
            let Some(text) = texts.first() else { return news.applies(&[]).map(drop) };
            if texts.len() > 1 {
                let path = self.path.display();
                return Err(CalendarError::Permanent(format!(
                    "{path} has the event in {} files; leave it in one of them",
                    texts.len()
                )));
            }
            let revised = match revise(&text.bytes, &text.calendars, &news, &self.person)? {
                Some(revised) => revised,
                None => return Ok(()),
            };
            let changed = if revised.is_empty && self.is_folder() {
                file::remove(&text.path, &text.bytes)?
            } else {
                file::replace(&text.path, Some(&text.bytes), &revised.bytes)?
            };
            if changed == Changed::Done {
                return Ok(());
            }
        }
        Err(self.busy_elsewhere())
    }

    fn check(&self) -> Result<String, CalendarError> {
        let entries = self.entries(&self.texts()?)?;
        let path = self.path.display();
        if !file::is_writable(&self.path) {
            return Err(CalendarError::Permanent(format!(
                "the calendar {path} can be read, but not written"
            )));
        }
        if !self.path.exists() {
            return Ok(format!("{path} will be made with its first event"));
        }
        let many = entries.iter().map(|entry| &entry.uid).collect::<BTreeSet<_>>().len();
        Ok(format!("{path} holds {}", count_noun(many, "event")))
    }
}

/// The text with the event added before the end of the last calendar, together with the zones it needs. Every existing
/// byte is kept.
fn with(text: &Text, added: &Text) -> Vec<u8> {
    let Some(last) = text.calendars.last() else { return added.bytes.clone() };
    let at = last.end.0;
    let zone_ids: Vec<String> = parts(text, "VTIMEZONE").map(|zone| zone.text("TZID")).collect();
    let zones = parts(added, "VTIMEZONE").filter(|zone| !zone_ids.contains(&zone.text("TZID")));
    let mut bytes = text.bytes[..at].to_vec();
    for part in zones.chain(parts(added, "VEVENT")) {
        bytes.extend_from_slice(&added.bytes[part.from..part.end.1]);
    }
    bytes.extend_from_slice(&text.bytes[at..]);
    bytes
}

fn parts<'a>(text: &'a Text, kind: &'a str) -> impl Iterator<Item = &'a Component> {
    text.calendars.iter().flat_map(|calendar| &calendar.inside).filter(move |part| part.kind == kind)
}

fn damaged(path: &Path, error: &str) -> CalendarError {
    CalendarError::Permanent(if path.as_os_str().is_empty() {
        format!("the event is no calendar text: {error}")
    } else {
        format!("the calendar {} is damaged: {error}", path.display())
    })
}

fn broken(path: &Path, title: &str, uid: &str, error: &dyn std::fmt::Display) -> CalendarError {
    super::broken(&path.display().to_string(), title, uid, error)
}
