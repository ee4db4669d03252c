//! The question and its answer.

use super::asked::{Asked, IntakeQuestion};
use crate::engine::graph::{Answer, Decision, Event, EventKind, State};
use serde::{Deserialize, Serialize};
use serde_json::Value;

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
        Asked::of(&self.asked).thread_title
    }

    fn output(&self) -> Option<Value> {
        serde_json::to_value(self.answer?).ok()
    }
}
