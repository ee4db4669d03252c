//! Taking decisions back, while that is possible.

use super::send::{self, done_word, what_was_done};
use super::{away, grant, skipped};
use crate::engine::graph::{InterruptId, Kind, ThreadId};
use crate::inbox::door::Inbox;
use crate::inbox::{
    AnswerKind, DecidedBy, DecisionEnd, DecisionLine, DecisionQuery, InboxError, ItemKind, ItemLine,
    LineQuery, PROGRAM_ACTIONS, Query, UndoableBatch,
};
use crate::text::count_noun;
use crate::text::when::Past;
use crate::tui::model::{DecisionKind, Failure, InboxResult, Model, OwnLetter, PAGE, Undo};
use crate::tui::words;
use futures_util::future::join_all;

/// Undoes the last decision, or puts back the mail that was put away last; what was done together, as a whole.
pub fn undo(model: &mut Model) {
    match newest(model) {
        Some(Newest::Letter) => {
            return model.inbox.own_letter.take().into_iter().for_each(|letter| stop_letter(model, letter));
        }
        Some(Newest::PutAway) => {
            return model.put_away.pop().into_iter().for_each(|last| away::put_back(model, last.threads));
        }
        Some(Newest::Decision) | None => {}
    }
    let Some(undo) = model.undo.take() else { return undo_newest(model) };
    if undo.kind == DecisionKind::Written && model.inbox.own_letter.take().is_some() {
        // Its thread may hold it by now, which is the newest decision then.
        return undo_newest(model);
    }
    let ids: Vec<InterruptId> = undo.ids.iter().filter_map(|id| InterruptId::parse(id).ok()).collect();
    if undo.kind.is_snooze() {
        model.inbox.goto = ids.first().map(ToString::to_string);
        return send::snooze(model, ids, None);
    }
    match ids.as_slice() {
        [] => {}
        [_] => take_back(model, ids, undo.title),
        [first, ..] => {
            let first = first.clone();
            let undo = async move |inbox: Inbox| undo_batch(&inbox, first).await;
            model.start_any(undo, |model, results| undone(model, "", results));
        }
    }
}

/// What this screen did last, and `u` takes back first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Newest {
    Decision,
    PutAway,
    Letter,
}

fn newest(model: &Model) -> Option<Newest> {
    let decided = model.undo.as_ref().map(|undo| undo.since).max(model.inbox.decided_at);
    let put_away = model.put_away.last().map(|last| last.since);
    let letter = model.inbox.own_letter.as_ref().map(|letter| letter.since);
    // A reply that begins a mail of one's own is a decision of the same moment.
    let all = [(letter, Newest::Letter), (decided, Newest::Decision), (put_away, Newest::PutAway)];
    all.into_iter().filter_map(|(at, what)| Some((at?, what))).max_by_key(|(at, _)| *at).map(|(_, what)| what)
}

/// Whether what is held is what `u` takes back.
pub fn takes_back_held(model: &Model) -> bool {
    newest(model) == Some(Newest::Decision)
}

/// Stops a mail that the user began and that is not held yet. Its card stays.
fn stop_letter(model: &mut Model, letter: OwnLetter) {
    let OwnLetter { thread, to, .. } = letter;
    let stop = async move |inbox: Inbox| inbox.threads().stop(thread).await;
    model.start(stop, move |model, stopped| {
        match stopped {
            Ok(_) => model.report(DecisionEnd::Undone, format!("Stopped: the mail to {to} · its card waits")),
            Err(_) => model.report(DecisionEnd::Failed, format!("Too late to stop the mail to {to}")),
        }
        model.reload();
    });
}

/// Lets the last decision take effect now.
pub fn act_now(model: &mut Model) {
    let Some(undo) = model.undo.take() else { return };
    let ids: Vec<InterruptId> = undo.ids.iter().filter_map(|id| InterruptId::parse(id).ok()).collect();
    let act = async move |inbox: Inbox| {
        let mut results = Vec::new();
        for id in ids {
            match inbox.decisions().act_now(id, DecidedBy::Tui).await {
                // The thread's hold ended with another of its decisions.
                Err(InboxError::Conflict(_)) if results.iter().any(Result::is_ok) => {}
                result => results.push(result.map(drop)),
            }
        }
        results.into_iter().collect::<Result<(), InboxError>>()
    };
    model.start(act, |model, result| {
        model.ok_or_fail(result);
        model.reload();
    });
}

/// Takes decisions back, each by itself; if it is one, this is what it decided on.
pub fn take_back(model: &mut Model, ids: Vec<InterruptId>, title: String) {
    let undo = async move |inbox: Inbox| {
        let inbox = &inbox;
        let tasks = ids.into_iter().map(|id| async move {
            (id.to_string(), inbox.decisions().undo(id).await.map(|_| ()).map_err(Failure::from))
        });
        join_all(tasks).await
    };
    model.start_any(undo, move |model, results| undone(model, &title, results));
}

/// What `u` finds to undo, if this screen remembers nothing.
enum Found {
    Undone(Vec<(String, InboxResult<()>)>),
    /// Mails that were ignored together, or letters that were kept; their hold is over.
    Dismissed(Vec<DecisionLine>),
    /// A mail that was put away, if one can come back.
    PutAway(Option<ThreadId>),
}

/// Undoes the newest decision that can be undone, whoever took it; else shows the mail again that was just ignored, or
/// the letter that was kept, or puts back the one that was put away last.
fn undo_newest(model: &mut Model) {
    let undo = async move |inbox: Inbox| {
        let newest = inbox.decisions().last_decided().await?;
        if let Some(first) = newest.and_then(|batch| batch.interrupts.into_iter().next()) {
            return Ok(Found::Undone(undo_batch(&inbox, first).await));
        }
        let dismissed = inbox.mail().last_dismissed().await?;
        if !dismissed.is_empty() {
            return Ok(Found::Dismissed(dismissed));
        }
        Ok::<_, InboxError>(Found::PutAway(inbox.mail().last_put_away().await?))
    };
    model.read(undo, |model, found| match found {
        Found::Undone(decisions) => undone(model, "", decisions),
        Found::Dismissed(lines) => show_again(model, lines),
        // This screen knows what was put away together.
        Found::PutAway(thread) => match (model.put_away.pop(), thread) {
            (Some(last), _) => away::put_back(model, last.threads),
            (None, Some(thread)) => away::put_back(model, vec![thread]),
            (None, None) => undone(model, "", Vec::new()),
        },
    });
}

/// Shows mails and letters again that were dismissed together.
fn show_again(model: &mut Model, lines: Vec<DecisionLine>) {
    let is_kept = |line: &DecisionLine| line.answer == AnswerKind::Draft;
    let said = match lines.as_slice() {
        [line] if is_kept(line) => {
            format!("Back: “{}” · a copy is still among your drafts", words::line(&line.title))
        }
        [line] => {
            let said =
                format!("Shown again: “{}” · it no longer counts as ignored", words::line(&line.title));
            return skipped::reclassify(model, line.thread.clone(), "notify", said);
        }
        lines if lines.iter().any(is_kept) => {
            format!(
                "Back: {} · what you wrote is still among your drafts, too",
                count_noun(lines.len(), "item")
            )
        }
        lines => {
            format!("Shown again: {} · they no longer count as ignored", count_noun(lines.len(), "mail"))
        }
    };
    let show = async move |inbox: Inbox| {
        for line in lines {
            if is_kept(&line) {
                inbox.mail().bring_back(&line).await?;
            } else {
                inbox.mail().reclassify(line.thread, "notify".to_owned()).await?;
            }
        }
        Ok::<_, InboxError>(())
    };
    model.start(show, move |model, result| {
        if model.ok_or_fail(result).is_some() {
            model.report(DecisionEnd::Undone, said);
        }
        model.reload();
    });
}

/// Undoes everything that was decided together with this one.
async fn undo_batch(inbox: &Inbox, id: InterruptId) -> Vec<(String, InboxResult<()>)> {
    match inbox.decisions().undo_batch(id.clone()).await {
        Ok(outcomes) => outcomes.into_iter().map(send::outcome_by_id).collect(),
        Err(error) => vec![(id.to_string(), Err(error.into()))],
    }
}

/// Shows that the newest decision of an earlier screen can still be undone, and says what it was.
pub fn restore(model: &mut Model) {
    let last_decided = async move |inbox: Inbox| {
        let Some(last) = inbox.decisions().last_decided().await? else { return Ok(None) };
        let ids = last.interrupts.iter().map(ToString::to_string).collect();
        let lines = inbox.decisions().lines(LineQuery::Of(ids)).await?;
        let filter = Query { newer: Some(Past::At(last.at)), ..Query::default() };
        let query = DecisionQuery { filter, limit: PAGE, only_answers: true, after: None };
        let mut decided = inbox.decisions().history(query).await?.rows.into_iter();
        let decided = decided.find(|line| line.interrupt.as_ref() == last.interrupts.first());
        Ok::<_, InboxError>(Some((last, lines, decided)))
    };
    model.read(last_decided, |model, last| {
        if let Some((batch, lines, decided)) = last.filter(|_| model.undo.is_none()) {
            restored(model, batch, lines, decided);
        }
    });
}

fn restored(model: &mut Model, batch: UndoableBatch, rows: Vec<ItemLine>, decided: Option<DecisionLine>) {
    let ids: Vec<String> = batch.interrupts.iter().map(ToString::to_string).collect();
    let title = match (ids.as_slice(), rows.as_slice()) {
        ([_], [row]) => row.title.clone(),
        _ => String::new(),
    };
    let kind = rows.first().map_or(DecisionKind::Accepted, |row| decision_kind(&batch.decision, row));
    let word = rows.first().map_or_else(|| kind.word().to_owned(), |row| done_word(kind, row, None));
    let to = match (rows.as_slice(), decided) {
        ([row], Some(decided)) if row.action == "write_email" && row.irreversible => {
            words::recipients(&decided.args, &model.inbox.names)
        }
        _ => None,
    };
    let sends = to.is_some() && send::end_of(kind) == DecisionEnd::Pending;
    let what = match to.filter(|_| sends) {
        Some(to) => format!("Sending to {to}"),
        None => words::capitalized(&what_was_done(&word, ids.len(), &title)),
    };
    let what = words::line(&what);
    model.report(send::end_of(kind), &what);
    model.undo = Some(Undo { kind, ids, title, what, sends, until: None, since: model.now });
    // The next glance says how long.
    model.reload();
}

/// The kind of a stored decision. Items are decided together only if they are of one kind and one tool.
fn decision_kind(decision: &str, row: &ItemLine) -> DecisionKind {
    match (decision, row.kind) {
        ("edit", ItemKind::Question(Kind::Triage)) => DecisionKind::Written,
        ("edit", ItemKind::Question(Kind::Question)) => DecisionKind::Answered,
        ("edit", _) => DecisionKind::Edited,
        ("respond", ItemKind::Question(Kind::Approval)) if row.action.starts_with(PROGRAM_ACTIONS) => {
            DecisionKind::Refused
        }
        ("respond", _) => DecisionKind::Answered,
        ("ignore", _) => DecisionKind::Ignored,
        ("draft", _) => DecisionKind::Drafted,
        _ => DecisionKind::Accepted,
    }
}

/// Decisions were undone, or it was too late.
fn undone(model: &mut Model, title: &str, results: Vec<(String, InboxResult<()>)>) {
    if results.is_empty() {
        return model.refuse(
            "Nothing can be taken back now · <show_decisions> lists past decisions, and <reclassify> there \
             reclassifies a mail",
        );
    }
    let undone_ids: Vec<&String> =
        results.iter().filter(|(_, result)| result.is_ok()).map(|(id, _)| id).collect();
    let failure = results.iter().find_map(|(_, result)| result.as_ref().err());
    model.inbox.goto = undone_ids.first().map(|id| (*id).clone());
    model.inbox.stale_glance = model.inbox.is_glancing;
    let what = match (undone_ids.as_slice(), title) {
        ([one], "") => model.inbox.list.find(one).map(|row| row.title.as_str()),
        ([_], title) => Some(title),
        _ => None,
    };
    let what = what.map_or_else(|| count_noun(undone_ids.len(), "item"), |title| format!("“{title}”"));
    match (undone_ids.len(), failure) {
        (0, Some(failure)) => model.report(DecisionEnd::Failed, format!("Not taken back: {}", failure.text)),
        (_, None) => model.report(DecisionEnd::Undone, format!("Taken back: {what}")),
        (_, Some(failure)) => {
            let text = format!("Taken back: {what} · but not all: {}", failure.text);
            model.report(DecisionEnd::Failed, text);
        }
    }
    // Their end has been told.
    model.inbox.news.awaited.retain(|id| !undone_ids.contains(&id));
    let ids = undone_ids.iter().filter_map(|id| InterruptId::parse(id).ok()).collect();
    for key in undone_ids.iter().flat_map(|id| send::draft_keys(id)) {
        if let Some(index) = model.decided_drafts.iter().position(|(of, _)| *of == key) {
            let (key, draft) = model.decided_drafts.swap_remove(index);
            model.drafts.insert(key.clone(), draft.clone());
            model.keep_draft(key, Some(draft));
        }
    }
    grant::propose_end(model, ids);
    model.reload();
}
