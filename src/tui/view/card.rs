//! The card, the line beside it, and how far down it is.

use super::{draw, list};
use crate::tui::card::{Doc, ScrollPosition};
use crate::tui::layout::Areas;
use crate::tui::model::{Focus, Model};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Draws the selected item's card; says whose it is, and whether the end of what it proposes is in sight.
pub(super) fn draw(model: &Model, areas: &Areas, buf: &mut Buffer) -> (Option<String>, bool) {
    let area = areas.card;
    if area.is_empty() || model.list.is_empty() {
        return (None, false);
    }
    let Some(opened) = model.current() else {
        if model.list.has_lost() {
            list::message(
                model,
                area,
                buf,
                "This one is gone.",
                "It was decided elsewhere, or its thread moved on. j or k goes on.",
            );
        }
        return (None, false);
    };
    page(model, &opened.doc, opened.top, areas, buf);
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    // A card of which no whole line fits has not been seen.
    if width < 8 {
        return (None, false);
    }
    (Some(opened.item.id.clone()), opened.doc.end_in_sight(opened.top, width, height))
}

/// Draws a page and how far down it is.
pub(super) fn page(model: &Model, doc: &Doc, top: ScrollPosition, areas: &Areas, buf: &mut Buffer) {
    let area = areas.card;
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    draw::lines(buf, area, doc.lines(top, width, height, &model.theme));
    if areas.more.is_empty() {
        return;
    }
    let key = if model.focus == Focus::Card { "j" } else { "J" };
    if doc.more_below(top, width, height) {
        let text = format!("▼ {key} for more · {}%", doc.percent(top, width, height));
        draw::right(buf, areas.more, areas.more.y, &text, model.theme.quiet);
    } else if top > ScrollPosition::default() {
        draw::right(buf, areas.more, areas.more.y, "end", model.theme.quiet);
    }
}

/// The line between list and card; it is lit where the card has the keys.
pub(super) fn rule(model: &Model, areas: &Areas, buf: &mut Buffer) {
    let Rect { x, y, width, height } = areas.rule;
    let style = if model.focus == Focus::Card { model.theme.accent } else { model.theme.rule };
    if width == 1 && height > 1 {
        for y in y..y + height {
            buf.set_string(x, y, "│", style);
        }
    } else if !areas.rule.is_empty() {
        draw::text(buf, areas.rule, x, y, &"─".repeat(usize::from(width)), style);
    }
    // Beside nothing there is nothing to part.
    if model.shows_items() && model.list.is_empty() {
        buf.set_style(areas.rule, model.theme.quiet);
    }
}
