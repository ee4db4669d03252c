//! What comes next of a thread that the user started or decided on is selected when it comes, whatever is filtered by.
//! Meanwhile a thread that was started or answered is on the screen itself.
//!
//! Promises: a card that the user has moved to, or is working with, is never taken away.

use crate::engine::graph::ThreadId;
use crate::inbox::{ItemLine, PROGRAM_ACTIONS};
use crate::tui::model::{DecisionKind, Expected, Followed, Model};
use std::collections::HashSet;
use std::time::Duration;

/// If the next question takes longer than this, the user is already reading something else. A hold is part of it.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// The selected row, if only that one was just decided.
pub fn answered(model: &Model, done: &[String]) -> Option<ItemLine> {
    let [id] = done else { return None };
    model.selected().filter(|row| row.id == *id).cloned()
}

/// Notes whose next question to select; called after the next row has been selected.
pub fn expect(model: &mut Model, kind: DecisionKind, answered: Option<ItemLine>) {
    let goes_on = !kind.is_snooze() && !matches!(kind, DecisionKind::Woken | DecisionKind::Filed);
    model.inbox.expected = answered.filter(|_| goes_on).map(|row| {
        let agent = row.action.starts_with(PROGRAM_ACTIONS).then_some(row.source).flatten();
        Expected { agent, ..expected(model, row.thread) }
    });
}

/// Whether a thread goes on at once after such a decision, and asks again.
pub fn answers_at_once(kind: DecisionKind) -> bool {
    matches!(kind, DecisionKind::Answered | DecisionKind::Written)
}

fn expected(model: &Model, thread: ThreadId) -> Expected {
    Expected {
        thread,
        agent: None,
        last_key: model.last_key,
        selected: model.inbox.list.selected().map(|row| row.id.clone()),
        until: model.now + MAX_WAIT,
    }
}

/// Selects what a thread asks, now or as soon as it does.
pub fn select_question_of(model: &mut Model, thread: ThreadId) {
    let mut rows = model.inbox.list.all().iter();
    match rows.find(|row| row.thread == thread && row.is_waiting()).map(|row| row.id.clone()) {
        Some(id) => model.inbox.goto = Some(id),
        None => model.inbox.expected = Some(expected(model, thread)),
    }
}

/// Follows a thread that the user has just started, unless they are looking at something else than the inbox.
pub fn follow_started(model: &mut Model, thread: ThreadId) {
    if model.shows_items() && model.layers.is_empty() {
        model.inbox.list.deselect();
        model.inbox.expected = None;
        model.inbox.following = Some(Followed { thread, idle: false });
    }
}

/// Follows a thread that the user has sent back to its beginning, if its card was on the screen.
pub fn follow_again(model: &mut Model, thread: ThreadId) {
    let selected = model.inbox.list.selected().filter(|row| row.thread == thread);
    let ids: HashSet<String> = selected.map(|row| row.id.clone()).into_iter().collect();
    // A glance may have taken the card away already.
    let has_vanished = model.inbox.list.selection_vanished() && model.inbox.following.is_none();
    if ids.is_empty() && !has_vanished {
        return;
    }
    model.inbox.list.drop_rows(&ids, model.wall);
    model.inbox.expected = Some(expected(model, thread.clone()));
    model.inbox.following = Some(Followed { thread, idle: false });
    // A glance taken before this would show the old card.
    model.inbox.stale_glance = model.inbox.is_glancing;
}

/// Selects what was expected, if it has arrived.
pub fn select_next(model: &mut Model, arrived: &HashSet<String>) {
    let Some(expected) = &model.inbox.expected else { return };
    let selected = model.inbox.list.selected().map(|row| &row.id);
    let is_untouched = model.last_key == expected.last_key && selected == expected.selected.as_ref();
    if !is_untouched || model.now > expected.until || !model.layers.is_empty() || !model.shows_items() {
        model.inbox.expected = None;
        return;
    }
    let is_expected = |row: &ItemLine| {
        let is_same_agent =
            row.action.starts_with(PROGRAM_ACTIONS) && row.source.is_some() && expected.agent == row.source;
        arrived.contains(&row.id) && (row.thread == expected.thread || is_same_agent)
    };
    let found = model.inbox.list.all().iter().find(|row| is_expected(row)).map(|row| row.id.clone());
    if let Some(id) = found {
        model.inbox.list.select_item(&id, model.wall);
        model.inbox.expected = None;
    }
}

/// The next question of the followed thread, once it is there. Stops following a thread that asks nothing more.
pub fn next_of_followed(model: &mut Model) -> Option<String> {
    if !model.inbox.list.selection_vanished() {
        model.inbox.following = None;
    }
    let Followed { thread, idle } = model.inbox.following.clone()?;
    let rows = || model.inbox.list.all().iter().filter(|row| row.thread == thread);
    if let Some(row) = rows().find(|row| row.is_waiting()) {
        return Some(row.id.clone());
    }
    let all_read = model.inbox.unread_ids.is_empty() && !model.inbox.reading;
    if idle && all_read && rows().next().is_none() {
        stop_following(model);
    }
    None
}

/// Selects the card that took the place of the one that was answered.
pub fn stop_following(model: &mut Model) {
    model.inbox.following = None;
    model.inbox.list.select(model.inbox.list.cursor());
    let selected = model.inbox.list.selected().map(|row| row.id.clone());
    if let Some(expected) = &mut model.inbox.expected {
        expected.selected = selected;
    }
}
