//! Takes mail in exactly once: one transaction stores the mail and starts or reaches the thread that handles it.
//!
//! A mail is recognised by its identity, which is unique here. The caller chooses the route from the state of the
//! conversation. If that has changed meanwhile, nothing is written and the caller looks again.

use crate::engine::graph::ThreadId;
use crate::engine::store::blobs::{self, Blob};
use crate::engine::store::log::Tx;
use crate::engine::store::pages::PageBuilder;
use crate::engine::store::rows::{self, MailRow, MailState, ThreadRow, time};
use crate::engine::store::threads::arrive::{self, Arrival};
use crate::engine::store::threads::start::{NewThread, start};
use crate::engine::store::{Mail, StoreError, search};
use crate::inbox::{MailLine, MailQuery, Page};
use jiff::Timestamp;
use rusqlite::{Connection, params};
use serde_json::Value;

/// A mail about to be taken in.
#[derive(Clone, Debug)]
pub struct NewMail {
    /// Recognises the same mail wherever it is found again.
    pub identity: String,
    pub account: String,
    /// Without angle brackets.
    pub message_id: Option<String>,
    /// The key shared by all mails of its conversation.
    pub conversation: String,
    /// The sender's bare address, in lower case.
    pub sender: String,
    /// The subject, safe to show.
    pub subject: String,
    /// When it says it was sent.
    pub sent_at: Option<Timestamp>,
    /// When the mailbox received it.
    pub came_at: Timestamp,
    pub raw: Vec<u8>,
    /// Where the mailbox keeps it.
    pub place: String,
    /// Whether the mailbox calls it read.
    pub seen: bool,
    /// Its text, for search.
    pub words: String,
}

/// What to do with a mail.
#[derive(Clone, Debug)]
pub enum Route {
    /// Keep it until somebody says what to do.
    Asked,
    /// The person wrote it.
    Sent,
    /// Leave it alone, for this reason.
    Left(String),
    /// Start a thread.
    Start(NewThread),
    /// Join the live thread of its conversation.
    Join(Arrival),
    /// It cannot be read; start this thread to ask what to do.
    Unreadable(NewThread),
}

/// The result of taking a mail in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TakenIn {
    /// It was taken in before.
    Known,
    /// It was kept or left alone.
    Kept,
    /// It started a thread.
    Started(ThreadId),
    /// It joined a thread.
    Joined(ThreadId),
}

/// The threads a conversation already has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConversationThreads {
    /// The thread that has not ended.
    pub live: Option<ThreadId>,
    /// The newest thread that has ended, with its output.
    pub earlier: Option<(ThreadId, Option<Value>)>,
}

/// A mail that was taken in.
#[derive(Clone, Debug)]
pub struct StoredMail {
    /// Recognises the same mail.
    pub identity: String,
    pub account: String,
    /// Where the mailbox keeps it.
    pub place: String,
    /// When the mailbox received it.
    pub came_at: Timestamp,
    pub raw: Vec<u8>,
    pub thread: Option<ThreadId>,
}

impl Mail<'_> {
    /// Takes a mail in. Returns `Moved` if its conversation has changed since the route was chosen.
    ///
    /// A mail that was only kept, or that could not be read, can take a new route now; any other takes one route once.
    pub async fn take_in(
        self,
        mut mail: NewMail,
        route: Route,
        step_limit: i64,
    ) -> Result<TakenIn, StoreError> {
        let raw = Blob::new(&std::mem::take(&mut mail.raw));
        self.0.write(move |db| take_in(db, mail, &raw, &route, step_limit)).await
    }

    /// Whether a mail was taken in, and how.
    pub fn state(self, identity: &str) -> Result<Option<MailState>, StoreError> {
        self.0.read(|db| Ok(MailRow::find(db, identity)?.map(|mail| mail.state)))
    }

    /// Where the mailbox last kept a mail, if known.
    pub fn place_of(self, identity: &str) -> Result<Option<String>, StoreError> {
        self.0.read(|db| {
            Ok(MailRow::find(db, identity)?.map(|mail| mail.place).filter(|place| !place.is_empty()))
        })
    }

    /// The threads of a conversation.
    pub fn conversation_threads(
        self,
        account: &str,
        conversation: &str,
    ) -> Result<ConversationThreads, StoreError> {
        self.0.read(|db| {
            let live = live(db, account, conversation)?.map(|row| row.id);
            let mut earlier = None;
            for seq in threads_of(db, account, conversation)? {
                let row = ThreadRow::by_seq(db, seq)?;
                if row.status.ended() {
                    earlier = Some((row.id.clone(), row.output()?));
                    break;
                }
            }
            Ok(ConversationThreads { live, earlier })
        })
    }

    /// Who wrote the mails with this Message-ID, as their From says.
    pub fn writers_of(self, message_id: &str) -> Result<Vec<String>, StoreError> {
        let mails = self.0.read(|db| MailRow::select(db, "WHERE message_id = ?", [message_id]))?;
        Ok(mails.into_iter().map(|mail| mail.sender).collect())
    }

    /// The threads of the conversation that a mail belongs to, newest first.
    pub fn threads_of_conversation(self, identity: &str) -> Result<Vec<ThreadId>, StoreError> {
        self.0.read(|db| {
            let Some(mail) = MailRow::find(db, identity)? else { return Ok(Vec::new()) };
            let threads = threads_of(db, &mail.account, &mail.conversation)?;
            threads.into_iter().map(|seq| Ok(ThreadRow::by_seq(db, seq)?.id)).collect()
        })
    }

    /// The conversation that one of these Message-IDs belongs to; the last known id wins, and what sayso sent over
    /// whatever claims its id.
    pub fn conversation_of(self, account: &str, ids: &[String]) -> Result<Option<String>, StoreError> {
        self.0.read(|db| {
            let of = "SELECT conversation FROM mails WHERE message_id = ? AND account = ?
                      ORDER BY (state = 'sent' AND thread IS NOT NULL) DESC, seq LIMIT 1";
            let known = ids.iter().rev().map(|id| rows::first(db, of, [id, account]));
            known.filter_map(Result::transpose).next().transpose()
        })
    }

    /// The mails of an account in this state that have no live thread, oldest first.
    pub fn in_state(
        self,
        account: &str,
        state: MailState,
        limit: usize,
    ) -> Result<Vec<StoredMail>, StoreError> {
        self.0.read(|db| {
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            let mails = MailRow::select(
                db,
                "WHERE account = ?1 AND state = ?2
                   AND (thread IS NULL
                        OR (SELECT status FROM threads WHERE seq = mails.thread) IN ('done', 'abandoned'))
                 ORDER BY came_at, seq LIMIT ?3",
                params![account, state, limit],
            )?;
            mails.into_iter().map(|mail| stored(db, mail)).collect()
        })
    }

    /// The newest mails that the first look at an account kept, oldest first.
    pub fn newest_asked(self, account: &str, limit: usize) -> Result<Vec<StoredMail>, StoreError> {
        self.0.read(|db| {
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            let newest = "WHERE account = ? AND state = 'asked' ORDER BY came_at DESC, seq DESC LIMIT ?";
            let mails = MailRow::select(db, newest, params![account, limit])?;
            mails.into_iter().rev().map(|mail| stored(db, mail)).collect()
        })
    }

    /// The newest mails from these senders (`*` matches anything) since then, each with the digest of its bytes.
    pub fn from(
        self,
        senders: &str,
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<([u8; 32], MailLine)>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.0.read(|db| {
            let newest = "WHERE sender GLOB ? AND came_at >= ? ORDER BY seq DESC LIMIT ?";
            let mails = MailRow::select(db, newest, params![senders, since.as_millisecond(), limit])?;
            mails.into_iter().map(|mail| Ok((mail.raw, line(db, mail)?))).collect()
        })
    }

    /// A page of the mails found in mailboxes, newest first.
    pub fn list(self, query: &MailQuery) -> Result<Page<MailLine>, StoreError> {
        self.0.read(|db| {
            let mut statement = db.prepare_cached(
                "SELECT * FROM mails WHERE seq < ? AND (state <> 'sent' OR thread IS NULL) ORDER BY seq DESC LIMIT ?",
            )?;
            let limit = i64::try_from(query.limit).unwrap_or(i64::MAX - 1).saturating_add(1);
            let mut rows = statement.query([query.after.unwrap_or(i64::MAX), limit])?;
            let mut page = PageBuilder::new(query.limit);
            while let Some(row) = rows.next()? {
                if !page.take(row.get(0)?, || line(db, MailRow::read(row)?))? {
                    break;
                }
            }
            Ok(page.finish(0))
        })
    }
}

fn stored(db: &Connection, mail: MailRow) -> Result<StoredMail, StoreError> {
    let thread = mail.thread.map(|seq| ThreadRow::by_seq(db, seq)).transpose()?;
    Ok(StoredMail {
        came_at: time(mail.came_at)?,
        raw: blobs::get(db, &mail.raw)?,
        thread: thread.map(|row| row.id),
        identity: mail.identity,
        account: mail.account,
        place: mail.place,
    })
}

pub fn line(db: &Connection, mail: MailRow) -> Result<MailLine, StoreError> {
    let thread = mail.thread.map(|seq| ThreadRow::by_seq(db, seq)).transpose()?;
    Ok(MailLine {
        identity: mail.identity,
        account: mail.account,
        from: mail.sender,
        subject: mail.subject,
        came_at: time(mail.came_at)?,
        state: mail.state.word().to_owned(),
        status: thread.as_ref().map(|row| row.status),
        thread: thread.map(|row| row.id),
        class: mail.class,
        reason: mail.reason,
        outcome: mail.outcome,
        handled_at: mail.handled_at.map(time).transpose()?,
    })
}

/// The threads of a conversation's mails, newest first. Threads that only ask about a mail are not included.
fn threads_of(db: &Connection, account: &str, conversation: &str) -> Result<Vec<i64>, StoreError> {
    let threads = "SELECT DISTINCT thread FROM mails INDEXED BY mails_by_conversation
         WHERE account = ? AND conversation = ? AND state IN ('thread', 'sent') AND thread IS NOT NULL
         ORDER BY thread DESC";
    rows::column(db, threads, [account, conversation])
}

pub fn live(db: &Connection, account: &str, conversation: &str) -> Result<Option<ThreadRow>, StoreError> {
    for seq in threads_of(db, account, conversation)? {
        let row = ThreadRow::by_seq(db, seq)?;
        if !row.status.ended() {
            return Ok(Some(row));
        }
    }
    Ok(None)
}

fn take_in(
    db: &Tx<'_>,
    mut mail: NewMail,
    raw: &Blob,
    route: &Route,
    step_limit: i64,
) -> Result<TakenIn, StoreError> {
    let stored = MailRow::find(db, &mail.identity)?;
    let words = std::mem::take(&mut mail.words);
    // Its text was unknown until now, so it is not in the search index yet.
    let unread = stored.as_ref().is_none_or(|known| known.state == MailState::Unreadable);
    let mut row = match stored {
        Some(mut known) => {
            let open = matches!(known.state, MailState::Asked | MailState::Unreadable);
            if !open || matches!(route, Route::Asked) {
                // Another client may have moved it.
                if known.place != mail.place && !mail.place.is_empty() {
                    (known.place, known.seen) = (mail.place, Some(mail.seen));
                    known.update(db)?;
                }
                return Ok(TakenIn::Known);
            }
            let fresh = new_row(db, mail, raw)?;
            MailRow { seq: known.seq, came_at: known.came_at, raw: known.raw, ..fresh }
        }
        None => new_row(db, mail, raw)?,
    };
    let result = match route {
        Route::Asked => TakenIn::Kept,
        Route::Sent => {
            row.state = MailState::Sent;
            TakenIn::Kept
        }
        Route::Left(reason) => {
            row.state = MailState::Left;
            row.reason = Some(reason.clone());
            row.handled_at = Some(db.now());
            TakenIn::Kept
        }
        Route::Start(new) => {
            if live(db, &row.account, &row.conversation)?.is_some() {
                return Err(StoreError::Moved);
            }
            let thread = start(db, new, step_limit)?;
            (row.state, row.thread) = (MailState::Thread, Some(thread.seq));
            TakenIn::Started(thread.id)
        }
        Route::Join(arrival) => {
            let thread = live(db, &row.account, &row.conversation)?;
            let thread = thread.filter(|live| live.id == arrival.thread).ok_or(StoreError::Moved)?;
            arrive::run(db, arrival)?;
            (row.state, row.thread) = (MailState::Thread, Some(thread.seq));
            TakenIn::Joined(thread.id)
        }
        Route::Unreadable(new) => {
            let thread = start(db, new, step_limit)?;
            (row.state, row.thread) = (MailState::Unreadable, Some(thread.seq));
            TakenIn::Started(thread.id)
        }
    };
    if row.seq == 0 {
        row.insert(db)?;
    } else {
        row.update(db)?;
    }
    if unread {
        search::add_mail(db, row.seq, words);
    }
    Ok(result)
}

fn new_row(db: &Connection, mail: NewMail, raw: &Blob) -> Result<MailRow, StoreError> {
    Ok(MailRow {
        seq: 0,
        raw: blobs::put(db, raw)?,
        identity: mail.identity,
        account: mail.account,
        message_id: mail.message_id,
        conversation: mail.conversation,
        sender: mail.sender,
        subject: mail.subject,
        sent_at: mail.sent_at.map(|at| at.as_millisecond()),
        came_at: mail.came_at.as_millisecond(),
        place: mail.place,
        state: MailState::Asked,
        thread: None,
        class: None,
        reason: None,
        outcome: None,
        handled_at: None,
        row: None,
        seen: Some(mail.seen),
    })
}
