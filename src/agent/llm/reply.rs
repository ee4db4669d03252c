//! What a model answered, made visible.

use serde::{Deserialize, Serialize};

use super::{Message, ToolCall, Usage};
use crate::text::Visible;

/// A whole answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// What was said. If the request had an output schema, this is the JSON text.
    #[serde(default)]
    pub text: String,
    /// The calls the model wants to make, in its order.
    #[serde(default)]
    pub calls: Vec<ToolCall>,
    /// Whether the calls were written as words, so that the model is answered in words.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_words: bool,
    /// Calls whose name or arguments could not be read; [`propose`](super::propose) asks for them again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bad_calls: Vec<BadCall>,
    /// Tokens used.
    #[serde(default)]
    pub usage: Usage,
    /// Why the answer ended.
    #[serde(default)]
    pub stop: Stop,
    /// The model that answered, as the server calls it.
    #[serde(default)]
    pub model: String,
    /// How many bytes of the conversation the model was not shown, because it cannot read that much.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub left_out: usize,
}

fn is_nothing(bytes: &usize) -> bool {
    *bytes == 0
}

impl Reply {
    /// The answer as an entry of the conversation.
    pub fn message(&self) -> Message {
        Message::Assistant { text: self.text.clone(), calls: self.calls.clone() }
    }

    /// The same answer with every string made visible, keys of arguments included.
    pub(super) fn visible(mut self) -> Self {
        self.text = visible(&self.text);
        self.model = visible(&self.model);
        for call in &mut self.calls {
            call.name = visible(&call.name);
            call.args = Visible::json(&call.args);
        }
        for call in &mut self.bad_calls {
            call.name = visible(&call.name);
            call.why = visible(&call.why);
        }
        self
    }
}

/// A call that cannot be proposed to anybody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BadCall {
    /// The tool's name as sent, possibly empty.
    pub name: String,
    /// What is wrong, in words for the model.
    pub why: String,
}

/// Why an answer ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// The model was done.
    #[default]
    End,
    /// The token limit was reached; the text is only the beginning of an answer.
    Length,
}

/// A piece of progress. Only for display: what counts is the [`Reply`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delta<'a> {
    /// More text.
    Text(&'a str),
    /// The answer starts over (a retry): what was streamed so far is void.
    Restart,
}

fn visible(text: &str) -> String {
    Visible::new(text).as_str().to_owned()
}
