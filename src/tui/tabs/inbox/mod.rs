//! The Inbox tab: the items that wait for the user, their cards, and the decisions taken there.

mod answer;
pub mod away;
mod bulk;
pub mod compose;
pub mod decide;
mod filter;
pub mod follow;
mod grant;
pub mod history;
mod keys;
mod lately;
mod mail;
mod marks;
mod menus;
pub mod news;
pub mod send;
pub mod skipped;
pub mod stop;
pub mod take_over;
pub mod undo;
mod update;
mod view;

pub use bulk::why_marks_apart;
pub use keys::{Items, does};
pub use update::*;

use crate::tui::model::{Filter, Focus, Model, Tab};

/// Goes to the inbox's items, leaving lists of anything else.
pub fn enter(model: &mut Model) {
    if model.inbox.list.filter.lists_items() { model.go(Tab::Inbox) } else { show(model, Filter::All) }
}

/// Shows other rows of the inbox, starting at the first.
pub fn show(model: &mut Model, filter: Filter) {
    model.go(Tab::Inbox);
    model.inbox.list.show(filter, model.wall);
    model.focus = Focus::List;
    model.inbox.list.clear_marks();
    model.inbox.list.select(0);
}
