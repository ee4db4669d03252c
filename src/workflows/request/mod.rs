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
mod report;
mod risk;
mod shell;
mod state;
mod why;

use super::Services;
use crate::graph::{BuildError, Graph, Workflow, ask, end};
use crate::inbox::Spec;
use std::sync::Arc;

pub use report::Report;
pub use state::{Request, RequestInput, RequestOutcome, Session, Way};

/// The name threads are started with.
pub const NAME: &str = "request";

/// The workflow with its services.
pub fn spec(services: Arc<Services>) -> Result<Spec, BuildError> {
    let (clock, zone) = (services.clock.clone(), services.user.time_zone.clone());
    let workflow = Workflow::new(NAME, graph()?, services);
    let about = "a program asks you something";
    Ok(Spec::new(workflow, about, card::draw)
        .for_programs()
        .without_results()
        .explaining(move |state, item| why::explain(state, item, &zone))
        .preparing(move |input| check::prepare(input, clock())))
}

fn graph() -> Result<Graph<Request, Services>, BuildError> {
    Graph::builder(NAME, "ask_person")
        .node("ask_person", nodes::ask_person, [ask("answered")])
        .node("answered", nodes::answered, [end()])
        .build()
}
