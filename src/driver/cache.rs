//! Folded states of threads that were driven lately, so that a turn does not fold its whole past.

use crate::graph::{Folded, ThreadId};
use crate::store::Have;
use std::collections::HashMap;

/// How many states are kept; a state that is not kept is folded again from its snapshot.
const KEPT: usize = 256;

/// A state, and how far it has come.
#[derive(Clone)]
pub(crate) struct Cached {
    pub state: Folded,
    pub have: Have,
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
    /// Takes a state out: whoever changes it is the only one who has it.
    pub(crate) fn take(&mut self, thread: &ThreadId) -> Option<Cached> {
        self.states.remove(thread).map(|(_, cached)| cached)
    }

    pub(crate) fn put(&mut self, thread: ThreadId, cached: Cached) {
        self.clock += 1;
        if self.states.len() >= KEPT {
            let oldest = self.states.iter().min_by_key(|(_, (used, _))| *used).map(|(id, _)| id.clone());
            oldest.and_then(|id| self.states.remove(&id));
        }
        self.states.insert(thread, (self.clock, cached));
    }
}
