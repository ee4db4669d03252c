//! Calendars: reads when the person is busy, and adds, changes and removes events.
//!
//! Promises: an error is an error, never an invented free slot. Times are instants, whatever zone or recurrence they
//! were written in. An event is written as the exact iCalendar text that was frozen before, and is found again by its
//! UID. Only the organizer can change it, and never back to an older version. A new source is one file and one arm in
//! [`open`].

mod answer;
mod busy;
mod caldav;
mod days;
mod entry;
mod file;
mod google;
mod ics;
mod invited;
mod lines;
mod read_only;
mod revise;
mod time;
mod write;

#[cfg(test)]
mod tests;

pub use answer::{Attendance, answer, answered, attended, cancelled, written_title};
pub use caldav::CalDav;
pub use days::{day_line, day_window};
pub use google::GoogleCalendar;
pub use ics::IcsCalendar;
pub use invited::{InvitationError, InvitedEvent, read_events, read_invitation};
pub use read_only::ReadOnly;
pub use revise::{Revision, RevisionCheck, check_revision};
pub use write::{Event, Person, REQUEST, event_text, invitation};

use crate::config;
use crate::text::short_line;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::pin::Pin;
use std::sync::Arc;

/// A boxed future, as `dyn` traits return it.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A time that is taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Busy {
    pub start: Timestamp,
    pub end: Timestamp,
    /// What it is: one visible line, empty if the calendar does not say.
    pub title: String,
    /// Whether it is a day rather than hours.
    pub all_day: bool,
}

/// Why a calendar did not do what we asked, as a sentence for people.
#[derive(Debug, thiserror::Error)]
pub enum CalendarError {
    /// Temporary; nothing was changed.
    #[error("{0}")]
    Temporary(String),
    /// Permanent until somebody fixes it; nothing was changed.
    #[error("{0}")]
    Permanent(String),
    /// It may have been changed.
    #[error("{0}")]
    Unknown(String),
}

pub trait Calendar: Send + Sync {
    /// Its name in the config.
    fn name(&self) -> &str;
    /// All busy times between two instants, including recurrences, sorted by start.
    fn busy(&self, from: Timestamp, until: Timestamp) -> BoxFuture<'_, Result<Vec<Busy>, CalendarError>>;
    /// Adds an event: a VCALENDAR with one event, and perhaps changed occurrences of it.
    fn add<'a>(&'a self, event: &'a [u8]) -> BoxFuture<'a, Result<(), CalendarError>>;
    /// The event with this UID, and its changed occurrences.
    fn events_of<'a>(&'a self, uid: &'a str) -> BoxFuture<'a, Result<Vec<InvitedEvent>, CalendarError>>;
    /// Changes the event to match this one, or removes it or the named occurrences, on behalf of the organizer. Doing
    /// it twice has no further effect. Changing a missing or newer event is an error; removing a missing one is not.
    fn revise<'a>(
        &'a self,
        event: &'a [u8],
        sender: &'a str,
        revision: Revision,
    ) -> BoxFuture<'a, Result<(), CalendarError>>;
    /// Whether the calendar has an event with this UID.
    fn holds<'a>(&'a self, uid: &'a str) -> BoxFuture<'a, Result<bool, CalendarError>> {
        Box::pin(async move { Ok(!self.events_of(uid).await?.is_empty()) })
    }
    /// Whether it can be read and written, as a sentence either way.
    fn check(&self) -> BoxFuture<'_, Result<String, CalendarError>>;
}

/// The calendar from the config. Times without a zone are in the person's.
pub fn open(calendar: &config::Calendar, person: TimeZone) -> Arc<dyn Calendar> {
    match calendar {
        config::Calendar::Ics { path } => Arc::new(IcsCalendar::new(path, person)),
        config::Calendar::Google { google, calendar } => {
            Arc::new(GoogleCalendar::new(google, calendar, person))
        }
        config::Calendar::CalDav { server } => Arc::new(CalDav::new(server, person)),
    }
}

/// The error about an event that would be free time if it were skipped. `calendar` says which one it is in.
fn broken(calendar: &str, title: &str, uid: &str, error: &dyn Display) -> CalendarError {
    let title = if title.is_empty() { "without a title" } else { title };
    CalendarError::Permanent(format!(
        "the calendar {calendar} has an event that sayso cannot interpret, “{title}” ({}): {error}; fix it or delete it",
        short(uid)
    ))
}

/// Shortens calendar text for an error: one line, not long.
fn short(text: &str) -> String {
    short_line(text, 60)
}
