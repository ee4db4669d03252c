//! `docs/agent`: one agent at work, in its own thread, which only a run of `docs` starts.

mod card;
mod nodes;
mod parts;
mod prompts;
mod state;

use super::AGENT;
use crate::agent::Services;
use crate::agent::agent_loop::{Names, Options, agent_loop};
use crate::engine::graph::{AnyState, BuildError, Graph, Workflow, ask, end, goto};
use crate::inbox::Spec;
use std::sync::Arc;

pub use state::{AgentContext, AgentInput, AgentState};

/// The roles a model can be configured for, in the section of `docs`.
pub(super) const ROLES: &[&str] = &["analyze", "evaluate"];

pub(super) fn spec(services: &Arc<Services>) -> Result<Spec, BuildError> {
    let workflow = Workflow::new(AGENT, graph()?, services.clone());
    let about = "one agent of a documentation run";
    Ok(Spec::new(workflow, about, card::draw)
        .with_roles(ROLES)
        .explaining(card::explain)
        .hidden()
        .without_results()
        .with_span_names(span_name))
}

fn graph() -> Result<Graph<AgentState, Services>, BuildError> {
    let refining =
        Names { llm_call: "refine_analysis", act: "look_up", end: Some("evaluate_clarity"), ..Names::free() };
    let builder = Graph::builder("docs_agent", "analyze_initial")
        .node(
            "analyze_initial",
            nodes::analyze_initial,
            [ask("analyze_initial"), goto("evaluate_clarity"), goto("finalize_output")],
        )
        .node(
            "evaluate_clarity",
            nodes::evaluate_clarity,
            [
                ask("evaluate_clarity"),
                goto("finalize_output"),
                goto("generate_questions"),
                ask("generate_questions"),
            ],
        )
        .node(
            "generate_questions",
            nodes::generate_questions,
            [
                ask("generate_questions"),
                goto("refine_analysis"),
                ask("refine_analysis"),
                goto("finalize_output"),
            ],
        );
    let options = Options::new(nodes::refine).words(nodes::page).end_label(|_| "take it as it is");
    agent_loop(builder, refining, nodes::tools, options)
        .node("finalize_output", nodes::finalize_output, [])
        .rescue(&[end()], nodes::end_agent)
        .build()
}

/// The names of spans: the agent, then its nodes.
fn span_name(state: &AnyState, node: Option<&str>, nth: usize) -> Option<String> {
    let state = state.get::<AgentState>()?;
    let agent = &state.context.agent;
    Some(match node {
        None => format!("Agent-{agent}"),
        Some("analyze_initial") => format!("{agent}-InitialAnalysis"),
        Some("evaluate_clarity") => format!("{agent}-EvaluateClarity"),
        Some("generate_questions") => format!("{agent}-GenerateQuestions"),
        Some("refine_analysis") => format!("{agent}-Refinement-{}", state.refinement_of(nth)),
        Some("finalize_output") => format!("{agent}-Finalize"),
        Some(_) => return None,
    })
}
