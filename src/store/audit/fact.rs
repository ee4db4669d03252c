//! What the audit keeps of each thing that happened. Its JSON is a file format: members are added, never renamed.

use crate::graph::{Hash, canonical};
use crate::text::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// Something that was decided, or done, or changed what may be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub(in crate::store) enum Fact {
    /// The audit begins here. What the store held before is not in it: rows up to these numbers.
    Begun { decisions: i64, effects: i64, grants: i64 },
    /// A decision was taken.
    Decided {
        /// `tui`, `cli`, or `grant:` and the grant or policy.
        by: String,
        thread: String,
        interrupt: String,
        kind: String,
        action: String,
        decision: String,
        /// The hash of what was shown: action, proposed arguments and what they were bound to.
        shown: String,
        /// The hash of the same with the edited arguments.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        edited: Option<String>,
        /// SHA-256 of the words that were said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        said: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        batch: Option<String>,
    },
    /// A decision was taken back before anybody had acted on it.
    Undone { thread: String, interrupt: String, because: Because },
    /// An effect is about to happen.
    EffectBegun {
        thread: String,
        step: i64,
        effect: String,
        /// By what right: `decision`, `draft`, or `grant:` and its name.
        by: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        interrupt: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        action: Option<String>,
        /// The hash of what was shown, with the arguments that are carried out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        executed: Option<String>,
        /// SHA-256 of the bytes that are about to leave.
        bytes: String,
    },
    /// How far an effect has come.
    EffectEnded { thread: String, step: i64, effect: String, state: String, outcome: String },
    /// A person allowed something from now on.
    Granted {
        grant: String,
        tool: String,
        scope: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        interrupt: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expires_at: Option<i64>,
    },
    /// A grant was ended, or a built-in one switched off.
    Revoked { grant: String },
    /// A built-in grant was switched on again.
    Restored { grant: String },
    /// A profile has a new version.
    Remembered {
        namespace: String,
        version: u64,
        cause: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        thread: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        interrupt: Option<String>,
        /// SHA-256 of the profile.
        profile: String,
    },
    /// A line of a profile was pinned.
    Pinned { namespace: String, line: String },
    /// A pinned line was let go.
    Unpinned { namespace: String, line: String },
    /// All driving was paused.
    Paused,
    /// All driving goes on.
    Resumed,
    /// A person started a thread.
    Started {
        thread: String,
        workflow: String,
        /// SHA-256 of what it was started with, as JSON with sorted keys; a fork has its origin's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        forked_from: Option<String>,
    },
    /// A person said something after a thread's result, and it went on.
    Continued {
        thread: String,
        /// SHA-256 of the words that were said.
        said: String,
    },
    /// A person let old threads go, in this transaction these.
    Pruned {
        /// Those to which nothing had happened since then.
        older_than: i64,
        statuses: Vec<String>,
        threads: u64,
        /// Of those, how many left a record.
        records: u64,
        /// Mails whose bytes were let go of.
        mails: u64,
        /// SHA-256 over a line for each thread: its id, a space, and the digest its steps ended with.
        heads: String,
    },
    /// A person stopped a thread.
    Stopped { thread: String },
    /// A person corrected what a thread took its mail for.
    Corrected { thread: String },
}

/// Why a decision was taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::store) enum Because {
    /// A person took it back.
    Person,
    /// Something arrived that it did not know of.
    Arrival,
    /// The grant that had given it no longer covers it.
    GrantEnded,
    /// Its thread was stopped.
    Stopped,
    /// It had been held for too long when a driver came.
    HeldTooLong,
}

/// SHA-256 of a text, as the audit writes it.
pub(in crate::store) fn sha(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

/// SHA-256 of JSON with sorted keys, so that reading and writing it again changes nothing.
pub(in crate::store) fn sha_json(value: &serde_json::Value) -> String {
    let mut text = String::new();
    canonical(value, &mut text);
    sha(&text)
}

/// The hash of a proposal with these arguments, as the audit writes it.
pub(in crate::store) fn bound(action: &str, args: &serde_json::Value, binds: &[String]) -> String {
    Hash::of(action, args, binds).to_string()
}
