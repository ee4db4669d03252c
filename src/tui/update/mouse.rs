//! The mouse points and scrolls. It never decides.

use crate::tui::layers;
use crate::tui::layout::{self, Entry};
use crate::tui::model::Model;
use crate::tui::msg::{Cmd, Mouse};
use crate::tui::tabs::{self, Focus, Tab, inbox, moves};
use ratatui::layout::Position;

pub(super) fn handle_mouse(model: &mut Model, mouse: Mouse, x: u16, y: u16) -> Vec<Cmd> {
    let areas = layout::areas(model);
    let position = Position { x, y };
    if model.layer().is_some() {
        let by = match mouse {
            Mouse::WheelDown => 3,
            Mouse::WheelUp => -3,
            Mouse::Click => 0,
        };
        layers::scroll(model, by);
        return Vec::new();
    }
    match mouse {
        Mouse::WheelDown if areas.list.contains(position) => moves::step(model, 1),
        Mouse::WheelUp if areas.list.contains(position) => moves::step(model, -1),
        Mouse::WheelDown => {
            moves::scroll(model, 3);
            Vec::new()
        }
        Mouse::WheelUp => {
            moves::scroll(model, -3);
            Vec::new()
        }
        Mouse::Click if areas.header.contains(position) => match crate::tui::view::bars::tab_at(model, x) {
            Some(Tab::Inbox) => inbox::enter(model),
            Some(tab) => tabs::go(model, tab),
            None => Vec::new(),
        },
        Mouse::Click if areas.list.contains(position) => {
            model.focus = Focus::List;
            let line = y - areas.list.y;
            if model.shows_items() {
                let hit = layout::entries(&model.inbox.list, areas.list)
                    .into_iter()
                    .find(|(from, height, _)| (*from..from + height).contains(&line));
                if let Some((_, _, Entry::Row(position))) = hit {
                    model.inbox.list.select(position);
                }
                return Vec::new();
            }
            tabs::click(model, usize::from(line))
        }
        Mouse::Click if areas.card.contains(position) => {
            model.focus = Focus::Card;
            Vec::new()
        }
        Mouse::Click => Vec::new(),
    }
}
