//! The Activity tab: what is running, and what went on.

use super::{grants, running, view};
use crate::engine::graph::ThreadId;
use crate::inbox::door::Inbox;
use crate::inbox::{ActivityQuery, Status};
use crate::tui::actions::Action;
use crate::tui::layout::Areas;
use crate::tui::model::{ActivityRow, Focus, Model, Section, Seen, Tab};
use crate::tui::tabs::page;
use crate::tui::tabs::pane::{Cursor, Does, Pane, named, page_size};
use ratatui::buffer::Buffer;
use std::time::Duration;

/// Figures are counted at most this often, however much happens.
const REFRESH_INTERVAL: Duration = Duration::from_secs(5);

/// Figures, running threads and grants.
pub struct Activity;

impl Pane for Activity {
    fn does(&self, model: &Model, action: Action) -> Option<Does> {
        Some(match action {
            Action::Stop if model.selected_grant().is_some() => Ok(grants::revoke),
            _ => return None,
        })
    }

    fn read(&self, model: &mut Model) {
        running::read(model);
        grants::read(model);
        refresh(model);
    }

    fn open(&self, model: &mut Model) {
        model.activity.read_at = None;
        model.list_activity(|_| {});
        self.read(model);
        read_overview(model);
        read_storage(model);
        self.selected(model);
    }

    fn list<'m>(&self, model: &'m mut Model) -> Option<&'m mut dyn Cursor> {
        Some(&mut model.activity.list)
    }

    fn selected(&self, model: &mut Model) {
        running::read_usage(model);
    }

    /// Another row's page begins at its top.
    fn step(&self, model: &mut Model, by: isize) {
        select(model, model.activity.list.cursor.saturating_add_signed(by));
    }

    fn click(&self, model: &mut Model, line: u16) {
        select(model, model.activity.list.top + usize::from(line));
    }

    fn scroll(&self, model: &mut Model, by: isize) {
        let (doc, top) = (view::selected_page(model), model.activity.page_top);
        model.activity.page_top = page::scrolled(&doc, top, by, page_size(model));
    }

    /// Moves to the next or previous section, skipping the rows in between.
    fn part(&self, model: &mut Model, forward: bool) {
        let (rows, cursor) = (&model.activity.list.rows, model.activity.list.cursor);
        let is_section = |n: &usize| matches!(rows.get(*n), Some(ActivityRow::Section(_)));
        let target = if forward {
            (cursor + 1..rows.len()).find(is_section)
        } else {
            (0..cursor).rev().find(is_section)
        };
        if let Some(row) = target {
            select(model, row);
        }
    }

    fn draw(&self, model: &Model, areas: &Areas, buf: &mut Buffer) -> Seen {
        view::draw(model, areas, buf);
        Seen::default()
    }

    fn footer(&self, model: &Model) -> Vec<(Action, String)> {
        if let Some(grant) = model.selected_grant() {
            return named([(Action::Stop, if grant.in_force { "revoke" } else { "switch on" })]);
        }
        if model.selected_running().is_some() {
            return named([(Action::Stop, "stop"), (Action::OpenThread, "thread")]);
        }
        named([(Action::FetchMail, "fetch mail")])
    }

    fn thread(&self, model: &Model) -> Option<ThreadId> {
        model.selected_running().map(|line| line.id.clone())
    }
}

fn select(model: &mut Model, row: usize) {
    let before = model.activity.list.cursor;
    model.activity.list.select(row);
    if model.activity.list.cursor != before {
        model.activity.page_top = Default::default();
    }
    Activity.selected(model);
}

/// Goes to the running threads.
pub fn show_running(model: &mut Model) {
    model.go(Tab::Activity);
    model.focus = Focus::List;
    model.list_activity(|_| {});
    let section = ActivityRow::Section(Section::Running);
    let row = model.activity.list.rows.iter().position(|row| *row == section);
    select(model, row.unwrap_or(0));
}

/// Reads what the header shows too: how much waits and runs, and the state of each mailbox.
pub fn read_overview(model: &mut Model) {
    let work = async |inbox: Inbox| inbox.statistics().overview().await;
    model.read(work, |model, overview| {
        let running = overview.threads_in(Status::Running);
        if !overview.is_at_work() {
            model.unreachable.clear();
        }
        model.overview = Some(overview);
        // A stopped node reports nothing more, so ask which threads really run.
        if running < model.running_here.len() as u64 {
            running::read(model);
        }
    });
    model.read(async |inbox: Inbox| inbox.mail().sources().await, |model, sources| model.sources = sources);
}

/// Counts again, unless that was done just now.
fn refresh(model: &mut Model) {
    let is_recent =
        model.activity.read_at.is_some_and(|at| model.now.saturating_duration_since(at) < REFRESH_INTERVAL);
    if is_recent {
        return;
    }
    model.activity.read_at = Some(model.now);
    let query = ActivityQuery::last(ActivityQuery::DAYS, &model.local_time());
    let work = async move |inbox: Inbox| inbox.statistics().activity(query).await;
    model.read(work, |model, figures| {
        model.activity.figures = Some(figures);
    });
}

/// Reads what the database file holds.
fn read_storage(model: &mut Model) {
    let work = async |inbox: Inbox| inbox.statistics().storage().await;
    model.read(work, |model, storage| {
        model.activity.storage = Some(storage);
    });
}
