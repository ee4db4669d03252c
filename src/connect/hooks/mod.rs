//! Hooks: an agent asks before it acts, with JSON on stdin, and gets the answer as JSON on stdout.
//!
//! Promises: whatever goes wrong here, nothing gets allowed. If a question cannot be asked or answered in time, the
//! tool's own question takes over if it has one; otherwise the call is refused. An unreadable event ends with exit code
//! 2 and a sentence on stderr, which blocks the call in every tool that uses this form. A question that nobody waits
//! for any more is closed in the inbox: when its time is over, when the asker ends, or by what the agent does next.

mod app_server;
mod call;
mod command_line;
mod elicitation;
mod events;
mod life;
mod questions;
mod read;
mod remember;
mod reply;
mod report;
mod reviewer;
mod session;
#[cfg(test)]
mod tests;
mod transcripts;
mod usage;

use crate::dialects::Agent;
use crate::inbox::door::{AgentActivity, Inbox, WaitResult};
use crate::inbox::{InboxError, RequestAnswer};
use crate::text::exact::is_exact;
use crate::text::read_error_text;
use crate::tools::process::Process;
pub use app_server::{AppThread, call_from_request};
pub use call::Call;
pub use life::{read_news, record_news};
pub use read::{read, read_permission_prompt};
pub use reply::told_after_edit;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::Value;
use std::io::Read;
use std::time::Duration;
pub use transcripts::{PastCall, PastCalls, past_calls};

/// More bytes than any tool sends.
const LONGEST: u64 = 4 * 1024 * 1024;

/// How often we check whether the tool is still there.
const LOOK_EVERY: Duration = Duration::from_secs(1);

impl Agent {
    /// The agent that really sent an event: only Codex names the turn, and its events have Claude Code's format.
    fn of(self, event: &Value) -> Self {
        match self {
            Agent::Claude if event.get("turn_id").is_some() => Agent::Codex,
            other => other,
        }
    }
}

#[derive(Debug, PartialEq)]
pub enum HookEvent {
    /// A tool call is about to happen.
    Asks(Box<Call>),
    /// Something happened that ends questions.
    Activity(AgentActivity),
    /// News about the session only.
    SessionOnly,
    /// Nothing that concerns sayso.
    Nothing,
}

/// Reads the event on a hook's stdin.
pub fn read_event(stdin: impl Read) -> Result<Value, String> {
    let mut bytes = Vec::new();
    let read = stdin.take(LONGEST + 1).read_to_end(&mut bytes);
    read.map_err(|error| format!("stdin cannot be read: {}", read_error_text(&error)))?;
    if bytes.len() as u64 > LONGEST {
        return Err(format!("there are more than {LONGEST} bytes on stdin"));
    }
    let event = serde_json::from_slice(&bytes).map_err(|error| format!("stdin is not JSON: {error}"))?;
    if !str::from_utf8(&bytes).is_ok_and(is_exact) {
        return Err("a number on stdin has more digits than can be shown exactly".to_owned());
    }
    Ok(event)
}

/// Waits for the answer to a question. If there is none when `stop` comes, it closes the question, so that people do
/// not answer a question nobody waits for.
pub async fn wait(
    inbox: &Inbox,
    asked: &RequestAnswer,
    stop: impl Future<Output = ()>,
) -> Result<RequestAnswer, InboxError> {
    match inbox.requests().wait(&asked.thread, stop).await? {
        WaitResult::Answered(answer) => Ok(answer),
        WaitResult::Told => {
            inbox.requests().withdraw(&asked.thread).await?;
            inbox.requests().answer_in(&asked.thread).await
        }
    }
}

/// Completes when nobody waits for the answer any more: nobody reads stdout, or the launcher of the agent was ended and
/// what it had launched goes on by itself.
pub async fn asker_gone(agent: Agent) {
    let launcher = Process::starter().and_then(|process| process.launcher(agent.word()));
    loop {
        if launcher.as_ref().is_some_and(|launcher| !launcher.is_alive()) {
            return;
        }
        let stdout = std::io::stdout();
        let mut fds = [PollFd::new(&stdout, PollFlags::empty())];
        let polled = poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
        if polled.is_ok() && fds[0].revents().intersects(PollFlags::ERR | PollFlags::HUP) {
            return;
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}
