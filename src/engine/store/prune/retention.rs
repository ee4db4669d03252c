//! Why a thread may still be needed. Anything not listed here may be pruned.

use crate::engine::store::StoreError;
use crate::engine::store::rows::{self, MailRow, MailState, ThreadRow};
use crate::inbox::PruneQuery;
use rusqlite::Connection;
use std::collections::HashSet;

/// Why a thread is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needed {
    /// It, or a thread it started, has not ended, is too young or has another status.
    Family,
    /// Nobody has filed its result away.
    Unread,
    /// It has an open question, or an answer it has not acted on.
    Asks,
    /// The outcome of one of its effects is not known.
    Unsettled,
    /// A fork shares its steps.
    Forked,
    /// It has not taken in every event that reached it.
    Unheard,
    /// A lesson from it has not been learned yet.
    Lesson,
    /// One of its mails waits to be taken in.
    Mail,
    /// A mailbox waits for its answer.
    Source,
    /// One of its rows cannot be trusted.
    Damaged,
}

impl Needed {
    /// The reason, for people.
    pub fn reason(self) -> &'static str {
        match self {
            Needed::Family => "a thread it started is not old enough or has not ended",
            Needed::Unread => "its result is not filed away",
            Needed::Asks => "it still asks something",
            Needed::Unsettled => "an effect of it is not settled",
            Needed::Forked => "a fork needs its steps",
            Needed::Unheard => "it has not heard everything that reached it",
            Needed::Lesson => "something is still to be learned from it",
            Needed::Mail => "a mail of it waits to be taken in",
            Needed::Source => "a mailbox waits for its answer",
            Needed::Damaged => "a row of it is damaged; `sayso doctor` names it",
        }
    }
}

pub fn needed(
    db: &Connection,
    row: &ThreadRow,
    query: &PruneQuery,
    gone: &HashSet<i64>,
) -> Result<Option<Needed>, StoreError> {
    if !row.status.ended()
        || !query.statuses.contains(&row.status)
        || row.updated_at >= query.before.as_millisecond()
    {
        return Ok(Some(Needed::Family));
    }
    if row.unread {
        return Ok(Some(Needed::Unread));
    }
    let any = |sql| rows::exists(db, sql, [row.seq]);
    if any("SELECT 1 FROM interrupts WHERE thread = ? AND status <> 'closed' LIMIT 1")? {
        return Ok(Some(Needed::Asks));
    }
    if any("SELECT 1 FROM effects WHERE thread = ? AND ended_at IS NULL LIMIT 1")? {
        return Ok(Some(Needed::Unsettled));
    }
    if any("SELECT 1 FROM threads WHERE seq = ? AND waiting_events > 0")? {
        return Ok(Some(Needed::Unheard));
    }
    if any("SELECT 1 FROM lessons l LEFT JOIN threads t ON t.seq = l.learner
            WHERE l.thread = ? AND (t.seq IS NULL OR t.status NOT IN ('done', 'abandoned')) LIMIT 1")?
    {
        return Ok(Some(Needed::Lesson));
    }
    if any("SELECT 1 FROM sources WHERE thread = ? AND phase <> 'following' LIMIT 1")? {
        return Ok(Some(Needed::Source));
    }
    let forks = "SELECT seq FROM threads WHERE origin = ? AND pruned_at IS NULL";
    if rows::column(db, forks, [row.seq])?.iter().any(|fork| !gone.contains(fork)) {
        return Ok(Some(Needed::Forked));
    }
    let waits = |mail: &MailRow| matches!(mail.state, MailState::Asked | MailState::Unreadable);
    if MailRow::of_thread(db, row.seq)?.iter().any(waits) {
        return Ok(Some(Needed::Mail));
    }
    Ok(None)
}

/// Whether something was asked, decided or done in a thread. If so, we never delete its row, the log entries about
/// that, or the bytes of what was done.
pub fn on_record(db: &Connection, thread: i64) -> Result<bool, StoreError> {
    let any = |sql| rows::exists(db, sql, [thread]);
    Ok(any("SELECT 1 FROM log WHERE stream = ? AND kind = 'asked' LIMIT 1")?
        || any("SELECT 1 FROM effects WHERE thread = ? LIMIT 1")?)
}
