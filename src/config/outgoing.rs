//! `[mail.outgoing]`: where an account's mail is sent.

use std::path::PathBuf;

use serde::Deserialize;
use strum::IntoStaticStr;

use super::document::Section;
use super::error::Error;
use super::google::Google;
use super::mail_server::{MailServer, ServerKeys};
use super::values::section;

section! {
    pub(super) struct OutgoingSection {
        kind: Option<OutgoingKind>,
        path: Option<String>,
        command: Vec<String>,
        sent: Option<String>,
        #[serde(rename = "")]
        server: ServerKeys,
        filed_by: FiledBy,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize, IntoStaticStr)]
#[serde(rename_all = "lowercase", expecting = "a string")]
#[strum(serialize_all = "lowercase")]
enum OutgoingKind {
    Maildir,
    Command,
    Smtp,
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

/// Who puts a copy of sent mail into Sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase", expecting = "a string")]
pub enum FiledBy {
    /// The server, if it does so within a moment; else sayso.
    #[default]
    Auto,
    /// The server, always.
    Server,
    /// sayso, at once.
    Sayso,
}

/// Whether a word makes the program read the recipients from the mail. Some then leave out those they are given.
fn reads_recipients(word: &str) -> bool {
    let letters = word.strip_prefix('-').unwrap_or_default();
    word == "--read-recipients" || (letters.contains('t') && letters.chars().all(|c| c == 't' || c == 'i'))
}

impl OutgoingSection {
    /// Where mail is sent. The login is that of `imap`, unless one is written.
    pub(super) fn resolve(
        self,
        section: &Section<'_>,
        address: &str,
        imap: Option<&MailServer>,
        google: impl FnOnce() -> Result<Google, Error>,
    ) -> Result<MailOutgoing, Error> {
        let kind = self.kind.ok_or_else(|| section.missing("kind", "write maildir, command or smtp"))?;
        let (for_server, others): (&[&str], &[&str]) = match kind {
            OutgoingKind::Maildir => (ServerKeys::KEYS, &["command", "sent", "filed_by"]),
            OutgoingKind::Command => (ServerKeys::KEYS, &["path"]),
            OutgoingKind::Smtp => (&[], &["path", "command", "sent"]),
        };
        section.refuse(kind.into(), for_server.iter().chain(others))?;
        Ok(match kind {
            OutgoingKind::Maildir => {
                let hint = "write the folder that mail to be sent goes to";
                let path = self.path.ok_or_else(|| section.missing("path", hint))?;
                MailOutgoing::Maildir { path: section.path(&path) }
            }
            OutgoingKind::Command => {
                if self.command.first().is_none_or(String::is_empty) {
                    return Err(section.missing("command", "write it such as [\"msmtp\"]"));
                }
                if let Some(word) = self.command.iter().skip(1).find(|word| reads_recipients(word)) {
                    let why = format!("has {word}; leave it out, because sayso names the recipients");
                    return Err(section.bad("command", why));
                }
                let sent = self.sent.map(|path| section.path(&path));
                MailOutgoing::Command {
                    command: section.command(self.command),
                    sent,
                    filed_by: self.filed_by,
                }
            }
            OutgoingKind::Smtp => MailOutgoing::Smtp {
                server: self.server.resolve(section, (465, 587), address, imap, google)?,
                filed_by: self.filed_by,
            },
        })
    }
}
