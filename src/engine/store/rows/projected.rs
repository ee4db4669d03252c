//! The rows that lists and drivers read. They are made from the log and can be rebuilt from it; what leaves is checked
//! against the log instead.

use crate::engine::graph::{Allow, EffectState, Hash, InterruptId, Kind, ThreadId};
use crate::engine::store::StoreError;
use crate::engine::store::rows::columns::row;
use crate::engine::store::rows::{self, damaged, find, json, time};
use crate::inbox::{ErrorView, MemoryRow, PROGRAM_WORKFLOW, RowKey, Status};
use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a thread takes in before its next node starts.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr, strum::EnumString,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Awaits {
    Nothing,
    /// People's answers.
    Answers,
    /// Children's results.
    Children,
}

/// The status of a question.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr, strum::EnumString,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Stage {
    Open,
    Decided,
    Closed,
}

impl Stage {
    pub fn word(self) -> &'static str {
        self.into()
    }
}

row! {
    /// A thread. Its number is that of its first entry.
    ThreadRow in "threads":
    seq: i64,
    id: ThreadId,
    workflow: String,
    fingerprint: String,
    title: String,
    status: Status,
    node: String,
    awaits: Awaits,
    steps: i64,
    /// The entry of its last step.
    step: i64,
    /// The first entry the driver still has to read.
    since: i64,
    /// Its last entry.
    last: i64,
    /// The last entry that a running node must not miss.
    version: i64,
    steps_since_person: i64,
    step_limit: i64,
    allowance: i64,
    by_person: bool,
    waiting_events: i64,
    parent: Option<i64>,
    parent_step: Option<i64>,
    child_key: Option<String>,
    origin: Option<i64>,
    origin_step: Option<i64>,
    output: Option<String>,
    error_code: Option<String>,
    error_text: Option<String>,
    unread: bool,
    hold_ms: i64,
    held_at: Option<i64>,
    created_at: i64,
    updated_at: i64,
    pruned_at: Option<i64>,
}

row! {
    /// A question. Its number is that of the entry that asked it, which contains the details.
    InterruptRow in "interrupts":
    seq: i64,
    id: InterruptId,
    thread: i64,
    step: i64,
    kind: Kind,
    action: String,
    allow: i64,
    trouble: bool,
    status: Stage,
    snoozed_until: Option<i64>,
    overdue: Option<i64>,
    batch: Option<String>,
    /// The last entry that changed it.
    stamp: i64,
    /// What a person approves with it.
    hash: [u8; 32],
    irreversible: bool,
    harmless: bool,
    /// Whether one of its warnings needs a confirmation.
    confirms: bool,
    /// Whether it says something else since it was asked.
    amended: bool,
    /// The entry of its current answer.
    answer: Option<i64>,
    /// Whether an effect has begun since it was answered.
    acted: bool,
}

row! {
    /// An effect. Its number is that of its first entry.
    EffectRow in "effects":
    seq: i64,
    thread: i64,
    step: i64,
    name: String,
    state: EffectState,
    /// The digest of what is done.
    frozen: [u8; 32],
    outcome: String,
    begun_at: i64,
    ended_at: Option<i64>,
}

row! {
    /// A grant. Its number is that of the entry that gave it, which contains the details.
    GrantRow in "grants":
    seq: i64,
    id: String,
    tool: String,
    revoked_at: Option<i64>,
    used: i64,
}

row! {
    /// What sayso does with some mail by itself.
    TaughtRow in "taught":
    seq: i64,
    key: String,
    /// Its last entry.
    last: i64,
    /// Whether a person is to be asked about it.
    asks: bool,
    /// A [`MemoryRow`] as JSON.
    row: String,
}

impl TaughtRow {
    /// The row about this mail, if there is one.
    pub fn find(db: &Connection, key: &RowKey) -> Result<Option<Self>, StoreError> {
        Ok(Self::select(db, "WHERE key = ?", [key.to_string()])?.pop())
    }

    pub fn parse(&self) -> Result<MemoryRow, StoreError> {
        json("a row of the memory", &self.row)
    }
}

impl ThreadRow {
    pub fn by_seq(db: &Connection, seq: i64) -> Result<Self, StoreError> {
        match Self::select(db, "WHERE seq = ?", [seq])?.pop() {
            Some(row) => Ok(row),
            None => damaged(format!("thread number {seq} is missing")),
        }
    }

    /// The thread with this id, or with the only id that begins like this.
    pub fn find(db: &Connection, id: &ThreadId) -> Result<Self, StoreError> {
        find(db, "thread", "threads", id.as_str(), id.is_whole(), |id| {
            Ok(Self::select(db, "WHERE id = ?", [id])?.pop())
        })
    }

    /// The number of the thread with this complete id.
    pub fn seq_of(db: &Connection, id: &ThreadId) -> Result<i64, StoreError> {
        let seq = rows::first(db, "SELECT seq FROM threads WHERE id = ?", [id])?;
        seq.ok_or_else(|| StoreError::unknown("thread", id.to_string()))
    }
}

/// A thread that may need the driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runnable {
    /// Its first entry: older threads come first.
    pub seq: i64,
    pub thread: ThreadId,
    pub status: Status,
    pub version: i64,
    /// How long it is held.
    pub hold_ms: i64,
    /// Since when it is held, by the wall clock.
    pub held_at: Option<i64>,
    /// How many events it has not taken in yet.
    pub waiting_events: i64,
    /// Whether another program asked, and waits for it.
    pub by_program: bool,
}

/// The threads that a transaction changed.
#[derive(Clone, Debug)]
pub enum Moved {
    /// These, and the last entry of the log then.
    These(Vec<Runnable>, i64),
    /// Any of them: driving was paused or resumed, or another process wrote.
    Any,
}

impl Runnable {
    pub(in crate::engine::store) fn of(row: &ThreadRow) -> Self {
        let ThreadRow { seq, status, version, hold_ms, held_at, waiting_events, .. } = *row;
        let (thread, by_program) = (row.id.clone(), row.workflow == PROGRAM_WORKFLOW);
        Self { seq, thread, status, version, hold_ms, held_at, waiting_events, by_program }
    }

    /// Whether the driver has to look at it.
    pub fn needs_driver(&self) -> bool {
        match self.status {
            Status::Held | Status::Ready | Status::Running => true,
            Status::Waiting | Status::Done => self.waiting_events > 0,
            Status::Joining | Status::Trouble | Status::Abandoned => false,
        }
    }
}

impl InterruptRow {
    pub fn allow(&self) -> Allow {
        let bit = |n: u8| self.allow & (1 << n) != 0;
        Allow { accept: bit(0), edit: bit(1), respond: bit(2), ignore: bit(3), draft: bit(4) }
    }

    /// The hash of what a person approves with it.
    pub fn hash(&self) -> Hash {
        Hash::from_bytes(self.hash)
    }

    /// It was decided, asked again or closed: nobody waits for it as before, and nothing was done because of it.
    pub fn set(&mut self, stage: Stage, batch: Option<String>) {
        (self.status, self.batch, self.acted) = (stage, batch, false);
        (self.snoozed_until, self.overdue) = (None, None);
    }

    /// Writes the columns that change.
    pub fn update(&self, db: &Connection) -> Result<(), StoreError> {
        db.prepare_cached(
            "UPDATE interrupts SET status = ?2, snoozed_until = ?3, overdue = ?4, batch = ?5, stamp = ?6, hash = ?7,
                confirms = ?8, amended = ?9, answer = ?10, acted = ?11
             WHERE seq = ?1",
        )?
        .execute(params![
            self.seq,
            self.status,
            self.snoozed_until,
            self.overdue,
            self.batch,
            self.stamp,
            self.hash,
            self.confirms,
            self.amended,
            self.answer,
            self.acted,
        ])?;
        Ok(())
    }

    pub fn find(db: &Connection, id: &InterruptId) -> Result<Self, StoreError> {
        find(db, "interrupt", "interrupts", id.as_str(), id.is_whole(), |id| {
            Ok(Self::select(db, "WHERE id = ?", [id])?.pop())
        })
    }
}

impl ThreadRow {
    pub fn output(&self) -> Result<Option<Value>, StoreError> {
        let what = format!("the output of thread {}", self.id);
        self.output.as_deref().map(|text| json(&what, text)).transpose()
    }

    /// Why it cannot continue.
    pub fn error(&self) -> Option<ErrorView> {
        let (code, text) = (self.error_code.clone()?, self.error_text.clone()?);
        Some(ErrorView { code, text })
    }

    /// Fails if the thread's steps were pruned.
    pub fn refuse_pruned(&self) -> Result<(), StoreError> {
        match self.pruned_at {
            None => Ok(()),
            Some(_) => Err(StoreError::Conflict(self.pruned_text())),
        }
    }

    /// The message for a thread whose steps were pruned.
    pub fn pruned_text(&self) -> String {
        let when = self.pruned_at.and_then(|at| time(at).ok());
        let when = when.map_or(String::new(), |at| at.strftime(" on %Y-%m-%d").to_string());
        format!(
            "thread `{}` was pruned{when}: its steps are gone, its decisions and effects are on record",
            self.id
        )
    }
}
