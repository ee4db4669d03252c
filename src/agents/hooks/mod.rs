//! Hooks: another tool asks before it acts, by JSON on stdin, and is told by JSON on stdout.
//!
//! Promised: whatever goes wrong here, nothing is allowed by it. What cannot be asked or answered in time falls back to
//! the tool's own question where it has one, and is refused where it has none. An event that cannot be read ends with
//! exit code 2 and a sentence on stderr, which blocks the call in every tool that speaks this form. A question nobody
//! waits for any more is closed in the inbox: by its time, by the asker's end, or by what the agent does next.

mod app_server;
mod call;
mod command_line;
mod elicitation;
pub mod generic;
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
mod usage;

use crate::inbox::{InboxError, RequestAnswer};
use crate::service::{Elsewhere, Inbox, Waited};
use crate::text::exact::is_exact;
use crate::text::unreadable;
pub use app_server::{AppThread, asked_by_server};
pub use call::Call;
pub use life::{news, tell};
pub use read::{prompted, read};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::Value;
use std::io::Read;
use std::time::Duration;

/// Claude Code and Codex give a hook ten minutes where nobody says how many, and then go on without it.
pub const PATIENCE: Duration = Duration::from_secs(590);

/// More than any tool has to say.
const LONGEST: u64 = 4 * 1024 * 1024;

/// How often it is looked whether the tool is still there.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The agents whose forms are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agent {
    ClaudeCode,
    Codex,
    Gemini,
    Opencode,
}

impl Agent {
    /// The agent an event is really of: only Codex names the turn, and its events come in Claude Code's form.
    fn of(self, event: &Value) -> Self {
        match self {
            Agent::ClaudeCode if event.get("turn_id").is_some() => Agent::Codex,
            other => other,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Agent::ClaudeCode => "claude-code",
            Agent::Codex => "codex",
            Agent::Gemini => "gemini",
            Agent::Opencode => "opencode",
        }
    }
}

/// What an event means.
#[derive(Debug, PartialEq)]
pub enum Heard {
    /// A tool is about to be used.
    Asks(Box<Call>),
    /// Something happened by which questions are over.
    Over(Elsewhere),
    /// Something that concerns the session alone.
    Lives,
    /// Nothing that concerns sayso.
    Nothing,
}

/// What a tool says on its hook's stdin.
pub fn read_event(stdin: impl Read) -> Result<Value, String> {
    let mut bytes = Vec::new();
    let read = stdin.take(LONGEST + 1).read_to_end(&mut bytes);
    read.map_err(|error| format!("stdin cannot be read: {}", unreadable(&error)))?;
    if bytes.len() as u64 > LONGEST {
        return Err(format!("there are more than {LONGEST} bytes on stdin"));
    }
    let event = serde_json::from_slice(&bytes).map_err(|error| format!("stdin is not JSON: {error}"))?;
    if !str::from_utf8(&bytes).is_ok_and(is_exact) {
        return Err("a number on stdin has more digits than can be shown exactly".to_owned());
    }
    Ok(event)
}

/// Waits for the answer to a question that was asked. One that has none when `stop` comes is closed, so that nobody
/// answers for nobody.
pub async fn wait(
    inbox: &Inbox,
    asked: &RequestAnswer,
    stop: impl Future<Output = ()>,
) -> Result<RequestAnswer, InboxError> {
    match inbox.requests().wait(&asked.thread, stop).await? {
        Waited::Answered(answer) => Ok(answer),
        Waited::Told => {
            inbox.requests().withdraw(&asked.thread).await?;
            inbox.requests().answer_in(&asked.thread).await
        }
    }
}

/// Comes when nobody reads stdout any more: the tool that waits for the answer is gone.
pub async fn reader_gone() {
    loop {
        let stdout = std::io::stdout();
        let mut fds = [PollFd::new(&stdout, PollFlags::empty())];
        let polled = poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
        if polled.is_ok() && fds[0].revents().intersects(PollFlags::ERR | PollFlags::HUP) {
            return;
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}
