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
    pub since: SinceSnapshot,
}

/// How many steps were folded since the last snapshot, and the bytes of their updates.
#[derive(Clone, Copy, Default)]
pub(crate) struct SinceSnapshot {
    pub steps: usize,
    pub bytes: usize,
}

impl SinceSnapshot {
    /// The same, and the updates of more steps.
    pub(crate) fn and<'u>(self, updates: impl Iterator<Item = &'u String>) -> Self {
        let add = |since: Self, updates: &String| Self {
            steps: since.steps + 1,
            bytes: since.bytes + updates.len(),
        };
        updates.fold(self, add)
    }
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
