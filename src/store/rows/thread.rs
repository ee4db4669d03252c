//! A thread's row.

use super::super::StoreError;
use super::super::seal::{Digest, Seal};
use super::{damaged, digest, find_id};
use crate::graph::ThreadId;
use crate::inbox::Status;
use rusqlite::{Connection, Row, params};

/// What becomes an update before a thread's next node starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaits {
    /// Nothing.
    Nothing,
    /// People's answers.
    Answers,
    /// Children's results.
    Children,
}

impl Awaits {
    fn word(self) -> &'static str {
        match self {
            Awaits::Nothing => "nothing",
            Awaits::Answers => "answers",
            Awaits::Children => "children",
        }
    }

    fn from_word(word: &str) -> Option<Self> {
        [Awaits::Nothing, Awaits::Answers, Awaits::Children].into_iter().find(|awaits| awaits.word() == word)
    }
}

/// A thread.
#[derive(Clone, Debug)]
pub(in crate::store) struct ThreadRow {
    pub seq: i64,
    pub id: ThreadId,
    pub workflow: String,
    pub fingerprint: String,
    pub title: String,
    pub status: Status,
    pub node: String,
    pub awaits: Awaits,
    pub steps: i64,
    pub head: Digest,
    pub version: i64,
    pub alone: i64,
    pub step_limit: i64,
    pub allowance: i64,
    pub effects: i64,
    pub parent: Option<i64>,
    pub parent_step: Option<i64>,
    pub child_key: Option<String>,
    pub joined: bool,
    pub origin: Option<i64>,
    pub origin_step: Option<i64>,
    pub output: Option<String>,
    pub error_code: Option<String>,
    pub error_text: Option<String>,
    pub unread: bool,
    pub hold_ms: i64,
    pub held_at: Option<i64>,
    pub created_at: i64,
    pub updated_at: i64,
}

impl ThreadRow {
    /// The digest it is kept with.
    pub(in crate::store) fn seal(&self) -> Digest {
        Seal::of("threads")
            .int(self.seq)
            .text(self.id.as_str())
            .text(&self.workflow)
            .text(&self.fingerprint)
            .text(&self.title)
            .text(self.status.word())
            .text(&self.node)
            .text(self.awaits.word())
            .int(self.steps)
            .bytes(self.head.bytes())
            .int(self.version)
            .int(self.alone)
            .int(self.step_limit)
            .int(self.allowance)
            .int(self.effects)
            .maybe_int(self.parent)
            .maybe_int(self.parent_step)
            .maybe_text(self.child_key.as_deref())
            .int(i64::from(self.joined))
            .maybe_int(self.origin)
            .maybe_int(self.origin_step)
            .maybe_text(self.output.as_deref())
            .maybe_text(self.error_code.as_deref())
            .maybe_text(self.error_text.as_deref())
            .int(i64::from(self.unread))
            .int(self.hold_ms)
            .maybe_int(self.held_at)
            .int(self.created_at)
            .int(self.updated_at)
            .done()
    }

    pub(in crate::store) fn read(row: &Row<'_>) -> Result<Self, StoreError> {
        let id: String = row.get("id")?;
        let bad = |what: &str| StoreError::Damaged(format!("thread {id} has no valid {what}"));
        let status: String = row.get("status")?;
        let awaits: String = row.get("awaits")?;
        let thread = Self {
            seq: row.get("seq")?,
            id: ThreadId::parse(&id).map_err(|_| bad("id"))?,
            workflow: row.get("workflow")?,
            fingerprint: row.get("fingerprint")?,
            title: row.get("title")?,
            status: Status::from_word(&status).ok_or_else(|| bad("status"))?,
            node: row.get("node")?,
            awaits: Awaits::from_word(&awaits).ok_or_else(|| bad("place"))?,
            steps: row.get("steps")?,
            head: digest(row, "head")?,
            version: row.get("version")?,
            alone: row.get("alone")?,
            step_limit: row.get("step_limit")?,
            allowance: row.get("allowance")?,
            effects: row.get("effects")?,
            parent: row.get("parent")?,
            parent_step: row.get("parent_step")?,
            child_key: row.get("child_key")?,
            joined: row.get("joined")?,
            origin: row.get("origin")?,
            origin_step: row.get("origin_step")?,
            output: row.get("output")?,
            error_code: row.get("error_code")?,
            error_text: row.get("error_text")?,
            unread: row.get("unread")?,
            hold_ms: row.get("hold_ms")?,
            held_at: row.get("held_at")?,
            created_at: row.get("created_at")?,
            updated_at: row.get("updated_at")?,
        };
        if digest(row, "digest")? != thread.seal() {
            return damaged(format!("thread {id} is not as it was written"));
        }
        Ok(thread)
    }

    pub(in crate::store) fn by_seq(db: &Connection, seq: i64) -> Result<Self, StoreError> {
        let mut found = db.prepare_cached("SELECT * FROM threads WHERE seq = ?")?;
        let mut rows = found.query([seq])?;
        match rows.next()? {
            Some(row) => Self::read(row),
            None => damaged(format!("thread number {seq} is missing")),
        }
    }

    /// The thread of this id, or of the one id that begins like this.
    pub(in crate::store) fn find(db: &Connection, id: &ThreadId) -> Result<Self, StoreError> {
        let seq = find_id(db, "thread", "threads", id.as_str(), id.is_whole())?;
        Self::by_seq(db, seq)
    }

    /// The number of the thread of this whole id.
    pub(in crate::store) fn seq_of(db: &Connection, id: &ThreadId) -> Result<i64, StoreError> {
        find_id(db, "thread", "threads", id.as_str(), true)
    }

    pub(in crate::store) fn insert(&mut self, db: &Connection) -> Result<(), StoreError> {
        self.seq = db
            .prepare_cached("SELECT coalesce(max(seq), 0) + 1 FROM threads")?
            .query_row([], |r| r.get(0))?;
        self.store(
            db,
            "INSERT INTO threads (seq, id, workflow, fingerprint, title, status, node, awaits, steps, head, version,
                alone, step_limit, allowance, effects, parent, parent_step, child_key, joined, origin, origin_step,
                output, error_code, error_text, unread, hold_ms, held_at, created_at, updated_at, digest)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,
                ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30)",
        )?;
        crate::store::verify::tally(db, "threads", 1)
    }

    pub(in crate::store) fn update(&self, db: &Connection) -> Result<(), StoreError> {
        self.store(
            db,
            "UPDATE threads SET id = ?2, workflow = ?3, fingerprint = ?4, title = ?5, status = ?6, node = ?7,
                awaits = ?8, steps = ?9, head = ?10, version = ?11, alone = ?12, step_limit = ?13, allowance = ?14,
                effects = ?15, parent = ?16, parent_step = ?17, child_key = ?18, joined = ?19, origin = ?20,
                origin_step = ?21, output = ?22, error_code = ?23, error_text = ?24, unread = ?25, hold_ms = ?26,
                held_at = ?27, created_at = ?28, updated_at = ?29, digest = ?30
             WHERE seq = ?1",
        )
    }

    fn store(&self, db: &Connection, sql: &str) -> Result<(), StoreError> {
        let (head, digest) = (self.head, self.seal());
        db.prepare_cached(sql)?.execute(params![
            self.seq,
            self.id.as_str(),
            self.workflow,
            self.fingerprint,
            self.title,
            self.status.word(),
            self.node,
            self.awaits.word(),
            self.steps,
            head.bytes(),
            self.version,
            self.alone,
            self.step_limit,
            self.allowance,
            self.effects,
            self.parent,
            self.parent_step,
            self.child_key,
            self.joined,
            self.origin,
            self.origin_step,
            self.output,
            self.error_code,
            self.error_text,
            self.unread,
            self.hold_ms,
            self.held_at,
            self.created_at,
            self.updated_at,
            digest.bytes(),
        ])?;
        Ok(())
    }
}
