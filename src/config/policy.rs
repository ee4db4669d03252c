//! `[policy.TOOL]`: when a tool may act without asking.

use super::error::{Error, hint, quoted};
use super::keys::{default, example};
use super::reader::{FromSection as _, Reader, choice, section};

section! {
    /// What a tool may do without asking: ask (nothing) | allow, if every recipient is already in the conversation
    /// (thread) or at a domain of your own (own_domain; gmail.com and the like never count). You are always asked about
    /// anything with a warning.
    pub(super) struct PolicySection in named("policy", "write_email", "") {
        mode: PolicyMode = default("ask"),
        recipients: Vec<String> = default("thread"),
        /// When its proposals expire, if not as set in `[approvals]`.
        pub(super) expire: Option<String> = example("3d"),
    }
}

/// `[policy.TOOL]`: when a tool may act without asking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Whether it may at all.
    pub mode: PolicyMode,
    /// Whom it may reach then: every recipient has to be in one of these groups. Without any, it reaches nobody.
    pub recipients: Vec<Reach>,
}

choice! {
    /// Whether a tool asks.
    #[derive(Default)]
    pub enum PolicyMode {
        /// It always asks.
        #[default]
        Ask = "ask",
        /// It acts without asking if the policy's conditions hold, and asks otherwise.
        Allow = "allow",
    }
}

/// Whom a policy lets a tool reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Everyone already in the conversation.
    Thread,
    /// Everyone with an address at one of the user's own domains.
    OwnDomain,
}

impl Policy {
    pub(super) fn read(reader: &Reader<'_>) -> Result<Self, Error> {
        let policy = PolicySection::read(reader)?;
        let reach = |word: &String| match word.as_str() {
            "thread" => Ok(Reach::Thread),
            "own_domain" => Ok(Reach::OwnDomain),
            other => {
                let hint = hint(other, ["thread", "own_domain"].into_iter(), "choose among");
                Err(reader.bad("recipients", format!("cannot be {:?}; {hint}", quoted(other))))
            }
        };
        let recipients = policy.recipients.iter().map(reach).collect::<Result<_, _>>()?;
        Ok(Self { mode: policy.mode, recipients })
    }
}
