//! The only place where the screen's knowledge changes: `update(model, msg)` gives back what is to be done.
//!
//! Promises: no clock, no file, no terminal and no store is touched here; the same messages give the same model.

mod available;
pub mod data;
mod mouse;
pub mod press;

use super::layers::{self, Layer, form};
use super::layout;
use super::model::Model;
use super::msg::{Cmd, Msg};
use super::safe::Shown;
use super::tabs::inbox::{decide, grants, skipped};
use super::tabs::threads::{self, review};
use super::tabs::{self, Focus, Tab, activity, memory};

/// What happened becomes what is known and what is to be done.
pub fn update(model: &mut Model, msg: Msg) -> Vec<Cmd> {
    let mut cmds = match msg {
        Msg::Key(press) => press::pressed(model, press),
        Msg::Paste(text) => pasted(model, &text),
        Msg::Mouse(mouse, x, y) => mouse::moved(model, mouse, x, y),
        Msg::Resized(columns, rows) => {
            model.size = (columns, rows);
            // A terminal that was small for a moment has lost what was there, even if it is as large as before.
            vec![Cmd::Redraw]
        }
        Msg::Drawn(seen, at) => {
            drawn(model, &seen, at);
            return Vec::new();
        }
        Msg::Tick(at, wall) => data::ticked(model, at, wall),
        Msg::Changed => data::changed(model),
        Msg::Progress(progress) => data::progressed(model, progress),
        Msg::Driving(driving) => {
            model.driving = driving;
            Vec::new()
        }
        Msg::Glanced(told) => data::glanced(model, told),
        Msg::Lines(told) => data::lines(model, told),
        Msg::Card(id, told) => data::card(model, &id, told),
        Msg::Overview(told) => data::overview(model, told),
        Msg::Sources(told) => {
            match told {
                Ok(sources) => model.sources = sources,
                Err(failure) => model.fail(failure.text),
            }
            Vec::new()
        }
        Msg::CostToday(told) => {
            match told {
                Ok(spent) => model.spent_today = spent,
                Err(failure) => model.fail(failure.text),
            }
            Vec::new()
        }
        Msg::Running(told) => activity::running(model, told),
        Msg::Threads(query, told) => threads::listed(model, &query, told),
        Msg::Facets(told) => threads::facets(model, told),
        Msg::StepStates(thread, told) => review::states(model, &thread, told),
        Msg::ModelCall(told) => review::prompt(model, told),
        Msg::Forked(told) => review::forked(model, told),
        Msg::Thread(id, told) => threads::opened(model, &id, told),
        Msg::Memory(told) => memory::listed(model, told),
        Msg::Why(id, told) => decide::why(model, &id, told),
        Msg::Grants(told) => grants::listed(model, told),
        Msg::Granted(id, granted) => grants::granted(model, id, granted),
        Msg::Revoked(told) => grants::revoked(model, told),
        Msg::Skipped(query, told) => skipped::listed(model, &query, told),
        Msg::Reclassified(told) => skipped::reclassified(model, told),
        Msg::Profile(told) => memory::pins(model, told),
        Msg::History(past, told) => memory::history(model, past, told),
        Msg::ProfileEdited(namespace, read, told) => memory::edited(model, namespace, read, told),
        Msg::Learned(told) => memory::learned(model, told),
        Msg::Versions(namespace, told) => memory::versions(model, namespace, told),
        Msg::Activity(told) => activity::counted(model, told),
        Msg::Errors(told) => activity::errors(model, told),
        Msg::Usage(thread, told) => activity::used(model, thread, told),
        Msg::Storage(told) => activity::stored(model, told),
        Msg::PrunePlan(query, told) => activity::planned(model, query, told),
        Msg::Pruned(told) => activity::pruned(model, told),
        Msg::Drafts(told) => {
            match told {
                Ok(drafts) => model.drafts = drafts.into_iter().collect(),
                Err(failure) => model.fail(failure.text),
            }
            Vec::new()
        }
        Msg::Decided(deed, told) => decide::decided(model, deed, told),
        Msg::Undone(told) => decide::undone(model, told),
        Msg::Started(told) => form::started(model, told),
        Msg::Done(told) => {
            match told {
                Ok(text) if text.is_empty() => {}
                Ok(text) => model.say(text),
                Err(failure) => model.fail(failure.text),
            }
            Vec::new()
        }
        Msg::Edited(layer, told) => form::edited(model, layer, told),
        Msg::Completions(layer, typed, ways) => form::completions(model, layer, typed, ways),
    };
    cmds.extend(settle(model));
    cmds
}

/// Pasted text goes where text is written, and nowhere else.
fn pasted(model: &mut Model, text: &str) -> Vec<Cmd> {
    match model.layers.last_mut() {
        Some((_, Layer::Form(form))) => {
            if let Some(field) = form.field() {
                field.editor.insert(text);
            }
            form.check();
            form::touched(model)
        }
        Some((_, Layer::Prompt(prompt))) => {
            prompt.editor.insert(text);
            layers::update::typing(model)
        }
        _ => {
            model.say("pasted text decides nothing; it is only taken where text is written");
            Vec::new()
        }
    }
}

/// A frame was flushed, and no key was waiting.
fn drawn(model: &mut Model, seen: &super::msg::Seen, at: std::time::Instant) {
    if let Some(number) = seen.layer
        && model.layer_shown.is_none_or(|(shown, _)| shown != number)
    {
        model.layer_shown = Some((number, at));
    }
    if !model.layers.is_empty() {
        return;
    }
    let Some(opened) = model.current() else { return };
    let (id, hash) = (opened.item.id.clone(), opened.item.args_hash.map(|hash| hash.to_string()));
    if seen.card.as_ref() != Some(&id) {
        return;
    }
    let known = model.shown.as_ref().is_some_and(|shown| shown.id == id && shown.hash == hash);
    if !known {
        model.shown = Some(Shown { id, hash, since: at });
    }
    if seen.end
        && let Some(opened) = &mut model.opened
    {
        opened.end_seen = true;
    }
}

/// After anything happened: what is out of date is let go, and what is missing asked for.
fn settle(model: &mut Model) -> Vec<Cmd> {
    let mut cmds = Vec::new();
    let areas = layout::areas(model);
    tabs::scroll_tops(model);
    if model.tab == Tab::Inbox && model.list.selected().is_none() {
        model.list.top = model.list.top.min(model.list.len().saturating_sub(1));
    } else if !areas.list.is_empty() {
        model.list.top = layout::top_for(&model.list, areas.list);
    }
    let still =
        model.current().map(|opened| (opened.item.id.clone(), opened.item.args_hash.map(|h| h.to_string())));
    let shown = model.shown.as_ref().map(|shown| (shown.id.clone(), shown.hash.clone()));
    if !model.layers.is_empty() || areas.card.is_empty() || still != shown {
        model.shown = None;
    }
    if model.layers.last().map(|(number, _)| *number) != model.layer_shown.map(|(number, _)| number) {
        model.layer_shown = None;
    }
    let wanted = model.selected().map(|row| (row.id.clone(), row.hash.map(|hash| hash.to_string())));
    match wanted {
        Some((id, hash)) if model.current().is_none() => {
            let asked = format!("{id} {}", hash.unwrap_or_default());
            if model.asked.as_ref() != Some(&asked) {
                model.asked = Some(asked);
                cmds.push(Cmd::Card(id));
            }
        }
        Some(_) => model.asked = None,
        None => {}
    }
    if model.focus == Focus::Card && model.shows_items() {
        // There is no card to be in.
        if model.list.is_empty() {
            model.focus = Focus::List;
        }
    }
    if model.ending && !model.list.all().iter().any(|row| row.is_decided()) && model.list.complete {
        cmds.push(Cmd::Quit);
    }
    cmds
}
