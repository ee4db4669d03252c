//! Wrappers for accounts whose mode is `observe`.
//!
//! Promises: whatever mailbox and outgoing mail they wrap, nothing is sent, marked or saved. This is the only place
//! that enforces it; cards and nodes that say so earlier only spare users the refusal.

use super::{
    BoxFuture, Cursor, Destination, Fetched, Handled, MailError, MailPresence, Mailbox, Outgoing, People,
    SendError, Sent, SentLookup, UndoToken,
};
use std::sync::Arc;

/// A mailbox or outgoing mail that only observes.
pub(super) struct Observing<T: ?Sized> {
    pub(super) account: String,
    /// The wrapped mailbox or outgoing mail.
    pub(super) inner: Arc<T>,
}

/// Why an account that only observes refuses to do something.
pub fn only_observes(account: &str) -> String {
    format!("`{account}` only observes; set its mode to \"act\" in the config")
}

impl Outgoing for Observing<dyn Outgoing> {
    fn send<'a>(&'a self, _: &'a [u8]) -> BoxFuture<'a, Result<Sent, SendError>> {
        Box::pin(async { Err(SendError::Refused(only_observes(&self.account))) })
    }

    fn find<'a>(&'a self, raw: &'a [u8]) -> BoxFuture<'a, SentLookup> {
        self.inner.find(raw)
    }

    fn check(&self) -> BoxFuture<'_, Result<String, MailError>> {
        self.inner.check()
    }
}

impl Mailbox for Observing<dyn Mailbox> {
    fn fetch<'a>(
        &'a self,
        since: Option<&'a Cursor>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Fetched, MailError>> {
        self.inner.fetch(since, limit)
    }

    fn start(&self, from: jiff::Timestamp) -> BoxFuture<'_, Result<Option<Cursor>, MailError>> {
        self.inner.start(from)
    }

    fn newest(&self, count: usize) -> BoxFuture<'_, Result<Option<jiff::Timestamp>, MailError>> {
        self.inner.newest(count)
    }

    fn people(&self, until: jiff::Timestamp) -> BoxFuture<'_, Result<People, MailError>> {
        self.inner.people(until)
    }

    fn presence<'a>(&'a self, places: &'a [String]) -> BoxFuture<'a, Result<Vec<MailPresence>, MailError>> {
        self.inner.presence(places)
    }

    fn mark<'a>(&'a self, _: &'a str, _: Handled) -> BoxFuture<'a, Result<(), MailError>> {
        Box::pin(async { Ok(()) })
    }

    fn folders(&self) -> BoxFuture<'_, Result<Vec<String>, MailError>> {
        self.inner.folders()
    }

    fn put_away<'a>(&'a self, _: &'a str, _: &'a Destination) -> BoxFuture<'a, Result<UndoToken, MailError>> {
        Box::pin(async { Err(MailError::Permanent(only_observes(&self.account))) })
    }

    fn put_back<'a>(&'a self, _: &'a UndoToken) -> BoxFuture<'a, Result<(), MailError>> {
        Box::pin(async { Err(MailError::Permanent(only_observes(&self.account))) })
    }

    fn save_draft<'a>(&'a self, _: &'a [u8]) -> BoxFuture<'a, Result<(), MailError>> {
        Box::pin(async { Err(MailError::Permanent(only_observes(&self.account))) })
    }

    fn answered_elsewhere<'a>(
        &'a self,
        message_ids: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<bool>, MailError>> {
        self.inner.answered_elsewhere(message_ids)
    }

    fn is_sent<'a>(&'a self, message_id: &'a str) -> BoxFuture<'a, Result<bool, MailError>> {
        self.inner.is_sent(message_id)
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        self.inner.changed()
    }

    fn check(&self) -> BoxFuture<'_, Result<String, MailError>> {
        let check = self.inner.check();
        Box::pin(async {
            let report = check.await?;
            Ok(format!("{report}; it only observes, so nothing is sent or marked until mode = \"act\""))
        })
    }
}
