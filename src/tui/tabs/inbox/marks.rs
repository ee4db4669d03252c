//! Marks: items to be decided together.

use crate::inbox::ItemLine;
use crate::tui::model::Model;

/// Marks the selected row, or unmarks it, and moves on.
pub fn mark(model: &mut Model) {
    let list = &mut model.inbox.list;
    let Some(id) = list.selected().map(|row| row.id.clone()) else { return };
    list.toggle_marks(vec![list.cursor()]);
    list.anchor = Some(id);
    list.step(1);
}

/// Marks everything from the last marked row to the selected one.
pub fn mark_range(model: &mut Model) {
    let list = &mut model.inbox.list;
    let Some(id) = list.selected().map(|row| row.id.clone()) else { return };
    let cursor = list.cursor();
    let is_anchor =
        |position: &usize| list.row(*position).is_some_and(|row| Some(&row.id) == list.anchor.as_ref());
    let from = (0..list.len()).find(is_anchor).unwrap_or(cursor);
    list.mark((from.min(cursor)..=from.max(cursor)).collect());
    list.anchor = Some(id);
}

pub fn mark_all(model: &mut Model) {
    mark_if(model, |_| true);
}

/// Marks everything from the same sender.
pub fn mark_same(model: &mut Model) {
    let Some(who) = model.inbox.list.selected().map(|row| row.who().to_owned()) else { return };
    mark_if(model, |row| row.who() == who);
}

fn mark_if(model: &mut Model, is_included: impl Fn(&ItemLine) -> bool) {
    let list = &mut model.inbox.list;
    if list.selected().is_some() {
        let positions = (0..list.len()).filter(|position| list.row(*position).is_some_and(&is_included));
        list.toggle_marks(positions.collect());
    }
}
