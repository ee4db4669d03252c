//! The whole conversation of some mails: what came, whichever thread took it, and what was sent.

use crate::engine::graph::ThreadId;
use crate::engine::store::rows::{self, MailRow, MailState, ThreadRow};
use crate::engine::store::{Mail, StoreError};
use rusqlite::params;
use std::collections::{BTreeSet, HashSet};

/// A mail of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversationMail {
    /// The digest of its bytes.
    pub raw: [u8; 32],
    /// Whether its mailbox called it unread when we last looked, and it was not handled since.
    pub is_unread: bool,
}

impl Mail<'_> {
    /// Stores what a mailbox says about mails: whether the mail at a place is read.
    pub async fn note_seen(self, seen: Vec<(ThreadId, String, bool)>) -> Result<(), StoreError> {
        let change = "UPDATE mails SET seen = ?3 WHERE thread = ?1 AND place = ?2 AND seen IS NOT ?3";
        self.0
            .write(move |db| {
                let mut statement = db.prepare_cached(change)?;
                for (thread, place, is_seen) in seen {
                    statement.execute(params![ThreadRow::seq_of(db, &thread)?, place, is_seen])?;
                }
                Ok(())
            })
            .await
    }

    /// The mails of the conversations that these mails belong to, those that came or were sent last first, and how many
    /// more there are. Mail whose bytes were pruned is left out.
    pub fn conversation(
        self,
        identities: &[String],
        sent: &[String],
        limit: usize,
    ) -> Result<(Vec<ConversationMail>, usize), StoreError> {
        self.0.read(|db| {
            let mut conversations = BTreeSet::new();
            for identity in identities {
                let mail = MailRow::find(db, identity)?;
                conversations.extend(mail.map(|mail| (mail.account, mail.conversation)));
            }
            for id in sent {
                let mails = MailRow::select(db, "WHERE message_id = ? AND state = 'sent'", [id])?;
                conversations.extend(mails.into_iter().map(|mail| (mail.account, mail.conversation)));
            }
            let (mut mails, mut count) = (Vec::new(), 0);
            for (account, conversation) in conversations {
                let all = "WHERE account = ?1 AND conversation = ?2 AND state <> 'unreadable' AND raw <> ?3";
                let newest = "ORDER BY min(coalesce(sent_at, came_at), came_at) DESC, seq DESC LIMIT ?4";
                let of = params![
                    account,
                    conversation,
                    MailRow::PRUNED_BYTES,
                    i64::try_from(limit).unwrap_or(i64::MAX)
                ];
                mails.extend(MailRow::select(db, &format!("{all} {newest}"), of)?);
                let of = params![account, conversation, MailRow::PRUNED_BYTES];
                let counted: i64 = rows::one(db, &format!("SELECT count(*) FROM mails {all}"), of)?;
                count += usize::try_from(counted).unwrap_or_default();
            }
            let date = |mail: &MailRow| mail.sent_at.unwrap_or(mail.came_at).min(mail.came_at);
            mails.sort_by_key(|mail| (date(mail), mail.seq));
            // What sayso sent may be found in a mailbox, too; whatever claims to be that is not shown in its place.
            let ours: HashSet<Option<String>> =
                mails.iter().filter(|mail| is_ours(mail)).map(|mail| mail.message_id.clone()).collect();
            let found = mails.len();
            mails.retain(|mail| {
                mail.state != MailState::Sent || is_ours(mail) || !ours.contains(&mail.message_id)
            });
            count -= found - mails.len();
            let more = count.saturating_sub(limit);
            let cut = mails.len().saturating_sub(limit);
            let newest = mails.iter().skip(cut).rev().map(|mail| ConversationMail {
                raw: mail.raw,
                is_unread: mail.seen == Some(false)
                    && mail.handled_at.is_none()
                    && mail.state != MailState::Sent,
            });
            Ok((newest.collect(), more))
        })
    }
}

/// Whether sayso sent it.
fn is_ours(mail: &MailRow) -> bool {
    mail.state == MailState::Sent && mail.thread.is_some()
}
