//! The list of threads, under a line with how many there are of each status.

use crate::inbox::{Status, ThreadLine};
use crate::text::pad;
use crate::tui::draw::{self, PlainRow, rows};
use crate::tui::model::Model;
use crate::tui::tabs::Browse;
use crate::tui::{layout, words};
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
    filters(model, bar, buf);
    let threads = &model.threads;
    if threads.rows.is_empty() {
        let (what, next) = match (threads.read, threads.search.is_empty(), threads.is_narrowed()) {
            (false, ..) => ("Looking …", ""),
            (true, false, _) => ("No thread holds these words.", "Esc shows all again."),
            (true, true, true) => ("No thread is like that.", "Esc shows all again."),
            (true, true, false) => ("No threads yet.", "c starts one."),
        };
        return draw::message(model, area, buf, what, next);
    }
    let here = Browse::<ThreadLine> { cursor: threads.cursor, top: threads.top, ..Browse::default() };
    rows(model, &here, area, buf, threads.rows.iter().map(|line| row(model, line)));
    super::found(model, area, buf);
}

fn row(model: &Model, line: &ThreadLine) -> PlainRow {
    let mark = match (&line.forked_from, &line.parent) {
        (Some(_), _) => "⑂ ",
        (None, Some(_)) => "└ ",
        (None, None) => "",
    };
    PlainRow {
        lead: pad(line.status.word(), 9),
        style: status_style(model, line.status),
        text: format!("{mark}{}", words::line(&line.title)),
        end: format!("{} {:>3}", words::line(&line.workflow), words::age(line.updated_at, model.wall)),
    }
}

/// ` email  work  all 15  waiting 3  done 11`: what else is listed alone, then the statuses there are, the chosen one lit.
fn filters(model: &Model, area: Rect, buf: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    let theme = &model.theme;
    let counts = model.overview.as_ref().map(|overview| overview.threads.as_slice()).unwrap_or_default();
    let all: u64 = counts.iter().map(|(_, count)| count).sum();
    let chosen = model.threads.status;
    let style = |is: bool| if is { theme.accent } else { theme.quiet };
    let mut x = area.x + 1;
    // First, so that a narrow screen does not cut it off.
    for name in [&model.threads.workflow, &model.threads.account].into_iter().flatten() {
        x = draw::text(buf, area, x, area.y, &words::line(name), style(true)) + 2;
    }
    x = draw::text(buf, area, x, area.y, &format!("all {all}"), style(chosen.is_none()));
    for (word, count) in counts {
        let is = chosen.is_some_and(|status| status.word() == word);
        if *count > 0 || is {
            x = draw::text(buf, area, x + 2, area.y, &format!("{word} {count}"), style(is));
        }
    }
}
