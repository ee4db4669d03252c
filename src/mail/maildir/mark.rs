//! Reads the state of mails, and tells the mailbox what was done with them.

use super::fetch::folder_and_key;
use super::folder::{Entry, Folder};
use super::{Inner, keywords};
use crate::config::AfterHandling;
use crate::mail::{Handled, MailError, MailPresence};
use std::collections::{BTreeMap, HashMap};

/// The current state of mails. A folder is listed only for mails whose names have unusual flags or that seem to be gone.
pub(super) fn presence(folders: &[Folder], places: &[String]) -> Result<Vec<MailPresence>, MailError> {
    let mut listings: HashMap<&str, BTreeMap<String, Entry>> = HashMap::new();
    let mut presences = Vec::with_capacity(places.len());
    for place in places {
        let Some((folder, key)) = folder_and_key(folders, place) else {
            presences.push(MailPresence::Unknown);
            continue;
        };
        let mut entry = folder.find_usual(key);
        if entry.is_none() {
            if !listings.contains_key(folder.name.as_str()) {
                listings.insert(&folder.name, folder.list()?);
            }
            entry = listings.get(folder.name.as_str()).and_then(|list| list.get(key)).cloned();
        }
        // It may just be renamed.
        if entry.is_none() {
            entry = folder.find(key)?;
        }
        presences.push(match entry {
            Some(entry) if !entry.has('T') => {
                MailPresence::There { seen: entry.has('S'), answered: entry.has('R') }
            }
            _ => MailPresence::Gone,
        });
    }
    Ok(presences)
}

/// Does to a mail what the config says.
pub(super) fn mark(inner: &Inner, place: &str, handled: Handled) -> Result<(), MailError> {
    let (after, more) = match handled {
        Handled::Answered => (&inner.done, "RS"),
        Handled::Done => (&inner.done, ""),
        Handled::Ignored => (&inner.ignored, ""),
    };
    let Some((folder, key)) = folder_and_key(&inner.folders, place) else { return Ok(()) };
    if *after == AfterHandling::None {
        return Ok(());
    }
    let Some(entry) = folder.find(key)? else { return Ok(()) };
    let here = || folder.clone();
    let (target, more) = match after {
        AfterHandling::None => return Ok(()),
        AfterHandling::Seen => (here(), format!("{more}S")),
        AfterHandling::Label(label) => (here(), format!("{more}{}", keywords::letter(folder, label)?)),
        AfterHandling::Folder(name) => (inner.layout.folder(name), more.to_owned()),
    };
    folder.move_mail(key, entry, &target, &more).map(drop)
}
