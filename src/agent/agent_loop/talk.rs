//! An agent whose state is its conversation, and nothing besides.

use super::{Dialog, LoopState, LoopUpdate, Turn, card};
use crate::engine::graph::{Answer, AnyState, Event, EventKind, State};
use crate::inbox::{Block, Card, Question};
use crate::text::{Visible, short_line};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// The keys of `start`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wish {
    /// What you want.
    pub wish: String,
}

impl State for Dialog {
    type Input = Wish;
    type Update = LoopUpdate;

    fn started(Wish { wish }: Wish) -> LoopUpdate {
        LoopUpdate::Told { text: wish }
    }

    fn answered(answers: Vec<Answer>) -> LoopUpdate {
        LoopUpdate::Answered { answers }
    }

    fn arrived(event: Event) -> Option<LoopUpdate> {
        match event.what {
            EventKind::Words { text } => Some(LoopUpdate::Told { text }),
            EventKind::Hint { text } => Some(LoopUpdate::Hinted { text }),
            EventKind::News { .. } | EventKind::AnsweredElsewhere { .. } | EventKind::Corrected { .. } => {
                None
            }
        }
    }

    fn apply(&mut self, update: LoopUpdate) {
        Self::apply(self, update);
    }

    fn title(&self) -> String {
        let wish = self.messages.iter().find_map(|turn| match turn {
            Turn::Told { text } => Some(text.as_str()),
            Turn::Said { .. } | Turn::Called { .. } | Turn::Became { .. } | Turn::News { .. } => None,
        });
        short_line(wish.unwrap_or_default(), 160)
    }

    fn output(&self) -> Option<Value> {
        self.answer.as_ref().map(|answer| json!({ "answer": answer }))
    }
}

impl LoopState for Dialog {
    fn dialog(&self) -> &Dialog {
        self
    }
}

/// The card of such an agent: what it asks, or its answer.
pub fn draw(state: &AnyState, question: Option<&Question>) -> Card {
    let dialog = state.get::<Dialog>().cloned().unwrap_or_default();
    let answer = dialog.answer.iter().map(|answer| Block::Markdown(Visible::new(answer)));
    let blocks = match question {
        Some(question) => card(&dialog, question).unwrap_or_default(),
        None => answer.collect(),
    };
    Card { blocks }
}
