//! Drawing. `view` reads the model, draws it, and returns what a key may now act on; it changes nothing.

pub mod bars;

use super::model::Model;
use super::msg::Seen;
use super::tabs::inbox::{self, history, skipped};
use super::tabs::{Tab, activity, memory, page, threads};
use super::{layout, tour};
use ratatui::Frame;

pub fn view(model: &Model, frame: &mut Frame<'_>) -> Seen {
    let mut seen = Seen::default();
    // The terminal has a new size, and the message about it is still on its way.
    if (frame.area().width, frame.area().height) != model.size {
        return seen;
    }
    let areas = layout::areas(model);
    bars::header(model, areas.header, frame.buffer_mut());
    match model.tab {
        Tab::Inbox if model.shows_items() => {
            (seen.card, seen.end) = inbox::draw(model, &areas, frame.buffer_mut());
        }
        Tab::Inbox if model.shows_skipped() => skipped::draw(model, &areas, frame.buffer_mut()),
        Tab::Inbox if model.shows_history() => history::draw(model, &areas, frame.buffer_mut()),
        Tab::Inbox => activity::draw_running(model, &areas, frame.buffer_mut()),
        Tab::Activity => activity::draw(model, &areas, frame.buffer_mut()),
        Tab::Threads => threads::draw(model, &areas, frame.buffer_mut()),
        Tab::Memory => memory::draw(model, &areas, frame.buffer_mut()),
    }
    page::divider(model, &areas, frame.buffer_mut());
    tour::draw(model, areas.tour, frame.buffer_mut());
    bars::note(model, areas.note, frame.buffer_mut());
    bars::footer(model, areas.footer, frame.buffer_mut());
    for (number, layer) in &model.layers {
        seen.card = None;
        seen.layer = layer.draw(model, frame).then_some(*number);
    }
    model.theme.paint(frame.buffer_mut());
    seen
}
