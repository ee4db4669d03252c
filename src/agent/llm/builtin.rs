//! No model: transparent rules for the few tasks that workflows do without one.
//!
//! Promises: the same request always gets the same answer, at once and for free; it answers from [`Request::task`] and
//! [`Request::facts`] and never reads a prompt. It does not pretend to understand: every other task is an error that
//! says what is needed.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{ModelError, ReadyModel, Reply, Request, ToolCall, check};

/// What a rule answers.
pub enum RuleAnswer {
    /// Words.
    Text(String),
    /// Data, for a request with an output schema.
    Data(Value),
    /// A sentence about what is to be done, and the tools to call for it, in this order, each with its arguments.
    Calls(String, Vec<(&'static str, Value)>),
}

impl RuleAnswer {
    /// Data as JSON.
    pub fn data(value: &impl Serialize) -> Result<Self, String> {
        serde_json::to_value(value).map(Self::Data).map_err(|error| error.to_string())
    }

    /// The answer as a reply to `request` by `model`.
    pub fn into_reply(self, model: &str, request: &Request) -> Reply {
        let mut reply = Reply { model: model.to_owned(), ..Reply::default() };
        match self {
            Self::Text(text) => reply.text = text,
            Self::Data(value) => reply.text = value.to_string(),
            Self::Calls(thought, calls) => {
                reply.text = thought;
                let first = request.earlier_calls().count() + 1;
                let numbered = (first..).zip(calls);
                reply.calls = numbered
                    .map(|(n, (name, args))| ToolCall {
                        id: format!("call_{n}"),
                        name: name.to_owned(),
                        args,
                        signature: None,
                    })
                    .collect();
            }
        }
        reply.visible()
    }
}

/// A task that can be done without a language model: its name, and the function that answers from its facts. An error
/// says what is wrong with the facts.
pub type Task = (&'static str, fn(&Value) -> Result<RuleAnswer, String>);

/// The built-in rules in the place of a model.
#[derive(Clone, Debug)]
pub struct Builtin {
    label: String,
    tasks: &'static [&'static [Task]],
}

impl Builtin {
    /// The rules under their name in the config, with the tasks of each workflow that need no language model.
    pub fn new(label: &str, tasks: &'static [&'static [Task]]) -> Self {
        Self { label: label.to_owned(), tasks }
    }
}

impl ReadyModel for Builtin {
    fn label(&self) -> &str {
        &self.label
    }

    fn answer(&self, request: &Request) -> Result<Reply, ModelError> {
        let mut tasks =
            self.tasks.iter().copied().flatten().chain([&(check::TASK, ready as fn(&Value) -> _)]);
        let Some((_, answerer)) = tasks.find(|(name, _)| *name == request.task) else {
            return Err(ModelError::NeedsModel { task: request.task.clone() });
        };
        let answer = answerer(&request.facts)
            .map_err(|why| ModelError::BadFacts { task: request.task.clone(), why })?;
        Ok(answer.into_reply("builtin", request))
    }
}

/// Reads the facts of a task; the error says where they are wrong.
pub fn facts<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    serde_path_to_error::deserialize(value).map_err(|error| format!("at {}: {}", error.path(), error.inner()))
}

fn ready(_: &Value) -> Result<RuleAnswer, String> {
    Ok(RuleAnswer::Text("ready".into()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::agent::llm::{Model, check as check_model, quiet};

    #[tokio::test]
    async fn an_unknown_task_is_a_clear_error() {
        let request = Request::new("sheet.guess", json!({})).user("Please guess.");
        let error = Builtin::new("builtin", &[]).complete(&request, &quiet).await.unwrap_err();
        assert_eq!(error, ModelError::NeedsModel { task: "sheet.guess".into() });
        assert!(error.explain().contains("config"));
    }

    #[tokio::test]
    async fn the_check_works_without_anything() {
        assert_eq!(check_model(&Builtin::new("builtin", &[])).await.unwrap(), "builtin answered");
    }
}
