//! `[mail.outgoing]`: where an account's mail is sent.

use std::path::PathBuf;

use super::error::Error;
use super::google::Google;
use super::keys::{example, within};
use super::mail_server::{MailServer, ServerKeys};
use super::reader::{Choice as _, Reader, choice, section};

section! {
    /// Where mail is sent.
    pub(super) struct OutgoingKeys {
        /// How mail is sent: maildir (a folder that something else sends from) | command (such as msmtp or sendmail) |
        /// smtp. Without it nothing can be sent. You can also write these keys under `[mail.outgoing]`.
        kind: Option<OutgoingKind> = example("maildir"),
        /// maildir: the folder. command: the command and its arguments, and a Maildir for copies of sent mail.
        path: Option<String> = example("~/Mail/outbox"),
        command: Option<Vec<String>> = example("msmtp, --account=work"),
        sent: Option<String> = example("~/Mail/work/.Sent"),
        server (""): ServerKeys = within(),
        /// smtp and command: who puts sent mail into Sent: auto (the server, if it does so within a moment, otherwise
        /// sayso; a Maildir gets a copy) | server (sayso makes no copy) | sayso
        filed_by: Option<FiledBy> = example("auto"),
    }
}

choice! {
    pub(super) enum OutgoingKind {
        Maildir = "maildir",
        Command = "command",
        Smtp = "smtp",
    }
}

/// Where an account's mail is sent.
#[derive(Clone, Debug, PartialEq)]
pub enum MailOutgoing {
    /// An outbox folder, a Maildir that another program sends from.
    Maildir {
        /// The folder.
        path: PathBuf,
    },
    /// A program that takes the mail on its standard input, such as msmtp or sendmail.
    Command {
        /// The words of the command; recipients are added after `--`.
        command: Vec<String>,
        /// A Maildir for copies of sent mail; the account's own Sent if not set.
        sent: Option<PathBuf>,
        /// Who puts the copy there.
        filed_by: FiledBy,
    },
    /// An SMTP server. A copy of sent mail is kept in the account's Sent folder.
    Smtp {
        server: MailServer,
        /// Who puts the copy there.
        filed_by: FiledBy,
    },
}

choice! {
    /// Who puts a copy of sent mail into Sent.
    #[derive(Default)]
    pub enum FiledBy {
        /// The server, if it does so within a moment; else sayso.
        #[default]
        Auto = "auto",
        /// The server, always.
        Server = "server",
        /// sayso, at once.
        Sayso = "sayso",
    }
}

impl OutgoingKeys {
    /// Where mail is sent; `None` if nothing is written. The login is that of `imap`, unless one is written.
    pub(super) fn resolve(
        self,
        reader: &Reader<'_>,
        address: &str,
        imap: Option<&MailServer>,
        google: impl FnOnce() -> Result<Google, Error>,
    ) -> Result<Option<MailOutgoing>, Error> {
        let server_key = ServerKeys::first_written(reader);
        let refuse = |keys: &[&str], kind: &str| match keys.iter().find(|key| reader.has(key)) {
            Some(key) => {
                Err(reader.bad(key, format!("means nothing for outgoing.kind {kind:?}; leave it out")))
            }
            None => Ok(()),
        };
        let Some(kind) = self.kind else {
            if server_key.is_some() || ["path", "command", "sent"].into_iter().any(|key| reader.has(key)) {
                return Err(reader.missing("kind", "write maildir, command or smtp"));
            }
            return Ok(None);
        };
        let server_key = server_key.as_slice();
        match kind {
            OutgoingKind::Maildir => {
                refuse(&["filed_by"], kind.word())?;
                refuse(server_key, "maildir or command")?;
            }
            OutgoingKind::Command => refuse(server_key, "maildir or command")?,
            OutgoingKind::Smtp => refuse(&["path", "command", "sent"], kind.word())?,
        }
        Ok(Some(match kind {
            OutgoingKind::Maildir => {
                refuse(&["command", "sent"], kind.word())?;
                let hint = "write the folder that mail to be sent goes to";
                let path = self.path.ok_or_else(|| reader.missing("path", hint))?;
                MailOutgoing::Maildir { path: reader.path(&path) }
            }
            OutgoingKind::Command => {
                refuse(&["path"], kind.word())?;
                let words = self.command.filter(|words| words.iter().any(|word| !word.is_empty()));
                let words = words.ok_or_else(|| reader.missing("command", "write it such as [\"msmtp\"]"))?;
                let sent = self.sent.map(|path| reader.path(&path));
                MailOutgoing::Command {
                    command: reader.command(words),
                    sent,
                    filed_by: self.filed_by.unwrap_or_default(),
                }
            }
            OutgoingKind::Smtp => MailOutgoing::Smtp {
                server: self.server.resolve(reader, (465, 587), address, imap, google)?,
                filed_by: self.filed_by.unwrap_or_default(),
            },
        }))
    }
}
