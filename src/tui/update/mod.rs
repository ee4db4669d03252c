//! The only place where the model changes: `update(model, msg)` returns the jobs to run.
//!
//! Promises: no clock, no file, no terminal and no store is touched here; the same messages give the same model.

mod data;
mod mouse;
mod press;

use super::model::{Focus, Job, Model, Msg, Seen, Shown, Tab};
use super::tabs::activity;
use super::tabs::inbox::{self, news, skipped};
use super::tabs::sessions::{self, Sessions};
use super::{commands, layout, tour};
use crate::inbox::door::Inbox;
use crate::inbox::{LineQuery, Overview};
use std::time::Instant;

/// Starts reading what the screen shows first.
pub fn begin(model: &mut Model) -> Vec<Job> {
    let work = async |inbox: Inbox| inbox.decisions().order().await;
    model.start(work, |model, order| {
        if let Ok(order) = order {
            model.inbox.list.order = order;
            model.inbox.list.arrange(model.wall);
            inbox::select_first(model);
        }
    });
    if let Some(thread) = model.options.started.clone() {
        inbox::follow::follow_started(model, thread);
    }
    // As many lines as a screen shows; the rest is loaded once it is drawn.
    inbox::read_lines(model, LineQuery::First(usize::from(model.size.1 / 2).max(8)));
    let work = async |inbox: Inbox| inbox.decisions().drafts().await;
    model.read(work, |model, drafts| {
        model.drafts = drafts.into_iter().collect();
    });
    std::mem::take(&mut model.jobs)
}

/// Handles a message: changes the model and returns the jobs to run.
pub fn update(model: &mut Model, msg: Msg) -> Vec<Job> {
    match msg {
        Msg::Key(press) => press::pressed(model, press),
        Msg::Paste(text) => {
            model.is_touched = true;
            commands::paste(model, &text);
        }
        Msg::Mouse(mouse, x, y) => {
            model.is_touched = true;
            mouse::handle_mouse(model, mouse, x, y);
        }
        Msg::Resized(columns, rows) => {
            model.size = (columns, rows);
            // A terminal that was small for a moment has lost its content, even if it is now as large as before.
            model.jobs.push(Job::Redraw);
            if layout::shows_lately(model) {
                model.reload();
            }
        }
        Msg::Drawn(seen, at) => {
            drawn(model, &seen, at);
            return Vec::new();
        }
        Msg::Tick(at, wall) => data::ticked(model, at, wall),
        Msg::Changed => model.reload(),
        Msg::Progress(progress) => data::progressed(model, progress),
        Msg::Driving(driving) => model.driving = driving,
        Msg::Ended(callback) => callback(model),
    }
    read_anew(model);
    tour::follow(model);
    read_anew(model);
    settle(model);
    std::mem::take(&mut model.jobs)
}

/// Reads what a tab that was opened shows, and what has changed.
fn read_anew(model: &mut Model) {
    if std::mem::take(&mut model.opened) {
        commands::pane(model).open(model);
    }
    if std::mem::take(&mut model.reload_due) {
        reload(model);
    }
}

/// Reads again what is on the screen, one read at a time.
fn reload(model: &mut Model) {
    if !model.inbox.list.complete && !model.inbox.is_glancing && model.inbox.reading {
        // The first lines are being read, and the first glance follows them.
        return;
    }
    if model.inbox.is_glancing {
        model.inbox.glance_due = true;
        return;
    }
    (model.inbox.is_glancing, model.inbox.glance_due) = (true, false);
    inbox::glance(model);
    activity::read_overview(model);
    if let Ok(today) = model.local_time().start_of_day() {
        let since = today.timestamp();
        let work = async move |inbox: Inbox| inbox.statistics().cost_since(since).await;
        model.read(work, |model, spent| {
            model.spent_today = spent;
        });
    }
    skipped::count(model);
    news::look(model);
    let is_at_work = model.overview.as_ref().is_some_and(Overview::is_at_work);
    let shows_work = layout::shows_lately(model) && (is_at_work || !model.running.is_empty());
    if (model.inbox.following.is_some() || shows_work) && model.tab != Tab::Activity {
        activity::read_running(model);
    }
    if model.top::<Sessions>().is_some() {
        sessions::read(model);
    }
    commands::pane(model).read(model);
}

/// A frame was flushed while no key was waiting.
fn drawn(model: &mut Model, seen: &Seen, at: Instant) {
    if let Some(number) = seen.layer
        && model.layer_shown.is_none_or(|(shown, _)| shown != number)
    {
        model.layer_shown = Some((number, at));
    }
    if !model.layers.is_empty() {
        return;
    }
    let Some((id, hash)) = model.decidable() else { return };
    if seen.card.as_ref() != Some(&id) {
        return;
    }
    if model.shows_items() {
        model.inbox.list.see_selected();
    }
    let is_known = model.shown.as_ref().is_some_and(|shown| shown.id == id && shown.hash == hash);
    if !is_known {
        model.shown = Some(Shown { id, hash, since: at });
    }
    if seen.end
        && let Some(opened) = &mut model.inbox.opened
    {
        opened.end_seen.get_or_insert(at);
    }
}

/// Runs after every message: drops what is out of date and asks for what is missing.
fn settle(model: &mut Model) {
    let areas = layout::areas(model);
    // A list that a form or a card covers keeps its place.
    if !areas.list.is_empty() {
        commands::pane(model).keep_visible(model, areas.list);
    }
    let current = model.decidable();
    let shown = model.shown.as_ref().map(|shown| (shown.id.clone(), shown.hash));
    if !model.layers.is_empty() || areas.card.is_empty() || current != shown {
        model.shown = None;
    }
    if model.layers.last().map(|layer| layer.number) != model.layer_shown.map(|(number, _)| number) {
        model.layer_shown = None;
    }
    let selected = model.selected().map(|row| (row.id.clone(), row.hash));
    match selected {
        Some((id, hash)) if model.current().is_none() => {
            let requested = format!("{id} {}", hash.map(|hash| hash.to_string()).unwrap_or_default());
            if model.inbox.requested_card.as_ref() != Some(&requested) {
                model.inbox.requested_card = Some(requested);
                inbox::read_card(model, id);
            }
        }
        Some(_) => model.inbox.requested_card = None,
        None => {}
    }
    // There is no card to be in.
    if model.focus == Focus::Card && model.shows_items() && model.inbox.list.is_empty() {
        model.focus = Focus::List;
    }
    if model.quit_when_idle
        && !model.inbox.list.all().iter().any(|row| row.is_decided())
        && model.inbox.list.complete
    {
        model.jobs.push(Job::Quit);
    }
}
