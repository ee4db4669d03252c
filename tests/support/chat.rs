//! A conversation: it asks, takes the answer, and asks again until the answer is `done`.

use sayso::engine::graph::{
    Answer, Command, Ctx, Decision, Event, EventKind, Graph, Kind, NodeError, State, Workflow, ask, end,
};
use sayso::inbox::{Block, Card, Spec, proposal};
use sayso::text::Visible;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;

#[derive(Default, Clone, Serialize, Deserialize)]
pub struct Chat {
    pub topic: String,
    pub said: Vec<(String, String)>,
    pub question: String,
    pub over: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChatInput {
    pub topic: String,
    #[serde(default)]
    pub turns: Option<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChatUpdate {
    Started { topic: String },
    Asked { question: String },
    Answered { text: String },
    Over,
    Heard { text: String },
}

impl State for Chat {
    type Input = ChatInput;
    type Update = ChatUpdate;

    fn started(input: ChatInput) -> ChatUpdate {
        ChatUpdate::Started { topic: input.topic }
    }

    fn answered(answers: Vec<Answer>) -> ChatUpdate {
        let reply = answers.into_iter().next().map(|answer| match answer.decision {
            Decision::Respond { text } => text,
            Decision::Accept => "done".to_owned(),
            Decision::Edit { args } => args.to_string(),
            Decision::Ignore | Decision::Draft => "done".to_owned(),
        });
        ChatUpdate::Answered { text: reply.unwrap_or_default() }
    }

    fn arrived(event: Event) -> Option<ChatUpdate> {
        match event.what {
            EventKind::Words { text } | EventKind::Hint { text } => Some(ChatUpdate::Heard { text }),
            EventKind::News { payload, .. } | EventKind::Corrected { payload } => {
                Some(ChatUpdate::Heard { text: payload.to_string() })
            }
            EventKind::AnsweredElsewhere { .. } => Some(ChatUpdate::Over),
        }
    }

    fn apply(&mut self, update: ChatUpdate) {
        match update {
            ChatUpdate::Started { topic } => self.topic = topic,
            ChatUpdate::Asked { question } => self.question = question,
            ChatUpdate::Answered { text } => {
                self.over = text == "done";
                self.said.push((std::mem::take(&mut self.question), text));
            }
            ChatUpdate::Over => self.over = true,
            ChatUpdate::Heard { text } => {
                self.over = false;
                self.said.push(("heard".to_owned(), text));
            }
        }
    }

    fn title(&self) -> String {
        format!("About {}", self.topic)
    }

    fn output(&self) -> Option<Value> {
        self.over.then(|| json!({ "turns": self.said.len() }))
    }
}

async fn think(_: Ctx<()>, state: Arc<Chat>) -> Result<Command<Chat>, NodeError> {
    if state.over {
        return Ok(Command::end());
    }
    let question = format!("Question {} about {}?", state.said.len() + 1, state.topic);
    let args = json!({ "content": question });
    let mut asked = proposal("q", Kind::Question, "question", &args, &question);
    asked.allow.edit = false;
    Ok(Command::ask(vec![asked], "think").update(ChatUpdate::Asked { question }))
}

pub fn graph() -> Graph<Chat, ()> {
    Graph::builder("chat", "think").node("think", think, [ask("think"), end()]).build().unwrap()
}

pub fn spec() -> Spec {
    Spec::new(Workflow::new("chat", graph(), Arc::new(())), "talks", |state, question| {
        let turns = state.get::<Chat>().map(|chat| chat.said.clone()).unwrap_or_default();
        let turns = turns.iter().map(|(q, a)| (Visible::new(q), Visible::new(a))).collect();
        let title = question.map_or("", |question| &question.title);
        Card { blocks: vec![Block::Text(Visible::new(title)), Block::Turns(turns)] }
    })
}
