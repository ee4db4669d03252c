//! The question and its answer.

use crate::engine::graph::{Answer, Decision, Event, EventKind, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What is asked.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum IntakeQuestion {
    /// How much of what the first look at a mailbox found is taken in.
    FirstSync {
        /// The account.
        account: String,
        /// How many there are.
        mails: u64,
        /// When the oldest of them came.
        oldest: String,
        /// What handling them costs, in words.
        about_cost: String,
    },
    /// What to do with a mail that cannot be read.
    Unreadable {
        /// The account.
        account: String,
        /// Where the mailbox keeps it.
        place: String,
        /// The digest of its bytes, in hexadecimal.
        raw: String,
        /// How many there are of them.
        bytes: u64,
        /// Why it cannot be read.
        error: String,
    },
    /// That a mailbox does not let anybody in until the person has logged in again.
    Login {
        /// The account.
        account: String,
        /// Why, and what to do.
        why: String,
    },
    /// That a model server cannot be reached.
    Absent {
        /// Its address.
        server: String,
        /// Why, and what to do.
        why: String,
    },
}

impl Default for IntakeQuestion {
    fn default() -> Self {
        Self::FirstSync { account: String::new(), mails: 0, oldest: String::new(), about_cost: String::new() }
    }
}

/// The answer, which is the thread's output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct IntakeAnswer {
    /// How many mails to take in, newest first.
    pub take: u64,
    /// Whether to try reading again.
    pub again: bool,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct IntakeState {
    pub asked: IntakeQuestion,
    pub answer: Option<IntakeAnswer>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum IntakeUpdate {
    Started {
        asked: IntakeQuestion,
    },
    Answered {
        /// Always one.
        answers: Vec<Answer>,
    },
    /// It needs no answer any more.
    Settled,
}

impl State for IntakeState {
    type Input = IntakeQuestion;
    type Update = IntakeUpdate;

    fn started(asked: IntakeQuestion) -> IntakeUpdate {
        IntakeUpdate::Started { asked }
    }

    fn answered(answers: Vec<Answer>) -> IntakeUpdate {
        IntakeUpdate::Answered { answers }
    }

    fn arrived(event: Event) -> Option<IntakeUpdate> {
        match event.what {
            EventKind::AnsweredElsewhere { .. } => Some(IntakeUpdate::Settled),
            EventKind::Words { .. }
            | EventKind::Hint { .. }
            | EventKind::News { .. }
            | EventKind::Corrected { .. } => None,
        }
    }

    fn apply(&mut self, update: IntakeUpdate) {
        match update {
            IntakeUpdate::Started { asked } => self.asked = asked,
            IntakeUpdate::Settled => self.answer = Some(IntakeAnswer { take: 0, again: true }),
            IntakeUpdate::Answered { answers } => {
                let all = match &self.asked {
                    IntakeQuestion::FirstSync { mails, .. } => *mails,
                    IntakeQuestion::Unreadable { .. }
                    | IntakeQuestion::Login { .. }
                    | IntakeQuestion::Absent { .. } => 0,
                };
                self.answer = answers.first().map(|answer| match &answer.decision {
                    Decision::Accept => IntakeAnswer { take: all, again: true },
                    Decision::Edit { args } => {
                        let take = args.get("mails").and_then(Value::as_u64).unwrap_or(0);
                        IntakeAnswer { take: take.min(all), again: false }
                    }
                    Decision::Ignore | Decision::Respond { .. } | Decision::Draft => IntakeAnswer::default(),
                });
            }
        }
    }

    fn title(&self) -> String {
        match &self.asked {
            IntakeQuestion::FirstSync { account, .. } => format!("The first look at {account}"),
            IntakeQuestion::Unreadable { account, .. } => format!("A mail of {account} that cannot be read"),
            IntakeQuestion::Login { account, .. } => format!("The login of {account}"),
            IntakeQuestion::Absent { server, .. } => format!("The model at {server}"),
        }
    }

    fn output(&self) -> Option<Value> {
        serde_json::to_value(self.answer?).ok()
    }
}
