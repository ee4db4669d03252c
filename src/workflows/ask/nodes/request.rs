//! The request: which server gets it, whether the person is asked, and its outcome.

use super::{NodeResult, end_or_abandon, retry_or_fail};
use crate::agent::Services;
use crate::engine::graph::{
    Allow, Authorization, Command, Ctx, Decision, Interrupt, Kind, Labels, NodeError, Warning,
};
use crate::inbox::{CATALOGUE_GET, proposal};
use crate::text::Visible;
use crate::tools::catalogue::Operation;
use crate::workflows::ask::fetch::{ApiClient, ApiResponse, MAX_SERVERS, SendApprovedRequest, frozen};
use crate::workflows::ask::parts::{KeptAnswer, Pending, Purpose};
use crate::workflows::ask::state::Ask;
use crate::workflows::ask::{REQUEST, resolve};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Chooses a server, and asks the person if the request needs approval.
pub async fn execute_request_node(ctx: Ctx<Services>, state: Arc<Ask>) -> NodeResult {
    let node = "execute_request_node";
    let Some(pending) = &state.pending else {
        return retry_or_fail(&state, node, "extract_params_node", "there is no request to make");
    };
    let operation = &pending.operation;
    let client = ApiClient::new(ctx.services(), super::catalogue(ctx.services(), &operation.catalogue)?);
    let may_read = ctx.services().records.is_builtin_on(CATALOGUE_GET)?;
    let (host, hosts) = choose_server(&ctx, &state, &client, may_read).await?;
    let filled = match operation.fill(&client.catalogue, &host, &pending.parameters) {
        Ok(filled) => filled,
        Err(why) => return retry_or_fail(&state, node, "extract_params_node", why),
    };
    let hosted = |next: &mut Ask| {
        next.selected_host = Some(host.clone());
        if !hosts.is_empty() {
            next.hosts.insert(operation.catalogue.clone(), hosts);
        }
        next.succeeded(node);
    };
    if operation.reads() && may_read {
        return Ok(state.goto("send_request", hosted));
    }
    let mut interrupt = approval(&state, pending, &host);
    if filled.url.starts_with("http://")
        && !client.api_hosts().allowed(std::slice::from_ref(&host)).iter().all(|host| host.private)
    {
        let text = "It goes over the network unencrypted: others can read and change it.".to_owned();
        interrupt.warnings.push(Warning::caution("not_encrypted", text));
    }
    Ok(Command::ask(vec![interrupt], "send_request").update(state.changed(hosted)))
}

/// The server to ask, and all servers if the list was fetched.
async fn choose_server(
    ctx: &Ctx<Services>,
    state: &Ask,
    client: &ApiClient,
    may_read: bool,
) -> Result<(String, Vec<String>), NodeError> {
    let api_hosts = client.api_hosts();
    let known_hosts = state.hosts.get(&client.catalogue.name).cloned().unwrap_or_default();
    let current_host = state
        .selected_host
        .as_ref()
        .filter(|host| known_hosts.contains(host) || api_hosts.known_hosts().contains(host));
    if let Some(host) = current_host {
        return Ok((host.clone(), Vec::new()));
    }
    let no_server = format!(
        "no server of {} is known; name one in the config, with hosts in [apis.{0}], and start sayso again",
        client.catalogue.name
    );
    if !may_read {
        // No server is contacted, not even for its health, before the person agrees.
        let first = api_hosts.known_hosts().into_iter().next();
        return first.map(|host| (host, Vec::new())).ok_or_else(|| NodeError::failed(no_server));
    }
    ctx.call("server", async {
        let hosts = api_hosts.hosts().await;
        if hosts.is_empty() {
            return Err(NodeError::failed(no_server));
        }
        let mut problems = Vec::new();
        for host in hosts.iter().take(MAX_SERVERS) {
            match api_hosts.health(host).await {
                Ok(()) => return Ok((host.clone(), hosts)),
                Err(problem) => problems.push(problem),
            }
        }
        Err(client.unanswered(&problems))
    })
    .await
}

/// The arguments the person approves, exactly as the request will be made.
pub fn args(operation: &Operation, host: &str, parameters: &Map<String, Value>) -> Value {
    json!({
        "api": operation.name(),
        "method": operation.method,
        "url": format!("{host}{}", operation.api_url),
        "parameters": parameters,
    })
}

fn approval(state: &Ask, pending: &Pending, host: &str) -> Interrupt {
    let operation = &pending.operation;
    let args = args(operation, host, &pending.parameters);
    let title = state.query.as_deref().unwrap_or_default();
    let mut interrupt = proposal(REQUEST, Kind::Approval, REQUEST, &args, title);
    let fixed = |key: &str| json!({ "const": interrupt.args[key] });
    interrupt.schema = json!({
        "type": "object",
        "properties": {
            "api": fixed("api"),
            "method": fixed("method"),
            "url": fixed("url"),
            "parameters": operation.schema(true),
        },
        "required": ["api", "method", "url", "parameters"],
        "additionalProperties": false,
    });
    interrupt.gist =
        Visible::line(&format!("{} {host}{}", operation.method, operation.api_url)).into_string();
    interrupt.allow = Allow::ALL;
    interrupt.labels = Labels {
        done: Some("sent".to_owned()),
        ..Labels::new("send the request", "say what to change", "don't send")
    };
    interrupt.source = Some(Visible::line(&operation.catalogue).into_string());
    interrupt.irreversible = !operation.reads();
    interrupt
}

/// Makes the request.
pub async fn send_request(ctx: Ctx<Services>, state: Arc<Ask>) -> NodeResult {
    let node = "send_request";
    let (Some(pending), Some(host)) = (&state.pending, &state.selected_host) else {
        return retry_or_fail(&state, node, "extract_params_node", "there is no request to make");
    };
    let operation = &pending.operation;
    let client = ApiClient::new(ctx.services(), super::catalogue(ctx.services(), &operation.catalogue)?);
    let parameters = match &state.decided {
        None => None,
        Some(Decision::Accept) => Some(pending.parameters.clone()),
        Some(Decision::Edit { args }) => Some(args["parameters"].as_object().cloned().unwrap_or_default()),
        Some(Decision::Respond { text }) => {
            return Ok(state.goto("extract_params_node", |next| next.object(text.clone())));
        }
        Some(Decision::Ignore | Decision::Draft) => return Ok(end_or_abandon(&state)),
    };
    let response = match parameters {
        Some(parameters) => {
            send_once(&ctx, &client, operation, host, &parameters, state.decided.as_ref()).await?
        }
        None if operation.reads() && ctx.services().records.is_builtin_on(CATALOGUE_GET)? => {
            let servers = servers(&state, &client, host);
            let filled = |server: &str| operation.fill(&client.catalogue, server, &pending.parameters);
            ctx.call(REQUEST, client.read(&servers, filled)).await?
        }
        // The grant has ended since, so the person is asked.
        None => return Ok(Command::goto("extract_params_node")),
    };
    outcome(&state, pending, &client, response)
}

/// Makes a request that the person approved, once.
async fn send_once(
    ctx: &Ctx<Services>,
    client: &ApiClient,
    operation: &Operation,
    host: &str,
    parameters: &Map<String, Value>,
    decided: Option<&Decision>,
) -> Result<ApiResponse, NodeError> {
    let filled = operation.fill(&client.catalogue, host, parameters).map_err(NodeError::failed)?;
    let args = match decided {
        Some(Decision::Edit { args }) => args.clone(),
        _ => Visible::json(&args(operation, host, parameters)),
    };
    let basis = Authorization::Decision { key: REQUEST.to_owned(), args };
    let effect =
        SendApprovedRequest { client: client.clone(), server: host.to_owned(), reads: operation.reads() };
    let outcome = ctx.once(REQUEST, basis, frozen(&filled), Arc::new(effect)).await?;
    let unknown_response = || ApiResponse {
        status: 200,
        host: host.to_owned(),
        note: Some("You said that it was done; what the server answered is not known.".to_owned()),
        ..ApiResponse::default()
    };
    Ok(serde_json::from_value(outcome)
        .ok()
        .filter(|response: &ApiResponse| response.status != 0)
        .unwrap_or_else(unknown_response))
}

/// The chosen server first, then the others.
fn servers(state: &Ask, client: &ApiClient, host: &str) -> Vec<String> {
    let hosts =
        state.hosts.get(&client.catalogue.name).cloned().unwrap_or_else(|| client.api_hosts().known_hosts());
    let others = hosts.into_iter().filter(|other| other != host);
    std::iter::once(host.to_owned()).chain(others).collect()
}

/// What the answer means for the question.
fn outcome(state: &Ask, pending: &Pending, client: &ApiClient, response: ApiResponse) -> NodeResult {
    if !(200..300).contains(&response.status) {
        let text = response.complaint();
        if matches!(response.status, 401 | 403) {
            let name = &client.catalogue.name;
            let key = format!("does [apis.{name}] name the right key? sayso reads it when it starts");
            return Err(NodeError::failed(format!("{text}; {key}")));
        }
        // The same request would be refused again.
        if state.refused.as_ref() == Some(pending) {
            return Err(NodeError::failed(text));
        }
        let refused = state.changed(|next| {
            next.refused = next.pending.take();
            next.decided = None;
        });
        return Ok(retry_or_fail(state, "send_request", "extract_params_node", text)?.update(refused));
    }
    if pending.purpose == Purpose::Resolve {
        let kind = state.entity_type.as_deref().unwrap_or_default();
        let things = resolve::things(&client.catalogue, kind, &response.body);
        let found = resolve::pick(things, state.entity_name.as_deref().unwrap_or_default());
        return Ok(state.goto("extract_params_node", |next| {
            match found {
                Ok(entity) => next.entity = Some(entity),
                Err(candidates) => next.candidates = Some(candidates),
            }
            next.end_request();
        }));
    }
    let is_second = pending.purpose == Purpose::Second;
    let has_second = !is_second && state.secondary_api.is_some();
    let node = if has_second { "extract_params_node" } else { "format_response_node" };
    let ApiResponse { body, digest, note, next_link, host, .. } = response;
    Ok(state.goto(node, |next| {
        let place = if is_second { &mut next.secondary_response } else { &mut next.response };
        // Null would be stored like no answer at all.
        *place = Some(if body.is_null() { Value::from("") } else { body });
        next.kept.extend(digest.map(|digest| KeptAnswer { digest, next_link }));
        next.note(note);
        next.selected_host = Some(host);
        next.end_request();
    }))
}
