//! The threads that run now, in any process.

use crate::engine::graph::ThreadId;
use crate::inbox::door::Inbox;
use crate::inbox::{InboxError, Query, Status, ThreadLine, ThreadQuery};
use crate::tui::model::Model;

const MAX_THREADS: usize = 500;

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
    model.list_activity(|model| model.running = lines);
    if let Some(followed) = &mut model.inbox.following {
        let idle = !model.running.iter().any(|line| line.id == followed.thread);
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
