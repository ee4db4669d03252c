//! The few header fields needed to find a mail again, read from a bounded beginning.

use super::folder::{Entry, Folder};
use crate::mail::MailError;
use crate::text::hex;
use mail_parser::{HeaderValue, MessageParser};
use sha2::{Digest, Sha256};
use std::path::PathBuf;

/// How much of a mail is read for its header.
pub(super) const BEGINNING: u64 = 64 << 10;

/// The ids of a mail, without angle brackets.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::mail) struct Ids {
    pub(in crate::mail) message_id: Option<String>,
    /// The mails it answers: `In-Reply-To`, or else the last of `References`.
    pub(in crate::mail) answers: Vec<String>,
}

/// Reads the ids from a mail or its beginning. Parses only the header.
pub(in crate::mail) fn ids(raw: &[u8]) -> Ids {
    let beginning = &raw[..raw.len().min(BEGINNING as usize)];
    let Some(mail) = MessageParser::new().parse_headers(head(beginning)) else { return Ids::default() };
    let list = |value: &HeaderValue<'_>| -> Vec<String> {
        value.as_text_list().unwrap_or_default().iter().map(|id| id.to_string()).collect()
    };
    let mut answers = list(mail.in_reply_to());
    if answers.is_empty() {
        answers.extend(list(mail.references()).pop());
    }
    Ids { message_id: mail.message_id().map(str::to_owned), answers }
}

/// Everything before the first empty line.
pub(in crate::mail) fn head(raw: &[u8]) -> &[u8] {
    let ends = |at: &usize| {
        let rest = &raw[*at..];
        rest.starts_with(b"\n\n") || rest.starts_with(b"\n\r\n")
    };
    (0..raw.len()).find(ends).map_or(raw, |at| &raw[..=at])
}

/// A file name derived from the mail's bytes, so that no other mail has it.
pub(in crate::mail) fn identity(raw: &[u8]) -> String {
    let hash = Sha256::digest(raw);
    format!("sayso.{}", hex(&hash[..16]))
}

pub(super) fn ids_of(folder: &Folder, key: &str, entry: &Entry) -> Result<Option<Ids>, MailError> {
    let beginning = folder.with(key, entry.clone(), |entry| folder.beginning(entry, BEGINNING))?;
    Ok(beginning.map(|beginning| ids(&beginning)))
}

/// The file that we made of a mail, or another one with its Message-ID.
pub(in crate::mail) fn copy_of(folder: &Folder, raw: &[u8]) -> Result<Option<PathBuf>, MailError> {
    let list = folder.list()?;
    if let Some(entry) = list.get(&identity(raw)) {
        return Ok(Some(folder.path().join(entry.path())));
    }
    let Some(id) = ids(raw).message_id else { return Ok(None) };
    for (key, entry) in &list {
        let ids = ids_of(folder, key, entry);
        // An unreadable file is not the one we wrote.
        if ids.ok().flatten().and_then(|ids| ids.message_id).is_some_and(|found_id| found_id == id) {
            return Ok(Some(folder.path().join(entry.path())));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_from_the_header_alone() {
        let raw = b"Message-ID: <a@x>\r\nIn-Reply-To: <b@x>\r\nReferences: <r@x>\r\n <s@x>\r\n\r\nMessage-ID: <no@x>";
        let ids_ = ids(raw);
        assert_eq!(ids_.message_id.as_deref(), Some("a@x"));
        assert_eq!(ids_.answers, ["b@x"]);
        assert_eq!(ids(b"References: <r@x>\n <s@x>\n\nIn-Reply-To: <b@x>").answers, ["s@x"]);
        assert_eq!(ids(b""), Ids::default());
        assert_eq!(ids(&[b'x'; 1 << 20]), Ids::default());
    }
}
