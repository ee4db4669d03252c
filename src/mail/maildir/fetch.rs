//! Fetches new mail.

use super::cursor::{Seen, Short};
use super::folder::{Entry, Folder};
use crate::mail::{Cursor, Fetched, MailError, NewMail};
use jiff::Timestamp;
use std::io::{self, Read};

/// The longest mail read whole, which is the parser's limit.
const LARGEST: u64 = 64 << 20;
/// How many bytes one fetch reads, give or take a mail; the next fetch brings the rest.
const AT_ONCE: usize = 64 << 20;

/// A mail not fetched yet.
struct PendingMail<'a> {
    folder: &'a Folder,
    key: String,
    entry: Entry,
    short: Short,
    arrived: Timestamp,
}

/// At most `limit` mails not fetched before, oldest first.
pub(super) fn fetch(folders: &[Folder], since: Option<&Cursor>, limit: usize) -> Result<Fetched, MailError> {
    let mut seen = since.map(Seen::read).transpose()?.unwrap_or_default();
    let (pending, known) = list_pending(folders, &seen)?;
    seen.forget(known);
    let mut remaining = pending.len() as u64;
    let mut mails = Vec::new();
    let mut bytes = 0;
    for one in pending {
        if mails.len() >= limit || bytes >= AT_ONCE {
            break;
        }
        remaining -= 1;
        // A mail that is gone or unreadable does not count as fetched: we look again next time.
        if let Some(mail) = read(&one)? {
            bytes += mail.raw.len();
            seen.add(one.short);
            mails.push(mail);
        }
    }
    Ok(Fetched { mails, cursor: Some(seen.write()), remaining, missed: None })
}

/// A cursor that skips mail that came before `from`.
pub(super) fn start(folders: &[Folder], from: Timestamp) -> Result<Cursor, MailError> {
    let mut seen = Seen::default();
    let (pending, _) = list_pending(folders, &seen)?;
    pending.iter().filter(|one| one.arrived < from).for_each(|one| seen.add(one.short));
    Ok(seen.write())
}

/// When the oldest of the newest `count` mails came.
pub(super) fn newest(folders: &[Folder], count: usize) -> Result<Option<Timestamp>, MailError> {
    let (pending, _) = list_pending(folders, &Seen::default())?;
    Ok(pending.iter().rev().take(count).next_back().map(|one| one.arrived))
}

/// The mails not fetched yet, oldest first, and the names of the others.
fn list_pending<'a>(
    folders: &'a [Folder],
    seen: &Seen,
) -> Result<(Vec<PendingMail<'a>>, Vec<Short>), MailError> {
    let mut pending = Vec::new();
    let mut known = Vec::new();
    for folder in folders {
        let unknown = folder.list_unknown(&folder.name, |short| seen.has(short), &mut known)?;
        for (key, (short, entry)) in unknown {
            if entry.has('T') || entry.has('D') {
                continue;
            }
            // If it was renamed after the listing, look it up again.
            let again = || folder.arrived(&folder.find(&key).ok()??);
            if let Some(arrived) = folder.arrived(&entry).or_else(again) {
                pending.push(PendingMail { folder, key, entry, short, arrived });
            }
        }
    }
    pending.sort_by(|a, b| (a.arrived, &a.key).cmp(&(b.arrived, &b.key)));
    Ok((pending, known))
}

fn read(one: &PendingMail<'_>) -> Result<Option<NewMail>, MailError> {
    let opened = one.folder.with(&one.key, one.entry.clone(), |entry| {
        let opened = one.folder.open(entry)?;
        let mut raw = Vec::new();
        // One byte over the limit, so that the parser sees that there is more.
        opened.file.take(LARGEST + 1).read_to_end(&mut raw)?;
        Ok::<_, io::Error>(NewMail {
            place: place(&one.folder.name, &one.key),
            raw,
            arrived: opened.arrived,
            seen: entry.has('S'),
            answered: entry.has('R'),
        })
    });
    match opened {
        Ok(mail) => Ok(mail),
        // One unreadable file must not hold up the others.
        Err(error) => {
            tracing::warn!(%error, "a mail was left out");
            Ok(None)
        }
    }
}

/// Formats a place.
fn place(folder: &str, key: &str) -> String {
    format!("{folder}/{key}")
}

/// Splits a place into folder and key. A key has no `/`.
pub(super) fn folder_and_key<'a>(folders: &'a [Folder], place: &'a str) -> Option<(&'a Folder, &'a str)> {
    let (name, key) = place.rsplit_once('/')?;
    Some((folders.iter().find(|folder| folder.name == name)?, key))
}
