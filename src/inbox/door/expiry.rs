//! The policy for unanswered questions: the driver looks now and then, and ends those whose time is over.
//!
//! Time is the wall clock's. A question found overdue is ended an hour later at the earliest, so that a clock that was
//! set wrong, or a machine that was off, takes nothing away from a person who has just come back.

use super::Inbox;
use crate::inbox::InboxError;
use jiff::{SignedDuration, Timestamp};
use std::time::Duration;

/// How often the driver looks.
const LOOK_EVERY: Duration = Duration::from_secs(30);

/// How long an overdue question stays.
const GRACE: SignedDuration = SignedDuration::from_hours(1);

impl Inbox {
    /// Keeps ending questions that nobody answered in time.
    pub(super) async fn expire_unanswered(&self) {
        if self.engine.settings().expiry.is_off() {
            return std::future::pending().await;
        }
        loop {
            if let Err(error) = self.expire_now(self.store().now()).await {
                tracing::warn!(%error, "questions that are over cannot be closed now");
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Ends questions that have been overdue for the grace period, and notes which are overdue now. Returns how many
    /// ended.
    pub async fn expire_now(&self, now: Timestamp) -> Result<usize, InboxError> {
        let expiry = &self.engine.settings().expiry;
        let store = self.store();
        if expiry.is_off() || store.paused()? {
            return Ok(0);
        }
        let mut ended = 0;
        for asked in store.inbox().unanswered()? {
            let lasts = expiry.of(&asked.workflow, &asked.action, asked.kind.word());
            let expires = self.engine.registry().get(&asked.workflow).is_some_and(|spec| spec.expires);
            let Some(lasts) = lasts.filter(|_| expires) else { continue };
            match asked.overdue_since {
                // This also holds if the clock was set back since.
                Some(noticed) if now.duration_since(noticed) < GRACE => {}
                Some(noticed) => match store.inbox().expire(asked.id.clone(), noticed).await {
                    Ok(over) => ended += usize::from(over),
                    // An unreadable question does not keep the others open.
                    Err(error @ InboxError::Damaged(_)) => {
                        tracing::warn!(id = %asked.id, %error, "a question cannot be closed");
                    }
                    Err(error) => return Err(error),
                },
                None if now.duration_since(asked.since).as_millis() < lasts.as_millis().cast_signed() => {}
                None => store.inbox().set_overdue(asked.id, now).await?,
            }
        }
        Ok(ended)
    }
}
