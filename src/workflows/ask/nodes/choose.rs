//! From the question to the operation that answers it: choices among the catalogues' operations.

use super::{NodeResult, not_answered, retry_or_fail};
use crate::graph::{Command, Ctx, NodeError};
use crate::tools::catalogue::{Catalogue, Operation};
use crate::workflows::ask::facts::{CategoryAnswer, Complexity, SelectAnswer};
use crate::workflows::ask::page::NextPage;
use crate::workflows::ask::state::Ask;
use crate::workflows::ask::update::AskUpdate;
use crate::workflows::ask::{page, prompts};
use crate::workflows::{Services, ask_with_schema, pick_model};
use std::sync::Arc;

/// The most candidate operations.
const MAX_CANDIDATES: usize = 12;

/// Finds out what sort of question it is, and which operations may answer it.
pub(in crate::workflows::ask) async fn extract_category_node(
    ctx: Ctx<Services>,
    state: Arc<Ask>,
) -> NodeResult {
    if state.ended {
        return Ok(Command::end());
    }
    if state.query.as_deref().is_none_or(|query| query.trim().is_empty()) {
        return Err(NodeError::failed("there is no question"));
    }
    match page::show_more(ctx.services(), &state)? {
        Some(NextPage::Tell(page)) => return Ok(Command::goto("reset_state_node").update(page)),
        Some(NextPage::Fetch(turned)) => return Ok(Command::goto("execute_request_node").update(turned)),
        None => {}
    }
    let catalogues = catalogues(ctx.services())?;
    let model = pick_model(&ctx, "category", state.model_name.as_deref()).await?;
    let (request, output) = prompts::category(&state, &catalogues);
    let reply = ask_with_schema::<CategoryAnswer>(&ctx, "category", &model, &request, output).await?;
    let (mut answer, note) = (reply.value, reply.note);
    let node = "extract_category_node";
    if answer.categories.is_empty() {
        // No match is an answer, too; trying again would not change it.
        return Ok(not_answered(
            "no API that is known here answers this; `sayso apis list` shows those there are. Say it in other words, or \
             add an API",
        ));
    }
    let labels = prompts::labels(&catalogues);
    if let Some(unknown) =
        answer.categories.iter().find(|name| !labels.iter().any(|(label, _)| label == *name))
    {
        return retry_or_fail(&state, node, node, format!("`{unknown}` is not among what can be asked"));
    }
    answer.entity_name = answer.entity_name.filter(|name| !name.trim().is_empty());
    if answer.is_entity_query && answer.entity_name.is_none() {
        return retry_or_fail(
            &state,
            node,
            node,
            "it is about one thing that it names, but that thing's name is missing",
        );
    }
    let is_known = |kind: &String| catalogues.iter().any(|one| one.entities.contains_key(kind));
    if let Some(kind) = answer.entity_type.as_ref().filter(|kind| !is_known(kind)) {
        return retry_or_fail(&state, node, node, format!("there is no kind of thing called `{kind}`"));
    }
    Ok(Command::goto("get_apis_node").update(AskUpdate::Categorised { answer, note }))
}

/// Looks up the operations that may answer it.
pub(in crate::workflows::ask) async fn get_apis_node(ctx: Ctx<Services>, state: Arc<Ask>) -> NodeResult {
    let Some(categories) = state.categories.as_ref().filter(|categories| !categories.is_empty()) else {
        return retry_or_fail(
            &state,
            "get_apis_node",
            "extract_category_node",
            "nothing was chosen that may answer it",
        );
    };
    let catalogues = catalogues(ctx.services())?;
    let labels = prompts::labels(&catalogues);
    let operation_named =
        |name: &String| labels.iter().find(|(label, _)| label == name).map(|(_, api)| (*api).clone());
    let apis: Vec<Operation> = categories.iter().filter_map(operation_named).take(MAX_CANDIDATES).collect();
    if apis.is_empty() {
        let text = "none of what was chosen can be asked any more";
        return retry_or_fail(&state, "get_apis_node", "extract_category_node", text);
    }
    Ok(Command::goto("select_api_node").update(AskUpdate::Listed { apis }))
}

/// Chooses the operation to ask, and the one to ask next.
pub(in crate::workflows::ask) async fn select_api_node(ctx: Ctx<Services>, state: Arc<Ask>) -> NodeResult {
    let node = "select_api_node";
    let Some(apis) = state.apis.as_ref().filter(|apis| !apis.is_empty()) else {
        return retry_or_fail(&state, node, "extract_category_node", "there is nothing to choose from");
    };
    let is_complex = state.complexity == Some(Complexity::Complex);
    let mut note = None;
    let answer = if let [only] = apis.as_slice() {
        SelectAnswer { api: prompts::name(only), secondary_api: None }
    } else {
        let model = pick_model(&ctx, "select", state.model_name.as_deref()).await?;
        let (request, output) = prompts::select(&state, apis);
        let reply = ask_with_schema::<SelectAnswer>(&ctx, "select", &model, &request, output).await?;
        note = reply.note;
        reply.value
    };
    let find = |name: &str| apis.iter().find(|api| prompts::name(api) == name);
    let Some(best) = find(&answer.api) else {
        return retry_or_fail(
            &state,
            node,
            node,
            format!("`{}` is not among what came into question", answer.api),
        );
    };
    let second = answer.secondary_api.as_deref().filter(|name| is_complex && *name != answer.api);
    let second = match second.map(|name| (name, find(name))) {
        Some((name, None)) => {
            return retry_or_fail(
                &state,
                node,
                node,
                format!("`{name}` is not among what came into question"),
            );
        }
        Some((_, api)) => api,
        None => None,
    };
    let catalogue = super::catalogue(ctx.services(), &best.catalogue)?;
    if let Some(kind) = state.entity_type.as_deref().filter(|_| state.entity_name.is_some())
        && let Some(why) = misfit(&catalogue, best, kind)
    {
        // If there is nothing else to choose from, the candidates were wrong.
        let back = if apis.len() > 1 { node } else { "extract_category_node" };
        return retry_or_fail(&state, node, back, why);
    }
    Ok(Command::goto("extract_params_node").update(AskUpdate::Chosen {
        best_api: Box::new(best.clone()),
        secondary_api: second.map(|api| Box::new(api.clone())),
        note,
    }))
}

/// Why an operation is not about a thing of this kind: a playlist is never taken for a track.
fn misfit(catalogue: &Catalogue, api: &Operation, kind: &str) -> Option<String> {
    let entity_kinds: Vec<&str> =
        api.parameters().filter_map(|parameter| parameter.entity.as_deref()).collect();
    if !entity_kinds.is_empty() {
        let text = format!(
            "`{}` is about a {}, and the question names a {kind}",
            api.tool_name,
            entity_kinds.join(" or a ")
        );
        return (!entity_kinds.contains(&kind)).then_some(text);
    }
    let mut others = catalogue.entities.iter().filter(|(other, _)| other.as_str() != kind);
    let found_kind = others.find(|(_, entity)| entity.search.as_ref() == Some(&api.id));
    found_kind
        .map(|(other, _)| format!("`{}` finds a {other}, and the question names a {kind}", api.tool_name))
}

fn catalogues(services: &Services) -> Result<Vec<Catalogue>, NodeError> {
    let all = services.apis.all().map_err(NodeError::failed)?;
    Ok(all.into_iter().map(|(_, catalogue)| catalogue).collect())
}
