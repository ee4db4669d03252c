//! Records what agents did: it ends questions that nobody answered here, and reports on those that were answered.

use super::requests::{CloseReason, Requests};
use crate::engine::driver::arrival;
use crate::engine::graph::{Event, EventKind, ThreadId};
use crate::inbox::{InboxError, Status};
use crate::tools::process::Process;
use crate::workflows::hidden::request::{NAME, Report, Request, RequestInput, RequestOutcome};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// How many ended questions are searched for the one that a call belongs to.
const RECENT: u32 = 24;

/// Something an agent did that ends questions of its session.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentActivity {
    /// The agent's name for itself.
    pub source: &'static str,
    pub session: String,
    /// The sub-agent that did it.
    pub helper: Option<String>,
    pub past: AgentEvent,
}

#[derive(Clone, Debug, PartialEq)]
pub enum AgentEvent {
    /// It used a tool.
    Ran {
        tool: String,
        input: Map<String, Value>,
        /// The key under which the call was asked about, if the call has an id.
        key: Option<String>,
        report: Report,
    },
    TurnEnded,
    SessionEnded,
}

/// What came of an agent's activity here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// A call ran as it was allowed here.
    Ran,
    /// A call ran as the person had changed it.
    RanChanged,
    /// So many questions are over.
    Ended(usize),
}

impl AgentActivity {
    /// Whether it ends this question; `args` are the ones the agent was told to use.
    fn concerns(&self, asked: &RequestInput, args: Option<&Map<String, Value>>) -> bool {
        let Some(session) = &asked.session else { return false };
        let same = session.id == self.session && asked.source.as_deref() == Some(self.source);
        same && match &self.past {
            AgentEvent::Ran { tool, input, .. } => {
                // Answers are filled into `questions` on the way, and some agents drop a description afterwards.
                let is_call = match input.get("command") {
                    Some(command) => args.and_then(|args| args.get("command")) == Some(command),
                    None => input.contains_key("questions") || args == Some(input),
                };
                asked.action.as_deref() == Some(tool) && is_call
            }
            AgentEvent::TurnEnded => session.helper == self.helper,
            AgentEvent::SessionEnded => true,
        }
    }
}

impl Requests<'_> {
    /// Records what an agent did: withdraws the questions that it ended, and stores the result of an allowed call with
    /// its question.
    pub async fn record_activity(self, done: &AgentActivity) -> Result<Recorded, InboxError> {
        let AgentEvent::Ran { key, report, .. } = &done.past else {
            return Ok(Recorded::Ended(self.close_elsewhere(done).await?.len()));
        };
        // Calls allowed here come first: another call may look the same and still wait.
        if let Some(thread) = self.allowed_call(done, key.as_deref())? {
            // The agent may be faster than the driver that still has to note the answer it was given.
            self.finish(&thread).await?;
            self.store_report(&thread, report).await?;
            // The answers to an agent's own questions are no change.
            let state = self.state_of(&thread)?;
            let is_edited = |state: &Request| {
                matches!(state.given, Some(RequestOutcome::Edit { .. })) && !state.asked.question
            };
            let edited = state.is_some_and(|state| is_edited(&state));
            return Ok(if edited { Recorded::RanChanged } else { Recorded::Ran });
        }
        Ok(Recorded::Ended(self.close_elsewhere(done).await?.len()))
    }

    /// Records that a question was answered where it came from: withdraws it or, if it was answered here too, stores
    /// these words with the answer. Returns whether that is settled; it is not while an answer is held or on its way
    /// into the thread.
    pub async fn record_answer_at_source(self, thread: &ThreadId, words: &str) -> Result<bool, InboxError> {
        if self.close(thread, &CloseReason::Elsewhere).await? {
            self.finish(thread).await?;
            return Ok(true);
        }
        let Some(state) = self.state_of(thread)? else { return Ok(true) };
        if is_decided(&state) && state.reported.is_none() {
            let error = Some(words.to_owned());
            return self.store_report(thread, &Report { error, ..Report::default() }).await;
        }
        Ok(state.given.is_some())
    }

    /// Records that the asker received the answer. Returns whether that is settled, as above.
    pub async fn record_delivery(self, thread: &ThreadId) -> Result<bool, InboxError> {
        let Some(state) = self.state_of(thread)? else { return Ok(true) };
        if state.delivered || !is_decided(&state) {
            return Ok(true);
        }
        let payload = json!({ "delivered": true });
        self.store_event(thread, "delivered", EventKind::AnsweredElsewhere { reason: String::new(), payload })
            .await
    }

    /// Whether the person allowed this call after the agent's own rules had refused it. Each answer counts once.
    pub async fn take_retry(self, call: Value) -> Result<bool, InboxError> {
        let Ok(call) = serde_json::from_value::<RequestInput>(call) else { return Ok(false) };
        for thread in self.0.store().threads().ended_of(NAME, RECENT)? {
            let Some(state) = self.state_of(&thread)? else { continue };
            let allowed = state.given == Some(RequestOutcome::Accept) && !state.delivered;
            if allowed && state.asked.retry && state.asked.is_made_again(&call) {
                return self.record_delivery(&thread).await;
            }
        }
        Ok(false)
    }

    /// The questions that this process waits for: open ones, and those whose answer it has not received yet.
    pub fn waited_for_by(self, asker: &Process) -> Result<Vec<ThreadId>, InboxError> {
        let threads = self.0.store().threads();
        let mut waiting = threads.unfinished_of(NAME)?;
        waiting.extend(threads.ended_of(NAME, RECENT)?);
        let waits = |thread: &ThreadId| {
            let Ok(Some(state)) = self.state_of(thread) else { return false };
            let is_reported = state.delivered || state.reported.is_some();
            let is_open = state.given.is_none() || (is_decided(&state) && !is_reported);
            is_open && state.asked.asker.as_ref() == Some(asker)
        };
        waiting.retain(waits);
        Ok(waiting)
    }

    /// The current state of a thread; `None` if it was abandoned or pruned.
    fn state_of(self, thread: &ThreadId) -> Result<Option<Arc<Request>>, InboxError> {
        if self.0.store().threads().line(thread)?.status == Status::Abandoned {
            return Ok(None);
        }
        self.0.engine.state_of(thread, None)
    }

    /// The question about a call that was allowed here and has no report yet.
    fn allowed_call(self, done: &AgentActivity, key: Option<&str>) -> Result<Option<ThreadId>, InboxError> {
        let threads = self.0.store().threads();
        let keyed = key.map(|key| threads.newest_with_key(NAME, key)).transpose()?.flatten();
        let by_key = keyed.is_some();
        let candidates = match keyed {
            Some((thread, _)) => vec![thread],
            None => {
                let mut all = threads.unfinished_of(NAME)?;
                all.reverse();
                all.extend(threads.ended_of(NAME, RECENT)?);
                all
            }
        };
        let is_it = |thread: &ThreadId| {
            let Ok(Some(state)) = self.0.engine.state_of::<Request>(thread, None) else { return false };
            let allowed = matches!(state.given, Some(RequestOutcome::Accept | RequestOutcome::Edit { .. }));
            let same = || by_key || done.concerns(&state.asked, state.args().as_object());
            allowed && state.reported.is_none() && same()
        };
        // Among questions that look the same, the oldest ran first.
        Ok(candidates.into_iter().rev().find(is_it))
    }

    /// Stores the result of a call with the question about it.
    async fn store_report(self, thread: &ThreadId, report: &Report) -> Result<bool, InboxError> {
        let what =
            EventKind::AnsweredElsewhere { reason: report.words(), payload: json!({ "report": report }) };
        self.store_event(thread, "reported", what).await
    }

    /// Stores something with a question that has ended; returns whether it has ended.
    async fn store_event(self, thread: &ThreadId, id: &str, what: EventKind) -> Result<bool, InboxError> {
        let event = Event { id: id.to_owned(), what };
        let arrival = arrival(self.request_spec()?, thread, &event, None)
            .map_err(|error| InboxError::Failed(error.to_string()))?;
        self.0.store().threads().deliver_if_done(arrival).await
    }

    /// Withdraws the questions that it ended.
    async fn close_elsewhere(self, done: &AgentActivity) -> Result<Vec<ThreadId>, InboxError> {
        let closing = match &done.past {
            AgentEvent::Ran { report, .. } => CloseReason::Ran(report.clone()),
            AgentEvent::TurnEnded | AgentEvent::SessionEnded => CloseReason::Elsewhere,
        };
        let mut closed = Vec::new();
        for thread in self.0.store().threads().waiting_of(NAME)? {
            let concerned =
                self.request_in(&thread).is_ok_and(|asked| done.concerns(&asked, asked.args.as_ref()));
            if concerned && self.close(&thread, &closing).await? {
                self.finish(&thread).await?;
                closed.push(thread);
                // The call that ran is only one of those that look the same.
                if matches!(closing, CloseReason::Ran(_)) {
                    break;
                }
            }
        }
        Ok(closed)
    }
}

/// Whether somebody answered, as opposed to an expiry or a withdrawal.
fn is_decided(state: &Request) -> bool {
    let outcome = state.given.as_ref();
    outcome.is_some_and(|outcome| !matches!(outcome, RequestOutcome::Expired | RequestOutcome::Withdrawn))
}
