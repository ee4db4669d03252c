//! The demo's first threads: every new mail has one that waits to be driven; one analysis asks, one has a result, one
//! is over, and a program asks before it pushes. They are started, driven and decided like any other.

use super::super::{Asking, Local, Scope, Until, attend, family_outcome};
use crate::graph::Decision;
use crate::inbox::{Backend, BackendError, By, Decide, Outcome};
use crate::store::StoreError;
use serde_json::json;
use std::path::Path;
use std::time::Duration;

/// How long another process that drives is waited for; a new folder has none.
const PATIENCE: Duration = Duration::from_secs(5);

/// What the folder is asked first; this stays open.
const OPEN: &str = "Why did the launch slip?";
/// What has a result to read.
const ANSWERED: &str = "Which hubs rattle, and where do they come from?";
/// What is over.
const PAST: &str = "What is spent for the spring fair?";

/// Starts the demo's threads about the notes in `folder`, and drives them to where a person is asked.
pub async fn begin(local: &Local, folder: &Path) -> Result<(), BackendError> {
    if let Some(intake) = local.intake() {
        let synced = intake.sync_anywhere(&|_| {}, PATIENCE).await.map_err(failed)?;
        if let Some(error) = synced.into_iter().flatten().find_map(|synced| synced.error) {
            return Err(BackendError::Failed(error));
        }
    }
    let past = approved(local, folder, PAST).await?;
    local.file_away(past.thread).await?;
    approved(local, folder, ANSWERED).await?;
    asked(local, folder, OPEN).await?;
    local.request(pushing(folder)).await?;
    Ok(())
}

/// A program that asks before it runs a command; nobody waits for the answer here.
fn pushing(folder: &Path) -> Asking {
    let input = json!({
        "title": "$ git push origin spring-fair",
        "text": "Three commits: the poster, the price list, and the opening hours of the spring fair.",
        "action": "Bash",
        "args": {"command": "git push origin spring-fair", "description": "Publish the pages of the spring fair"},
        "source": "webshop agent",
        "folder": folder.join("notes").display().to_string(),
    });
    Asking { input, key: Some("demo".to_owned()) }
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

fn failed(error: StoreError) -> BackendError {
    BackendError::Failed(error.to_string())
}

async fn driven(local: &Local, outcome: Outcome) -> Result<Outcome, BackendError> {
    let scope = Scope::Family(outcome.thread.clone());
    attend(local.engine(), &scope, Until::Idle, std::future::pending(), |_| {}).await.map_err(failed)?;
    family_outcome(local.engine(), &outcome.thread).map_err(failed)
}
