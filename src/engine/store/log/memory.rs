//! What the writer remembers of its own transactions, so that the next one need not read it again. It forgets
//! everything when a job is rolled back or another process has written.

use crate::engine::store::rows::{InterruptRow, ThreadRow};
use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};

/// More threads than this are seldom at work at once.
const MAX_THREADS: usize = 128;
/// Workflows have a few schemas each; programs may make up any number.
const MAX_SCHEMAS: usize = 128;

#[derive(Default)]
pub struct Memory {
    threads: RefCell<VecDeque<ThreadRows>>,
    schemas: RefCell<HashMap<String, i64>>,
}

/// The rows of a thread and of its questions that are not closed.
type ThreadRows = (ThreadRow, Vec<InterruptRow>);

impl Memory {
    /// Takes out the rows of a thread.
    pub fn take(&self, is_it: impl Fn(&ThreadRows) -> bool) -> Option<ThreadRows> {
        let mut threads = self.threads.borrow_mut();
        let at = threads.iter().position(is_it)?;
        threads.remove(at)
    }

    /// Keeps rows that are in the tables like this.
    pub fn keep(&self, row: ThreadRow, questions: Vec<InterruptRow>) {
        let mut threads = self.threads.borrow_mut();
        threads.retain(|(kept, _)| kept.seq != row.seq);
        if threads.len() == MAX_THREADS {
            threads.pop_front();
        }
        threads.push_back((row, questions));
    }

    pub fn schema(&self, text: &str) -> Option<i64> {
        self.schemas.borrow().get(text).copied()
    }

    pub fn keep_schema(&self, text: String, seq: i64) {
        let mut schemas = self.schemas.borrow_mut();
        if schemas.len() == MAX_SCHEMAS {
            schemas.clear();
        }
        schemas.insert(text, seq);
    }

    pub fn forget_threads(&self) {
        self.threads.borrow_mut().clear();
    }

    pub fn forget(&self) {
        self.forget_threads();
        self.schemas.borrow_mut().clear();
    }
}
