//! Mail that goes out: a [`Draft`] becomes whole RFC 5322 bytes, once, and those bytes are what is approved, frozen and
//! sent.
//!
//! Promised: the same draft, seed and date give the same bytes, Message-ID and boundaries included, so that a retry
//! cannot become another mail; no text of a draft can end a header or begin a part; every line is at most 998 bytes
//! long, and at most 78 wherever mail allows it; lines end in CRLF; everything is ASCII on the wire. `Bcc` stands in
//! the bytes as a field: whoever sends reads it and does not pass it on.
//!
//! What is not here: a clock, randomness, sending. Addresses with letters beyond ASCII before the `@` are refused,
//! since most servers would refuse them later.

mod address;
mod body;
mod field;
mod param;
mod quote;
mod reply;

pub use address::{Recipient, ascii_address};
pub use quote::{quote, with_quote, with_signature};
pub use reply::{
    Recipients, from_address, in_reply_to, is_own, references, reply_all_left_out, reply_recipients,
    reply_subject,
};

use super::{Address, Invitation, Mail};
use crate::text::{Visible, hex};
use field::Head;
use jiff::Zoned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A mail about to be composed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Draft {
    /// From whom.
    pub from: Address,
    pub to: Vec<Address>,
    /// To whom besides.
    pub cc: Vec<Address>,
    /// To whom unseen.
    pub bcc: Vec<Address>,
    /// The subject, one line.
    pub subject: String,
    pub content: String,
    /// What is attached.
    pub attachments: Vec<File>,
    /// The mail it answers, without angle brackets.
    pub in_reply_to: Option<String>,
    /// The conversation so far, oldest first, without angle brackets.
    pub references: Vec<String>,
    /// An invitation that calendars understand.
    pub calendar: Option<Invitation>,
}

/// Something to attach.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    pub name: String,
    /// Its media type; what is none becomes `application/octet-stream`.
    pub kind: String,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// Why a mail cannot be composed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ComposeError {
    /// Mail cannot be addressed like this.
    #[error("`{}` is not an address mail can be sent to: {why}", Visible::line(address))]
    Address {
        /// What was written.
        address: String,
        /// What is wrong.
        why: &'static str,
    },
}

impl Draft {
    /// A draft that answers a mail: the conversation and the subject are set, recipients and text are not.
    pub fn answering(mail: &Mail) -> Self {
        Self {
            subject: reply_subject(&mail.subject),
            in_reply_to: in_reply_to(mail),
            references: references(mail),
            ..Self::default()
        }
    }
}

/// The Message-ID of the mail with this seed, without angle brackets. The seed names what the mail is (its thread and
/// call, say) and must not be used for two.
pub fn message_id(seed: &str, from: &str) -> String {
    let domain = from.rsplit_once('@').map_or("", |(_, domain)| domain);
    let domain = address::ascii_domain(domain).unwrap_or_else(|_| "localhost".to_owned());
    format!("{}.sayso@{domain}", digest("message-id", seed))
}

/// The whole mail.
pub fn compose(draft: &Draft, seed: &str, date: &Zoned) -> Result<Vec<u8>, ComposeError> {
    let mut head = Head::default();
    head.addresses("From", std::slice::from_ref(&draft.from))?;
    for (name, addresses) in [("To", &draft.to), ("Cc", &draft.cc), ("Bcc", &draft.bcc)] {
        if !addresses.is_empty() {
            head.addresses(name, addresses)?;
        }
    }
    head.text("Subject", &draft.subject);
    head.plain("Date", &jiff::fmt::rfc2822::to_string(date).unwrap_or_default());
    head.ids("Message-ID", &[message_id(seed, &draft.from.address)]);
    head.ids("In-Reply-To", draft.in_reply_to.as_slice());
    head.ids("References", &draft.references);
    head.plain("MIME-Version", "1.0");
    let mut bytes = head.into_bytes();
    bytes.extend(content(draft, seed));
    Ok(bytes)
}

/// A part with its own header; parts nest.
fn content(draft: &Draft, seed: &str) -> Vec<u8> {
    let mut text = body::text("text/plain; charset=utf-8", &draft.content);
    if let Some(invitation) = &draft.calendar {
        // The shape that calendars look for: the same thing said twice, the richest last, its method in the type.
        let method: String = invitation.method.chars().filter(char::is_ascii_alphabetic).collect();
        let kind = format!("text/calendar; charset=utf-8; method={}", method.to_ascii_uppercase());
        let parts = [text, body::text(&kind, &invitation.text)];
        text = body::multipart("alternative", &digest("alternative", seed), &parts);
    }
    if draft.attachments.is_empty() {
        return text;
    }
    let mut parts = vec![text];
    parts.extend(draft.attachments.iter().map(body::file));
    body::multipart("mixed", &digest("mixed", seed), &parts)
}

/// Letters nobody can guess without the seed, 32 of them.
fn digest(purpose: &str, seed: &str) -> String {
    let hash = Sha256::new().chain_update(purpose).chain_update([0]).chain_update(seed).finalize();
    hex(&hash[..16])
}

#[cfg(test)]
mod tests;
