//! Delivers events from outside to a thread: at once if it waits, otherwise before its next node.

use crate::engine::graph::{Event, EventKind, ThreadId};
use crate::engine::store::log::{Arrived, Closed, Entry, EntryKind, Resolved, Step, Stepped, Tx, UndoReason};
use crate::engine::store::record::answers::{amend, reopen_all};
use crate::engine::store::record::append::{append, append_steps, raw};
use crate::engine::store::record::calls;
use crate::engine::store::record::since_step::{AskedQuestion, SinceStep, is_news};
use crate::engine::store::rows::ThreadRow;
use crate::engine::store::{StoreError, Threads};
use crate::inbox::{NextView, Status};

/// An event, and the updates its workflow makes of it.
#[derive(Clone, Debug)]
pub struct Arrival {
    pub thread: ThreadId,
    pub event: Event,
    /// A JSON array.
    pub updates: String,
    /// The workflow's entry node, where a thread restarts after words that follow a result.
    pub entry: String,
    /// The entry it was queued under, if it was.
    pub queued: Option<i64>,
}

impl Threads<'_> {
    /// Delivers an event to a thread.
    pub async fn deliver(self, arrival: Arrival) -> Result<ThreadId, StoreError> {
        self.0.write(move |tx| run(tx, &arrival)).await
    }

    /// Delivers an event to a thread that waits and has no answer yet; returns whether it did. It never overrides an
    /// answer, even one that can still be taken back.
    pub async fn deliver_if_unanswered(self, arrival: Arrival) -> Result<bool, StoreError> {
        self.0
            .write(move |tx| {
                let row = ThreadRow::find(tx, &arrival.thread)?;
                if row.pruned_at.is_some() || SinceStep::read(tx, &row)?.status(tx, &row)? != Status::Waiting
                {
                    return Ok(false);
                }
                run(tx, &arrival)?;
                Ok(true)
            })
            .await
    }

    /// Delivers the outcome to a thread that is done; the thread records it and stays done. Returns whether it did.
    pub async fn deliver_if_done(self, arrival: Arrival) -> Result<bool, StoreError> {
        self.0
            .write(move |tx| {
                let mut row = ThreadRow::find(tx, &arrival.thread)?;
                if row.pruned_at.is_some() || row.status != Status::Done {
                    return Ok(false);
                }
                let recent = SinceStep::read(tx, &row)?;
                let next = NextView::End { end: true };
                take_in(tx, &mut row, &recent, &arrival, next, Vec::new())?;
                Ok(true)
            })
            .await
    }
}

pub fn run(tx: &Tx<'_>, arrival: &Arrival) -> Result<ThreadId, StoreError> {
    let mut row = ThreadRow::find(tx, &arrival.thread)?;
    row.refuse_pruned()?;
    let recent = SinceStep::read(tx, &row)?;
    let is_words = matches!(arrival.event.what, EventKind::Words { .. });
    let is_correction = matches!(arrival.event.what, EventKind::Corrected { .. });
    // The log does not know that a hold has passed; the row of a thread that is working again does.
    let status = match (recent.status(tx, &row)?, row.status) {
        (Status::Held, at_work @ (Status::Ready | Status::Running)) => at_work,
        (status, _) => status,
    };
    match status {
        Status::Done if is_words || is_correction || came_too_late(&row, arrival) => {
            restart(tx, &mut row, &recent, arrival)?;
        }
        Status::Done | Status::Abandoned => match arrival.queued {
            // The thread has ended, so nobody will take it in.
            Some(queued) => {
                let resolved = Resolved { drops: vec![queued], ..Resolved::default() };
                append(tx, &mut row, EntryKind::Resolved, None, &resolved)?;
            }
            None => {
                let why = format!("it is {status}");
                return Err(StoreError::NotOpen { id: row.id.to_string(), why });
            }
        },
        _ if is_words => {
            let what = match status {
                Status::Waiting => "waits for an answer; `sayso list` shows what it asks",
                Status::Trouble => "is in trouble; decide that first, `sayso list kind:trouble` shows it",
                _ => "is still at work; words are taken up after its result",
            };
            return Err(StoreError::Conflict(format!("thread `{}` {what}", row.id)));
        }
        _ if reaches_questions(&recent, status, &arrival.event) => {
            reopen_all(tx, &mut row, &recent, UndoReason::Arrival)?;
            deliver_to_questions(tx, &mut row, &recent, arrival)?;
        }
        _ if is_correction => {
            let text = format!("thread `{}` is still at work; correct it when it waits or has ended", row.id);
            return Err(StoreError::Conflict(text));
        }
        // Here the held answer is about trouble, and the news may change it.
        Status::Held => {
            reopen_all(tx, &mut row, &recent, UndoReason::Arrival)?;
            update_trouble(tx, &mut row, &recent, &arrival.event)?;
            queue_once(tx, &mut row, arrival)?;
        }
        Status::Trouble => {
            update_trouble(tx, &mut row, &recent, &arrival.event)?;
            queue_once(tx, &mut row, arrival)?;
        }
        Status::Waiting | Status::Ready | Status::Running | Status::Joining => {
            queue_once(tx, &mut row, arrival)?;
        }
    }
    Ok(row.id)
}

/// News that was queued while the thread's last node ran. Nobody has seen it, so it restarts the thread like words do.
fn came_too_late(row: &ThreadRow, arrival: &Arrival) -> bool {
    is_news(&arrival.event) && arrival.queued.is_some() && arrival.updates != "[]" && row.parent.is_none()
}

/// Whether an event affects a thread's questions: while they are open or can still be reopened. News also does if
/// something irreversible was approved without it and has not begun.
fn reaches_questions(recent: &SinceStep, status: Status, event: &Event) -> bool {
    match status {
        Status::Waiting | Status::Held | Status::Trouble => recent.asks(),
        Status::Ready | Status::Running => is_news(event) && recent.has_unstarted_approval(),
        Status::Joining | Status::Done | Status::Abandoned => false,
    }
}

/// Appends the event, unless it was already queued; returns the new entry.
fn queue_once(tx: &Tx<'_>, row: &mut ThreadRow, arrival: &Arrival) -> Result<Option<Entry>, StoreError> {
    match arrival.queued {
        Some(_) => Ok(None),
        None => queue(tx, row, &arrival.event).map(Some),
    }
}

/// Stores an event until the thread can take it in. What was called without it is to be called again.
pub fn queue(tx: &Tx<'_>, row: &mut ThreadRow, event: &Event) -> Result<Entry, StoreError> {
    let kind = match event.what {
        EventKind::Words { .. } => EntryKind::Continued,
        EventKind::Corrected { .. } => EntryKind::Corrected,
        EventKind::Hint { .. } | EventKind::News { .. } | EventKind::AnsweredElsewhere { .. } => {
            EntryKind::Arrived
        }
    };
    let from = if kind == EntryKind::Arrived { None } else { Some(tx.opened()?) };
    calls::forget(tx, row)?;
    append(tx, row, kind, None, &Arrived { event: event.clone(), from })
}

/// Tells the person who decides trouble about mail that came meanwhile; the trouble records it, in case it ends the
/// thread. If the matter was settled elsewhere, its trouble is closed, except for the question of whether an effect
/// happened.
fn update_trouble(
    tx: &Tx<'_>,
    row: &mut ThreadRow,
    recent: &SinceStep,
    event: &Event,
) -> Result<Vec<i64>, StoreError> {
    let mut remaining = Vec::new();
    for trouble in recent.troubles() {
        // An answer that was not acted on has just been taken back.
        if trouble.current_answer().is_some_and(|answer| answer.acted) {
            continue;
        }
        match &event.what {
            EventKind::AnsweredElsewhere { reason, .. } if trouble.asked.interrupt.action != "in_doubt" => {
                close(tx, row, trouble.seq, reason)?;
                continue;
            }
            EventKind::News { warning, .. } => amend(tx, row, trouble, warning, &event.id)?,
            EventKind::AnsweredElsewhere { .. }
            | EventKind::Words { .. }
            | EventKind::Hint { .. }
            | EventKind::Corrected { .. } => {}
        }
        remaining.push(trouble.seq);
    }
    Ok(remaining)
}

pub(super) fn close(tx: &Tx<'_>, row: &mut ThreadRow, question: i64, why: &str) -> Result<(), StoreError> {
    append(tx, row, EntryKind::Closed, Some(question), &Closed { why: why.to_owned() })?;
    Ok(())
}

/// Runs a finished thread again from its entry node, after words, a correction, or news that came too late.
fn restart(
    tx: &Tx<'_>,
    row: &mut ThreadRow,
    recent: &SinceStep,
    arrival: &Arrival,
) -> Result<(), StoreError> {
    let next = NextView::Goto { goto: arrival.entry.clone() };
    take_in(tx, row, recent, arrival, next, Vec::new())
}

/// Delivers an event to a thread that waits. On news, its questions stay open and are amended, unless they yield to
/// news.
fn deliver_to_questions(
    tx: &Tx<'_>,
    row: &mut ThreadRow,
    recent: &SinceStep,
    arrival: &Arrival,
) -> Result<(), StoreError> {
    let mut open = update_trouble(tx, row, recent, &arrival.event)?;
    let asked: Vec<&AskedQuestion> = recent.node_questions().collect();
    let closes = is_news(&arrival.event)
        && !asked.is_empty()
        && asked.iter().all(|q| q.asked.interrupt.closes_on_news);
    let mut ask = Vec::new();
    for question in asked {
        match &arrival.event.what {
            EventKind::News { .. } if closes => close(tx, row, question.seq, "new mail came")?,
            EventKind::AnsweredElsewhere { reason, .. } => close(tx, row, question.seq, reason)?,
            EventKind::Corrected { .. } => close(tx, row, question.seq, "the thread was corrected")?,
            EventKind::News { warning, .. } => {
                amend(tx, row, question, warning, &arrival.event.id)?;
                open.push(question.seq);
            }
            EventKind::Words { .. } | EventKind::Hint { .. } => open.push(question.seq),
        }
        ask.push(question.asked.id.clone());
    }
    open.sort_unstable();
    let node = recent.step.node.clone();
    let next = match &arrival.event.what {
        EventKind::Corrected { .. } => NextView::Goto { goto: arrival.entry.clone() },
        _ if closes => NextView::Goto { goto: arrival.entry.clone() },
        EventKind::AnsweredElsewhere { .. } => NextView::Goto { goto: node },
        EventKind::News { .. } | EventKind::Words { .. } | EventKind::Hint { .. } => {
            NextView::Ask { ask, then: node }
        }
    };
    take_in(tx, row, recent, arrival, next, open)
}

/// Turns the event into a step.
pub(super) fn take_in(
    tx: &Tx<'_>,
    row: &mut ThreadRow,
    recent: &SinceStep,
    arrival: &Arrival,
    next: NextView,
    open: Vec<i64>,
) -> Result<(), StoreError> {
    let entry = queue_once(tx, row, arrival)?;
    let arrived = entry.as_ref().map(|entry| entry.seq).or(arrival.queued);
    let similar = recent.entries.iter().find(|entry| Some(entry.seq) == arrived).or(entry.as_ref());
    let similar: Vec<&Entry> = similar.into_iter().collect();
    let waiting_events =
        recent.waiting_events.iter().map(|(seq, _)| *seq).filter(|seq| Some(*seq) != arrived);
    let step = Step { node: "ARRIVED".to_owned(), updates: raw(&arrival.updates)?, ms: None };
    let steps = [step];
    let stepped = Stepped {
        takes: arrived.into_iter().collect(),
        open,
        waiting_events: waiting_events.collect(),
        // An unread result stays unread.
        result: row.unread,
        ..Stepped::new(recent.step.steps, &steps, next)
    };
    calls::forget(tx, row)?;
    append_steps(tx, row, &stepped, &steps, &similar)?;
    Ok(())
}
