//! A read-only calendar.

use super::{BoxFuture, Busy, Calendar, CalendarError, InvitedEvent, Revision};
use jiff::Timestamp;
use std::sync::Arc;

/// A calendar that refuses every write.
pub struct ReadOnly {
    pub calendar: Arc<dyn Calendar>,
    /// Why it refuses.
    pub refusal: &'static str,
}

impl ReadOnly {
    fn refuse(&self) -> BoxFuture<'_, Result<(), CalendarError>> {
        Box::pin(async { Err(CalendarError::Permanent(self.refusal.to_owned())) })
    }
}

impl Calendar for ReadOnly {
    fn name(&self) -> &str {
        self.calendar.name()
    }

    fn busy(&self, from: Timestamp, until: Timestamp) -> BoxFuture<'_, Result<Vec<Busy>, CalendarError>> {
        self.calendar.busy(from, until)
    }

    fn add<'a>(&'a self, _: &'a [u8]) -> BoxFuture<'a, Result<(), CalendarError>> {
        self.refuse()
    }

    fn events_of<'a>(&'a self, uid: &'a str) -> BoxFuture<'a, Result<Vec<InvitedEvent>, CalendarError>> {
        self.calendar.events_of(uid)
    }

    fn revise<'a>(
        &'a self,
        _: &'a [u8],
        _: &'a str,
        _: Revision,
    ) -> BoxFuture<'a, Result<(), CalendarError>> {
        self.refuse()
    }

    fn check(&self) -> BoxFuture<'_, Result<String, CalendarError>> {
        self.calendar.check()
    }
}
