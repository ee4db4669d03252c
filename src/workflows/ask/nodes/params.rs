//! The operation's parameters: from the question, from the thing it names, from the person.

use super::{NodeResult, end_or_abandon, retry_or_fail};
use crate::graph::{Allow, Command, Ctx, Interrupt, Kind, Labels, NodeError};
use crate::inbox::proposal;
use crate::text::{Visible, short_line};
use crate::tools::catalogue::{Catalogue, Operation, Parameter};
use crate::workflows::analyze::facts::Role;
use crate::workflows::ask::facts::ParamsAnswer;
use crate::workflows::ask::parts::{Entity, Pending, Purpose};
use crate::workflows::ask::state::Ask;
use crate::workflows::ask::update::AskUpdate;
use crate::workflows::ask::{PARAMETER, QUESTION, prompts, resolve, unused, values};
use crate::workflows::{Services, ask_with_schema, pick_model};
use serde_json::{Map, Value, json};
use std::sync::Arc;

const NODE: &str = "extract_params_node";

/// Finds the operation's parameters, and asks for missing ones.
pub(in crate::workflows::ask) async fn extract_params_node(
    ctx: Ctx<Services>,
    state: Arc<Ask>,
) -> NodeResult {
    if state.ended {
        return Ok(end_or_abandon(&state));
    }
    let Some(api) = state.api() else {
        return retry_or_fail(&state, NODE, "select_api_node", "nothing was chosen to ask");
    };
    let catalogue = super::catalogue(ctx.services(), &api.catalogue)?;
    let answer = state.wanted.as_deref().zip(state.newest_words());
    let known_parameters = if state.is_second() { &state.secondary_parameters } else { &state.parameters };
    let (mut parameters, note) = match known_parameters {
        // The question was read before; only what was missing is new.
        Some(known_parameters) => (known_parameters.clone(), None),
        None => {
            let (extracted, note) = extract(&ctx, &state, api).await?;
            match extracted {
                Ok(parameters) => (parameters, note),
                Err(wrong) => return retry_or_fail(&state, NODE, NODE, wrong),
            }
        }
    };
    if let Some((parameter_name, words)) = answer {
        match read_answer(&state, &catalogue, api, parameter_name, words) {
            ParameterAnswer::Value(value) => {
                parameters.insert(parameter_name.to_owned(), value);
            }
            ParameterAnswer::Entity(entity) => {
                return Ok(Command::goto(NODE).update(AskUpdate::Resolved { entity }));
            }
            ParameterAnswer::Named { name, kind } => {
                let named = AskUpdate::Named { name: name.clone(), kind: kind.clone() };
                return search(&catalogue, &kind, &name, &parameters, Some(named));
            }
            ParameterAnswer::Unclear(why) => {
                return Ok(ask_for_parameter(&state, &parameters, parameter_name, why, Vec::new()));
            }
        }
    }
    if let Some(command) = fill(&state, &catalogue, api, &mut parameters)? {
        return Ok(command);
    }
    let wrong = api.wrong(&parameters, true);
    if !wrong.is_empty() {
        return retry_or_fail(&state, NODE, NODE, error_text(&wrong));
    }
    Ok(plan(&state, &catalogue, api, parameters, note))
}

/// Fills in things that were found, and defaults. If something is missing, returns what has to happen first: a search
/// or a question.
fn fill(
    state: &Ask,
    catalogue: &Catalogue,
    api: &Operation,
    parameters: &mut Map<String, Value>,
) -> Result<Option<Command<Ask>>, NodeError> {
    for parameter in &api.required_parameters {
        let Some(kind) = &parameter.entity else { continue };
        if parameters.get(&parameter.name).is_some_and(|value| !value.is_null()) {
            continue;
        }
        match look_up_entity(state, catalogue, kind) {
            EntityLookup::Id(id) => {
                parameters.insert(parameter.name.clone(), Value::from(id));
            }
            EntityLookup::Search(name) => return search(catalogue, kind, &name, parameters, None).map(Some),
            EntityLookup::Ask(question, candidates) => {
                return Ok(Some(ask_for_parameter(state, parameters, &parameter.name, question, candidates)));
            }
        }
    }
    for parameter in api.parameters() {
        if !parameters.contains_key(&parameter.name) && !parameter.default.is_null() {
            parameters.insert(parameter.name.clone(), parameter.default.clone());
        }
    }
    let missing = api.required_parameters.iter().find(|one| !parameters.contains_key(&one.name));
    Ok(missing.map(|missing| {
        ask_for_parameter(state, parameters, &missing.name, question_for(api, missing), Vec::new())
    }))
}

/// Plans the request, and notes the words of the question that it does not cover.
fn plan(
    state: &Ask,
    catalogue: &Catalogue,
    api: &Operation,
    parameters: Map<String, Value>,
    mut note: Option<String>,
) -> Command<Ask> {
    let uncovered = uncovered_words(state, catalogue, api, &parameters);
    if !uncovered.is_empty() {
        let text = format!("The request to the API does not cover {}.", unused::quoted(&uncovered));
        note = Some(note.map_or(text.clone(), |before| format!("{before} {text}")));
    }
    let purpose = if state.is_second() { Purpose::Second } else { Purpose::Answer };
    let pending = Box::new(Pending { purpose, operation: api.clone(), parameters });
    let command = Command::goto("execute_request_node").update(AskUpdate::Planned { pending });
    match note {
        Some(note) => command.update(AskUpdate::Noted { note }),
        None => command,
    }
}

/// The words of the question that no request covers; known once the last request is.
fn uncovered_words(
    state: &Ask,
    catalogue: &Catalogue,
    api: &Operation,
    parameters: &Map<String, Value>,
) -> Vec<String> {
    // People who answered, objected or rephrased have said what they want; the first of two requests may leave words
    // over.
    let has_said_more = state.messages.iter().flatten().filter(|turn| turn.role == Role::User).count() > 1;
    if has_said_more || (state.secondary_api.is_some() && !state.is_second()) {
        return Vec::new();
    }
    let no_parameters = Map::new();
    let first = state.best_api.as_ref().unwrap_or(api);
    unused::unused(
        state,
        catalogue,
        &[api, first],
        &[parameters, state.parameters.as_ref().unwrap_or(&no_parameters)],
    )
}

/// Whether the question can give any parameter other than the id of a thing.
fn needs_model(api: &Operation) -> bool {
    api.parameters().any(|parameter| parameter.entity.is_none())
}

/// The parameters the model reads from the question, and a note about that; the inner error says what is wrong with
/// them.
async fn extract(
    ctx: &Ctx<Services>,
    state: &Ask,
    api: &Operation,
) -> Result<(Result<Map<String, Value>, String>, Option<String>), NodeError> {
    if !needs_model(api) {
        return Ok((Ok(Map::new()), None));
    }
    let model = pick_model(ctx, "params", state.model_name.as_deref()).await?;
    let (request, output) = prompts::params(state, api);
    let answer = ask_with_schema::<ParamsAnswer>(ctx, "params", &model, &request, output).await?;
    Ok((check_parameters(api, answer.value), answer.note))
}

fn check_parameters(api: &Operation, answer: ParamsAnswer) -> Result<Map<String, Value>, String> {
    let mut parameters = Map::new();
    for (name, value) in answer.parameters {
        let Some(parameter) = api.parameter(&name) else {
            return Err(format!("`{}` has no parameter `{name}`", api.tool_name));
        };
        // The id of a thing is looked up, never guessed.
        if parameter.entity.is_some() || value.is_null() || value == "" {
            continue;
        }
        let value = match &value {
            Value::String(text) => values::read(parameter, text).unwrap_or_else(|_| value.clone()),
            _ => value,
        };
        parameters.insert(name, Visible::json(&value));
    }
    let wrong = api.wrong(&parameters, false);
    if wrong.is_empty() { Ok(parameters) } else { Err(error_text(&wrong)) }
}

fn error_text(wrong: &[(String, String)]) -> String {
    let describe = |(name, why): &(String, String)| {
        if name.is_empty() { why.clone() } else { format!("`{name}`: {why}") }
    };
    wrong.iter().take(5).map(describe).collect::<Vec<_>>().join("; ")
}

enum EntityLookup {
    Id(String),
    Search(String),
    Ask(String, Vec<Entity>),
}

fn look_up_entity(state: &Ask, catalogue: &Catalogue, kind: &str) -> EntityLookup {
    if let Some(entity) = state.entity.as_ref().filter(|entity| entity.kind == kind) {
        return EntityLookup::Id(entity.id.clone());
    }
    if state.is_second()
        && let Some(response) = &state.response
        && let Some(best) = &state.best_api
        && let Some(id) = resolve::id_in(catalogue, &best.returns, kind, response)
    {
        return EntityLookup::Id(id);
    }
    let is_this_kind = state.entity_type.as_deref().is_none_or(|named| named == kind);
    match state.entity_name.as_deref().filter(|_| is_this_kind) {
        Some(name) if state.searched.as_deref() != Some(name) => EntityLookup::Search(name.to_owned()),
        Some(name) if state.candidates.is_empty() => {
            let text = format!("There is no {kind} called “{name}”. What is its name, exactly?");
            EntityLookup::Ask(text, Vec::new())
        }
        Some(name) => {
            let rows = state
                .candidates
                .iter()
                .enumerate()
                .map(|(n, one)| format!("{}. {}", n + 1, resolve::describe(one)));
            let rows: Vec<String> = rows.collect();
            let text = format!(
                "Which {kind} do you mean by “{name}”?\n\n{}\n\nAnswer with its number or its name.",
                rows.join("\n")
            );
            EntityLookup::Ask(text, state.candidates.clone())
        }
        None => {
            let text = format!("Which {kind}? Say its name; {} is asked for it.", catalogue.name);
            EntityLookup::Ask(text, Vec::new())
        }
    }
}

/// Plans the search for a thing by its name.
fn search(
    catalogue: &Catalogue,
    kind: &str,
    name: &str,
    parameters: &Map<String, Value>,
    first_update: Option<AskUpdate>,
) -> Result<Command<Ask>, NodeError> {
    let entity = catalogue.entities.get(kind);
    let search_operation =
        entity.and_then(|entity| Some((entity, catalogue.operation(entity.search.as_deref()?)?)));
    let Some((entity, operation)) = search_operation else {
        return Err(NodeError::failed(format!(
            "a {kind} cannot be searched by its name; say its id, as in “id 7eP5n”"
        )));
    };
    let mut search_parameters = Map::new();
    search_parameters
        .insert(entity.parameter.clone(), Value::from(Visible::line(name.trim_start_matches('@')).as_str()));
    for parameter in operation.optional_parameters.iter().filter(|one| !one.default.is_null()) {
        search_parameters.insert(parameter.name.clone(), parameter.default.clone());
    }
    let pending = Box::new(Pending {
        purpose: Purpose::Resolve,
        operation: operation.clone(),
        parameters: search_parameters,
    });
    let command = Command::goto("execute_request_node");
    let mut updates = vec![AskUpdate::Extracted { parameters: parameters.clone() }];
    updates.extend(first_update);
    updates.push(AskUpdate::Planned { pending });
    Ok(Command { updates, ..command })
}

enum ParameterAnswer {
    Value(Value),
    Entity(Entity),
    Named { name: String, kind: String },
    Unclear(String),
}

/// What the person's words say about the parameter they were asked for.
fn read_answer(
    state: &Ask,
    catalogue: &Catalogue,
    api: &Operation,
    parameter_name: &str,
    words: &str,
) -> ParameterAnswer {
    let Some(parameter) = api.parameter(parameter_name) else {
        return ParameterAnswer::Unclear(format!(
            "`{parameter_name}` is not asked for any more. What do you want to know?"
        ));
    };
    let words = words.trim();
    let Some(kind) = &parameter.entity else {
        return match values::read(parameter, words) {
            Ok(value) => ParameterAnswer::Value(value),
            Err(why) => ParameterAnswer::Unclear(format!("{why} {}", question_for(api, parameter))),
        };
    };
    if let Some(id) = resolve::spelled_id(words) {
        return ParameterAnswer::Value(Value::from(id));
    }
    if let Some(entity) = resolve::choose(&state.candidates, words) {
        return ParameterAnswer::Entity(entity);
    }
    let searchable = catalogue.entities.get(kind).is_some_and(|entity| entity.search.is_some());
    if searchable {
        ParameterAnswer::Named { name: words.to_owned(), kind: kind.clone() }
    } else {
        ParameterAnswer::Value(Value::from(words))
    }
}

fn question_for(api: &Operation, parameter: &Parameter) -> String {
    let what = if parameter.description.is_empty() {
        String::new()
    } else {
        format!(" ({})", parameter.description)
    };
    let mut text = format!("To ask “{}”, I need `{}`{what}. What is it?", api.tool_name, parameter.name);
    if !parameter.values.is_empty() {
        let values: Vec<String> = parameter.values.iter().take(60).map(values::plain).collect();
        text += &format!(" It is one of: {}.", values.join(", "));
    }
    text
}

/// Asks the person for a parameter.
fn ask_for_parameter(
    state: &Ask,
    parameters: &Map<String, Value>,
    parameter_name: &str,
    question: String,
    candidates: Vec<Entity>,
) -> Command<Ask> {
    let question = Visible::new(&question).into_string();
    let args = json!({ "question": question, "parameter": parameter_name });
    let title = state.query.as_deref().unwrap_or_default();
    let mut interrupt: Interrupt = proposal(PARAMETER, Kind::Question, QUESTION, &args, title);
    let first = question.lines().next().unwrap_or_default();
    interrupt.gist = short_line(first, 160);
    interrupt.allow = Allow { accept: false, edit: false, respond: true, ignore: true, draft: false };
    interrupt.labels = Labels {
        respond: Some("answer".to_owned()),
        ignore: Some("abandon".to_owned()),
        ..Labels::default()
    };
    interrupt.source = state.api().map(|api| api.catalogue.clone());
    Command::ask(vec![interrupt], NODE)
        .update(AskUpdate::Extracted { parameters: parameters.clone() })
        .update(AskUpdate::Wanted { parameter: parameter_name.to_owned(), question, candidates })
}
