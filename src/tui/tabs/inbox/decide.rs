//! Decisions: taken on the card shown, reported once they are stored, undone while that is possible.

use crate::graph::{Decision, Kind, ThreadId};
use crate::inbox::{
    Block, Card, DecisionRequest, Edited, Item, ItemKind, ItemLine, PROGRAM_ACTIONS, STOP_WORDS,
    UndoableBatch,
};
use crate::service::{MailMove, action_words};
use crate::text::{Visible, count_noun};
use crate::tui::actions::{Action, Scope};
use crate::tui::card::Doc;
use crate::tui::key_guard::{self, DeferredKey, Guard, LastDecisionKey};
use crate::tui::layers::form::{self, Form};
use crate::tui::layers::{Choice, Confirm, Menu, OnConfirm, Page, ask_bulk};
use crate::tui::model::Model;
use crate::tui::msg::{Cmd, DecisionKind, InboxResult, Press};
use crate::tui::tabs;
use crate::tui::tabs::inbox::follow::{self, Followed};
use crate::tui::tabs::inbox::{Row, Undo, news};
use crate::tui::words;
use std::collections::{HashMap, HashSet};

/// Accepts or ignores the selected item, or all marked ones.
pub fn act(model: &mut Model, action: Action, press: Press) -> Vec<Cmd> {
    if model.inbox.list.has_marks() {
        if !key_guard::is_deliberate(model, press) {
            model.say("Ignored: the keys came too fast");
            return Vec::new();
        }
        return ask_bulk(model, action);
    }
    match key_guard::guard(model, action, press) {
        Guard::Rejected(why) => {
            model.refuse(why);
            Vec::new()
        }
        Guard::Waits => {
            let at = press.at;
            model.deferred_key = model.shown.clone().map(|shown| DeferredKey { action, at, shown });
            Vec::new()
        }
        Guard::Asks(why) => take(model, action, Some(why)),
        Guard::Acts => {
            model.last_decision_key = Some(LastDecisionKey::new(press.key));
            take(model, action, None)
        }
    }
}

/// Takes a deferred decision once its key is known not to be held down.
pub fn take_deferred(model: &mut Model) -> Vec<Cmd> {
    match key_guard::due(model) {
        Some(deferred) => take(model, deferred.action, None),
        None => Vec::new(),
    }
}

/// Takes a decision on the card shown, or asks once more if there is a reason to.
fn take(model: &mut Model, action: Action, why: Option<&str>) -> Vec<Cmd> {
    let Some(row) = model.selected() else { return Vec::new() };
    if row.kind == ItemKind::Result {
        let thread = row.thread.clone();
        model.deciding.insert(row.id.clone());
        return vec![Cmd::FileAway(vec![thread])];
    }
    let Some((kind, decision)) = pending_decision(model, action) else { return Vec::new() };
    if action == Action::Accept && form::has_unsent_edit(model) {
        let rows = [
            ("with my changes", Choice::AcceptEdited),
            ("as it was proposed", Choice::AcceptProposed(Box::new(decision))),
        ];
        let rows = rows.into_iter().map(|(text, choice)| (text.to_owned(), choice)).collect();
        model.push(Menu::new("You changed this and haven't sent it. Accept it …", rows));
        return Vec::new();
    }
    if action == Action::SaveDraft && form::has_unsent_edit(model) {
        return confirm_proposed(model, kind, decision);
    }
    match why {
        None => send(model, kind, decision),
        Some(why) => {
            let Some(opened) = model.current() else { return Vec::new() };
            let page = opened.proposal();
            let prompt = question(&opened.item, "Accept this?");
            let title = format!("{prompt} “{}”", model.selected().map_or("", |row| &row.title));
            let prefix = if opened.item.sends_nothing() { "Nothing is sent. " } else { "" };
            let why = format!("{prefix}Asking again because {why}.");
            let then = OnConfirm::Decide(kind, decision);
            model.push(Confirm::new(title, why, page, then));
            Vec::new()
        }
    }
}

/// Asks whether to take the proposal although it was changed in a form.
pub fn confirm_proposed(model: &mut Model, kind: DecisionKind, decision: DecisionRequest) -> Vec<Cmd> {
    let Some(opened) = model.current() else {
        model.say("The card is still loading");
        return Vec::new();
    };
    let page = opened.proposal();
    let title = match kind {
        DecisionKind::Drafted => "Save it as a draft as it was proposed?",
        _ => question(&opened.item, "Accept it as it was proposed?"),
    };
    let why = "Your changes are not in it, and are lost.";
    model.push(Confirm::new(title, why, page, OnConfirm::Decide(kind, decision)));
    Vec::new()
}

/// The question whether to accept an item. An answer to an invitation may decline it, so "accept" would mislead.
pub fn question(item: &Item, accept: &'static str) -> &'static str {
    match item.action.as_str() {
        "answer_invitation" => "Answer the invitation like this?",
        _ => accept,
    }
}

/// The decision that a key means on the card shown.
fn pending_decision(model: &Model, action: Action) -> Option<(DecisionKind, DecisionRequest)> {
    let row = model.selected()?;
    let shown = model.shown.as_ref()?;
    let id = crate::graph::InterruptId::parse(&row.id).ok()?;
    let is_permission = model.current().is_some_and(|opened| opened.item.labels.words_refuse);
    let (kind, decision) = match action {
        Action::Accept => (DecisionKind::Accepted, Decision::Accept),
        Action::SaveDraft => (DecisionKind::Drafted, Decision::Draft),
        _ if is_permission => (DecisionKind::Refused, Decision::Ignore),
        _ => (DecisionKind::Ignored, Decision::Ignore),
    };
    let learn = action != Action::IgnoreQuietly;
    Some((kind, DecisionRequest::on_screen(id, shown.hash?, decision, learn)))
}

/// Asks whether to refuse, and stop the session of the agent that asks.
pub fn ask_to_stop(model: &mut Model) -> Vec<Cmd> {
    let Some(opened) = model.current() else { return Vec::new() };
    let item = &opened.item;
    let (Some(id), Some(hash)) = (item.interrupt(), item.args_hash) else { return Vec::new() };
    let page = Doc::page(&item.title, "", vec![Block::Text(Visible::new(STOP_WORDS))]);
    let decision = Decision::Respond { text: STOP_WORDS.to_owned() };
    let then =
        OnConfirm::Decide(DecisionKind::Refused, DecisionRequest::on_screen(id, hash, decision, false));
    let why = "It gets this message. Claude Code, Gemini CLI and opencode stop at once; Codex only reads it.";
    model.push(Confirm::new("Refuse this, and stop the session?", why, page, then));
    Vec::new()
}

/// Sends a decision. It counts once the store says so.
pub fn send(model: &mut Model, kind: DecisionKind, decision: DecisionRequest) -> Vec<Cmd> {
    let id = decision.interrupt.to_string();
    let item = model.current().map(|opened| &opened.item).filter(|item| item.id == id);
    let as_proposed = item.map(|item| item.edited(&item.args));
    // An edit was reviewed before, which told what it became.
    if !matches!(decision.decision, Decision::Edit { .. }) {
        model.inbox.decided_as.remove(&id);
        model.inbox.decided_as.extend(as_proposed.map(|as_proposed| (id.clone(), as_proposed)));
    }
    model.deciding.insert(id);
    vec![Cmd::Decide(kind, vec![decision])]
}

/// Decisions were stored or refused.
pub fn decided(model: &mut Model, kind: DecisionKind, results: Vec<(String, InboxResult<()>)>) -> Vec<Cmd> {
    let mut cmds = Vec::new();
    let mut done: Vec<(String, String)> = Vec::new();
    let mut failure_text = None;
    let mut drafts = Vec::new();
    let ids: HashSet<&str> = results.iter().map(|(id, _)| id.as_str()).collect();
    let decided_as: HashMap<String, Edited> =
        ids.iter().filter_map(|id| model.inbox.decided_as.remove_entry(*id)).collect();
    let rows = model.inbox.list.all().iter().filter(|row| ids.contains(row.id.as_str()));
    let title_and_word = |row: &Row| {
        let decided_as = decided_as.get(&row.id);
        let title = decided_as.map_or_else(|| row.title.clone(), |edited| words::line(&edited.title));
        (row.id.clone(), (title, done_word(kind, row, decided_as)))
    };
    let titles_and_words: HashMap<String, (String, String)> = rows.map(title_and_word).collect();
    let title_of = |id: &str| titles_and_words.get(id).map(|(title, _)| title.clone()).unwrap_or_default();
    for (id, result) in results {
        model.deciding.remove(&id);
        match result {
            Ok(()) => {
                let title = title_of(&id);
                for key in Form::draft_keys(&id) {
                    if let Some(draft) = model.drafts.remove(&key) {
                        cmds.push(Cmd::KeepDraft(key.clone(), None));
                        drafts.push((key, draft));
                    }
                }
                done.push((id, title));
            }
            Err(failure) => {
                if failure.stale {
                    model.inbox.requested_card = None;
                    model.inbox.opened = None;
                }
                let what = match title_of(&id).as_str() {
                    "" => "Not decided".to_owned(),
                    title => format!("Not decided: “{title}”"),
                };
                failure_text = Some(format!("{what}: {}", failure.text));
            }
        }
    }
    if !done.is_empty() {
        model.decided_drafts = drafts;
        let mut words_used =
            done.iter().map(|(id, _)| titles_and_words.get(id).map_or(kind.word(), |(_, word)| word));
        let word = words_used.next().filter(|first| words_used.all(|word| word == *first));
        let what = what_was_done(word.unwrap_or(kind.word()), &done);
        drop_decided(model, kind, &done);
        let note = snooze_note(model, kind).unwrap_or_default();
        model.say(words::capitalized(&format!("{what}{note}")));
        if kind.can_be_undone() {
            cmds.extend(news::await_ends(model, kind, &done));
            model.undo = Some(Undo { kind, items: done, until: None, since: model.now });
        }
        cmds.extend(tabs::reload(model));
    }
    if let Some(failure_text) = failure_text {
        model.fail(failure_text);
        cmds.extend(tabs::reload(model));
    }
    cmds
}

/// Takes decided items out of the list, and follows the thread if its next question will replace the card.
fn drop_decided(model: &mut Model, kind: DecisionKind, done: &[(String, String)]) {
    let answered = follow::answered(model, done);
    let followed =
        answered.as_ref().filter(|row| is_followed(model, kind, row)).map(|row| row.thread.clone());
    let ids: HashSet<String> = done.iter().map(|(id, _)| id.clone()).collect();
    let list = &mut model.inbox.list;
    let cursor = list.selected().is_some_and(|row| ids.contains(&row.id)).then(|| list.cursor());
    list.drop_rows(&ids, model.wall);
    match (cursor, followed) {
        // Nothing else moves under the keys while the agent answers.
        (Some(_), Some(thread)) => model.inbox.following = Some(Followed { thread, idle: false }),
        (Some(cursor), None) => list.select(cursor),
        (None, _) => {}
    }
    follow::expect(model, kind, answered);
    // A glance taken before this would show the old state.
    model.inbox.stale_glance = model.inbox.is_glancing;
}

/// Until when items were snoozed, and the key that lists them; `None` for other decisions.
fn snooze_note(model: &Model, kind: DecisionKind) -> Option<String> {
    let DecisionKind::Snoozed { until } = kind else { return None };
    let until = until.to_zoned(model.options.time_zone.clone()).strftime("%a %-d %b %H:%M");
    let key = model.keymap.key_of(&model.scopes(), Action::ShowSnoozed);
    let key = key.map(|key| format!(" · {key} shows snoozed items")).unwrap_or_default();
    Some(format!(" until {until}{key}"))
}

fn what_was_done(word: &str, items: &[(String, String)]) -> String {
    match items {
        [(_, title)] if !title.is_empty() => format!("{word}: “{title}”"),
        many => format!("{word}: {}", count_noun(many.len(), "item")),
    }
}

/// What was done to an item, in the same words that later report how it ended.
fn done_word(kind: DecisionKind, row: &Row, decided_as: Option<&Edited>) -> String {
    let is_kind = |kind: Kind| row.kind == ItemKind::Interrupt(kind);
    let is_permission = is_kind(Kind::Approval) && row.action.starts_with(PROGRAM_ACTIONS);
    let word = match kind {
        // An invitation may be accepted or declined.
        DecisionKind::Accepted | DecisionKind::Edited if row.action == "answer_invitation" => {
            decided_as.and_then(|edited| edited.done.as_deref()).unwrap_or("answered")
        }
        DecisionKind::Accepted if is_permission => "allowed",
        DecisionKind::Edited if is_permission => "allowed, changed",
        DecisionKind::Ignored if is_permission => "refused",
        kind => kind.word(),
    };
    words::line(word)
}

/// Whether the thread of a decided row answers at once, so that it is worth watching. A program that asked continues
/// elsewhere.
fn is_followed(model: &Model, kind: DecisionKind, row: &Row) -> bool {
    let goes_elsewhere = row.action.starts_with(PROGRAM_ACTIONS) || !model.has_workflow(&row.workflow);
    follow::answers_at_once(kind) && !goes_elsewhere
}

/// Undoes the last decision; a bulk decision as a whole.
pub fn undo(model: &mut Model, press: Press) -> Vec<Cmd> {
    // Decisions taken elsewhere, or before this screen was opened, are undone one press at a time.
    let Some(undo) = model.undo.take() else {
        if !key_guard::is_deliberate(model, press) {
            return Vec::new();
        }
        let put_away = std::mem::take(&mut model.put_away);
        return vec![if put_away.is_empty() {
            Cmd::UndoLast
        } else {
            Cmd::PutAway(put_away, MailMove::Back)
        }];
    };
    let ids = undo.items.iter().filter_map(|(id, _)| crate::graph::InterruptId::parse(id).ok());
    let ids: Vec<_> = ids.collect();
    model.inbox.undoing = undo.items;
    if undo.kind.is_snooze() {
        model.inbox.goto = ids.first().map(ToString::to_string);
        return vec![Cmd::Snooze(ids, None)];
    }
    match ids.as_slice() {
        [] => Vec::new(),
        [one] => vec![Cmd::Undo(vec![one.clone()])],
        [first, ..] => vec![Cmd::UndoTogether(first.clone())],
    }
}

/// Shows that the newest decision of an earlier screen can still be undone, and says what it was.
pub fn restore_undo(
    model: &mut Model,
    result: InboxResult<Option<(UndoableBatch, Vec<ItemLine>)>>,
) -> Vec<Cmd> {
    let Some((batch, lines)) = model.ok_or_fail(result).flatten().filter(|_| model.undo.is_none()) else {
        return Vec::new();
    };
    let rows: Vec<Row> = lines.into_iter().map(Row::from).collect();
    let title_of = |id: &str| rows.iter().find(|row| row.id == id).map(|row| row.title.clone());
    let items: Vec<(String, String)> = batch
        .interrupts
        .iter()
        .map(ToString::to_string)
        .map(|id| (id.clone(), title_of(&id).unwrap_or_default()))
        .collect();
    let kind = rows.first().map_or(DecisionKind::Accepted, |row| decision_kind(&batch.decision, row));
    let word = rows.first().map_or_else(|| kind.word().to_owned(), |row| done_word(kind, row, None));
    model.say(words::capitalized(&what_was_done(&word, &items)));
    model.undo = Some(Undo { kind, items, until: None, since: model.now });
    // The next glance says how long.
    tabs::reload(model)
}

/// The kind of a stored decision. Items are decided together only if they are of one kind and one tool.
fn decision_kind(decision: &str, row: &Row) -> DecisionKind {
    match (decision, row.kind) {
        ("edit", ItemKind::Interrupt(Kind::Triage)) => DecisionKind::Written,
        ("edit", ItemKind::Interrupt(Kind::Question)) => DecisionKind::Answered,
        ("edit", _) => DecisionKind::Edited,
        ("respond", ItemKind::Interrupt(Kind::Approval)) if row.action.starts_with(PROGRAM_ACTIONS) => {
            DecisionKind::Refused
        }
        ("respond", _) => DecisionKind::Answered,
        ("ignore", _) => DecisionKind::Ignored,
        ("draft", _) => DecisionKind::Drafted,
        _ => DecisionKind::Accepted,
    }
}

/// Decisions were undone, or it was too late.
pub fn undone(model: &mut Model, results: Vec<(String, InboxResult<()>)>) -> Vec<Cmd> {
    if results.is_empty() {
        let scopes = [Scope::Decide, Scope::Global];
        let key = |action| model.keymap.key_of(&scopes, action).unwrap_or_default();
        let (past, class) = (key(Action::ShowDecisions), key(Action::Reclassify));
        model.say(format!(
            "Nothing can be taken back now · {past} lists past decisions, and {class} there reclassifies a mail"
        ));
        return Vec::new();
    }
    let undone_ids: Vec<&String> =
        results.iter().filter(|(_, result)| result.is_ok()).map(|(id, _)| id).collect();
    let failure = results.iter().find_map(|(_, result)| result.as_ref().err());
    model.inbox.goto = undone_ids.first().map(|id| (*id).clone());
    model.inbox.stale_glance = model.inbox.is_glancing;
    let undoing = std::mem::take(&mut model.inbox.undoing);
    let what = match undone_ids.as_slice() {
        [one] => {
            let title = undoing.iter().find(|(id, _)| id == *one).map(|(_, title)| title);
            let title = title.filter(|title| !title.is_empty());
            title.or_else(|| model.inbox.list.find(one).map(|row| &row.title))
        }
        _ => None,
    };
    let what = what.map_or_else(|| count_noun(undone_ids.len(), "item"), |title| format!("“{title}”"));
    match (undone_ids.len(), failure) {
        (0, Some(failure)) => model.fail(format!("Not undone: {}", failure.text)),
        (_, None) => model.say(format!("Undone: {what}")),
        (_, Some(failure)) => model.fail(format!("Undone: {what} · but not all: {}", failure.text)),
    }
    let mut cmds = Vec::new();
    for key in undone_ids.iter().flat_map(|id| Form::draft_keys(id)) {
        if let Some(index) = model.decided_drafts.iter().position(|(of, _)| *of == key) {
            let (key, draft) = model.decided_drafts.swap_remove(index);
            model.drafts.insert(key.clone(), draft.clone());
            cmds.push(Cmd::KeepDraft(key, Some(draft)));
        }
    }
    cmds.extend(tabs::reload(model));
    cmds
}

/// Asks whether to stop the selected thread.
pub fn stop(model: &mut Model, press: Press) -> Vec<Cmd> {
    if !key_guard::is_deliberate(model, press) {
        return Vec::new();
    }
    let (thread, title) = match (model.selected(), model.selected_running()) {
        (Some(row), _) => (row.thread.clone(), row.title.clone()),
        (None, Some(line)) => (line.id.clone(), words::line(&line.title)),
        (None, None) => return Vec::new(),
    };
    ask_stop(model, thread, &title)
}

pub fn ask_stop(model: &mut Model, thread: ThreadId, title: &str) -> Vec<Cmd> {
    model.push(Confirm::new(
        format!("Stop the thread “{title}”?"),
        "It stops at once and shows up as trouble, where you resume or abandon it.",
        Doc::default(),
        OnConfirm::Do(Cmd::Stop(thread)),
    ));
    Vec::new()
}

pub fn stopped(model: &mut Model, thread: ThreadId, result: InboxResult<()>) -> Vec<Cmd> {
    match result {
        Ok(()) => {
            model.say(format!("Stopped {thread}"));
            follow::follow_again(model, thread);
        }
        Err(failure) => model.fail(failure.text),
    }
    tabs::reload(model)
}

pub fn ask_why(model: &mut Model) -> Vec<Cmd> {
    why_target(model).map(|(id, _)| Cmd::Why(id)).into_iter().collect()
}

/// What `w` can ask about here, and its title: the selected item or decision, the thread of a skipped mail, or the last
/// question of the shown thread.
pub fn why_target(model: &Model) -> Option<(String, String)> {
    if let Some(review) = model.shown_review() {
        let (id, title) = match review.view.questions.last() {
            Some(question) => (question.id.to_string(), &question.title),
            None => (review.view.id.to_string(), &review.view.title),
        };
        return Some((id, words::line(title)));
    }
    if model.shows_history() {
        let line = model.inbox.history.list.selected()?;
        let id = line.interrupt.as_ref().map_or_else(|| line.thread.to_string(), ToString::to_string);
        return Some((id, words::line(&line.title)));
    }
    if model.shows_skipped() {
        let line = model.inbox.skipped.selected()?;
        return Some((line.thread.as_ref()?.to_string(), words::line(&line.title)));
    }
    model.selected().map(|row| (row.id.clone(), row.title.clone()))
}

/// Shows the answer if the user is still looking at that item.
pub fn why(model: &mut Model, id: &str, result: InboxResult<Card>) -> Vec<Cmd> {
    if !model.layers.is_empty() {
        return Vec::new();
    }
    let Some((_, title)) = why_target(model).filter(|(target, _)| target == id) else { return Vec::new() };
    if let Some(card) = model.ok_or_fail(result) {
        let meta = model.selected().filter(|row| row.id == id);
        let meta =
            meta.map(|row| format!("{id} · {} · {}", action_words(&row.workflow, &row.action), row.workflow));
        let doc = Doc::page(&title, &meta.unwrap_or_else(|| id.to_owned()), card.blocks);
        let title = match (model.shows_skipped(), model.shows_history()) {
            (true, _) => "Why it was skipped",
            (_, true) => "Why it was asked",
            _ => "Why it is here",
        };
        model.push(Page::new(title.to_owned(), doc));
    }
    Vec::new()
}

/// Copies the card to the clipboard.
pub fn copy(model: &mut Model) -> Vec<Cmd> {
    let Some(opened) = model.current() else { return Vec::new() };
    vec![Cmd::Copy(opened.item.text.clone())]
}
