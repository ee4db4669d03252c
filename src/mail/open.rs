//! From the config to the doors: one arm a kind.

use super::gmail::{Gmail, GmailOutgoing};
use super::imap::Imap;
use super::maildir::Maildir;
use super::observing::Observing;
use super::outgoing::{Outbox, Program};
use super::smtp::Smtp;
use super::{MailError, Mailbox, Outgoing};
use crate::config::{self, MailMode, MailOutgoing, MailSource};
use std::sync::Arc;

/// Where an account is read. Nothing is touched yet; [`Mailbox::check`] says whether it is there. That of an account
/// that only observes marks and keeps nothing.
pub fn open_mailbox(mail: &config::Mail) -> Result<Arc<dyn Mailbox>, MailError> {
    let behind = mailbox(mail)?;
    Ok(match mail.mode {
        MailMode::Act => behind,
        MailMode::Observe => Arc::new(Observing { account: mail.name.clone(), behind }),
    })
}

fn mailbox(mail: &config::Mail) -> Result<Arc<dyn Mailbox>, MailError> {
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
    let behind: Arc<dyn Outgoing> = match &mail.outgoing {
        None => return Ok(None),
        Some(MailOutgoing::Maildir { path }) => Arc::new(Outbox::new(path.clone())),
        Some(MailOutgoing::Command { command, sent }) => {
            Arc::new(Program::new(command.clone(), sent.clone())?)
        }
        // A connection of its own: filing a copy must not wait for a long fetch.
        Some(MailOutgoing::Smtp { server, filed_by }) => {
            Arc::new(Smtp::new(server.clone(), Imap::open(mail)).filed_by(*filed_by))
        }
        Some(MailOutgoing::Gmail { google }) => Arc::new(GmailOutgoing::open(google)?),
    };
    match mail.mode {
        MailMode::Act => Ok(Some(behind)),
        MailMode::Observe => Ok(Some(Arc::new(Observing { account: mail.name.clone(), behind }))),
    }
}
