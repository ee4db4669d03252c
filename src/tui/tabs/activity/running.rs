//! The threads that run now, in any process.

use super::view;
use crate::engine::graph::ThreadId;
use crate::inbox::door::Inbox;
use crate::inbox::{InboxError, Query, Status, ThreadLine, ThreadQuery};
use crate::tui::actions::Action;
use crate::tui::layout::Areas;
use crate::tui::model::{Model, Seen};
use crate::tui::tabs::pane::{Cursor, Does, Pane, named, open_page, when};
use ratatui::buffer::Buffer;

const MAX_THREADS: usize = 500;

/// The list of running threads in the inbox.
pub struct Running;

impl Pane for Running {
    fn does(&self, model: &Model, action: Action) -> Option<Does> {
        match action {
            Action::Open => Some(when(model.running.selected().is_some(), "", open_page)),
            _ => None,
        }
    }

    fn read(&self, model: &mut Model) {
        read(model);
    }

    fn list<'m>(&self, model: &'m mut Model) -> Option<&'m mut dyn Cursor> {
        Some(&mut model.running)
    }

    fn selected(&self, model: &mut Model) {
        read_usage(model);
    }

    fn draw(&self, model: &Model, areas: &Areas, buf: &mut Buffer) -> Seen {
        view::draw_running(model, areas, buf);
        Seen::default()
    }

    fn footer(&self, model: &Model) -> Vec<(Action, String)> {
        if model.selected_running().is_none() {
            return named([(Action::Open, "read")]);
        }
        named([(Action::Stop, "stop"), (Action::OpenThread, "thread")])
    }

    fn thread(&self, model: &Model) -> Option<ThreadId> {
        model.running.selected().map(|line| line.id.clone())
    }
}

pub fn read(model: &mut Model) {
    let read = async |inbox: Inbox| {
        let mut lines = Vec::new();
        for status in [Status::Running, Status::Ready] {
            let filter = Query { status: Some(status), ..Query::default() };
            let query = ThreadQuery { filter, limit: MAX_THREADS, ..ThreadQuery::default() };
            lines.extend(inbox.threads().list(query).await?.rows);
        }
        Ok::<_, InboxError>(lines)
    };
    model.read(read, listed);
}

pub fn listed(model: &mut Model, lines: Vec<ThreadLine>) {
    let is_running =
        |thread: &ThreadId| lines.iter().any(|line| line.id == *thread && line.status == Status::Running);
    model.running_here.retain(|thread, _| is_running(thread));
    model.activity.usage.retain(|thread, _| lines.iter().any(|line| line.id == *thread));
    model.list_activity(|model| model.running.replace(lines, |line| line.id.clone()));
    if let Some(followed) = &mut model.inbox.following {
        let idle = !model.running.rows.iter().any(|line| line.id == followed.thread);
        // From now on a glance shows whether it asks something.
        if idle != std::mem::replace(&mut followed.idle, idle) {
            model.inbox.stale_glance = model.inbox.is_glancing;
            return model.reload();
        }
    }
    read_usage(model);
}

/// Reads what the selected thread has used.
pub fn read_usage(model: &mut Model) {
    let Some(thread) = model.selected_running().map(|line| line.id.clone()) else { return };
    let id = thread.clone();
    let work = async move |inbox: Inbox| inbox.threads().usage(id).await;
    model.read(work, |model, usage| {
        model.activity.usage.insert(thread, usage);
    });
}
