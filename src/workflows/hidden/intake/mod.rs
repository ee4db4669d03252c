//! `intake`: questions for the person from mail intake and from the driver. Hidden: nobody starts its threads by hand.
//!
//! It asks one question and ends with the answer as its output; the starter acts on it. The workflow itself reads and
//! does nothing.

mod asked;
mod state;

use crate::agent::Services;
use crate::engine::graph::{AnyState, BuildError, Command, Ctx, Graph, NodeError, Workflow, ask, end};
use crate::inbox::{ASKING_WORKFLOW, Block, Card, Question, Spec, Words};
use asked::Asked;
use std::sync::Arc;

pub use asked::IntakeQuestion;
pub use state::{IntakeAnswer, IntakeState};

pub const NAME: &str = ASKING_WORKFLOW;

pub const WORDS: Words = &[("first_sync", "a first look at your mail")];

/// The workflow with its services.
pub fn spec(services: Arc<Services>) -> Result<Spec, BuildError> {
    let workflow = Workflow::new(NAME, graph()?, services);
    let asked = |state: &AnyState| state.get::<IntakeState>().map(|state| Asked::of(&state.asked));
    let draw = move |state: &AnyState, _: Option<&Question>| {
        asked(state).map_or_else(Card::default, |asked| Card { blocks: asked.card })
    };
    let explain = move |state: &AnyState, _: Option<&Question>| {
        asked(state).map(|asked| Block::text(asked.why)).into_iter().collect()
    };
    Ok(Spec::new(workflow, "asks what mail to take in, and says what is out of reach", draw)
        .explaining(explain)
        .hidden()
        .without_results()
        .without_expiry())
}

fn graph() -> Result<Graph<IntakeState, Services>, BuildError> {
    Graph::builder(NAME, "ask_first")
        .node("ask_first", ask_first, [ask("answered"), end()])
        .node("answered", answered, [end()])
        .build()
}

async fn ask_first(_: Ctx<Services>, state: Arc<IntakeState>) -> Result<Command<IntakeState>, NodeError> {
    // It was settled before anybody was asked.
    if state.answer.is_some() {
        return Ok(Command::end());
    }
    Ok(Command::ask(vec![Asked::of(&state.asked).interrupt], "answered"))
}

async fn answered(_: Ctx<Services>, _: Arc<IntakeState>) -> Result<Command<IntakeState>, NodeError> {
    Ok(Command::end())
}
