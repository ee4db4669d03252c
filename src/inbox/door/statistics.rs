//! Recent activity in numbers: what is open, and what was used.

use super::Inbox;
use crate::engine::graph::Kind;
use crate::engine::store::DriverLock;
use crate::inbox::{Activity, ActivityQuery, InboxError, ItemKind, Overview, Status, Storage};
use jiff::Timestamp;

/// Recent activity in numbers.
#[derive(Clone, Copy)]
pub struct Statistics<'a>(pub(super) &'a Inbox);

impl Statistics<'_> {
    /// The inbox in numbers.
    pub async fn overview(self) -> Result<Overview, InboxError> {
        let read = |inbox: &Inbox| {
            let counts = inbox.store().inbox().counts()?;
            let kinds = Kind::ALL.iter().map(|kind| ItemKind::Question(*kind)).zip(counts.open);
            let results = std::iter::once((ItemKind::Result, counts.results));
            Ok(Overview {
                open: kinds.chain(results).map(|(kind, count)| (kind.word().to_owned(), count)).collect(),
                snoozed: counts.snoozed,
                threads: Status::ALL.iter().map(|s| s.word().to_owned()).zip(counts.threads).collect(),
                paused: inbox.store().paused()?,
                driver: DriverLock::holder(inbox.store().folder()),
                waiting_for_model: counts.waiting_for_model,
            })
        };
        self.0.blocking(read).await
    }

    pub async fn activity(self, query: ActivityQuery) -> Result<Activity, InboxError> {
        self.0.blocking(move |inbox| inbox.store().statistics().activity(&query)).await
    }

    /// The size of each table.
    pub async fn storage(self) -> Result<Storage, InboxError> {
        self.0.blocking(|inbox| inbox.store().statistics().storage()).await
    }

    /// The cost of model calls since then, as far as prices are known.
    pub async fn cost_since(self, since: Timestamp) -> Result<f64, InboxError> {
        self.0.blocking(move |inbox| inbox.store().statistics().cost_since(since)).await
    }
}
