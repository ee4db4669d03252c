//! The kinds of pop-ups that anybody may open: menus, questions, lines of text, pages and forms. Whoever opens one says
//! what happens when it is answered.

mod confirm;
pub mod form;
mod menu;
mod page;
mod prompt;

pub use confirm::Confirm;
pub use form::Form;
pub use menu::{Choice, Menu};
pub use page::Page;
pub use prompt::{Prompt, draw_line};

use crate::tui::actions::Action;
use crate::tui::card::{Doc, ScrollPosition};
use crate::tui::model::Model;
use crate::tui::{draw, layout};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Where pop-ups are drawn. The footer stays visible because it shows the keys, and so does the tour's text.
pub fn screen(model: &Model) -> Rect {
    let areas = layout::areas(model);
    let height = match areas.tour.height {
        0 => model.size.1.saturating_sub(areas.footer.height),
        _ => areas.tour.y,
    };
    Rect { x: 0, y: 0, width: model.size.0, height }
}

/// How far the paging keys go in a pop-up, in lines or rows.
pub fn half_page(model: &Model) -> isize {
    isize::from(i16::try_from((screen(model).height / 2).max(1)).unwrap_or(1))
}

/// Where a page in a pop-up is after an action that may move it.
fn moved(doc: &Doc, top: ScrollPosition, action: Action, (width, height): (usize, usize)) -> ScrollPosition {
    let half = (height / 2).max(1);
    match action {
        Action::Down => doc.down(top, 1, width, height),
        Action::Up => doc.up(top, 1, width),
        Action::PageDown => doc.down(top, half, width, height),
        Action::PageUp => doc.up(top, half, width),
        Action::Top => ScrollPosition::default(),
        Action::Bottom => doc.end(width, height),
        _ => top,
    }
}

/// Where a page in a pop-up is after the mouse wheel was turned.
fn wheeled(doc: &Doc, top: ScrollPosition, by: isize, (width, height): (usize, usize)) -> ScrollPosition {
    if by > 0 { doc.down(top, 3, width, height) } else { doc.up(top, 3, width) }
}

pub fn cells(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

/// Draws keys on the last line of a box.
pub fn draw_keys(model: &Model, buf: &mut Buffer, inner: Rect, keys: &[(Action, &str)]) {
    if inner.height == 0 {
        return;
    }
    let (mut x, y) = (inner.x, inner.bottom() - 1);
    for (action, text) in keys {
        let Some(key) = model.keymap.key_of(&model.scopes(), *action) else { continue };
        x = draw::text(buf, inner, x, y, &key, model.theme.accent);
        x = draw::text(buf, inner, x + 1, y, text, model.theme.text) + 3;
    }
}
