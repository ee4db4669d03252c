//! `[policy.TOOL]`: when a tool may act without asking.

use serde::Deserialize;

use super::duration::Lasts;
use super::values::section;

section! {
    /// When a tool may act without asking.
    #[derive(Eq)]
    pub struct Policy {
        /// Whether it may at all.
        pub mode: PolicyMode,
        /// Whom it may reach then: every recipient has to be in one of these groups. Without any, it reaches nobody.
        pub recipients: Vec<Reach> = vec![Reach::Thread],
        /// When its proposals expire, if not as all do.
        pub expire: Option<Lasts>,
    }
}

/// Whether a tool asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase", expecting = "a string")]
pub enum PolicyMode {
    /// It always asks.
    #[default]
    Ask,
    /// It acts without asking if the policy's conditions hold, and asks otherwise.
    Allow,
}

/// Whom a policy lets a tool reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case", expecting = "a string")]
pub enum Reach {
    /// Everyone already in the conversation.
    Thread,
    /// Everyone with an address at one of the user's own domains.
    OwnDomain,
}
