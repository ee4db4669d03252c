//! The model that needs no network: transparent rules, one file a workflow.
//!
//! Promised: the same request always gets the same answer, at once and for nothing; it answers from
//! [`Request::task`] and [`Request::facts`] (whose shapes stand in [`facts`](super::facts)) and never reads a
//! prompt. It does not pretend to understand: what it cannot do is an error that says so.
//!
//! A workflow adds its tasks by one file and its lines in the table `TASKS`.

mod analyze;
mod ask;
mod docs;
mod email;
mod sheet;
mod words;

pub use email::kinds_of_mail;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{BoxFuture, Delta, Model, ModelError, OnText, Reply, Request, Stop, ToolCall, check};

/// What a rule answers.
enum Answer {
    /// Words.
    Text(String),
    /// Data, for a request with an output schema.
    Data(Value),
    /// What is to be done in a sentence, and the tools to call for it, each with its arguments, in this order.
    Calls(String, Vec<(&'static str, Value)>),
}

impl Answer {
    fn data(value: &impl Serialize) -> Result<Self, String> {
        serde_json::to_value(value).map(Self::Data).map_err(|error| error.to_string())
    }
}

/// An answer to the facts of one task; an error says what is wrong with the facts.
type Answerer = fn(&Value) -> Result<Answer, String>;

/// Every task that can be done without a language model.
const TASKS: &[(&str, Answerer)] = &[
    (check::TASK, ready),
    ("email.triage", email::triage),
    ("email.reply", email::reply),
    ("email.memory", email::memory),
    ("analyze.initial", analyze::initial),
    ("analyze.followup", analyze::followup),
    ("analyze.final", analyze::summary),
    ("ask.category", ask::category),
    ("ask.select", ask::select),
    ("ask.params", ask::params),
    ("docs.analyze", docs::analyze),
    ("docs.evaluate", docs::evaluate),
    ("docs.questions", docs::questions),
    ("docs.answer", docs::answer),
    ("docs.refine", docs::refine),
    ("sheet.plan", sheet::plan),
];

/// The built-in model.
#[derive(Clone, Debug)]
pub struct Builtin {
    label: String,
}

impl Builtin {
    /// The built-in model under its name in the config.
    pub fn new(label: &str) -> Self {
        Self { label: label.to_owned() }
    }

    /// The tasks it knows.
    pub fn tasks() -> impl Iterator<Item = &'static str> {
        TASKS.iter().map(|(name, _)| *name)
    }

    fn answer(&self, request: &Request) -> Result<Reply, ModelError> {
        let Some((_, answerer)) = TASKS.iter().find(|(name, _)| *name == request.task) else {
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

impl Default for Builtin {
    fn default() -> Self {
        Self::new("builtin")
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

/// The facts of a task, or the path of what is wrong with them.
fn facts<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
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
        let error = Builtin::default().complete(&request, &quiet).await.unwrap_err();
        assert_eq!(error, ModelError::NoSuchTask { task: "sheet.guess".into() });
        assert!(error.explain().contains("config"));
    }

    #[tokio::test]
    async fn the_check_works_without_anything() {
        assert_eq!(check_model(&Builtin::default()).await.unwrap(), "builtin answered");
    }
}
