//! Stopping a thread, after a question.

use super::follow;
use crate::engine::graph::ThreadId;
use crate::inbox::DecisionEnd;
use crate::inbox::door::Inbox;
use crate::tui::card::Doc;
use crate::tui::layers::Confirm;
use crate::tui::model::Model;

/// Asks whether to stop a thread.
pub fn ask(model: &mut Model, thread: ThreadId, title: &str) {
    model.push(Confirm::new(
        format!("Stop the thread “{title}”?"),
        "It stops at once and shows up as trouble, where you resume or abandon it.",
        Doc::default(),
        move |model| stop(model, thread),
    ));
}

fn stop(model: &mut Model, thread: ThreadId) {
    let id = thread.clone();
    let work = async move |inbox: Inbox| inbox.threads().stop(id).await;
    model.start(work, |model, result| {
        if model.ok_or_fail(result).is_some() {
            model.report(DecisionEnd::Done, format!("Stopped {thread}"));
            follow::follow_again(model, thread);
        }
        model.reload();
    });
}
