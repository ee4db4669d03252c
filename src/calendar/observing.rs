//! A read-only calendar, for mail of an account that only observes.

use super::{BoxFuture, Busy, Calendar, CalendarError, InvitedEvent, Revision};
use jiff::Timestamp;
use std::sync::Arc;

/// A calendar that refuses every write.
pub struct Observing(pub Arc<dyn Calendar>);

impl Calendar for Observing {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn busy(&self, from: Timestamp, until: Timestamp) -> BoxFuture<'_, Result<Vec<Busy>, CalendarError>> {
        self.0.busy(from, until)
    }

    fn add<'a>(&'a self, _: &'a [u8]) -> BoxFuture<'a, Result<(), CalendarError>> {
        refused()
    }

    fn events_of<'a>(&'a self, uid: &'a str) -> BoxFuture<'a, Result<Vec<InvitedEvent>, CalendarError>> {
        self.0.events_of(uid)
    }

    fn revise<'a>(
        &'a self,
        _: &'a [u8],
        _: &'a str,
        _: Revision,
    ) -> BoxFuture<'a, Result<(), CalendarError>> {
        refused()
    }

    fn check(&self) -> BoxFuture<'_, Result<String, CalendarError>> {
        self.0.check()
    }
}

fn refused() -> BoxFuture<'static, Result<(), CalendarError>> {
    let text = "the account this mail came to only observes; set its mode to \"act\" in the config";
    Box::pin(async { Err(CalendarError::Permanent(text.to_owned())) })
}
