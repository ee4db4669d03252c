//! Who a reply goes to, who it comes from, and how it joins the conversation. Pure functions.

use super::not_encoded;
use crate::mail::{Address, Mail};

/// How many ids a `References` chain keeps: the first and the newest.
const CHAIN: usize = 21;

/// Words that mean `Re:`, in lower case.
const ANSWER: &[&str] =
    &["re", "aw", "sv", "vs", "antw", "antwort", "odp", "ynt", "rif", "res", "回复", "答复"];

/// The possible recipients of a reply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recipients {
    /// The recipients of a plain reply.
    pub to: Vec<Address>,
    /// Additional recipients of a reply to all.
    pub also: Vec<Address>,
}

/// A reply goes to the Reply-To addresses, otherwise to the sender; never to the user, unless there is nobody else. A
/// reply to the user's own mail goes where that mail went. If a list directs replies to itself, the author is in
/// `also`; if it does not, the list is.
pub fn reply_recipients(mail: &Mail, own: &[String]) -> Recipients {
    let is_mine = |address: &Address| is_own(&address.address, own);
    let mut recipients = Recipients::default();
    if is_mine(&mail.from) && mail.recipients().any(|address| !is_mine(address)) {
        add(&mut recipients.to, &[], mail.to.iter().filter(|address| !is_mine(address)));
        let rest = mail.cc.iter().filter(|address| !is_mine(address));
        if recipients.to.is_empty() {
            add(&mut recipients.to, &[], rest);
        } else {
            let to = recipients.to.clone();
            add(&mut recipients.also, &to, rest);
        }
        return recipients;
    }
    add(&mut recipients.to, &[], mail.reply_to.iter().filter(|address| !is_mine(address)));
    if recipients.to.is_empty() {
        add(&mut recipients.to, &[], [&mail.from]);
    }
    let post = mail.list.as_ref().and_then(|list| list.post.as_deref());
    let to = recipients.to.clone();
    if post.is_some_and(|post| to.iter().all(|address| address.same(post))) {
        add(&mut recipients.also, &to, [&mail.from].into_iter().filter(|address| !is_mine(address)));
    }
    let post = post.map(Address::bare);
    let others = mail.recipients().chain(&post).filter(|address| !is_mine(address));
    add(&mut recipients.also, &to, others);
    recipients
}

fn add<'a>(list: &mut Vec<Address>, other_list: &[Address], more: impl IntoIterator<Item = &'a Address>) {
    for address in more {
        let is_listed = list.iter().chain(other_list).any(|listed| listed.same(&address.address));
        if !is_listed && !address.address.is_empty() {
            list.push(address.clone());
        }
    }
}

/// The people a reply to all would reach and this reply does not. `to` and `cc` are bare addresses.
pub fn reply_all_left_out(mail: &Mail, own: &[String], to: &[String], cc: &[String]) -> Vec<Address> {
    let all = reply_recipients(mail, own);
    let reached = |address: &Address| to.iter().chain(cc).any(|one| address.same(one));
    all.to.into_iter().chain(all.also).filter(|address| !reached(address)).collect()
}

/// The subject of a reply: a single `Re:`, however many the mail has, in any language.
pub fn reply_subject(subject: &str) -> String {
    let mut rest = subject.trim();
    while let Some(shorter) = without_prefix(rest) {
        rest = shorter;
    }
    not_encoded(format!("Re: {rest}").trim_end())
}

/// The subject of a forwarded mail.
pub fn forward_subject(subject: &str) -> String {
    let subject = subject.trim();
    let is_forwarded = subject.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("fwd:"));
    not_encoded(&if is_forwarded { subject.to_owned() } else { format!("Fwd: {subject}") })
        .trim_end()
        .to_owned()
}

fn without_prefix(subject: &str) -> Option<&str> {
    let (word, rest) = subject.split_once([':', '：'])?;
    let word = word.trim_end();
    // `Re[2]:` and `Re(2):` count too.
    let word = match word.find(['[', '(']) {
        Some(at) if is_count(&word[at..]) => word[..at].trim_end(),
        _ => word,
    };
    ANSWER.contains(&word.to_lowercase().as_str()).then(|| rest.trim_start())
}

fn is_count(text: &str) -> bool {
    let inside = text.strip_prefix(['[', '(']).and_then(|rest| rest.strip_suffix([']', ')']));
    inside.is_some_and(|count| !count.is_empty() && count.bytes().all(|b| b.is_ascii_digit()))
}

/// The user's address that a mail came to, or `usual` if the mail does not say. `Ann+list@…` counts as `ann@…`.
pub fn from_address(mail: &Mail, usual: &str, own: &[String]) -> String {
    let sender = std::iter::once(mail.from.address.as_str());
    let open = mail.recipients().chain(&mail.bcc).map(|address| address.address.as_str());
    let delivered = mail.delivered_to.iter().map(String::as_str);
    // The user's own mail is answered from the address that sent it.
    sender
        .chain(open)
        .chain(delivered)
        .find_map(|address| own_address(address, own))
        .unwrap_or(usual)
        .to_owned()
}

/// Whether an address is one of the user's, ignoring a tag.
pub fn is_own(address: &str, own: &[String]) -> bool {
    own_address(address, own).is_some()
}

/// The matching address of the user, ignoring a tag.
fn own_address<'a>(address: &str, own: &'a [String]) -> Option<&'a str> {
    let exact = own.iter().find(|candidate| candidate.eq_ignore_ascii_case(address));
    let matching =
        exact.or_else(|| own.iter().find(|candidate| candidate.eq_ignore_ascii_case(&untagged(address))));
    matching.map(String::as_str)
}

fn untagged(address: &str) -> String {
    let Some((local, domain)) = address.rsplit_once('@') else { return address.to_owned() };
    let local = local.split_once('+').map_or(local, |(local, _)| local);
    format!("{local}@{domain}")
}

/// `In-Reply-To` for a reply; `None` if the mail has no Message-ID.
pub fn in_reply_to(mail: &Mail) -> Option<String> {
    mail.message_id.clone()
}

/// `References` for a reply (RFC 5322, 3.6.4). A long chain keeps its first id, which identifies the conversation, and
/// its newest ones.
pub fn references(mail: &Mail) -> Vec<String> {
    let mut chain = match (mail.references.as_slice(), mail.in_reply_to.as_slice()) {
        ([], [only]) => vec![only.clone()],
        (references, _) => references.to_vec(),
    };
    if let Some(id) = &mail.message_id {
        chain.retain(|one| one != id);
        chain.push(id.clone());
    }
    if chain.len() > CHAIN {
        chain.drain(1..=chain.len() - CHAIN);
    }
    chain
}
