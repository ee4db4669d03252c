//! `email`: triages mail, shows it, answers it, and learns from people's decisions.
//!
//! Promises: a mail has one of three classes, set by a rule, the person or the model. A tool call is only ever a
//! proposal. We send exactly what was approved, byte for byte and once. A mail is handled once the person, their grant,
//! a rule or triage decided on it, never because a model has nothing to propose. We learn from a decision after acting
//! on it, and only if it should teach. The text of a mail never decides anything.
//!
//! Not here: fetching mail and knowing people (intake), the profiles themselves (memory), what may be done without
//! asking (grants).

mod answer;
mod attach;
mod card;
mod day;
pub mod defaults;
pub mod eval;
mod event_news;
pub mod facts;
mod input;
mod mails;
mod meeting;
mod nodes;
mod own_mail;
mod own_rules;
mod parts;
mod progress;
pub mod prompts;
mod remind;
mod risks;
pub mod rows;
pub mod rules;
mod send;
mod state;
mod times;
mod tools;
mod unsubscribe;

use crate::agent::Services;
use crate::agent::agent_loop::{Names, Options, agent_loop};
use crate::agent::check_model;
use crate::engine::graph::{BuildError, Graph, Workflow, ask, end, goto};
use crate::inbox::Spec;
use std::sync::Arc;

pub use own_mail::{Letter, forward, new_mail};
pub use risks::grade;
pub(super) use rules::TASKS;
pub use state::{Earlier, Email, EmailInput, MailRef};
pub(super) use tools::WORDS;
pub use unsubscribe::cannot_leave;

/// The workflow with its services.
pub fn spec(services: Arc<Services>) -> Result<Spec, BuildError> {
    let models = services.models.clone();
    let (for_cards, for_trouble, for_profiles) = (services.clone(), services.clone(), services.clone());
    let (for_titles, for_input) = (services.clone(), services.clone());
    let workflow = Workflow::new("email", graph()?, services);
    let about = "sort one mail, and draft the answer";
    let spec = Spec::new(workflow, about, move |state, item| card::draw(&for_cards, state, item));
    let spec = spec.with_roles(&["triage", "reply", "memory"]).without_results().explaining(card::explain);
    let spec = spec.with_trouble_subject(move |state| card::conversation(&for_trouble, state));
    let spec = spec.with_failure_titles(move |state, node, acted| {
        let state = state.get::<Email>()?;
        let conversation = mails::Conversation::read(&for_titles, state).ok()?;
        let (_, mail) = conversation.about()?;
        Some(state.failure_sentence(node, acted, &mails::sender(mail)))
    });
    let spec = spec.with_profiles(move |state| mails::profiles(&for_profiles, state));
    Ok(spec.preparing(move |input| {
        check_model(&*models, &input)?;
        match input.get("write") {
            Some(_) => own_mail::prepare(&for_input, input),
            None => input::prepare(input),
        }
    }))
}

fn graph() -> Result<Graph<Email, Services>, BuildError> {
    Graph::builder("email_assistant", "triage_router")
        .node(
            "triage_router",
            nodes::triage_router,
            [goto("response_agent"), goto("triage_interrupt_handler"), goto("mark_as_read_node")],
        )
        .node(
            "triage_interrupt_handler",
            nodes::triage_interrupt_handler,
            [ask("triage_answered"), goto("mark_as_read_node")],
        )
        .node("triage_answered", nodes::triage_answered, [goto("update_memory")])
        .node(
            "update_memory",
            nodes::update_memory,
            [goto("response_agent"), goto("triage_router"), goto("mark_as_read_node")],
        )
        .mount("response_agent", response_agent()?, "mark_as_read_node")
        .node(
            "mark_as_read_node",
            nodes::mark_as_read_node,
            [goto("triage_router"), goto("triage_interrupt_handler"), ask("reminded"), end()],
        )
        .node("reminded", nodes::reminded, [goto("response_agent"), goto("triage_router"), end()])
        .build()
}

fn response_agent() -> Result<Graph<Email, Services>, BuildError> {
    let names = Names { between: Some("update_memory"), end: Some("leave"), ..Names::default() };
    let options = Options::new(nodes::reply_turn)
        .words(nodes::reply_words)
        .said(nodes::letter_of_words)
        .end_label(|_| "ignore");
    agent_loop(Graph::builder("response_agent", "llm_call"), names, nodes::reply_tools, options)
        .node(
            "update_memory",
            nodes::update_memory_of_reply,
            [goto("llm_call"), goto("interrupt_handler"), goto("leave")],
        )
        .node("leave", nodes::leave, [end()])
        .build()
}
