//! Folded states of recently driven threads, so that a turn does not fold the whole history again.

use crate::engine::graph::{AnyState, ThreadId};
use crate::engine::store::FoldedUpTo;
use std::collections::HashMap;

/// How many states are kept. Other states are folded again from their snapshots.
const CAPACITY: usize = 256;

/// A state, and how much of the thread it includes.
#[derive(Clone)]
pub(crate) struct Cached {
    pub state: AnyState,
    pub folded: FoldedUpTo,
    /// Steps since the last snapshot.
    pub steps_since: usize,
    /// Bytes of updates since the last snapshot.
    pub bytes_since: usize,
}

#[derive(Default)]
pub(crate) struct Cache {
    states: HashMap<ThreadId, (u64, Cached)>,
    clock: u64,
}

impl Cache {
    /// Takes a state out, so that its only owner can change it.
    pub(crate) fn take(&mut self, thread: &ThreadId) -> Option<Cached> {
        self.states.remove(thread).map(|(_, cached)| cached)
    }

    pub(crate) fn put(&mut self, thread: ThreadId, cached: Cached) {
        self.clock += 1;
        if self.states.len() >= CAPACITY {
            let oldest = self.states.iter().min_by_key(|(_, (used, _))| *used).map(|(id, _)| id.clone());
            oldest.and_then(|id| self.states.remove(&id));
        }
        self.states.insert(thread, (self.clock, cached));
    }
}
