//! Drawing. `view` reads the model, draws it, and says what of it a key may now act on; it changes nothing.

mod activity;
mod bars;
mod boxes;
mod card;
mod charts;
mod draw;
mod form;
mod list;
mod memory;
mod sheet;
mod skipped;
mod tabs;
mod threads;

pub use activity::activity_length;
pub use bars::tab_at;
pub use boxes::{confirm_width, help_length, page_size};
pub use memory::memory_length;

use super::layout;
use super::model::{Model, Tab};
use super::msg::Seen;
use ratatui::Frame;

/// Draws everything.
pub fn view(model: &Model, frame: &mut Frame<'_>) -> Seen {
    let mut seen = Seen::default();
    // The terminal has changed its size, and the message that says so is on its way.
    if (frame.area().width, frame.area().height) != model.size {
        return seen;
    }
    let areas = layout::areas(model);
    bars::header(model, areas.header, frame.buffer_mut());
    match model.tab {
        Tab::Inbox if model.shows_items() => {
            list::draw(model, areas.list, frame.buffer_mut());
            (seen.card, seen.end) = card::draw(model, &areas, frame.buffer_mut());
        }
        Tab::Inbox if model.shows_skipped() => skipped::draw(model, &areas, frame.buffer_mut()),
        Tab::Inbox => activity::running(model, &areas, frame.buffer_mut()),
        Tab::Activity => activity::draw(model, &areas, frame.buffer_mut()),
        Tab::Threads => threads::draw(model, &areas, frame.buffer_mut()),
        Tab::Memory => memory::draw(model, &areas, frame.buffer_mut()),
    }
    card::rule(model, &areas, frame.buffer_mut());
    bars::note(model, areas.note, frame.buffer_mut());
    bars::footer(model, areas.footer, frame.buffer_mut());
    for (number, layer) in &model.layers {
        seen.card = None;
        seen.layer = boxes::draw(model, layer, frame).then_some(*number);
    }
    seen
}
