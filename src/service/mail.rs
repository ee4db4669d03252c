//! The mail that was taken in, shown or skipped.

use super::Inbox;
use crate::graph::{ThreadId, What};
use crate::inbox::{InboxError, MailPage, MailQuery, Outcome, SkippedPage, SkippedQuery, SourceLine};
use crate::workflows::mail_facts::Class;
use serde_json::json;

/// How much of a skipped mail's text is shown, in characters.
const SHOWN: usize = 4_000;

/// The mail that was taken in.
#[derive(Clone, Copy)]
pub struct Mail<'a>(pub(super) &'a Inbox);

impl Mail<'_> {
    /// A page of it.
    pub async fn list(self, query: MailQuery) -> Result<MailPage, InboxError> {
        Ok(self.0.store().mail().list(&query)?)
    }

    /// A page of the mail that was not shown.
    pub async fn skipped(self, query: SkippedQuery) -> Result<SkippedPage, InboxError> {
        let read = move |inbox: &Inbox| {
            let mut page = inbox.store().mail().skipped(&query)?;
            for line in &mut page.mails {
                // What was pruned has no bytes, and is listed all the same.
                let mail = inbox.store().blob(&line.raw).ok().and_then(|raw| crate::mail::parse(&raw).ok());
                let text = mail.map(|mail| mail.text).unwrap_or_default();
                line.text = text.trim().chars().take(SHOWN).collect();
            }
            Ok(page)
        };
        self.0.blocking(read).await
    }

    /// Corrects what a thread took its mail for; it runs again from there.
    pub async fn reclassify(self, thread: ThreadId, class: String) -> Result<Outcome, InboxError> {
        if !Class::ALL.iter().any(|known| known.as_str() == class) {
            let known = Class::ALL.map(Class::as_str).join(", ");
            return Err(InboxError::Conflict(format!("`{class}` is not a class; there are {known}")));
        }
        let what = What::Corrected { payload: json!({ "class": class }) };
        self.0.deliver(&thread, "corrected", what, "have no class to correct").await
    }

    /// How each mailbox and server does that was ever looked at.
    pub async fn sources(self) -> Result<Vec<SourceLine>, InboxError> {
        let mut sources = self.0.store().mail().sources()?;
        sources.retain(|line| self.0.shows_traces || line.source != SourceLine::TRACES);
        Ok(sources)
    }

    /// Asks whoever drives to look at every mailbox now.
    pub async fn fetch(self) -> Result<(), InboxError> {
        Ok(self.0.store().mail().want_sync().await?)
    }
}
