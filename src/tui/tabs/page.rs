//! The page next to a list, its scroll position, and the line between them.

use super::pane::END;
use crate::tui::actions::Scope;
use crate::tui::card::{Doc, ScrollPosition};
use crate::tui::draw;
use crate::tui::layout::{self, Areas};
use crate::tui::model::{Focus, Model};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Where a page of this size is after scrolling by lines, or by [`END`] to either end.
pub fn scrolled(
    doc: &Doc,
    top: ScrollPosition,
    by: isize,
    (width, height): (usize, usize),
) -> ScrollPosition {
    if by == END {
        // The end is known without laying out everything before it.
        doc.end(width, height)
    } else if by == -END {
        ScrollPosition::default()
    } else if by > 0 {
        doc.down(top, by.unsigned_abs(), width, height)
    } else {
        doc.up(top, by.unsigned_abs(), width)
    }
}

/// Draws a page, and below it how to see more of it, or that this is its end.
pub fn draw(model: &Model, doc: &Doc, top: ScrollPosition, areas: &Areas, buf: &mut Buffer) {
    let area = areas.card;
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    draw::lines(buf, area, doc.lines(top, width, height, &model.theme));
    let key = if layout::has_card_with_form(model) {
        model.keymap.spell(&[Scope::Form], "<page_down>")
    } else {
        model.keymap.spell(&model.tab_scopes(), "<card_down>")
    };
    let more = doc
        .more_below(top, width, height)
        .then(|| format!("▼ {key} for more · {}%", doc.percent(top, width, height)));
    let is_scrolled = top > ScrollPosition::default();
    if let Some(text) = more.or_else(|| is_scrolled.then(|| "end".to_owned())) {
        draw::right(buf, areas.more, areas.more.y, &text, model.theme.quiet);
    }
}

/// The line between list and card; it is highlighted when the card has the focus.
pub fn divider(model: &Model, areas: &Areas, buf: &mut Buffer) {
    let Rect { x, y, width, height } = areas.rule;
    let style = if model.focus == Focus::Card { model.theme.accent } else { model.theme.rule };
    if width == 1 && height > 1 {
        for y in y..y + height {
            buf.set_string(x, y, "│", style);
        }
    } else if !areas.rule.is_empty() {
        draw::text(buf, areas.rule, x, y, &"─".repeat(usize::from(width)), style);
    }
    // An empty list has nothing to divide, so the line is dimmed.
    if model.shows_items() && model.inbox.list.is_empty() {
        buf.set_style(areas.rule, model.theme.quiet);
    }
}
