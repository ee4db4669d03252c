//! The mails fetched so far, as a set of names.
//!
//! Each name is eight bytes of a digest: twenty thousand mails take two hundred kilobytes of text. The chance that two
//! of them collide is below one in a thousand million.

use crate::mail::{Cursor, MailError};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use sha2::{Digest, Sha256};
use std::collections::HashSet;

/// The format version.
const FORM: &str = "1";
/// How many names of missing mails are kept, newest first: a mail that is moved away and back is not new.
const GONE: usize = 10_000;

/// A mail's name, shortened.
pub(super) type Short = u64;

pub(super) fn short(folder: &str, key: &str) -> Short {
    let hash = Sha256::new().chain_update(folder).chain_update([0]).chain_update(key).finalize();
    hash.iter().take(8).fold(0, |short, byte| short << 8 | u64::from(*byte))
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// In the order fetched, so the oldest come first.
    order: Vec<Short>,
    /// The names that the cursor held, sorted: there may be a hundred thousand, and all are looked up at every look.
    before: Vec<Short>,
    /// The names added since.
    added: HashSet<Short>,
}

impl Seen {
    pub(super) fn read(cursor: &Cursor) -> Result<Self, MailError> {
        let broken = || {
            let text = "the record of what was fetched from this Maildir cannot be read";
            MailError::Permanent(format!("{text}; look at the mailbox anew with `sayso mail sync`"))
        };
        let (form, names) = cursor.0.split_once(' ').ok_or_else(broken)?;
        let bytes = STANDARD_NO_PAD.decode(names).map_err(|_| broken())?;
        if form != FORM || !bytes.len().is_multiple_of(8) {
            return Err(broken());
        }
        let order: Vec<Short> =
            bytes.as_chunks::<8>().0.iter().map(|name| u64::from_be_bytes(*name)).collect();
        let mut before = order.clone();
        before.sort_unstable();
        Ok(Self { order, before, added: HashSet::new() })
    }

    pub(super) fn write(&self) -> Cursor {
        let bytes: Vec<u8> = self.order.iter().flat_map(|name| name.to_be_bytes()).collect();
        Cursor(format!("{FORM} {}", STANDARD_NO_PAD.encode(bytes)))
    }

    pub(super) fn has(&self, name: Short) -> bool {
        self.before.binary_search(&name).is_ok() || self.added.contains(&name)
    }

    pub(super) fn add(&mut self, name: Short) {
        if self.added.insert(name) {
            self.order.push(name);
        }
    }

    /// Forgets the oldest names of missing mails, if there are many; `present` are the names still found.
    pub(super) fn forget(&mut self, present: Vec<Short>) {
        let gone = self.order.len().saturating_sub(present.len());
        let mut spare = gone.saturating_sub(GONE);
        if spare == 0 {
            return;
        }
        let present: HashSet<Short> = present.into_iter().collect();
        self.order.retain(|name| {
            let is_kept = spare == 0 || present.contains(name);
            spare -= usize::from(!is_kept);
            is_kept
        });
    }
}
