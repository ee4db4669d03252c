//! `ask`: answers a question in plain words by calling the right API.
//!
//! ```text
//! START → extract_category_node → get_apis_node → select_api_node → extract_params_node (may ask → itself)
//!       → execute_request_node (may ask) → send_request → format_response_node → reset_state_node
//!       → next_question (asks) | END
//! ```
//! Promises: only operations of the catalogues are called, with parameters their own schema accepts. A request that
//! changes something is approved before it is made, and made at most once; one that only reads runs by a built-in
//! grant, or asks if that is off. Code puts lists into words, from the answer alone; where something has to be computed
//! or compared, the model words the answer, and a figure that is neither in the reply nor computed from it is marked.
//! Every node checks its input and output; anything wrong is recorded, shown to the model, and retried a few times
//! before it becomes trouble.
//!
//! Code ranks the operations by the words of the question. One call of the model, in `select_api_node`, chooses one
//! with its parameters, which `extract_params_node` checks.
//!
//! A long list is shown page by page: “more” shows the next entries, first from the stored answer, then from the
//! server. If no API fits a question, or a follow-up cannot be answered, the person is told so and can go on from
//! there.
//!
//! If a question names a thing, that thing is looked up first, among things of its kind. A question that needs two
//! requests goes through the same nodes twice. If the second fails, the answer to the first stays.

mod card;
mod cut;
pub mod facts;
mod fetch;
mod figures;
mod format;
mod next_page;
mod nodes;
mod page;
mod parts;
mod prompts;
mod rank;
mod resolve;
mod state;
mod values;
mod verb;

use crate::agent::Services;
use crate::agent::need_model;
use crate::engine::graph::{BuildError, Graph, InputError, Workflow, ask, end, goto};
use crate::inbox::{Spec, Words, WorkflowVerb};
use serde_json::Value;
use std::sync::Arc;

pub(super) const VERB: WorkflowVerb = WorkflowVerb::of::<verb::Args>("ask");
pub use state::{Ask, AskInput};

pub(super) const WORDS: Words = &[(REQUEST, "calling an API")];

/// The action and the key of a question about a request.
const REQUEST: &str = "request";

/// The action of a question to be answered in words.
const QUESTION: &str = "question";
/// The key of the question for the next question.
const NEXT: &str = "next";
/// The key of the question for a parameter.
const PARAMETER: &str = "parameter";

/// How often in a row a node may fail before a person is asked.
const MAX_TRIES: u32 = 3;

/// What its models do.
const ROLES: &[&str] = &["select", "params", "answer"];

/// The workflow with its services.
pub fn spec(services: Arc<Services>) -> Result<Spec, BuildError> {
    let models = services.models.clone();
    let for_cards = services.clone();
    let workflow = Workflow::new("ask", graph()?, services);
    let about = "ask an API something in plain words";
    let spec = Spec::new(workflow, about, move |state, item| card::draw(&for_cards, state, item));
    let spec = spec.with_roles(ROLES).explaining(card::explain);
    Ok(spec.preparing(move |input| {
        need_model(&*models, "ask", ROLES, &input)?;
        if input.get("query").and_then(Value::as_str).is_some_and(|query| query.trim().is_empty()) {
            return Err(InputError::field("query", "say what you want to know"));
        }
        Ok(input)
    }))
}

fn graph() -> Result<Graph<Ask, Services>, BuildError> {
    let (category, get, select) = ("extract_category_node", "get_apis_node", "select_api_node");
    let (params, execute, send) = ("extract_params_node", "execute_request_node", "send_request");
    let (format, reset, next) = ("format_response_node", "reset_state_node", "next_question");
    Graph::builder("ask", category)
        .node(category, nodes::extract_category_node, [goto(get), goto(execute), goto(reset), end()])
        .node(get, nodes::get_apis_node, [goto(select), goto(category), goto(reset)])
        .node(
            select,
            nodes::select_api_node,
            [ask(select), goto(params), goto(select), goto(category), goto(reset)],
        )
        .node(
            params,
            nodes::extract_params_node,
            [ask(params), goto(execute), goto(params), goto(select), goto(format), goto(reset)],
        )
        .node(
            execute,
            nodes::execute_request_node,
            [ask(send), goto(send), goto(params), goto(format), goto(reset)],
        )
        .node(send, nodes::send_request, [goto(format), goto(params), goto(reset)])
        .rescue(&[], nodes::failure_as_answer)
        .node(format, nodes::format_response_node, [goto(reset), goto(params)])
        .node(reset, nodes::reset_state_node, [goto(next), end()])
        .node(next, nodes::next_question, [ask(category)])
        .build()
}
