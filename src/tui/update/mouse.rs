//! The mouse points and scrolls. It never decides.

use crate::tui::commands::pane;
use crate::tui::layout;
use crate::tui::model::{Focus, Model, Mouse, Tab};
use crate::tui::tabs::inbox;
use crate::tui::view::bars;
use ratatui::layout::Position;

pub(super) fn handle_mouse(model: &mut Model, mouse: Mouse, x: u16, y: u16) {
    let areas = layout::areas(model);
    let position = Position { x, y };
    let by = match mouse {
        Mouse::WheelDown => 1,
        Mouse::WheelUp => -1,
        Mouse::Click => 0,
    };
    if model.popup().is_some() {
        model.with_popup(|model, mut popup| {
            if mouse != Mouse::Click {
                popup.wheel(model, by);
            }
            Some(popup)
        });
    } else if mouse != Mouse::Click {
        if areas.list.contains(position) {
            pane(model).step(model, by)
        } else {
            pane(model).scroll(model, 3 * by)
        }
    } else if areas.header.contains(position) {
        match bars::tab_at(model, x) {
            Some(Tab::Inbox) => inbox::enter(model),
            Some(tab) => model.go(tab),
            None => {}
        }
    } else if areas.list.contains(position) {
        model.focus = Focus::List;
        pane(model).click(model, y - areas.list.y);
    } else if areas.card.contains(position) {
        model.focus = Focus::Card;
    }
}
