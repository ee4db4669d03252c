//! What a person did without answering a question: snoozed it, reclassified a mail or moved it. Listed with decisions.

use crate::engine::graph::EventKind;
use crate::engine::store::StoreError;
use crate::engine::store::log::{Arrived, Entry, EntryKind, Snoozed};
use crate::engine::store::record::since_step::AskedQuestion;
use crate::engine::store::rows::{self, MailRow, ThreadRow, time};
use crate::inbox::{AnswerKind, DecisionEnd, DecisionLine, MOVING_WORKFLOW, Status};
use rusqlite::{Connection, params};
use serde_json::{Value, json};

/// The entries that may record such an action, since a time and before a place, in no order.
pub fn places(db: &Connection, since: i64, before: i64) -> Result<Vec<i64>, StoreError> {
    let actions = "SELECT seq FROM log INDEXED BY log_actions
         WHERE kind IN ('corrected', 'snoozed') AND at >= ?1 AND seq < ?2
         UNION ALL
         SELECT seq FROM threads INDEXED BY threads_by_workflow
         WHERE workflow = ?3 AND created_at >= ?1 AND seq < ?2";
    rows::column(db, actions, params![since, before, MOVING_WORKFLOW])
}

/// The action that an entry records; `None` if nobody acted, or if its thread was pruned.
pub fn line(db: &Connection, entry: &Entry) -> Result<Option<DecisionLine>, StoreError> {
    if entry.body.is_none() {
        return Ok(None);
    }
    let thread = ThreadRow::by_seq(db, entry.stream)?;
    let blank = DecisionLine {
        at: time(entry.at)?,
        interrupt: None,
        thread: thread.id.clone(),
        workflow: thread.workflow.clone(),
        kind: None,
        action: String::new(),
        title: thread.title.clone(),
        source: None,
        answer: AnswerKind::Move,
        text: None,
        args: Value::Null,
        by: None,
        end: DecisionEnd::Done,
        outcome: String::new(),
        ended_at: None,
        seq: entry.seq,
        batch: None,
    };
    match entry.kind {
        EntryKind::Snoozed => snoozed(db, entry, blank),
        EntryKind::Corrected => reclassified(db, entry, blank),
        EntryKind::Started => moved(db, &thread, blank).map(Some),
        _ => Ok(None),
    }
}

fn snoozed(db: &Connection, entry: &Entry, blank: DecisionLine) -> Result<Option<DecisionLine>, StoreError> {
    let Snoozed { until, overdue } = entry.parse_body()?;
    // Then nobody snoozed it.
    if overdue.is_some() {
        return Ok(None);
    }
    let asked = AskedQuestion::read(db, entry.stream, entry.about.unwrap_or_default())?.asked;
    let until = until.map(time).transpose()?;
    Ok(Some(DecisionLine {
        interrupt: Some(asked.id),
        kind: Some(asked.interrupt.kind),
        action: asked.interrupt.action,
        title: if asked.interrupt.title.is_empty() { blank.title } else { asked.interrupt.title },
        source: asked.interrupt.source,
        answer: AnswerKind::Snooze,
        args: json!({ "until": until }),
        outcome: if until.is_some() { "snoozed" } else { "snooze ended" }.to_owned(),
        ..blank
    }))
}

fn reclassified(
    db: &Connection,
    entry: &Entry,
    blank: DecisionLine,
) -> Result<Option<DecisionLine>, StoreError> {
    let EventKind::Corrected { payload } = entry.parse_body::<Arrived>()?.event.what else { return Ok(None) };
    let Some(class) = payload.get("class").and_then(Value::as_str) else { return Ok(None) };
    let mails = MailRow::received(db, entry.stream)?;
    Ok(Some(DecisionLine {
        action: "reclassify".to_owned(),
        source: mails.into_iter().next().map(|mail| mail.sender),
        answer: AnswerKind::Reclassify,
        outcome: format!("reclassified as {class}"),
        ..blank
    }))
}

/// A mail that its thread was to move or to mute; its title says where to. Its output says where the mail is. The line leads to
/// the mail's own thread, which people know.
fn moved(db: &Connection, thread: &ThreadRow, blank: DecisionLine) -> Result<DecisionLine, StoreError> {
    let output = thread.output()?;
    let is_mute = output.as_ref().is_some_and(|output| output.pointer("/to/mute").is_some());
    let (end, outcome) = match (&output, thread.status) {
        (_, Status::Ready | Status::Running | Status::Held | Status::Joining) => {
            (DecisionEnd::Pending, "not acted on yet")
        }
        (_, Status::Trouble | Status::Waiting) => (DecisionEnd::Failed, "failed"),
        (Some(output), Status::Done | Status::Abandoned) if output["back"] == true => {
            (DecisionEnd::Undone, if is_mute { "muted, then undone" } else { "moved, then put back" })
        }
        (Some(_), Status::Done | Status::Abandoned) => {
            (DecisionEnd::Done, if is_mute { "muted" } else { "moved" })
        }
        (None, Status::Done | Status::Abandoned) => (DecisionEnd::Failed, "not moved"),
    };
    let of_mail =
        |name: &str| output.as_ref().and_then(|output| output.pointer("/mail")?.get(name)?.as_str());
    let mail = of_mail("identity").map(|identity| MailRow::find(db, identity)).transpose()?.flatten();
    let own = mail.and_then(|mail| mail.thread).map(|seq| ThreadRow::by_seq(db, seq)).transpose()?;
    Ok(DecisionLine {
        thread: own.map_or(blank.thread, |own| own.id),
        action: thread.workflow.clone(),
        source: of_mail("from").map(str::to_owned),
        end,
        outcome: outcome.to_owned(),
        ..blank
    })
}
