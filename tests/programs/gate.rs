//! A thread that runs for as long as a file is missing.

use sayso::graph::{Answer, Command, Ctx, Graph, NodeError, State, Workflow, end};
use sayso::inbox::{Card, Spec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

#[derive(Default, Clone, Serialize, Deserialize)]
pub struct Gate {
    key: String,
}

#[derive(Deserialize, JsonSchema)]
pub struct GateInput {
    key: String,
}

#[derive(Serialize, Deserialize)]
pub enum GateUpdate {
    Started(String),
    Nothing,
}

impl State for Gate {
    type Input = GateInput;
    type Update = GateUpdate;

    fn started(input: GateInput) -> GateUpdate {
        GateUpdate::Started(input.key)
    }

    fn answered(_: Vec<Answer>) -> GateUpdate {
        GateUpdate::Nothing
    }

    fn apply(&mut self, update: GateUpdate) {
        match update {
            GateUpdate::Started(key) => self.key = key,
            GateUpdate::Nothing => {}
        }
    }

    fn title(&self) -> String {
        "A gate".to_owned()
    }

    fn output(&self) -> Option<Value> {
        None
    }
}

async fn stand(_: Ctx<()>, gate: Arc<Gate>) -> Result<Command<Gate>, NodeError> {
    while !Path::new(&gate.key).exists() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    Ok(Command::end())
}

pub fn spec() -> Spec {
    let graph = Graph::builder("gate", "stand").node("stand", stand, [end()]).build().unwrap();
    Spec::new(Workflow::new("gate", graph, Arc::new(())), "waits for a file", |_, _| Card::default())
}
