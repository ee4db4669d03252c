//! The status of a thread, in a sentence that says what to do next.

use super::context::OpenFolder;
use super::failure::Failure;
use super::output::{Format, Output};
use super::values::Lines;
use crate::inbox::{Outcome, Overview, Status};
use serde_json::Value;

/// The answer of a verb that left a thread at `outcome`.
pub(super) async fn answer(folder: &OpenFolder, outcome: &Outcome) -> Result<Output, Failure> {
    let is_answered = outcome.status == Status::Ready && folder.inbox().requests().is_one(&outcome.thread)?;
    let next = if is_answered {
        "whoever asked takes the answer from it".to_owned()
    } else {
        next_step(folder, std::slice::from_ref(outcome)).await?
    };
    folder.format.answer(outcome, |format| text(format, outcome, &next))
}

/// Says how the ready threads go on; empty for JSON, or if none is ready.
pub(super) async fn next_step(folder: &OpenFolder, outcomes: &[Outcome]) -> Result<String, Failure> {
    if folder.format.is_json() || outcomes.iter().all(|outcome| outcome.status != Status::Ready) {
        return Ok(String::new());
    }
    Ok(next(&folder.inbox().statistics().overview().await?))
}

/// `next` says what takes a ready thread further.
pub(super) fn text(format: &Format, outcome: &Outcome, next: &str) -> String {
    let thread = &outcome.thread;
    let stopped = is_stopped(outcome);
    let mut out = match outcome.status {
        Status::Ready => format!("Thread {thread} is ready; {next}.\n"),
        Status::Running => format!("Thread {thread} is running.\n"),
        Status::Waiting => format!("Thread {thread} waits for you.\n"),
        Status::Held => {
            format!(
                "Thread {thread} is held for a moment; `sayso undo` with the interrupt's id takes it back.\n"
            )
        }
        Status::Joining => format!("Thread {thread} waits for the threads it started.\n"),
        Status::Trouble if stopped => format!("Thread {thread} is stopped.\n"),
        Status::Trouble => format!("Thread {thread} cannot go on by itself.\n"),
        Status::Done => format!("Thread {thread} is done.\n"),
        Status::Abandoned => format!("Thread {thread} was abandoned.\n"),
    };
    if let Some(error) = outcome.error.as_ref().filter(|_| !stopped) {
        out.push_str(&format!("Trouble: {} [{}]\n", error.text, error.code));
    }
    for id in &outcome.interrupts {
        out.push_str(&format!("Asks {id}: `sayso show {id}` shows it.\n"));
    }
    if outcome.status == Status::Done {
        match &outcome.output {
            None | Some(Value::Null) => {}
            Some(output) => {
                let mut lines = Lines::new(format.columns());
                lines.field(0, "Result", &without_records(without_empty_fields(output)));
                out.push_str(&lines.into_text());
            }
        }
    }
    out
}

/// Whether a person stopped it and has not let it go on.
fn is_stopped(outcome: &Outcome) -> bool {
    outcome.error.as_ref().is_some_and(|error| error.code == "stopped")
}

/// What takes a ready thread further.
fn next(overview: &Overview) -> String {
    match (overview.paused, overview.driver) {
        (true, _) => "everything is paused until `sayso pause --off`".to_owned(),
        (false, Some(pid)) => format!("process {pid} is running threads and takes it further"),
        (false, None) => "`sayso run` takes it further".to_owned(),
    }
}

/// A value without its empty fields; the JSON output has them all.
fn without_empty_fields(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let is_nothing = |value: &Value| match value {
                Value::Null => true,
                Value::String(text) => text.is_empty(),
                Value::Array(items) => items.is_empty(),
                Value::Object(fields) => fields.is_empty(),
                Value::Bool(_) | Value::Number(_) => false,
            };
            let entries = fields.iter().map(|(name, value)| (name.clone(), without_empty_fields(value)));
            Value::Object(entries.filter(|(_, value)| !is_nothing(value)).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(without_empty_fields).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// A result with an answer, without the lists of records behind it, which would only repeat it. The JSON output has
/// them.
fn without_records(value: Value) -> Value {
    match value {
        Value::Object(fields) if fields.contains_key("answer") => {
            let records =
                |value: &Value| value.as_array().is_some_and(|items| items.iter().any(Value::is_object));
            Value::Object(fields.into_iter().filter(|(_, value)| !records(value)).collect())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_ready_thread_names_what_takes_it_further() {
        let hint = |paused: bool, driver: Option<u32>| {
            let (open, threads) = (Vec::new(), Vec::new());
            next(&Overview { open, snoozed: 0, threads, paused, driver, waiting_for_model: 0 })
        };
        assert_eq!(hint(false, None), "`sayso run` takes it further");
        assert_eq!(hint(false, Some(7)), "process 7 is running threads and takes it further");
        assert_eq!(hint(true, Some(7)), "everything is paused until `sayso pause --off`");
    }

    #[test]
    fn what_says_nothing_is_left_out() {
        let output = json!({"a": null, "b": [], "c": {"d": ""}, "e": 0, "f": [{"g": null, "h": "x"}]});
        assert_eq!(without_empty_fields(&output), json!({"e": 0, "f": [{"h": "x"}]}));
    }

    #[test]
    fn what_an_answer_was_made_from_is_not_printed_with_it() {
        let output = json!({"answer": "Six pages.", "agents": [{"markdown": "# A"}], "files": ["a.md"]});
        assert_eq!(without_records(output), json!({"answer": "Six pages.", "files": ["a.md"]}));
        let rows = json!({"rows": [{"a": 1}]});
        assert_eq!(without_records(rows.clone()), rows);
    }
}
