//! Mail that the user begins: a new one, or one that forwards the mail shown. Its text is kept until it is on its way.

use super::{follow, news};
use crate::engine::graph::ThreadId;
use crate::inbox::door::{Inbox, Letter, new_mail};
use crate::inbox::{DecisionEnd, ItemLine, ItemStatus};
use crate::tui::layers::form::{self, Form, FormError, Purpose};
use crate::tui::model::{DecisionKind, Model, OwnLetter, Undo};
use crate::tui::words;
use serde_json::Value;

/// Opens a new mail.
pub fn compose(model: &mut Model) {
    let letter = new_mail().from_one_of(&model.options.senders);
    open(model, "letter:new".to_owned(), "New mail", letter);
}

/// Opens a mail that forwards this thread's mail.
pub fn forward(model: &mut Model, thread: ThreadId, title: String) {
    let key = format!("letter:forward:{thread}");
    model.read(
        async move |inbox: Inbox| inbox.mail().forward(thread).await,
        move |model, letter| {
            open(model, key, &format!("Forward: {title}"), letter);
        },
    );
}

fn open(model: &mut Model, key: String, title: &str, letter: Letter) {
    let form = Form::new(Purpose::Letter, title, &letter.schema, &letter.args, &model.local_time());
    let kept = key.clone();
    let form = form.sending(key, move |model, form| {
        let was_asked = form.error.take() == Some(FormError::NoSubject);
        let Some(args) = form.value() else { return false };
        if subject(&args).is_empty() && !was_asked {
            form.error = Some(FormError::NoSubject);
            return false;
        }
        send(model, Letter { args, draft: Some(kept.clone()), ..letter.clone() });
        true
    });
    form::open(model, form);
}

fn subject(args: &Value) -> &str {
    args.get("subject").and_then(Value::as_str).unwrap_or_default().trim()
}

fn send(model: &mut Model, letter: Letter) {
    let to = words::recipients(&letter.args, &model.inbox.names).unwrap_or_default();
    let lack = if subject(&letter.args).is_empty() { ", without a subject" } else { "" };
    let key = letter.draft.clone().unwrap_or_default();
    let (kept, typed, begun) = (key.clone(), model.typed_draft(&key), model.wall);
    let send = async move |inbox: Inbox| {
        // It is a draft until the transaction that begins its thread.
        inbox.decisions().keep_draft(kept, typed).await?;
        inbox.mail().send(letter).await
    };
    model.start(send, move |model, result| match result {
        Ok(outcome) => {
            model.drafts.remove(&key);
            model.report(DecisionEnd::Pending, format!("To {to}{lack} · on its way"));
            model.inbox.own_letter = Some(OwnLetter { thread: outcome.thread, to, since: model.now, begun });
            model.reload();
        }
        Err(failure) => model.fail(format!("Not sent: {} · your text is kept", failure.text)),
    });
}

/// A mail of the user's own is held now, so that they can still stop it; or its thread asks about it.
pub fn hold_began(model: &mut Model) {
    let Some(OwnLetter { thread, to, .. }) = model.inbox.own_letter.clone() else { return };
    let is_asked = |row: &&ItemLine| row.thread == thread && row.action == "write_email";
    let Some(row) = model.inbox.list.all().iter().find(is_asked) else { return };
    let (status, ids, title) = (row.status, vec![row.id.clone()], row.title.clone());
    match status {
        ItemStatus::Held { .. } => {
            let kind = DecisionKind::Accepted;
            news::await_ends(model, kind, &ids);
            let what = format!("Sending to {to}");
            model.report(DecisionEnd::Pending, &what);
            model.undo = Some(Undo { kind, ids, title, what, sends: true, until: None, since: model.now });
            if model.inbox.following.as_ref().is_some_and(|followed| followed.thread == thread) {
                follow::stop_following(model);
            }
            // The next glance says how long.
            model.reload();
        }
        ItemStatus::Open => follow::select_question_of(model, thread),
        ItemStatus::Decided | ItemStatus::Snoozed | ItemStatus::Result => return,
    }
    model.inbox.own_letter = None;
}
