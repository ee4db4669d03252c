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
    let form = form.sending(draft_key(&workflow), move |model, form| {
        let Some(input) = form.value() else { return false };
        start(model, workflow.clone(), input);
        true
    });
    form::open(model, form);
}

/// The key under which the text of the form is kept.
fn draft_key(workflow: &str) -> String {
    format!("start:{workflow}")
}

pub fn start(model: &mut Model, workflow: String, input: Value) {
    let key = draft_key(&workflow);
    let typed = model.typed_draft(&key);
    let draft = key.clone();
    let start = async move |inbox: Inbox| {
        inbox.decisions().keep_draft(draft.clone(), typed).await?;
        inbox.threads().start_from(workflow, input, Some(draft)).await
    };
    model.start(start, move |model, result| match result {
        Ok(outcome) => {
            let how = model.spell("<show_running> shows running threads");
            model.say(format!("Started {} · {how}", outcome.thread));
            model.drafts.remove(&key);
            follow::follow_started(model, outcome.thread);
            model.reload();
        }
        Err(failure) => {
            let how = model.spell("<new_thread> opens the form again");
            model.fail(format!("Not started: {} · {how}", failure.text));
        }
    });
}
