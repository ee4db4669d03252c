//! Outgoing mail through an outbox folder or a program such as msmtp.
//!
//! Promises: the mail passed on is the mail given, except for line ends and the `Bcc` field. Mail that was certainly
//! not sent, that never will be, and that may have been sent are told apart; we never guess. The recipients are those
//! in `To`, `Cc` and `Bcc`.

mod command;
mod envelope;
mod outbox;

pub use command::Program;
pub(super) use envelope::{Envelope, without_bcc};
pub use outbox::Outbox;

#[cfg(test)]
mod tests;
