//! Opens mailboxes and outgoing mail from the config, with one arm per kind.

use super::copies::Copies;
use super::imap::Imap;
use super::maildir::Maildir;
use super::observing::Observing;
use super::outgoing::{Outbox, Program};
use super::smtp::Smtp;
use super::{Mailbox, Outgoing, Timeouts};
use crate::config::{self, MailMode, MailOutgoing, MailSource};
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
            Arc::new(Program::new(command.clone(), Copies::of(mail, sent.as_ref(), *filed_by)))
        }
        MailOutgoing::Smtp { server, filed_by } => {
            Arc::new(Smtp::new(server.clone(), Copies::of(mail, None, *filed_by)))
        }
    };
    Some(match mail.mode {
        MailMode::Act => inner,
        MailMode::Observe => Arc::new(Observing { account: mail.name.clone(), inner }),
    })
}
