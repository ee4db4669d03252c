//! Who would get a mail: people outside the conversation, strangers, and strangers who joined it.

use super::{MAX_ALIKE, Risk, RiskContext, domains};
use crate::mail::Mail;
use crate::mail::compose::is_own;
use std::collections::HashSet;

/// A mail about to be sent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Message<'a> {
    /// Bare addresses, or with names.
    pub to: &'a [String],
    pub cc: &'a [String],
    pub bcc: &'a [String],
}

/// The warnings about the recipients of a mail about to be sent; `conversation` has the mails it answers.
pub fn risks_of_message(message: &Message<'_>, conversation: &[&Mail], known: &RiskContext<'_>) -> Vec<Risk> {
    let mut risks = Vec::new();
    let participants: HashSet<String> = conversation.iter().flat_map(|mail| participants_of(mail)).collect();
    let domains = domains::Domains::new(known.addresses);
    let mut seen = HashSet::new();
    let all = message
        .to
        .iter()
        .chain(message.cc)
        .map(|to| (to, false))
        .chain(message.bcc.iter().map(|to| (to, true)));
    for (to, is_bcc) in all {
        let address = bare(to);
        let key = address.to_lowercase();
        if !seen.insert((key.clone(), is_bcc)) || is_own(&address, known.own) {
            continue;
        }
        if is_bcc {
            risks.push(Risk::BccAdded { address: address.clone() });
        }
        // Without a conversation, nobody is outside it.
        if !conversation.is_empty() && !participants.contains(&key) {
            risks.push(Risk::RecipientOutside { address: address.clone() });
        }
        let domain = address.rsplit_once('@').map_or("", |(_, domain)| domain);
        if seen.insert((domain.to_owned(), false)) {
            risks.extend(domains.risk(domain));
        }
        if (known.is_known)(&address) {
            continue;
        }
        risks.extend(joined_later(&address, conversation, known));
        // A mail can name anybody: being named in the conversation makes nobody known.
        let wrote_first = conversation.iter().any(|mail| mail.from.same(&address));
        risks.push(if wrote_first { Risk::FirstReply { address } } else { Risk::NewRecipient { address } });
    }
    risks
}

/// The warnings about how a mail came into its conversation. On a list, anybody may answer.
pub fn risks_of_joining(mail: &Mail, conversation: &[&Mail], known: &RiskContext<'_>) -> Vec<Risk> {
    let is_from_list = mail.list.as_ref().is_some_and(|list| list.id.is_some());
    let writers = std::iter::once(&mail.from).chain(&mail.reply_to).take(MAX_ALIKE);
    let strangers = writers.filter(|one| !is_from_list && !(known.is_known)(&one.address));
    strangers.filter_map(|one| joined_later(&one.address, conversation, known)).collect()
}

/// A stranger who only answers here, although neither they nor anybody of their house took part.
fn joined_later(address: &str, conversation: &[&Mail], known: &RiskContext<'_>) -> Option<Risk> {
    let wrote = |mail: &Mail| {
        let mut writers = std::iter::once(&mail.from).chain(&mail.sender).chain(&mail.reply_to);
        writers.any(|writer| writer.same(address))
    };
    let (theirs, others): (Vec<&Mail>, Vec<&Mail>) = conversation.iter().partition(|mail| wrote(mail));
    // Dates can be forged; a mail that answers nothing cannot have joined.
    let only_answers = theirs.iter().all(|mail| !mail.in_reply_to.is_empty() || !mail.references.is_empty());
    let took_part = others
        .iter()
        .flat_map(|mail| participants_of(mail))
        .chain(known.own.iter().cloned())
        .any(|person| !domains::have_different_owners(&person, address));
    let has_joined =
        !address.is_empty() && !theirs.is_empty() && !others.is_empty() && only_answers && !took_part;
    has_joined.then(|| Risk::JoinedLater { address: address.to_owned() })
}

/// Everybody who wrote or received a mail, bare and in lower case.
fn participants_of(mail: &Mail) -> impl Iterator<Item = String> + '_ {
    let people =
        std::iter::once(&mail.from).chain(&mail.sender).chain(&mail.reply_to).chain(mail.recipients());
    let list = mail.list.as_ref().and_then(|list| list.post.clone());
    people
        .map(|address| address.address.to_lowercase())
        .chain(list.map(|post| post.to_lowercase()))
        .filter(|to| !to.is_empty())
}

/// The bare address of `Name <address>`.
fn bare(to: &str) -> String {
    let inner = to.rsplit_once('<').map_or(to, |(_, inner)| inner.trim_end().trim_end_matches('>'));
    crate::mail::read::bare(inner)
}
