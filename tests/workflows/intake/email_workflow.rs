//! A workflow by the name of `email` that shows each mail and ends with the answer. A first mail that is called
//! unshowable or unanswerable gets it into trouble.

use sayso::engine::graph::{
    Answer, Command, Ctx, Event, EventKind, Graph, Kind, NodeError, State, Workflow, ask, end,
};
use sayso::inbox::{Card, Spec, proposal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;

#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Conversation {
    pub mails: Vec<Value>,
    pub earlier: Option<Value>,
    pub settled: Option<String>,
    pub answers: u32,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConversationInput {
    received: Value,
    #[serde(default)]
    earlier: Option<Value>,
}

#[derive(Serialize, Deserialize)]
pub enum Happened {
    Started { received: Value, earlier: Option<Value> },
    Came(Value),
    Settled(String),
    Answered,
}

impl State for Conversation {
    type Input = ConversationInput;
    type Update = Happened;

    fn started(input: ConversationInput) -> Happened {
        Happened::Started { received: input.received, earlier: input.earlier }
    }

    fn answered(_: Vec<Answer>) -> Happened {
        Happened::Answered
    }

    fn arrived(event: Event) -> Option<Happened> {
        match event.what {
            EventKind::News { payload, .. } => Some(Happened::Came(payload)),
            EventKind::AnsweredElsewhere { reason, .. } => Some(Happened::Settled(reason)),
            EventKind::Words { .. } | EventKind::Hint { .. } | EventKind::Corrected { .. } => None,
        }
    }

    fn apply(&mut self, happened: Happened) {
        match happened {
            Happened::Started { received, earlier } => {
                self.mails.push(received);
                self.earlier = earlier;
            }
            Happened::Came(mail) => self.mails.push(mail),
            Happened::Settled(reason) => self.settled = Some(reason),
            Happened::Answered => self.answers += 1,
        }
    }

    fn title(&self) -> String {
        self.mails.first().and_then(|mail| mail["subject"].as_str()).unwrap_or_default().to_owned()
    }

    fn output(&self) -> Option<Value> {
        (self.answers > 0).then(|| json!({"summary": format!("{} mails were shown", self.mails.len())}))
    }
}

async fn show(_: Ctx<()>, state: Arc<Conversation>) -> Result<Command<Conversation>, NodeError> {
    let first = state.settled.is_none() && state.mails.len() == 1;
    if first && state.title().starts_with("Unshowable") {
        return Err(NodeError::failed("it cannot be shown"));
    }
    let args = json!({"subject": state.title()});
    Ok(Command::ask(vec![proposal("show", Kind::Triage, "notify", &args, &state.title())], "leave"))
}

async fn leave(_: Ctx<()>, state: Arc<Conversation>) -> Result<Command<Conversation>, NodeError> {
    if state.settled.is_none() && state.title().starts_with("Unanswerable") {
        return Err(NodeError::failed("it cannot be answered"));
    }
    Ok(Command::end())
}

pub fn spec() -> Spec {
    let graph = Graph::builder("email", "show")
        .node("show", show, [ask("leave")])
        .node("leave", leave, [end()])
        .build()
        .unwrap();
    Spec::new(Workflow::new("email", graph, Arc::new(())), "shows mail", |_, _| Card::default())
        .without_results()
}
