//! Where a thread stands, in a sentence that says what to do next.

use super::output::Page;
use super::values::Lines;
use crate::inbox::{Outcome, Status};
use serde_json::Value;

/// The outcome as text.
pub(super) fn text(page: &Page, outcome: &Outcome) -> String {
    let thread = &outcome.thread;
    let mut out = match outcome.status {
        Status::Ready => format!("Thread {thread} is ready; `sayso run` takes it further.\n"),
        Status::Running => format!("Thread {thread} is running.\n"),
        Status::Waiting => format!("Thread {thread} waits for you.\n"),
        Status::Held => {
            format!(
                "Thread {thread} is held for a moment; `sayso undo` with the interrupt's id takes it back.\n"
            )
        }
        Status::Joining => format!("Thread {thread} waits for the threads it started.\n"),
        Status::Trouble => format!("Thread {thread} cannot go on by itself.\n"),
        Status::Done => format!("Thread {thread} is done.\n"),
        Status::Abandoned => format!("Thread {thread} was given up.\n"),
    };
    if let Some(error) = &outcome.error {
        out.push_str(&format!("Trouble: {} [{}]\n", error.text, error.code));
    }
    for id in &outcome.interrupts {
        out.push_str(&format!("Asks {id}: `sayso view {id}` shows it.\n"));
    }
    if outcome.status == Status::Done {
        match &outcome.output {
            None | Some(Value::Null) => {}
            Some(output) => {
                let mut lines = Lines::new(page.columns());
                lines.field(0, "Result", output);
                out.push_str(&lines.into_text());
            }
        }
    }
    out
}
