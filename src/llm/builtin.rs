//! The model that needs no network: transparent rules, which each workflow provides.
//!
//! Promises: the same request always gets the same answer, at once and for free; it answers from [`Request::task`] and
//! [`Request::facts`] and never reads a prompt. It does not pretend to understand: if it cannot do a task, an error
//! says so.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{BoxFuture, Delta, Model, ModelError, OnText, Reply, Request, Stop, ToolCall, check};

/// What a rule answers.
pub enum Answer {
    /// Words.
    Text(String),
    /// Data, for a request with an output schema.
    Data(Value),
    /// A sentence about what is to be done, and the tools to call for it, in this order, each with its arguments.
    Calls(String, Vec<(&'static str, Value)>),
}

impl Answer {
    /// Data as JSON.
    pub fn data(value: &impl Serialize) -> Result<Self, String> {
        serde_json::to_value(value).map(Self::Data).map_err(|error| error.to_string())
    }
}

/// A task that can be done without a language model: its name, and the function that answers from its facts. An error
/// says what is wrong with the facts.
pub type Task = (&'static str, fn(&Value) -> Result<Answer, String>);

/// The built-in model.
#[derive(Clone, Debug)]
pub struct Builtin {
    label: String,
    tasks: &'static [&'static [Task]],
}

impl Builtin {
    /// The built-in model under its name in the config, with the tasks of each workflow that need no language model.
    pub fn new(label: &str, tasks: &'static [&'static [Task]]) -> Self {
        Self { label: label.to_owned(), tasks }
    }

    fn answer(&self, request: &Request) -> Result<Reply, ModelError> {
        let mut tasks =
            self.tasks.iter().copied().flatten().chain([&(check::TASK, ready as fn(&Value) -> _)]);
        let Some((_, answerer)) = tasks.find(|(name, _)| *name == request.task) else {
            return Err(ModelError::NoSuchTask { task: request.task.clone() });
        };
        let answer = answerer(&request.facts)
            .map_err(|why| ModelError::BadFacts { task: request.task.clone(), why })?;
        let mut reply = Reply { model: "builtin".into(), ..Reply::default() };
        match answer {
            Answer::Text(text) => reply.text = text,
            Answer::Data(value) => reply.text = value.to_string(),
            Answer::Calls(thought, calls) => {
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
                reply.stop = Stop::Calls;
            }
        }
        Ok(reply.visible())
    }
}

impl Model for Builtin {
    fn label(&self) -> &str {
        &self.label
    }

    fn complete<'a>(
        &'a self,
        request: &'a Request,
        on_text: OnText<'a>,
    ) -> BoxFuture<'a, Result<Reply, ModelError>> {
        Box::pin(async move {
            let reply = self.answer(request)?;
            on_text(Delta::Text(&reply.text));
            Ok(reply)
        })
    }
}

/// Reads the facts of a task; the error says where they are wrong.
pub fn facts<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    serde_path_to_error::deserialize(value).map_err(|error| format!("at {}: {}", error.path(), error.inner()))
}

fn ready(_: &Value) -> Result<Answer, String> {
    Ok(Answer::Text("ready".into()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::llm::{check as check_model, quiet};

    #[tokio::test]
    async fn an_unknown_task_is_a_clear_error() {
        let request = Request::new("sheet.guess", json!({})).user("Please guess.");
        let error = Builtin::new("builtin", &[]).complete(&request, &quiet).await.unwrap_err();
        assert_eq!(error, ModelError::NoSuchTask { task: "sheet.guess".into() });
        assert!(error.explain().contains("config"));
    }

    #[tokio::test]
    async fn the_check_works_without_anything() {
        assert_eq!(check_model(&Builtin::new("builtin", &[])).await.unwrap(), "builtin answered");
    }
}
