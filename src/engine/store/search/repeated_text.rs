//! Finds text repeated from a mail of another conversation, using the index of mails.

use crate::engine::graph::ThreadId;
use crate::engine::store::rows::{MailRow, ThreadRow};
use crate::engine::store::{Search, StoreError};
use rusqlite::Connection;
use std::collections::HashSet;

/// Phrases that this many people write belong to nobody in particular.
const COMMON: usize = 3;
/// At most this many mails with the same words are checked.
const MAX_MAILS: usize = 200;

/// What to look for, and which mails do not count.
#[derive(Clone, Copy, Debug)]
pub struct RepeatQuery<'a> {
    /// The thread whose own conversation may be repeated.
    pub thread: &'a ThreadId,
    /// The identities of more mails of that conversation.
    pub inside: &'a [String],
    /// The user's own addresses: they may repeat what they wrote.
    pub own: &'a [String],
    /// Codes as in [`crate::mail::Mail::words`]; one mail with one of them is enough.
    pub codes: &'a [String],
    /// Phrases; those that several people write are left out.
    pub phrases: &'a [String],
}

/// Text found in a mail of another conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepeatedText {
    /// The code or phrase.
    pub text: String,
    /// Who wrote that mail.
    pub sender: String,
}

impl Search<'_> {
    /// The first code or phrase found in a mail of another conversation.
    pub fn find_repeated_text(self, query: &RepeatQuery<'_>) -> Result<Option<RepeatedText>, StoreError> {
        self.0.read(|db| {
            let inside = conversations(db, query)?;
            for code in query.codes {
                if let Some(sender) = senders(db, code, &inside, query.own, 1)?.pop() {
                    return Ok(Some(RepeatedText { text: code.clone(), sender }));
                }
            }
            for run in query.phrases {
                let mut senders = senders(db, run, &inside, query.own, COMMON)?;
                if senders.len() < COMMON
                    && let Some(sender) = senders.pop()
                {
                    return Ok(Some(RepeatedText { text: run.clone(), sender }));
                }
            }
            Ok(None)
        })
    }
}

/// The account and conversation of the thread's mails and those inside.
fn conversations(db: &Connection, query: &RepeatQuery<'_>) -> Result<HashSet<(String, String)>, StoreError> {
    let mut mails = MailRow::of_thread(db, ThreadRow::seq_of(db, query.thread)?)?;
    for identity in query.inside {
        mails.extend(MailRow::find(db, identity)?);
    }
    Ok(mails.into_iter().map(|mail| (mail.account, mail.conversation)).collect())
}

/// Who wrote these words in other conversations, at most `limit` people.
fn senders(
    db: &Connection,
    words: &str,
    inside: &HashSet<(String, String)>,
    own: &[String],
    limit: usize,
) -> Result<Vec<String>, StoreError> {
    let mut statement = db.prepare_cached(
        "SELECT m.* FROM mail_words w CROSS JOIN mails m ON m.seq = w.rowid WHERE w.text MATCH ?",
    )?;
    let mut rows = statement.query([format!("\"{words}\"")])?;
    let mut senders = Vec::new();
    for _ in 0..MAX_MAILS {
        let Some(row) = rows.next()? else { break };
        let mail = MailRow::read(row)?;
        let is_own = own.iter().any(|own| own.eq_ignore_ascii_case(&mail.sender));
        if is_own || senders.contains(&mail.sender) || inside.contains(&(mail.account, mail.conversation)) {
            continue;
        }
        senders.push(mail.sender);
        if senders.len() == limit {
            break;
        }
    }
    Ok(senders)
}
