//! Opens mailboxes and outgoing mail from the config, with one arm per kind.

use super::imap::Imap;
use super::maildir::{self, Maildir};
use super::observing::Observing;
use super::outgoing::{Outbox, Program};
use super::smtp::Smtp;
use super::{Mailbox, Outgoing, Timeouts};
use crate::config::{self, FiledBy, MailMode, MailOutgoing, MailSource};
use std::path::PathBuf;
use std::sync::Arc;

/// Opens an account's mailbox. Does not touch it yet; [`Mailbox::check`] says whether it is there. If the account only
/// observes, the mailbox marks and saves nothing.
pub fn open_mailbox(mail: &config::Mail) -> Arc<dyn Mailbox> {
    let inner: Arc<dyn Mailbox> = match &mail.source {
        MailSource::Maildir { path, folders, drafts, sent } => {
            Arc::new(Maildir::new(mail, path, folders, [drafts.as_ref(), sent.as_ref()]))
        }
        MailSource::Imap { server, folders, drafts, sent } => {
            Arc::new(Imap::new(mail, server, folders, [drafts.as_ref(), sent.as_ref()], Timeouts::default()))
        }
    };
    match mail.mode {
        MailMode::Act => inner,
        MailMode::Observe => Arc::new(Observing { account: mail.name.clone(), inner }),
    }
}

/// Opens an account's outgoing mail; `None` if the config has none. An account that only observes refuses to send.
pub fn open_outgoing(mail: &config::Mail) -> Option<Arc<dyn Outgoing>> {
    let inner: Arc<dyn Outgoing> = match mail.outgoing.as_ref()? {
        MailOutgoing::Maildir { path } => Arc::new(Outbox::new(path.clone())),
        MailOutgoing::Command { command, sent, filed_by } => {
            let default_folder = || sent_folder(mail).filter(|_| *filed_by != FiledBy::Server);
            let program = Program::new(command.clone(), sent.clone().or_else(default_folder));
            match Imap::open(mail).filter(|_| sent.is_none()) {
                Some(imap) => Arc::new(program.filing_on(imap, *filed_by)),
                None => Arc::new(program),
            }
        }
        // A separate connection: filing a copy must not wait for a long fetch.
        MailOutgoing::Smtp { server, filed_by } => {
            let smtp = Smtp::new(server.clone(), Imap::open(mail)).filed_by(*filed_by);
            match sent_folder(mail).filter(|_| *filed_by != FiledBy::Server) {
                Some(folder) => Arc::new(smtp.copying_to(folder)),
                None => Arc::new(smtp),
            }
        }
    };
    Some(match mail.mode {
        MailMode::Act => inner,
        MailMode::Observe => Arc::new(Observing { account: mail.name.clone(), inner }),
    })
}

/// The Maildir for an account's sent mail; `None` if that is on a server.
fn sent_folder(mail: &config::Mail) -> Option<PathBuf> {
    match &mail.source {
        MailSource::Maildir { path, sent, .. } => {
            Some(sent.clone().unwrap_or_else(|| maildir::sent_folder(path)))
        }
        MailSource::Imap { .. } => None,
    }
}
