//! `docs/agent`: one agent at work, in its own thread, which only a run of `docs` starts.

mod answers;
mod card;
mod nodes;
mod prompts;
mod state;

use super::AGENT;
use super::pool::Pool;
use crate::agent::Services;
use crate::engine::graph::{AnyState, BuildError, Graph, Workflow, ask, end, goto};
use crate::inbox::Spec;
use std::sync::Arc;

pub use state::{AgentContext, AgentInput, AgentState};

/// The roles a model can be configured for, in the section of `docs`.
pub(super) const ROLES: &[&str] = &["analyze", "evaluate", "answer"];

pub(super) fn spec(services: &Arc<Services>, pool: Arc<Pool>) -> Result<Spec, BuildError> {
    let workflow = Workflow::new(AGENT, graph(pool)?, services.clone());
    let about = "one agent of a documentation run";
    Ok(Spec::new(workflow, about, card::draw)
        .with_roles(ROLES)
        .explaining(card::explain)
        .hidden()
        .without_results()
        .with_span_names(span_name))
}

fn graph(pool: Arc<Pool>) -> Result<Graph<AgentState, Services>, BuildError> {
    let asking = pool.clone();
    Graph::builder("docs_agent", "analyze_initial")
        .node(
            "analyze_initial",
            nodes::analyze_initial,
            [ask("analyze_initial"), goto("evaluate_clarity"), goto("finalize_output"), end()],
        )
        .node(
            "evaluate_clarity",
            nodes::evaluate_clarity,
            [
                ask("evaluate_clarity"),
                goto("finalize_output"),
                goto("generate_questions"),
                ask("generate_questions"),
                end(),
            ],
        )
        .node(
            "generate_questions",
            move |ctx, state| nodes::generate_questions(asking.clone(), ctx, state),
            [
                ask("generate_questions"),
                goto("refine_analysis"),
                ask("refine_analysis"),
                goto("finalize_output"),
                end(),
            ],
        )
        .node(
            "refine_analysis",
            move |ctx, state| nodes::refine_analysis(pool.clone(), ctx, state),
            [ask("refine_analysis"), goto("evaluate_clarity"), goto("finalize_output"), end()],
        )
        .node("finalize_output", nodes::finalize_output, [end()])
        .build()
}

/// The names of spans: the agent, then its nodes.
fn span_name(state: &AnyState, node: Option<&str>, nth: usize) -> Option<String> {
    let agent = &state.get::<AgentState>()?.context.agent;
    Some(match node {
        None => format!("Agent-{agent}"),
        Some("analyze_initial") => format!("{agent}-InitialAnalysis"),
        Some("evaluate_clarity") => format!("{agent}-EvaluateClarity"),
        Some("generate_questions") => format!("{agent}-GenerateQuestions"),
        Some("refine_analysis") => format!("{agent}-Refinement-{nth}"),
        Some("finalize_output") => format!("{agent}-Finalize"),
        Some(_) => return None,
    })
}
