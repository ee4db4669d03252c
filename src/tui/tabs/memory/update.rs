//! The Memory tab: rows are changed, paused and deleted; profiles are edited in `$EDITOR`, extended, pinned, and reverted
//! to an earlier version.
//!
//! The inbox makes every change: it refuses to drop a pinned line or to overwrite somebody else's version.

use super::{list, profiles, rows, view};
use crate::engine::graph::ThreadId;
use crate::inbox::{RowKey, RowState};
use crate::tui::actions::Action;
use crate::tui::layout::Areas;
use crate::tui::model::{Focus, Model, Seen};
use crate::tui::tabs::page;
use crate::tui::tabs::pane::{Cursor, Does, Pane, named, page_size, when};
use ratatui::buffer::Buffer;

/// The rows and the profiles, and what is behind the selected one.
pub struct Memory;

impl Pane for Memory {
    fn does(&self, model: &Model, action: Action) -> Option<Does> {
        let has_item = model.memory.list.selected().is_some();
        let nothing = "Nothing has been learned yet";
        let why_not = |why| if has_item { why } else { nothing };
        let on_profile = |effect| {
            when(
                model.memory.profile().is_some(),
                why_not("Rows have no text · <edit_profile> changes one"),
                effect,
            )
        };
        let on_row =
            |effect| when(model.memory.row().is_some(), why_not("Only rows are paused and deleted"), effect);
        Some(match action {
            Action::EditProfile if model.memory.row().is_some() => Ok(rows::ask_answer),
            Action::EditProfile => when(has_item, nothing, profiles::edit),
            Action::PauseRow => on_row(rows::pause),
            Action::DeleteRow => on_row(rows::ask_delete),
            Action::AddLine if model.memory.profile().is_none() => Ok(rows::ask_key),
            Action::AddLine => Ok(profiles::ask_line),
            Action::PinLine => on_profile(profiles::ask_pins),
            Action::RevertProfile => on_profile(profiles::ask_revert),
            Action::History => on_profile(profiles::show_history),
            Action::Open => when(has_item, "", |model| {
                model.focus = Focus::Card;
                list::read_selected(model);
            }),
            _ => return None,
        })
    }

    fn read(&self, model: &mut Model) {
        list::read(model);
    }

    fn list<'m>(&self, model: &'m mut Model) -> Option<&'m mut dyn Cursor> {
        Some(&mut model.memory.list)
    }

    fn selected(&self, model: &mut Model) {
        list::read_selected(model);
    }

    fn scroll(&self, model: &mut Model, by: isize) {
        let (doc, top) = (view::selected_page(model), model.memory.page_top);
        model.memory.page_top = page::scrolled(&doc, top, by, page_size(model));
    }

    fn part(&self, model: &mut Model, forward: bool) {
        profiles::browse(model, forward);
    }

    fn draw(&self, model: &Model, areas: &Areas, buf: &mut Buffer) -> Seen {
        view::draw(model, areas, buf);
        Seen::default()
    }

    fn footer(&self, model: &Model) -> Vec<(Action, String)> {
        if model.memory.profile().is_none() {
            let is_paused = model.memory.row().is_some_and(|line| line.row.state == RowState::Paused);
            return named([
                (Action::EditProfile, "change"),
                (Action::PauseRow, if is_paused { "resume" } else { "pause" }),
                (Action::DeleteRow, "delete"),
                (Action::AddLine, "add a row"),
                (Action::Open, "its mails"),
                (Action::OpenThread, "cause"),
            ]);
        }
        named([
            (Action::EditProfile, "edit"),
            (Action::AddLine, "add a line"),
            (Action::PinLine, "pin"),
            (Action::Open, "versions"),
            (Action::History, "history"),
            (Action::RevertProfile, "revert"),
            (Action::OpenThread, "cause"),
        ])
    }

    /// The thread whose answer caused the version shown, or confirmed the row last.
    fn thread(&self, model: &Model) -> Option<ThreadId> {
        if let Some(line) = model.memory.row() {
            return match &line.row.key {
                RowKey::Conversation(thread) => Some(thread.clone()),
                RowKey::Sender(_) | RowKey::List(_) | RowKey::Domain(_) | RowKey::Kind(_) => {
                    line.row.decisions.last().map(|decision| decision.thread.clone())
                }
            };
        }
        let line = model.memory.profile()?;
        let versions =
            model.memory.versions.as_ref().filter(|versions| versions.namespace == line.namespace)?;
        versions.shown()?.cause.thread.clone()
    }
}
