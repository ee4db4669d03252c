//! Cards: the answer, the exact request, or what is missing.

use super::parts::Table;
use super::state::Ask;
use super::{NEXT, QUESTION, REQUEST, page, values};
use crate::agent::{Services, agent_loop};
use crate::engine::graph::AnyState;
use crate::inbox::{Block, Card, Question};
use crate::text::Visible;
use crate::tools::catalogue::{Auth, Catalogue};
use crate::workflows::analyze::facts::Role;
use serde_json::Value;
use std::collections::BTreeMap;

/// How many lines of an answer's JSON a card shows.
const MAX_LINES: usize = 120;

pub(super) fn draw(services: &Services, state: &AnyState, question: Option<&Question>) -> Card {
    let Some(state) = state.get::<Ask>() else { return Card::default() };
    let mut blocks = Vec::from_iter(question.and_then(|question| Block::warnings(&question.warnings)));
    match question {
        None => blocks.extend(answer(services, state, true)),
        Some(question) if question.action == REQUEST => {
            blocks.push(Block::panel("This will be requested", request(services, state, question)));
        }
        Some(question) => {
            if state.query.is_none() {
                blocks.extend(answer(services, state, false));
            }
            let question = question.args.get("question").and_then(Value::as_str);
            let question =
                question.unwrap_or("You are in the model's place: choose what to ask, or answer in words.");
            blocks.push(Block::text(question));
        }
    }
    blocks.extend(earlier(state, question));
    Card { blocks }
}

/// Why an item is in the inbox, and how often each node failed.
pub(super) fn explain(state: &AnyState, question: Option<&Question>) -> Vec<Block> {
    let Some(state) = state.get::<Ask>() else { return Vec::new() };
    let because = question.map(|question| match agent_loop::why(&question.action) {
        Some(why) => why,
        None if question.action != QUESTION => "",
        None if question.key == NEXT => "it has answered, and waits for your next question",
        None => "it needs this to answer your question",
    });
    let apis = state.apis.iter().flatten().map(|api| api.tool_name.as_str()).collect::<Vec<_>>().join(", ");
    let mut fields = vec![
        ("because", because.unwrap_or_default().to_owned()),
        ("sort of question", state.query_type.clone().unwrap_or_default()),
        ("may answer it", apis),
    ];
    fields.extend(
        state.best_api.as_ref().map(|api| ("asked", format!("{} ({})", api.tool_name, api.catalogue))),
    );
    fields.extend(state.entity.as_ref().map(|entity| {
        (entity.kind.as_str(), format!("{} (id {})", super::resolve::describe(entity), entity.id))
    }));
    fields.push(("server", state.selected_host.clone().unwrap_or_default()));
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for failure in &state.error_history {
        *counts.entry((&failure.node, &failure.text)).or_default() += 1;
    }
    let failures =
        counts.into_iter().map(|((node, text), times)| ("went wrong", format!("{times} × {node}: {text}")));
    fields.extend(failures);
    vec![Block::fields(fields)]
}

/// The newest answer: in words, as a table, and as raw JSON.
fn answer(services: &Services, state: &Ask, is_result: bool) -> Vec<Block> {
    let Some(answer) = state.last_answer() else { return Vec::new() };
    let mut blocks = vec![Block::text(&answer.text)];
    // The end of a long list is far below, so this comes first.
    if let Some(shown) = answer.list.as_ref().and_then(page::note) {
        blocks.insert(0, Block::fields([("list", shown)]));
    }
    if !is_result {
        return blocks;
    }
    blocks.extend(answer.table.as_ref().map(table_block));
    for digest in &answer.kept {
        // An answer that can no longer be read is left out; it is in words above.
        let Ok(bytes) = services.records.blob(digest) else { continue };
        let Ok(value) = serde_json::from_slice::<Value>(&bytes) else { continue };
        let json = serde_json::to_string_pretty(&value).unwrap_or_default();
        let lines = json.lines().count();
        let mut shown: String = json.lines().take(MAX_LINES).collect::<Vec<_>>().join("\n");
        if lines > MAX_LINES {
            shown += &format!("\n… {MAX_LINES} of {lines} lines");
        }
        blocks.push(Block::Code { language: "json".to_owned(), text: Visible::new(&shown) });
    }
    blocks.extend(state.selected_host.iter().map(|host| Block::fields([("server", host)])));
    blocks
}

fn table_block(table: &Table) -> Block {
    let row = |cells: &Vec<String>| cells.iter().map(|cell| Visible::line(cell)).collect();
    Block::Table { head: row(&table.head), rows: table.rows.iter().map(row).collect() }
}

/// The request, exactly as it will be made: method, address, each parameter, header fields, and the body.
fn request(services: &Services, state: &Ask, item: &Question) -> Vec<Block> {
    let Some(pending) = &state.pending else { return Vec::new() };
    let operation = &pending.operation;
    let text = |name: &str| item.args.get(name).and_then(Value::as_str).unwrap_or_default();
    let template = text("url");
    let host = template.strip_suffix(operation.api_url.as_str()).unwrap_or(template);
    let parameters = item.args.get("parameters").and_then(Value::as_object).cloned().unwrap_or_default();
    let mut fields = vec![(Visible::line("asks"), Visible::line(&operation.tool_name))];
    let mut blocks = Vec::new();
    let catalogue = services.apis.get(&operation.catalogue);
    let filled = catalogue
        .as_ref()
        .map_err(ToString::to_string)
        .and_then(|(_, catalogue)| operation.fill(catalogue, host, &parameters));
    match filled {
        Ok(filled) => {
            fields.push((
                Visible::line("request"),
                Visible::line(&format!("{} {}", filled.method, filled.url)),
            ));
            for (name, value) in &parameters {
                fields.push((Visible::line(name), Visible::new(&values::plain(value))));
            }
            for (name, value) in &filled.headers {
                fields.push((Visible::line(&format!("header {name}")), Visible::line(value)));
            }
            fields.extend(catalogue.ok().and_then(|(_, catalogue)| key_field(services, &catalogue)));
            if let Some(body) = &filled.body {
                let json = serde_json::to_string_pretty(body).unwrap_or_default();
                blocks.push(Block::Code { language: "json".to_owned(), text: Visible::new(&json) });
            }
        }
        Err(why) => fields.push((Visible::line("cannot be made"), Visible::new(&why))),
    }
    blocks.insert(0, Block::Fields(fields));
    blocks
}

/// Says that a key is sent along and where it is kept; never shows the key.
fn key_field(services: &Services, catalogue: &Catalogue) -> Option<(Visible, Visible)> {
    let settings = services.apis.settings(&catalogue.name);
    let auth = catalogue.auth_with(&settings)?;
    let key =
        settings.key.map_or_else(|| "none is configured".to_owned(), |secret| format!("your key ({secret})"));
    let place = match auth {
        Auth::Header { name } => format!("header {name}"),
        Auth::Query { name } => format!("parameter {name}"),
        Auth::Bearer => "header authorization".to_owned(),
    };
    Some((Visible::line(&place), Visible::line(&key)))
}

/// What was said before, without the newest answer if that is shown above.
fn earlier(state: &Ask, question: Option<&Question>) -> Option<Block> {
    let mut entries: Vec<(Role, &str)> =
        state.message_history.iter().map(|entry| (entry.role, entry.text.as_str())).collect();
    let is_shown_above = state.query.is_none() || question.is_none();
    if is_shown_above && matches!(entries.last(), Some((Role::Agent, _))) {
        entries.pop();
    }
    let question_turns = state.messages.iter().flatten().skip(1);
    // The title says what was asked first.
    let title = question.map(|question| question.title.as_str());
    entries.retain(|(_, text)| Some(*text) != title);
    let question = question.and_then(|question| question.args.get("question")?.as_str());
    entries.extend(
        question_turns
            .map(|turn| (turn.role, turn.text.as_str()))
            .filter(|(_, text)| Some(*text) != question),
    );
    let turns: Vec<_> = entries
        .into_iter()
        .map(|(role, text)| {
            let who = match role {
                Role::User => "you",
                Role::Agent => "agent",
            };
            (Visible::line(who), Visible::new(text))
        })
        .collect();
    (!turns.is_empty()).then_some(Block::Turns(turns))
}
