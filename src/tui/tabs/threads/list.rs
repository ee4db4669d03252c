//! Which threads are listed: filters, search, and reading them page by page.

use super::review::{self, read_thread};
use crate::inbox::door::Inbox;
use crate::inbox::{Page, Place, Query, Status, ThreadLine, ThreadQuery};
use crate::tui::layers::{Choice, Menu, Prompt};
use crate::tui::model::{Focus, InboxResult, Model, PAGE, Rows, Tab, ThreadsTab};
use crate::tui::{layout, words};

/// Reads the list again: the newest threads, and those on the screen if they are further down.
pub fn read(model: &mut Model) {
    let work = async |inbox: Inbox| inbox.threads().facets().await;
    model.read(work, |model, facets| {
        model.threads.facets = facets;
    });
    read_page(model, None, PAGE);
    let list = &model.threads.list;
    let height = usize::from(layout::areas(model).list.height);
    if list.top + height > PAGE
        && let Some(above) = list.top.checked_sub(1).and_then(|at| list.rows.get(at))
    {
        read_page(model, Some(above.seq), PAGE.max(height));
    }
}

fn read_page(model: &mut Model, after: Option<i64>, limit: usize) {
    let query = model.threads.query(after, limit);
    let asked = query.clone();
    let work = async move |inbox: Inbox| inbox.threads().list(query).await;
    model.start(work, move |model, result| {
        if model.threads.wants(&asked) {
            listed(model, &asked, result);
        }
    });
}

fn listed(model: &mut Model, query: &ThreadQuery, result: InboxResult<Page<ThreadLine>>) {
    let Some(page) = model.ok_or_fail(result) else {
        model.threads.list.reading = false;
        return;
    };
    model.threads.put(query, page);
    if model.tab != Tab::Threads {
        return;
    }
    read_more(model);
    if model.threads.list.rows.is_empty() && model.threads.goto.is_none() {
        (model.threads.review, model.focus) = (None, Focus::List);
    }
    let shown = model.threads.review.as_ref().map(|review| review.view.id.clone());
    match shown {
        // A thread that was opened by itself stays, and so does one that left the list.
        Some(id) => {
            let stamp = review::stamp(model, &id);
            let has_changed = stamp.is_some() && model.threads.shown_stamp != stamp;
            if has_changed || model.running_here.contains_key(&id) {
                read_thread(model, id);
            } else if model.focus == Focus::List && model.threads.goto.is_none() {
                open_selected(model);
            }
        }
        None if model.focus == Focus::List => open_selected(model),
        None => {}
    }
}

/// Reads the next page before the end is reached.
fn read_more(model: &mut Model) {
    let height = usize::from(layout::areas(model).list.height);
    if let Some(next) = model.threads.list.begin_next_page(height) {
        read_page(model, Some(next), PAGE);
    }
}

/// Another row was selected: its thread is shown.
pub fn selected(model: &mut Model) {
    model.threads.goto = None;
    read_more(model);
    open_selected(model);
}

/// Reads the thread of the selected row.
pub fn open_selected(model: &mut Model) {
    let Some(id) = model.threads.selected().map(|line| line.id.clone()) else { return };
    if model.threads.review.as_ref().is_none_or(|review| review.view.id != id) {
        read_thread(model, id);
    }
}

/// Asks what to search for; threads are searched while the user types. Leaving it goes back to what was there before.
pub fn ask_search(model: &mut Model) {
    let (before, focus) = (model.threads.clone(), model.focus);
    let (hint, typed) = (Place::Threads.hint(), model.threads.search.typed.clone());
    let prompt = Prompt::new(("/", &hint, "search"), &typed, |model, prompt| {
        search(model, Query::parse(prompt.text(), Place::Threads, &model.local_time())?);
        Ok(())
    });
    // A search that is not understood yet changes nothing.
    let prompt = prompt.while_typing(|model, typed| {
        if let Ok(query) = Query::parse(typed, Place::Threads, &model.local_time()) {
            search(model, query);
        }
    });
    model.push(prompt.if_cancelled(move |model| {
        // A page that was being read then has been dropped.
        let list = Rows { reading: false, ..before.list.clone() };
        (model.threads, model.focus) = (ThreadsTab { list, ..before.clone() }, focus);
        read(model);
    }));
}

/// Searches, also while the user types.
pub fn search(model: &mut Model, query: Query) {
    if model.threads.search == query {
        return;
    }
    model.threads.search = query;
    model.threads.reset_list();
    // Show the best match, not whatever was selected before.
    (model.threads.keep_selected, model.threads.goto) = (None, None);
    model.focus = Focus::List;
    read(model);
}

/// Moves to the next or previous match.
pub fn find(model: &mut Model, forward: bool) {
    let list = &mut model.threads.list;
    if list.rows.is_empty() {
        model.say("No thread was found");
    } else if forward && list.cursor + 1 == list.rows.len() && list.next.is_none() {
        model.say("This is the last match");
    } else if !forward && list.cursor == 0 {
        model.say("This is the first match");
    } else {
        list.step(if forward { 1 } else { -1 });
        selected(model);
    }
}

/// Clears search and filters; says whether there were any.
pub fn clear(model: &mut Model) -> bool {
    if model.threads.search.is_empty() && !model.threads.is_narrowed() {
        return false;
    }
    model.threads.widen();
    model.threads.reset_list();
    read(model);
    true
}

/// Offers the statuses with their counts, then workflows, servers and accounts. A chosen filter is marked; choosing it
/// again removes it.
pub fn offer_filters(model: &mut Model) {
    let count = |status: Status| model.overview.as_ref().map_or(0, |overview| overview.threads_in(status));
    let mark = |is_chosen: bool| if is_chosen { "● " } else { "  " };
    let threads = &model.threads;
    let all: u64 = Status::ALL.iter().map(|status| count(*status)).sum();
    let mut rows =
        vec![filter(format!("{}{:<10}{all:>6}", mark(!threads.is_narrowed()), "all"), |threads| {
            (threads.status, threads.workflow, threads.account) = (None, None, None);
        })];
    rows.extend(Status::ALL.iter().map(|status| {
        let text =
            format!("{}{:<10}{:>6}", mark(threads.status == Some(*status)), status.word(), count(*status));
        filter(text, |threads| toggle(&mut threads.status, *status))
    }));
    let mut add_rows = |what: &str,
                        names: &[String],
                        field: fn(&mut ThreadsTab) -> &mut Option<String>,
                        chosen: &Option<String>| {
        rows.extend(names.iter().map(|name| {
            let is_chosen = chosen.as_ref() == Some(name);
            let text = format!("{}{what:<10}{}", mark(is_chosen), words::line(name));
            let name = name.clone();
            filter(text, move |threads| toggle(field(threads), name))
        }));
    };
    let facets = &threads.facets;
    add_rows("workflow", &facets.workflows, |threads| &mut threads.workflow, &threads.workflow);
    let servers: Vec<String> = facets.servers.iter().map(|name| format!("{name}/")).collect();
    add_rows("server", &servers, |threads| &mut threads.workflow, &threads.workflow);
    add_rows("account", &facets.accounts, |threads| &mut threads.account, &threads.account);
    let cursor = rows.iter().position(|row| row.text.starts_with(mark(true))).unwrap_or(0);
    let mut menu = Menu::new("Show threads that are", rows);
    menu.list.select(cursor);
    model.push(menu);
}

/// A row that changes what is listed.
fn filter(text: String, change: impl FnOnce(&mut ThreadsTab) + Send + 'static) -> Choice {
    Choice::new(text, |model| {
        change(&mut model.threads);
        model.threads.reset_list();
        read(model);
    })
}

/// Sets a filter, or removes it if it was set.
fn toggle<T: PartialEq>(filter: &mut Option<T>, value: T) {
    *filter = Some(value).filter(|value| filter.as_ref() != Some(value));
}
