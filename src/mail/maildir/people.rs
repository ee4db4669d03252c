//! Finds the people the user knows from the headers of the newest mails.

use super::folder::{Entry, Folder};
use super::header::{BEGINNING, head};
use crate::mail::read::addresses_in;
use crate::mail::{MailError, People};
use jiff::Timestamp;
use std::collections::BTreeSet;

/// How many mails of a folder are read.
const MOST: usize = 5_000;

pub(super) fn people(folders: &[Folder], sent: &Folder, until: Timestamp) -> Result<People, MailError> {
    let (mut wrote_to, mut heard_from) = (BTreeSet::new(), BTreeSet::new());
    if sent.exists() {
        heads(sent, |_| true, |head| wrote_to.extend(addresses_in(head, &["To", "Cc", "Bcc"])))?;
    }
    for folder in folders {
        let is_earlier = |entry: &Entry| folder.arrived(entry).is_some_and(|arrived| arrived < until);
        heads(folder, is_earlier, |head| heard_from.extend(addresses_in(head, &["From"])))?;
    }
    Ok(People { wrote_to: wrote_to.into_iter().collect(), heard_from: heard_from.into_iter().collect() })
}

/// Calls `each` with the headers of the newest mails in a folder. Unreadable ones are skipped.
fn heads(
    folder: &Folder,
    filter: impl Fn(&Entry) -> bool,
    mut each: impl FnMut(&[u8]),
) -> Result<(), MailError> {
    // Names begin with the delivery time, so the newest come last.
    let list = folder.list()?;
    for (key, entry) in list.iter().rev().filter(|(_, entry)| filter(entry)).take(MOST) {
        let beginning = folder.with(key, entry.clone(), |entry| folder.beginning(entry, BEGINNING));
        let Ok(Some(beginning)) = beginning else { continue };
        each(head(&beginning));
    }
    Ok(())
}
