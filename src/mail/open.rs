//! Opens mailboxes and outgoing mail from the config, with one arm per kind.

use super::imap::Imap;
use super::maildir::Maildir;
use super::observing::Observing;
use super::outgoing::{Outbox, Program};
use super::smtp::Smtp;
use super::{MailError, Mailbox, Outgoing};
use crate::config::{self, FiledBy, MailMode, MailOutgoing, MailSource};
use std::path::PathBuf;
use std::sync::Arc;

/// Opens an account's mailbox. Does not touch it yet; [`Mailbox::check`] says whether it is there. If the account only
/// observes, the mailbox marks and saves nothing.
pub fn open_mailbox(mail: &config::Mail) -> Result<Arc<dyn Mailbox>, MailError> {
    let inner = mailbox(mail)?;
    Ok(match mail.mode {
        MailMode::Act => inner,
        MailMode::Observe => Arc::new(Observing { account: mail.name.clone(), inner }),
    })
}

fn mailbox(mail: &config::Mail) -> Result<Arc<dyn Mailbox>, MailError> {
    match &mail.source {
        MailSource::Maildir { .. } => Ok(Arc::new(Maildir::open(mail)?)),
        MailSource::Imap { .. } => match Imap::open(mail) {
            Some(imap) => Ok(Arc::new(imap)),
            None => Err(MailError::Permanent(format!("the account {} is on no IMAP server", mail.name))),
        },
    }
}

/// Opens an account's outgoing mail; `None` if the config has none. An account that only observes refuses to send.
pub fn open_outgoing(mail: &config::Mail) -> Result<Option<Arc<dyn Outgoing>>, MailError> {
    let inner: Arc<dyn Outgoing> = match &mail.outgoing {
        None => return Ok(None),
        Some(MailOutgoing::Maildir { path }) => Arc::new(Outbox::new(path.clone())),
        Some(MailOutgoing::Command { command, sent, filed_by }) => {
            let default_folder = || sent_folder(mail).filter(|_| *filed_by != FiledBy::Server);
            let program = Program::new(command.clone(), sent.clone().or_else(default_folder))?;
            match Imap::open(mail).filter(|_| sent.is_none()) {
                Some(imap) => Arc::new(program.filing_on(imap, *filed_by)),
                None => Arc::new(program),
            }
        }
        // A separate connection: filing a copy must not wait for a long fetch.
        Some(MailOutgoing::Smtp { server, filed_by }) => {
            let smtp = Smtp::new(server.clone(), Imap::open(mail)).filed_by(*filed_by);
            match sent_folder(mail).filter(|_| *filed_by != FiledBy::Server) {
                Some(folder) => Arc::new(smtp.copying_to(folder)),
                None => Arc::new(smtp),
            }
        }
    };
    match mail.mode {
        MailMode::Act => Ok(Some(inner)),
        MailMode::Observe => Ok(Some(Arc::new(Observing { account: mail.name.clone(), inner }))),
    }
}

/// The Maildir for an account's sent mail; `None` if that is on a server.
fn sent_folder(mail: &config::Mail) -> Option<PathBuf> {
    match &mail.source {
        MailSource::Maildir { path, sent, .. } => Some(sent.clone().unwrap_or_else(|| path.join(".Sent"))),
        MailSource::Imap { .. } => None,
    }
}
