//! A plain list, as the tabs beside the inbox have it, and the Threads tab.

use super::{card, draw, list};
use crate::inbox::{Status, ThreadLine};
use crate::text::pad;
use crate::tui::layout::Areas;
use crate::tui::model::{Browse, Focus, Model};
use crate::tui::words;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// A row of a plain list: what stands on its left, in a style, then text, then what stands on its right.
pub(super) struct Plain {
    pub(super) lead: String,
    pub(super) style: Style,
    pub(super) text: String,
    pub(super) end: String,
}

pub(super) fn rows<T>(
    model: &Model,
    browse: &Browse<T>,
    area: Rect,
    buf: &mut Buffer,
    all: impl Iterator<Item = Plain>,
) {
    for (y, (n, plain)) in (area.y..area.bottom()).zip(all.enumerate().skip(browse.top)) {
        let line = Rect { y, height: 1, ..area };
        let Plain { lead, style, text, end } = plain;
        let selected = n == browse.cursor;
        let x = draw::text(buf, line, line.x, y, if selected { "▌ " } else { "  " }, model.theme.accent);
        let ends = draw::right(buf, line, y, &format!(" {end} "), model.theme.quiet);
        let room = Rect { width: ends.saturating_sub(line.x), ..line };
        let x = draw::text(buf, room, x, y, &lead, style);
        draw::text(buf, room, x + 1, y, &text, model.theme.text);
        if selected {
            let here = model.focus == Focus::List && model.layers.is_empty();
            buf.set_style(line, if here { model.theme.selected } else { model.theme.resting });
        }
    }
}

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

pub(super) fn threads(model: &Model, areas: &Areas, buf: &mut Buffer) {
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
