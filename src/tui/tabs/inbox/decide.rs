//! Decision keys on the card shown: what they decide, and what is asked once more.

use super::send::{self, accept_question, send};
use super::{answer, bulk};
use crate::engine::graph::{Decision, InterruptId};
use crate::inbox::{Block, Coming, DecisionRequest, ItemKind, Question, STOP_WORDS};
use crate::text::Visible;
use crate::tui::actions::Action;
use crate::tui::card::Doc;
use crate::tui::layers::{Choice, Confirm, Menu};
use crate::tui::model::{DecisionKind, Model};

/// The keys that answer an invitation.
pub const INVITATION_KEYS: [(Action, Coming); 3] =
    [(Action::Accept, Coming::Yes), (Action::Maybe, Coming::Maybe), (Action::Ignore, Coming::No)];

/// Takes a decision on the card shown, or on all marked ones.
pub fn take(model: &mut Model, action: Action) {
    if model.has_marks() {
        return bulk::ask(model, action);
    }
    if let Some((kind, decision)) = pending_decision(model, action) {
        send(model, kind, decision);
    }
}

/// Takes a decision on the card shown once the user has confirmed it in spite of its warning.
pub fn confirm(model: &mut Model, action: Action) {
    let Some((kind, decision)) = pending_decision(model, action) else { return };
    let Some(opened) = model.current() else { return };
    let page = opened.proposal();
    let prompt = match coming(model, action) {
        Some(Coming::Yes) => "Say yes?",
        Some(Coming::Maybe) => "Say maybe?",
        Some(Coming::No) => "Say no?",
        None => accept_question(opened.item.action(), "Accept this?"),
    };
    let sends_nothing = opened.item.question().is_some_and(Question::sends_nothing);
    let title = format!("{prompt} “{}”", model.selected().map_or("", |row| &row.title));
    let prefix = if sends_nothing { "Nothing is sent. " } else { "" };
    let why = format!("{prefix}Asking again because it carries a warning.");
    ask(model, &title, &why, page, kind, decision);
}

/// Asks whether to take a decision.
pub fn ask(
    model: &mut Model,
    title: &str,
    why: &str,
    page: Doc,
    kind: DecisionKind,
    decision: DecisionRequest,
) {
    let id = decision.interrupt.clone();
    let confirm = Confirm::new(title, why, page, move |model| send(model, kind, decision));
    model.push(confirm.about(&id));
}

/// Asks whether to take the proposal although it was changed in a form.
fn confirm_proposed(model: &mut Model, kind: DecisionKind, decision: DecisionRequest) {
    let Some(opened) = model.current() else { return model.say("The card is still loading") };
    let page = opened.proposal();
    let title = match kind {
        DecisionKind::Drafted => "Save it as a draft as it was proposed?",
        _ => accept_question(opened.item.action(), "Accept it as it was proposed?"),
    };
    ask(model, title, "Your changes are not in it, and are lost.", page, kind, decision);
}

/// What a key says to the invitation shown; `None` if the card is no invitation.
fn coming(model: &Model, action: Action) -> Option<Coming> {
    model.question().filter(|question| question.is_invitation())?;
    INVITATION_KEYS.iter().find(|(key, _)| *key == action).map(|(_, coming)| *coming)
}

/// The decision that a key means on the card shown. `None` if there is none, or if it is settled here: a result is filed
/// away, and a changed proposal is asked about.
fn pending_decision(model: &mut Model, action: Action) -> Option<(DecisionKind, DecisionRequest)> {
    let row = model.selected()?;
    if row.kind == ItemKind::Result {
        let (id, thread) = (row.id.clone(), row.thread.clone());
        model.deciding.insert(id);
        send::file_away(model, vec![thread]);
        return None;
    }
    let shown = model.shown.as_ref()?;
    let id = InterruptId::parse(&row.id).ok()?;
    let attended = coming(model, action).zip(model.question());
    let attended = attended.map(|(coming, question)| (coming.decision(&question.args), question));
    let edited = match &attended {
        Some((Decision::Edit { args }, question)) => Some(question.edited(args)),
        _ => None,
    };
    let (kind, decision) = match (action, attended) {
        (_, Some((answer, _))) if edited.is_some() => (DecisionKind::Edited, answer),
        (_, Some((answer, _))) => (DecisionKind::Accepted, answer),
        (action, None) => plain_decision(action, model.question()),
    };
    // Whether somebody comes to a meeting says nothing about their mail.
    let learn = action != Action::IgnoreQuietly && kind != DecisionKind::Edited;
    let decision = DecisionRequest::on_screen(id, shown.hash?, decision, learn);
    if let Some(edited) = edited {
        model.inbox.decided_as.insert(decision.interrupt.to_string(), edited);
    }
    let is_draft = kind == DecisionKind::Drafted;
    if !(is_draft || action == Action::Accept) || !answer::has_unsent_edit(model) {
        return Some((kind, decision));
    }
    if is_draft {
        confirm_proposed(model, kind, decision);
    } else {
        let rows = vec![
            Choice::new("with my changes: show them", answer::edit),
            Choice::new("as it was proposed", move |model| confirm_proposed(model, kind, decision)),
        ];
        model.push(Menu::new("You changed this and haven't sent it. Accept it …", rows));
    }
    None
}

fn plain_decision(action: Action, question: Option<&Question>) -> (DecisionKind, Decision) {
    match action {
        Action::Accept => (DecisionKind::Accepted, Decision::Accept),
        Action::SaveDraft => (DecisionKind::Drafted, Decision::Draft),
        // One key does not throw away what somebody wrote.
        _ if question.is_some_and(Question::is_kept_as_draft) => (DecisionKind::Drafted, Decision::Draft),
        _ if question.is_some_and(|question| question.labels.words_refuse) => {
            (DecisionKind::Refused, Decision::Ignore)
        }
        _ => (DecisionKind::Ignored, Decision::Ignore),
    }
}

/// Asks whether to refuse, and stop the session of the agent that asks.
pub fn ask_to_stop(model: &mut Model) {
    let Some(item) = model.question() else { return };
    let (id, hash) = (item.id.clone(), item.args_hash);
    let page = Doc::page(&item.title, "", vec![Block::Text(Visible::new(STOP_WORDS))]);
    let decision = Decision::Respond { text: STOP_WORDS.to_owned() };
    let decision = DecisionRequest::on_screen(id, hash, decision, false);
    let why = "It gets this message. Claude Code, Gemini CLI and opencode stop at once; Codex only reads it.";
    ask(model, "Refuse this, and stop the session?", why, page, DecisionKind::Refused, decision);
}
