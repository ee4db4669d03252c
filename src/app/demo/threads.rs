//! The demo's first threads: one analysis asks, one has a result, one is over. They are started, driven and decided
//! like any other.

use super::super::{Local, Scope, Until, attend, family_outcome};
use crate::graph::Decision;
use crate::inbox::{Backend, BackendError, By, Decide, Outcome};
use serde_json::json;
use std::path::Path;

/// What the folder is asked first; this stays open.
const OPEN: &str = "Why did the launch slip?";
/// What has a result to read.
const ANSWERED: &str = "Which hubs rattle, and where do they come from?";
/// What is over.
const PAST: &str = "What is spent for the spring fair?";

/// Starts the demo's threads about the notes in `folder`, and drives them to where a person is asked.
pub async fn begin(local: &Local, folder: &Path) -> Result<(), BackendError> {
    let past = approved(local, folder, PAST).await?;
    local.file_away(past.thread).await?;
    approved(local, folder, ANSWERED).await?;
    asked(local, folder, OPEN).await?;
    Ok(())
}

/// An analysis that has come to its question.
async fn asked(local: &Local, folder: &Path, query: &str) -> Result<Outcome, BackendError> {
    let input = json!({"query": query, "inputs": folder.join("notes").display().to_string()});
    let started = local.start("analyze".to_owned(), input).await?;
    driven(local, started).await
}

/// One that was approved.
async fn approved(local: &Local, folder: &Path, query: &str) -> Result<Outcome, BackendError> {
    let mut outcome = asked(local, folder, query).await?;
    for interrupt in std::mem::take(&mut outcome.interrupts) {
        let decision = Decision::Accept;
        let decide = Decide { interrupt, decision, shown: None, learn: false, by: By::Cli };
        outcome = local.decide(decide).await?;
    }
    driven(local, outcome).await
}

async fn driven(local: &Local, outcome: Outcome) -> Result<Outcome, BackendError> {
    let failed = |error: crate::store::StoreError| BackendError::Failed(error.to_string());
    let scope = Scope::Family(outcome.thread.clone());
    attend(local.engine(), &scope, Until::Idle, std::future::pending(), |_| {}).await.map_err(failed)?;
    family_outcome(local.engine(), &outcome.thread).map_err(failed)
}
