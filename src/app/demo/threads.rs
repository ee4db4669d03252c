//! The demo's first threads. Every new mail has one, which is triaged and drafted. One analysis asks, one has a result
//! to read, one is over. Code waits to run on the workbook, and some has run. Pages about a code base are written.
//! A question to an API lacks something, and a program asks before it pushes. They are started, driven and decided like
//! any other threads.

use crate::app::App;
use crate::engine::driver::{Scope, Until};
use crate::engine::graph::Decision;
use crate::inbox::door::{Inbox, NewRequest, drive_or_wait, family_outcome};
use crate::inbox::{DecidedBy, DecisionRequest, InboxError, Outcome};
use crate::tools::cage::{Needs, PythonFinder, Reader};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// How long to wait for another process that drives; a new folder has none.
const DRIVER_TIMEOUT: Duration = Duration::from_secs(5);

/// The first question about the folder; it stays open.
const OPEN_QUESTION: &str = "Why did the launch slip?";
/// The question that has a result to read.
const ANSWERED: &str = "Which hubs rattle, and where do they come from?";
/// The question that is over.
const PAST_QUESTION: &str = "What is spent for the spring fair?";
/// The instruction that was carried out on the orders.
const SHEET_INSTRUCTION: &str = "Sum Amount by Region";
/// The instruction whose code waits to be run on the orders.
const TO_MARK: &str = "Mark the outliers in Quantity";
/// The question to an API. It lacks the playlist.
const API_QUESTION: &str = "Which tracks does the playlist have?";

fn analysis(folder: &Path, query: &str) -> (&'static str, Value) {
    ("analyze", json!({"query": query, "inputs": folder.join("notes").display().to_string()}))
}

/// Starts the demo's threads about the files in `folder`, and drives them until they ask. Work on the workbook is real,
/// so it is left out where no Python can be had; then this says why.
pub async fn begin(app: &App, folder: &Path) -> Result<Option<String>, InboxError> {
    let inbox = app.inbox();
    if let Some(intake) = app.intake() {
        let synced = intake.sync_here_or_in_driver(&|_| {}, DRIVER_TIMEOUT).await?;
        if let Some(error) = synced.into_iter().flatten().find_map(|synced| synced.error) {
            return Err(InboxError::Failed(error));
        }
        drive_or_wait(inbox.engine(), &Scope::All, Until::Idle, std::future::pending(), |_| {}).await?;
    }
    let python = PythonFinder::new("auto", Reader::of_this_program()).get(Needs::Nothing).await;
    let orders = folder.join("sheets/orders.csv").display().to_string();
    let sheet = |instruction: &str| ("sheet", json!({"workbook": orders, "instruction": instruction}));
    start_and_accept(inbox, analysis(folder, ANSWERED)).await?;
    let past = start_and_accept(inbox, analysis(folder, PAST_QUESTION)).await?;
    inbox.decisions().file_away(past.thread).await?;
    if python.is_ok() {
        start_and_accept(inbox, sheet(SHEET_INSTRUCTION)).await?;
    }
    let code = ("docs", json!({"dir": folder.join("webshop").display().to_string()}));
    let music = ("ask", json!({"query": API_QUESTION, "follow_up": true}));
    let marked = python.is_ok().then(|| sheet(TO_MARK));
    for open in [analysis(folder, OPEN_QUESTION)].into_iter().chain(marked).chain([code, music]) {
        start_and_drive(inbox, open).await?;
    }
    inbox.requests().ask(push_request(folder)).await?;
    Ok(python.err())
}

/// A program that asks before it runs a command; nobody waits for the answer here.
fn push_request(folder: &Path) -> NewRequest {
    let input = json!({
        "title": "$ git push origin spring-fair",
        "text": "Three commits: the poster, the price list, and the opening hours of the spring fair.",
        "action": "Bash",
        "args": {"command": "git push origin spring-fair", "description": "Publish the pages of the spring fair"},
        "source": "webshop agent",
        "session": {
            "id": "demo",
            "branch": "spring-fair",
            "prompt": "Add the opening hours to the page of the spring fair, and publish it.",
        },
        "folder": folder.join("notes").display().to_string(),
    });
    NewRequest { input, key: Some("demo".to_owned()) }
}

/// Starts a thread and drives it to its question.
async fn start_and_drive(inbox: &Inbox, (workflow, input): (&str, Value)) -> Result<Outcome, InboxError> {
    let started = inbox.threads().start(workflow.to_owned(), input).await?;
    drive(inbox, started).await
}

/// Starts a thread, accepts its questions and drives it on.
async fn start_and_accept(inbox: &Inbox, start: (&str, Value)) -> Result<Outcome, InboxError> {
    let mut outcome = start_and_drive(inbox, start).await?;
    for interrupt in std::mem::take(&mut outcome.interrupts) {
        let decision = Decision::Accept;
        let decide = DecisionRequest { interrupt, decision, shown: None, learn: false, by: DecidedBy::Cli };
        outcome = inbox.decisions().decide(decide).await?;
    }
    drive(inbox, outcome).await
}

async fn drive(inbox: &Inbox, outcome: Outcome) -> Result<Outcome, InboxError> {
    let scope = Scope::WithChildren(outcome.thread.clone());
    drive_or_wait(inbox.engine(), &scope, Until::Idle, std::future::pending(), |_| {}).await?;
    family_outcome(inbox.engine(), &outcome.thread)
}
