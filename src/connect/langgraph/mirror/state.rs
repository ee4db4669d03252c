//! The state of a mirrored thread: what it asked, what was answered, whether it was sent.

use crate::connect::langgraph::shape::Pending;
use crate::engine::graph::{Answer, Event, EventKind, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The event that makes a resting mirror look at its thread again.
pub const LOOK: &str = "look";

/// What a mirror is started with.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct MirrorInput {
    /// The server's name.
    pub server: String,
    /// The graph it runs.
    pub graph: String,
    /// The thread's id on the server.
    pub thread: String,
    /// Who runs it there: an assistant, or the graph itself.
    pub assistant: String,
    /// What it is about.
    pub title: String,
}

/// What a thread asked at the same time.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Batch {
    /// Changes when any question changes.
    pub fingerprint: String,
    /// Its open interrupts.
    pub pending: Vec<Pending>,
    /// The latest messages of its conversation: role and text.
    pub turns: Vec<(String, String)>,
}

/// A mirrored thread of a server.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Mirror {
    /// The mirrored thread.
    pub of: MirrorInput,
    /// What it asks, or asked last.
    pub asked: Option<Batch>,
    /// Answers that are not sent yet.
    pub answers: Vec<Answer>,
    /// Whether the last answers were sent, so that what comes next there is our doing.
    pub sent: bool,
    /// Why the last answers were not sent, if they were not.
    pub not_sent: Option<String>,
    /// Whether its run went on there when we last looked.
    #[serde(default)]
    pub left_busy: bool,
}

/// Everything that can happen.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum MirrorUpdate {
    /// The mirror starts.
    Started { of: MirrorInput },
    /// It asks.
    Asked { batch: Batch },
    /// People answered.
    Answered {
        /// In the order asked.
        answers: Vec<Answer>,
    },
    /// The answers were not sent.
    NotSent { why: String },
    /// The answers were sent.
    Sent,
    /// Its run goes on there, and nobody follows it any more.
    LeftBusy,
    /// The thread should be read again.
    Look,
}

impl State for Mirror {
    type Input = MirrorInput;
    type Update = MirrorUpdate;

    fn started(of: MirrorInput) -> MirrorUpdate {
        MirrorUpdate::Started { of }
    }

    fn answered(answers: Vec<Answer>) -> MirrorUpdate {
        MirrorUpdate::Answered { answers }
    }

    fn arrived(event: Event) -> Option<MirrorUpdate> {
        match event.what {
            EventKind::AnsweredElsewhere { reason, .. } => Some(MirrorUpdate::NotSent { why: reason }),
            EventKind::Corrected { payload } if payload == LOOK => Some(MirrorUpdate::Look),
            EventKind::Corrected { .. }
            | EventKind::Words { .. }
            | EventKind::Hint { .. }
            | EventKind::News { .. } => None,
        }
    }

    fn apply(&mut self, update: MirrorUpdate) {
        match update {
            MirrorUpdate::Started { of } => self.of = of,
            MirrorUpdate::Asked { batch } => {
                self.asked = Some(batch);
                self.sent = false;
                self.left_busy = false;
            }
            MirrorUpdate::Answered { answers } => {
                self.answers = answers;
                self.not_sent = None;
            }
            MirrorUpdate::NotSent { why } => {
                if !self.answers.is_empty() {
                    self.not_sent = Some(why);
                }
                self.answers.clear();
            }
            MirrorUpdate::Sent => {
                self.sent = true;
                self.answers.clear();
            }
            MirrorUpdate::LeftBusy => self.left_busy = true,
            MirrorUpdate::Look => self.left_busy = false,
        }
    }

    fn title(&self) -> String {
        if self.of.title.is_empty() {
            format!("{} on {}", self.of.graph, self.of.server)
        } else {
            self.of.title.clone()
        }
    }

    fn output(&self) -> Option<Value> {
        Some(json!({
            "server": self.of.server,
            "thread": self.of.thread,
            "not_sent": self.not_sent,
            "still_running_there": self.left_busy.then_some(true),
        }))
    }
}
