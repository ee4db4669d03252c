//! Reads header fields into a [`Mail`].
//!
//! Promises: every text is Visible and bounded; an unreadable field is left out, never an error.

use super::addresses::{self, Line, bare};
use super::decode;
use super::kind::Field;
use super::tree::{Part, Tree};
use super::words::{MAX_LINE, clip, line, unshown};
use crate::mail::{Address, AddressField, ListInfo, Mail, Oddity, Unsubscribe};
use crate::text::{Visible, sanitize_typed};
use jiff::Timestamp;
use mail_parser::HeaderValue;
use mail_parser::parsers::MessageStream;
use percent_encoding::percent_decode_str;
use std::borrow::Cow;
use std::collections::HashSet;

/// The most senders listed for one mail.
const MAX_SENDERS: usize = 5;
/// The most Message-IDs kept from one field.
const MAX_IDS: usize = 200;

/// Fills in everything found in the header of a mail.
pub(super) fn fill(mail: &mut Mail, tree: &Tree<'_>, part: &Part) {
    // Raw 8-bit letters in a header are most likely in the character set of the text.
    let charset = charset_near(tree, part);
    let first = |name: &str| tree.field(part, name);
    let line = |name: &str| first(name).map(|value| self::line(value, &charset));
    let lines = |name: &str| -> Vec<Line> {
        tree.fields(part, name).map(|value| addresses::read(value, &charset)).collect()
    };
    let list =
        |name: &str| -> Vec<Address> { lines(name).into_iter().flat_map(|line| line.addresses).collect() };
    // The text of the field, for users: shown if nothing can be read, or if it is unusual.
    let field_text = |name: &str| {
        let values = tree.fields(part, name).map(|value| self::line(value, &charset));
        values.filter(|value| !value.is_empty()).collect::<Vec<_>>().join(" · ")
    };
    mail.message_id = first("message-id").and_then(|value| ids(value).into_iter().next());
    mail.in_reply_to = first("in-reply-to").map(ids).unwrap_or_default();
    mail.references = first("references").map(ids).unwrap_or_default();
    let senders = lines("from");
    mail.oddities.extend(odd_senders(&senders, field_text("from")));
    mail.from = with_address(senders)
        .next()
        .unwrap_or_else(|| Address { name: field_text("from"), ..Address::default() });
    mail.sender = with_address(lines("sender")).next().filter(|sender| !sender.same(&mail.from.address));
    let reply_to = lines("reply-to");
    mail.oddities.extend(odd_reply_to(&reply_to, field_text("reply-to")));
    mail.reply_to = with_address(reply_to).collect();
    (mail.to, mail.cc, mail.bcc) = (list("to"), list("cc"), list("bcc"));
    let delivered = ["delivered-to", "x-original-to", "envelope-to"].into_iter().flat_map(list);
    let mut seen_addresses = HashSet::new();
    let delivered = delivered.map(|to| to.address).filter(|to| !to.is_empty());
    mail.delivered_to = delivered.filter(|to| seen_addresses.insert(to.clone())).collect();
    mail.subject = line("subject").unwrap_or_default();
    for name in ["from", "to", "cc", "subject"] {
        mail.unshown.extend(first(name).and_then(|value| unshown(value, &charset)).map(|text| (name, text)));
    }
    mail.date = first("date").and_then(date);
    mail.list = list_info(tree, part, &charset);
    mail.auto_submitted =
        line("auto-submitted").filter(|value| !value.is_empty() && !value.eq_ignore_ascii_case("no"));
    mail.precedence = line("precedence").filter(|value| !value.is_empty());
    let header = |field: &Field| {
        let name = String::from_utf8_lossy(&tree.raw[field.name.clone()]).into_owned();
        (Visible::line(&name).into_string(), self::line(&tree.raw[field.value.clone()], &charset))
    };
    mail.headers = part.fields.iter().map(header).collect();
}

/// The character set of the mail's text, if it names one.
fn charset_near(tree: &Tree<'_>, part: &Part) -> String {
    let part_charset = &part.kind.charset;
    let child =
        part.children.iter().map(|child| &tree.parts[*child].kind.charset).find(|set| !set.is_empty());
    if part_charset.is_empty() { child.cloned().unwrap_or_default() } else { part_charset.clone() }
}

/// Everybody on these lines who has an address.
fn with_address(lines: Vec<Line>) -> impl Iterator<Item = Address> {
    lines.into_iter().flat_map(|line| line.addresses).filter(|person| !person.address.is_empty())
}

/// What is odd about the From lines of a mail. There should be one, with one sender.
fn odd_senders(lines: &[Line], text: String) -> Option<Oddity> {
    let mut senders: Vec<String> = Vec::new();
    for address in lines.iter().flat_map(|line| &line.addresses).map(|sender| &sender.address) {
        if !address.is_empty() && !senders.iter().any(|known| known.eq_ignore_ascii_case(address)) {
            senders.push(address.clone());
        }
        if senders.len() == MAX_SENDERS {
            break;
        }
    }
    let field = AddressField::From;
    match senders.len() {
        0 => Some(Oddity::Unreadable { field, text }),
        1 => is_unusual(lines).then_some(Oddity::Unusual { field, text, address: senders.remove(0) }),
        _ => Some(Oddity::SeveralSenders { addresses: senders }),
    }
}

/// What is odd about the Reply-To lines of a mail. They may name several people, or be empty.
fn odd_reply_to(lines: &[Line], text: String) -> Option<Oddity> {
    let field = AddressField::ReplyTo;
    let people = lines.iter().flat_map(|line| &line.addresses).map(|person| person.address.as_str());
    let people: Vec<&str> = people.filter(|address| !address.is_empty()).take(MAX_SENDERS).collect();
    if people.is_empty() {
        return (!text.is_empty()).then_some(Oddity::Unreadable { field, text });
    }
    is_unusual(lines).then(|| Oddity::Unusual { field, text, address: people.join(", ") })
}

fn is_unusual(lines: &[Line]) -> bool {
    lines.len() > 1 || lines.iter().any(|line| line.unusual)
}

/// Message-IDs without angle brackets.
fn ids(value: &[u8]) -> Vec<String> {
    let value = decode::text("", value);
    let mut ids: Vec<&str> = value
        .split('<')
        .skip(1)
        .filter_map(|piece| piece.split_once('>').map(|(id, _)| id.trim()))
        .filter(|id| !id.is_empty())
        .collect();
    if ids.is_empty() {
        ids = value.split_whitespace().filter(|word| word.len() > 2).collect();
        // Words in quotes in `In-Reply-To` are not ids: old programs wrote sentences there.
        ids.retain(|word| word.contains('@') || !value.trim().contains(' '));
    }
    // The first id identifies the conversation, the last ones are the closest.
    if ids.len() > MAX_IDS {
        ids.drain(1..ids.len() - MAX_IDS + 1);
    }
    ids.into_iter().map(|id| Visible::line(clip(id, MAX_LINE)).replace(char::is_whitespace, "")).collect()
}

fn date(value: &[u8]) -> Option<Timestamp> {
    let mut line = decode::text("", value).trim().to_owned();
    line.push('\n');
    let HeaderValue::DateTime(date) = MessageStream::new(line.as_bytes()).parse_date() else { return None };
    date.is_valid().then(|| Timestamp::from_second(date.to_timestamp()).ok()).flatten()
}

fn list_info(tree: &Tree<'_>, part: &Part, charset: &str) -> Option<ListInfo> {
    let line = |name: &str| tree.field(part, name).map(|value| self::line(value, charset));
    let inside = |value: &str| {
        let inner = value.rsplit_once('<').and_then(|(_, rest)| rest.split_once('>')).map(|(inner, _)| inner);
        inner.unwrap_or(value).trim().to_owned()
    };
    let id = line("list-id").map(|id| inside(&id)).filter(|id| !id.is_empty());
    let post = line("list-post").and_then(|post| inside(&post).strip_prefix("mailto:").map(str::to_owned));
    let post = post.map(|post| bare(post.split('?').next().unwrap_or_default()));
    let ways = line("list-unsubscribe").unwrap_or_default();
    let one_click = line("list-unsubscribe-post")
        .is_some_and(|value| value.replace(' ', "").eq_ignore_ascii_case("list-unsubscribe=one-click"));
    let targets =
        ways.split('<').skip(1).filter_map(|piece| piece.split_once('>').map(|(target, _)| target.trim()));
    let mut unsubscribe = Vec::new();
    for target in targets.take(8) {
        let lower = target.to_ascii_lowercase();
        if lower.starts_with("mailto:") {
            unsubscribe.extend(unsubscribe_mail(&target["mailto:".len()..]));
        } else if one_click && lower.starts_with("https://") {
            unsubscribe.push(Unsubscribe::OneClick { url: target.to_owned() });
        } else if lower.starts_with("https://") || lower.starts_with("http://") {
            unsubscribe.push(Unsubscribe::Page { url: target.to_owned() });
        }
    }
    unsubscribe.sort_by_key(|option| match option {
        Unsubscribe::OneClick { .. } => 0,
        Unsubscribe::Mail { .. } => 1,
        Unsubscribe::Page { .. } => 2,
    });
    let info = ListInfo { id, post, unsubscribe };
    (info != ListInfo::default()).then_some(info)
}

/// Reads a `mailto:` without its scheme. Other recipients in it are ignored.
fn unsubscribe_mail(target: &str) -> Option<Unsubscribe> {
    let (to, query) = target.split_once('?').unwrap_or((target, ""));
    let undone = |text: &str| decode::text("", &Cow::from(percent_decode_str(text)));
    let to = bare(&undone(to));
    if !to.contains('@') || to.contains([',', ' ']) {
        return None;
    }
    let parameter = |parameter: &str| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs
            .find(|(key, _)| key.eq_ignore_ascii_case(parameter))
            .map(|(_, value)| sanitize_typed(&undone(value)))
            .unwrap_or_default()
    };
    Some(Unsubscribe::Mail { to, subject: parameter("subject"), body: parameter("body") })
}
