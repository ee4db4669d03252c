//! The state of a mirrored thread: what it asked, what was answered, what was sent.

use crate::agents::langgraph::shape::Pending;
use crate::graph::{Answer, Event, EventKind, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

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
    #[serde(default)]
    pub title: String,
    /// What a run is to be begun with, as the text of its JSON; nothing where the thread is there already.
    #[serde(default)]
    pub input: Option<String>,
}

/// What a thread asked at the same time.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
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
#[serde(default)]
pub struct Mirror {
    /// The mirrored thread.
    pub of: MirrorInput,
    /// Its status when we last looked.
    pub status: String,
    /// What it asks, or asked last.
    pub asked: Option<Batch>,
    /// Answers that are not sent yet.
    pub answers: Vec<Answer>,
    /// Why the last answers were not sent, if they were not.
    pub not_sent: Option<String>,
    /// The run that was last begun from here.
    pub run: Option<String>,
    /// Whether it should be ended there.
    pub end: bool,
    /// The run's result.
    pub values: Value,
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
    /// A run was begun, with the answers or with a person's input.
    Sent { run: String },
    /// The thread should be read again.
    Look {
        /// The reason, if people are told.
        #[serde(default)]
        why: Option<String>,
    },
    /// A person ends it there.
    End,
    /// There is nothing to do for now.
    Rests {
        /// The thread's status on the server.
        status: String,
        /// The run's result.
        values: Value,
    },
}

impl Mirror {
    /// Whether anything has to be begun, answered or ended on the server.
    pub fn has_to_send(&self) -> bool {
        self.end || self.of.input.is_some() || !self.answers.is_empty()
    }
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
            EventKind::Settled { reason, .. } => Some(MirrorUpdate::Look { why: Some(reason) }),
            EventKind::Corrected { payload } if payload.get("end").is_some() => Some(MirrorUpdate::End),
            EventKind::Corrected { payload } if payload.get("look").is_some() => {
                Some(MirrorUpdate::Look { why: None })
            }
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
                "interrupted".clone_into(&mut self.status);
                self.asked = Some(batch);
                self.answers.clear();
            }
            MirrorUpdate::Answered { answers } => {
                self.answers = answers;
                self.not_sent = None;
            }
            MirrorUpdate::NotSent { why } => {
                self.not_sent = Some(why);
                self.answers.clear();
            }
            MirrorUpdate::Sent { run } => {
                "busy".clone_into(&mut self.status);
                self.run = Some(run);
                self.answers.clear();
                self.of.input = None;
            }
            MirrorUpdate::Look { why } => {
                if !self.answers.is_empty() {
                    self.not_sent = why;
                }
                self.answers.clear();
            }
            MirrorUpdate::End => {
                self.end = true;
                self.answers.clear();
            }
            MirrorUpdate::Rests { status, values } => {
                self.status = status;
                self.values = values;
                self.end = false;
                self.of.input = None;
            }
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
        if self.status.is_empty() {
            return None;
        }
        let mut output = json!({
            "server": self.of.server, "thread": self.of.thread, "status": self.status, "values": self.values,
        });
        if let Some(why) = &self.not_sent {
            output["not_sent"] = json!(why);
        }
        Some(output)
    }
}
