//! Hooks: another tool asks before it acts, by JSON on stdin, and is told by JSON on stdout.
//!
//! Promised: whatever goes wrong here, nothing is allowed by it. What cannot be asked or answered in time falls back to
//! the tool's own question where it has one, and is refused where it has none. An event that cannot be read ends with
//! exit code 2 and a sentence on stderr, which blocks the call in every tool that speaks this form. A question nobody
//! waits for any more is closed in the inbox.

mod claude;
mod generic;

use super::context::Context;
use super::drive::Signals;
use super::failure::{Exit, Failure};
use super::output::{Answer, Page};
use super::print::safe_json;
use super::request::told;
use crate::app::{Asking, Waited};
use crate::inbox::RequestAnswer;
use crate::text::exact::is_exact;
use crate::text::unreadable;
use claude::Call;
use serde_json::Value;
use std::io::Read;
use std::time::Duration;

/// More than any tool has to say.
const LONGEST: u64 = 4 * 1024 * 1024;

/// The tools whose form is known.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum Hook {
    /// PreToolUse of Claude Code, and of Codex
    ClaudeCode,
    /// sayso's own form, for any other
    Generic,
}

impl Hook {
    /// Asks what stands on stdin, and prints what the tool is to do.
    pub(super) async fn run(
        self,
        context: Context<'_>,
        timeout: Option<Duration>,
    ) -> Result<Answer, Failure> {
        match self {
            Hook::ClaudeCode => {
                let page = context.page.clone();
                let call = stdin().and_then(|said| claude::read(&said)).map_err(Failure::usage)?;
                match decide(context, &call, timeout).await {
                    Some(decision) => page.program(&decision, safe_json(&decision)?),
                    None => Ok(Answer::nothing()),
                }
            }
            Hook::Generic => {
                let said = stdin().map_err(Failure::usage)?;
                let (asking, own) = generic::read(&said, &context.page.now)?;
                let put = put(context, asking, timeout.or(own)).await?;
                told(&put.page, &put.answer, Exit::Unanswered)
            }
        }
    }
}

async fn decide(context: Context<'_>, call: &Call, timeout: Option<Duration>) -> Option<Value> {
    let timeout = timeout.unwrap_or(claude::PATIENCE);
    match put(context, call.asking(timeout), Some(timeout)).await {
        Ok(put) => call.reply(&put.answer),
        Err(failure) => Some(call.undecided(failure.text())),
    }
}

/// How a question stands after waiting for it.
struct Put {
    page: Page,
    answer: RequestAnswer,
}

/// Asks and waits; a question that is not answered in time is closed, so that nobody answers for nobody.
async fn put(context: Context<'_>, asking: Asking, timeout: Option<Duration>) -> Result<Put, Failure> {
    let here = context.open()?;
    let mut signals = Signals::listen();
    let asked = here.local().request(asking).await;
    let asked = asked.map_err(|error| Failure::from_backend(&error, Exit::Usage))?;
    let stop = async {
        let patience = async {
            match timeout {
                Some(timeout) => tokio::time::sleep(timeout).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = signals.heard() => {}
            () = patience => {}
        }
    };
    let answer = match here.local().await_answer(&asked.thread, stop).await? {
        Waited::Answered(answer) => answer,
        Waited::Told => {
            here.local().withdraw(&asked.thread).await?;
            here.local().request_answer_in(&asked.thread).await?
        }
    };
    Ok(Put { page: here.page, answer })
}

fn stdin() -> Result<Value, String> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(LONGEST + 1).read_to_end(&mut bytes);
    read.map_err(|error| format!("stdin cannot be read: {}", unreadable(&error)))?;
    if bytes.len() as u64 > LONGEST {
        return Err(format!("there are more than {LONGEST} bytes on stdin"));
    }
    let said = serde_json::from_slice(&bytes).map_err(|error| format!("stdin is not JSON: {error}"))?;
    if !str::from_utf8(&bytes).is_ok_and(is_exact) {
        return Err("a number on stdin has more digits than can be shown exactly".to_owned());
    }
    Ok(said)
}
