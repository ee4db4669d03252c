//! The row of a mail.

use crate::engine::store::StoreError;
use crate::engine::store::rows::side_row;
use rusqlite::Connection;

/// The prefix of the event id for a mail; the mail's identity follows.
pub const MAIL_EVENT: &str = "mail:";

/// How a mail was taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum MailState {
    /// Nobody has said yet whether to handle it.
    Asked,
    /// A thread handles it or has handled it.
    Thread,
    /// The person sent it, or sayso did for them.
    Sent,
    /// It was left alone.
    Left,
    /// It cannot be read; a thread asks what to do.
    Unreadable,
}

impl MailState {
    /// The word used in JSON and in the store.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

side_row! {
    MailRow in "mails":
    identity: String,
    account: String;
    message_id: Option<String>,
    conversation: String,
    sender: String,
    subject: String,
    sent_at: Option<i64>,
    came_at: i64,
    raw: [u8; 32],
    place: String,
    state: MailState,
    thread: Option<i64>,
    class: Option<String>,
    reason: Option<String>,
    outcome: Option<String>,
    handled_at: Option<i64>,
    row: Option<String>,
    seen: Option<bool>,
}

impl MailRow {
    /// Replaces the digest of its bytes once they were pruned.
    pub const PRUNED_BYTES: [u8; 32] = [0; 32];

    pub fn find(db: &Connection, identity: &str) -> Result<Option<Self>, StoreError> {
        Ok(Self::select(db, "WHERE identity = ?", [identity])?.pop())
    }

    /// The mails of a thread, oldest first.
    pub fn of_thread(db: &Connection, thread: i64) -> Result<Vec<Self>, StoreError> {
        Self::select(db, "WHERE thread = ? ORDER BY seq", [thread])
    }

    /// The mails of a thread that others sent, oldest first.
    pub fn received(db: &Connection, thread: i64) -> Result<Vec<Self>, StoreError> {
        Self::select(db, "WHERE thread = ? AND state <> 'sent' ORDER BY seq", [thread])
    }

    /// Updates the mails of a thread that was ended from outside. Mails that came with these events leave it and wait
    /// to be taken in again; all others count as handled, with this outcome.
    pub fn thread_ended(
        db: &Connection,
        thread: i64,
        events: &[String],
        outcome: &str,
        now: i64,
    ) -> Result<(), StoreError> {
        for mut mail in MailRow::of_thread(db, thread)? {
            let came = events.iter().any(|id| id.strip_prefix(MAIL_EVENT) == Some(mail.identity.as_str()));
            if came && mail.state == MailState::Thread {
                (mail.state, mail.thread) = (MailState::Asked, None);
                (mail.class, mail.reason, mail.row) = (None, None, None);
                mail.update(db)?;
            } else if mail.state == MailState::Thread && mail.handled_at.is_none() {
                (mail.outcome, mail.handled_at) = (Some(outcome.to_owned()), Some(now));
                mail.update(db)?;
            }
        }
        Ok(())
    }

    /// The mails of a thread that counted as handled with this outcome no longer do.
    pub fn thread_reopened(db: &Connection, thread: i64, outcome: &str) -> Result<(), StoreError> {
        for mut mail in MailRow::of_thread(db, thread)? {
            if mail.outcome.as_deref() == Some(outcome) {
                (mail.outcome, mail.handled_at) = (None, None);
                mail.update(db)?;
            }
        }
        Ok(())
    }
}
