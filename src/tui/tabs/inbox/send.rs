//! Decisions on their way: they count once the store says so, and are reported then.

use super::{follow, news};
use crate::engine::graph::{Decision, InterruptId, Kind, ThreadId};
use crate::inbox::door::Inbox;
use crate::inbox::{
    ANSWER_INVITATION, Coming, DecisionEnd, DecisionRequest, Edited, InboxError, ItemKind, ItemLine, Outcome,
    PROGRAM_ACTIONS, unsent_edit_key,
};
use crate::text::count_noun;
use crate::tui::model::{DecisionKind, Failure, Followed, InboxResult, Model, OwnLetter, Undo};
use crate::tui::words;
use futures_util::future::join_all;
use jiff::Timestamp;
use std::collections::{HashMap, HashSet};

/// Sends a decision. It counts once the store says so.
pub fn send(model: &mut Model, kind: DecisionKind, decision: DecisionRequest) {
    let id = decision.interrupt.to_string();
    remember_names(model);
    let question = model.question().filter(|question| question.id == decision.interrupt);
    let as_proposed = question.map(|question| question.edited(&question.args));
    let sends = question.filter(|question| question.action == "write_email" && question.irreversible);
    let args = match &decision.decision {
        Decision::Edit { args } => {
            Some(args).filter(|_| sends.is_some() || question.is_some_and(|one| one.edit_from.is_some()))
        }
        Decision::Accept => sends.map(|question| &question.args),
        _ => None,
    };
    let to = args.and_then(|args| words::recipients(args, &model.inbox.names));
    model.inbox.sent_to.remove(&id);
    model.inbox.sent_to.extend(to.map(|to| (id.clone(), (to, model.wall))));
    // An edit was reviewed before, which told what it became.
    if !matches!(decision.decision, Decision::Edit { .. }) {
        model.inbox.decided_as.remove(&id);
        model.inbox.decided_as.extend(as_proposed.map(|as_proposed| (id.clone(), as_proposed)));
    }
    decide(model, kind, vec![decision]);
}

/// Remembers what the people are called whose mails are on the card.
fn remember_names(model: &mut Model) {
    let Some(opened) = model.current() else { return };
    let name = |from: &str| {
        let address = from.strip_suffix('>')?.rsplit_once('<')?.1;
        Some((address.to_owned(), words::name(from).to_owned()))
    };
    let names: Vec<(String, String)> = opened.doc.mails().filter_map(|mail| name(&mail.from)).collect();
    model.inbox.names.extend(names);
}

/// Takes decisions. Items confirmed together are decided together, so that they can be undone together.
pub fn decide(model: &mut Model, kind: DecisionKind, mut requests: Vec<DecisionRequest>) {
    model.deciding.extend(requests.iter().map(|request| request.interrupt.to_string()));
    let decide = async move |inbox: Inbox| {
        if requests.len() == 1
            && let Some(request) = requests.pop()
        {
            let id = request.interrupt.clone();
            return vec![outcome_by_id((id, inbox.decisions().decide(request).await))];
        }
        let outcomes = inbox.decisions().decide_together(requests).await;
        outcomes.into_iter().map(outcome_by_id).collect()
    };
    model.start_any(decide, move |model, results| decided(model, kind, results));
}

pub fn outcome_by_id((id, outcome): (InterruptId, Result<Outcome, InboxError>)) -> (String, InboxResult<()>) {
    (id.to_string(), outcome.map(|_| ()).map_err(Failure::from))
}

/// Files results away.
pub fn file_away(model: &mut Model, threads: Vec<ThreadId>) {
    let file_away = async move |inbox: Inbox| {
        let inbox = &inbox;
        let tasks = threads.into_iter().map(|thread| async move {
            let id = thread.to_string();
            (id, inbox.decisions().file_away(thread).await.map(|_| ()).map_err(Failure::from))
        });
        join_all(tasks).await
    };
    model.start_any(file_away, |model, results| decided(model, DecisionKind::Filed, results));
}

/// Goes on after a result.
pub fn proceed(model: &mut Model, thread: ThreadId, words: String) {
    let id = thread.to_string();
    model.deciding.insert(id.clone());
    let proceed = async move |inbox: Inbox| inbox.threads().proceed(thread, words).await;
    model.start(proceed, |model, result| {
        decided(model, DecisionKind::Continued, vec![(id, result.map(|_| ()))]);
    });
}

/// Snoozes until then; without a time, wakes.
pub fn snooze(model: &mut Model, ids: Vec<InterruptId>, until: Option<Timestamp>) {
    let snooze = async move |inbox: Inbox| {
        let inbox = &inbox;
        let tasks = ids.into_iter().map(|id| async move {
            let snoozed = inbox.decisions().snooze(id.clone(), until).await;
            (id.to_string(), snoozed.map(|_| ()).map_err(Failure::from))
        });
        join_all(tasks).await
    };
    let kind = until.map_or(DecisionKind::Woken, |until| DecisionKind::Snoozed { until });
    model.start_any(snooze, move |model, results| decided(model, kind, results));
}

/// Accepts, and allows or remembers more of the same; `then` hears whether that was done.
pub fn accept<T, F>(
    model: &mut Model,
    interrupt: &InterruptId,
    work: impl FnOnce(Inbox) -> F + Send + 'static,
    then: impl FnOnce(&mut Model, T) + Send + 'static,
) where
    T: Send + 'static,
    F: Future<Output = Result<T, InboxError>> + Send + 'static,
{
    let id = interrupt.to_string();
    model.deciding.insert(id.clone());
    model.start(work, |model, result| {
        let (accepted, value) = match result {
            Ok(value) => (Ok(()), Some(value)),
            Err(failure) => (Err(failure), None),
        };
        decided(model, DecisionKind::Accepted, vec![(id, accepted)]);
        if let Some(value) = value {
            then(model, value);
        }
    });
}

/// The key under which an unsent answer is kept.
pub fn respond_key(item: &str) -> String {
    format!("respond:{item}")
}

/// The keys under which an item's drafts are kept.
pub fn draft_keys(item: &str) -> [String; 2] {
    [unsent_edit_key(item), respond_key(item)]
}

/// Decisions were stored or refused.
pub fn decided(model: &mut Model, kind: DecisionKind, results: Vec<(String, InboxResult<()>)>) {
    let mut done: Vec<String> = Vec::new();
    let mut failure_text = None;
    let mut drafts = Vec::new();
    let ids: HashSet<&str> = results.iter().map(|(id, _)| id.as_str()).collect();
    let sent_to: Vec<(String, Timestamp)> =
        ids.iter().filter_map(|id| model.inbox.sent_to.remove(*id)).collect();
    let written_for = model.inbox.list.all().iter().find(|row| ids.contains(row.id.as_str()));
    let written_for = written_for.filter(|_| kind == DecisionKind::Written).map(|row| row.thread.clone());
    let decided_as: HashMap<String, Edited> =
        ids.iter().filter_map(|id| model.inbox.decided_as.remove_entry(*id)).collect();
    let rows = model.inbox.list.all().iter().filter(|row| ids.contains(row.id.as_str()));
    let mut follows = "";
    let title_and_word = |row: &ItemLine| {
        let decided_as = decided_as.get(&row.id);
        let title = words::line(decided_as.map_or(&row.title, |edited| &edited.title));
        let word = done_word(kind, row, decided_as);
        follows = Coming::follows(&row.action, &word);
        (row.id.clone(), (title, word))
    };
    let titles_and_words: HashMap<String, (String, String)> = rows.map(title_and_word).collect();
    let title_of = |id: &str| titles_and_words.get(id).map(|(title, _)| title.clone()).unwrap_or_default();
    for (id, result) in results {
        model.deciding.remove(&id);
        match result {
            Ok(()) => {
                for key in draft_keys(&id) {
                    if let Some(draft) = model.drafts.remove(&key) {
                        model.keep_draft(key.clone(), None);
                        drafts.push((key, draft));
                    }
                }
                done.push(id);
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
            done.iter().map(|id| titles_and_words.get(id).map_or(kind.word(), |(_, word)| word));
        let word = words_used.next().filter(|first| words_used.all(|word| word == *first));
        let title = if let [only] = done.as_slice() { title_of(only) } else { String::new() };
        let what = what_was_done(word.unwrap_or(kind.word()), done.len(), &title);
        drop_decided(model, kind, &done);
        let note = snooze_note(model, kind).unwrap_or_default();
        let to = sent_to.into_iter().next().filter(|_| done.len() == 1);
        let sends = to.is_some() && end_of(kind) == DecisionEnd::Pending;
        let what = match to.as_ref().filter(|_| sends) {
            Some((to, _)) => format!("Sending to {to}"),
            None => words::line(&words::capitalized(&format!("{what}{note}{follows}"))),
        };
        model.report(end_of(kind), &what);
        if kind.can_be_undone() {
            news::await_ends(model, kind, &done);
            if let (Some(thread), Some((to, begun))) = (written_for, to) {
                model.inbox.own_letter = Some(OwnLetter { thread, to, since: model.now, begun });
            }
            model.inbox.decided_at = Some(model.now);
            model.undo = Some(Undo { kind, ids: done, title, what, sends, until: None, since: model.now });
        }
        model.reload();
    }
    if let Some(failure_text) = failure_text {
        model.report_also(DecisionEnd::Failed, failure_text);
        model.reload();
    }
}

/// How a decision that was stored has ended: what it approved has not happened yet.
pub fn end_of(kind: DecisionKind) -> DecisionEnd {
    match kind {
        DecisionKind::Accepted | DecisionKind::Edited | DecisionKind::Drafted => DecisionEnd::Pending,
        DecisionKind::Refused | DecisionKind::Ignored => DecisionEnd::Ignored,
        DecisionKind::Written
        | DecisionKind::Answered
        | DecisionKind::Filed
        | DecisionKind::Continued
        | DecisionKind::Snoozed { .. }
        | DecisionKind::Woken => DecisionEnd::Done,
    }
}

/// Takes decided items out of the list, and follows the thread if its next question will replace the card.
fn drop_decided(model: &mut Model, kind: DecisionKind, done: &[String]) {
    let answered = follow::answered(model, done);
    let followed =
        answered.as_ref().filter(|row| is_followed(model, kind, row)).map(|row| row.thread.clone());
    let ids: HashSet<String> = done.iter().cloned().collect();
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

/// Until when items were snoozed, and how to list them; `None` for other decisions.
fn snooze_note(model: &Model, kind: DecisionKind) -> Option<String> {
    let DecisionKind::Snoozed { until } = kind else { return None };
    let until = until.to_zoned(model.options.time_zone.clone()).strftime("%a %-d %b %H:%M");
    Some(format!(" until {until} · {}", model.spell("<show_snoozed> shows snoozed items")))
}

/// What was done to so many items; to one, with its title.
pub fn what_was_done(word: &str, count: usize, title: &str) -> String {
    match title {
        "" => format!("{word}: {}", count_noun(count, "item")),
        title => format!("{word}: “{title}”"),
    }
}

/// What was done to an item, in the same words that later report how it ended.
pub fn done_word(kind: DecisionKind, row: &ItemLine, decided_as: Option<&Edited>) -> String {
    let is_kind = |kind: Kind| row.kind == ItemKind::Question(kind);
    let is_permission = is_kind(Kind::Approval) && row.action.starts_with(PROGRAM_ACTIONS);
    let word = match kind {
        // An invitation may be accepted or declined.
        DecisionKind::Accepted | DecisionKind::Edited if row.action == ANSWER_INVITATION => {
            decided_as.and_then(|edited| edited.done.as_deref()).unwrap_or("answered")
        }
        DecisionKind::Accepted if is_kind(Kind::Triage) => "noted",
        DecisionKind::Accepted if is_permission => "allowed",
        DecisionKind::Edited if is_permission => "allowed, changed",
        DecisionKind::Ignored if is_permission => "refused",
        kind => kind.word(),
    };
    words::line(word)
}

/// Whether the thread of a decided row answers at once, so that it is worth watching. A program that asked continues
/// elsewhere.
fn is_followed(model: &Model, kind: DecisionKind, row: &ItemLine) -> bool {
    let goes_elsewhere = row.action.starts_with(PROGRAM_ACTIONS) || !model.has_workflow(&row.workflow);
    follow::answers_at_once(kind) && !goes_elsewhere
}

/// The question whether to accept an item. An answer to an invitation may decline it, so "accept" would mislead.
pub fn accept_question(action: &str, accept: &'static str) -> &'static str {
    match action {
        ANSWER_INVITATION => "Answer the invitation like this?",
        _ => accept,
    }
}
