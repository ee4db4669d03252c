//! The policy for unanswered questions: the driver looks now and then, and ends those whose time is over.
//!
//! A question's time is measured by a clock that the policy keeps in the store. It counts only what passed on the
//! machine's own clock ([`Moment`]): setting the wall clock does not move it, and time while the machine was off does
//! not count, because nobody could have answered. So nothing ends early; at worst it ends late.

use super::Inbox;
use crate::inbox::InboxError;
use crate::store::{PolicyClock, StoreError};
use crate::tools::moment::Moment;
use std::time::Duration;

/// How often the driver looks.
const LOOK_EVERY: Duration = Duration::from_secs(30);

/// The clock is stored whenever it has advanced this far, in milliseconds.
const STORE_EVERY: i64 = 60_000;

/// If the system has no clock of its own, at most this much counts between two looks.
const MAX_WALL_CLOCK_STEP: Duration = Duration::from_secs(60);

impl Inbox {
    /// Keeps ending questions that nobody answered in time.
    pub(super) async fn expire_unanswered(&self) {
        if self.engine.settings().expiry.is_off() {
            return std::future::pending().await;
        }
        loop {
            if let Err(error) = self.expire_now(&Moment::now(self.store().now())).await {
                tracing::warn!(%error, "questions that are over cannot be closed now");
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Ends questions that nobody answered in time, and starts the time of new ones. Returns how many ended.
    pub async fn expire_now(&self, now: &Moment) -> Result<usize, InboxError> {
        let expiry = &self.engine.settings().expiry;
        let store = self.store();
        if expiry.is_off() || store.paused()? {
            return Ok(0);
        }
        let Some(total) = self.clock_at(now).await? else { return Ok(0) };
        let (mut fresh, mut ended) = (Vec::new(), 0);
        for asked in store.inbox().unanswered()? {
            let lasts = expiry.of(&asked.workflow, &asked.action, asked.kind.word());
            let expires = self.engine.registry().get(&asked.workflow).is_some_and(|spec| spec.expires);
            let Some(lasts) = lasts.filter(|_| expires) else { continue };
            match asked.waits.filter(|waits| *waits <= total) {
                None => fresh.push(asked.id),
                Some(waits) if u128::from((total - waits).unsigned_abs()) >= lasts.as_millis() => {
                    match store.inbox().expire(asked.id.clone(), waits).await {
                        Ok(over) => ended += usize::from(over),
                        // An unreadable question does not keep the others open.
                        Err(error @ StoreError::Damaged(_)) => {
                            tracing::warn!(id = %asked.id, %error, "a question cannot be closed");
                        }
                        Err(error) => return Err(InboxError::from(error)),
                    }
                }
                Some(_) => {}
            }
        }
        if !fresh.is_empty() {
            store.inbox().wait_from(fresh, total).await?;
        }
        Ok(ended)
    }

    /// The current time of the policy's clock; `None` if another process has just moved it.
    async fn clock_at(&self, now: &Moment) -> Result<Option<i64>, StoreError> {
        let store = self.store();
        let stored = store.inbox().policy_clock()?;
        let total = match &stored {
            None => 0,
            Some(clock) => match serde_json::from_str::<Moment>(&clock.at) {
                Ok(then) => clock.total.saturating_add(passed(now, &then)),
                Err(_) => clock.total,
            },
        };
        let before = stored.as_ref().map(|clock| clock.total);
        // After a restart the machine's clock starts again, so we store a new starting point.
        let anew = stored.as_ref().is_some_and(|clock| !same_run(now, &clock.at));
        if before.is_some_and(|before| total - before < STORE_EVERY) && !anew {
            return Ok(Some(total));
        }
        let at = serde_json::to_string(now).map_err(|error| StoreError::Sql(error.to_string()))?;
        let moved = store.inbox().save_policy_clock(stored, PolicyClock { total, at }).await?;
        Ok(moved.then_some(total))
    }
}

/// The time that counts for the policy, in milliseconds.
fn passed(now: &Moment, then: &Moment) -> i64 {
    let passed = match (&now.machine, &then.machine) {
        (Some(_), Some(_)) if now.same_run(then) => now.since(then),
        (None, None) => now.since(then).min(MAX_WALL_CLOCK_STEP),
        _ => Duration::ZERO,
    };
    i64::try_from(passed.as_millis()).unwrap_or(i64::MAX)
}

fn same_run(now: &Moment, then: &str) -> bool {
    serde_json::from_str::<Moment>(then).is_ok_and(|then| now.same_run(&then))
}
