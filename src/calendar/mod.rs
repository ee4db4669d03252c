//! Calendars: when the person is busy, and events put in, changed and taken out.
//!
//! Promised: an error is an error, never a made-up free slot; times are instants, whatever zone or recurrence they
//! were written in; an event is written as the exact iCalendar text that was frozen before, and is found again by its
//! UID; only who invited changes it, and never back to an older version. A new source is one file and one arm in [`open`].

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
mod observing;
mod revise;
mod time;
mod write;

#[cfg(test)]
mod tests;

pub use answer::{Attendance, answer, attended, cancelled};
pub use caldav::CalDav;
pub use days::{day_line, day_lines, day_window};
pub use google::GoogleCalendar;
pub use ics::IcsCalendar;
pub use invited::{InvitationError, Invited, read_events, read_invitation};
pub use observing::Observing;
pub use revise::{Revision, Standing, standing};
pub use write::{Event, Method, Person, event_text, invitation};

use crate::config;
use crate::text::{Visible, truncate};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use std::pin::Pin;
use std::sync::Arc;

/// A future that can be stored: what traits used as `dyn` return.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A time that is taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Busy {
    pub start: Timestamp,
    pub end: Timestamp,
    /// What it is, one line, Visible; empty where the calendar does not tell.
    pub title: String,
    /// Whether it is a day rather than hours.
    pub all_day: bool,
}

/// Why a calendar did not do as it was told; a sentence for people.
#[derive(Debug, thiserror::Error)]
pub enum CalendarError {
    /// It may go better next time; nothing was changed.
    #[error("{0}")]
    Passing(String),
    /// It will not, until somebody mends it; nothing was changed.
    #[error("{0}")]
    Lasting(String),
    /// It may have been changed.
    #[error("{0}")]
    Unknown(String),
}

pub trait Calendar: Send + Sync {
    /// What the config calls it.
    fn name(&self) -> &str;
    /// Every time that is taken between two instants, recurrences included, by their start.
    fn busy(&self, from: Timestamp, until: Timestamp) -> BoxFuture<'_, Result<Vec<Busy>, CalendarError>>;
    /// Puts an event in: a VCALENDAR with one event, and perhaps changed occurrences of it.
    fn add<'a>(&'a self, event: &'a [u8]) -> BoxFuture<'a, Result<(), CalendarError>>;
    /// What it holds of this UID: the event itself, and changed occurrences of it.
    fn held<'a>(&'a self, uid: &'a str) -> BoxFuture<'a, Result<Vec<Invited>, CalendarError>>;
    /// Makes the event it holds what this one says, or takes it or the occurrences named out, for the one who invited; told
    /// twice, it does it once. To change an event that is not there, or is newer, is an error; what is gone is gone.
    fn revise<'a>(
        &'a self,
        event: &'a [u8],
        sender: &'a str,
        revision: Revision,
    ) -> BoxFuture<'a, Result<(), CalendarError>>;
    /// Whether it holds an event of this UID.
    fn holds<'a>(&'a self, uid: &'a str) -> BoxFuture<'a, Result<bool, CalendarError>> {
        Box::pin(async move { Ok(!self.held(uid).await?.is_empty()) })
    }
    /// Whether it can be read and written, in a sentence either way.
    fn check(&self) -> BoxFuture<'_, Result<String, CalendarError>>;
}

/// The calendar the config names. Times that name no zone are in the person's.
pub fn open(calendar: &config::Calendar, person: TimeZone) -> Arc<dyn Calendar> {
    match calendar {
        config::Calendar::Ics { path } => Arc::new(IcsCalendar::new(path, person)),
        config::Calendar::Google { google, calendar } => {
            Arc::new(GoogleCalendar::new(google, calendar, person))
        }
        config::Calendar::CalDav { server } => Arc::new(CalDav::new(server, person)),
    }
}

/// Something from a calendar in an error: on one line, and not long.
fn short(text: &str) -> String {
    truncate(&Visible::line(text), 60).into_owned()
}
