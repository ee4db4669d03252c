//! Mail that was taken in, whether shown or skipped.

use super::Inbox;
use crate::agent::mail_facts::Class;
use crate::engine::graph::{EventKind, Kind, ThreadId};
use crate::inbox::{
    AnswerKind, DecidedBy, DecisionEnd, DecisionLine, DecisionQuery, InboxError, MailLine, MailQuery,
    Outcome, Page, SkippedCount, SkippedLine, SkippedQuery, SourceLine,
};
use crate::mail::{Address, risk::sender_shown};
use crate::text::words::around;
use crate::workflows::email::{self, Email};
use jiff::Timestamp;
use serde_json::json;

/// How much of a skipped mail's text is shown, in characters.
const MAX_TEXT: usize = 4_000;

/// How many mails that were ignored together can be shown again together.
const MAX_TOGETHER: usize = 500;

/// How many skipped mails are counted at a time.
const PAGE: usize = 200;

/// Mail that was taken in.
#[derive(Clone, Copy)]
pub struct Mail<'a>(pub(super) &'a Inbox);

impl Mail<'_> {
    /// A page of mails.
    pub async fn list(self, query: MailQuery) -> Result<Page<MailLine>, InboxError> {
        self.0.store().mail().list(&query)
    }

    /// A page of skipped mails.
    pub async fn skipped(self, query: SkippedQuery) -> Result<Page<SkippedLine>, InboxError> {
        let read = move |inbox: &Inbox| {
            let mut page = inbox.store().mail().skipped(&query)?;
            for line in &mut page.rows {
                // Pruned mail has no bytes but is still listed.
                let mail = inbox.store().blob(&line.raw).ok().and_then(|raw| crate::mail::parse(&raw).ok());
                if let Some(mail) = mail {
                    let shown = sender_shown(&mail.from);
                    if !shown.is_empty() && *shown != mail.from.address {
                        let address = std::mem::take(&mut line.sender);
                        line.sender = Address { name: shown.to_owned(), address }.to_string();
                    }
                    line.text = mail.text.trim().chars().take(MAX_TEXT).collect();
                }
                line.unsure = is_unsure(inbox, line.thread.as_ref())?;
            }
            Ok(page)
        };
        self.0.blocking(read).await
    }

    /// How much mail was skipped since then.
    pub async fn skipped_since(self, since: Timestamp) -> Result<SkippedCount, InboxError> {
        let count = move |inbox: &Inbox| {
            let (mut count, mut after) = (SkippedCount::default(), None);
            loop {
                let page = inbox.store().mail().skipped(&SkippedQuery { after, limit: PAGE })?;
                for line in &page.rows {
                    if line.came_at < since {
                        return Ok(count);
                    }
                    count.mails += 1;
                    count.unsure += u64::from(is_unsure(inbox, line.thread.as_ref())?);
                }
                after = page.next;
                if after.is_none() {
                    return Ok(count);
                }
            }
        };
        self.0.blocking(count).await
    }

    /// Only how many there are, which is quick.
    pub async fn count_skipped(self, since: Timestamp) -> Result<u64, InboxError> {
        self.0.blocking(move |inbox| inbox.store().mail().skipped_since(since)).await
    }

    /// Corrects the class that a thread gave its mail; the thread runs again from its entry.
    pub async fn reclassify(self, thread: ThreadId, class: String) -> Result<Outcome, InboxError> {
        if !Class::ALL.iter().any(|known| known.as_str() == class) {
            let classes = Class::ALL.map(Class::as_str).join(", ");
            return Err(InboxError::Conflict(format!("`{class}` is not a class; there are {classes}")));
        }
        let what = EventKind::Corrected { payload: json!({ "class": class }) };
        self.0.deliver(&thread, "corrected", what, "have no class to correct").await
    }

    /// Asks about a letter again that the person kept as a draft.
    pub async fn bring_back(self, kept: &DecisionLine) -> Result<Outcome, InboxError> {
        let what = EventKind::Corrected { payload: json!({ "letter": kept.args }) };
        self.0.deliver_anywhere(&kept.thread, "letter", what, "keep no letters").await
    }

    /// The mails that a person ignored together, or the letters that they kept as drafts, if they have done nothing since.
    pub async fn last_dismissed(self) -> Result<Vec<DecisionLine>, InboxError> {
        let newest = DecisionQuery { limit: MAX_TOGETHER, ..DecisionQuery::default() };
        let lines = self.0.decisions().history(newest).await?.rows;
        let first = lines.first().map(|line| (line.seq, line.batch.clone()));
        let is_with_first = |line: &DecisionLine| {
            first
                .as_ref()
                .is_some_and(|(seq, batch)| line.seq == *seq || batch.is_some() && line.batch == *batch)
        };
        let is_dismissed = |line: &DecisionLine| {
            let is_ignored = line.kind == Some(Kind::Triage)
                && line.answer == AnswerKind::Ignore
                && line.end == DecisionEnd::Ignored;
            let is_kept = line.answer == AnswerKind::Draft && line.end == DecisionEnd::Done;
            (is_ignored || is_kept) && matches!(line.by, Some(DecidedBy::Tui | DecidedBy::Cli))
        };
        Ok(lines.into_iter().take_while(|line| is_with_first(line) && is_dismissed(line)).collect())
    }

    /// Makes the thread of a mail ask whether to leave its mailing list.
    pub async fn unsubscribe(self, thread: ThreadId) -> Result<Outcome, InboxError> {
        let id = thread.clone();
        let problem = self.0.blocking(move |inbox| leaving_problem(inbox, &id)).await?;
        if let Some(why) = problem {
            return Err(InboxError::Conflict(why));
        }
        let what = EventKind::Corrected { payload: json!({ "unsubscribe": true }) };
        self.0.deliver(&thread, "unsubscribe", what, "are about no mailing list").await
    }

    /// The text around words in the newest mail of a thread that has them. A thread that cannot be read has none.
    pub(super) fn around(self, thread: &ThreadId, words: &str) -> Option<String> {
        let email = self.0.engine.state_of::<Email>(thread, None).ok()??;
        email.email_input.iter().rev().find_map(|input| {
            let mail = crate::mail::parse(&self.raw(&input.raw).ok()?).ok()?;
            around(&mail.words(), words)
        })
    }

    /// The health of every mailbox and server that was ever checked.
    pub async fn sources(self) -> Result<Vec<SourceLine>, InboxError> {
        self.0.store().mail().sources()
    }

    /// Asks the driver to check every mailbox now.
    pub async fn fetch(self) -> Result<(), InboxError> {
        self.0.store().mail().want_sync().await
    }
}

/// Whether triage was unsure about skipping a thread's mail. An unreadable thread counts as sure, so that the others
/// are still listed; `doctor` names it.
fn is_unsure(inbox: &Inbox, thread: Option<&ThreadId>) -> Result<bool, InboxError> {
    let Some(thread) = thread else { return Ok(false) };
    match inbox.engine.state_of::<Email>(thread, None) {
        Ok(email) => Ok(email.is_some_and(|email| email.unsure)),
        Err(InboxError::Damaged(_) | InboxError::Conflict(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Why we cannot leave the mailing list of a thread's newest mail.
fn leaving_problem(inbox: &Inbox, thread: &ThreadId) -> Result<Option<String>, InboxError> {
    let email = inbox.engine.state_of::<Email>(thread, None)?;
    let Some(input) = email.as_ref().and_then(|email| email.email_input.last()) else {
        return Ok(Some(format!("`{thread}` is not about a mail; only a mailing list can be left")));
    };
    let raw = Mail(inbox).raw(&input.raw)?;
    let mail = crate::mail::parse(&raw).map_err(|error| InboxError::Failed(error.to_string()))?;
    let stored = inbox.store().mail().receiver(&input.account)?;
    let receiver = stored.and_then(|stored| serde_json::from_str(&stored).ok());
    Ok(email::cannot_leave(&mail, receiver.as_ref()))
}
