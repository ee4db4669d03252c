//! What the guard of decision keys remembers: see `key_guard`.

use crate::engine::graph::Hash;
use crate::tui::actions::Action;
use crate::tui::key::Key;
use std::time::Instant;

/// The card that a decision key may act on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    pub id: String,
    /// Its hash when shown; results have none.
    pub hash: Option<Hash>,
    pub since: Instant,
}

/// The key that took the last decision, while it may still be held down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastDecisionKey {
    pub key: Key,
    /// Whether it came again since.
    pub repeated: bool,
    /// Whether it is known to be held down.
    pub held: bool,
}

impl LastDecisionKey {
    pub fn new(key: Key) -> Self {
        Self { key, repeated: false, held: false }
    }
}

/// A key that came too early to decide on a card. Keys that were meant for the next card follow it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlyKey {
    pub key: Key,
    /// The card it was too early for.
    pub card: String,
}

/// A decision that waits until it is clear that its key is not held down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeferredKey {
    pub action: Action,
    pub at: Instant,
    /// What was on the screen then.
    pub shown: Shown,
}
