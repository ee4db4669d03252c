//! `request`: any program on the person's machine asks a question and gets the answer.
//!
//! ```text
//! START → ask_person (asks) → answered → END
//! ```
//! This workflow does nothing itself: what the asker does with the answer is up to the asker. Everything the asker says
//! is plain text, made visible before it is shown. Its action is under `request/`, where no other workflow has actions,
//! its name comes after "request:", and warnings are computed from what it wants to do. Arguments are kept as they
//! came, so that what is accepted without an edit runs byte for byte.

mod card;
mod check;
mod grantable;
mod nodes;
mod original;
mod place;
mod report;
mod risk;
mod shell;
mod state;
mod surroundings;
mod why;

use crate::agent::Services;
use crate::engine::graph::{AnyState, BuildError, Graph, Warning, Workflow, ask, end};
use crate::inbox::{Edited, Question, Spec};
use jiff::Timestamp;
use serde_json::Value;
use std::sync::Arc;

pub use report::Report;
pub use state::{Request, RequestInput, RequestOutcome, Session, Way};

/// The name threads are started with.
pub const NAME: &str = crate::inbox::PROGRAM_WORKFLOW;

/// The workflow with its services.
pub fn spec(services: Arc<Services>) -> Result<Spec, BuildError> {
    let (clock, zone) = (services.clock.clone(), services.user.time_zone.clone());
    let workflow = Workflow::new(NAME, graph()?, services);
    let about = "a program asks you something";
    Ok(Spec::new(workflow, about, card::draw)
        .for_programs()
        .without_results()
        .explaining(move |state, question| why::explain(state, question, &zone))
        .with_edits(edited)
        .preparing(move |input| check::prepare(input, clock())))
}

/// A call with a person's arguments: its warnings are about what is about to run.
fn edited(state: &AnyState, item: &Question, args: &Value) -> Edited {
    let unchanged = item.edited(args);
    let Some(state) = state.get::<Request>() else { return unchanged };
    let given = Some(RequestOutcome::Edit { args: args.clone() });
    let args = Request { given, ..state.clone() }.args().as_object().cloned();
    let title = state.asked.title_with(&Value::Object(args.clone().unwrap_or_default()));
    let mut warnings = risk::warnings(&RequestInput { args, ..state.asked.clone() });
    // What was warned about for another reason still holds.
    let computed = risk::warnings(&state.asked);
    let is_other = |warning: &Warning| computed.iter().all(|known| known.code != warning.code);
    warnings.extend(unchanged.warnings.into_iter().filter(is_other));
    Edited { title, warnings, ..unchanged }
}

/// Whether sayso would warn about a request with this input. If it cannot be read, or not all of its command can, it
/// would.
pub fn is_warned_about(input: Value) -> bool {
    let input = check::prepare(input, Timestamp::UNIX_EPOCH).ok();
    let request = input.and_then(|input| serde_json::from_value::<RequestInput>(input).ok());
    request.is_none_or(|request| {
        let is_unread = request.command().is_some_and(|line| shell::commands(line).unread.is_some());
        is_unread || Warning::need_confirmation(&risk::warnings(&request))
    })
}

fn graph() -> Result<Graph<Request, Services>, BuildError> {
    Graph::builder(NAME, "ask_person")
        .node("ask_person", nodes::ask_person, [ask("answered")])
        .node("answered", nodes::answered, [end()])
        .build()
}
