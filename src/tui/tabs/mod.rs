//! The four tabs, each with its state, its keys and its drawing; and what they share: switching tabs, and moving
//! through a list and the page next to it.

pub mod activity;
mod browse;
pub mod inbox;
pub mod memory;
pub mod moves;
pub mod page;
mod reload;
pub mod rows;
pub mod threads;

pub use browse::PagedList;
pub use reload::reload;

use super::actions::Action;
use super::layers::{self, PromptKind};
use super::layout::{self, ThreadEntry};
use super::model::Model;
use super::msg::{Cmd, Press};
use super::tour;
use crate::graph::ThreadId;
use inbox::Filter;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    #[default]
    Inbox,
    Threads,
    Memory,
    Activity,
}

impl Tab {
    /// In the order shown.
    pub const ALL: [Tab; 4] = [Tab::Inbox, Tab::Threads, Tab::Memory, Tab::Activity];

    pub fn title(self) -> &'static str {
        match self {
            Tab::Inbox => "Inbox",
            Tab::Threads => "Threads",
            Tab::Memory => "Memory",
            Tab::Activity => "Activity",
        }
    }
}

/// Which half of a tab gets the keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Focus {
    #[default]
    List,
    /// The card next to or below the list.
    Card,
}

pub fn go(model: &mut Model, tab: Tab) -> Vec<Cmd> {
    if model.tab != tab {
        model.focus = Focus::List;
    }
    model.tab = tab;
    match tab {
        Tab::Inbox => Vec::new(),
        Tab::Threads => threads::read(model),
        Tab::Memory => vec![Cmd::Memory],
        Tab::Activity => activity::open(model),
    }
}

/// Goes back one level, or quits at the top.
pub fn back(model: &mut Model) -> Vec<Cmd> {
    if model.focus == Focus::Card {
        model.focus = Focus::List;
    } else if model.tab != Tab::Inbox {
        model.tab = Tab::Inbox;
    } else {
        return layers::quit(model);
    }
    Vec::new()
}

/// Removes whatever narrows the view, nearest first.
pub fn clear(model: &mut Model) -> Vec<Cmd> {
    if model.focus == Focus::Card {
        model.focus = Focus::List;
    } else if model.shows_history() && !model.inbox.history.filter.is_empty() {
        return inbox::history::search(model, Default::default());
    } else if model.inbox.list.has_marks() {
        model.inbox.list.clear_marks();
    } else if !model.inbox.list.search.is_empty() {
        model.inbox.list.search = Default::default();
    } else if !model.inbox.list.narrow.is_empty() {
        model.inbox.list.narrow_to(Default::default(), model.wall);
    } else if model.tab == Tab::Threads
        && let Some(cmds) = threads::clear(model)
    {
        return cmds;
    } else if model.tab == Tab::Inbox && model.inbox.list.filter != Filter::All {
        return inbox::show(model, Filter::All);
    } else if !tour::leave(model) {
        model.note = None;
    }
    Vec::new()
}

/// Asks what to filter the list by.
pub fn narrow(model: &mut Model) -> Vec<Cmd> {
    match model.tab {
        Tab::Threads => threads::offer_filters(model),
        Tab::Inbox if model.shows_history() => layers::ask(model, PromptKind::Search),
        Tab::Inbox | Tab::Memory | Tab::Activity => layers::ask(model, PromptKind::Narrow),
    }
}

/// Revokes the selected grant, or asks whether to stop the selected thread.
pub fn stop(model: &mut Model, press: Press) -> Vec<Cmd> {
    if model.selected_grant().is_some() {
        activity::grants::revoke(model, press)
    } else if model.tab == Tab::Threads {
        threads::review::ask_stop(model, press)
    } else {
        inbox::decide::stop(model, press)
    }
}

pub fn explain_quit(model: &mut Model) -> Vec<Cmd> {
    model.say("Q quits · Ctrl-C closes what is open");
    Vec::new()
}

pub fn turn(model: &mut Model, by: usize) -> Vec<Cmd> {
    let index = Tab::ALL.iter().position(|tab| *tab == model.tab).unwrap_or(0);
    go(model, Tab::ALL[(index + by) % Tab::ALL.len()])
}

/// The thread of the selected row, in any list.
pub fn selected_thread(model: &Model) -> Option<ThreadId> {
    if model.tab == Tab::Memory {
        return memory::causing_thread(model);
    }
    if model.shows_running() || model.tab == Tab::Activity {
        return model.selected_running().map(|line| line.id.clone());
    }
    if model.shows_skipped() {
        return model.inbox.skipped.selected().and_then(|line| line.thread.clone());
    }
    if model.shows_history() {
        return model.inbox.history.list.selected().map(|line| line.thread.clone());
    }
    model.selected().map(|row| row.thread.clone())
}

/// Reads what is shown next to the selected row of a tab.
pub fn open_selected(model: &mut Model) -> Vec<Cmd> {
    match model.tab {
        Tab::Threads => threads::open_selected(model),
        Tab::Memory => memory::show(model),
        Tab::Inbox | Tab::Activity => Vec::new(),
    }
}

pub fn click(model: &mut Model, line: usize) -> Vec<Cmd> {
    let choose = |top: usize, len: usize| (top + line).min(len.saturating_sub(1));
    if model.shows_running() {
        model.running.cursor = choose(model.running.top, model.running.rows.len());
        return activity::read_selected(model);
    }
    if model.shows_skipped() {
        model.inbox.skipped.cursor = choose(model.inbox.skipped.top, model.inbox.skipped.rows.len());
        return Vec::new();
    }
    if model.shows_history() {
        let list = &model.inbox.history.list;
        return inbox::history::select(model, choose(list.top, list.rows.len()));
    }
    match model.tab {
        Tab::Threads => {
            let (bar, area) = layout::thread_list(layout::areas(model).list);
            let Some(line) = line.checked_sub(usize::from(bar.height)) else {
                return threads::offer_filters(model);
            };
            let entries = layout::thread_entries(&model.threads, &model.options.time_zone, area);
            match entries.get(line) {
                Some(ThreadEntry::Row(row)) => model.threads.cursor = *row,
                Some(ThreadEntry::Day(_)) | None => return Vec::new(),
            }
        }
        Tab::Memory => model.memory.list.cursor = choose(model.memory.list.top, model.memory.list.rows.len()),
        Tab::Activity => {
            return activity::select(model, choose(model.activity.top, model.activity_rows().len()));
        }
        Tab::Inbox => {}
    }
    open_selected(model)
}

/// Keeps each selected row on the screen.
pub fn scroll_tops(model: &mut Model) {
    let list = layout::areas(model).list;
    // A list that a form or a card covers keeps its place.
    if list.is_empty() {
        return;
    }
    let height = list.height;
    let (_, threads) = layout::thread_list(list);
    model.threads.top = layout::thread_top(&model.threads, &model.options.time_zone, threads);
    model.memory.list.top = layout::plain_top(model.memory.list.top, model.memory.list.cursor, height);
    model.inbox.skipped.top = layout::plain_top(model.inbox.skipped.top, model.inbox.skipped.cursor, height);
    let history = &mut model.inbox.history.list;
    history.top = layout::plain_top(history.top, history.cursor, height);
    model.activity.top = layout::plain_top(model.activity.top, model.activity.cursor, height);
    model.running.top = layout::plain_top(model.running.top, model.running.cursor, height);
}

/// The actions worth showing in the footer, most important first.
pub fn footer(model: &Model) -> Vec<(Action, String)> {
    let named = |action: Action, text: &str| (action, text.to_owned());
    let mut actions = if model.shows_items() {
        inbox::footer(model)
    } else if model.shows_skipped() {
        vec![
            named(Action::Reclassify, "reclassify"),
            named(Action::Why, "why"),
            named(Action::OpenThread, "thread"),
            named(Action::Unsubscribe, "unsubscribe"),
        ]
    } else if model.shows_history() {
        vec![
            named(Action::OpenThread, "thread"),
            named(Action::PutBack, "put it back"),
            named(Action::Behind, "grant or lesson"),
            named(Action::MarkSame, "same sender"),
            named(Action::Why, "why"),
        ]
    } else if let Some(grant) = model.selected_grant() {
        vec![named(Action::Stop, if grant.in_force { "revoke" } else { "switch on" })]
    } else if model.tab == Tab::Memory {
        memory::footer()
    } else if model.selected_running().is_some() {
        vec![named(Action::Stop, "stop"), named(Action::OpenThread, "thread")]
    } else if model.tab == Tab::Activity {
        vec![named(Action::Prune, "prune"), named(Action::FetchMail, "fetch mail")]
    } else if model.tab == Tab::Threads {
        threads::footer(model)
    } else {
        vec![named(Action::Open, "read")]
    };
    actions.extend([
        named(Action::Search, "search"),
        named(Action::NewThread, "new"),
        named(Action::Palette, "palette"),
    ]);
    actions
}
