//! Puts mail away for the person, and back. The card closes after the mail has really moved, and returns with it.

use super::Inbox;
use super::drive_or_wait::drive_or_wait;
use super::mail::Mail;
use crate::config::MailMode;
use crate::engine::driver::{Ended, Scope, Until};
use crate::engine::graph::{EventKind, Hash, InterruptId, ThreadId};
use crate::inbox::{
    AnswerKind, DecisionEnd, DecisionQuery, InboxError, Query, RowAnswer, RowKey, RowState, SetAside, Status,
};
use crate::mail::{Account, Destination, only_observes};
use crate::workflows::email::{Email, MailRef};
use crate::workflows::hidden::put_away::{self, PutAway, PutAwayMail};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::future::Future;
use std::sync::Arc;

/// The two sorts of threads that one mail can have here.
const MOVED: &str = "put_away";
const MUTED: &str = "mute";

/// How many moves are read at a time.
const PAGE: usize = 50;

/// Which direction mail moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MailMove {
    Away(Destination),
    /// Its conversation is no longer shown; the mailbox is left alone.
    Mute,
    Back,
}

impl MailMove {
    /// What was done, in people's words.
    pub fn done(&self) -> String {
        match self {
            MailMove::Away(Destination::Archive) => "archived".to_owned(),
            MailMove::Away(Destination::Trash) => "deleted".to_owned(),
            MailMove::Away(Destination::Spam) => "marked as spam".to_owned(),
            MailMove::Away(Destination::Folder(name)) => format!("moved to {name}"),
            MailMove::Mute => "muted".to_owned(),
            MailMove::Back => "put back".to_owned(),
        }
    }
}

impl Mail<'_> {
    /// The folders or labels that the mails of all these threads can be moved to; empty if we cannot tell.
    pub async fn folders(self, threads: &[ThreadId]) -> Result<Vec<String>, InboxError> {
        let Some(accounts) = &self.0.accounts else { return Ok(Vec::new()) };
        let mut names = BTreeSet::new();
        for thread in threads {
            if let Some(email) = self.0.engine.state_of(thread, None)? {
                names.extend(mails_in_mailbox(&email)?.into_iter().map(|mail| mail.account.clone()));
            }
        }
        let mut common: Option<Vec<String>> = None;
        for name in names {
            let Some(account) = accounts.get(&name) else { return Ok(Vec::new()) };
            refuse_observing(&account)?;
            let folders = account.mailbox.folders().await;
            let folders = folders.map_err(|error| InboxError::Failed(error.to_string()))?;
            common = Some(match common {
                None => folders,
                Some(before) => before.into_iter().filter(|name| folders.contains(name)).collect(),
            });
        }
        Ok(common.unwrap_or_default())
    }

    /// Starts to move the mails of an email thread. Returns the threads that do it. Nothing moves if the question that was
    /// shown has changed since, as it does when new mail joins the thread.
    pub async fn begin_move(
        self,
        thread: &ThreadId,
        mail_move: &MailMove,
        shown: Option<(InterruptId, Hash)>,
    ) -> Result<Vec<ThreadId>, InboxError> {
        let email = self.0.engine.state_of(thread, None)?;
        if let Some((id, hash)) = shown {
            let item = self.0.store().inbox().item(&id)?.item;
            if item.closed.is_some() || item.args_hash != hash {
                return Err(InboxError::Conflict("it has changed since you saw it".to_owned()));
            }
        }
        let Some(email) = email else {
            return Err(InboxError::Conflict(format!(
                "`{thread}` is not about a mail; only mail is put away"
            )));
        };
        let mails = mails_in_mailbox(&email)?;
        let mut movers = Vec::new();
        match mail_move {
            MailMove::Away(to) => {
                let mut here = Vec::new();
                for mail in mails {
                    if let Some(account) = self.0.accounts.as_ref().and_then(|all| all.get(&mail.account)) {
                        refuse_observing(&account)?;
                    }
                    let last = self.filed(MOVED, mail)?;
                    if !last.as_ref().is_some_and(|(_, filed)| filed.is_away()) {
                        here.push((mail, last));
                    }
                }
                if here.is_empty() {
                    let text = "it is put away already; `sayso mail restore` brings it back";
                    return Err(InboxError::Conflict(text.to_owned()));
                }
                for (mail, last) in here {
                    movers.push(self.start_move(MOVED, mail, json!(to), last).await?);
                }
            }
            MailMove::Mute => {
                if self.is_muted(thread)? {
                    let text = "its conversation is muted already; `sayso mail restore` takes that back";
                    return Err(InboxError::Conflict(text.to_owned()));
                }
                // One mail stands for its conversation.
                if let Some(mail) = mails.last() {
                    let last = self.filed(MUTED, mail)?;
                    movers.push(self.start_move(MUTED, mail, json!({ "mute": thread }), last).await?);
                }
            }
            MailMove::Back => {
                for (sort, mail) in mails.iter().flat_map(|mail| [(MOVED, mail), (MUTED, mail)]) {
                    match self.filed(sort, mail)? {
                        Some((id, PutAway { way: Some(_), back, .. })) => {
                            let status = self.0.store().threads().outcome(&id)?.status;
                            let on_its_way = back && !matches!(status, Status::Done | Status::Abandoned);
                            if !on_its_way {
                                let what = EventKind::Words { text: "back".to_owned() };
                                self.0.deliver(&id, "words", what, "cannot be taken back").await?;
                            }
                            movers.push(id);
                        }
                        // It came back after whoever wanted it had stopped waiting, so its card is still closed.
                        Some((id, PutAway { way: None, back: true, .. }))
                            if self.0.store().threads().is_set_aside(thread)? =>
                        {
                            movers.push(id);
                        }
                        _ => {}
                    }
                }
            }
        }
        if movers.is_empty() {
            return Err(InboxError::Conflict(
                "it is not put away, so there is nothing to put back".to_owned(),
            ));
        }
        Ok(movers)
    }

    /// Moves the mails, or waits until the driver has or `stop` resolves, then updates the card of their thread.
    pub async fn end_move(
        self,
        thread: &ThreadId,
        mail_move: &MailMove,
        movers: &[ThreadId],
        stop: impl Future<Output = ()>,
    ) -> Result<(), InboxError> {
        let scope = Scope::Only(movers.iter().cloned().collect());
        let driven = drive_or_wait(&self.0.engine, &scope, Until::Idle, stop, |_| {}).await?;
        if let Some((_, why)) = driven.failed.into_iter().find(|(failed, _)| movers.contains(failed)) {
            return Err(InboxError::Failed(why));
        }
        let mut moved = Vec::new();
        for moving in movers {
            let status = self.0.store().threads().outcome(moving)?.status;
            if status.active() {
                return Err(InboxError::Failed(unfinished(mail_move, driven.ended)));
            }
            if status != Status::Done {
                let why = self.0.store().threads().line(moving)?;
                let text = format!("{} did not work; `sayso list kind:trouble` says why", why.title);
                return Err(InboxError::Failed(text));
            }
            let Some(filed) = self.0.engine.state_of::<PutAway>(moving, None)? else { continue };
            if let Some(why) = &filed.refused {
                return Err(InboxError::Conflict(why.clone()));
            }
            moved.push(filed.mail.identity.clone());
        }
        let threads = self.0.store().threads();
        match mail_move {
            MailMove::Away(to) => threads.set_aside_moved(thread.clone(), set_aside(to), moved).await?,
            MailMove::Mute => threads.set_aside_moved(thread.clone(), SetAside::Muted, moved).await?,
            MailMove::Back => threads.reopen(thread.clone()).await?,
        }
        Ok(())
    }

    /// The thread whose mail was put away last, of those that can come back.
    pub async fn last_put_away(self) -> Result<Option<ThreadId>, InboxError> {
        let find = |inbox: &Inbox| {
            let filter = Query { answer: Some(AnswerKind::Move), ..Query::default() };
            let mut query = DecisionQuery { filter, limit: PAGE, ..DecisionQuery::default() };
            loop {
                let page = inbox.store().inbox().decisions(&query)?;
                for line in page.rows.into_iter().filter(|line| line.end == DecisionEnd::Done) {
                    if Mail(inbox).is_away(&line.thread)? {
                        return Ok(Some(line.thread));
                    }
                }
                query.after = page.next;
                if query.after.is_none() {
                    return Ok(None);
                }
            }
        };
        self.0.blocking(find).await
    }

    /// Whether a mail of a thread is away, and its mailbox has not refused to bring it back.
    fn is_away(self, thread: &ThreadId) -> Result<bool, InboxError> {
        let Some(email) = self.0.engine.state_of::<Email>(thread, None)? else { return Ok(false) };
        for mail in email.email_input.iter().filter(|mail| !mail.place.is_empty()) {
            if self.filed(MOVED, mail)?.is_some_and(|(_, filed)| filed.is_away()) {
                return Ok(true);
            }
        }
        self.is_muted(thread)
    }

    /// Whether a row of the memory says that a conversation is not to be shown.
    fn is_muted(self, thread: &ThreadId) -> Result<bool, InboxError> {
        let row = self.0.store().memory().row(&RowKey::Conversation(thread.clone()))?;
        Ok(row.is_some_and(|line| line.row.answer == RowAnswer::Skip && line.row.state == RowState::Given))
    }

    /// The thread that moved a mail last, or muted its conversation, and its state.
    fn filed(self, sort: &str, mail: &MailRef) -> Result<Option<(ThreadId, PutAway)>, InboxError> {
        let newest = self.0.store().threads().newest_with_key(put_away::NAME, &key(sort, mail))?;
        let Some((thread, _)) = newest else { return Ok(None) };
        let filed = self.0.engine.state_of(&thread, None)?;
        Ok(filed.map(|filed| (thread, Arc::unwrap_or_clone(filed))))
    }

    async fn start_move(
        self,
        sort: &str,
        mail: &MailRef,
        to: Value,
        last: Option<(ThreadId, PutAway)>,
    ) -> Result<ThreadId, InboxError> {
        let filed = PutAwayMail {
            account: mail.account.clone(),
            identity: mail.identity.clone(),
            place: mail.place.clone(),
            from: mail.from.clone(),
            subject: mail.subject.clone(),
        };
        // A key belongs to one thread, so the next key includes the last thread's id.
        let key = match last {
            None => key(sort, mail),
            Some((last, _)) => format!("{}#{last}", key(sort, mail)),
        };
        let engine = &self.0.engine;
        let new = engine
            .new_thread(put_away::NAME, json!({"mail": filed, "to": to}), &key)
            .map_err(|error| InboxError::Failed(error.to_string()))?;
        self.0.store().threads().start_for_person(new, false, None, engine.step_limit()).await
    }
}

fn refuse_observing(account: &Account) -> Result<(), InboxError> {
    match account.mode {
        MailMode::Act => Ok(()),
        MailMode::Observe => Err(InboxError::Conflict(only_observes(&account.name))),
    }
}

/// The mails of a thread that are in a mailbox.
fn mails_in_mailbox(email: &Email) -> Result<Vec<&MailRef>, InboxError> {
    let mails: Vec<&MailRef> = email.email_input.iter().filter(|mail| !mail.place.is_empty()).collect();
    if mails.is_empty() {
        let text = "this mail was handed in by a file, so there is no mailbox to change";
        return Err(InboxError::Conflict(text.to_owned()));
    }
    Ok(mails)
}

/// Why a move has not happened yet. The mail moves later, but its card follows only if somebody waits.
fn unfinished(mail_move: &MailMove, ended: Ended) -> String {
    let (why, once) = match ended {
        Ended::Paused => ("everything is paused", "you resume"),
        Ended::Stopped => ("interrupted while waiting", "threads run again"),
        Ended::Idle => ("it cannot be done now", "threads run again"),
    };
    match mail_move {
        MailMove::Away(_) => format!("{why}; the mail moves once {once}"),
        MailMove::Mute => format!("{why}; it is muted once {once}"),
        MailMove::Back => format!("{why}; put it back again once {once}"),
    }
}

/// Why the thread of a mail that was put away is set aside.
fn set_aside(to: &Destination) -> SetAside {
    match to {
        Destination::Archive => SetAside::Archived,
        Destination::Trash => SetAside::Deleted,
        Destination::Spam => SetAside::Spam,
        Destination::Folder(name) => SetAside::Moved(name.clone()),
    }
}

fn key(sort: &str, mail: &MailRef) -> String {
    format!("{sort}:{}", mail.identity)
}
