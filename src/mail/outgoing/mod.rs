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

#[cfg(test)]
mod tests;
