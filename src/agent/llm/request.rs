//! What a model is asked. Plain data: it is journaled, recorded and shown in the trace.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::schema;

/// One complete question to a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// What the answer is for (`email.triage`, `sheet.plan`). The built-in rules are chosen by it; providers on the
    /// network never see it.
    pub task: String,
    /// What the prompt is about, as data, for the built-in rules and the demo's script. Never sent.
    #[serde(default)]
    pub facts: Value,
    /// Instructions that come before the conversation.
    #[serde(default)]
    pub system: String,
    /// The conversation, oldest first.
    #[serde(default)]
    pub messages: Vec<Message>,
    /// How many bytes at the start of the first message the calls after this one repeat. A provider that wants to be
    /// told what to cache is told so; the others find out by themselves.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeated: usize,
    /// The tools that may be called.
    #[serde(default)]
    pub tools: Vec<ToolSpec>,
    /// Whether a tool must be called.
    #[serde(default)]
    pub choice: Choice,
    /// The tool that ends the work. If it is named, words in place of a required call are returned once the model was
    /// told so, and calling it again is no repetition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends_with: Option<String>,
    /// The shape the answer's text must have; [`structured`](super::structured) fills it in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<OutputSchema>,
    /// The most tokens the answer may have; the model's setting if not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
}

impl Request {
    /// A request for `task`, made from `facts`.
    pub fn new(task: &str, facts: Value) -> Self {
        Self { task: task.to_owned(), facts, ..Self::default() }
    }

    /// Sets the instructions that come before the conversation.
    pub fn system(mut self, text: impl Into<String>) -> Self {
        self.system = text.into();
        self
    }

    /// Adds words from the person, or from the workflow on their behalf.
    pub fn user(self, text: impl Into<String>) -> Self {
        self.message(Message::user(text))
    }

    /// Adds one message.
    pub fn message(mut self, message: Message) -> Self {
        self.messages.push(message);
        self
    }

    /// Sets the whole conversation.
    pub fn messages(mut self, messages: Vec<Message>) -> Self {
        self.messages = messages;
        self
    }

    /// Says how many bytes at the start of the first message later calls repeat.
    pub fn repeated(mut self, bytes: usize) -> Self {
        self.repeated = bytes;
        self
    }

    /// Offers one more tool.
    pub fn tool(mut self, tool: ToolSpec) -> Self {
        self.tools.push(tool);
        self
    }

    /// Says whether a tool must be called.
    pub fn choice(mut self, choice: Choice) -> Self {
        self.choice = choice;
        self
    }

    /// Says which tool ends the work.
    pub fn ends_with(mut self, tool: &str) -> Self {
        self.ends_with = Some(tool.to_owned());
        self
    }

    /// Limits the answer's length for this request only.
    pub fn max_tokens(mut self, tokens: u32) -> Self {
        self.max_tokens = Some(tokens);
        self
    }

    /// The tool calls already in the conversation; new ids are numbered after them.
    pub(super) fn earlier_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.messages.iter().flat_map(|message| match message {
            Message::Assistant { calls, .. } => calls.as_slice(),
            Message::User { .. } | Message::Tool { .. } => &[],
        })
    }
}

fn is_zero(bytes: &usize) -> bool {
    *bytes == 0
}

/// One entry of the conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// From the person or the workflow.
    User {
        /// What was said.
        text: String,
    },
    /// From the model.
    Assistant {
        /// What it said, possibly nothing.
        #[serde(default)]
        text: String,
        /// The calls it wanted to make.
        #[serde(default)]
        calls: Vec<ToolCall>,
    },
    /// The result of one call.
    Tool {
        /// The id of that call.
        call_id: String,
        /// The tool's name: some providers match by it.
        name: String,
        /// What the model is told.
        text: String,
        /// True if the call failed or was refused.
        #[serde(default)]
        failed: bool,
    },
}

impl Message {
    /// Words from the person.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { text: text.into() }
    }

    /// Words from the model.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::Assistant { text: text.into(), calls: Vec::new() }
    }

    /// The outcome of `call`.
    pub fn result(call: &ToolCall, text: impl Into<String>) -> Self {
        Self::Tool { call_id: call.id.clone(), name: call.name.clone(), text: text.into(), failed: false }
    }

    /// The outcome of a `call` that failed or was refused.
    pub fn failure(call: &ToolCall, text: impl Into<String>) -> Self {
        Self::Tool { call_id: call.id.clone(), name: call.name.clone(), text: text.into(), failed: true }
    }
}

/// A conversation in which consecutive user messages are joined: some models insist on taking turns.
pub fn join_user_messages(messages: impl IntoIterator<Item = Message>) -> Vec<Message> {
    let mut joined: Vec<Message> = Vec::new();
    for message in messages {
        match (joined.last_mut(), message) {
            (Some(Message::User { text: previous }), Message::User { text }) => {
                previous.push_str("\n\n");
                previous.push_str(&text);
            }
            (_, message) => joined.push(message),
        }
    }
    joined
}

/// A call a model proposes. It has no effect by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Unique in its conversation, even if the server sent none.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments: always a JSON object.
    pub args: Value,
    /// An opaque token that the provider wants back with the call; we do not read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

/// A tool as described to a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// The name to call it by.
    pub name: String,
    /// When and how to use it.
    pub description: String,
    /// The JSON schema its arguments are checked against.
    pub schema: Value,
}

impl ToolSpec {
    /// A tool whose arguments are the type `T`.
    pub fn of<T: JsonSchema>(name: &str, description: &str) -> Self {
        Self { name: name.to_owned(), description: description.to_owned(), schema: schema::of::<T>() }
    }
}

/// Whether a model must call a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// It may answer in words or call.
    #[default]
    Auto,
    /// It must call some tool.
    Required,
}

/// The shape of an answer that is data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutputSchema {
    /// A name for it: letters, digits, `_`.
    pub name: String,
    /// The JSON schema.
    pub schema: Value,
}

impl OutputSchema {
    /// The schema of the type `T`, under a name that every provider accepts.
    pub fn of<T: JsonSchema>() -> Self {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
        Self { name: T::schema_name().chars().map(plain).take(60).collect(), schema: schema::of::<T>() }
    }
}
