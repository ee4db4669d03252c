//! What reaches a thread from outside: at once where it waits, else before its next node.

use super::audit::{self, Because, Fact};
use super::commit::append;
use super::decide::{reopen_all, restand};
use super::rows::{Awaits, DecisionRow, InterruptRow, Stage, ThreadRow};
use super::seal::Seal;
use super::verify::tally;
use super::{Store, StoreError};
use crate::graph::{Decision, Event, ThreadId, What};
use crate::inbox::{NextView, Status};
use rusqlite::{Connection, params};

/// An event with what its workflow makes of it.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// The thread it reaches.
    pub thread: ThreadId,
    /// The event.
    pub event: Event,
    /// The updates it becomes, a JSON array.
    pub updates: String,
    /// The workflow's entry, where words after a result begin anew.
    pub entry: String,
    /// The number it was queued under, where it was.
    pub queued: Option<i64>,
}

impl Store {
    /// Lets an event reach a thread.
    pub async fn arrive(&self, arrival: Arrival) -> Result<ThreadId, StoreError> {
        let now = self.now_ms();
        self.write(move |db| run(db, &arrival, now)).await
    }
}

pub(super) fn run(db: &Connection, arrival: &Arrival, now: i64) -> Result<ThreadId, StoreError> {
    let mut row = ThreadRow::find(db, &arrival.thread)?;
    super::prune::refuse_pruned(&row)?;
    let words = matches!(arrival.event.what, What::Words { .. });
    let corrects = matches!(arrival.event.what, What::Corrected { .. });
    match row.status {
        Status::Done if words || corrects => again(db, &mut row, arrival, now)?,
        Status::Done if came_too_late(&row, arrival) => {
            drop_queued(db, arrival)?;
            again(db, &mut row, arrival, now)?;
        }
        Status::Done | Status::Abandoned => {
            drop_queued(db, arrival)?;
            if arrival.queued.is_none() {
                let why = format!("it is {}", row.status);
                return Err(StoreError::NotOpen { id: row.id.to_string(), why });
            }
        }
        _ if words => {
            let what = match row.status {
                Status::Waiting => "waits for an answer; `sayso list` shows what it asks",
                Status::Trouble => "is in trouble; decide that first, `sayso list --kind trouble` shows it",
                _ => "is still at work; words are taken up after its result",
            };
            return Err(StoreError::Conflict(format!("thread `{}` {what}", row.id)));
        }
        _ if reaches_questions(db, &row, &arrival.event)? => {
            reopen_all(db, &row, Because::Arrival, now)?;
            drop_queued(db, arrival)?;
            join(db, &mut row, arrival, now)?;
        }
        _ if corrects => {
            let text = format!("thread `{}` is still at work; correct it when it waits or has ended", row.id);
            return Err(StoreError::Conflict(text));
        }
        // What is held here is an answer to trouble, and the news may be a reason to answer otherwise.
        Status::Held => {
            reopen_all(db, &row, Because::Arrival, now)?;
            tell_trouble(db, &mut row, &arrival.event)?;
            restand(db, &mut row, now)?;
            keep(db, &row, arrival, now)?;
        }
        Status::Trouble => {
            tell_trouble(db, &mut row, &arrival.event)?;
            if matches!(arrival.event.what, What::Settled { .. }) {
                restand(db, &mut row, now)?;
            }
            keep(db, &row, arrival, now)?;
        }
        Status::Waiting | Status::Ready | Status::Running | Status::Joining => {
            keep(db, &row, arrival, now)?;
        }
    }
    if let What::Words { text } = &arrival.event.what {
        let continued = Fact::Continued { thread: row.id.to_string(), said: audit::sha(text) };
        audit::record(db, &continued, now)?;
    }
    if corrects {
        audit::record(db, &Fact::Corrected { thread: row.id.to_string() }, now)?;
    }
    Ok(row.id)
}

/// News that was taken while the thread's last node ran. Nobody else was told, so it is heard as words are.
fn came_too_late(row: &ThreadRow, arrival: &Arrival) -> bool {
    is_news(&arrival.event) && arrival.queued.is_some() && arrival.updates != "[]" && row.parent.is_none()
}

/// Whether people are asked something the thread has not begun to act on. Where it has, another step would
/// move its effects out of their place in the journal, so whatever comes waits for the next node.
fn asks(db: &Connection, row: &ThreadRow) -> Result<bool, StoreError> {
    let begun = db
        .prepare_cached("SELECT 1 FROM effects WHERE thread = ? AND step = ? LIMIT 1")?
        .exists([row.seq, row.steps])?;
    Ok(row.awaits == Awaits::Answers && !begun)
}

/// Whether an event reaches the questions of a thread: while they are open or could still be taken back, and news
/// also where what cannot be undone was approved without it and has not been begun.
fn reaches_questions(db: &Connection, row: &ThreadRow, event: &Event) -> Result<bool, StoreError> {
    match row.status {
        Status::Waiting | Status::Held | Status::Trouble => asks(db, row),
        Status::Ready | Status::Running => Ok(is_news(event) && approved_unseen(db, row)?),
        Status::Joining | Status::Done | Status::Abandoned => Ok(false),
    }
}

/// Whether something that cannot be undone is approved and nothing of it has been begun: whatever news comes now was
/// not shown to whoever approved it.
fn approved_unseen(db: &Connection, row: &ThreadRow) -> Result<bool, StoreError> {
    if !asks(db, row)? {
        return Ok(false);
    }
    for pending in InterruptRow::pending(db, row.seq)? {
        if pending.engine || !pending.irreversible || pending.stage != Stage::Decided {
            continue;
        }
        let given = DecisionRow::in_force(db, &pending)?;
        if !given.consumed && matches!(given.decision, Decision::Accept | Decision::Edit { .. }) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether news that waits for a thread has to be shown before what was approved is done: it came while the node ran
/// that asked, and the answer was quicker than whoever takes it in.
pub(super) fn overtaken(
    db: &Connection,
    row: &ThreadRow,
    events: &[(i64, Event)],
) -> Result<bool, StoreError> {
    Ok(row.status.active() && events.iter().any(|(_, event)| is_news(event)) && approved_unseen(db, row)?)
}

fn is_news(event: &Event) -> bool {
    matches!(event.what, What::News { .. })
}

fn keep(db: &Connection, row: &ThreadRow, arrival: &Arrival, now: i64) -> Result<(), StoreError> {
    if arrival.queued.is_none() { queue(db, row.seq, &arrival.event, now) } else { Ok(()) }
}

/// Whoever decides trouble is told of mail that came meanwhile; the trouble remembers it, in case it ends the thread.
/// Trouble with what is settled elsewhere is over; only whether an effect happened is still for a person to say.
fn tell_trouble(db: &Connection, row: &mut ThreadRow, event: &Event) -> Result<(), StoreError> {
    let mut over = false;
    for mut trouble in InterruptRow::pending(db, row.seq)? {
        if !trouble.engine || trouble.stage != Stage::Open {
            continue;
        }
        match &event.what {
            What::News { warning, .. } => {
                trouble.warn(warning, &event.id)?;
                trouble.update(db)?;
            }
            What::Settled { reason, .. } if trouble.action != "in_doubt" => {
                trouble.close(db, Some(reason))?;
                over = true;
            }
            What::Settled { .. } | What::Words { .. } | What::Hint { .. } | What::Corrected { .. } => {}
        }
    }
    if over {
        (row.error_code, row.error_text) = (None, None);
    }
    Ok(())
}

/// Words after a result: the thread runs again from its entry.
fn again(db: &Connection, row: &mut ThreadRow, arrival: &Arrival, now: i64) -> Result<(), StoreError> {
    append(db, row, "ARRIVED", &arrival.updates, &NextView::Goto { goto: arrival.entry.clone() }, None, now)?;
    row.node.clone_from(&arrival.entry);
    row.awaits = Awaits::Nothing;
    row.status = Status::Ready;
    row.unread = false;
    row.alone = 0;
    row.version += 1;
    row.update(db)
}

/// News for a thread that waits: its questions stay, and say what they did not know.
fn join(db: &Connection, row: &mut ThreadRow, arrival: &Arrival, now: i64) -> Result<(), StoreError> {
    tell_trouble(db, row, &arrival.event)?;
    let mut open = InterruptRow::pending(db, row.seq)?;
    open.retain(|pending| !pending.engine);
    let news = matches!(arrival.event.what, What::News { .. });
    let yields = news && !open.is_empty() && open.iter().all(InterruptRow::yields);
    let next = NextView::Ask { ask: open.iter().map(|p| p.id.clone()).collect(), then: row.node.clone() };
    for mut interrupt in open {
        match &arrival.event.what {
            What::News { .. } if yields => interrupt.close(db, Some("new mail came"))?,
            What::News { warning, .. } => {
                interrupt.warn(warning, &arrival.event.id)?;
                interrupt.update(db)?;
            }
            What::Settled { reason, .. } => interrupt.close(db, Some(reason))?,
            What::Corrected { .. } => interrupt.close(db, Some("the thread was corrected"))?,
            What::Words { .. } | What::Hint { .. } => {}
        }
    }
    if yields || matches!(arrival.event.what, What::Corrected { .. }) {
        row.node.clone_from(&arrival.entry);
    }
    let next = if yields || matches!(arrival.event.what, What::Settled { .. } | What::Corrected { .. }) {
        row.awaits = Awaits::Nothing;
        NextView::Goto { goto: row.node.clone() }
    } else {
        next
    };
    append(db, row, "ARRIVED", &arrival.updates, &next, None, now)?;
    row.alone = 0;
    restand(db, row, now)
}

fn seal(seq: i64, thread: i64, event: &str, at: i64) -> super::Digest {
    Seal::of("events").int(seq).int(thread).text(event).int(at).done()
}

/// Keeps an event until the thread can take it in.
pub(super) fn queue(db: &Connection, thread: i64, event: &Event, now: i64) -> Result<(), StoreError> {
    let event = serde_json::to_string(event).map_err(|e| StoreError::Sql(e.to_string()))?;
    let seq: i64 = db
        .prepare_cached("SELECT coalesce(max(seq), 0) + 1 FROM events")?
        .query_row([], |found| found.get(0))?;
    db.prepare_cached("INSERT INTO events (seq, thread, event, at, digest) VALUES (?, ?, ?, ?, ?)")?
        .execute(params![seq, thread, event, now, seal(seq, thread, &event, now).bytes()])?;
    tally(db, "events", 1)
}

fn drop_queued(db: &Connection, arrival: &Arrival) -> Result<(), StoreError> {
    if let Some(queued) = arrival.queued {
        let dropped = db.prepare_cached("DELETE FROM events WHERE seq = ?")?.execute([queued])?;
        tally(db, "events", -(dropped as i64))?;
    }
    Ok(())
}

/// Drops what an ended thread has not taken in, and gives it.
pub(super) fn drop_all(db: &Connection, thread: i64) -> Result<Vec<Event>, StoreError> {
    let events = queued(db, thread)?;
    let dropped = db.prepare_cached("DELETE FROM events WHERE thread = ?")?.execute([thread])?;
    tally(db, "events", -(dropped as i64))?;
    Ok(events.into_iter().map(|(_, event)| event).collect())
}

/// The events a thread has not taken in, oldest first.
pub(super) fn queued(db: &Connection, thread: i64) -> Result<Vec<(i64, Event)>, StoreError> {
    let mut found =
        db.prepare_cached("SELECT seq, event, at, digest FROM events WHERE thread = ? ORDER BY seq")?;
    let mut rows = found.query([thread])?;
    let mut events = Vec::new();
    while let Some(row) = rows.next()? {
        let (seq, text, at): (i64, String, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let digest: Vec<u8> = row.get(3)?;
        if digest != seal(seq, thread, &text, at).bytes() {
            return super::rows::damaged(format!("event number {seq} is not as it was written"));
        }
        events.push((seq, super::rows::json("an event", &text)?));
    }
    Ok(events)
}
