//! `sayso request --hook`: reads an event, asks, and prints what the tool is to do.

use super::context::Context;
use super::drive::Signals;
use super::failure::{Exit, Failure};
use super::output::{Answer, Page, safe_json};
use super::request::told;
use crate::agents::hooks::{self, Agent, Call, Heard, generic};
use crate::graph::Waiting;
use crate::inbox::RequestAnswer;
use crate::service::Asking;
use serde_json::{Value, json};
use std::time::Duration;

/// The tools whose form is known.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum Hook {
    /// Events of Claude Code
    ClaudeCode,
    /// Events of Codex
    Codex,
    /// Events of Gemini CLI
    Gemini,
    /// Events of the opencode plugin
    Opencode,
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
        let event = hooks::read_event(std::io::stdin().lock());
        let agent = match self {
            Hook::ClaudeCode => Agent::ClaudeCode,
            Hook::Codex => Agent::Codex,
            Hook::Gemini => Agent::Gemini,
            Hook::Opencode => Agent::Opencode,
            Hook::Generic => {
                let event = event.map_err(Failure::usage)?;
                let (mut asking, own) = generic::read(&event, &context.page.now).map_err(Failure::usage)?;
                let timeout = timeout.or(own);
                asking.input["waiting"] = waiting(timeout);
                let (page, answer) = ask(context, asking, timeout).await?;
                return told(&page, &answer, Exit::Unanswered);
            }
        };
        // Claude Code says so to whatever it starts.
        let headless = context.env().get("CLAUDE_CODE_SESSION_ATTENDED").is_some_and(|is| is == "0");
        let heard = event.and_then(|event| hooks::read(agent, &event, headless)).map_err(Failure::usage)?;
        let call = match heard {
            Heard::Asks(call) => call,
            Heard::Over(done) => {
                // Where nothing was ever asked there is nothing to close.
                if context.has_data() {
                    context.open()?.inbox().requests().settle_elsewhere(&done).await?;
                }
                return Ok(Answer::nothing());
            }
            Heard::Nothing => return Ok(Answer::nothing()),
        };
        let page = context.page.clone();
        match decide(context, &call, timeout).await {
            Some(decision) => page.program(&decision, safe_json(&decision)?),
            None => Ok(Answer::nothing()),
        }
    }
}

/// That somebody waits for the answer, and for how long.
pub(super) fn waiting(timeout: Option<Duration>) -> Value {
    json!(Waiting { gives_up_in: timeout.map(|timeout| timeout.as_secs()) })
}

async fn decide(context: Context<'_>, call: &Call, timeout: Option<Duration>) -> Option<Value> {
    let timeout = timeout.unwrap_or(hooks::PATIENCE);
    match ask(context, call.asking(timeout), Some(timeout)).await {
        Ok((_, answer)) => call.reply(&answer),
        Err(failure) => call.undecided(failure.text()),
    }
}

/// Asks, and waits until there is an answer, time is up, or a signal comes.
async fn ask(
    context: Context<'_>,
    asking: Asking,
    timeout: Option<Duration>,
) -> Result<(Page, RequestAnswer), Failure> {
    let here = context.open()?;
    let mut signals = Signals::listen();
    let asked = here.inbox().requests().ask(asking).await;
    let asked = asked.map_err(|error| Failure::from_inbox(&error, Exit::Usage))?;
    let patience = async {
        match timeout {
            Some(timeout) => tokio::time::sleep(timeout).await,
            None => std::future::pending().await,
        }
    };
    let stop = async {
        tokio::select! {
            () = signals.heard() => {}
            () = patience => {}
            () = hooks::reader_gone() => {}
        }
    };
    let answer = hooks::wait(here.inbox(), &asked, stop).await?;
    Ok((here.page, answer))
}
