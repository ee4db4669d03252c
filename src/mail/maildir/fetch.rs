//! Fetches new mail.

use super::cursor::{Seen, Short};
use super::folder::{Entry, Folder};
use crate::mail::{Cursor, Fetched, FetchedMail, MailError};
use jiff::Timestamp;
use std::collections::VecDeque;
use std::io::{self, Read};

/// The longest mail read whole, which is the parser's limit.
const LARGEST: u64 = 64 << 20;
/// How many bytes one fetch reads, give or take a mail; the next fetch brings the rest.
const AT_ONCE: usize = 64 << 20;

/// A mail not fetched yet.
struct PendingMail {
    /// The index of its folder.
    folder: usize,
    key: String,
    entry: Entry,
    short: Short,
    arrived: Timestamp,
}

/// The mails that a fetch left for the next one, oldest first, so that a large mailbox is not listed for each page.
#[derive(Default)]
pub(super) struct Leftover {
    /// The cursor from which they come next.
    after: Option<Cursor>,
    pending: VecDeque<PendingMail>,
}

/// At most `limit` mails not fetched before, oldest first.
pub(super) fn fetch(
    folders: &[Folder],
    since: Option<&Cursor>,
    limit: usize,
    leftover: &mut Leftover,
) -> Result<Fetched, MailError> {
    let mut seen = since.map(Seen::read).transpose()?.unwrap_or_default();
    let Leftover { after, mut pending } = std::mem::take(leftover);
    if after.as_ref() != since {
        pending.clear();
    }
    let mut is_listed = false;
    let mut mails = Vec::new();
    let mut bytes = 0;
    loop {
        // What came since the last listing counts as well.
        if pending.is_empty() && !is_listed {
            let (listed, known) = list_pending(folders, &seen)?;
            seen.forget(known);
            (pending, is_listed) = (listed.into(), true);
        }
        if mails.len() >= limit || bytes >= AT_ONCE {
            break;
        }
        let Some(one) = pending.pop_front() else { break };
        let folder = &folders[one.folder];
        // Much may have been moved since the listing, and looking for each mail is slower than listing again.
        if !is_listed && folder.arrived(&one.entry).is_none() && folder.find_usual(&one.key).is_none() {
            pending.clear();
            continue;
        }
        // A mail that is gone or unreadable does not count as fetched: we look again next time.
        if let Some(mail) = read(folder, &one) {
            bytes += mail.raw.len();
            seen.add(one.short);
            mails.push(mail);
        }
    }
    let (cursor, remaining) = (seen.write(), pending.len() as u64);
    *leftover = Leftover { after: Some(cursor.clone()), pending };
    Ok(Fetched { mails, cursor: Some(cursor), remaining, missing: None })
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
fn list_pending(folders: &[Folder], seen: &Seen) -> Result<(Vec<PendingMail>, Vec<Short>), MailError> {
    let mut pending = Vec::new();
    let mut known = Vec::new();
    for (at, folder) in folders.iter().enumerate() {
        let unknown = folder.list_unknown(&folder.name, |short| seen.has(short), &mut known)?;
        for (key, (short, entry)) in unknown {
            if is_left_alone(&entry) {
                continue;
            }
            // If it was renamed after the listing, look it up again.
            let again = || folder.arrived(&folder.find(&key).ok()??);
            if let Some(arrived) = folder.arrived(&entry).or_else(again) {
                pending.push(PendingMail { folder: at, key, entry, short, arrived });
            }
        }
    }
    pending.sort_by(|a, b| (a.arrived, &a.key).cmp(&(b.arrived, &b.key)));
    Ok((pending, known))
}

/// Reads a mail, unless it is gone, deleted or unreadable by now.
fn read(folder: &Folder, one: &PendingMail) -> Option<FetchedMail> {
    let opened = folder.with(&one.key, one.entry.clone(), |entry| {
        if is_left_alone(entry) {
            return Ok(None);
        }
        let opened = folder.open(entry)?;
        let mut raw = Vec::new();
        // One byte over the limit, so that the parser sees that there is more.
        opened.file.take(LARGEST + 1).read_to_end(&mut raw)?;
        Ok::<_, io::Error>(Some(FetchedMail {
            place: place(&folder.name, &one.key),
            raw,
            arrived: opened.arrived,
            seen: entry.has('S'),
            answered: entry.has('R'),
        }))
    });
    // One unreadable file must not hold up the others.
    let mail = opened.unwrap_or_else(|error| {
        tracing::warn!(%error, "a mail was left out");
        None
    });
    mail.flatten()
}

/// Whether a mail is deleted, or a draft.
fn is_left_alone(entry: &Entry) -> bool {
    entry.has('T') || entry.has('D')
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
