//! The row of a mail.

use crate::store::StoreError;
use crate::store::row_digest::{Digest, RowHasher};
use crate::store::rows::{Cells, damaged};
use crate::store::tally::tally;
use rusqlite::{Connection, Row, params};

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

    fn from_word(word: &str) -> Option<Self> {
        word.parse().ok()
    }
}

#[derive(Clone, Debug)]
pub(in crate::store) struct MailRow {
    pub seq: i64,
    pub identity: String,
    pub account: String,
    pub message_id: Option<String>,
    pub conversation: String,
    pub sender: String,
    pub subject: String,
    pub sent_at: Option<i64>,
    pub came_at: i64,
    pub raw: [u8; 32],
    pub place: String,
    pub state: MailState,
    pub thread: Option<i64>,
    pub class: Option<String>,
    pub reason: Option<String>,
    pub outcome: Option<String>,
    pub handled_at: Option<i64>,
}

impl MailRow {
    /// Replaces the digest of its bytes once they were pruned.
    pub(in crate::store) const PRUNED_BYTES: [u8; 32] = [0; 32];

    fn seal(&self) -> Digest {
        RowHasher::of("mails")
            .int(self.seq)
            .text(&self.identity)
            .text(&self.account)
            .maybe_text(self.message_id.as_deref())
            .text(&self.conversation)
            .text(&self.sender)
            .text(&self.subject)
            .maybe_int(self.sent_at)
            .int(self.came_at)
            .bytes(&self.raw)
            .text(&self.place)
            .text(self.state.word())
            .maybe_int(self.thread)
            .maybe_text(self.class.as_deref())
            .maybe_text(self.reason.as_deref())
            .maybe_text(self.outcome.as_deref())
            .maybe_int(self.handled_at)
            .done()
    }

    pub(in crate::store) fn read(row: &Row<'_>) -> Result<Self, StoreError> {
        let mut cells = Cells::of(row);
        let mail = Self {
            seq: cells.next()?,
            identity: cells.next()?,
            account: cells.next()?,
            message_id: cells.next()?,
            conversation: cells.next()?,
            sender: cells.next()?,
            subject: cells.next()?,
            sent_at: cells.next()?,
            came_at: cells.next()?,
            raw: cells.next()?,
            place: cells.next()?,
            state: cells.word("mail state", MailState::from_word)?,
            thread: cells.next()?,
            class: cells.next()?,
            reason: cells.next()?,
            outcome: cells.next()?,
            handled_at: cells.next()?,
        };
        if cells.digest()? != mail.seal() {
            return damaged(format!("mail number {} is not as it was written", mail.seq));
        }
        Ok(mail)
    }

    pub(in crate::store) fn find(db: &Connection, identity: &str) -> Result<Option<Self>, StoreError> {
        let mut statement = db.prepare_cached("SELECT * FROM mails WHERE identity = ?")?;
        let mut rows = statement.query([identity])?;
        let Some(row) = rows.next()? else { return Ok(None) };
        let mail = Self::read(row)?;
        // An index can be damaged too and lead to another mail.
        if mail.identity == identity {
            return Ok(Some(mail));
        }
        damaged(format!("the index of mails leads to mail number {}", mail.seq))
    }

    /// The mails of a thread, oldest first.
    pub(in crate::store) fn of_thread(db: &Connection, thread: i64) -> Result<Vec<Self>, StoreError> {
        let mut statement = db.prepare_cached("SELECT * FROM mails WHERE thread = ? ORDER BY seq")?;
        let mut rows = statement.query([thread])?;
        let mut mails = Vec::new();
        while let Some(row) = rows.next()? {
            mails.push(Self::read(row)?);
        }
        Ok(mails)
    }

    pub(in crate::store) fn insert(&mut self, db: &Connection) -> Result<(), StoreError> {
        self.seq = db
            .prepare_cached("SELECT coalesce(max(seq), 0) + 1 FROM mails")?
            .query_row([], |row| row.get(0))?;
        db.prepare_cached(
            "INSERT INTO mails (seq, identity, account, message_id, conversation, sender, subject, sent_at, came_at,
                raw, place, state, thread, class, reason, outcome, handled_at, digest)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            self.seq,
            self.identity,
            self.account,
            self.message_id,
            self.conversation,
            self.sender,
            self.subject,
            self.sent_at,
            self.came_at,
            self.raw,
            self.place,
            self.state.word(),
            self.thread,
            self.class,
            self.reason,
            self.outcome,
            self.handled_at,
            self.seal().bytes(),
        ])?;
        tally(db, "mails", 1)
    }

    pub(in crate::store) fn update(&self, db: &Connection) -> Result<(), StoreError> {
        db.prepare_cached(
            "UPDATE mails SET message_id = ?, conversation = ?, sender = ?, subject = ?, sent_at = ?, raw = ?, place = ?,
                state = ?, thread = ?, class = ?, reason = ?, outcome = ?, handled_at = ?, digest = ? WHERE seq = ?",
        )?
        .execute(params![
            self.message_id,
            self.conversation,
            self.sender,
            self.subject,
            self.sent_at,
            self.raw,
            self.place,
            self.state.word(),
            self.thread,
            self.class,
            self.reason,
            self.outcome,
            self.handled_at,
            self.seal().bytes(),
            self.seq,
        ])?;
        Ok(())
    }
}

impl MailRow {
    /// Updates the mails of a thread that was ended from outside. Mails that came with these events leave it and wait
    /// to be taken in again; all others count as handled, with this outcome.
    pub(in crate::store) fn thread_ended(
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
                (mail.class, mail.reason) = (None, None);
                mail.update(db)?;
            } else if mail.state == MailState::Thread && mail.handled_at.is_none() {
                (mail.outcome, mail.handled_at) = (Some(outcome.to_owned()), Some(now));
                mail.update(db)?;
            }
        }
        Ok(())
    }
}
