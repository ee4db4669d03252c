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

/// The mails in Sent, and the mails they answer.
#[derive(Default)]
pub(super) struct Answers {
    mails: HashMap<Short, SentIds>,
    sent: HashSet<Short>,
    answered: HashSet<Short>,
}

impl Answers {
    /// Reads mails added since the last call. A missing Sent folder counts as empty.
    pub(super) fn update(&mut self, sent: &Folder) -> Result<(), MailError> {
        if !sent.exists() {
            *self = Self::default();
            return Ok(());
        }
        let mut known = Vec::new();
        let unknown = sent.list_unknown("", |name| self.mails.contains_key(&name), &mut known)?;
        known.sort_unstable();
        known.dedup();
        if unknown.is_empty() && known.len() == self.mails.len() {
            return Ok(());
        }
        self.mails.retain(|name, _| known.binary_search(name).is_ok());
        for (key, (name, entry)) in unknown {
            // An unreadable mail is tried again next time.
            if let Ok(Some(ids)) = ids_of(sent, &key, &entry) {
                let answers = ids.answers.iter().map(|id| short("id", id)).collect();
                self.mails
                    .insert(name, SentIds { message_id: ids.message_id.map(|id| short("id", &id)), answers });
            }
        }
        self.sent = self.mails.values().filter_map(|mail| mail.message_id).collect();
        self.answered = self.mails.values().flat_map(|mail| mail.answers.iter().copied()).collect();
        Ok(())
    }

    pub(super) fn answered(&self, message_id: &str) -> bool {
        self.answered.contains(&short("id", message_id))
    }

    /// Whether the mail with this Message-ID is there.
    pub(super) fn has(&self, message_id: &str) -> bool {
        self.sent.contains(&short("id", message_id))
    }
}
