//! Answers that are data: asked for with a schema, checked against it, and asked for once more with what is wrong.

use crate::text::words::clip;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::exchange::ModelExchange;
use super::schema::{self, Complaints};
use super::{Choice, Model, ModelError, OutputSchema, Reply, Request, Usage, lenient_json, quiet};

/// An answer that fits its schema.
#[derive(Clone, Debug, PartialEq)]
pub struct Structured<T> {
    pub value: T,
    /// All tokens used, including those of unusable answers.
    pub usage: Usage,
    /// How many times the model was asked.
    pub answers: usize,
    /// The model that answered.
    pub model: String,
    /// How many bytes of the conversation the model was not shown.
    pub left_out: usize,
}

/// Asks for a `T`. An answer that does not fit its schema is sent back once with what is wrong; then the error is
/// [`ModelError::Unreadable`]. The request's tools are not offered.
pub async fn structured<T: DeserializeOwned>(
    model: &dyn Model,
    request: &Request,
    output: OutputSchema,
) -> Result<Structured<T>, ModelError> {
    let request =
        Request { tools: Vec::new(), choice: Choice::Auto, output: Some(output.clone()), ..request.clone() };
    let mut asking = ModelExchange::new(model, request, &quiet);
    loop {
        let reply = asking.answer().await?;
        match read::<T>(&output.schema, &reply) {
            Ok(value) => {
                let ModelExchange { usage, left_out, answers, .. } = asking;
                return Ok(Structured { value, usage, answers, model: reply.model, left_out });
            }
            Err(complaints) => {
                let wish = format!(
                    "That answer cannot be used: {}. Answer with one JSON object that fits this JSON schema, and \
                     with nothing else: {}",
                    complaints.full, output.schema
                );
                let why = format!("it does not fit its schema: {}", complaints.masked);
                asking.send_back(&reply, wish, &why)?;
            }
        }
    }
}

/// A value as its schema takes it, for what a schema chosen by the answer itself has to check; the error says what is
/// wrong.
pub fn fitted(schema: &Value, value: Value) -> Result<Value, String> {
    schema::accept(schema, value).map_err(|complaints| complaints.full)
}

/// The first value in an answer that fits.
fn read<T: DeserializeOwned>(schema: &Value, reply: &Reply) -> Result<T, Complaints> {
    if let Some(bad) = reply.bad_calls.first() {
        return Err(Complaints::same(bad.why.clone()));
    }
    if !reply.calls.is_empty() {
        return Err(Complaints::same("it calls a tool, and there is none to call".to_owned()));
    }
    let mut wrong = None;
    for value in lenient_json::values_in(&reply.text) {
        match value.map_err(Complaints::same).and_then(|value| typed(schema, value)) {
            Ok(value) => return Ok(value),
            Err(complaints) => wrong = wrong.or(Some(complaints)),
        }
    }
    Err(wrong.unwrap_or_default())
}

fn typed<T: DeserializeOwned>(schema: &Value, value: Value) -> Result<T, Complaints> {
    let value = schema::accept(schema, value)?;
    serde_path_to_error::deserialize(&value).map_err(|error| Complaints {
        masked: format!("at {}: not the expected form", error.path()),
        full: clip(&format!("at {}: {}", error.path(), error.inner()), 300),
    })
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::Deserialize;

    use super::*;
    use crate::agent::llm::{Message, Reply, Scripted};

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Colour {
        Red,
        Green,
    }

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    struct Answer {
        colour: Colour,
        size: u32,
    }

    async fn ask(model: &Scripted) -> Result<Structured<Answer>, ModelError> {
        let request = Request::new("test", Value::Null).user("Which?");
        structured(model, &request, OutputSchema::of::<Answer>()).await
    }

    #[tokio::test]
    async fn a_fitting_answer_is_taken_at_once() {
        let model = Scripted::texts(["{\"colour\": \"red\", \"size\": 3}"]);
        let answer = ask(&model).await.unwrap();
        assert_eq!(answer.value, Answer { colour: Colour::Red, size: 3 });
        assert_eq!(answer.answers, 1);
        assert_eq!(model.requests()[0].output.as_ref().unwrap().name, "answer");
    }

    #[tokio::test]
    async fn a_misfit_goes_back_with_the_validators_words() {
        let paid = Usage { input: 10, output: 2, cached: 0 };
        let reply = |text: &str| Reply { text: text.into(), usage: paid, ..Reply::default() };
        let model = Scripted::new([
            Ok(reply("{\"colour\": \"blue\", \"size\": 3}")),
            Ok(reply("{\"colour\": \"green\", \"size\": 3}")),
        ]);
        let answer = ask(&model).await.unwrap();
        assert_eq!((answer.answers, answer.usage.input), (2, 20));
        let requests = model.requests();
        let [.., Message::Assistant { text: own, .. }, Message::User { text }] = &requests[1].messages[..]
        else {
            panic!("no complaint")
        };
        assert_eq!(own, "{\"colour\": \"blue\", \"size\": 3}");
        assert!(text.contains("/colour") && text.contains("blue"), "{text}");
    }

    #[tokio::test]
    async fn json_that_cannot_be_read_goes_back_with_the_reason() {
        let model =
            Scripted::texts(["{\"colour\": \"red\", \"size\": 3,}", "{\"colour\": \"red\", \"size\": 3}"]);
        assert_eq!(ask(&model).await.unwrap().answers, 2);
        let requests = model.requests();
        let Some(Message::User { text }) = requests[1].messages.last() else { panic!("no complaint") };
        assert!(text.contains("trailing comma at line 1 column"), "{text}");
    }

    #[tokio::test]
    async fn two_misfits_are_an_error_that_holds_no_answer() {
        let model = Scripted::texts(["canary", "{\"colour\": \"canary\"}"]);
        let error = ask(&model).await.unwrap_err();
        assert_eq!(error.code(), "unreadable");
        assert!(!error.to_string().contains("canary"), "{error}");
        assert_eq!(model.requests().len(), 2);
    }
}
