//! Taking the model's place in a thread, and giving it back.

use super::follow;
use crate::engine::graph::ThreadId;
use crate::inbox::InboxError;
use crate::inbox::door::Inbox;
use crate::tui::model::Model;

/// Takes the model's place, or gives it back if it is taken.
pub fn toggle(model: &mut Model, thread: ThreadId) {
    let id = thread.clone();
    let work = async move |inbox: Inbox| {
        let to_person = !inbox.threads().is_taken_over(id.clone()).await?;
        inbox.threads().hand(id, to_person).await?;
        Ok::<_, InboxError>(to_person)
    };
    model.start(work, |model, result| {
        if let Some(to_person) = model.ok_or_fail(result) {
            model.say(if to_person {
                "You are in the model's place; the next step is yours"
            } else {
                "The model takes the next step"
            });
            follow::follow_again(model, thread);
        }
        model.reload();
    });
}
