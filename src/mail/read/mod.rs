//! Parses raw bytes into a [`Mail`]. All incoming mail goes through here.
//!
//! Promises: any bytes give a [`Mail`] whose texts are all Visible and bounded, or a [`ParseError`] in a sentence, in
//! linear time and bounded memory. The same bytes always give the same [`Mail`]. Nothing is fetched, and no part is run
//! or unpacked.

mod addresses;
mod body;
mod decode;
mod fields;
mod kind;
mod names;
mod params;
mod tree;
mod words;

#[cfg(test)]
mod tests;

pub(super) use addresses::{ascii_domain, bare};
pub(super) use decode::base64;

use super::Mail;
use crate::text::hex;
use sha2::{Digest, Sha256};

/// Why a mail cannot be read, in a sentence for users.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    #[error("Nothing of this mail came: it is empty, or its server did not give it.")]
    Empty,
    /// It is longer than the limit.
    #[error("This mail has {} MB; sayso reads mails of up to {} MB. Open it in your mail client.", bytes >> 20, tree::MAX_RAW >> 20)]
    Large {
        /// Its length.
        bytes: usize,
    },
    /// It has too many header fields.
    #[error("This mail has more than {most} header fields. It may be malicious; its raw text is kept.")]
    Headers {
        /// The limit.
        most: usize,
    },
    /// One of its header fields, or all of them together, are too long.
    #[error("This mail has an absurdly long header. It may be malicious; its raw text is kept.")]
    LongHeader,
    /// Its parts are nested too deeply.
    #[error(
        "This mail has more than {most} parts inside each other. It may be malicious; its raw text is kept."
    )]
    Deep {
        /// The limit.
        most: usize,
    },
    /// It has too many parts.
    #[error("This mail has more than {most} parts. It may be malicious; its raw text is kept.")]
    Parts {
        /// The limit.
        most: usize,
    },
    /// The input is not a mail.
    #[error("This is not a mail: {0}")]
    NotMail(String),
}

/// Parses a mail.
pub fn parse(raw: &[u8]) -> Result<Mail, ParseError> {
    let tree = tree::tree(raw)?;
    let mut mail = Mail { raw: hex(&Sha256::digest(raw)), bytes: raw.len() as u64, ..Mail::default() };
    let Some(head) = tree.parts.first() else { return Err(ParseError::Empty) };
    fields::fill(&mut mail, &tree, head);
    mail.body = body_digest(&raw[head.body.clone()]);
    body::fill(&mut mail, &tree);
    Ok(mail)
}

/// The content of the attachment with this digest.
pub fn attachment(raw: &[u8], digest: &str) -> Option<Vec<u8>> {
    let tree = tree::tree(raw).ok()?;
    let contents = (0..tree.parts.len()).filter(|part| body::is_attachment(&tree, *part));
    contents.map(|part| body::content(&tree, part)).find(|content| hex(&Sha256::digest(content)) == digest)
}

/// The bare addresses in some header fields, in lower case. Empty if the header cannot be read.
pub(super) fn addresses_in(head: &[u8], fields: &[&str]) -> Vec<String> {
    let Ok(tree) = tree::tree(head) else { return Vec::new() };
    let Some(part) = tree.parts.first() else { return Vec::new() };
    let values = fields.iter().flat_map(|name| tree.fields(part, name));
    let people = values.flat_map(|value| addresses::read(value, "").addresses);
    people.map(|person| person.address.to_lowercase()).filter(|address| address.contains('@')).collect()
}

/// Identifies a mail when it is found again, in another folder or by another fetch.
pub fn identity(account: &str, mail: &Mail) -> String {
    let mut hasher = Sha256::new();
    let date = mail.date.map(|date| date.to_string()).unwrap_or_default();
    let id = mail.message_id.as_deref().unwrap_or_default();
    for field in [account, id, &mail.from.address.to_lowercase(), &date, &mail.body] {
        hasher.update((field.len() as u64).to_be_bytes());
        hasher.update(field);
    }
    hex(&hasher.finalize())
}

/// The digest of the body. Line ends do not count: folders and servers store them differently.
fn body_digest(body: &[u8]) -> String {
    let mut hasher = Sha256::new();
    let body = body.trim_ascii_end();
    let mut from = 0;
    for at in memchr::memchr_iter(b'\r', body) {
        hasher.update(&body[from..at]);
        from = at + 1;
    }
    hasher.update(&body[from..]);
    hex(&hasher.finalize())
}
