//! The tabs beside the inbox.

use super::bars::spinner;
use super::{card, draw, list};
use crate::inbox::{Block, Status, ThreadLine};
use crate::text::{Visible, pad};
use crate::tui::card::Doc;
use crate::tui::layout::Areas;
use crate::tui::model::{Browse, Focus, Model, Tab};
use crate::tui::words;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// A row of a plain list: what stands on its left, in a style, then text, then what stands on its right.
struct Plain {
    lead: String,
    style: Style,
    text: String,
    end: String,
}

fn rows<T>(model: &Model, browse: &Browse<T>, area: Rect, buf: &mut Buffer, row: impl Fn(&T) -> Plain) {
    for (y, (n, of)) in (area.y..area.bottom()).zip(browse.rows.iter().enumerate().skip(browse.top)) {
        let line = Rect { y, height: 1, ..area };
        let Plain { lead, style, text, end } = row(of);
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
    rows(model, browse, areas.list, buf, |line| thread_row(model, line));
    if let Some((_, doc)) = &browse.page {
        card::page(model, doc, browse.page_top, areas, buf);
    }
}

pub(super) fn memory(model: &Model, areas: &Areas, buf: &mut Buffer) {
    let browse = &model.memory;
    if browse.rows.is_empty() {
        let what = if browse.read { "Nothing is learned yet." } else { "Looking …" };
        let next =
            if browse.read { "Agents learn from your answers; what they learn is shown here." } else { "" };
        return list::message(model, areas.list, buf, what, next);
    }
    rows(model, browse, areas.list, buf, |line| Plain {
        lead: words::line(&line.namespace),
        style: model.theme.text,
        text: String::new(),
        end: format!("v{} {}", line.version, words::age(line.updated_at, model.wall)),
    });
    if let Some((_, doc)) = &browse.page {
        card::page(model, doc, browse.page_top, areas, buf);
    }
}

/// What is running, and what the selected thread says as it says it.
pub(super) fn running(model: &Model, areas: &Areas, buf: &mut Buffer) {
    let browse = &model.running;
    if browse.rows.is_empty() {
        let next = "c starts a thread · 2 shows past ones";
        list::message(model, areas.list, buf, "Nothing is running.", next);
    } else {
        rows(model, browse, areas.list, buf, |line| {
            let node = model.working.get(&line.id).map_or("", |working| working.node.as_str());
            let turns = if line.status == Status::Running { spinner(model) } else { "·" };
            Plain {
                lead: turns.to_owned(),
                style: model.theme.good,
                text: format!("{} · {} {node}", words::line(&line.title), line.workflow),
                end: words::age(line.updated_at, model.wall),
            }
        });
    }
    if areas.card.is_empty() {
        return;
    }
    let doc = match (browse.selected(), model.tab) {
        (Some(line), _) => stream(model, line),
        (None, Tab::Activity) => overview(model),
        (None, _) => return,
    };
    let (width, height) = (usize::from(areas.card.width), usize::from(areas.card.height));
    // The newest is what one wants to see.
    let top = doc.end(width, height);
    draw::lines(buf, areas.card, doc.lines(top, width, height, &model.theme));
}

fn stream(model: &Model, line: &ThreadLine) -> Doc {
    let mut blocks = Vec::new();
    let meta = format!(
        "{} · {} · {} · {}",
        line.workflow,
        line.status,
        line.id,
        words::count(line.steps as usize, "step")
    );
    match model.working.get(&line.id) {
        Some(working) => {
            let mut fields = vec![(Visible::line("node"), Visible::line(&working.node))];
            if let Some((what, done, total)) = &working.bar {
                fields.push((Visible::line(what), Visible::line(&bar(*done, *total))));
            }
            blocks.push(Block::Fields(fields));
            blocks.push(Block::Text(Visible::new(&working.text)));
        }
        None => {
            blocks.push(Block::Text(Visible::new("Another process drives it, or it waits for its turn.")))
        }
    }
    Doc::page(&line.title, &meta, blocks)
}

/// `████░░░░ 4 of 8`.
fn bar(done: u64, total: u64) -> String {
    let full = usize::try_from(done.min(total) * 20 / total.max(1)).unwrap_or(0);
    format!("{}{} {done} of {total}", "█".repeat(full), "░".repeat(20 - full.min(20)))
}

fn overview(model: &Model) -> Doc {
    let Some(overview) = &model.overview else { return Doc::page("", "", Vec::new()) };
    let fields = |rows: &[(String, u64)]| {
        rows.iter().map(|(word, count)| (Visible::line(word), Visible::line(&count.to_string()))).collect()
    };
    let blocks = vec![
        Block::Heading(Visible::line("Waiting for you")),
        Block::Fields(fields(&overview.open)),
        Block::Heading(Visible::line("Threads")),
        Block::Fields(fields(&overview.threads)),
    ];
    Doc::page("Everything in numbers", "", blocks)
}
