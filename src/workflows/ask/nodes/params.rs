//! The operation's parameters: as the model chose them, from the thing the question names, from the person. Checked
//! here against the operation's own schema.

use super::{NodeResult, end_or_abandon, retry_or_fail};
use crate::agent::llm::fitted;
use crate::agent::{Services, ask_structured, pick_model};
use crate::engine::graph::{Allow, Command, Ctx, Interrupt, Kind, Labels, NodeError};
use crate::inbox::proposal;
use crate::text::words::{stem, words};
use crate::text::{Visible, short_line};
use crate::tools::catalogue::{Catalogue, Operation, Parameter};
use crate::workflows::analyze::facts::Role;
use crate::workflows::ask::facts::ChosenRequest;
use crate::workflows::ask::parts::{Entity, Pending, Purpose};
use crate::workflows::ask::state::Ask;
use crate::workflows::ask::{PARAMETER, QUESTION, prompts, resolve, values};
use serde_json::{Map, Value, json};
use std::sync::Arc;

const NODE: &str = "extract_params_node";

/// Checks the operation's parameters, and asks for missing ones.
pub async fn extract_params_node(ctx: Ctx<Services>, state: Arc<Ask>) -> NodeResult {
    if state.ended {
        return Ok(end_or_abandon(&state));
    }
    let Some(api) = state.api() else {
        return retry_or_fail(&state, NODE, "select_api_node", "nothing was chosen to ask");
    };
    let catalogue = super::catalogue(ctx.services(), &api.catalogue)?;
    let mut next = Ask::clone(&state);
    let known = if state.is_second() { &state.secondary_parameters } else { &state.parameters };
    let mut parameters = match known {
        // They were checked before; only what was missing is new.
        Some(known) => known.clone(),
        None => {
            let (proposed, note) = match &state.proposed {
                Some(proposed) if !state.is_second() => (proposed.clone(), None),
                _ => propose(&ctx, &state, api).await?,
            };
            next.note(note);
            let (parameters, name) = match check(api, proposed) {
                Ok(checked) => checked,
                Err(wrong) => return retry_or_fail(&state, NODE, NODE, wrong),
            };
            if let Some((kind, name)) = name.filter(|(_, name)| state.entity_name.as_ref() != Some(name)) {
                if let Some(wrong) = misfit(&state, &catalogue, api, &kind, &name) {
                    return retry_or_fail(&state, NODE, "select_api_node", wrong);
                }
                next.name_entity(&kind, &name);
            }
            parameters
        }
    };
    if let Some((parameter_name, words)) = state.wanted.as_deref().zip(state.newest_words()) {
        let Some(parameter) = api.parameter(parameter_name) else {
            return retry_or_fail(&state, NODE, NODE, format!("there is no `{parameter_name}` to ask for"));
        };
        match read_answer(&mut next, &catalogue, parameter, words.trim()) {
            Ok(Some(value)) => {
                parameters.insert(parameter_name.to_owned(), value);
            }
            Ok(None) => {}
            Err(why) => {
                let question = format!("{why} {}", question_for(api, parameter));
                return Ok(ask_for_parameter(&state, next, parameters, parameter_name, &question));
            }
        }
    }
    match missing(&next, &catalogue, api, &mut parameters) {
        Some(Missing::Thing { kind, name }) => search(&state, next, &catalogue, &kind, &name, parameters),
        Some(Missing::Words { parameter, question }) => {
            Ok(ask_for_parameter(&state, next, parameters, &parameter, &question))
        }
        None => {
            let wrong = api.wrong(&parameters, true);
            if !wrong.is_empty() {
                return retry_or_fail(&state, NODE, NODE, error_text(&wrong));
            }
            let purpose = if state.is_second() { Purpose::Second } else { Purpose::Answer };
            next.set_parameters(parameters.clone());
            next.plan(Pending { purpose, operation: api.clone(), parameters });
            Ok(state.goto("execute_request_node", |state| *state = next))
        }
    }
}

/// What the model says about the parameters, and a note about that. Asked where they were not chosen with the
/// operation, or were wrong.
async fn propose(
    ctx: &Ctx<Services>,
    state: &Ask,
    api: &Operation,
) -> Result<(Map<String, Value>, Option<String>), NodeError> {
    if api.parameters().next().is_none() {
        return Ok((Map::new(), None));
    }
    let model = pick_model(ctx, "params", state.model_name.as_deref()).await?;
    if model.person {
        // They are asked for what is missing, one by one.
        return Ok((Map::new(), None));
    }
    let (request, output) = prompts::params(state, api);
    let reply = ask_structured::<ChosenRequest>(ctx, "params", &model, &request, output).await?;
    Ok((reply.value.parameters, reply.note))
}

type Checked = (Map<String, Value>, Option<(String, String)>);

/// The parameters as the operation's schema takes them, and kind and name of the thing they name; the error says what
/// is wrong with them.
fn check(api: &Operation, mut proposed: Map<String, Value>) -> Result<Checked, String> {
    proposed.retain(|_, value| !value.is_null() && *value != "");
    for (name, value) in &mut proposed {
        // Models write the words of a closed choice their own way.
        if let (Some(parameter), Value::String(text)) = (api.parameter(name), &*value)
            && !parameter.values.is_empty()
        {
            *value = values::read(parameter, text).unwrap_or_else(|_| value.clone());
        }
    }
    let fitted = fitted(&api.schema(false), Value::Object(proposed))?;
    let Value::Object(mut parameters) = Visible::json(&fitted) else { return Ok((Map::new(), None)) };
    let mut named = None;
    for parameter in api.parameters() {
        // The id of a thing is looked up, never guessed.
        let Some(kind) = &parameter.entity else { continue };
        let Some(Value::String(name)) = parameters.remove(&parameter.name) else { continue };
        match resolve::spelled_id(&name) {
            Some(id) => {
                parameters.insert(parameter.name.clone(), id.into());
            }
            None => named = named.or_else(|| Some((kind.clone(), name.trim().to_owned()))),
        }
    }
    Ok((parameters, named))
}

/// Why the thing a question names is not of this kind: before the name stands the word for another. A playlist is never
/// taken for a track.
fn misfit(state: &Ask, catalogue: &Catalogue, api: &Operation, kind: &str, name: &str) -> Option<String> {
    let query = state.query.as_deref().unwrap_or_default().to_lowercase();
    let before = words(query.split_once(&name.to_lowercase())?.0).last()?;
    let word = stem(catalogue.same.get(&before).unwrap_or(&before));
    let other = catalogue.entities.keys().find(|other| stem(other) == word && other.as_str() != kind)?;
    Some(format!("`{}` is about a {kind}, and the question names a {other}", api.name()))
}

fn error_text(wrong: &[(String, String)]) -> String {
    let describe = |(name, why): &(String, String)| {
        if name.is_empty() { why.clone() } else { format!("`{name}`: {why}") }
    };
    wrong.iter().take(5).map(describe).collect::<Vec<_>>().join("; ")
}

/// What a request cannot be made without.
enum Missing {
    /// The id of a thing that has to be searched.
    Thing { kind: String, name: String },
    /// Something the person is asked for.
    Words { parameter: String, question: String },
}

/// Fills in things that were found, and defaults; returns what is missing then.
fn missing(
    state: &Ask,
    catalogue: &Catalogue,
    api: &Operation,
    parameters: &mut Map<String, Value>,
) -> Option<Missing> {
    for parameter in &api.required_parameters {
        let Some(kind) = &parameter.entity else { continue };
        if parameters.contains_key(&parameter.name) {
            continue;
        }
        if let Some(id) = found_id(state, catalogue, kind) {
            parameters.insert(parameter.name.clone(), id.into());
            continue;
        }
        let name = state.entity_name.clone().filter(|_| state.entity_type.as_ref() == Some(kind));
        let question = match (name, state.candidates.as_deref()) {
            (Some(name), None) => return Some(Missing::Thing { kind: kind.clone(), name }),
            (Some(name), Some([])) => {
                format!("There is no {kind} called “{name}”. What is its name, exactly?")
            }
            (Some(name), Some(candidates)) => which(kind, &name, candidates),
            (None, _) => format!("Which {kind}? Tell me its name, and I'll ask {} for it.", catalogue.name),
        };
        return Some(Missing::Words { parameter: parameter.name.clone(), question });
    }
    for parameter in api.parameters().filter(|one| !one.default.is_null()) {
        parameters.entry(parameter.name.clone()).or_insert_with(|| parameter.default.clone());
    }
    let missing = api.required_parameters.iter().find(|one| !parameters.contains_key(&one.name))?;
    Some(Missing::Words { parameter: missing.name.clone(), question: question_for(api, missing) })
}

/// The id of the thing of this kind that was found, or that the first request answered with.
fn found_id(state: &Ask, catalogue: &Catalogue, kind: &str) -> Option<String> {
    if let Some(entity) = state.entity.as_ref().filter(|entity| entity.kind == kind) {
        return Some(entity.id.clone());
    }
    let (best, response) =
        state.best_api.as_ref().zip(state.response.as_ref()).filter(|_| state.is_second())?;
    resolve::id_in(catalogue, &best.returns, kind, response)
}

fn which(kind: &str, name: &str, candidates: &[Entity]) -> String {
    let rows = candidates.iter().enumerate().map(|(n, one)| format!("{}. {}", n + 1, resolve::describe(one)));
    format!(
        "Which {kind} do you mean by “{name}”?\n\n{}\n\nAnswer with its number or its name.",
        rows.collect::<Vec<_>>().join("\n")
    )
}

/// Plans the search for a thing by its name.
fn search(
    state: &Ask,
    mut next: Ask,
    catalogue: &Catalogue,
    kind: &str,
    name: &str,
    parameters: Map<String, Value>,
) -> NodeResult {
    let entity = catalogue.entities.get(kind);
    let found = entity.and_then(|entity| Some((entity, catalogue.operation(entity.search.as_deref()?)?)));
    let Some((entity, operation)) = found else {
        let text = format!("a {kind} cannot be searched by its name; say its id, as in “id 7eP5n”");
        return Err(NodeError::failed(text));
    };
    let name = Visible::line(name.trim_start_matches('@')).into_string();
    let defaults = operation.optional_parameters.iter().filter(|one| !one.default.is_null());
    let defaults = defaults.map(|one| (one.name.clone(), one.default.clone()));
    let search = std::iter::once((entity.parameter.clone(), name.into())).chain(defaults).collect();
    next.set_parameters(parameters);
    next.plan(Pending { purpose: Purpose::Resolve, operation: operation.clone(), parameters: search });
    Ok(state.goto("execute_request_node", |state| *state = next))
}

/// What the person's words say about the parameter they were asked for: its value, or which thing they mean. The error
/// says why they say nothing.
fn read_answer(
    next: &mut Ask,
    catalogue: &Catalogue,
    parameter: &Parameter,
    words: &str,
) -> Result<Option<Value>, String> {
    let Some(kind) = &parameter.entity else { return values::read(parameter, words).map(Some) };
    if let Some(id) = resolve::spelled_id(words) {
        return Ok(Some(id.into()));
    }
    if catalogue.entities.get(kind).is_none_or(|entity| entity.search.is_none()) {
        return Ok(Some(words.into()));
    }
    match resolve::choose(next.candidates.as_deref().unwrap_or_default(), words) {
        Some(entity) => next.entity = Some(entity),
        None => next.name_entity(kind, words),
    }
    Ok(None)
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
    mut next: Ask,
    parameters: Map<String, Value>,
    parameter_name: &str,
    question: &str,
) -> Command<Ask> {
    let question = Visible::new(question).into_string();
    let args = json!({ "question": question, "parameter": parameter_name });
    let title = state.query.as_deref().unwrap_or_default();
    let mut interrupt: Interrupt = proposal(PARAMETER, Kind::Question, QUESTION, &args, title);
    interrupt.gist = short_line(question.lines().next().unwrap_or_default(), 160);
    interrupt.allow = Allow { accept: false, edit: false, respond: true, ignore: true, draft: false };
    interrupt.labels = Labels::new("", "answer", "abandon");
    interrupt.source = state.api().map(|api| api.catalogue.clone());
    next.set_parameters(parameters);
    next.say(Role::Agent, question);
    next.wanted = Some(parameter_name.to_owned());
    Command::ask(vec![interrupt], NODE).update(state.changed(|state| *state = next))
}
