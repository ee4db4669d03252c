//! Answers that are data: asked for with a schema, checked against it, and asked for again with the validator's words.

use crate::text::words::clip;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::coerce::UnknownKeys;
use super::exchange::ModelExchange;
use super::habit::note;
use super::schema::{self};
use super::{Choice, Habit, Model, ModelError, OutputSchema, Reply, Request, Usage, lenient_json, quiet};

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
    /// The habits that were corrected.
    pub habits: Vec<Habit>,
    /// How many bytes of the conversation the model was not shown.
    pub left_out: usize,
}

/// Asks for a `T`. An answer that does not fit its schema is sent back with what is wrong, at most twice; then the
/// error is [`ModelError::Unreadable`]. The request's tools are not offered.
pub async fn structured<T>(model: &dyn Model, request: &Request) -> Result<Structured<T>, ModelError>
where
    T: DeserializeOwned + JsonSchema,
{
    shaped(model, request, OutputSchema { name: name_of::<T>(), schema: schema::of::<T>() }).await
}

/// The same for a schema that is known only at run time, such as a choice from a list.
pub async fn shaped<T: DeserializeOwned>(
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
            Ok((value, corrected)) => {
                note(&mut asking.habits, corrected);
                let ModelExchange { usage, habits, left_out, answers, .. } = asking;
                return Ok(Structured { value, usage, answers, model: reply.model, habits, left_out });
            }
            Err(complaints) => {
                if reply.text.trim().is_empty() {
                    note(&mut asking.habits, [Habit::EmptyAnswer]);
                }
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

/// The first value in an answer that fits.
fn read<T: DeserializeOwned>(schema: &Value, reply: &Reply) -> Result<(T, Vec<Habit>), schema::Complaints> {
    let same = |text: &str| schema::Complaints { full: text.to_owned(), masked: text.to_owned() };
    let mut wrong = None;
    let called = reply.calls.iter().map(|call| (call.args.clone(), vec![Habit::ToolName]));
    for (value, mut habits) in lenient_json::values_in(&reply.text).into_iter().chain(called) {
        match fitting(schema, value) {
            Ok((value, corrected)) => {
                note(&mut habits, corrected);
                return Ok((value, habits));
            }
            Err(complaints) => wrong = wrong.or(Some(complaints)),
        }
    }
    let is_empty = reply.text.trim().is_empty() && reply.calls.is_empty();
    Err(wrong.unwrap_or_else(|| {
        same(if is_empty { "it is empty" } else { "it is in words, and holds no whole JSON object" })
    }))
}

/// The value as a `T`, or the object that it wraps.
fn fitting<T: DeserializeOwned>(schema: &Value, value: Value) -> Result<(T, Vec<Habit>), schema::Complaints> {
    let inner = match &value {
        Value::Object(fields) if fields.len() == 1 => {
            fields.values().next().filter(|one| one.is_object()).cloned()
        }
        _ => None,
    };
    let complaints = match typed(schema, value) {
        Ok(answer) => return Ok(answer),
        Err(complaints) => complaints,
    };
    let Some(Ok((value, mut habits))) = inner.map(|inner| typed(schema, inner)) else {
        return Err(complaints);
    };
    note(&mut habits, [Habit::WrappedAnswer]);
    Ok((value, habits))
}

fn typed<T: DeserializeOwned>(schema: &Value, value: Value) -> Result<(T, Vec<Habit>), schema::Complaints> {
    let (value, habits) = schema::accept(schema, value, UnknownKeys::Drop)?;
    let typed = serde_path_to_error::deserialize(&value).map_err(|error| schema::Complaints {
        masked: format!("at {}: not the expected form", error.path()),
        full: clip(&format!("at {}: {}", error.path(), error.inner()), 300),
    })?;
    Ok((typed, habits))
}

/// A name that every provider accepts.
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
    use crate::llm::{Message, Reply, Scripted};

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
        let requests = model.requests();
        let Some(Message::User { text }) = requests[2].messages.last() else { panic!("no complaint") };
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
