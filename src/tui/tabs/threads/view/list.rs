//! Draws the list of threads, below a line with the number of threads per status.

use crate::inbox::{Status, ThreadLine};
use crate::text::pad;
use crate::tui::draw;
use crate::tui::layout::ThreadEntry;
use crate::tui::model::Model;
use crate::tui::tabs::rows::{self, PlainRow};
use crate::tui::{layout, words};
use jiff::civil::Date;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

pub fn status_style(model: &Model, status: Status) -> Style {
    match status {
        Status::Ready | Status::Running => model.theme.good,
        Status::Waiting | Status::Held => model.theme.accent,
        Status::Trouble => model.theme.danger,
        Status::Joining | Status::Done | Status::Abandoned => model.theme.quiet,
    }
}

pub fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    let (bar, area) = layout::thread_list(area);
    draw_filters(model, bar, buf);
    let threads = &model.threads;
    if threads.list.rows.is_empty() {
        let (what, next) = match (threads.list.read, threads.search.is_empty(), threads.is_narrowed()) {
            (false, ..) => ("Looking …", ""),
            (true, true, false) => ("No threads yet.", "<new_thread> starts one."),
            (true, ..) => ("No thread matches.", "<clear> shows all again."),
        };
        let suggestion =
            threads.suggestion.as_ref().filter(|_| threads.list.read).map(|near| words::line(near));
        let again = "<search> searches again, <clear> shows all.";
        let next = match suggestion {
            Some(near) => format!("Did you mean “{near}”? {}", model.spell(again)),
            None => model.spell(next),
        };
        return draw::message(&model.theme, area, buf, what, &next);
    }
    let entries = layout::thread_entries(threads, &model.options.time_zone, area);
    let last = entries.iter().rev().find_map(|entry| match entry {
        ThreadEntry::Row(at) | ThreadEntry::Found(at) => Some(at + 1),
        ThreadEntry::Day(_) => None,
    });
    for (y, entry) in (area.y..).zip(entries) {
        let line = Rect { y, height: 1, ..area };
        match entry {
            ThreadEntry::Day(day) => {
                draw::heading(&model.theme, &day_name(model, day), line, buf);
            }
            ThreadEntry::Row(at) => {
                rows::draw_one(
                    model,
                    row(model, &threads.list.rows[at]),
                    0,
                    at == threads.list.cursor,
                    line,
                    buf,
                );
            }
            ThreadEntry::Found(at) => {
                let snippet = words::line(threads.snippet(at).unwrap_or_default());
                draw::text(buf, line, line.x + 4, y, &snippet, model.theme.quiet);
                if at == threads.list.cursor {
                    rows::mark_selected(model, line, buf);
                }
            }
        }
    }
    let unloaded = usize::from(threads.list.next.is_some());
    let shown = threads.list.top..last.unwrap_or(threads.list.top);
    draw::more(&model.theme, shown, threads.list.rows.len() + unloaded, area, buf);
    super::highlight_search(model, area, buf);
}

fn day_name(model: &Model, day: Date) -> String {
    let today = model.local_time().date();
    if day == today {
        "Today".to_owned()
    } else if today.yesterday().is_ok_and(|yesterday| day == yesterday) {
        "Yesterday".to_owned()
    } else if day.year() == today.year() {
        day.strftime("%A, %-d %B").to_string()
    } else {
        day.strftime("%A, %-d %B %Y").to_string()
    }
}

/// By how a thread ended, if it did, else by its status.
fn outcome_style(model: &Model, line: &ThreadLine) -> Style {
    line.end.map_or_else(|| status_style(model, line.status), |end| model.theme.end(end))
}

fn row(model: &Model, line: &ThreadLine) -> PlainRow {
    let mark = match (&line.forked_from, &line.parent) {
        (Some(_), _) => "⑂ ",
        (None, Some(_)) => "└ ",
        (None, None) => "",
    };
    PlainRow {
        lead: pad(&words::line(line.outcome_or_status()), 9),
        style: outcome_style(model, line),
        text: format!("{mark}{}", words::line(&line.title)),
        note: None,
        // The list goes by when threads began, and so does this.
        end: format!("{} {:>3}", words::line(&line.workflow), words::age(line.created_at, model.wall)),
    }
}

/// ` email  work  all 15  waiting 3  done 11`: other filters first, then statuses, the chosen one highlighted.
fn draw_filters(model: &Model, area: Rect, buf: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    let theme = &model.theme;
    let counts = model.overview.as_ref().map(|overview| overview.threads.as_slice()).unwrap_or_default();
    let all: u64 = counts.iter().map(|(_, count)| count).sum();
    let chosen = model.threads.status;
    let style = |is_chosen: bool| if is_chosen { theme.accent } else { theme.quiet };
    let mut x = area.x + 1;
    // They come first, so that a narrow screen does not cut them off.
    for name in [&model.threads.workflow, &model.threads.account].into_iter().flatten() {
        x = draw::text(buf, area, x, area.y, &words::line(name), style(true)) + 2;
    }
    if model.threads.list.read && !model.threads.search.is_empty() {
        let more = if model.threads.has_more() { "+" } else { "" };
        let text = format!("{}{more} found", model.threads.list.rows.len());
        x = draw::text(buf, area, x, area.y, &text, style(true)) + 2;
    }
    x = draw::text(buf, area, x, area.y, &format!("all {all}"), style(chosen.is_none()));
    for (word, count) in counts {
        let is_chosen = chosen.is_some_and(|status| status.word() == word);
        if *count > 0 || is_chosen {
            x = draw::text(buf, area, x + 2, area.y, &format!("{word} {count}"), style(is_chosen));
        }
    }
}
