//! What happened to each mail: sayso's own record, whatever the mailbox says.

use crate::engine::graph::ThreadId;
use crate::engine::store::log::{self, Arrived, Tx};
use crate::engine::store::rows::{self, MailRow, MailState, ThreadRow, damaged, time};
use crate::engine::store::{Mail, StoreError, blobs, search};
use jiff::Timestamp;
use rusqlite::{Connection, params};

/// A mail that no mailbox brought: a person handed it in, or sayso sent it for them. Its bytes are already stored.
#[derive(Clone, Debug)]
pub struct KeptMail {
    /// Recognises the same mail wherever it is found again.
    pub identity: String,
    pub account: String,
    /// Without angle brackets.
    pub message_id: Option<String>,
    /// The key shared by all mails of its conversation.
    pub conversation: String,
    /// The sender's bare address, in lower case.
    pub sender: String,
    pub subject: String,
    pub sent_at: Option<Timestamp>,
    /// The digest of its bytes.
    pub raw: [u8; 32],
}

impl KeptMail {
    /// Stores it as a mail of this thread, once; `None` if it was there.
    fn keep(self, tx: &Tx<'_>, thread: i64, state: MailState) -> Result<Option<MailRow>, StoreError> {
        if MailRow::find(tx, &self.identity)?.is_some() {
            return Ok(None);
        }
        blobs::get(tx, &self.raw)?;
        let mut row = MailRow {
            seq: 0,
            identity: self.identity,
            account: self.account,
            message_id: self.message_id,
            conversation: self.conversation,
            sender: self.sender,
            subject: self.subject,
            sent_at: self.sent_at.map(|at| at.as_millisecond()),
            came_at: tx.now(),
            raw: self.raw,
            place: String::new(),
            state,
            thread: Some(thread),
            class: None,
            reason: None,
            outcome: None,
            handled_at: None,
            row: None,
            seen: None,
        };
        row.insert(tx)?;
        Ok(Some(row))
    }
}

/// A waiting thread and its newest mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingMailThread {
    pub thread: ThreadId,
    /// Where the mailbox keeps the newest mail.
    pub place: String,
    pub message_id: Option<String>,
    /// Whether the mailbox called that mail read when we last looked.
    pub seen: Option<bool>,
    /// Whether the thread has already sent or marked something itself.
    pub acted: bool,
}

impl Mail<'_> {
    /// Stores a mail that a person handed in, and makes its text searchable.
    pub async fn hand_in(self, thread: ThreadId, mail: KeptMail, words: String) -> Result<(), StoreError> {
        self.0
            .write(move |db| {
                let thread = ThreadRow::seq_of(db, &thread)?;
                let mail = KeptMail { identity: format!("{thread}:{}", mail.identity), ..mail };
                if let Some(row) = mail.keep(db, thread, MailState::Thread)? {
                    search::add_mail(db, row.seq, words);
                }
                Ok(())
            })
            .await
    }

    /// Stores a sent mail as part of the conversation of its thread. Answers to it belong to that conversation.
    pub async fn record_sent(self, thread: ThreadId, mail: KeptMail) -> Result<(), StoreError> {
        self.0
            .write(move |db| {
                let thread = ThreadRow::seq_of(db, &thread)?;
                let known = MailRow::of_thread(db, thread)?.pop().map(|mail| mail.conversation);
                let conversation = known.unwrap_or(mail.conversation);
                KeptMail { conversation, ..mail }.keep(db, thread, MailState::Sent).map(drop)
            })
            .await
    }

    /// Records how triage classified a thread's mails. If a row did, it decided the one whose bytes have this digest.
    pub async fn record_triage(
        self,
        thread: ThreadId,
        class: String,
        reason: String,
        row: Option<(String, [u8; 32])>,
    ) -> Result<(), StoreError> {
        self.update_mails(thread, move |mail, _| {
            mail.class = Some(class.clone());
            mail.reason = Some(reason.clone());
            if let Some((row, _)) = row.as_ref().filter(|(_, raw)| *raw == mail.raw) {
                mail.row = Some(row.clone());
            }
        })
        .await
    }

    /// Records that a thread's mails are handled, and how.
    pub async fn record_handled(self, thread: ThreadId, outcome: String) -> Result<(), StoreError> {
        self.update_mails(thread, move |mail, now| {
            mail.outcome = Some(outcome.clone());
            mail.handled_at = Some(now);
        })
        .await
    }

    async fn update_mails(
        self,
        thread: ThreadId,
        update: impl Fn(&mut MailRow, i64) + Send + 'static,
    ) -> Result<(), StoreError> {
        self.0
            .write(move |db| {
                let thread = ThreadRow::seq_of(db, &thread)?;
                for mut mail in MailRow::received(db, thread)? {
                    update(&mut mail, db.now());
                    mail.update(db)?;
                }
                Ok(())
            })
            .await
    }

    /// Threads of an account that ask a person or are about to act on the answer, newest first. Questions that only
    /// news closes are left out: they are about no mail that could be settled elsewhere.
    pub fn waiting(self, account: &str) -> Result<Vec<WaitingMailThread>, StoreError> {
        self.0.read(|db| {
            // Goes from the few waiting threads to their mails, rather than through all mails ever.
            let mut statement = db.prepare_cached(
                "SELECT t.seq, max(m.seq)
                 FROM threads t INDEXED BY threads_by_status CROSS JOIN mails m INDEXED BY mails_by_thread ON m.thread = t.seq
                 WHERE t.status IN ('waiting', 'held', 'ready', 'trouble')
                   AND (t.awaits = 'answers' OR t.status = 'trouble')
                   AND m.account = ? AND m.state = 'thread'
                   AND EXISTS (SELECT 1 FROM interrupts i
                               WHERE i.thread = t.seq AND i.status <> 'closed' AND i.allow & 32 = 0)
                 GROUP BY t.seq ORDER BY t.seq DESC",
            )?;
            let mut rows = statement.query([account])?;
            let mut waiting = Vec::new();
            while let Some(row) = rows.next()? {
                let (thread, newest): (i64, i64) = (row.get(0)?, row.get(1)?);
                let thread = ThreadRow::by_seq(db, thread)?;
                let mail = by_seq(db, newest)?;
                waiting.push(WaitingMailThread {
                    acted: acted(db, thread.seq)?,
                    thread: thread.id,
                    place: mail.place,
                    message_id: mail.message_id,
                    seen: mail.seen,
                });
            }
            Ok(waiting)
        })
    }

    /// Whether an event with this id has reached a thread before.
    pub fn was_told(self, thread: &ThreadId, event: &str) -> Result<bool, StoreError> {
        self.0.read(|db| {
            let thread = ThreadRow::seq_of(db, thread)?;
            let arrived = "SELECT seq FROM log WHERE stream = ? AND kind = 'arrived' ORDER BY seq DESC";
            for seq in rows::column(db, arrived, [thread])? {
                if log::entry(db, seq)?.parse_body::<Arrived>()?.event.id == event {
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }

    /// The newest mail of a thread by date: its Message-ID, and when it was sent or, if unknown, received.
    pub fn newest_of(self, thread: &ThreadId) -> Result<Option<(Option<String>, Timestamp)>, StoreError> {
        self.0.read(|db| {
            let mails = MailRow::received(db, ThreadRow::seq_of(db, thread)?)?;
            let newest =
                mails.into_iter().max_by_key(|mail| (mail.sent_at.unwrap_or(mail.came_at), mail.seq));
            newest.map(|mail| Ok((mail.message_id, time(mail.sent_at.unwrap_or(mail.came_at))?))).transpose()
        })
    }

    /// Whether any thread has sent the mail with this Message-ID.
    pub fn sent_by_any(self, message_id: &str) -> Result<bool, StoreError> {
        let sent = "SELECT 1 FROM effects WHERE json_extract(outcome, '$.message_id') = ? LIMIT 1";
        self.0.read(|db| rows::exists(db, sent, [message_id]))
    }

    /// The bytes of the mail with this Message-ID, if a thread has sent it.
    pub fn sent_raw(self, message_id: &str) -> Result<Option<[u8; 32]>, StoreError> {
        self.0.read(|db| {
            let sent = "WHERE message_id = ? AND state = 'sent' AND thread IS NOT NULL LIMIT 1";
            Ok(MailRow::select(db, sent, [message_id])?.pop().map(|mail| mail.raw))
        })
    }

    /// Whether this thread has sent the mail with this Message-ID.
    pub fn sent_by(self, thread: &ThreadId, message_id: &str) -> Result<bool, StoreError> {
        let sent =
            "SELECT 1 FROM effects WHERE thread = ? AND json_extract(outcome, '$.message_id') = ? LIMIT 1";
        self.0.read(|db| rows::exists(db, sent, params![ThreadRow::seq_of(db, thread)?, message_id]))
    }
}

fn acted(db: &Connection, thread: i64) -> Result<bool, StoreError> {
    rows::exists(db, "SELECT 1 FROM effects WHERE thread = ? LIMIT 1", [thread])
}

fn by_seq(db: &Connection, seq: i64) -> Result<MailRow, StoreError> {
    let mail = MailRow::select(db, "WHERE seq = ?", [seq])?.pop();
    mail.map_or_else(|| damaged(format!("mail number {seq} is missing")), Ok)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::store::Store;
    use serde_json::json;

    #[test]
    fn sent_mail_is_known_by_its_whole_id() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let db = Connection::open(folder.path().join(crate::engine::store::FILE)).unwrap();
        db.execute_batch(
            "INSERT INTO threads (seq, id, workflow, fingerprint, title, status, node, awaits, steps, step, since, last,
                    version, steps_since_person, step_limit, allowance, waiting_events, unread, hold_ms, created_at, updated_at)
             VALUES (1, 't00000001', 'email', '', '', 'done', '', 'nothing', 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0),
                    (2, 't00000002', 'email', '', '', 'done', '', 'nothing', 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0)",
        )
        .unwrap();
        let sent = json!({"message_id": "11\"@x.example", "place": "1@x.example", "refused": [["2@x.example", "no"]]});
        let outcomes = [json!(null), json!({"error": "3@x.example"}), json!("4@x.example"), sent];
        for (seq, outcome) in (1_i64..).zip(outcomes) {
            db.execute(
                "INSERT INTO effects (seq, thread, step, name, state, frozen, outcome, begun_at)
                 VALUES (?1, 1, ?1, 'send', 'done', x'', ?2, 0)",
                params![seq, outcome.to_string()],
            )
            .unwrap();
        }
        let [one, other] = ["t00000001", "t00000002"].map(|id| ThreadId::parse(id).unwrap());
        let message_id = "11\"@x.example";
        assert!(
            store.mail().sent_by_any(message_id).unwrap() && store.mail().sent_by(&one, message_id).unwrap()
        );
        assert!(!store.mail().sent_by(&other, message_id).unwrap());
        let others = [
            "1@x.example",
            "2@x.example",
            "3@x.example",
            "4@x.example",
            "@x.example",
            "message_id",
            "null",
            "",
        ];
        for id in others {
            assert!(
                !store.mail().sent_by_any(id).unwrap() && !store.mail().sent_by(&one, id).unwrap(),
                "{id}"
            );
        }
    }
}
