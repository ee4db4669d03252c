//! From the config to the doors: one arm a kind.

use super::gmail::{Gmail, GmailOutgoing};
use super::imap::Imap;
use super::maildir::Maildir;
use super::outgoing::{Observing, Outbox, Program};
use super::smtp::Smtp;
use super::{MailError, Mailbox, Outgoing};
use crate::config::{self, MailMode, MailOutgoing, MailSource};
use std::sync::Arc;

/// Where an account is read. Nothing is touched yet; [`Mailbox::check`] says whether it is there.
pub fn open_mailbox(mail: &config::Mail) -> Result<Arc<dyn Mailbox>, MailError> {
    match &mail.source {
        MailSource::Maildir { .. } => Ok(Arc::new(Maildir::open(mail)?)),
        MailSource::Imap { .. } => match Imap::open(mail) {
            Some(imap) => Ok(Arc::new(imap)),
            None => Err(MailError::Lasting(format!("the account {} is on no IMAP server", mail.name))),
        },
        MailSource::Gmail { google, labels } => Ok(Arc::new(Gmail::open(mail, google, labels)?)),
    }
}

/// Where an account's mail is sent; `None` where the config names nothing. An account that only observes refuses.
pub fn open_outgoing(mail: &config::Mail) -> Result<Option<Arc<dyn Outgoing>>, MailError> {
    let outgoing: Box<dyn Outgoing> = match &mail.outgoing {
        None => return Ok(None),
        Some(MailOutgoing::Maildir { path }) => Box::new(Outbox::new(path.clone())),
        Some(MailOutgoing::Command { command, sent }) => {
            Box::new(Program::new(command.clone(), sent.clone())?)
        }
        // A connection of its own: filing a copy must not wait for a long fetch.
        Some(MailOutgoing::Smtp { server }) => Box::new(Smtp::new(server.clone(), Imap::open(mail))),
        Some(MailOutgoing::Gmail { google }) => Box::new(GmailOutgoing::open(google)?),
    };
    match mail.mode {
        MailMode::Act => Ok(Some(Arc::from(outgoing))),
        MailMode::Observe => Ok(Some(Arc::new(Observing { account: mail.name.clone(), outgoing }))),
    }
}
