//! Recent activity in numbers: what is open, what was used, and how often things go wrong.

use super::Inbox;
use crate::graph::Kind;
use crate::inbox::{
    Activity, ActivityQuery, ErrorLine, ErrorOccurrence, InboxError, ItemKind, Overview, Status, Storage,
    by_frequency,
};
use crate::store::{DriverLock, StoreError};
use jiff::Timestamp;

/// How many threads of a workflow are searched for the errors they keep.
const MAX_SEARCHED: usize = 100;

/// Recent activity in numbers.
#[derive(Clone, Copy)]
pub struct Figures<'a>(pub(super) &'a Inbox);

impl Figures<'_> {
    /// The inbox in numbers.
    pub async fn overview(self) -> Result<Overview, InboxError> {
        let read = |inbox: &Inbox| {
            let counts = inbox.store().inbox().counts()?;
            let kinds = Kind::ALL.iter().map(|kind| ItemKind::Interrupt(*kind)).zip(counts.open);
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
        self.0.blocking(move |inbox| inbox.store().figures().activity(&query)).await
    }

    /// Recent errors in all workflows, the most frequent first: trouble, failed model calls, and errors that threads
    /// keep in their state after recovering. Bounded, and counted again on each call.
    pub async fn errors(self) -> Result<Vec<ErrorLine>, InboxError> {
        self.0.blocking(read_errors).await
    }

    /// The size of each table.
    pub async fn storage(self) -> Result<Storage, InboxError> {
        self.0.blocking(|inbox| inbox.store().figures().storage()).await
    }

    /// The cost of model calls since then, as far as prices are known.
    pub async fn cost_since(self, since: Timestamp) -> Result<f64, InboxError> {
        self.0.blocking(move |inbox| inbox.store().figures().cost_since(since)).await
    }
}

fn read_errors(inbox: &Inbox) -> Result<Vec<ErrorLine>, StoreError> {
    let engine = inbox.engine();
    let mut occurred = engine.store().figures().recent_errors()?;
    for spec in engine.registry().iter().filter(|spec| spec.remembers_errors()) {
        let workflow = spec.workflow.name();
        for (thread, at) in engine.store().figures().newest_threads(workflow, MAX_SEARCHED)? {
            let state = match engine.state_at(&thread, None) {
                Ok(Some(state)) => state,
                // An unreadable thread does not hide the others' errors; `doctor` names it.
                Ok(None) | Err(StoreError::Damaged(_) | StoreError::Conflict(_)) => continue,
                Err(error) => return Err(error),
            };
            let remembered = spec.errors(&state).into_iter();
            occurred.extend(remembered.map(|(node, text)| ErrorOccurrence {
                workflow: workflow.to_owned(),
                node,
                text,
                at,
            }));
        }
    }
    Ok(by_frequency(occurred))
}
