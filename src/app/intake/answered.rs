//! Closes open questions about mail that the user handled in another program. Nothing is learned from it.

use super::{Intake, IntakeError};
use crate::engine::driver::arrival;
use crate::engine::graph::{Event, EventKind, ThreadId};
use crate::engine::store::{StoreError, WaitingMailThread};
use crate::inbox::{SetAside, Status};
use crate::mail::{Account, Mail, MailPresence};
use serde_json::json;
use std::collections::HashSet;

/// The event that tells a thread that its mail was answered.
const ANSWERED: &str = "settled:answered";

impl Intake {
    /// The user's own mail answers whatever waits in its conversation.
    pub(super) async fn close_by_own_mail(&self, account: &Account, mail: &Mail) -> Result<(), IntakeError> {
        let store = self.engine().store();
        let refers = mail.in_reply_to.iter().chain(&mail.references).cloned().collect::<Vec<_>>();
        let existing = store.mail().conversation_of(&account.name, &refers)?;
        let Some(conversation) = existing.or_else(|| mail.conversation().map(str::to_owned)) else {
            return Ok(());
        };
        let Some(thread) = store.mail().conversation_threads(&account.name, &conversation)?.live else {
            return Ok(());
        };
        // Mail that sayso sent is not an answer from elsewhere.
        let is_ours = match &mail.message_id {
            Some(id) => store.mail().sent_by(&thread, id)?,
            None => false,
        };
        if is_ours || !self.is_answer(&thread, mail, &refers)? {
            return Ok(());
        }
        self.settle(&thread).await
    }

    /// Whether the user's own mail can answer a thread: it refers to the thread's newest mail, or was written after it.
    fn is_answer(&self, thread: &ThreadId, own: &Mail, refers: &[String]) -> Result<bool, IntakeError> {
        let Some((id, at)) = self.engine().store().mail().newest_of(thread)? else { return Ok(true) };
        Ok(id.is_some_and(|id| refers.contains(&id)) || own.date.is_some_and(|date| date > at))
    }

    /// Closes threads whose mail is now answered or gone.
    pub(super) async fn close_answered(&self, account: &Account) -> Result<(), IntakeError> {
        let store = self.engine().store();
        let mut waiting = store.mail().waiting(&account.name)?;
        waiting.retain(|waiting| !waiting.place.is_empty());
        if waiting.is_empty() {
            return Ok(());
        }
        let places: Vec<String> = waiting.iter().map(|waiting| waiting.place.clone()).collect();
        let presence = account.mailbox.presence(&places).await?;
        let waiting: Vec<(WaitingMailThread, MailPresence)> = waiting.into_iter().zip(presence).collect();
        let seen = waiting.iter().filter_map(|(waiting, presence)| match presence {
            MailPresence::There { seen, .. } if waiting.seen != Some(*seen) => {
                Some((waiting.thread.clone(), waiting.place.clone(), *seen))
            }
            MailPresence::There { .. } | MailPresence::Gone | MailPresence::Unknown => None,
        });
        let seen: Vec<(ThreadId, String, bool)> = seen.collect();
        if !seen.is_empty() {
            store.mail().note_seen(seen).await?;
        }
        let answered_ids = answered_in_sent(account, &waiting).await?;
        for (waiting, presence) in &waiting {
            match presence {
                MailPresence::Unknown => {}
                // If the person has just put it away here, this is how its card goes, too.
                MailPresence::Gone => {
                    store.threads().set_aside(waiting.thread.clone(), SetAside::Gone).await?;
                }
                MailPresence::There { answered, .. } => {
                    let in_sent = waiting.message_id.as_ref().is_some_and(|id| answered_ids.contains(id));
                    // If the thread has sent something, that may be the answer.
                    if !waiting.acted && (*answered || in_sent) {
                        self.settle(&waiting.thread).await?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Tells a thread that its mail was answered elsewhere.
    async fn settle(&self, thread: &ThreadId) -> Result<(), IntakeError> {
        let store = self.engine().store();
        match store.threads().outcome(thread)?.status {
            Status::Waiting | Status::Held => {}
            // It is told once, before its next node; trouble after that is for a person.
            Status::Ready | Status::Trouble if !store.mail().was_told(thread, ANSWERED)? => {}
            // A running thread is told when it next waits.
            _ => return Ok(()),
        }
        let line = store.threads().line(thread)?;
        let Some(spec) = self.engine().registry().get(&line.workflow) else { return Ok(()) };
        let reason = "you have answered it elsewhere".to_owned();
        let what = EventKind::AnsweredElsewhere { reason, payload: json!({ "how": "answered" }) };
        let event = Event { id: ANSWERED.to_owned(), what };
        let arrival =
            arrival(spec, thread, &event, None).map_err(|error| IntakeError::Thread(error.to_string()))?;
        match store.threads().deliver(arrival).await {
            // Somebody decided at the same moment and the thread has ended.
            Ok(_) | Err(StoreError::NotOpen { .. } | StoreError::Moved) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// The Message-IDs of waiting mails whose answer is in the sent mail. They are looked up together, because a mailbox
/// may have to list all of its sent mail for it.
async fn answered_in_sent(
    account: &Account,
    waiting: &[(WaitingMailThread, MailPresence)],
) -> Result<HashSet<String>, IntakeError> {
    let is_unclear = |(waiting, presence): &&(WaitingMailThread, MailPresence)| {
        !waiting.acted && matches!(presence, MailPresence::There { answered: false, .. })
    };
    let ids: Vec<String> =
        waiting.iter().filter(is_unclear).filter_map(|(waiting, _)| waiting.message_id.clone()).collect();
    if ids.is_empty() {
        return Ok(HashSet::new());
    }
    let answered = account.mailbox.answered_elsewhere(&ids).await?;
    Ok(ids.into_iter().zip(answered).filter(|(_, answered)| *answered).map(|(id, _)| id).collect())
}
