//! Finds out which mails the user has answered, from the mails in Sent. Each file's header is read once.

use super::cursor::{Short, short};
use super::folder::Folder;
use super::header::ids_of;
use crate::mail::MailError;
use std::collections::{HashMap, HashSet};

struct SentIds {
    message_id: Option<Short>,
    answers: Vec<Short>,
}

/// The ids of each mail in Sent, and of the mails it answers.
#[derive(Default)]
pub(super) struct Answers {
    mails: HashMap<Short, SentIds>,
}

impl Answers {
    /// Reads mails added since the last call. A missing Sent folder counts as empty.
    pub(super) fn update(&mut self, sent: &Folder) -> Result<(), MailError> {
        if !sent.exists() {
            self.mails.clear();
            return Ok(());
        }
        let mut present = HashSet::new();
        let unknown = sent.list_unknown("", |name| self.mails.contains_key(&name), &mut present)?;
        for (key, (name, entry)) in unknown {
            // An unreadable mail is tried again next time.
            if let Ok(Some(ids)) = ids_of(sent, &key, &entry) {
                let answers = ids.answers.iter().map(|id| short("id", id)).collect();
                self.mails
                    .insert(name, SentIds { message_id: ids.message_id.map(|id| short("id", &id)), answers });
            }
        }
        self.mails.retain(|name, _| present.contains(name));
        Ok(())
    }

    pub(super) fn answered(&self, message_id: &str) -> bool {
        let id = short("id", message_id);
        self.mails.values().any(|mail| mail.answers.contains(&id))
    }

    /// Whether the mail with this Message-ID is there.
    pub(super) fn has(&self, message_id: &str) -> bool {
        let id = short("id", message_id);
        self.mails.values().any(|mail| mail.message_id == Some(id))
    }
}
