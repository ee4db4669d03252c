//! What keys do while a layer is up, and the menus.

use super::{Ask, Choice, Layer, Menu, Then, ending, form, palette};
use crate::graph::InterruptId;
use crate::tui::keys::{Action, Key};
use crate::tui::model::Model;
use crate::tui::msg::{Cmd, Press};
use crate::tui::safe;
use crate::tui::tabs::inbox::query::Query;
use crate::tui::tabs::inbox::{Group, Sort, bulk, decide, grants, mail, skipped};
use crate::tui::tabs::threads::{self, review};
use crate::tui::tabs::{Tab, activity, memory};
use jiff::ToSpan;
use jiff::civil::Weekday;

/// A key that means nothing in the layer is text, where text is written.
pub fn typed(model: &mut Model, key: Key) -> Vec<Cmd> {
    let took = match model.layers.last_mut() {
        Some((_, Layer::Form(form))) => form.key(key),
        Some((_, Layer::Prompt(prompt))) => {
            let took = prompt.editor.key(key);
            prompt.cursor = if took { 0 } else { prompt.cursor };
            took
        }
        _ => false,
    };
    if !took {
        return Vec::new();
    }
    let mut cmds = form::touched(model);
    cmds.extend(typing(model));
    cmds
}

/// What is looked for as it is typed.
pub fn typing(model: &mut Model) -> Vec<Cmd> {
    match model.layer() {
        Some(Layer::Prompt(prompt)) if prompt.ask == Ask::Search && model.tab == Tab::Threads => {
            let words = prompt.editor.text().trim().to_owned();
            threads::search(model, &words)
        }
        _ => Vec::new(),
    }
}

pub fn act(model: &mut Model, action: Action, press: Press) -> Vec<Cmd> {
    match model.layer() {
        None => Vec::new(),
        Some(Layer::Form(_)) => form::act(model, action, press),
        Some(Layer::Confirm(_)) => confirm(model, action, press),
        Some(Layer::Bulk(_)) => bulk_list(model, action, press),
        Some(Layer::Menu(_)) => menu(model, action),
        Some(Layer::Prompt(_)) => prompt(model, action),
        Some(Layer::Page(_)) => page(model, action),
        Some(Layer::Help(_)) => help(model, action),
        Some(Layer::Ending(_)) => ending::ending(model, action, press),
    }
}

fn confirm(model: &mut Model, action: Action, press: Press) -> Vec<Cmd> {
    let width = super::view::confirm_width(model);
    let Some((_, Layer::Confirm(confirm))) = model.layers.last_mut() else { return Vec::new() };
    match action {
        Action::Down => confirm.top = confirm.page.down(confirm.top, 1, width.0, width.1),
        Action::Up => confirm.top = confirm.page.up(confirm.top, 1, width.0),
        Action::No => {
            model.layers.pop();
        }
        Action::Yes => {
            if !safe::confirms(model, press) {
                model.say("keys came too fast to be meant; nothing was decided");
                return Vec::new();
            }
            let Some((_, Layer::Confirm(confirm))) = model.layers.pop() else { return Vec::new() };
            // The form below a review is done as well.
            let mut cmds = match model.layer() {
                Some(Layer::Form(_)) => form::leave(model),
                _ => Vec::new(),
            };
            cmds.extend(match confirm.then {
                Then::Decide(deed, ready) => decide::send(model, deed, ready),
                Then::Stop(thread) => vec![Cmd::Stop(thread)],
                Then::Grant(ready, request) => {
                    model.deciding.insert(ready.id.to_string());
                    vec![Cmd::Grant(ready, request)]
                }
                Then::Restore(grant) => vec![Cmd::Restore(grant)],
                Then::Reclassify(thread, class) => vec![Cmd::Reclassify(thread, class)],
                Then::Revert(namespace, version) => vec![Cmd::Revert(namespace, version)],
                Then::Fork(thread, step) => vec![Cmd::Fork(thread, step)],
                Then::Prune(query) => activity::prune(model, query),
            });
            return cmds;
        }
        _ => {}
    }
    Vec::new()
}

fn bulk_list(model: &mut Model, action: Action, press: Press) -> Vec<Cmd> {
    let Some((_, Layer::Bulk(list))) = model.layers.last_mut() else { return Vec::new() };
    match action {
        Action::Down => list.cursor = (list.cursor + 1).min(list.rows.len().saturating_sub(1)),
        Action::Up => list.cursor = list.cursor.saturating_sub(1),
        Action::Drop if list.cursor < list.rows.len() => {
            list.rows.remove(list.cursor);
            list.cursor = list.cursor.min(list.rows.len().saturating_sub(1));
            if list.rows.is_empty() {
                model.layers.pop();
                model.say("nothing is left to decide");
            }
        }
        Action::No => {
            model.layers.pop();
        }
        Action::Yes => {
            if !safe::confirms(model, press) {
                model.say("keys came too fast to be meant; nothing was decided");
                return Vec::new();
            }
            if let Some((_, Layer::Bulk(list))) = model.layers.pop() {
                return bulk::carry_out(model, list);
            }
        }
        _ => {}
    }
    Vec::new()
}

fn help(model: &mut Model, action: Action) -> Vec<Cmd> {
    let last = super::view::help_length(model);
    let Some((_, Layer::Help(top))) = model.layers.last_mut() else { return Vec::new() };
    match action {
        Action::Down => *top = (*top + 1).min(last),
        Action::Up => *top = top.saturating_sub(1),
        Action::PageDown => *top = (*top + 10).min(last),
        Action::PageUp => *top = top.saturating_sub(10),
        Action::Top => *top = 0,
        Action::Bottom => *top = last,
        Action::Cancel | Action::Choose => {
            model.layers.pop();
        }
        _ => {}
    }
    Vec::new()
}

fn page(model: &mut Model, action: Action) -> Vec<Cmd> {
    let (width, height) = super::view::page_size(model);
    let Some((_, Layer::Page(page))) = model.layers.last_mut() else { return Vec::new() };
    let half = (height / 2).max(1);
    page.top = match action {
        Action::Down => page.doc.down(page.top, 1, width, height),
        Action::Up => page.doc.up(page.top, 1, width),
        Action::PageDown => page.doc.down(page.top, half, width, height),
        Action::PageUp => page.doc.up(page.top, half, width),
        Action::Top => Default::default(),
        Action::Bottom => page.doc.end(width, height),
        Action::Cancel | Action::Choose => {
            model.layers.pop();
            return Vec::new();
        }
        _ => page.top,
    };
    Vec::new()
}

fn menu(model: &mut Model, action: Action) -> Vec<Cmd> {
    let Some((_, Layer::Menu(menu))) = model.layers.last_mut() else { return Vec::new() };
    let last = menu.rows.len().saturating_sub(1);
    match action {
        Action::Down => menu.cursor = (menu.cursor + 1).min(last),
        Action::Up => menu.cursor = menu.cursor.saturating_sub(1),
        Action::Top => menu.cursor = 0,
        Action::Bottom => menu.cursor = last,
        Action::Cancel => {
            model.layers.pop();
        }
        Action::Copy => {
            if let Some((_, Choice::Copy(text))) = menu.rows.get(menu.cursor) {
                return vec![Cmd::Copy(text.clone())];
            }
        }
        Action::Choose => {
            let choice = menu.rows.get(menu.cursor).map(|(_, choice)| choice.clone());
            model.layers.pop();
            if let Some(choice) = choice {
                return chosen(model, choice);
            }
        }
        _ => {}
    }
    Vec::new()
}

fn chosen(model: &mut Model, choice: Choice) -> Vec<Cmd> {
    match choice {
        Choice::Sort(sort) => {
            model.list.sort = sort;
            model.list.arrange(model.wall);
        }
        Choice::Group(group) => {
            model.list.group = group;
            model.list.arrange(model.wall);
        }
        Choice::Copy(text) => return vec![Cmd::Copy(text)],
        Choice::Grant(scope, lasts) => return grants::confirm(model, scope, lasts),
        Choice::Reclassify(thread, title, class) => {
            return skipped::confirm(model, thread, &title, class);
        }
        Choice::Pin(namespace, line, pinned) => return vec![Cmd::Pin(namespace, line, pinned)],
        Choice::Revert(to) => return memory::confirm_revert(model, to.0, &to.1),
        Choice::Prune(days) => return activity::plan_prune(model, days),
        Choice::Start(workflow) => return form::start(model, &workflow),
        Choice::Status(_) | Choice::Workflow(_) | Choice::Account(_) => {
            return threads::filter(model, choice);
        }
        Choice::Settle(outcome) => return review::ask_settle(model, outcome),
        Choice::Snooze(until) => {
            let marked = model.list.marked();
            let rows = if marked.is_empty() { model.selected().into_iter().collect() } else { marked };
            let ids: Vec<InterruptId> =
                rows.iter().filter_map(|row| InterruptId::parse(&row.id).ok()).collect();
            if !ids.is_empty() {
                return vec![Cmd::Snooze(ids, until)];
            }
        }
    }
    Vec::new()
}

pub fn sort(model: &mut Model) -> Vec<Cmd> {
    let (sort, group) = (model.list.sort, model.list.group);
    let mark = |is: bool| if is { "● " } else { "  " };
    let rows = [
        ("oldest first", Choice::Sort(Sort::Oldest), sort == Sort::Oldest),
        ("newest first", Choice::Sort(Sort::Newest), sort == Sort::Newest),
        ("most urgent first", Choice::Sort(Sort::Urgent), sort == Sort::Urgent),
        ("no groups", Choice::Group(Group::None), group == Group::None),
        ("in groups by sender", Choice::Group(Group::Sender), group == Group::Sender),
        ("in groups by workflow", Choice::Group(Group::Workflow), group == Group::Workflow),
    ];
    let rows = rows.into_iter().map(|(text, choice, is)| (format!("{}{text}", mark(is)), choice)).collect();
    model.push(Layer::Menu(Menu { title: "Sort and group".to_owned(), rows, cursor: 0 }));
    Vec::new()
}

pub fn snooze(model: &mut Model) -> Vec<Cmd> {
    let now = model.wall.to_zoned(model.options.time_zone.clone());
    let at = |day: &jiff::Zoned, hour: i8| {
        day.with()
            .hour(hour)
            .minute(0)
            .second(0)
            .subsec_nanosecond(0)
            .build()
            .ok()
            .map(|zoned| zoned.timestamp())
    };
    let after = |span: jiff::Span| now.checked_add(span).ok();
    let times = [
        ("for an hour", after(1.hour()).map(|zoned| zoned.timestamp())),
        ("for four hours", after(4.hours()).map(|zoned| zoned.timestamp())),
        ("this evening", at(&now, 18)),
        ("tomorrow", after(1.day()).and_then(|day| at(&day, 9))),
        ("next Monday", now.nth_weekday(1, Weekday::Monday).ok().and_then(|day| at(&day, 9))),
        ("for a week", after(1.week()).and_then(|day| at(&day, 9))),
    ];
    let mut times: Vec<(&str, jiff::Timestamp)> = times
        .into_iter()
        .filter_map(|(text, until)| Some((text, until.filter(|until| *until > model.wall)?)))
        .collect();
    times.sort_by_key(|(_, until)| *until);
    times.dedup_by_key(|(_, until)| *until);
    let row = |(text, until): (&str, jiff::Timestamp)| {
        let shown = until.to_zoned(model.options.time_zone.clone()).strftime("%a %-d %b %H:%M");
        (format!("{text:<16} {shown}"), Choice::Snooze(Some(until)))
    };
    let mut rows: Vec<(String, Choice)> = times.into_iter().map(row).collect();
    if model.selected().is_some_and(|row| row.snoozed_until.is_some_and(|until| until > model.wall)) {
        rows.insert(0, ("wake it now".to_owned(), Choice::Snooze(None)));
    }
    model.push(Layer::Menu(Menu { title: "Snooze".to_owned(), rows, cursor: 0 }));
    Vec::new()
}

pub fn choose_workflow(model: &mut Model) -> Vec<Cmd> {
    if let [only] = model.workflows.as_slice() {
        let name = only.name.clone();
        return form::start(model, &name);
    }
    let widest = model.workflows.iter().map(|known| known.name.len()).max().unwrap_or(0);
    let rows = model
        .workflows
        .iter()
        .map(|known| (format!("{:widest$}  {}", known.name, known.about), Choice::Start(known.name.clone())));
    let rows = rows.collect();
    model.push(Layer::Menu(Menu { title: "New thread".to_owned(), rows, cursor: 0 }));
    Vec::new()
}

fn prompt(model: &mut Model, action: Action) -> Vec<Cmd> {
    let rows = palette::suggestions(model).len();
    let Some((_, Layer::Prompt(prompt))) = model.layers.last_mut() else { return Vec::new() };
    match action {
        Action::Down => prompt.cursor = (prompt.cursor + 1).min(rows.saturating_sub(1)),
        Action::Up => prompt.cursor = prompt.cursor.saturating_sub(1),
        Action::Cancel => {
            let searches = prompt.ask == Ask::Search;
            model.layers.pop();
            if searches && model.tab == Tab::Threads {
                return threads::end_search(model, false);
            }
        }
        Action::Choose => {
            let (ask, text) = (prompt.ask, prompt.editor.text().to_owned());
            return match ask {
                Ask::Palette => palette::chosen(model),
                Ask::Search if model.tab == Tab::Threads => {
                    model.layers.pop();
                    let mut cmds = threads::search(model, text.trim());
                    cmds.extend(threads::end_search(model, true));
                    cmds
                }
                Ask::Pipe => mail::pipe(model, &text),
                Ask::Line => memory::add_line(model, &text),
                Ask::Export => review::export(model, &text),
                Ask::Search | Ask::Narrow => ask_list(model, ask, &text),
            };
        }
        _ => {}
    }
    Vec::new()
}

fn ask_list(model: &mut Model, ask: Ask, text: &str) -> Vec<Cmd> {
    match Query::parse(text) {
        Err(why) => model.say(why),
        Ok(query) => {
            model.layers.pop();
            if ask == Ask::Narrow {
                model.list.narrow = query;
                model.list.arrange(model.wall);
                if model.list.selected().is_none() {
                    model.list.select(0);
                }
            } else {
                model.list.search = query;
                if !model.list.search.is_empty() {
                    return crate::tui::tabs::moves::find(model, true);
                }
            }
        }
    }
    Vec::new()
}
