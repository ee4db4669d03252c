//! Checks the claimed sender: by the receiving server's findings, and by names of people and the user's organisation.

use super::authentication::{Authentication, authentication, is_marked_spam, is_spam_to_microsoft};
use super::{Risk, RiskContext, domains, have_different_owners, organisation};
use crate::mail::{Address, Mail};
use crate::text::phrases;

/// What the mailbox's own server found wrong with the sender.
pub(super) fn not_authentic(
    mail: &Mail,
    known: &RiskContext<'_>,
    looks_alike: bool,
    impostor: bool,
) -> Option<Risk> {
    let mut failed = match authentication(mail, known.receiver) {
        Authentication::Failed(checks) => checks.iter().map(|name| format!("{name} failed")).collect(),
        Authentication::Passed | Authentication::Unknown => Vec::new(),
    };
    let is_spam = is_marked_spam(mail, known.receiver) || is_spam_to_microsoft(mail, known.receiver);
    failed.extend(is_spam.then(|| "its filter calls it spam".to_owned()));
    if failed.is_empty() {
        return None;
    }
    let is_colleague = known.own.iter().any(|own| !have_different_owners(own, &mail.from.address));
    let with = if looks_alike {
        Some("its domain looks like one you know")
    } else {
        (impostor || is_colleague).then_some("it uses the name of somebody you know")
    };
    Some(Risk::NotAuthentic { address: mail.from.address.clone(), failed: failed.join(", "), with })
}

/// A known person's name with another address. A service or a list that sends in their name says so.
pub(super) fn known_name(mail: &Mail, known: &RiskContext<'_>) -> Option<Risk> {
    let Address { name, address } = &mail.from;
    if address.is_empty() || (known.is_known)(address) || sent_for_others(mail, known) {
        return None;
    }
    // "Office of Ada Lovelace" is meant to pass for her too; "Ada Lovelace via Service" says who sends it.
    let words: Vec<&str> = name.split_whitespace().take(MAX_WORDS).collect();
    let names_service = words.iter().any(|word| word.eq_ignore_ascii_case("via"));
    let parts = [3, 2].into_iter().flat_map(|length| words.windows(length)).filter(|_| !names_service);
    let names = std::iter::once(name.clone()).chain(parts.map(|part| part.join(" ")));
    let mut known_addresses = names.filter_map(|name| Some(((known.by_name)(&name)?, name)));
    let (known_address, name) =
        known_addresses.find(|(known_address, _)| have_different_owners(known_address, address))?;
    Some(Risk::KnownName { name, address: address.clone(), known: known_address })
}

/// How many words of a display name are checked.
const MAX_WORDS: usize = 8;

/// Whether a program or a list sends the mail for somebody, and its own address says so.
pub(super) fn sent_for_others(mail: &Mail, known: &RiskContext<'_>) -> bool {
    let local = mail.from.address.split('@').next().unwrap_or_default().to_ascii_lowercase();
    let is_machine = [
        "noreply",
        "no-reply",
        "notification",
        "notify",
        "meetings",
        "invite",
        "calendar",
        "mailer",
        "robot",
    ]
    .iter()
    .any(|word| local.contains(word));
    let is_from_list = mail.list.as_ref().is_some_and(|list| list.id.is_some());
    let is_authentic = authentication(mail, known.receiver) == Authentication::Passed;
    (is_machine || is_from_list || mail.auto_submitted.is_some() || mail.invitation.is_some()) && is_authentic
}

/// The display name is the user's own organisation, but the mail comes from outside.
pub(super) fn claims_own_organisation(mail: &Mail, known: &RiskContext<'_>) -> Option<Risk> {
    let Address { name, address } = &mail.from;
    let words = phrases::normalize_text(name);
    let own_address = known.own.iter().find(|own| {
        let domain = own.rsplit_once('@').map_or("", |(_, domain)| domain);
        let label = organisation(domain).split('.').next().unwrap_or_default();
        label.len() > 3 && !domains::is_provider(domain) && words.has(phrases::normalize_text(label).trim())
    })?;
    let is_inside =
        mail.list.is_some() || !have_different_owners(own_address, address) || (known.is_known)(address);
    (!is_inside && !address.is_empty())
        .then(|| Risk::ClaimsYourOrganisation { name: name.clone(), address: address.clone() })
}
