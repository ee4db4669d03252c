//! The Memory tab.

use super::tabs::{Plain, rows};
use super::{card, list};
use crate::inbox::MemoryLine;
use crate::tui::layout::Areas;
use crate::tui::model::Model;
use crate::tui::words;
use ratatui::buffer::Buffer;

pub(super) fn draw(model: &Model, areas: &Areas, buf: &mut Buffer) {
    let browse = &model.memory;
    if browse.rows.is_empty() {
        let what = if browse.read { "Nothing is learned yet." } else { "Looking …" };
        let next =
            if browse.read { "Agents learn from your answers; what they learn is shown here." } else { "" };
        return list::message(model, areas.list, buf, what, next);
    }
    let profile = |line: &MemoryLine| Plain {
        lead: words::line(&line.namespace),
        style: model.theme.text,
        text: String::new(),
        end: format!("v{} {}", line.version, words::age(line.updated_at, model.wall)),
    };
    rows(model, browse, areas.list, buf, browse.rows.iter().map(profile));
    if let Some((_, doc)) = &browse.page {
        card::page(model, doc, browse.page_top, areas, buf);
    }
}
