//! What went on lately, in numbers: what is open, what was used, and what goes wrong how often.

use super::Inbox;
use crate::graph::Kind;
use crate::inbox::{
    Activity, ActivityQuery, ErrorLine, InboxError, ItemKind, Occurred, Overview, Status, Storage,
    by_frequency,
};
use crate::store::{DriverLock, StoreError};
use jiff::Timestamp;

/// How many threads of a workflow are asked what they remember.
const ASKED: usize = 100;

/// What went on lately, in numbers.
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

    /// What went on lately.
    pub async fn activity(self, query: ActivityQuery) -> Result<Activity, InboxError> {
        self.0.blocking(move |inbox| inbox.store().figures().activity(&query)).await
    }

    /// What went wrong lately in any workflow, the most frequent first: trouble, model calls that failed, and what
    /// threads remember to have gone wrong and got over. Bounded, and counted anew at each call.
    pub async fn errors(self) -> Result<Vec<ErrorLine>, InboxError> {
        self.0.blocking(read_errors).await
    }

    /// What is kept, by table.
    pub async fn storage(self) -> Result<Storage, InboxError> {
        self.0.blocking(|inbox| inbox.store().figures().storage()).await
    }

    /// What model calls have cost since then, as far as their prices are known.
    pub async fn cost_since(self, since: Timestamp) -> Result<f64, InboxError> {
        self.0.blocking(move |inbox| inbox.store().figures().cost_since(since)).await
    }
}

fn read_errors(inbox: &Inbox) -> Result<Vec<ErrorLine>, StoreError> {
    let engine = inbox.engine();
    let mut occurred = engine.store().figures().occurred()?;
    for spec in engine.registry().iter().filter(|spec| spec.remembers_errors()) {
        let workflow = spec.workflow.name();
        for (thread, at) in engine.store().figures().newest(workflow, ASKED)? {
            let state = match engine.state_at(&thread, None) {
                Ok(Some(state)) => state,
                // One thread that cannot be read takes nothing from the others; `doctor` names it.
                Ok(None) | Err(StoreError::Damaged(_) | StoreError::Conflict(_)) => continue,
                Err(error) => return Err(error),
            };
            let remembered = spec.errors(&state).into_iter();
            occurred.extend(remembered.map(|(node, text)| Occurred {
                workflow: workflow.to_owned(),
                node,
                text,
                at,
            }));
        }
    }
    Ok(by_frequency(occurred))
}
