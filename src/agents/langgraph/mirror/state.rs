//! A thread of a server as it stands here: what it asked, what was answered, what was sent.

use crate::agents::langgraph::shape::Pending;
use crate::graph::{Answer, ChildResult, Event, State, What};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What a mirror is started with.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Mirrored {
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
    /// Whether it is to be ended there, and nothing else.
    #[serde(default)]
    pub end: bool,
}

/// What a thread asked at one time.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Batch {
    /// Differs when anything asked does.
    pub fingerprint: String,
    /// What it waits for.
    pub pending: Vec<Pending>,
    /// What was said last in its conversation: who, and what.
    pub turns: Vec<(String, String)>,
}

/// A thread of a server.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Mirror {
    /// Which one.
    pub of: Mirrored,
    /// Where it stood when it was last looked at.
    pub status: String,
    /// What it asks, or asked last.
    pub asked: Option<Batch>,
    /// What was answered and is not sent yet.
    pub answers: Vec<Answer>,
    /// Why the last answers were not sent, where they were not.
    pub not_sent: Option<String>,
    /// The run that was begun last from here.
    pub run: Option<String>,
    /// Whether it is to be ended there.
    pub end: bool,
    /// What it has come to.
    pub values: Value,
}

/// Everything that can happen.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum MirrorUpdate {
    /// It is mirrored from now on.
    Started {
        /// Which thread.
        of: Mirrored,
    },
    /// It asks.
    Asked {
        /// What.
        batch: Batch,
    },
    /// People answered.
    Answered {
        /// The answers, in the order asked.
        answers: Vec<Answer>,
    },
    /// The answers were not sent.
    NotSent {
        /// Why.
        why: String,
    },
    /// A run was begun, with the answers or with what a person started.
    Sent {
        /// Its id.
        run: String,
    },
    /// It is to be looked at again.
    Look {
        /// Why, where people are told.
        #[serde(default)]
        why: Option<String>,
    },
    /// A person ends it there.
    End,
    /// There is nothing to do here for now.
    Rests {
        /// Where it stands there.
        status: String,
        /// What it has come to.
        values: Value,
    },
}

impl Mirror {
    /// Whether something is to be begun, answered or ended on the server.
    pub fn has_to_send(&self) -> bool {
        self.end || self.of.input.is_some() || !self.answers.is_empty()
    }
}

impl State for Mirror {
    type Input = Mirrored;
    type Update = MirrorUpdate;

    fn started(of: Mirrored) -> MirrorUpdate {
        MirrorUpdate::Started { of }
    }

    fn answered(answers: Vec<Answer>) -> MirrorUpdate {
        MirrorUpdate::Answered { answers }
    }

    fn joined(_: Vec<ChildResult>) -> MirrorUpdate {
        // It starts no children.
        MirrorUpdate::Look { why: None }
    }

    fn arrived(event: Event) -> Option<MirrorUpdate> {
        match event.what {
            What::Settled { reason, .. } => Some(MirrorUpdate::Look { why: Some(reason) }),
            What::Corrected { payload } if payload.get("end").is_some() => Some(MirrorUpdate::End),
            What::Corrected { payload } if payload.get("look").is_some() => {
                Some(MirrorUpdate::Look { why: None })
            }
            What::Corrected { .. } | What::Words { .. } | What::Hint { .. } | What::News { .. } => None,
        }
    }

    fn apply(&mut self, update: MirrorUpdate) {
        match update {
            MirrorUpdate::Started { of } => {
                self.end = of.end;
                self.of = of;
            }
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
