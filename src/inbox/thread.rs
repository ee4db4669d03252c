//! Threads as screens and scripts see them. The field names are a contract: added to, never renamed.

use super::{DecisionEnd, QuestionView, Status};
use crate::graph::{InterruptId, ThreadId};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

/// What a verb that moves a thread reports.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    pub thread: ThreadId,
    /// Where it stands now.
    pub status: Status,
    /// What it asks now.
    pub interrupts: Vec<InterruptId>,
    /// What it has produced.
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

/// Where a fork began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ForkedFrom {
    /// The original.
    pub thread: ThreadId,
    /// The last step they share.
    pub step: u64,
}

/// A thread as one line of a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ThreadLine {
    pub id: ThreadId,
    pub workflow: String,
    /// What it is about.
    pub title: String,
    /// Where it stands.
    pub status: Status,
    /// How many steps it has.
    pub steps: u64,
    /// When it began.
    pub created_at: Timestamp,
    /// When something last happened to it.
    pub updated_at: Timestamp,
    /// The thread that started it.
    pub parent: Option<ThreadId>,
    pub forked_from: Option<ForkedFrom>,
    /// How the last decision in it ended, once it has ended itself: "sent", "denied".
    pub outcome: Option<String>,
    /// The same for scripts.
    pub end: Option<DecisionEnd>,
    /// What stands around the words that were searched for.
    #[serde(skip)]
    pub found: Option<String>,
    /// Its place in lists of threads; newer ones have higher places.
    #[serde(skip)]
    pub place: i64,
}

impl ThreadLine {
    /// How it ended in a person's words, or where it stands.
    pub fn standing(&self) -> &str {
        self.outcome.as_deref().unwrap_or(self.status.word())
    }
}

/// A whole thread.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ThreadView {
    pub id: ThreadId,
    pub workflow: String,
    /// What it is about.
    pub title: String,
    /// Where it stands.
    pub status: Status,
    /// Its folded state; null where this build does not know the workflow.
    pub state: Value,
    /// What it has produced.
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
    /// Everything done to the outside, in order.
    pub effects: Vec<EffectView>,
    /// What its model calls took.
    pub usage: UsageView,
    /// What took how long, the threads it started included.
    pub trace: TraceView,
}

/// A stretch of work, and what it was made of.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceView {
    /// What it is called.
    pub name: String,
    /// `thread`, `node` or `call`.
    pub sort: &'static str,
    pub thread: Option<ThreadId>,
    /// The step, where it is a node.
    pub step: Option<u64>,
    /// When it began.
    pub at: Timestamp,
    /// How long it took, until now where it goes on; a thread and a node that waits for others take as long as these.
    pub ms: u64,
    /// Tokens read, by everything inside it.
    pub input_tokens: u64,
    /// Tokens written, by everything inside it.
    pub output_tokens: u64,
    /// The price, of everything inside it; null where one of it has no known price.
    pub cost: Option<f64>,
    /// The number of the model call, where it is one: its words go by it.
    pub call: Option<u64>,
    /// Which model, where it is a call.
    pub model: Option<String>,
    /// Why it failed, as a fixed word.
    pub error: Option<String>,
    /// What it was made of, in order.
    pub children: Vec<TraceView>,
}

impl TraceView {
    /// Something that began then and took no time yet.
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
    /// Its number, from 0.
    pub n: u64,
    /// The node, or START, ANSWERS, JOIN, ARRIVED.
    pub node: String,
    /// What happened.
    pub updates: Value,
    /// Where the thread went.
    pub next: NextView,
    pub at: Timestamp,
}

/// Where a thread went after a step.
#[derive(Clone, Debug, PartialEq, Serialize, serde::Deserialize)]
#[serde(untagged)]
pub enum NextView {
    /// On to a node.
    Goto {
        /// Its name.
        goto: String,
    },
    /// A person was asked.
    Ask {
        ask: Vec<InterruptId>,
        /// Where it goes on.
        then: String,
    },
    /// Children were started.
    Spawn {
        spawn: Vec<ThreadId>,
        /// Where it goes on.
        then: String,
    },
    End {
        /// Always true.
        end: bool,
    },
}

/// One decision; proposed, edited and executed arguments are three records.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DecisionView {
    /// On what.
    pub interrupt: InterruptId,
    /// The question's action.
    pub action: String,
    /// `accept`, `edit`, `respond` or `ignore`.
    pub r#type: String,
    pub proposed: Value,
    /// What the person gave: edited arguments, or words.
    pub args: Value,
    /// What was carried out.
    pub executed: Option<Value>,
    /// Who decided.
    pub by: String,
    pub at: Timestamp,
    /// When it was taken back.
    pub undone_at: Option<Timestamp>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EffectView {
    /// Its name within its step.
    pub name: String,
    /// The step it belongs to.
    pub step: u64,
    /// How far it came.
    pub state: String,
    /// When it began.
    pub at: Timestamp,
    /// What came of it.
    pub outcome: Value,
}

/// What model calls took.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct UsageView {
    /// How many.
    pub calls: u64,
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// Their price; null where one of them has no known price.
    pub cost: Option<f64>,
}
