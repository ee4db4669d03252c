//! Starting a thread, from a form or from the palette.

use super::inbox::{compose, follow};
use crate::inbox::door::Inbox;
use crate::tui::layers::form::{self, Form, Purpose};
use crate::tui::layers::{Choice, Menu};
use crate::tui::model::Model;
use serde_json::Value;

/// Offers a new mail, and the workflows that can be started.
pub fn choose_workflow(model: &mut Model) {
    let widest = model.workflows.iter().map(|startable| startable.name.len()).max().unwrap_or(0);
    let rows = model.workflows.iter().map(|startable| {
        let name = startable.name.clone();
        let text = format!("{name:widest$}  {}", startable.about);
        Choice::new(text, move |model| open_form(model, &name))
    });
    let mail = Choice::new(format!("{:widest$}  write to somebody", "mail"), compose::compose).on('m');
    let has_mail = model.has_workflow("email");
    let rows = has_mail.then_some(mail).into_iter().chain(rows).collect();
    model.push(Menu::new("New thread", rows));
}

pub fn open_form(model: &mut Model, workflow: &str) {
    let Some(startable) = model.workflows.iter().find(|startable| startable.name == workflow) else { return };
    let title = format!("New thread: {}", startable.name);
    let form = Form::new(Purpose::Start, &title, &startable.schema, &Value::Null, &model.local_time());
    let workflow = workflow.to_owned();
    let form = form.sending(format!("start:{workflow}"), move |model, form| {
        let Some(input) = form.value() else { return false };
        start(model, workflow.clone(), input, Some(form.draft_key.clone()));
        true
    });
    form::open(model, form);
}

/// Starts a thread. If it was written in a form, its draft is kept until the thread is there.
pub fn start(model: &mut Model, workflow: String, input: Value, draft: Option<String>) {
    let (key, typed) = (draft.clone(), draft.as_deref().and_then(|key| model.typed_draft(key)));
    let start = async move |inbox: Inbox| {
        if let Some(key) = &key {
            inbox.decisions().keep_draft(key.clone(), typed).await?;
        }
        inbox.threads().start_from(workflow, input, key).await
    };
    model.start(start, move |model, result| match result {
        Ok(outcome) => {
            let how = model.spell("<show_running> shows running threads");
            model.say(format!("Started {} · {how}", outcome.thread));
            if let Some(key) = draft {
                model.drafts.remove(&key);
            }
            follow::follow_started(model, outcome.thread);
            model.reload();
        }
        Err(failure) => {
            let how = model.spell("<new_thread> opens the form again");
            model.fail(format!("Not started: {} · {how}", failure.text));
        }
    });
}
