//! Who would get a mail: people outside the conversation, strangers, and strangers who joined it.

use super::{MAX_ALIKE, Risk, RiskContext, domains, is_authenticated, is_forged};
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
    let domains = domains::Domains::new(known);
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
        let by_list =
            |mail: &&Mail| wrote(mail, &address) && came_by_list(mail, &address, conversation, known);
        if !conversation.iter().any(by_list) {
            risks.extend(joined_later(&address, conversation, known));
        }
        // A mail can name anybody: being named in the conversation makes nobody known.
        let wrote_first = conversation.iter().any(|mail| mail.from.same(&address));
        risks.push(if wrote_first { Risk::FirstReply { address } } else { Risk::NewRecipient { address } });
    }
    risks
}

/// The warnings about how a mail came into its conversation. On a list, anybody may answer; but anybody can write a
/// List-Id, too, so the user or somebody who takes part must have written to the same list.
pub fn risks_of_joining(mail: &Mail, conversation: &[&Mail], known: &RiskContext<'_>) -> Vec<Risk> {
    let writers = std::iter::once(&mail.from).chain(&mail.reply_to).take(MAX_ALIKE);
    let strangers = writers.filter(|one| {
        !(known.is_known)(&one.address) && !came_by_list(mail, &one.address, conversation, known)
    });
    strangers.filter_map(|one| joined_later(&one.address, conversation, known)).collect()
}

/// Whether somebody's mail came by a list that is part of its conversation: the user or somebody else who takes part has
/// written to it.
fn came_by_list(mail: &Mail, address: &str, conversation: &[&Mail], known: &RiskContext<'_>) -> bool {
    let Some(list) = &mail.list else { return false };
    if list.post.as_deref().is_some_and(|post| known.written_to.contains(&post.to_lowercase())) {
        return true;
    }
    let id = |mail: &Mail| mail.list.as_ref().and_then(|list| list.id.as_deref()).map(str::to_lowercase);
    let others: Vec<&Mail> = conversation.iter().copied().filter(|mail| !wrote(mail, address)).collect();
    list.id.is_some() && counted(&others, known).into_iter().any(|other| id(other) == id(mail))
}

/// A stranger who only answers here, although neither they nor anybody of their house took part.
fn joined_later(address: &str, conversation: &[&Mail], known: &RiskContext<'_>) -> Option<Risk> {
    let (theirs, others): (Vec<&Mail>, Vec<&Mail>) =
        conversation.iter().partition(|mail| wrote(mail, address));
    let only_answers = theirs.iter().all(|mail| answers(mail));
    let took_part = counted(&others, known)
        .into_iter()
        .flat_map(participants_of)
        .chain(known.own.iter().chain(known.written_to).cloned())
        .any(|person| !domains::have_different_owners(&person, address));
    let had_begun = !others.is_empty() || !known.written_to.is_empty();
    let has_joined = !address.is_empty() && !theirs.is_empty() && had_begun && only_answers && !took_part;
    has_joined.then(|| Risk::JoinedLater { address: address.to_owned() })
}

/// The mails that show who takes part: those of people the user knows, those that began the conversation, and those of
/// people named in these. Otherwise a stranger could vouch for themselves with a second mail from elsewhere.
fn counted<'a>(mails: &[&'a Mail], known: &RiskContext<'_>) -> Vec<&'a Mail> {
    // Anybody can write the user's own address into From, and some servers check nothing.
    let is_claimed =
        |mail: &Mail| is_own(&mail.from.address, known.own) && !is_authenticated(mail, known.receiver);
    let mails: Vec<&Mail> = mails.iter().copied().filter(|mail| !is_claimed(mail)).collect();
    let is_known = |mail: &Mail| {
        let from = &mail.from.address;
        is_own(from, known.own) || (known.is_known)(from) && !is_forged(mail, known.receiver)
    };
    let begins = |mail: &&Mail| !answers(mail) || is_known(mail);
    // The beginning may be missing in the mailbox; then the oldest mail stands for it.
    let start = mails.iter().position(begins).unwrap_or(0);
    let mut people: HashSet<String> = HashSet::new();
    let mut counted = Vec::new();
    for (at, mail) in mails.iter().copied().enumerate().skip(start) {
        let is_of_participant =
            people.contains(&mail.from.address.to_lowercase()) && !is_forged(mail, known.receiver);
        if at == start || begins(&mail) || is_of_participant {
            people.extend(participants_of(mail));
            counted.push(mail);
        }
    }
    counted
}

/// Whether a mail answers another one. Dates can be forged; a mail that answers nothing cannot have joined.
fn answers(mail: &Mail) -> bool {
    !mail.in_reply_to.is_empty() || !mail.references.is_empty()
}

fn wrote(mail: &Mail, address: &str) -> bool {
    let mut writers = std::iter::once(&mail.from).chain(&mail.sender).chain(&mail.reply_to);
    writers.any(|writer| writer.same(address))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::{Address, ListInfo, parse};

    #[test]
    fn a_stranger_who_joins_a_conversation_is_named() {
        let mail = |from: &str, to: &str, answers: bool| {
            let ids = if answers { "In-Reply-To: <1@x>\nReferences: <1@x>\n" } else { "" };
            parse(format!("From: {from}\nTo: {to}\n{ids}Subject: x\n\nHi").as_bytes()).unwrap()
        };
        let own = ["me@home.example".to_owned()];
        let is_known = |address: &str| ["ann@example.com", "bob@partner.co.uk"].contains(&address);
        let known = RiskContext { is_known: &is_known, own: &own, ..RiskContext::default() };
        let anns = mail("ann@example.com", "me@home.example, zoe@nowhere.example", false);
        let joins = |stranger: &Mail, others: &[&Mail]| {
            let conversation: Vec<&Mail> = others.iter().copied().chain([stranger]).collect();
            let on_card = risks_of_joining(stranger, &conversation, &known);
            let to = [stranger.reply_to.first().unwrap_or(&stranger.from).address.clone()];
            let on_reply =
                risks_of_message(&Message { to: &to, ..Message::default() }, &conversation, &known);
            let is_joining = |risk: &Risk| matches!(risk, Risk::JoinedLater { .. });
            assert_eq!(on_card.iter().any(is_joining), on_reply.iter().any(is_joining), "{on_reply:?}");
            !on_card.is_empty()
        };
        let me = "me@home.example";
        assert!(joins(&mail("eve@evil.example", me, true), &[&anns]));
        assert!(!joins(&mail("zoe@nowhere.example", me, true), &[&anns]), "she was in To");
        assert!(!joins(&mail("office@nowhere.example", me, true), &[&anns]), "her house was");
        assert!(!joins(&mail("bob@partner.co.uk", me, true), &[&anns]), "the user knows him");
        assert!(!joins(&mail("zed@home.example", me, true), &[&anns]), "a colleague");
        assert!(!joins(&mail("eve@evil.example", me, false), &[&anns]), "the conversation is hers");
        assert!(!joins(&mail("eve@evil.example", me, true), &[]), "nobody else wrote");
        // Sending on behalf of somebody else's conversation, with the answers going elsewhere.
        let mut redirected = mail("zoe@nowhere.example", me, true);
        redirected.reply_to = vec![Address::bare("eve@evil.example")];
        assert!(joins(&redirected, &[&anns]));
        // Strangers do not vouch for each other, but whoever takes part may bring somebody along.
        let eve = mail("eve@evil.example", "me@home.example, zed@evil.example", true);
        for (from, to) in [("zed@evil.example", me), ("zed@elsewhere.example", "eve@evil.example")] {
            assert!(joins(&eve, &[&anns, &mail(from, to, true)]), "{from}");
            assert!(joins(&eve, &[&mail(from, to, true), &anns]), "dates can be forged: {from}");
        }
        assert!(
            !joins(&eve, &[&anns, &mail("zoe@nowhere.example", "eve@evil.example", true)]),
            "zoe asked her"
        );
        let headless = mail("zoe@nowhere.example", "me@home.example, eve@evil.example", true);
        assert!(!joins(&eve, &[&headless]), "the beginning is not in the mailbox");
        let claimed = mail(me, "eve@evil.example", false);
        assert!(joins(&eve, &[&claimed]), "nobody checked that the user began it");
        // Where the user began the conversation, whoever was written to is part of it.
        let written_to = ["zoe@nowhere.example".to_owned(), "dev@lists.example".to_owned()];
        let begun = RiskContext { written_to: &written_to, ..known };
        let answers_me = |answer: &Mail| risks_of_joining(answer, &[answer], &begun);
        for (from, joins) in
            [("eve@evil.example", true), ("office@nowhere.example", false), ("bob@partner.co.uk", false)]
        {
            assert_eq!(!answers_me(&mail(from, me, true)).is_empty(), joins, "{from}");
        }
        let mut listed = mail("eve@evil.example", me, true);
        listed.list = Some(ListInfo { post: Some("Dev@lists.example".to_owned()), ..ListInfo::default() });
        assert!(answers_me(&listed).is_empty(), "the user wrote to that list");
        // A List-Id alone excuses nobody.
        let on_list = |from: &str, answers: bool| {
            let mut mail = mail(from, "dev@lists.example", answers);
            mail.list = Some(ListInfo { id: Some("dev.lists.example".to_owned()), ..ListInfo::default() });
            mail
        };
        let warns = |others: &[&Mail]| {
            let listed = on_list("eve@evil.example", true);
            let conversation: Vec<&Mail> = others.iter().copied().chain([&listed]).collect();
            let on_card = !risks_of_joining(&listed, &conversation, &known).is_empty();
            let to = ["eve@evil.example".to_owned()];
            let on_reply =
                risks_of_message(&Message { to: &to, ..Message::default() }, &conversation, &known);
            assert_eq!(on_reply.iter().any(|risk| matches!(risk, Risk::JoinedLater { .. })), on_card);
            on_card
        };
        assert!(warns(&[&anns]));
        assert!(warns(&[&anns, &on_list("zed@evil.example", true)]));
        assert!(!warns(&[&on_list("zoe@nowhere.example", false)]), "a list");
    }
}
