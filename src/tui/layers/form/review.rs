//! An edit is reviewed before it is sent, with the warnings about what it became.

use super::{Form, Purpose, letter};
use crate::graph::{Decision, InterruptId};
use crate::inbox::{Block, DecisionRequest, Edited, Item};
use crate::tui::card::Doc;
use crate::tui::diff::changes;
use crate::tui::layers::{Confirm, Layer, OnConfirm};
use crate::tui::model::Model;
use crate::tui::msg::{Cmd, DecisionKind, InboxResult};
use crate::tui::tabs::inbox::decide;
use serde_json::Value;

/// Asks what the item becomes with the form's arguments.
pub(super) fn ask(form: &mut Form, item: &Item) -> Vec<Cmd> {
    let args = form.value();
    args.zip(item.interrupt()).map(|(args, id)| Cmd::ReviewEdit(id, args)).into_iter().collect()
}

/// Shows the edit for confirmation, if the form still says the same.
pub fn reviewed(model: &mut Model, id: &InterruptId, args: &Value, result: InboxResult<Edited>) -> Vec<Cmd> {
    let Some(edited) = model.ok_or_fail(result) else { return Vec::new() };
    let Some((_, Layer::Form(form))) = model.layers.last_mut() else { return Vec::new() };
    let Purpose::Edit { item } = form.purpose.clone() else { return Vec::new() };
    if item.interrupt().as_ref() != Some(id) || form.value().as_ref() != Some(args) {
        return Vec::new();
    }
    if let Some(confirm) = review(form, &item, edited.clone()) {
        model.inbox.decided_as.insert(id.to_string(), edited);
        model.push(confirm);
    }
    Vec::new()
}

/// The question to confirm before an edit is sent; `None` if the form can't be sent yet.
fn review(form: &mut Form, item: &Item, edited: Edited) -> Option<Confirm> {
    let args = form.value()?;
    let (id, hash) = (item.interrupt()?, item.args_hash?);
    let mut blocks = changes(item.edit_args(), &args);
    let times = form.changed_times(item.edit_args());
    if !times.is_empty() {
        blocks.push(Block::Fields(times));
    }
    let is_answer = item.is_program_question();
    if blocks.is_empty() && (item.edit_from.is_some() || is_answer) {
        form.error = Some("write something, or leave with Esc".to_owned());
        return None;
    }
    let accept = decide::question(item, "Accept it like this?");
    let (kind, decision, title, why) = if blocks.is_empty() {
        let why = "You changed nothing: it is accepted as proposed.";
        (DecisionKind::Accepted, Decision::Accept, accept, why)
    } else if item.edit_from.is_some() {
        // The whole mail: nothing was there before that it could be compared with.
        blocks = letter::page(&form.fields, &args);
        let why = "It comes back as a card to approve. Nothing is sent before that.";
        (DecisionKind::Written, Decision::Edit { args }, "Make a draft of this?", why)
    } else if is_answer {
        let why = "This goes to the agent.";
        (DecisionKind::Answered, Decision::Edit { args }, "Answer like this?", why)
    } else {
        (DecisionKind::Edited, Decision::Edit { args }, accept, "This is what you changed.")
    };
    let sends_nothing = item.sends_nothing() && kind != DecisionKind::Written;
    let why = if sends_nothing { format!("{why} Nothing is sent.") } else { why.to_owned() };
    let then = OnConfirm::Decide(kind, DecisionRequest::on_screen(id, hash, decision, form.learn));
    let mut page = vec![Block::Warnings(edited.warnings)];
    page.extend(blocks);
    Some(Confirm::new(title, why, Doc::page(&edited.title, "", page), then))
}
