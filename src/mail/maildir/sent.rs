//! Which mails the person has answered, by what lies in Sent. Each file's header is read once.

use super::cursor::{Short, short};
use super::folder::Folder;
use super::header::ids_of;
use crate::mail::MailError;
use std::collections::{HashMap, HashSet};

/// What each mail in Sent answers.
#[derive(Default)]
pub(super) struct Answers {
    read: HashMap<Short, Vec<Short>>,
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
                self.read.insert(name, ids.answers.iter().map(|id| short("id", id)).collect());
            }
        }
        self.read.retain(|name, _| there.contains(name));
        Ok(())
    }

    pub(super) fn answered(&self, message_id: &str) -> bool {
        let wanted = short("id", message_id);
        self.read.values().any(|answers| answers.contains(&wanted))
    }
}
