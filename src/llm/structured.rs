//! Answers that are data: asked with a schema, checked against it, asked again with the validator's words.

use crate::text::words::clip;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::schema::{self};
use super::{Choice, Message, Model, ModelError, OutputSchema, Reply, Request, Stop, Usage, quiet};

/// How often an answer of no use goes back.
pub(super) const MORE_TRIES: usize = 2;

/// How much of a useless answer is shown to the model again.
const QUOTED: usize = 4_000;

/// An answer that fits.
#[derive(Clone, Debug, PartialEq)]
pub struct Structured<T> {
    /// The answer.
    pub value: T,
    /// All tokens used, those of useless answers included.
    pub usage: Usage,
    /// How many answers it took: 1 to 3.
    pub answers: usize,
    /// The model that answered.
    pub model: String,
}

/// Asks for a `T`. An answer that does not fit its schema goes back with what is wrong, twice at most, then
/// the error is [`ModelError::Unreadable`]. Tools of the request are not offered.
pub async fn structured<T>(model: &dyn Model, request: &Request) -> Result<Structured<T>, ModelError>
where
    T: DeserializeOwned + JsonSchema,
{
    shaped(model, request, OutputSchema { name: name_of::<T>(), schema: schema::of::<T>() }).await
}

/// The same for a schema that is known only when it is asked, such as a choice among what there is.
pub async fn shaped<T: DeserializeOwned>(
    model: &dyn Model,
    request: &Request,
    output: OutputSchema,
) -> Result<Structured<T>, ModelError> {
    let mut request =
        Request { tools: Vec::new(), choice: Choice::Auto, output: Some(output.clone()), ..request.clone() };
    let mut usage = Usage::default();
    let mut why = String::new();
    for answers in 1..=MORE_TRIES + 1 {
        let reply = model.complete(&request, &quiet).await?.visible();
        usage += reply.usage;
        match read::<T>(&output.schema, &reply) {
            Ok(value) => return Ok(Structured { value, usage, answers, model: reply.model }),
            Err(_) if reply.stop == Stop::Length => {
                let used = reply.usage.output.try_into().unwrap_or(u32::MAX);
                let limit = request.max_tokens.unwrap_or(used);
                return Err(ModelError::AnswerTooLong { model: model.label().to_owned(), limit });
            }
            Err(complaints) => {
                let said = if reply.text.is_empty() { "(nothing)" } else { &reply.text };
                request.messages.push(Message::assistant(clip(said, QUOTED)));
                request.messages.push(Message::user(format!(
                    "That answer cannot be used: {}. Answer with one JSON object that fits this JSON schema, and \
                     with nothing else: {}",
                    complaints.full, output.schema
                )));
                why = complaints.masked;
            }
        }
    }
    Err(ModelError::unreadable(
        model.label(),
        format!("after {} tries it still does not fit its schema: {why}", MORE_TRIES + 1),
    ))
}

fn read<T: DeserializeOwned>(schema: &Value, reply: &Reply) -> Result<T, schema::Complaints> {
    let same = |text: String| schema::Complaints { full: text.clone(), masked: text };
    if reply.text.trim().is_empty() {
        return Err(same("it is empty".into()));
    }
    let value = schema::json_in(&reply.text).ok_or_else(|| same("it holds no whole JSON object".into()))?;
    let value = schema::accept(schema, value)?;
    serde_path_to_error::deserialize(&value).map_err(|error| schema::Complaints {
        masked: format!("at {}: not the expected form", error.path()),
        full: clip(&format!("at {}: {}", error.path(), error.inner()), 300),
    })
}

/// A name every provider accepts.
fn name_of<T: JsonSchema>() -> String {
    let name: String = T::schema_name()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' })
        .take(60)
        .collect();
    if name.is_empty() { "answer".into() } else { name }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;
    use crate::llm::{Reply, Scripted};

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

    fn request() -> Request {
        Request::new("test", Value::Null).user("Which?")
    }

    #[tokio::test]
    async fn a_fitting_answer_is_taken_at_once() {
        let model = Scripted::texts(["{\"colour\": \"red\", \"size\": 3}"]);
        let answer = structured::<Answer>(&model, &request()).await.unwrap();
        assert_eq!(answer.value, Answer { colour: Colour::Red, size: 3 });
        assert_eq!(answer.answers, 1);
        assert_eq!(model.requests()[0].output.as_ref().unwrap().name, "answer");
    }

    #[tokio::test]
    async fn a_misfit_goes_back_with_the_validators_words() {
        let paid = Usage { input: 10, output: 2, cached: 0 };
        let reply = |text: &str| Reply { text: text.into(), usage: paid, ..Reply::default() };
        let model = Scripted::new([
            Ok(reply("red, I think")),
            Ok(reply("{\"colour\": \"blue\", \"size\": 3}")),
            Ok(reply("{\"colour\": \"green\", \"size\": 3}")),
        ]);
        let answer = structured::<Answer>(&model, &request()).await.unwrap();
        assert_eq!((answer.answers, answer.usage.input), (3, 30));
        let asked = model.requests();
        let Some(Message::User { text }) = asked[2].messages.last() else { panic!("no complaint") };
        assert!(text.contains("/colour") && text.contains("blue"), "{text}");
    }

    #[tokio::test]
    async fn three_misfits_are_an_error_that_holds_no_answer() {
        let model = Scripted::texts(["canary", "{\"colour\": \"canary\"}", "{\"colour\": \"canary\"}"]);
        let error = structured::<Answer>(&model, &request()).await.unwrap_err();
        assert_eq!(error.code(), "unreadable");
        assert!(!error.to_string().contains("canary"), "{error}");
        assert_eq!(model.requests().len(), 3);
    }
}
