//! The tiny real call behind `sayso doctor`.

use serde_json::json;

use super::{Model, ModelError, Request, quiet};

/// The task of the check, which the built-in model also knows.
pub(super) const TASK: &str = "check";

/// Calls the model once with a few words and says how it went. An error's
/// [`explain`](ModelError::explain) says what to do.
pub async fn check(model: &dyn Model) -> Result<String, ModelError> {
    let request = Request::new(TASK, json!({}))
        .system("You are being checked for reachability.")
        .user("Answer with the single word: ready")
        .max_tokens(64);
    match model.complete(&request, &quiet).await {
        Ok(reply) => {
            let name = if reply.model.is_empty() { model.label() } else { &reply.model };
            let tokens = match reply.usage.input + reply.usage.output {
                0 => String::new(),
                n => format!(" ({n} tokens)"),
            };
            Ok(format!("{name} answered{tokens}"))
        }
        // A model that thinks for longer than these few tokens is reachable, and that was the question.
        Err(ModelError::AnswerTooLong { model, .. }) => Ok(format!("{model} answered (at length)")),
        Err(error) => Err(error),
    }
}
