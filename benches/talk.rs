//! A conversation of ordinary size: a question of some 800 bytes, an answer of some 400.

use sayso::engine::graph::{
    Answer, Command, Ctx, Decision, Graph, Kind, NodeError, State, Workflow, ask, end, goto,
};
use sayso::inbox::{Card, Spec, proposal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;

const WORDS: &[&str] = &[
    "the",
    "report",
    "shows",
    "that",
    "revenue",
    "in",
    "northern",
    "region",
    "grew",
    "by",
    "seven",
    "percent",
    "while",
    "costs",
    "stayed",
    "flat",
    "so",
    "should",
    "we",
    "compare",
    "it",
    "with",
    "last",
    "quarter",
    "or",
    "look",
    "at",
    "customers",
    "who",
    "left",
    "because",
    "of",
    "shipping",
    "delays",
    "first",
];

/// Words in an order that differs from turn to turn, so that nothing compresses by repetition alone.
fn words(turn: u32, salt: u32, bytes: usize) -> String {
    let mut seed = u64::from(turn) << 32 | u64::from(salt) | 1;
    let mut text = String::with_capacity(bytes + 12);
    while text.len() < bytes {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        text.push_str(WORDS[(seed >> 33) as usize % WORDS.len()]);
        text.push(' ');
    }
    text
}

pub fn question(turn: u32) -> String {
    words(turn, 1, 800)
}

pub fn answer(turn: u32) -> String {
    words(turn, 2, 400)
}

#[derive(Default, Clone, Serialize, Deserialize)]
struct Talk {
    ticks: u32,
    wanted: u32,
    question: String,
    said: Vec<(String, String)>,
}

#[derive(Deserialize, JsonSchema)]
struct TalkInput {
    #[serde(default)]
    steps: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum TalkUpdate {
    Started(u32),
    Asked(String),
    Answered(String),
    Ticked,
}

impl State for Talk {
    type Input = TalkInput;
    type Update = TalkUpdate;

    fn started(input: TalkInput) -> TalkUpdate {
        TalkUpdate::Started(input.steps)
    }

    fn answered(answers: Vec<Answer>) -> TalkUpdate {
        match answers.into_iter().next().map(|answer| answer.decision) {
            Some(Decision::Respond { text }) => TalkUpdate::Answered(text),
            _ => TalkUpdate::Ticked,
        }
    }

    fn apply(&mut self, update: TalkUpdate) {
        match update {
            TalkUpdate::Started(wanted) => self.wanted = wanted,
            TalkUpdate::Asked(question) => self.question = question,
            TalkUpdate::Answered(text) => self.said.push((std::mem::take(&mut self.question), text)),
            TalkUpdate::Ticked => self.ticks += 1,
        }
    }

    fn title(&self) -> String {
        "A talk".to_owned()
    }

    fn output(&self) -> Option<Value> {
        None
    }
}

async fn think(_: Ctx<()>, state: Arc<Talk>) -> Result<Command<Talk>, NodeError> {
    if state.ticks < state.wanted {
        return Ok(Command::goto("think").update(TalkUpdate::Ticked));
    }
    if state.wanted > 0 {
        return Ok(Command::end());
    }
    let question = question(state.said.len() as u32);
    let mut asked = proposal("q", Kind::Question, "question", &json!({ "content": question }), "A question");
    asked.schema = json!({"type": "object", "properties": {"content": {"type": "string"}}});
    Ok(Command::ask(vec![asked], "think").update(TalkUpdate::Asked(question)))
}

pub fn spec() -> Spec {
    let graph = Graph::builder("talk", "think")
        .node("think", think, [goto("think"), ask("think"), end()])
        .build()
        .unwrap();
    Spec::new(Workflow::new("talk", graph, Arc::new(())), "talks", |_, _| Card::default())
}
