//! The answer, and the next question.

use super::{NodeResult, retry_or_fail};
use crate::agent::{Services, pick_model, try_structured};
use crate::engine::graph::{Allow, Command, Ctx, Kind, Labels, NodeError, State};
use crate::inbox::proposal;
use crate::text::Visible;
use crate::workflows::ask::facts::WordedAnswer;
use crate::workflows::ask::figures::{self, Known};
use crate::workflows::ask::state::Ask;
use crate::workflows::ask::{NEXT, QUESTION, format, page, prompts};
use serde_json::json;
use std::sync::Arc;

/// Puts the answer into words: lists and fields in code, and what is left to do with them by the model, checked.
pub async fn format_response_node(ctx: Ctx<Services>, state: Arc<Ask>) -> NodeResult {
    let node = "format_response_node";
    let (Some(api), Some(response)) = (&state.best_api, &state.response) else {
        return retry_or_fail(&state, node, "extract_params_node", "there is no answer to put into words");
    };
    let services = ctx.services();
    let catalogue = super::catalogue(services, &api.catalogue)?;
    let turning = state.turning.as_ref();
    let first = format::Part {
        catalogue: &catalogue,
        operation: api,
        parameters: state.parameters.as_ref(),
        about: state.entity.as_ref(),
        response,
        before: turning.map_or(0, |list| list.before + list.told),
        heading: turning.map(|list| list.heading.as_str()),
    };
    let (mut text, mut table) = format::answer(&first);
    let mut list = page::list_position(services, &first, state.kept.first());
    if let Some((api, response)) = state.secondary_api.as_ref().zip(state.secondary_response.as_ref()) {
        let catalogue = super::catalogue(services, &api.catalogue)?;
        let parameters = state.secondary_parameters.as_ref();
        let second = format::Part { catalogue: &catalogue, operation: api, parameters, response, ..first };
        let (words, rows) = format::answer(&second);
        text = format!("{text}\n\n{words}");
        table = table.or(rows);
        list = list.or_else(|| page::list_position(services, &second, state.kept.get(1)));
    }
    let mut notes = state.notes.clone();
    if let Some(rest) = &state.rest {
        match worded(&ctx, &state).await? {
            Some(words) => text = format!("{words}\n\n{text}"),
            None => notes.push(format!("Left open: {}", Visible::line(rest))),
        }
    }
    for note in notes.into_iter().chain(list.as_ref().and_then(page::note)) {
        text = format!("{text}\n\n{note}");
    }
    Ok(state.goto("reset_state_node", |next| next.answer(text, table, list)))
}

/// The model's words about the reply, with the computations that hold; figures that nothing bears out are marked.
/// `None` if it has none that can be read: the reply itself stays.
async fn worded(ctx: &Ctx<Services>, state: &Ask) -> Result<Option<String>, NodeError> {
    let model = pick_model(ctx, "answer", state.model_name.as_deref()).await?;
    let WordedAnswer { words, computations } =
        match try_structured(ctx, "answer", &model, &prompts::answer(state)).await {
            Ok(Ok(worded)) => worded,
            Ok(Err(_)) | Err(NodeError::Failed { .. }) => return Ok(None),
            Err(NodeError::Transient { .. }) if ctx.step_context().last_try => return Ok(None),
            Err(other) => return Err(other),
        };
    let parameters = [&state.parameters, &state.secondary_parameters].into_iter().flatten();
    let known = parameters.flat_map(|one| one.values()).fold(Known::new(), Known::data);
    let replies = [&state.response, &state.secondary_response].into_iter().flatten();
    let known = replies.fold(known, Known::data);
    let known = state.query.as_deref().into_iter().chain(state.added()).fold(known, Known::text);
    let (answer, shown) = figures::checked(Visible::new(words.trim()).as_str(), &computations, known);
    let is_marked = answer.contains(figures::MARK);
    let unchecked = is_marked.then(|| "[?] is neither in the reply nor computed from it.".to_owned());
    let lines = std::iter::once(answer).chain(shown).chain(unchecked).filter(|line| !line.is_empty());
    let text = lines.collect::<Vec<_>>().join("\n\n");
    Ok((!text.is_empty()).then_some(text))
}

/// Forgets the question; what belongs to the thread stays.
pub async fn reset_state_node(_: Ctx<Services>, state: Arc<Ask>) -> NodeResult {
    let command =
        if state.follow_up && !state.ended { Command::goto("next_question") } else { Command::end() };
    Ok(command.update(state.changed(Ask::reset)))
}

pub async fn next_question(_: Ctx<Services>, state: Arc<Ask>) -> NodeResult {
    let question = "What else do you want to know?";
    let args = json!({ "question": question });
    let mut interrupt = proposal(NEXT, Kind::Question, QUESTION, &args, &state.title());
    interrupt.gist = question.to_owned();
    interrupt.allow = Allow { edit: false, ..Allow::ALL };
    interrupt.labels = Labels::new("done", "ask", "nothing more");
    Ok(Command::ask(vec![interrupt], "extract_category_node"))
}
