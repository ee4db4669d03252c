//! Handles what the inbox reports about its items: glances, lines and cards.

use super::{Opened, Row, follow, news};
use crate::inbox::{Glance, ItemLine, ItemStatus, LineQuery};
use crate::text::count_noun;
use crate::tui::model::Model;
use crate::tui::msg::{Cmd, InboxResult, LoadedCard};
use crate::tui::tabs;
use std::collections::{HashMap, HashSet};
use std::time::Duration;

/// How many lines are read at a time, so that others get their turn.
const CHUNK: usize = 400;

/// The user is notified at most this often.
const NOTICE_INTERVAL: Duration = Duration::from_secs(5);

pub fn glanced(model: &mut Model, result: InboxResult<Vec<Glance>>) -> Vec<Cmd> {
    model.inbox.is_glancing = false;
    let is_due = std::mem::take(&mut model.inbox.glance_due);
    let is_stale = std::mem::take(&mut model.inbox.stale_glance);
    let all = match result {
        Ok(_) if is_stale => return tabs::reload(model),
        Ok(all) => all,
        Err(failure) => {
            model.fail(failure.text);
            return Vec::new();
        }
    };
    let was_complete = model.inbox.list.complete;
    let known_ids: HashSet<String> = model.inbox.list.all().iter().map(|row| row.id.clone()).collect();
    let unread = model.inbox.list.glance(&all, model.wall);
    model.inbox.unread_ids = unread.iter().cloned().collect();
    count_down(model, &all);
    select_goto(model);
    let mut cmds = if was_complete { Vec::new() } else { news::await_held(model, &all) };
    let statuses: HashMap<&str, ItemStatus> =
        all.iter().map(|glance| (glance.id.as_str(), glance.status)).collect();
    let new = unread.iter().filter(|id| {
        !known_ids.contains(*id)
            && matches!(statuses.get(id.as_str()), Some(ItemStatus::Open | ItemStatus::Result))
    });
    let new: Vec<&String> = new.filter(|id| model.inbox.goto.as_ref() != Some(*id)).collect();
    if was_complete {
        model.inbox.news.arrived.extend(new.iter().map(|id| (*id).clone()));
    }
    let new = new.len();
    let is_recent =
        model.last_notice.is_some_and(|at| model.now.saturating_duration_since(at) < NOTICE_INTERVAL);
    if was_complete && new > 0 && !is_recent {
        model.last_notice = Some(model.now);
        cmds.push(Cmd::Notice(format!("{} in your inbox", count_noun(new, "new item"))));
    }
    model.inbox.is_loaded |= model.inbox.unread_ids.is_empty();
    cmds.extend(read_on(model));
    if is_due {
        cmds.extend(tabs::reload(model));
    }
    cmds
}

/// Updates how long the last decision can be undone, according to the store.
fn count_down(model: &mut Model, all: &[Glance]) {
    let Some(undo) = &mut model.undo else { return };
    let statuses: HashMap<&str, ItemStatus> =
        all.iter().map(|glance| (glance.id.as_str(), glance.status)).collect();
    let mut remaining: Option<i64> = None;
    for (id, _) in &undo.items {
        match statuses.get(id.as_str()).copied() {
            Some(ItemStatus::Held { hold_ms, since }) => {
                let passed =
                    model.wall.as_millisecond().saturating_sub(since.as_millisecond()).clamp(0, hold_ms);
                remaining =
                    Some(remaining.map_or(hold_ms - passed, |remaining| remaining.min(hold_ms - passed)));
            }
            Some(ItemStatus::Decided) => {}
            Some(ItemStatus::Snoozed) if undo.kind.is_snooze() => {}
            // Its thread has acted on it, or somebody else undid it.
            Some(ItemStatus::Open | ItemStatus::Snoozed | ItemStatus::Result) | None => {
                model.undo = None;
                return;
            }
        }
    }
    undo.until = match (undo.until, remaining) {
        (Some(until), _) => Some(until),
        (None, Some(remaining)) => {
            Some(undo.since.max(model.now) + Duration::from_millis(remaining.unsigned_abs()))
        }
        (None, None) => None,
    };
}

/// Selects the item that was undone, or the followed thread's next question, once it is there.
pub fn select_goto(model: &mut Model) {
    if let Some(next) = follow::next_of_followed(model) {
        model.inbox.goto = Some(next);
    }
    let list = &mut model.inbox.list;
    let is_there = |id: &String| list.shows(id) || list.find(id).is_some_and(Row::is_waiting);
    if let Some(id) = model.inbox.goto.take_if(|id| is_there(id)) {
        list.select_item(&id, model.wall);
    }
}

/// Selects the first row while the list is first read and nobody has pressed a key.
pub fn select_first(model: &mut Model) {
    if !model.inbox.is_loaded && model.last_key.is_none() && model.inbox.goto.is_none() {
        model.inbox.list.select(0);
    }
}

/// Reads the next missing lines.
fn read_on(model: &mut Model) -> Vec<Cmd> {
    if model.inbox.reading || model.inbox.unread_ids.is_empty() {
        return Vec::new();
    }
    model.inbox.reading = true;
    let count = model.inbox.unread_ids.len().min(CHUNK);
    vec![Cmd::Lines(LineQuery::Of(model.inbox.unread_ids.drain(..count).collect()))]
}

pub fn lines(model: &mut Model, result: InboxResult<Vec<ItemLine>>) -> Vec<Cmd> {
    model.inbox.reading = false;
    if let Some(lines) = model.ok_or_fail(result) {
        model.inbox.list.put(lines, model.wall);
        news::tell_arrived(model);
    }
    select_goto(model);
    select_first(model);
    model.inbox.is_loaded |= model.inbox.list.complete && model.inbox.unread_ids.is_empty();
    if model.inbox.list.selected().is_none() && !model.inbox.list.selection_vanished() {
        model.inbox.list.select(model.inbox.list.cursor());
    }
    if !model.inbox.list.complete && !model.inbox.is_glancing {
        return tabs::reload(model);
    }
    read_on(model)
}

pub fn card(model: &mut Model, id: &str, result: InboxResult<Box<LoadedCard>>) -> Vec<Cmd> {
    let is_selected = model.selected().is_some_and(|row| row.id == id);
    match result {
        Ok(read) if is_selected => {
            let LoadedCard { item, card, answers } = *read;
            let is_stale = model.selected().is_some_and(|row| row.hash != item.args_hash);
            model.inbox.opened = Some(Opened::new(item, card, answers));
            model.shown = None;
            if is_stale {
                return tabs::reload(model);
            }
        }
        Ok(_) => {}
        Err(failure) if is_selected => model.fail(failure.text),
        Err(_) => {}
    }
    Vec::new()
}
