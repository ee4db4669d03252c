//! Moving through lists and cards.

use super::inbox::{history, skipped};
use super::threads::review::{self, ThreadPane};
use super::{activity, memory, threads};
use crate::tui::actions::Action;
use crate::tui::card::{Doc, Folds, ScrollPosition};
use crate::tui::layout::{self, Areas};
use crate::tui::model::Model;
use crate::tui::msg::Cmd;
use crate::tui::tabs::{self, Focus, Tab};

/// The page next to the list and its scroll position: a card, or what another tab shows.
fn page(model: &mut Model) -> Option<(&Doc, &mut ScrollPosition)> {
    match model.tab {
        Tab::Inbox if model.shows_items() => {
            model.current()?;
            model.inbox.opened.as_mut().map(|opened| (&opened.doc, &mut opened.top))
        }
        Tab::Inbox | Tab::Activity | Tab::Memory => None,
        Tab::Threads => {
            let review = model.threads.review.as_mut()?;
            let is_paged = matches!(review.pane, ThreadPane::Conversation | ThreadPane::Steps);
            is_paged.then_some((&review.doc, &mut review.top))
        }
    }
}

/// The size of that page.
fn page_size(model: &Model) -> (usize, usize) {
    match model.tab {
        Tab::Threads => review::size(model),
        Tab::Inbox | Tab::Activity | Tab::Memory => {
            let Areas { card, .. } = layout::areas(model);
            (usize::from(card.width), usize::from(card.height))
        }
    }
}

/// The sheet next to the list, if the tab has one: how far it can be scrolled, and how far it is.
fn sheet(model: &mut Model) -> Option<(usize, &mut usize)> {
    match model.tab {
        Tab::Activity => Some((activity::activity_length(model), &mut model.activity.page_top)),
        Tab::Memory => Some((memory::memory_length(model), &mut model.memory.page_top)),
        Tab::Inbox | Tab::Threads => None,
    }
}

/// Scrolls the page by lines.
pub fn scroll(model: &mut Model, by: isize) {
    if let Some((last, top)) = sheet(model) {
        *top = top.saturating_add_signed(by).min(last);
        return;
    }
    if model.shows_history() {
        return history::scroll(model, by);
    }
    let (width, height) = page_size(model);
    if let Some((doc, top)) = page(model) {
        *top = match usize::try_from(by) {
            Ok(down) => doc.down(*top, down, width, height),
            Err(_) => doc.up(*top, by.unsigned_abs(), width),
        };
    } else if model.tab == Tab::Threads {
        review::scroll(model, by);
    }
}

/// Moves the selection by rows.
pub fn step(model: &mut Model, by: isize) -> Vec<Cmd> {
    let moved = |cursor: usize, len: usize| cursor.saturating_add_signed(by).min(len.saturating_sub(1));
    if model.shows_running() {
        model.running.cursor = moved(model.running.cursor, model.running.rows.len());
        return activity::read_selected(model);
    }
    if model.shows_skipped() {
        model.inbox.skipped.cursor = moved(model.inbox.skipped.cursor, model.inbox.skipped.rows.len());
        return skipped::more(model);
    }
    if model.shows_history() {
        return history::select(model, model.inbox.history.list.cursor.saturating_add_signed(by));
    }
    match model.tab {
        Tab::Inbox => {
            model.inbox.list.step(by);
            Vec::new()
        }
        Tab::Threads => threads::step(model, by),
        Tab::Memory => {
            model.memory.list.cursor = moved(model.memory.list.cursor, model.memory.list.rows.len());
            tabs::open_selected(model)
        }
        Tab::Activity => activity::step(model, by),
    }
}

pub fn act(model: &mut Model, action: Action) -> Vec<Cmd> {
    match action {
        Action::Down | Action::NextItem => return step(model, 1),
        Action::Up | Action::PreviousItem => return step(model, -1),
        Action::CardDown => scroll(model, 1),
        Action::CardUp => scroll(model, -1),
        Action::PageDown | Action::PageUp | Action::Top | Action::Bottom if model.focus == Focus::Card => {
            leap_in_card(model, action);
        }
        Action::PageDown => return step(model, half_list(model)),
        Action::PageUp => return step(model, -half_list(model)),
        Action::Top => return step(model, isize::MIN / 2),
        Action::Bottom => return step(model, isize::MAX / 2),
        Action::NextPart | Action::PreviousPart => return part(model, action == Action::NextPart),
        Action::Quotes if model.tab == Tab::Threads => return review::fold(model),
        Action::Quotes | Action::Headers => {
            let (width, height) = page_size(model);
            if let Some(opened) = &mut model.inbox.opened {
                let Folds { open, headers } = opened.folds;
                opened.folds = match action {
                    Action::Headers => Folds { open, headers: !headers },
                    _ => Folds { open: !open, headers },
                };
                opened.cut();
                opened.top = opened.top.min(opened.doc.end(width, height));
            }
        }
        Action::Open => {
            model.focus = Focus::Card;
            return tabs::open_selected(model);
        }
        Action::Leave => model.focus = Focus::List,
        _ => {}
    }
    Vec::new()
}

/// Half of what the list shows, in rows.
fn half_list(model: &Model) -> isize {
    let Areas { list, .. } = layout::areas(model);
    isize::from(i16::try_from((list.height / layout::row_height(list) / 2).max(1)).unwrap_or(1))
}

/// Scrolls by a page, or to either end.
fn leap_in_card(model: &mut Model, action: Action) {
    let Areas { card, .. } = layout::areas(model);
    let by = isize::from(i16::try_from(card.height.saturating_sub(2).max(1)).unwrap_or(1));
    let (width, height) = page_size(model);
    match (action, page(model)) {
        (Action::PageDown, _) => scroll(model, by),
        (Action::PageUp, _) => scroll(model, -by),
        (Action::Top, Some((_, top))) => *top = ScrollPosition::default(),
        (Action::Top, None) => scroll(model, isize::MIN / 2),
        // The end is known without laying out everything before it.
        (_, Some((doc, top))) => *top = doc.end(width, height),
        (_, None) => scroll(model, isize::MAX / 2),
    }
}

/// Moves to the next or previous part of what is shown.
fn part(model: &mut Model, forward: bool) -> Vec<Cmd> {
    if review::has_steps(model) {
        return review::part(model, forward);
    }
    match model.tab {
        Tab::Memory => memory::browse(model, forward),
        Tab::Activity => return activity::section(model, forward),
        Tab::Inbox | Tab::Threads => {
            let (width, height) = page_size(model);
            if let Some((doc, top)) = page(model) {
                *top = doc.part(*top, forward, width, height);
            }
        }
    }
    Vec::new()
}

/// Moves to the next or previous match.
pub fn find(model: &mut Model, forward: bool) -> Vec<Cmd> {
    if model.tab == Tab::Threads {
        return threads::find(model, forward);
    }
    match model.inbox.list.next_match(forward, model.wall) {
        Some(position) => model.inbox.list.select(position),
        None => model.say(format!("No match for `{}`", model.inbox.list.search.typed)),
    }
    Vec::new()
}
