//! A workflow whose nodes lead where a table says.

use sayso::engine::graph::{
    Answer, Command, Ctx, Edge, Graph, Kind, NodeError, State, Workflow, ask, end, goto,
};
use sayso::inbox::{Card, Spec, proposal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;

/// Where a node leads.
#[derive(Clone, Copy)]
pub enum Next {
    Goto(&'static str),
    Ask(&'static str),
    End,
}

#[derive(Default, Clone, Serialize, Deserialize)]
pub struct Walk {
    pub seen: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
pub struct Nothing {}

impl State for Walk {
    type Input = Nothing;
    type Update = String;

    fn started(_: Nothing) -> String {
        "start".to_owned()
    }

    fn answered(_: Vec<Answer>) -> String {
        "answers".to_owned()
    }

    fn apply(&mut self, update: String) {
        self.seen.push(update);
    }

    fn title(&self) -> String {
        "a walk".to_owned()
    }

    fn output(&self) -> Option<Value> {
        Some(json!(self.seen))
    }
}

impl Next {
    fn edge(self) -> Edge {
        match self {
            Next::Goto(to) => goto(to),
            Next::Ask(to) => ask(to),
            Next::End => end(),
        }
    }

    fn command(self) -> Command<Walk> {
        match self {
            Next::Goto(to) => Command::goto(to),
            Next::Ask(to) => {
                Command::ask(vec![proposal("q", Kind::Question, "question", &json!({}), "Well?")], to)
            }
            Next::End => Command::end(),
        }
    }
}

/// A workflow whose nodes lead where the table says, from the first of them on.
pub fn spec(name: &str, table: &[(&'static str, Next)]) -> Spec {
    let mut graph = Graph::<Walk, ()>::builder(name, table[0].0);
    for (node, next) in table.iter().copied() {
        let walk = move |ctx: Ctx<()>, _: Arc<Walk>| {
            let command = next.command().update(ctx.step_context().node.clone());
            std::future::ready(Ok::<_, NodeError>(command))
        };
        graph = graph.node(node, walk, [next.edge()]);
    }
    Spec::new(Workflow::new(name, graph.build().unwrap(), Arc::new(())), "walks", |_, _| Card::default())
}
