//! Which actions of nodes the config allows without asking.

use crate::config::{Policy, PolicyMode, Reach};
use crate::mail::risk::have_different_owners;

/// Something a node wants to do without asking.
#[derive(Clone, Debug, Default)]
pub struct GrantQuery<'a> {
    pub tool: &'a str,
    /// The bare address of the mail's sender; empty if no mail is involved.
    pub sender: &'a str,
    /// Everybody it would reach, as bare addresses.
    pub recipients: &'a [String],
    /// Everybody already in the conversation, as bare addresses.
    pub conversation: &'a [String],
    /// The person's own addresses.
    pub own: &'a [String],
    /// Whether anything about the call is unusual; then no grant counts.
    pub warned: bool,
}

/// Whether a policy covers an action.
pub(super) fn allows(policy: &Policy, wish: &GrantQuery<'_>) -> bool {
    let same = |one: &String, other: &String| one.eq_ignore_ascii_case(other);
    let reached = |recipient: &String| {
        policy.recipients.iter().any(|reach| match reach {
            Reach::Thread => wish.conversation.iter().any(|known| same(known, recipient)),
            Reach::OwnDomain => wish.own.iter().any(|own| at_own_domain(own, recipient)),
        })
    };
    policy.mode == PolicyMode::Allow && wish.recipients.iter().all(reached)
}

/// Whether `other` is at the user's own domain. At a public provider such as Gmail only the user's own address counts.
fn at_own_domain(own: &str, other: &str) -> bool {
    match (own.rsplit_once('@'), other.rsplit_once('@')) {
        (Some((_, at)), Some((_, there))) => {
            !at.is_empty() && at.eq_ignore_ascii_case(there) && !have_different_owners(own, other)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish<'a>(recipients: &'a [String], conversation: &'a [String], own: &'a [String]) -> GrantQuery<'a> {
        GrantQuery { tool: "write_email", recipients, conversation, own, ..GrantQuery::default() }
    }

    #[test]
    fn a_policy_lets_every_recipient_be_reached_or_none() {
        let names = |all: &[&str]| all.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let (own, inside) = (names(&["me@home.test"]), names(&["Bo@far.test"]));
        let policy =
            |mode, recipients: &[Reach]| Policy { mode, recipients: recipients.to_vec(), expire: None };
        let both = policy(PolicyMode::Allow, &[Reach::Thread, Reach::OwnDomain]);
        for (to, allowed) in [
            (names(&["bo@far.test"]), true),
            (names(&["bo@far.test", "ann@HOME.test"]), true),
            (names(&["bo@far.test", "eve@else.test"]), false),
            (names(&["eve@sub.home.test"]), false),
            (names(&["eve@home.test@else.test"]), false),
            (names(&["home.test"]), false),
        ] {
            assert_eq!(allows(&both, &wish(&to, &inside, &own)), allowed, "{to:?}");
        }
        // Gmail is nobody's own domain.
        let own = names(&["me@gmail.com", "me@outlook.fr", "me@home.test"]);
        for (to, allowed) in [
            (names(&["eve@gmail.com"]), false),
            (names(&["eve@GMAIL.com"]), false),
            (names(&["eve@outlook.fr"]), false),
            (names(&["Me@gmail.com"]), true),
            (names(&["ann@home.test"]), true),
        ] {
            assert_eq!(allows(&both, &wish(&to, &inside, &own)), allowed, "{to:?}");
        }
        let (own, to) = (names(&["me@home.test"]), names(&["bo@far.test"]));
        assert!(!allows(&policy(PolicyMode::Ask, &[Reach::Thread]), &wish(&to, &inside, &own)));
        assert!(!allows(&policy(PolicyMode::Allow, &[]), &wish(&to, &inside, &own)));
        assert!(!allows(&policy(PolicyMode::Allow, &[Reach::OwnDomain]), &wish(&to, &inside, &own)));
    }
}
