//! What the writer remembers of its own transactions, so that the next one need not read it again. It forgets what a job
//! has left that is rolled back, and everything when a transaction is, or when another process has written.

use crate::engine::store::log::SchemaRef;
use crate::engine::store::rows::{InterruptRow, ThreadRow};
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};

/// More threads than this are seldom at work at once.
const MAX_THREADS: usize = 128;
/// Workflows have a few short schemas each; programs may make up any number of any length.
const SCHEMA_BYTES: usize = 1024 * 1024;

#[derive(Default)]
pub struct Memory {
    /// What is kept is numbered, so that what a job kept can be told from what others did.
    kept: Cell<u64>,
    threads: RefCell<VecDeque<(u64, ThreadRows)>>,
    schemas: RefCell<HashMap<String, (u64, SchemaRef)>>,
    schema_bytes: Cell<usize>,
}

/// The rows of a thread and of its questions that are not closed.
type ThreadRows = (ThreadRow, Vec<InterruptRow>);

impl Memory {
    /// Takes out the rows of a thread.
    pub fn take(&self, is_it: impl Fn(&ThreadRows) -> bool) -> Option<ThreadRows> {
        let mut threads = self.threads.borrow_mut();
        let at = threads.iter().position(|(_, rows)| is_it(rows))?;
        threads.remove(at).map(|(_, rows)| rows)
    }

    /// Keeps rows that are in the tables like this.
    pub fn keep(&self, row: ThreadRow, questions: Vec<InterruptRow>) {
        let mut threads = self.threads.borrow_mut();
        threads.retain(|(_, (kept, _))| kept.seq != row.seq);
        if threads.len() == MAX_THREADS {
            threads.pop_front();
        }
        threads.push_back((self.next(), (row, questions)));
    }

    pub fn schema(&self, text: &str) -> Option<SchemaRef> {
        self.schemas.borrow().get(text).map(|(_, schema)| schema.clone())
    }

    pub fn keep_schema(&self, text: String, schema: SchemaRef) {
        let mut schemas = self.schemas.borrow_mut();
        if self.schema_bytes.get() + text.len() > SCHEMA_BYTES {
            schemas.clear();
            self.schema_bytes.set(0);
        }
        self.schema_bytes.update(|bytes| bytes + text.len());
        schemas.insert(text, (self.next(), schema));
    }

    /// Where it is now, for [`Self::forget_since`].
    pub fn mark(&self) -> u64 {
        self.kept.get()
    }

    fn next(&self) -> u64 {
        self.kept.update(|kept| kept + 1);
        self.kept.get()
    }

    /// Forgets what was kept since this mark.
    pub fn forget_since(&self, mark: u64) {
        self.threads.borrow_mut().retain(|(number, _)| *number <= mark);
        self.schemas.borrow_mut().retain(|_, (number, _)| *number <= mark);
        let bytes = self.schemas.borrow().keys().map(String::len).sum();
        self.schema_bytes.set(bytes);
    }

    pub fn forget_threads(&self) {
        self.threads.borrow_mut().clear();
    }

    pub fn forget(&self) {
        self.forget_since(0);
    }
}
