//! A transaction that may append to the log.

use crate::engine::store::StoreError;
use crate::engine::store::log::memory::Memory;
use crate::engine::store::log::{Checksum, Entry, EntryKind, end, origin, pack, sum, text};
use crate::engine::store::rows::{Moved, Runnable};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql, params};
use serde::Serialize;
use std::cell::{Cell, RefCell};
use std::ops::Deref;

/// The end of the log, if it was read, and the entry that identifies this process.
#[derive(Clone, Copy, Debug, Default)]
pub struct Head {
    pub end: Option<(i64, Checksum)>,
    pub opened: Option<i64>,
}

/// A transaction that may append.
pub struct Tx<'a> {
    db: &'a Connection,
    head: Cell<Head>,
    at_end: RefCell<Vec<AtEnd>>,
    moved: RefCell<Vec<Runnable>>,
    all_moved: Cell<bool>,
    memory: &'a Memory,
    now: Cell<i64>,
}

/// A job for the end of a transaction.
type AtEnd = Box<dyn FnOnce(&Connection) -> Result<(), StoreError>>;

/// A point in a transaction to go back to.
#[derive(Clone, Copy)]
pub struct Mark {
    head: Head,
    at_end: usize,
    moved: usize,
    memory: u64,
}

impl Deref for Tx<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.db
    }
}

impl<'a> Tx<'a> {
    /// Begins a transaction.
    pub fn begin(db: &'a Connection, head: Head, memory: &'a Memory) -> Self {
        let (at_end, moved) = (RefCell::default(), RefCell::default());
        let (head, all_moved, now) = (Cell::new(head), Cell::default(), Cell::default());
        Self { db, head, at_end, moved, all_moved, memory, now }
    }

    /// The time of the job that is running, in milliseconds.
    pub fn now(&self) -> i64 {
        self.now.get()
    }

    pub fn set_now(&self, now: i64) {
        self.now.set(now);
    }

    pub fn memory(&self) -> &Memory {
        self.memory
    }

    /// Notes what became of a thread.
    pub fn moved(&self, thread: Runnable) {
        self.moved.borrow_mut().push(thread);
    }

    /// Notes that any thread may have to be looked at, or that there may be something to learn.
    pub fn everything_moved(&self) {
        self.all_moved.set(true);
    }

    /// The threads it has changed.
    pub fn what_moved(&self) -> Moved {
        let moved = self.moved.take();
        match self.head.get().end {
            _ if self.all_moved.get() => Moved::Any,
            Some((last, _)) => Moved::These(moved, last),
            None if moved.is_empty() => Moved::These(moved, 0),
            None => Moved::Any,
        }
    }

    /// The current point in the transaction.
    pub fn mark(&self) -> Mark {
        let (at_end, moved) = (self.at_end.borrow().len(), self.moved.borrow().len());
        Mark { head: self.head.get(), at_end, moved, memory: self.memory.mark() }
    }

    pub fn set_head(&self, head: Head) {
        self.head.set(head);
    }

    /// Goes back to the point before a job that was rolled back.
    pub fn go_back(&self, mark: Mark) {
        self.head.set(mark.head);
        self.at_end.borrow_mut().truncate(mark.at_end);
        self.moved.borrow_mut().truncate(mark.moved);
        self.memory.forget_since(mark.memory);
    }

    /// Runs a job at the end of the transaction. SQLite's full-text index writes out its buffer at every savepoint, so
    /// words are best added together, after the last one.
    pub fn at_end(&self, job: impl FnOnce(&Connection) -> Result<(), StoreError> + 'static) {
        self.at_end.borrow_mut().push(Box::new(job));
    }

    /// Runs the jobs left for the end, and returns where the log ends.
    pub fn finish(&self) -> Result<Head, StoreError> {
        for job in self.at_end.take() {
            job(self.db)?;
        }
        Ok(self.head.get())
    }

    /// The entry that identifies this process. It is appended before the first thing the process does.
    pub fn opened(&self) -> Result<i64, StoreError> {
        if let Some(opened) = self.head.get().opened {
            return Ok(opened);
        }
        let entry = self.append(NewEntry::new(None, EntryKind::Opened, None, origin::this_process())?)?;
        self.head.set(Head { opened: Some(entry.seq), ..self.head.get() });
        Ok(entry.seq)
    }

    pub fn append(&self, new: NewEntry<'_>) -> Result<Entry, StoreError> {
        let head = self.head.get();
        let (last, before) = match head.end {
            Some(end) => end,
            None => end(self.db)?,
        };
        let NewEntry { stream, kind, about, prev, body, similar, steps } = new;
        let at = self.now();
        let seq = last + 1;
        let packed = pack::pack(&body, similar);
        let stored = Stored { packed: packed.as_deref(), plain: &body };
        let stream = stream.unwrap_or(seq);
        let mut entry = Entry {
            seq,
            stream,
            kind,
            about,
            prev,
            at,
            body: None,
            steps: None,
            sum: Some(sum(&body, steps.as_deref())),
            chain: before,
        };
        entry.chain = entry.link(&before);
        self.db
            .prepare_cached(
                "INSERT INTO log (seq, stream, kind, ref, prev, at, chain, body, steps) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            )?
            .execute(params![seq, stream, kind.word(), about, prev, at, entry.chain, stored, steps])?;
        (entry.body, entry.steps, entry.sum) = (Some(body), steps, None);
        self.head.set(Head { end: Some((seq, entry.chain)), ..head });
        Ok(entry)
    }
}

/// An entry about to be appended.
pub struct NewEntry<'a> {
    /// `None` starts a new stream.
    pub stream: Option<i64>,
    pub kind: EntryKind,
    pub about: Option<i64>,
    pub prev: Option<i64>,
    pub body: String,
    /// Entries whose text the body repeats, for compression.
    pub similar: &'a [&'a Entry],
    pub steps: Option<Vec<u8>>,
}

impl NewEntry<'_> {
    /// An entry with this body.
    pub fn new(
        stream: Option<i64>,
        kind: EntryKind,
        prev: Option<i64>,
        body: &impl Serialize,
    ) -> Result<Self, StoreError> {
        let body = text(body)?;
        Ok(Self { stream, kind, about: None, prev, body, similar: &[], steps: None })
    }
}

/// A body as it is stored: compressed if that is shorter.
struct Stored<'a> {
    packed: Option<&'a [u8]>,
    plain: &'a str,
}

impl ToSql for Stored<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.packed {
            Some(packed) => ValueRef::Blob(packed),
            None => ValueRef::Text(self.plain.as_bytes()),
        }))
    }
}
