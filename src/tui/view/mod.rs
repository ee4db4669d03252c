//! Drawing. `view` reads the model, draws it, and returns what a key may now act on; it changes nothing.

pub mod bars;
mod note;

use super::commands::pane;
use super::model::{Model, Seen};
use super::tabs::page;
use super::{layout, tour};
use ratatui::terminal::Frame;

pub fn view(model: &Model, frame: &mut Frame<'_>) -> Seen {
    // The terminal has a new size, and the message about it is still on its way.
    if (frame.area().width, frame.area().height) != model.size {
        return Seen::default();
    }
    let areas = layout::areas(model);
    bars::header(model, areas.header, frame.buffer_mut());
    let mut seen = pane(model).draw(model, &areas, frame.buffer_mut());
    page::divider(model, &areas, frame.buffer_mut());
    tour::draw(model, areas.tour, frame.buffer_mut());
    note::draw(model, areas.note, frame.buffer_mut());
    bars::footer(model, areas.footer, frame.buffer_mut());
    for layer in &model.layers {
        seen.card = None;
        seen.layer = layer.popup.draw(model, frame).then_some(layer.number);
    }
    model.theme.paint(frame.buffer_mut());
    seen
}
