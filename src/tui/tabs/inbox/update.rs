//! Handles what the inbox reports about its items: glances, lines and cards.

use super::{compose, follow, news, undo};
use crate::engine::graph::{InterruptId, ThreadId};
use crate::inbox::door::Inbox;
use crate::inbox::{Item, ItemLine, ItemStamp, ItemStatus, LineQuery};
use crate::text::count_noun;
use crate::tui::model::{Failure, InboxResult, Job, Model, Opened, Tab};
use std::collections::{HashMap, HashSet};
use std::time::Duration;

/// How many lines are read at a time, so that others get their turn.
const CHUNK: usize = 400;

/// The user is notified at most this often.
const NOTICE_INTERVAL: Duration = Duration::from_secs(5);

/// Reads the inbox at a glance.
pub fn glance(model: &mut Model) {
    model.start(async |inbox: Inbox| inbox.decisions().stamps().await, glanced);
}

fn glanced(model: &mut Model, result: InboxResult<Vec<ItemStamp>>) {
    model.inbox.is_glancing = false;
    let is_due = std::mem::take(&mut model.inbox.glance_due);
    let is_stale = std::mem::take(&mut model.inbox.stale_glance);
    let Some(all) = model.ok_or_fail(result) else { return };
    if is_stale {
        return model.reload();
    }
    let was_complete = model.inbox.list.complete;
    let known_ids: HashSet<String> = model.inbox.list.all().iter().map(|row| row.id.clone()).collect();
    let unread = model.inbox.list.compare(&all, model.wall);
    model.inbox.unread_ids = unread.iter().cloned().collect();
    count_down(model, &all);
    select_goto(model);
    if !was_complete && news::await_held(model, &all) {
        undo::restore(model);
    }
    let statuses: HashMap<&str, ItemStatus> =
        all.iter().map(|stamp| (stamp.id.as_str(), stamp.status)).collect();
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
        model.jobs.push(Job::Notice(format!("{} in your inbox", count_noun(new, "new item"))));
    }
    model.inbox.is_loaded |= model.inbox.unread_ids.is_empty();
    read_on(model);
    if is_due {
        model.reload();
    }
}

/// Updates how long the last decision can be undone, according to the store.
fn count_down(model: &mut Model, all: &[ItemStamp]) {
    let Some(undo) = &mut model.undo else { return };
    let statuses: HashMap<&str, ItemStatus> =
        all.iter().map(|stamp| (stamp.id.as_str(), stamp.status)).collect();
    let mut remaining: Option<i64> = None;
    for id in &undo.ids {
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
    let is_there = |id: &String| list.shows(id) || list.find(id).is_some_and(ItemLine::is_waiting);
    if let Some(id) = model.inbox.goto.take_if(|id| is_there(id)) {
        list.select_item(&id, model.wall);
    }
}

/// The list of an inbox that was just opened may still fill for so long.
const FILL_TIME: Duration = Duration::from_secs(5);

/// Selects the first row while the list fills and nobody has touched a key or the mouse.
pub fn select_first(model: &mut Model) {
    let is_new = model.now.saturating_duration_since(model.opened_at) < FILL_TIME;
    let fills = is_new || !model.inbox.is_loaded;
    if fills && !model.is_touched && model.inbox.goto.is_none() && model.inbox.following.is_none() {
        model.inbox.list.select(0);
    }
}

/// Reads the next missing lines.
fn read_on(model: &mut Model) {
    if model.inbox.reading || model.inbox.unread_ids.is_empty() {
        return;
    }
    let count = model.inbox.unread_ids.len().min(CHUNK);
    let ids = model.inbox.unread_ids.drain(..count).collect();
    read_lines(model, LineQuery::Of(ids));
}

/// Reads lines of the list.
pub fn read_lines(model: &mut Model, query: LineQuery) {
    model.inbox.reading = true;
    model.start(async move |inbox: Inbox| inbox.decisions().lines(query).await, lines);
}

pub fn lines(model: &mut Model, result: InboxResult<Vec<ItemLine>>) {
    model.inbox.reading = false;
    if let Some(lines) = model.ok_or_fail(result) {
        model.inbox.list.put(lines, model.wall);
        compose::hold_began(model);
        news::tell_arrived(model);
    }
    select_goto(model);
    select_first(model);
    model.inbox.is_loaded |= model.inbox.list.complete && model.inbox.unread_ids.is_empty();
    let list = &model.inbox.list;
    if list.selected().is_none() && !list.selection_vanished() && !list.is_past_end() {
        model.inbox.list.select(model.inbox.list.cursor());
    }
    if !model.inbox.list.complete && !model.inbox.is_glancing {
        return model.reload();
    }
    read_on(model);
}

/// Reads the card of an item, with earlier answers.
pub fn read_card(model: &mut Model, id: String) {
    let wanted = id.clone();
    let read = async move |inbox: Inbox| {
        let (item, card) = match (InterruptId::parse(&wanted), ThreadId::parse(&wanted)) {
            (Ok(id), _) => {
                let (question, card) = inbox.decisions().card(id).await?;
                (Item::Question(Box::new(question)), card)
            }
            (Err(_), Ok(thread)) => {
                let (result, card) = inbox.decisions().result(thread).await?;
                (Item::Result(result), card)
            }
            (Err(_), Err(error)) => return Err(Failure::new(error.to_string())),
        };
        let answers = inbox.threads().answers(item.thread().clone()).await?;
        Ok(Opened::new(item, card, answers))
    };
    model.start(read, move |model, result| card(model, &id, result));
}

pub fn card(model: &mut Model, id: &str, result: InboxResult<Opened>) {
    if model.selected().is_none_or(|row| row.id != id) {
        return;
    }
    let Some(opened) = model.ok_or_fail(result) else { return };
    let is_stale = model.selected().is_some_and(|row| row.hash != opened.item.hash());
    model.inbox.opened = Some(opened);
    model.shown = None;
    if is_stale {
        model.reload();
    }
}

/// Selects an item, once it is there.
pub fn go_to_item(model: &mut Model, item: String) {
    model.go(Tab::Inbox);
    model.inbox.list.show_all(model.wall);
    model.inbox.goto = Some(item);
    select_goto(model);
}
