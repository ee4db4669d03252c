//! The answer to a program's request: JSON if a program reads it, and an exit code.

use super::failure::{Exit, Failure};
use super::output::{Format, Output};
use super::values::Lines;
use crate::inbox::{Ending, RequestAnswer};

/// The answer to a request, or that there is none yet.
pub(super) fn format_answer(
    format: &Format,
    answer: &RequestAnswer,
    unanswered: Exit,
) -> Result<Output, Failure> {
    let exit = match answer.r#type {
        Some(Ending::Accept | Ending::Edit | Ending::Respond) => Exit::Done,
        Some(Ending::Ignore) => Exit::Ignored,
        Some(Ending::Expired | Ending::Withdrawn) => Exit::Expired,
        None => unanswered,
    };
    Ok(format.for_program(answer, |format| text(format, answer))?.with_exit(exit))
}

fn text(format: &Format, answer: &RequestAnswer) -> String {
    let id = &answer.id;
    let by = match (&answer.by, answer.at) {
        (Some(by), Some(at)) => format!(" (by {by}, {})", format.time(at)),
        _ => String::new(),
    };
    let mut lines = Lines::new(format.columns());
    let sentence = match answer.r#type {
        None => format!("{id} waits for an answer; `sayso request --answer {id}` reads it later."),
        Some(Ending::Accept) => format!("{id} was accepted{by}."),
        Some(Ending::Edit) => format!("{id} was accepted with changes{by}."),
        Some(Ending::Respond) => format!("{id} was answered{by}."),
        Some(Ending::Ignore) => format!("{id} was refused{by}."),
        Some(Ending::Expired) => format!("{id} has expired; nobody answered in time."),
        Some(Ending::Withdrawn) => format!("{id} was withdrawn before anybody answered."),
    };
    lines.line(0, &sentence);
    if !answer.args.is_null() {
        lines.value(0, &answer.args);
    }
    lines.into_text()
}
