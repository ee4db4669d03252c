//! Threads as screens and scripts see them. The field names are a contract: we add fields but never rename them.

use super::{DecidedBy, DecisionEnd, QuestionView, Status};
use crate::engine::graph::{InterruptId, ThreadId};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

/// The report of a verb that moves a thread.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    pub thread: ThreadId,
    pub status: Status,
    /// Its open questions.
    pub interrupts: Vec<InterruptId>,
    pub output: Option<Value>,
    /// Why it cannot go on.
    pub error: Option<ErrorView>,
}

/// Why a thread cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ErrorView {
    /// A fixed word, for scripts.
    pub code: String,
    /// A sentence, for people.
    pub text: String,
}

/// Where a fork started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ForkedFrom {
    pub thread: ThreadId,
    /// The last step they share.
    pub step: u64,
}

/// A thread as one line of a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ThreadLine {
    pub id: ThreadId,
    pub workflow: String,
    pub title: String,
    pub status: Status,
    pub steps: u64,
    pub created_at: Timestamp,
    /// When something last happened to it.
    pub updated_at: Timestamp,
    /// The thread that started it.
    pub parent: Option<ThreadId>,
    pub forked_from: Option<ForkedFrom>,
    /// How its last decision ended, if the thread has ended: "sent", "refused". "expired" or "withdrawn" if a program
    /// asked and nobody answered.
    pub outcome: Option<String>,
    /// The same, for scripts.
    pub end: Option<DecisionEnd>,
    /// The text around the search words.
    #[serde(skip)]
    pub snippet: Option<String>,
    /// Its number in lists of threads; newer threads have higher ones.
    #[serde(skip)]
    pub seq: i64,
}

impl ThreadLine {
    /// How it ended in people's words, or its status.
    pub fn outcome_or_status(&self) -> &str {
        self.outcome.as_deref().unwrap_or(self.status.word())
    }
}

/// A whole thread.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ThreadView {
    pub id: ThreadId,
    pub workflow: String,
    pub title: String,
    pub status: Status,
    /// The folded state; null if this build does not know the workflow.
    pub state: Value,
    pub output: Option<Value>,
    /// Why it cannot go on.
    pub error: Option<ErrorView>,
    /// The thread that started it.
    pub parent: Option<ThreadId>,
    pub forked_from: Option<ForkedFrom>,
    /// Everything that happened, in order.
    pub steps: Vec<StepView>,
    /// Everything it ever asked, in order.
    pub questions: Vec<QuestionView>,
    /// Everything people and grants decided, in order.
    pub decisions: Vec<DecisionView>,
    /// Everything it did to the outside world, in order.
    pub effects: Vec<EffectView>,
    /// What its model calls used.
    pub usage: UsageView,
    /// How long each part took, including the threads it started.
    pub trace: TraceView,
}

/// A stretch of work, and the parts it consisted of.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceView {
    pub name: String,
    /// `thread`, `node` or `call`.
    pub sort: &'static str,
    pub thread: Option<ThreadId>,
    /// The step, if it is a node.
    pub step: Option<u64>,
    /// When it started.
    pub at: Timestamp,
    /// How long it took, or up to now if it still runs. Threads, and nodes that wait for others, include the wait.
    pub ms: u64,
    /// Tokens read by everything inside it.
    pub input_tokens: u64,
    /// Tokens written by everything inside it.
    pub output_tokens: u64,
    /// The price of everything inside it; null if any price is unknown.
    pub cost: Option<f64>,
    /// The number of the model call, if it is one; its text is found by this number.
    pub call: Option<u64>,
    /// The model, if it is a call.
    pub model: Option<String>,
    /// Why it failed, as a fixed word.
    pub error: Option<String>,
    /// Its parts, in order.
    pub children: Vec<TraceView>,
}

impl TraceView {
    /// A span that starts at `at` and has taken no time yet.
    pub fn begun(name: String, sort: &'static str, at: Timestamp) -> Self {
        Self {
            name,
            sort,
            thread: None,
            step: None,
            at,
            ms: 0,
            input_tokens: 0,
            output_tokens: 0,
            cost: None,
            call: None,
            model: None,
            error: None,
            children: Vec::new(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepView {
    /// Counts from 0.
    pub n: u64,
    /// The node, or START, ANSWERS, JOIN, ARRIVED.
    pub node: String,
    pub updates: Value,
    pub next: NextView,
    pub at: Timestamp,
}

/// Where a thread went after a step.
#[derive(Clone, Debug, PartialEq, Serialize, serde::Deserialize)]
#[serde(untagged)]
pub enum NextView {
    /// It goes on to a node.
    Goto {
        goto: String,
    },
    /// A person was asked.
    Ask {
        ask: Vec<InterruptId>,
        /// The node it goes on to.
        then: String,
    },
    /// Children were started.
    Spawn {
        spawn: Vec<ThreadId>,
        /// The node it goes on to.
        then: String,
    },
    End {
        end: bool,
    },
}

/// One decision; proposed, edited and executed arguments are three records.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DecisionView {
    pub interrupt: InterruptId,
    /// The question's action.
    pub action: String,
    /// `accept`, `edit`, `respond`, `ignore` or `draft`.
    pub r#type: String,
    pub proposed: Value,
    /// What the person gave: edited arguments, or text.
    pub args: Value,
    /// What was carried out.
    pub executed: Option<Value>,
    pub by: DecidedBy,
    pub at: Timestamp,
    /// When it was undone.
    pub undone_at: Option<Timestamp>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EffectView {
    /// Its name within its step.
    pub name: String,
    /// The step it belongs to.
    pub step: u64,
    /// How far it got.
    pub state: String,
    /// When it started.
    pub at: Timestamp,
    pub outcome: Value,
}

/// What model calls used.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct UsageView {
    pub calls: u64,
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// The total price; null if any price is unknown.
    pub cost: Option<f64>,
    /// Of `calls`, how many the built-in rules answered in place of a model.
    #[serde(skip)]
    pub by_rules: u64,
}

impl UsageView {
    /// The calls that a model answered.
    pub fn model_calls(&self) -> u64 {
        self.calls.saturating_sub(self.by_rules)
    }
}
