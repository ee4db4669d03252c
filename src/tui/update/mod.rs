//! The only place where the model changes: `update(model, msg)` returns the commands to run.
//!
//! Promises: no clock, no file, no terminal and no store is touched here; the same messages give the same model.

mod data;
mod mouse;
mod press;

use super::key_guard::Shown;
use super::layers::{self, form};
use super::layout;
use super::model::Model;
use super::msg::{Cmd, Msg};
use super::own_commands;
use super::tabs::inbox::{self, away, decide, grant, history, mail, news, skipped};
use super::tabs::threads::{self, review};
use super::tabs::{self, Focus, Tab, activity, memory};
use super::tour;

/// Handles a message: changes the model and returns the commands to run.
pub fn update(model: &mut Model, msg: Msg) -> Vec<Cmd> {
    let mut cmds = match msg {
        Msg::Key(press) => press::pressed(model, press),
        Msg::Paste(text) => layers::paste(model, &text),
        Msg::Mouse(mouse, x, y) => mouse::handle_mouse(model, mouse, x, y),
        Msg::Resized(columns, rows) => {
            model.size = (columns, rows);
            // A terminal that was small for a moment has lost its content, even if it is now as large as before.
            vec![Cmd::Redraw]
        }
        Msg::Drawn(seen, at) => {
            drawn(model, &seen, at);
            return Vec::new();
        }
        Msg::Tick(at, wall) => data::ticked(model, at, wall),
        Msg::Changed => tabs::reload(model),
        Msg::Progress(progress) => data::progressed(model, progress),
        Msg::Driving(driving) => {
            model.driving = driving;
            Vec::new()
        }
        Msg::Glanced(result) => inbox::glanced(model, result),
        Msg::Lines(result) => inbox::lines(model, result),
        Msg::Card(id, result) => inbox::card(model, &id, result),
        Msg::Overview(result) => data::overview(model, result),
        Msg::Sources(result) => {
            if let Some(sources) = model.ok_or_fail(result) {
                model.sources = sources;
            }
            Vec::new()
        }
        Msg::CostToday(result) => {
            if let Some(spent) = model.ok_or_fail(result) {
                model.spent_today = spent;
            }
            Vec::new()
        }
        Msg::Sessions(result) => layers::sessions::listed(model, result),
        Msg::Running(result) => activity::running(model, result),
        Msg::Threads(query, result) => threads::listed(model, &query, result),
        Msg::Facets(result) => threads::facets(model, result),
        Msg::StepStates(thread, result) => review::states(model, &thread, result),
        Msg::ModelCall(result) => review::prompt(model, result),
        Msg::Forked(result) => review::forked(model, result),
        Msg::Thread(id, result) => threads::opened(model, &id, result),
        Msg::Memory(result) => memory::listed(model, result),
        Msg::Why(id, result) => decide::why(model, &id, result),
        Msg::EditReviewed(id, args, result) => form::review::reviewed(model, &id, &args, result),
        Msg::Grants(result) => activity::grants::listed(model, result),
        Msg::Granted(id, result) => grant::granted(model, id, result),
        Msg::Revoked(result) => activity::grants::revoked(model, result),
        Msg::Skipped(query, result) => skipped::listed(model, &query, result),
        Msg::SkippedLately(result) => skipped::counted(model, result),
        Msg::Decisions(query, result) => history::listed(model, &query, result),
        Msg::DecisionLinks(place, result) => history::linked(model, place, result),
        Msg::DecisionEnds(result) => news::ended(model, result),
        Msg::Lessons(result) => news::learned(model, result),
        Msg::Reclassified(thread, result) => skipped::reclassified(model, thread, result),
        Msg::Attachments(thread, result) => mail::attached(model, &thread, result),
        Msg::Folders(result) => away::folders(model, result),
        Msg::PutAway(mail_move, results) => away::moved(model, &mail_move, results),
        Msg::Profile(result) => memory::pins(model, result),
        Msg::ProfileVersions(purpose, result) => memory::profile_versions(model, purpose, result),
        Msg::ProfileEdited(namespace, version, result) => memory::edited(model, namespace, version, result),
        Msg::ProfileChanged(result) => memory::profile_changed(model, result),
        Msg::ProfileAndVersions(namespace, result) => memory::versions(model, namespace, result),
        Msg::Activity(result) => activity::counted(model, result),
        Msg::Usage(thread, result) => activity::used(model, thread, result),
        Msg::Storage(result) => activity::stored(model, result),
        Msg::PrunePlan(query, result) => activity::planned(model, query, result),
        Msg::Pruned(result) => activity::pruned(model, result),
        Msg::Order(result) => {
            if let Ok(Some(words)) = result {
                model.inbox.list.order_by(&words, model.wall);
                inbox::select_first(model);
            }
            Vec::new()
        }
        Msg::Drafts(result) => {
            if let Some(drafts) = model.ok_or_fail(result) {
                model.drafts = drafts.into_iter().collect();
            }
            Vec::new()
        }
        Msg::Decided(kind, results) => decide::decided(model, kind, results),
        Msg::LastDecided(result) => decide::restore_undo(model, result),
        Msg::Undone(results) => decide::undone(model, results),
        Msg::Stopped(thread, result) => decide::stopped(model, thread, result),
        Msg::Started(workflow, result) => form::started(model, workflow, result),
        Msg::Done(result) => {
            match result {
                Ok(text) if text.is_empty() => {}
                Ok(text) => model.say(text),
                Err(failure) => model.fail(failure.text),
            }
            Vec::new()
        }
        Msg::Delivered(result) => match model.ok_or_fail(result) {
            Some(()) => vec![Cmd::FetchMail],
            None => Vec::new(),
        },
        Msg::OwnCommandRan(name, result) => own_commands::ran(model, &name, result),
        Msg::Edited(layer, result) => form::edited(model, layer, result),
        Msg::Completions(layer, typed, paths) => form::completions(model, layer, typed, paths),
    };
    cmds.extend(tour::follow(model));
    cmds.extend(settle(model));
    cmds
}

/// A frame was flushed while no key was waiting.
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
    let (id, hash) = (opened.item.id.clone(), opened.item.args_hash);
    if seen.card.as_ref() != Some(&id) {
        return;
    }
    let is_known = model.shown.as_ref().is_some_and(|shown| shown.id == id && shown.hash == hash);
    if !is_known {
        model.shown = Some(Shown { id, hash, since: at });
    }
    if seen.end
        && let Some(opened) = &mut model.inbox.opened
    {
        opened.end_seen = true;
    }
}

/// Runs after every message: drops what is out of date and asks for what is missing.
fn settle(model: &mut Model) -> Vec<Cmd> {
    let mut cmds = Vec::new();
    let areas = layout::areas(model);
    tabs::scroll_tops(model);
    if model.tab == Tab::Inbox && model.inbox.list.selected().is_none() {
        model.inbox.list.top = model.inbox.list.top.min(model.inbox.list.len().saturating_sub(1));
    } else if !areas.list.is_empty() {
        model.inbox.list.top = layout::top_for(&model.inbox.list, areas.list);
    }
    let current = model.current().map(|opened| (opened.item.id.clone(), opened.item.args_hash));
    let shown = model.shown.as_ref().map(|shown| (shown.id.clone(), shown.hash));
    if !model.layers.is_empty() || areas.card.is_empty() || current != shown {
        model.shown = None;
    }
    if model.layers.last().map(|(number, _)| *number) != model.layer_shown.map(|(number, _)| number) {
        model.layer_shown = None;
    }
    let selected = model.selected().map(|row| (row.id.clone(), row.hash));
    match selected {
        Some((id, hash)) if model.current().is_none() => {
            let requested = format!("{id} {}", hash.map(|hash| hash.to_string()).unwrap_or_default());
            if model.inbox.requested_card.as_ref() != Some(&requested) {
                model.inbox.requested_card = Some(requested);
                cmds.push(Cmd::Card(id));
            }
        }
        Some(_) => model.inbox.requested_card = None,
        None => {}
    }
    if model.focus == Focus::Card && model.shows_items() {
        // There is no card to be in.
        if model.inbox.list.is_empty() {
            model.focus = Focus::List;
        }
    }
    if model.quit_when_idle
        && !model.inbox.list.all().iter().any(|row| row.is_decided())
        && model.inbox.list.complete
    {
        cmds.push(Cmd::Quit);
    }
    cmds
}
