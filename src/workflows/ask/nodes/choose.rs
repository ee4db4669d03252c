//! From the question to the operation that answers it: choices among the catalogues' operations.

use super::{NodeResult, end_or_abandon, not_answered, retry_or_fail};
use crate::agent::agent_loop::person;
use crate::agent::llm::{Reply, ToolCall};
use crate::agent::{Services, ask_structured, pick_model};
use crate::engine::graph::{Command, Ctx, NodeError, State};
use crate::tools::catalogue::{Catalogue, Operation};
use crate::workflows::ask::facts::ChosenRequest;
use crate::workflows::ask::parts::Complexity;
use crate::workflows::ask::state::Ask;
use crate::workflows::ask::{page, prompts, rank};
use std::sync::Arc;

/// Finds the operations that may answer the question, by its words.
pub async fn extract_category_node(ctx: Ctx<Services>, state: Arc<Ask>) -> NodeResult {
    if state.ended {
        return Ok(Command::end());
    }
    let Some(query) = state.query.as_deref().filter(|query| !query.trim().is_empty()) else {
        return Err(NodeError::failed("there is no question"));
    };
    if let Some(command) = page::show_more(ctx.services(), &state)? {
        return Ok(command);
    }
    let asked: Vec<&str> = std::iter::once(query).chain(state.before()).chain(state.added()).collect();
    let catalogues = catalogues(ctx.services())?;
    let names = rank::nearest(&asked.join(" "), &catalogues).into_iter().map(Operation::name).collect();
    Ok(state.goto("get_apis_node", |next| next.categories = Some(names)))
}

/// Looks up the nearest of them.
pub async fn get_apis_node(ctx: Ctx<Services>, state: Arc<Ask>) -> NodeResult {
    let catalogues = catalogues(ctx.services())?;
    let operations = state.categories.iter().flatten().filter_map(|name| find(&catalogues, name));
    let apis = prompts::describable(operations);
    if apis.is_empty() {
        let text = "there is nothing that can be asked";
        return retry_or_fail(&state, "get_apis_node", "extract_category_node", text);
    }
    Ok(state.goto("select_api_node", |next| next.apis = Some(apis)))
}

/// Has the model, or the person in its place, choose the operation with its parameters, and the one to ask next.
pub async fn select_api_node(ctx: Ctx<Services>, state: Arc<Ask>) -> NodeResult {
    let node = "select_api_node";
    let (Some(apis), Some(names)) = (&state.apis, &state.categories) else {
        return retry_or_fail(&state, node, "extract_category_node", "there is nothing to choose from");
    };
    if state.ended {
        return Ok(end_or_abandon(&state));
    }
    let (chosen, note) = match state.reply.clone() {
        Some(Reply { calls, text, .. }) => match calls.into_iter().next() {
            // Words are the answer.
            None => return Ok(state.goto("reset_state_node", |next| next.answer(text, None, None))),
            Some(ToolCall { name, args, .. }) => {
                let parameters = args.as_object().cloned().unwrap_or_default();
                (ChosenRequest { api: Some(name), parameters, ..ChosenRequest::default() }, None)
            }
        },
        None => {
            let model = pick_model(&ctx, "select", state.model_name.as_deref()).await?;
            if model.person {
                let question = person::your_step(&state.title(), &prompts::tools(apis), "abandon", "");
                return Ok(Command::ask(vec![question], node));
            }
            let (request, output) = prompts::select(&state, apis, names);
            let reply = ask_structured::<ChosenRequest>(&ctx, "select", &model, &request, output).await?;
            (reply.value, reply.note)
        }
    };
    let ChosenRequest { api, parameters, secondary_api, rest } = chosen;
    let Some(api) = api else {
        // No match is an answer, too; trying again would not change it.
        return Ok(not_answered(
            &state,
            "no API that is known here answers this; `sayso apis list` shows those there are. Say it in other words, or \
             add an API",
        ));
    };
    let catalogues = catalogues(ctx.services())?;
    let second = secondary_api.filter(|second| *second != api);
    let chosen = |name: &str| find(&catalogues, name).filter(|_| names.iter().any(|known| known == name));
    let unknown = [Some(&api), second.as_ref()].into_iter().flatten().find(|name| chosen(name).is_none());
    if let Some(unknown) = unknown {
        return retry_or_fail(&state, node, node, format!("`{unknown}` is not among what can be asked"));
    }
    // Of an operation that was only named, the model has not seen the parameters yet.
    let is_described = apis.iter().any(|one| one.name() == api);
    Ok(state.goto("extract_params_node", |next| {
        next.best_api = chosen(&api).cloned();
        next.secondary_api = second.as_deref().and_then(chosen).cloned();
        next.complexity = Some(if second.is_some() { Complexity::Complex } else { Complexity::Simple });
        next.query_type = next.best_api.as_ref().map(|best| best.id.clone());
        next.entity_type =
            next.best_api.as_ref().map(|best| best.returns.clone()).filter(|kind| !kind.is_empty());
        next.is_entity_query = Some(false);
        next.proposed = is_described.then_some(parameters);
        next.rest = rest.filter(|rest| !rest.trim().is_empty());
        next.reply = None;
        next.note(note);
        next.succeeded(node);
    }))
}

fn find<'c>(catalogues: &'c [Catalogue], name: &str) -> Option<&'c Operation> {
    catalogues.iter().flat_map(|one| &one.operations).find(|operation| operation.name() == name)
}

fn catalogues(services: &Services) -> Result<Vec<Catalogue>, NodeError> {
    let all = services.apis.all().map_err(NodeError::failed)?;
    Ok(all.into_iter().map(|(_, catalogue)| catalogue).collect())
}
