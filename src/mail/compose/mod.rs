//! Composes outgoing mail: a [`Draft`] becomes complete RFC 5322 bytes, once. Those bytes are approved, frozen and
//! sent.
//!
//! Promises: the same draft, seed and date give the same bytes, including Message-ID and boundaries, so that a retry
//! cannot become another mail. No text in a draft can end a header or begin a part. Lines end in CRLF and are at most
//! 78 bytes long, except for words that can't be folded. Everything is ASCII on the wire. `Bcc` is a field in the
//! bytes: the sender reads it and does not pass it on.
//!
//! Not here: a clock, randomness, sending. Addresses with non-ASCII letters before the `@` are refused, since most
//! servers would refuse them later.

mod address;
mod body;
mod field;
mod quote;
mod reply;

pub use address::{Recipient, ascii_address};
pub use field::{not_encoded, subject};
pub use quote::{quote, with_forwarded, with_quote, with_signature};
pub use reply::{
    Recipients, forward_subject, from_address, in_reply_to, is_own, references, reply_all_left_out,
    reply_recipients, reply_subject,
};

use super::{Address, Invitation, Mail};
use crate::text::{Visible, hex};
use jiff::Zoned;
use mail_builder::MessageBuilder;
use mail_builder::headers::raw::Raw;
use mail_builder::mime::MimePart;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A mail about to be composed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Draft {
    pub from: Address,
    pub to: Vec<Address>,
    pub cc: Vec<Address>,
    pub bcc: Vec<Address>,
    /// One line.
    pub subject: String,
    pub content: String,
    pub attachments: Vec<File>,
    /// The Message-ID of the mail it answers, without angle brackets.
    pub in_reply_to: Option<String>,
    /// The Message-IDs of the conversation so far, oldest first, without angle brackets.
    pub references: Vec<String>,
    /// An invitation in calendar format.
    pub calendar: Option<Invitation>,
}

/// A file to attach.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Why a mail cannot be composed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ComposeError {
    /// The address is not one that mail can be sent to.
    #[error("`{}` is not an address mail can be sent to: {why}", Visible::line(address))]
    Address {
        /// The address as written.
        address: String,
        why: &'static str,
    },
    /// Text that mail programs would decode, so that others read something else than what was approved.
    #[error("`{}` has `=?` in it, which mail programs read as another text; write it without", Visible::line(.0))]
    LooksEncoded(String),
}

impl Draft {
    /// A reply to a mail: conversation and subject are set, recipients and text are not.
    pub fn answering(mail: &Mail) -> Self {
        Self {
            subject: reply_subject(mail.as_sent("subject", &mail.subject)),
            in_reply_to: in_reply_to(mail),
            references: references(mail),
            ..Self::default()
        }
    }
}

/// The Message-ID of the mail with this seed, without angle brackets. The seed identifies the mail (for example by its
/// thread and call) and must not be used for two mails.
pub fn message_id(seed: &str, from: &str) -> String {
    let domain = from.rsplit_once('@').map_or("", |(_, domain)| domain);
    let domain = address::ascii_domain(domain).unwrap_or_else(|_| "localhost".to_owned());
    format!("{}.sayso@{domain}", digest("message-id", seed))
}

/// Composes the whole mail.
pub fn compose(draft: &Draft, seed: &str, date: &Zoned) -> Result<Vec<u8>, ComposeError> {
    let mut mail = MessageBuilder::new().from(field::addresses(std::slice::from_ref(&draft.from))?);
    for (name, addresses) in [("To", &draft.to), ("Cc", &draft.cc), ("Bcc", &draft.bcc)] {
        if !addresses.is_empty() {
            mail = mail.header(name, field::addresses(addresses)?);
        }
    }
    mail = mail
        .subject(field::subject(&draft.subject)?)
        .header("Date", Raw::new(jiff::fmt::rfc2822::to_string(date).unwrap_or_default()))
        .message_id(message_id(seed, &draft.from.address));
    for (name, ids) in [("In-Reply-To", draft.in_reply_to.as_slice()), ("References", &draft.references)] {
        if let Some(ids) = field::ids(ids) {
            mail = mail.header(name, ids);
        }
    }
    let mut bytes = Vec::new();
    mail.body(content(draft, seed)).serialize(&mut bytes);
    Ok(bytes)
}

/// The content with its own header fields; parts nest.
fn content<'a>(draft: &'a Draft, seed: &str) -> MimePart<'a> {
    let mut text = body::text("text/plain; charset=utf-8".to_owned(), &draft.content);
    if let Some(invitation) = &draft.calendar {
        // The structure calendars look for: the same content twice, the richest last, the method in its type.
        let method: String = invitation.method.chars().filter(char::is_ascii_alphabetic).collect();
        let kind = format!("text/calendar; charset=utf-8; method={}", method.to_ascii_uppercase());
        let parts = vec![text, body::text(kind, &invitation.text)];
        text = body::multipart("multipart/alternative", &digest("alternative", seed), parts);
    }
    if draft.attachments.is_empty() {
        return text;
    }
    let parts = std::iter::once(text).chain(draft.attachments.iter().map(body::file)).collect();
    body::multipart("multipart/mixed", &digest("mixed", seed), parts)
}

/// 32 letters that nobody can guess without the seed.
fn digest(purpose: &str, seed: &str) -> String {
    let hash = Sha256::new().chain_update(purpose).chain_update([0]).chain_update(seed).finalize();
    hex(&hash[..16])
}

#[cfg(test)]
mod tests;
