//! Which mails the person has answered, by what lies in Sent. Each file's header is read once.

use super::cursor::{Short, short};
use super::folder::Folder;
use super::header::ids_of;
use crate::mail::MailError;
use std::collections::{HashMap, HashSet};

/// A mail in Sent.
struct Read {
    own: Option<Short>,
    answers: Vec<Short>,
}

/// What each mail in Sent is, and what it answers.
#[derive(Default)]
pub(super) struct Answers {
    read: HashMap<Short, Read>,
}

impl Answers {
    /// Reads what came since the last look. A Sent folder that is not there holds nothing.
    pub(super) fn look(&mut self, sent: &Folder) -> Result<(), MailError> {
        if !sent.exists() {
            self.read.clear();
            return Ok(());
        }
        let mut there = HashSet::new();
        for (key, entry) in sent.list()? {
            let name = short("", &key);
            there.insert(name);
            if self.read.contains_key(&name) {
                continue;
            }
            // What cannot be read now is tried again the next time.
            if let Ok(Some(ids)) = ids_of(sent, &key, &entry) {
                let answers = ids.answers.iter().map(|id| short("id", id)).collect();
                self.read.insert(name, Read { own: ids.own.map(|id| short("id", &id)), answers });
            }
        }
        self.read.retain(|name, _| there.contains(name));
        Ok(())
    }

    pub(super) fn answered(&self, message_id: &str) -> bool {
        let wanted = short("id", message_id);
        self.read.values().any(|mail| mail.answers.contains(&wanted))
    }

    /// Whether the mail of this Message-ID is there itself.
    pub(super) fn has(&self, message_id: &str) -> bool {
        let wanted = short("id", message_id);
        self.read.values().any(|mail| mail.own == Some(wanted))
    }
}
