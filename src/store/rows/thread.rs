//! A thread's row.

use super::super::StoreError;
use super::super::seal::{Digest, Seal};
use super::{Cells, damaged};
use crate::graph::ThreadId;
use crate::inbox::Status;
use rusqlite::{Connection, OptionalExtension, Row, params};

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
    pub interrupts: i64,
    pub decisions: i64,
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
    /// When its steps were let go of.
    pub pruned_at: Option<i64>,
}

impl ThreadRow {
    /// A thread that has lived through nothing yet: ready at `node`, nobody's child and no fork.
    pub(in crate::store) fn new(
        workflow: &str,
        fingerprint: &str,
        title: &str,
        node: &str,
        step_limit: i64,
        now: i64,
    ) -> Self {
        Self {
            seq: 0,
            id: ThreadId::random(),
            workflow: workflow.to_owned(),
            fingerprint: fingerprint.to_owned(),
            title: title.to_owned(),
            status: Status::Ready,
            node: node.to_owned(),
            awaits: Awaits::Nothing,
            steps: 0,
            head: Digest::default(),
            version: 1,
            alone: 0,
            step_limit,
            allowance: 1,
            effects: 0,
            interrupts: 0,
            decisions: 0,
            parent: None,
            parent_step: None,
            child_key: None,
            joined: false,
            origin: None,
            origin_step: None,
            output: None,
            error_code: None,
            error_text: None,
            unread: false,
            hold_ms: 0,
            held_at: None,
            created_at: now,
            updated_at: now,
            pruned_at: None,
        }
    }

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
            .int(self.interrupts)
            .int(self.decisions)
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
            .later_int(self.pruned_at)
            .done()
    }

    pub(in crate::store) fn read(row: &Row<'_>) -> Result<Self, StoreError> {
        let mut cells = Cells::of(row);
        let mut thread = Self {
            seq: cells.next()?,
            id: cells.word("thread id", |word| ThreadId::parse(word).ok())?,
            workflow: cells.next()?,
            fingerprint: cells.next()?,
            title: cells.next()?,
            status: cells.word("status", Status::from_word)?,
            node: cells.next()?,
            awaits: cells.word("place", Awaits::from_word)?,
            steps: cells.next()?,
            head: cells.digest()?,
            version: cells.next()?,
            alone: cells.next()?,
            step_limit: cells.next()?,
            allowance: cells.next()?,
            effects: cells.next()?,
            interrupts: cells.next()?,
            decisions: cells.next()?,
            parent: cells.next()?,
            parent_step: cells.next()?,
            child_key: cells.next()?,
            joined: cells.next()?,
            origin: cells.next()?,
            origin_step: cells.next()?,
            output: cells.next()?,
            error_code: cells.next()?,
            error_text: cells.next()?,
            unread: cells.next()?,
            hold_ms: cells.next()?,
            held_at: cells.next()?,
            created_at: cells.next()?,
            updated_at: cells.next()?,
            pruned_at: None,
        };
        let digest = cells.digest()?;
        thread.pruned_at = cells.next()?;
        if digest != thread.seal() {
            return damaged(format!("thread {} is not as it was written", thread.id));
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
        super::find(db, "thread", "threads", id.as_str(), id.is_whole(), Self::read, |found| {
            found.id.as_str()
        })
    }

    /// The number of the thread of this whole id, whatever state the rest of its row is in.
    pub(in crate::store) fn seq_of(db: &Connection, id: &ThreadId) -> Result<i64, StoreError> {
        let seq: Option<i64> = db
            .prepare_cached("SELECT seq FROM threads WHERE id = ?")?
            .query_row([id.as_str()], |row| row.get(0))
            .optional()?;
        let Some(seq) = seq else { return Err(StoreError::Unknown("thread", id.to_string())) };
        let found: String =
            db.prepare_cached("SELECT id FROM threads WHERE seq = ?")?.query_row([seq], |row| row.get(0))?;
        if found == id.as_str() {
            Ok(seq)
        } else {
            damaged(format!("the index of threads leads from {id} to {found}"))
        }
    }

    pub(in crate::store) fn insert(&mut self, db: &Connection) -> Result<(), StoreError> {
        self.seq = db
            .prepare_cached("SELECT coalesce(max(seq), 0) + 1 FROM threads")?
            .query_row([], |r| r.get(0))?;
        db.prepare_cached(
            "INSERT INTO threads (seq, id, workflow, fingerprint, title, status, node, awaits, steps, head, version,
                alone, step_limit, allowance, effects, interrupts, decisions, parent, parent_step, child_key, joined,
                origin, origin_step, output, error_code, error_text, unread, hold_ms, held_at, created_at,
                updated_at, digest)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,
                ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32)",
        )?
        .execute(params![
            self.seq,
            self.id.as_str(),
            self.workflow,
            self.fingerprint,
            self.title,
            self.status.word(),
            self.node,
            self.awaits.word(),
            self.steps,
            self.head.bytes(),
            self.version,
            self.alone,
            self.step_limit,
            self.allowance,
            self.effects,
            self.interrupts,
            self.decisions,
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
            self.seal().bytes(),
        ])?;
        crate::store::verify::tally(db, "threads", 1)
    }

    /// Writes what can change; who it is and where it comes from cannot.
    pub(in crate::store) fn update(&self, db: &Connection) -> Result<(), StoreError> {
        db.prepare_cached(
            "UPDATE threads SET fingerprint = ?2, title = ?3, status = ?4, node = ?5, awaits = ?6, steps = ?7,
                head = ?8, version = ?9, alone = ?10, step_limit = ?11, allowance = ?12, effects = ?13,
                interrupts = ?14, decisions = ?15, output = ?16, error_code = ?17, error_text = ?18, unread = ?19,
                hold_ms = ?20, held_at = ?21, updated_at = ?22, digest = ?23, pruned_at = ?24
             WHERE seq = ?1",
        )?
        .execute(params![
            self.seq,
            self.fingerprint,
            self.title,
            self.status.word(),
            self.node,
            self.awaits.word(),
            self.steps,
            self.head.bytes(),
            self.version,
            self.alone,
            self.step_limit,
            self.allowance,
            self.effects,
            self.interrupts,
            self.decisions,
            self.output,
            self.error_code,
            self.error_text,
            self.unread,
            self.hold_ms,
            self.held_at,
            self.updated_at,
            self.seal().bytes(),
            self.pruned_at,
        ])?;
        Ok(())
    }
}
