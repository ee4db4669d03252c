//! Each mailbox: where to continue, how far the first look has come, and whether it works.

use crate::engine::graph::ThreadId;
use crate::engine::store::log::Tx;
use crate::engine::store::rows::{self, MailRow, MailState, Phase, SourceRow, ThreadRow, time};
use crate::engine::store::threads::start::{NewThread, start};
use crate::engine::store::{Mail, StoreError, settings};
use crate::inbox::SourceLine;
use jiff::Timestamp;
use rusqlite::{Connection, params};
use tokio::sync::watch;

/// The stored state of a mailbox.
#[derive(Clone, Debug)]
pub struct StoredSource {
    /// Mail that arrived earlier is not ours to handle.
    pub since: Timestamp,
    /// How far the first look has come.
    pub phase: Phase,
    /// The thread that asks what to take.
    pub thread: Option<ThreadId>,
    /// Where to continue.
    pub cursor: Option<String>,
    /// What we know about the server that checks senders for it, as JSON.
    pub receiver: Option<String>,
}

impl Mail<'_> {
    /// The state of a mailbox; a new one starts at `since`.
    pub async fn source(self, name: String, since: Timestamp) -> Result<StoredSource, StoreError> {
        let existing =
            self.0.read(|db| SourceRow::find(db, &name)?.map(|row| stored(db, row)).transpose())?;
        if let Some(existing) = existing {
            return Ok(existing);
        }
        self.0
            .write(move |db| {
                if let Some(row) = SourceRow::find(db, &name)? {
                    return stored(db, row);
                }
                let mut row = SourceRow {
                    seq: 0,
                    name,
                    began_at: db.now(),
                    since: since.as_millisecond(),
                    phase: Phase::Collecting,
                    thread: None,
                    checked_at: None,
                    ok_at: None,
                    error: None,
                    receiver: None,
                };
                row.insert(db)?;
                stored(db, row)
            })
            .await
    }

    /// Stores the cursor once everything up to it is stored.
    pub async fn save_cursor(self, name: String, cursor: String) -> Result<(), StoreError> {
        self.change(name, move |row, tx| row.write_cursor(tx, &cursor)).await
    }

    /// Stores what we know about the server that checks senders for a mailbox, as JSON.
    pub async fn save_receiver(self, name: String, receiver: String) -> Result<(), StoreError> {
        self.change(name, move |row, _| {
            row.receiver = Some(receiver);
            Ok(())
        })
        .await
    }

    /// What we know about the server that checks senders for a mailbox, as JSON.
    pub fn receiver(self, name: &str) -> Result<Option<String>, StoreError> {
        self.0.read(|db| Ok(SourceRow::find(db, name)?.and_then(|row| row.receiver)))
    }

    /// Keeps only the newest `limit` mails of the first look to take in, and leaves the rest alone.
    pub async fn begin_taking(self, name: String, limit: usize, reason: String) -> Result<(), StoreError> {
        self.change(name, move |row, tx| {
            row.phase = Phase::Taking;
            leave_beyond(tx, &row.name, limit, &reason)
        })
        .await
    }

    /// Leaves alone all but the newest `limit` mails of the first look. Returns how many remain and the oldest one's
    /// time.
    pub async fn leave_beyond(
        self,
        name: String,
        limit: usize,
        reason: String,
    ) -> Result<(usize, Option<Timestamp>), StoreError> {
        self.0
            .write(move |db| {
                leave_beyond(db, &name, limit, &reason)?;
                let (count, oldest): (i64, Option<i64>) = db
                    .prepare_cached(
                        "SELECT count(*), min(came_at) FROM mails WHERE account = ? AND state = 'asked'",
                    )?
                    .query_row([&name], |row| Ok((row.get(0)?, row.get(1)?)))?;
                Ok((usize::try_from(count).unwrap_or(0), oldest.map(time).transpose()?))
            })
            .await
    }

    /// Starts the thread that asks which mails of the first look to take in.
    pub async fn ask_first(
        self,
        name: String,
        new: NewThread,
        step_limit: i64,
    ) -> Result<ThreadId, StoreError> {
        self.0
            .write(move |db| {
                let mut row = find_source(db, &name)?;
                let thread = start(db, &new, step_limit)?;
                (row.phase, row.thread) = (Phase::Asking, Some(thread.seq));
                row.update(db)?;
                Ok(thread.id)
            })
            .await
    }

    /// The mails of the first look are taken in; from now on all new mail is.
    pub async fn follow(self, name: String) -> Result<(), StoreError> {
        self.change(name, |row, _| {
            row.phase = Phase::Following;
            Ok(())
        })
        .await
    }

    /// Records that a mailbox was checked: why that failed, or what of it is missing, each in a sentence.
    pub async fn record_check(
        self,
        name: String,
        checked: Result<Option<String>, String>,
    ) -> Result<(), StoreError> {
        self.change(name, move |row, tx| {
            row.checked_at = Some(tx.now());
            if checked.is_ok() {
                row.ok_at = Some(tx.now());
            }
            row.error = checked.unwrap_or_else(Some);
            Ok(())
        })
        .await
    }

    async fn change(
        self,
        name: String,
        change: impl FnOnce(&mut SourceRow, &Tx<'_>) -> Result<(), StoreError> + Send + 'static,
    ) -> Result<(), StoreError> {
        self.0
            .write(move |db| {
                let mut row = find_source(db, &name)?;
                change(&mut row, db)?;
                row.update(db)
            })
            .await
    }

    /// Every known mailbox.
    pub fn sources(self) -> Result<Vec<SourceLine>, StoreError> {
        self.0.read(|db| {
            let rows = SourceRow::select(db, "ORDER BY seq", [])?.into_iter();
            rows.map(|row| {
                Ok(SourceLine {
                    source: row.name,
                    checked_at: row.checked_at.map(time).transpose()?,
                    ok_at: row.ok_at.map(time).transpose()?,
                    error: row.error,
                })
            })
            .collect()
        })
    }

    /// When a mailbox was first checked, if ever.
    pub fn began(self, name: &str) -> Result<Option<Timestamp>, StoreError> {
        self.0.read(|db| SourceRow::find(db, name)?.map(|row| time(row.began_at)).transpose())
    }

    /// Whether the first look at a mailbox is over, so that all new mail is taken in.
    pub fn is_following(self, name: &str) -> Result<bool, StoreError> {
        self.0.read(|db| Ok(SourceRow::find(db, name)?.is_some_and(|row| row.phase == Phase::Following)))
    }

    /// Whether the question about a mailbox's first look is answered but not acted on yet.
    pub fn first_look_answered(self, name: &str) -> Result<bool, StoreError> {
        self.0.read(|db| {
            let Some(row) = SourceRow::find(db, name)? else { return Ok(false) };
            match (row.phase, row.thread) {
                (Phase::Asking, Some(thread)) => Ok(ThreadRow::by_seq(db, thread)?.status.ended()),
                _ => Ok(false),
            }
        })
    }

    /// The number of the newest mail, to find out later what came after it.
    pub fn newest_mail(self) -> Result<i64, StoreError> {
        self.0.read(|db| rows::one(db, "SELECT coalesce(max(seq), 0) FROM mails", []))
    }

    /// How many mails an account has received since that number, and how many threads they started or joined.
    pub fn taken_since(self, name: &str, newest: i64) -> Result<(u64, u64), StoreError> {
        self.0.read(|db| {
            let counted: (i64, i64) = db
                .prepare_cached(
                    "SELECT count(*), count(DISTINCT thread) FROM mails
                     WHERE +account = ? AND seq > ? AND state <> 'sent'",
                )?
                .query_row(params![name, newest], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok((counted.0.unsigned_abs(), counted.1.unsigned_abs()))
        })
    }

    /// Asks the driving process to check every mailbox now.
    pub async fn want_sync(self) -> Result<(), StoreError> {
        self.0
            .write(|db| {
                let before = settings::number(db, SYNC)?;
                settings::set_number(db, SYNC, before + 1)
            })
            .await
    }

    /// A counter that changes with each such request.
    pub fn sync_wanted(self) -> Result<i64, StoreError> {
        self.0.read(|db| settings::number(db, SYNC))
    }

    /// Ends when a change brings a request other than the one counted as `last`.
    pub async fn next_sync_request(self, changes: &mut watch::Receiver<u64>, last: i64) {
        while changes.changed().await.is_ok() {
            if self.sync_wanted().is_ok_and(|now| now != last) {
                return;
            }
        }
        std::future::pending().await
    }
}

const SYNC: &str = "sync_wanted";

fn find_source(db: &Connection, name: &str) -> Result<SourceRow, StoreError> {
    SourceRow::find(db, name)?.ok_or_else(|| StoreError::unknown("mailbox", name.to_owned()))
}

fn stored(db: &Connection, row: SourceRow) -> Result<StoredSource, StoreError> {
    let thread = row.thread.map(|seq| ThreadRow::by_seq(db, seq)).transpose()?;
    let cursor = row.read_cursor(db)?;
    Ok(StoredSource {
        since: time(row.since)?,
        phase: row.phase,
        thread: thread.map(|row| row.id),
        cursor,
        receiver: row.receiver,
    })
}

fn leave_beyond(tx: &Tx<'_>, name: &str, limit: usize, reason: &str) -> Result<(), StoreError> {
    let beyond = "WHERE account = ? AND state = 'asked' ORDER BY came_at DESC, seq DESC LIMIT -1 OFFSET ?";
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    for mut mail in MailRow::select(tx, beyond, params![name, limit])? {
        mail.state = MailState::Left;
        mail.reason = Some(reason.to_owned());
        mail.handled_at = Some(tx.now());
        mail.update(tx)?;
    }
    Ok(())
}
