//! Marks: items to be decided together.

use super::{Row, history};
use crate::tui::actions::Action;
use crate::tui::model::Model;
use crate::tui::msg::Cmd;

pub fn mark(model: &mut Model, action: Action) -> Vec<Cmd> {
    if model.shows_history() {
        return history::search_sender(model);
    }
    let list = &mut model.inbox.list;
    let selected = list.selected().map(|row| (row.id.clone(), row.who().to_owned()));
    let Some((id, who)) = selected else { return Vec::new() };
    match action {
        Action::Mark => {
            if !list.marks.remove(&id) {
                list.marks.insert(id.clone());
            }
            list.anchor = Some(id);
            list.step(1);
        }
        Action::MarkRange => {
            let anchor = list.anchor.clone().unwrap_or_else(|| id.clone());
            let from = (0..list.len()).find(|n| list.row(*n).is_some_and(|row| row.id == anchor));
            let (from, to) = (from.unwrap_or(list.cursor()), list.cursor());
            let ids: Vec<String> =
                (from.min(to)..=from.max(to)).filter_map(|n| list.row(n)).map(|row| row.id.clone()).collect();
            list.marks.extend(ids);
            list.anchor = Some(id);
        }
        _ => {
            let is_included = |row: &Row| action == Action::MarkAll || row.who() == who;
            let ids: Vec<String> = (0..list.len())
                .filter_map(|n| list.row(n))
                .filter(|row| is_included(row))
                .map(|row| row.id.clone())
                .collect();
            if ids.iter().all(|id| list.marks.contains(id)) {
                ids.iter().for_each(|id| {
                    list.marks.remove(id);
                });
            } else {
                list.marks.extend(ids);
            }
        }
    }
    Vec::new()
}
