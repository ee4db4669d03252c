//! Answers in words and edits, in a form next to the card. An edit is reviewed before it is sent, with the warnings about
//! what it became.

use super::send::{accept_question, proceed, respond_key, send};
use crate::engine::graph::{Decision, Kind, Warning};
use crate::inbox::door::Inbox;
use crate::inbox::{
    Block, DecisionRequest, Edited, Item, PROGRAM_ACTIONS, Question, ThreadResult, YOUR_TURN, unsent_edit_key,
};
use crate::tui::actions::Action;
use crate::tui::card::Doc;
use crate::tui::diff::changes;
use crate::tui::layers::form::{self, FormError, letter_page};
use crate::tui::layers::{Confirm, Form};
use crate::tui::model::{DecisionKind, Model};
use serde_json::Value;

/// The item whose card is shown, as it was read.
fn item(model: &mut Model) -> Option<Item> {
    if model.selected().is_some_and(|row| model.deciding.contains(&row.id)) {
        return None;
    }
    let item = model.current().map(|opened| opened.item.clone());
    if item.is_none() {
        model.say("The card is still loading");
    }
    item
}

pub fn edit(model: &mut Model) {
    let Some(Item::Question(item)) = item(model) else { return };
    let form = Form::edit(&item, &model.local_time());
    let key = unsent_edit_key(item.id.as_str());
    form::open(
        model,
        form.sending(key, move |model, form| {
            ask_review(model, form, &item);
            false
        }),
    );
}

/// Whether the selected item was changed in a form that was closed without sending.
pub fn has_unsent_edit(model: &Model) -> bool {
    let Some(item) = model.question() else { return false };
    let Some(draft) = model.drafts.get(&unsent_edit_key(item.id.as_str())) else { return false };
    let mut form = Form::edit(item, &model.local_time());
    form.restore(draft);
    form.is_changed()
}

/// Opens the whole proposal in `$EDITOR`; the result goes back into the form.
pub fn edit_outside(model: &mut Model) {
    edit(model);
    model.with_popup(|model, form| form.act(model, Action::Outside));
}

pub fn respond(model: &mut Model) {
    let item = match item(model) {
        Some(Item::Question(question)) => question,
        Some(Item::Result(ThreadResult { thread, .. })) => {
            let form = Form::text_box("Go on: what next?")
                .sending(respond_key(thread.as_str()), move |model, form| {
                    said(model, form, |model, words| proceed(model, thread.clone(), words))
                });
            return form::open(model, form);
        }
        None => return,
    };
    let program = item.action.starts_with(PROGRAM_ACTIONS);
    let title = match item.kind {
        Kind::Approval if program => "Refuse it, and tell the agent why",
        Kind::Question if program => "Your answer to the agent",
        _ if item.is_about_mail() => "To the agent, not to the sender",
        Kind::Question => "Your answer",
        _ => "To the agent",
    };
    let (id, hash) = (item.id.clone(), item.args_hash);
    let kind = if item.labels.words_refuse { DecisionKind::Refused } else { DecisionKind::Answered };
    let mut form = Form::text_box(title).sending(respond_key(item.id.as_str()), move |model, form| {
        let learn = form.learn;
        said(model, form, |model, text| {
            let decision = Decision::Respond { text };
            send(model, kind, DecisionRequest::on_screen(id.clone(), hash, decision, learn));
        })
    });
    (form.learns, form.takes_refusals) = (item.is_about_mail(), item.takes_refusals());
    form::open(model, form);
}

/// Sends what was typed in a box, if anything was.
fn said(model: &mut Model, form: &mut Form, send: impl FnOnce(&mut Model, String)) -> bool {
    if form.typed().trim().is_empty() {
        form.error = Some(FormError::Empty);
        return false;
    }
    model.save_draft();
    send(model, form.typed().to_owned());
    true
}

/// Asks what the item becomes with the form's arguments, and then whether to send it, if the form still says the same.
fn ask_review(model: &mut Model, form: &mut Form, item: &Question) {
    let Some(args) = form.value() else { return };
    let id = item.id.clone();
    let (item, key, asked) = (item.clone(), form.draft_key.clone(), args.clone());
    let work = async move |inbox: Inbox| inbox.decisions().edited(id, asked).await;
    model.read(work, move |model, edited| {
        let Some(form) = model.top_mut::<Form>().filter(|form| form.draft_key == key) else { return };
        if form.value().as_ref() != Some(&args) {
            return;
        }
        if form.is_letter() && is_sent_at_once(&item, &args, &edited) {
            let kind = if item.edit_from.is_some() { DecisionKind::Written } else { DecisionKind::Edited };
            let (id, hash, learn) = (item.id.clone(), item.args_hash, form.learn);
            let decision = DecisionRequest::on_screen(id, hash, Decision::Edit { args }, learn);
            model.inbox.decided_as.insert(item.id.to_string(), edited);
            model.layers.pop();
            model.save_draft();
            return send(model, kind, decision);
        }
        if let Some(confirm) = review(form, &item, edited.clone()) {
            model.inbox.decided_as.insert(item.id.to_string(), edited);
            model.push(confirm);
        }
    });
}

/// Whether a mail is not shown once more: the user wrote it, and it is held before it leaves. If it is their own from the
/// first word, its thread asks them about warnings.
fn is_sent_at_once(item: &Question, args: &Value, edited: &Edited) -> bool {
    let is_changed = args != item.edit_args();
    let is_clean = item.irreversible && !Warning::need_confirmation(&edited.warnings);
    is_changed && (item.edit_from.is_some() || is_clean)
}

/// The question to confirm before an edit is sent; `None` if the form can't be sent yet.
fn review(form: &mut Form, item: &Question, edited: Edited) -> Option<Confirm> {
    let args = form.value()?;
    let (id, hash) = (item.id.clone(), item.args_hash);
    let mut blocks = changes(item.edit_args(), &args);
    let times = form.changed_times(item.edit_args());
    if !times.is_empty() {
        blocks.push(Block::Fields(times));
    }
    let (is_answer, is_turn) = (item.is_program_question(), item.action == YOUR_TURN);
    if blocks.is_empty() && !is_turn && (item.edit_from.is_some() || is_answer) {
        form.error = Some(FormError::Empty);
        return None;
    }
    if item.edit_from.is_some() {
        // The whole mail: nothing was there before that it could be compared with.
        blocks = letter_page(&form.fields, &args);
    }
    let asked = if blocks.is_empty() { "Accept it as proposed?" } else { "Accept it with your changes?" };
    let accept = accept_question(&item.action, asked);
    let (kind, decision, title, why) = if is_turn {
        (DecisionKind::Written, Decision::Edit { args }, "Take this step?", "It counts as the model's.")
    } else if blocks.is_empty() {
        (DecisionKind::Accepted, Decision::Accept, accept, "You changed nothing.")
    } else if item.edit_from.is_some() {
        let why = "It is held for a moment and then sent. If there is a warning about it, it first comes back as a card.";
        (DecisionKind::Written, Decision::Edit { args }, "Send this mail?", why)
    } else if is_answer {
        let why = "It goes to the agent.";
        (DecisionKind::Answered, Decision::Edit { args }, "Send this answer?", why)
    } else {
        (DecisionKind::Edited, Decision::Edit { args }, accept, "This is what you changed.")
    };
    let sends_nothing = item.sends_nothing() && kind != DecisionKind::Written;
    let why = if sends_nothing { format!("{why} Nothing is sent.") } else { why.to_owned() };
    let decision = DecisionRequest::on_screen(id.clone(), hash, decision, form.learn);
    let mut page = vec![Block::Warnings(edited.warnings)];
    page.extend(blocks);
    let confirm = Confirm::new(title, why, Doc::page(&edited.title, "", page), move |model| {
        // The form below is finished as well.
        model.layers.pop();
        model.save_draft();
        send(model, kind, decision);
    });
    Some(confirm.about(&id))
}
