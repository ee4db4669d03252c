//! Ways out: an outbox folder, or a program such as msmtp.
//!
//! Promised: the mail handed over is the mail given, line ends and the `Bcc` field aside; what surely did not leave,
//! what never will and what may have left are told apart; nothing is looked for by guessing. The recipients are those
//! of `To`, `Cc` and `Bcc`.

mod command;
mod envelope;
mod outbox;

pub use command::Program;
pub(super) use envelope::{Envelope, without_bcc};
pub use outbox::Outbox;

use super::{BoxFuture, Found, MailError, Outgoing, SendError, Sent};

/// A way out that is only looked at: the account's mode is `observe`.
pub(super) struct Observing {
    /// The account.
    pub(super) account: String,
    /// What it would be sent by.
    pub(super) outgoing: Box<dyn Outgoing>,
}

impl Outgoing for Observing {
    fn send<'a>(&'a self, _: &'a [u8]) -> BoxFuture<'a, Result<Sent, SendError>> {
        let text = format!("the account {} only observes; set its mode to \"act\" to send", self.account);
        Box::pin(async { Err(SendError::Refused(text)) })
    }

    fn find<'a>(&'a self, raw: &'a [u8]) -> BoxFuture<'a, Found> {
        self.outgoing.find(raw)
    }

    fn check(&self) -> BoxFuture<'_, Result<String, MailError>> {
        self.outgoing.check()
    }
}

#[cfg(test)]
mod tests;
