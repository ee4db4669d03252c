//! The answer, and the next question.

use super::{NodeResult, retry_or_fail};
use crate::graph::{Allow, Command, Ctx, Kind, Labels};
use crate::inbox::proposal;
use crate::workflows::Services;
use crate::workflows::ask::parts::ListPosition;
use crate::workflows::ask::state::Ask;
use crate::workflows::ask::update::AskUpdate;
use crate::workflows::ask::{NEXT, QUESTION, format, page};
use serde_json::json;
use std::sync::Arc;

/// Puts the answer into words, in code.
pub(in crate::workflows::ask) async fn format_response_node(
    ctx: Ctx<Services>,
    state: Arc<Ask>,
) -> NodeResult {
    let node = "format_response_node";
    let (Some(api), Some(response)) = (&state.best_api, &state.response) else {
        return retry_or_fail(&state, node, "extract_params_node", "there is no answer to put into words");
    };
    let catalogue = super::catalogue(ctx.services(), &api.catalogue)?;
    let first = format::Part {
        catalogue: &catalogue,
        operation: api,
        parameters: state.parameters.as_ref(),
        about: state.entity.as_ref(),
        response,
        before: state.turning.as_ref().map_or(0, |turning| turning.before),
        heading: state.turning.as_ref().map(|turning| turning.heading.as_str()),
    };
    let (mut text, mut table) = format::answer(&first);
    let mut more: Vec<ListPosition> =
        page::list_position(ctx.services(), &first, state.kept.first()).into_iter().collect();
    if let Some((api, response)) = state.secondary_api.as_ref().zip(state.secondary_response.as_ref()) {
        let catalogue = super::catalogue(ctx.services(), &api.catalogue)?;
        let parameters = state.secondary_parameters.as_ref();
        let second = format::Part { catalogue: &catalogue, operation: api, parameters, response, ..first };
        let (words, rows) = format::answer(&second);
        text = format!("{text}\n\n{words}");
        table = table.or(rows);
        more.extend(page::list_position(ctx.services(), &second, state.kept.get(1)));
    }
    more.extend(state.turning.iter().flat_map(|turning| turning.others.clone()));
    for note in state.notes.iter().cloned().chain(page::note(&more)) {
        text = format!("{text}\n\n{note}");
    }
    Ok(Command::goto("reset_state_node").update(AskUpdate::Formatted { text, table, more }))
}

/// Forgets the question; what belongs to the thread stays.
pub(in crate::workflows::ask) async fn reset_state_node(_: Ctx<Services>, state: Arc<Ask>) -> NodeResult {
    let command =
        if state.follow_up && !state.ended { Command::goto("next_question") } else { Command::end() };
    Ok(command.update(AskUpdate::Reset))
}

pub(in crate::workflows::ask) async fn next_question(_: Ctx<Services>, state: Arc<Ask>) -> NodeResult {
    let question = "What else do you want to know?";
    let args = json!({ "question": question });
    let title = crate::graph::State::title(&*state);
    let mut interrupt = proposal(NEXT, Kind::Question, QUESTION, &args, &title);
    interrupt.gist = question.to_owned();
    interrupt.allow = Allow { edit: false, ..Allow::ALL };
    interrupt.labels = Labels {
        accept: Some("done".to_owned()),
        respond: Some("ask".to_owned()),
        ignore: Some("nothing more".to_owned()),
        ..Labels::default()
    };
    Ok(Command::ask(vec![interrupt], "extract_category_node"))
}
