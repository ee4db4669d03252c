//! A tour: says what to press next, and goes on once that was done. It presses nothing and decides nothing.

use super::commands::fetch_mail;
use super::draw;
use super::model::{Failure, Filter, Focus, Model, Tab, Tour};
use super::tabs::inbox;
use crate::app::{Delivery, TourGoal};
use crate::text::wrap;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use std::time::{Duration, Instant};

/// What is said while the user looks at something else.
const AWAY: &str = "Look around as long as you like: the tour waits. <clear> goes back to it.";

/// A key this soon after it was too late to undo was meant to undo.
const LATE_KEY: Duration = Duration::from_secs(1);

/// Moves on when a step is done, and begins the next one.
pub fn follow(model: &mut Model) {
    let index = |model: &Model| model.tour.as_ref().map(|tour| tour.index);
    loop {
        let before = index(model);
        look_at_step(model);
        if index(model) == before {
            return;
        }
    }
}

fn look_at_step(model: &mut Model) {
    let Some(tour) = model.tour.clone() else { return };
    let Some(step) = tour.steps.get(tour.index) else { return };
    match &step.goal {
        TourGoal::Decide(words) => decide(model, &tour, words),
        TourGoal::TakeBack { .. } => {
            take_back(model, &tour);
        }
        TourGoal::LookAtSkipped(delivery) => look(model, &tour, delivery),
        TourGoal::End => {}
    }
}

fn begin(model: &mut Model) {
    let key = last_key(model);
    if let Some(tour) = &mut model.tour {
        (tour.has_begun, tour.key_before) = (true, key);
    }
}

fn last_key(model: &Model) -> Option<Instant> {
    model.last_key.map(|(_, at)| at)
}

/// Whether a key was pressed since the step began. It does not count in the middle of `gl`, nor while its menu is open.
fn has_read(model: &Model, tour: &Tour) -> bool {
    model.pending.is_empty() && model.layers.is_empty() && last_key(model) > tour.key_before
}

fn next(model: &mut Model) {
    if let Some(tour) = &mut model.tour {
        (tour.index, tour.has_begun, tour.has_looked) = (tour.index + 1, false, false);
    }
}

/// Leaves out a step that there is nothing to do in any more.
fn skip(model: &mut Model) {
    next(model);
    if let Some(tour) = &mut model.tour {
        tour.item = None;
    }
}

/// Waits until the item is taken back and selected again. If that is too late, the user first reads what became of it.
fn take_back(model: &mut Model, tour: &Tour) {
    if tour.has_begun {
        if !model.is_away() && has_read(model, tour) {
            next(model);
        }
        return;
    }
    let Some(item) = &tour.item else { return skip(model) };
    let is_decided = model.inbox.list.find(item).map(|row| row.is_decided());
    if model.inbox.goto.is_some() {
        return;
    }
    match is_decided {
        Some(true) => {}
        Some(false) => next(model),
        None if model.undo.is_some() => {}
        None => {
            begin(model);
            let read_from = model.now + LATE_KEY;
            if let Some(tour) = &mut model.tour {
                tour.key_before = Some(read_from);
            }
        }
    }
}

/// Selects the item once it is there, and waits until it is decided.
fn decide(model: &mut Model, tour: &Tour, words: &str) {
    if tour.has_begun {
        let row = tour.item.as_ref().and_then(|id| model.inbox.list.find(id));
        if row.is_none_or(|row| row.is_decided()) {
            next(model);
        } else {
            come_back(model, tour);
        }
        return;
    }
    if !model.layers.is_empty() || !model.inbox.is_loaded {
        return;
    }
    let row = model.inbox.list.all().iter().find(|row| row.title.contains(words) && !row.is_decided());
    let Some(id) = row.map(|row| row.id.clone()) else {
        // It was decided before its turn came.
        return skip(model);
    };
    begin(model);
    if let Some(tour) = &mut model.tour {
        tour.item = Some(id.clone());
    }
    inbox::show(model, Filter::All);
    model.inbox.goto = Some(id);
    inbox::select_goto(model);
}

/// Selects the item again when the user comes back from another list.
fn come_back(model: &mut Model, tour: &Tour) {
    let away = model.is_away();
    if let Some(tour) = &mut model.tour {
        tour.has_looked = away;
    }
    if tour.has_looked && !away {
        model.inbox.goto = tour.item.clone();
        inbox::select_goto(model);
    }
}

/// Delivers the mail, and waits until the user has looked at skipped mail and left it.
fn look(model: &mut Model, tour: &Tour, delivery: &Delivery) {
    if !tour.has_begun {
        begin(model);
        return deliver(model, delivery.clone());
    }
    let shows_skipped = model.shows_skipped();
    if let Some(tour) = &mut model.tour {
        tour.has_looked |= shows_skipped;
    }
    if tour.has_looked && !shows_skipped && model.layers.is_empty() {
        next(model);
    }
}

fn deliver(model: &mut Model, delivery: Delivery) {
    let wall = model.wall;
    let deliver = async move |_| {
        let failed = |error| Failure::new(format!("The tour's mail can't be put into the demo: {error}"));
        delivery.deliver(wall).map_err(failed)
    };
    model.read(deliver, |model, ()| fetch_mail(model));
}

pub fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    let Some(tour) = model.tour.as_ref().filter(|_| !area.is_empty()) else { return };
    let theme = &model.theme;
    let title = format!(" Tour {} of {} ", tour.index + 1, tour.steps.len());
    draw::text(buf, area, area.x, area.y, &"─".repeat(usize::from(area.width)), theme.accent);
    draw::text(buf, area, area.x + 2, area.y, &title, theme.accent);
    draw::right(buf, area, area.y, &model.spell(way_out(model)), theme.quiet);
    let room =
        Rect { x: area.x + 2, y: area.y + 1, width: area.width.saturating_sub(4), height: area.height - 1 };
    let text = match model.left_tour_item() {
        Some(_) if model.layers.is_empty() => AWAY,
        _ => tour.text(),
    };
    let text = model.spell(text);
    let lines = wrap(&text, usize::from(room.width).max(1)).map(|line| Line::styled(line, theme.title));
    draw::lines(buf, room, lines);
}

/// What Esc does now.
fn way_out(model: &Model) -> &'static str {
    let in_list = model.tab == Tab::Inbox && model.inbox.list.filter != Filter::All;
    let goes_back = in_list || model.focus == Focus::Card || !model.layers.is_empty();
    if goes_back || model.left_tour_item().is_some() {
        " <clear> goes back "
    } else {
        " <clear> leaves the tour "
    }
}
