//! The Threads tab.

use super::tabs::{Plain, rows};
use super::{card, list};
use crate::inbox::{Status, ThreadLine};
use crate::text::pad;
use crate::tui::layout::Areas;
use crate::tui::model::Model;
use crate::tui::words;
use ratatui::buffer::Buffer;
use ratatui::style::Style;

fn status_style(model: &Model, status: Status) -> Style {
    match status {
        Status::Ready | Status::Running => model.theme.good,
        Status::Waiting | Status::Held => model.theme.accent,
        Status::Trouble => model.theme.danger,
        Status::Joining | Status::Done | Status::Abandoned => model.theme.quiet,
    }
}

fn thread_row(model: &Model, line: &ThreadLine) -> Plain {
    Plain {
        lead: pad(line.status.word(), 9),
        style: status_style(model, line.status),
        text: format!("{} · {}", words::line(&line.title), line.workflow),
        end: words::age(line.updated_at, model.wall),
    }
}

pub(super) fn draw(model: &Model, areas: &Areas, buf: &mut Buffer) {
    let browse = &model.threads;
    if browse.rows.is_empty() {
        let (what, next) = match (browse.read, model.threads_search.is_empty()) {
            (false, _) => ("Looking …", ""),
            (true, true) => ("No threads yet.", "c starts one."),
            (true, false) => ("No thread holds these words.", "Esc shows all again."),
        };
        return list::message(model, areas.list, buf, what, next);
    }
    rows(model, browse, areas.list, buf, browse.rows.iter().map(|line| thread_row(model, line)));
    if let Some((_, doc)) = &browse.page {
        card::page(model, doc, browse.page_top, areas, buf);
    }
}
