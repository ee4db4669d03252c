//! Permissions to act without asking, as people give and see them.

use crate::engine::graph::{Allowed, InterruptId, ThreadId};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;

/// The built-in grant to write the output files named in a start command.
pub const OUTPUT_FILES: &str = "builtin:output_files";

/// The built-in grant to mark handled mail in its mailbox.
pub const MARK_HANDLED: &str = "builtin:mark_handled";

/// The built-in grant to read from the servers of an API.
pub const CATALOGUE_GET: &str = "builtin:catalogue_get";

/// The built-in grant to send what a person wrote themselves.
pub const OWN_MAIL: &str = "builtin:own_mail";

/// The built-in grant to put mail away when a person presses a key or types a verb for it.
pub const PUT_AWAY: &str = "builtin:put_away";

/// What runs without a card by design. Each is listed with the grants and can be switched off.
pub const BUILTIN_GRANTS: &[BuiltinGrant] = &[
    BuiltinGrant {
        id: OUTPUT_FILES,
        tool: "output_files",
        words: "saving files",
        scope: "the files that hold the result of a thread you started",
    },
    BuiltinGrant {
        id: MARK_HANDLED,
        tool: "mark_handled",
        words: "marking mail",
        scope: "mail you have dealt with, in its mailbox, as `handled` in [[mail]] says",
    },
    BuiltinGrant {
        id: OWN_MAIL,
        tool: "own_mail",
        words: "sending your own mail",
        scope: "mail you wrote yourself, held first like any other, unless it carries a warning",
    },
    BuiltinGrant {
        id: PUT_AWAY,
        tool: "put_away",
        words: "putting mail away",
        scope: "mail you archive, delete, mark as spam, move or mute yourself, and undoing that",
    },
    BuiltinGrant {
        id: CATALOGUE_GET,
        tool: "catalogue_get",
        words: "reading from APIs",
        scope: "requests that only read, to the servers of an API that `sayso apis list` shows",
    },
];

/// The id prefix of permissions from `[policy.TOOL]` in the config.
pub const POLICY_GRANT: &str = "policy:";

/// Something that runs without a card by design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltinGrant {
    /// The name in lists and in the journal.
    pub id: &'static str,
    pub tool: &'static str,
    /// The same for people.
    pub words: &'static str,
    /// How far it reaches, in words.
    pub scope: &'static str,
}

/// How far a person's grant reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GrantScope {
    /// The rest of the thread; forks are not included.
    Thread,
    /// Mail from the sender, in any thread.
    Sender,
    /// Calls by the same asker with these words.
    Call(Allowed),
}

/// What a person wants to allow from a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrantRequest {
    /// The card: open, or just accepted.
    pub interrupt: InterruptId,
    pub scope: GrantScope,
    /// When it ends. By default a thread's grant lasts as long as the thread, and any other for an hour.
    pub ends_at: Option<Timestamp>,
    /// Only for the session that asked.
    pub session: bool,
}

/// A grant as one line of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GrantLine {
    /// `g…`, `builtin:…` or `policy:…`.
    pub id: String,
    /// The tool that may be used.
    pub tool: String,
    /// How far it reaches, in words.
    pub scope: String,
    pub thread: Option<ThreadId>,
    pub sender: Option<String>,
    /// Where it came from: `builtin`, `config`, or the card's id.
    pub origin: String,
    /// Built-in grants can be restored.
    pub builtin: bool,
    pub created_at: Option<Timestamp>,
    /// When it ends by itself.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked or switched off.
    pub revoked_at: Option<Timestamp>,
    /// Whether it is in force now.
    pub in_force: bool,
    /// How many questions it has answered.
    pub used: i64,
}

impl GrantLine {
    /// When it ends by itself, by this clock.
    pub fn until(&self, zone: &TimeZone) -> Option<String> {
        Some(self.expires_at?.to_zoned(zone.clone()).strftime("%a %H:%M").to_string())
    }
}
