//! The Threads tab: which threads are listed, and which one is shown.

use super::Stamp;
use super::review::{self, Review, ThreadPane};
use crate::graph::ThreadId;
use crate::inbox::{Facets, Page, Query, Status, ThreadLine, ThreadQuery};
use crate::tui::layers::{Choice, Menu};
use crate::tui::model::Model;
use crate::tui::msg::{Cmd, InboxResult, LoadedThread};
use crate::tui::tabs::browse::PAGE;
use crate::tui::tabs::{Focus, Tab, go, selected_thread};
use crate::tui::{layout, words};

/// Reads the list again: the newest threads, and those on the screen if they are further down.
pub fn read(model: &Model) -> Vec<Cmd> {
    let threads = &model.threads;
    let mut cmds = vec![Cmd::Facets, Cmd::Threads(threads.query(None, PAGE))];
    let height = usize::from(layout::areas(model).list.height);
    if threads.top + height > PAGE
        && let Some(above) = threads.top.checked_sub(1).and_then(|at| threads.rows.get(at))
    {
        cmds.push(Cmd::Threads(threads.query(Some(above.place), PAGE.max(height))));
    }
    cmds
}

/// Searches, also while the user types.
pub fn search(model: &mut Model, query: Query) -> Vec<Cmd> {
    if model.threads.search == query {
        return Vec::new();
    }
    if model.threads.previous_search.is_none() {
        let selected = model.threads.selected().map(|line| line.id.clone());
        model.threads.previous_search = Some((model.threads.search.clone(), selected));
    }
    model.threads.search = query;
    model.threads.reset_list();
    // Show the best match, not whatever was selected before.
    (model.threads.keep_selected, model.threads.goto) = (None, None);
    model.focus = Focus::List;
    read(model)
}

/// Moves to the next or previous match.
pub fn find(model: &mut Model, forward: bool) -> Vec<Cmd> {
    let last = model.threads.rows.len().saturating_sub(1);
    if model.threads.rows.is_empty() {
        model.say("No thread was found");
    } else if forward && model.threads.cursor == last {
        model.say("This is the last match");
    } else if !forward && model.threads.cursor == 0 {
        model.say("This is the first match");
    } else {
        return step(model, if forward { 1 } else { -1 });
    }
    Vec::new()
}

/// Keeps the new search, or goes back to the one before it.
pub fn end_search(model: &mut Model, accepted: bool) -> Vec<Cmd> {
    match model.threads.previous_search.take() {
        Some((search, selected)) if !accepted => {
            model.threads.search = search;
            model.threads.reset_list();
            model.threads.keep_selected = selected;
            read(model)
        }
        _ => Vec::new(),
    }
}

/// Clears search and filters; `None` if there were none.
pub fn clear(model: &mut Model) -> Option<Vec<Cmd>> {
    if model.threads.search.is_empty() && !model.threads.is_narrowed() {
        return None;
    }
    model.threads.widen();
    model.threads.reset_list();
    Some(read(model))
}

pub fn facets(model: &mut Model, result: InboxResult<Facets>) -> Vec<Cmd> {
    if let Some(facets) = model.ok_or_fail(result) {
        model.threads.facets = facets;
    }
    Vec::new()
}

/// Offers the statuses with their counts, then workflows, servers and accounts. A chosen filter is marked; choosing it
/// again removes it.
pub fn offer_filters(model: &mut Model) -> Vec<Cmd> {
    let count = |status: Status| model.overview.as_ref().map_or(0, |overview| overview.threads_in(status));
    let mark = |is_chosen: bool| if is_chosen { "● " } else { "  " };
    let threads = &model.threads;
    let all: u64 = Status::ALL.iter().map(|status| count(*status)).sum();
    let mut rows =
        vec![(format!("{}{:<10}{all:>6}", mark(!threads.is_narrowed()), "all"), Choice::Status(None))];
    rows.extend(Status::ALL.iter().map(|status| {
        let is_chosen = threads.status == Some(*status);
        let text = format!("{}{:<10}{:>6}", mark(is_chosen), status.word(), count(*status));
        (text, Choice::Status(Some(*status)))
    }));
    let (facets, workflow, account) = (&threads.facets, &threads.workflow, &threads.account);
    let mut add_rows =
        |what: &str, names: &[String], chosen: &Option<String>, choice: fn(String) -> Choice| {
            rows.extend(names.iter().map(|name| {
                let is_chosen = chosen.as_ref() == Some(name);
                (format!("{}{what:<10}{}", mark(is_chosen), words::line(name)), choice(name.clone()))
            }));
        };
    add_rows("workflow", &facets.workflows, workflow, Choice::Workflow);
    let servers: Vec<String> = facets.servers.iter().map(|name| format!("{name}/")).collect();
    add_rows("server", &servers, workflow, Choice::Workflow);
    add_rows("account", &facets.accounts, account, Choice::Account);
    let cursor = rows.iter().position(|(text, _)| text.starts_with(mark(true))).unwrap_or(0);
    model.push(Menu { cursor, ..Menu::new("Threads that are", rows) });
    Vec::new()
}

/// Adds a filter to those already chosen, or removes it if it was set; `Status(None)` removes all.
pub fn filter(model: &mut Model, choice: Choice) -> Vec<Cmd> {
    let threads = &mut model.threads;
    match choice {
        Choice::Status(None) => (threads.status, threads.workflow, threads.account) = (None, None, None),
        Choice::Status(status) => threads.status = status.filter(|_| threads.status != status),
        Choice::Workflow(name) => {
            threads.workflow = Some(name).filter(|name| threads.workflow.as_ref() != Some(name));
        }
        Choice::Account(name) => {
            threads.account = Some(name).filter(|name| threads.account.as_ref() != Some(name));
        }
        _ => return Vec::new(),
    }
    threads.reset_list();
    read(model)
}

/// Moves the selection, and reads the next page before the end is reached.
pub fn step(model: &mut Model, by: isize) -> Vec<Cmd> {
    let threads = &mut model.threads;
    threads.cursor = threads.cursor.saturating_add_signed(by).min(threads.rows.len().saturating_sub(1));
    threads.goto = None;
    let mut cmds = read_more(model);
    cmds.extend(open_selected(model));
    cmds
}

fn read_more(model: &mut Model) -> Vec<Cmd> {
    let height = usize::from(layout::areas(model).list.height);
    let threads = &mut model.threads;
    let is_near = threads.cursor + height * 2 >= threads.rows.len();
    match threads.next.filter(|_| is_near && !threads.reading) {
        Some(next) => {
            threads.reading = true;
            vec![Cmd::Threads(threads.query(Some(next), PAGE))]
        }
        None => Vec::new(),
    }
}

/// Shows the thread of the selected item.
pub fn open_thread(model: &mut Model) -> Vec<Cmd> {
    let Some(thread) = selected_thread(model) else { return Vec::new() };
    show(model, thread)
}

/// Shows a thread, wherever it is in the list.
pub fn show(model: &mut Model, thread: ThreadId) -> Vec<Cmd> {
    model.threads.widen();
    model.threads.reset_list();
    model.threads.goto = Some(thread.clone());
    model.threads.pane = ThreadPane::default();
    let mut cmds = go(model, Tab::Threads);
    model.focus = Focus::Card;
    model.threads.review = None;
    cmds.push(Cmd::Thread(thread));
    cmds
}

/// Reads the thread of the selected row.
pub fn open_selected(model: &Model) -> Vec<Cmd> {
    let Some(line) = model.threads.selected() else { return Vec::new() };
    if model.threads.review.as_ref().is_some_and(|review| review.view.id == line.id) {
        return Vec::new();
    }
    vec![Cmd::Thread(line.id.clone())]
}

pub fn listed(model: &mut Model, query: &ThreadQuery, result: InboxResult<Page<ThreadLine>>) -> Vec<Cmd> {
    if !model.threads.wants(query) {
        return Vec::new();
    }
    match result {
        Ok(page) => model.threads.put(query, page),
        Err(failure) => {
            model.threads.reading = false;
            model.fail(failure.text);
            return Vec::new();
        }
    }
    if model.tab != Tab::Threads {
        return Vec::new();
    }
    let mut cmds = read_more(model);
    if model.threads.rows.is_empty() && model.threads.goto.is_none() {
        (model.threads.review, model.focus) = (None, Focus::List);
    }
    let shown = model.threads.review.as_ref().map(|review| review.view.id.clone());
    match shown {
        // A thread that was opened by itself stays, and so does one that left the list.
        Some(id) => {
            let has_changed =
                stamp(model, &id).is_some_and(|stamp| model.threads.shown_stamp.as_ref() != Some(&stamp));
            if has_changed || model.running_here.contains_key(&id) {
                cmds.push(Cmd::Thread(id));
            } else if model.focus == Focus::List && model.threads.goto.is_none() {
                cmds.extend(open_selected(model));
            }
        }
        None if model.focus == Focus::List => cmds.extend(open_selected(model)),
        None => {}
    }
    cmds
}

/// The thread's current stamp; it changes whenever anything happens to the thread.
fn stamp(model: &Model, id: &ThreadId) -> Option<Stamp> {
    let line = model.threads.rows.iter().find(|line| line.id == *id)?;
    Some((line.id.clone(), line.status, line.steps, line.updated_at))
}

/// A thread was read: show it if it is still wanted.
pub fn opened(model: &mut Model, id: &ThreadId, result: InboxResult<Box<LoadedThread>>) -> Vec<Cmd> {
    let is_requested = match model.threads.selected() {
        Some(line) if model.threads.goto.is_none() => line.id == *id,
        _ => model.threads.goto.as_ref().is_none_or(|goto| goto == id),
    };
    let is_shown = model.threads.review.as_ref().is_some_and(|review| review.view.id == *id);
    if is_shown || is_requested {
        model.threads.shown_stamp = stamp(model, id);
    }
    match result {
        Ok(read) if is_shown => {
            if let Some(review) = &mut model.threads.review {
                review.refresh(*read);
            }
        }
        Ok(read) if is_requested => {
            let zone = model.options.time_zone.clone();
            model.threads.review = Some(Review::new(*read, model.threads.pane, zone));
            review::scroll(model, 0);
        }
        Ok(_) => {}
        Err(failure) => model.fail(failure.text),
    }
    review::read_missing(model)
}
