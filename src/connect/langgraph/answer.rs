//! The answer to an interrupt, in the shape of the question. Pure.

use super::shape::{Action, RemoteQuestion, Shape};
use crate::engine::graph::Decision;
use crate::text::exact::apply_edit;
use serde_json::{Value, json};

/// The answer to `question` as JSON text, from one decision per action, in their order; `None` if the thread should
/// end, because no answer means no. `Err` says why there is none.
pub(super) fn answer(question: &RemoteQuestion, decisions: &[Decision]) -> Result<Option<String>, String> {
    if decisions.len() != question.actions.len() {
        let text = format!("{} answers for {} actions", decisions.len(), question.actions.len());
        return Err(text);
    }
    let each = question.actions.iter().zip(decisions);
    let value = match question.shape {
        Shape::Inbox => format!("[{}]", joined(each.map(|(action, decision)| inbox(action, decision)))?),
        Shape::Batched => {
            let each = joined(each.map(|(action, decision)| call(action, decision)))?;
            format!("{{\"decisions\":[{each}]}}")
        }
        Shape::PerCall => joined(each.map(|(action, decision)| call(action, decision)))?,
        Shape::Free => match decisions.first() {
            Some(Decision::Respond { text }) => json!(text).to_string(),
            Some(Decision::Edit { args }) => match args.get("answer") {
                Some(answer) => answer.to_string(),
                None => return Err("an edit of it reads {\"answer\": …}".to_owned()),
            },
            Some(Decision::Ignore) => return Ok(None),
            Some(Decision::Accept | Decision::Draft) | None => return Err(not_taken("this")),
        },
    };
    Ok(Some(value))
}

fn joined(each: impl Iterator<Item = Result<String, String>>) -> Result<String, String> {
    Ok(each.collect::<Result<Vec<_>, _>>()?.join(","))
}

fn inbox(action: &Action, decision: &Decision) -> Result<String, String> {
    let with = |word: &str, args: &str| {
        let name = Value::from(action.name.as_str());
        Ok(format!("{{\"type\":\"{word}\",\"args\":{{\"action\":{name},\"args\":{args}}}}}"))
    };
    match decision {
        Decision::Accept => with("accept", &action.args),
        Decision::Edit { args } => with("edit", &apply_edit(&action.args, args)),
        Decision::Respond { text } => Ok(json!({"type": "response", "args": text}).to_string()),
        Decision::Ignore => Ok(json!({"type": "ignore", "args": null}).to_string()),
        Decision::Draft => Err(not_taken("a draft")),
    }
}

fn call(action: &Action, decision: &Decision) -> Result<String, String> {
    match decision {
        Decision::Accept => Ok(json!({"type": "approve"}).to_string()),
        Decision::Edit { args } => {
            let name = Value::from(action.name.as_str());
            let args = apply_edit(&action.args, args);
            Ok(format!("{{\"type\":\"edit\",\"edited_action\":{{\"name\":{name},\"args\":{args}}}}}"))
        }
        Decision::Respond { text } if action.responds => {
            Ok(json!({"type": "respond", "message": text}).to_string())
        }
        Decision::Respond { text } => Ok(json!({"type": "reject", "message": text}).to_string()),
        Decision::Ignore => Ok(json!({"type": "reject"}).to_string()),
        Decision::Draft => Err(not_taken("a draft")),
    }
}

fn not_taken(what: &str) -> String {
    format!("a server does not accept {what} as an answer")
}
