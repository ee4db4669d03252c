//! `[[mail]]`: the mail accounts.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::error::{Error, quoted};
use super::google::GoogleApp;
use super::keys::{default, example, within};
use super::mail_server::{MailServer, ServerKeys};
use super::models::Model;
use super::outgoing::{MailOutgoing, OutgoingKeys};
use super::reader::{Choice as _, FromSection as _, Reader, choice, section};
use super::secret::Secret;
use super::user::{User, check_addresses};

/// Longer than any name that is easy to type.
const LONGEST_NAME: usize = 40;

section! {
    /// Your mail, one `[[mail]]` per account. Every key is listed here; complete examples follow below.
    pub(super) struct MailSection in array("mail", SAMPLES) {
        /// A short name for the account, and where its mail is read: maildir | imap
        name: Option<String> = example("home"),
        kind: MailKind = default("maildir"),
        /// maildir: the folder that has cur, new and tmp.
        path: Option<String> = example("~/Mail/inbox"),
        /// maildir: more Maildirs to read, by path or by name under `path`. imap: the folders to read; INBOX if you
        /// name none.
        folders: Vec<String> = default(""),
        /// Where drafts and sent mail are kept; unless you set them, .Drafts and .Sent under path, or the folders the
        /// server names.
        drafts: Option<String> = example("~/Mail/drafts"),
        sent: Option<String> = example("~/Mail/sent"),
        server (""): ServerKeys = within(),
        /// Your address on this account, if it is not the one in `[user]`, and any others that reach you here.
        address: Option<String> = example("ada@example.org"),
        aliases: Vec<String> = default(""),
        /// The only model that may read this account's mail: builtin, or one of `[models.NAME]`. `--model` does not
        /// change it.
        model: Option<String> = example("cheap"),
        /// act | observe (nothing is sent or marked; cards say what would happen)
        mode: MailMode = default("act"),
        handled: HandledKeys = within(),
        outgoing: OutgoingKeys = within(),
    }
}

section! {
    /// What is done with mail in the mailbox.
    pub(super) struct HandledKeys {
        /// What to do in the mailbox with mail after a reply or a decision, and with mail that was ignored for you:
        /// seen | label:NAME | folder:NAME | none
        done: String = default("seen"),
        ignored: String = default("none"),
    }
}

choice! {
    pub(super) enum MailKind {
        Maildir = "maildir",
        Imap = "imap",
    }
}

const SAMPLES: &str = r#"
# An account on a server. What is sent is also put into Sent, unless the server does that.
[[mail]]
name = "club"
kind = "imap"
host = "imap.example.org"
password_command = "pass show mail/club"
address = "ada@club.example"
[mail.outgoing]
kind = "smtp"
host = "smtp.example.org"
tls = "starttls"

# An account whose mail is sent by a command.
[[mail]]
name = "work"
path = "~/Mail/work"
address = "ada@work.example"
[mail.outgoing]
kind = "command"
command = ["msmtp", "--account=work"]
sent = "~/Mail/work/.Sent"

# An account with a token instead of a password.
[[mail]]
name = "lab"
kind = "imap"
host = "imap.lab.example"
token_command = "oama access ada@lab.example"
address = "ada@lab.example"
outgoing = { kind = "smtp", host = "smtp.lab.example", token_command = "oama access ada@lab.example" }

# Gmail, after `sayso auth google`; an app password in password_command is easier.
[[mail]]
name = "ada"
kind = "imap"
host = "imap.gmail.com"
login = "google"
address = "ada@gmail.com"
outgoing = { kind = "smtp", host = "smtp.gmail.com" }
"#;

/// One account, from `[[mail]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Mail {
    pub name: String,
    /// Where its mail is read.
    pub source: MailSource,
    /// The address mail is sent from.
    pub address: String,
    /// Other addresses that reach the user here.
    pub aliases: Vec<String>,
    /// The only model that may read its mail, by its name in the config.
    pub model: Option<String>,
    /// Whether anything may be sent or marked.
    pub mode: MailMode,
    /// What happens in the mailbox to mail that was decided on.
    pub handled_done: AfterHandling,
    /// What happens in the mailbox to mail that the model or a rule ignored.
    pub handled_ignored: AfterHandling,
    /// Where mail is sent; `None` without `[mail.outgoing]`.
    pub outgoing: Option<MailOutgoing>,
}

impl Mail {
    /// The secrets it takes to read and to send its mail.
    pub(super) fn secrets(&self) -> impl Iterator<Item = &Secret> {
        let source = match &self.source {
            MailSource::Imap { server, .. } => server.login.secret(),
            MailSource::Maildir { .. } => None,
        };
        let outgoing = match &self.outgoing {
            Some(MailOutgoing::Smtp { server, .. }) => server.login.secret(),
            Some(MailOutgoing::Maildir { .. } | MailOutgoing::Command { .. }) | None => None,
        };
        source.into_iter().chain(outgoing)
    }
}

/// Where an account's mail is read.
#[derive(Clone, Debug, PartialEq)]
pub enum MailSource {
    Maildir {
        /// The folder that has `cur`, `new` and `tmp`.
        path: PathBuf,
        /// More Maildirs to read, each a path or a name under `path` (`.Work`, `Work`).
        folders: Vec<String>,
        /// The Maildir for drafts; `.Drafts` under `path` if not set.
        drafts: Option<PathBuf>,
        /// Where sent mail is, to find what was answered elsewhere; `.Sent` under `path` if not set.
        sent: Option<PathBuf>,
    },
    /// An IMAP server.
    Imap {
        server: MailServer,
        /// The folders to read; the first few are also listened to.
        folders: Vec<String>,
        /// The folder for drafts; the one the server names if not set.
        drafts: Option<String>,
        /// The folder with sent mail; the one the server names if not set.
        sent: Option<String>,
    },
}

choice! {
    /// Whether anything may be sent or marked.
    #[derive(Default)]
    pub enum MailMode {
        /// Approved actions are carried out.
        #[default]
        Act = "act",
        /// Nothing is sent or marked; cards say what would happen.
        Observe = "observe",
    }
}

/// What happens in the mailbox to mail that was handled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AfterHandling {
    /// Nothing.
    #[default]
    None,
    /// It is marked as seen.
    Seen,
    /// It gets a label (a keyword, if the mailbox has those).
    Label(String),
    /// It is moved to a folder.
    Folder(String),
}

impl Mail {
    /// Reads all accounts and checks that no two have the same name.
    pub(super) fn read_all<'a>(
        readers: impl Iterator<Item = Reader<'a>>,
        user: &User,
        google: &GoogleApp<'_>,
        models: &BTreeMap<String, Model>,
    ) -> Result<Vec<Self>, Error> {
        let mut accounts: Vec<Self> = Vec::new();
        for reader in readers {
            let account = Self::read(&reader, user, google, models)?;
            if accounts.iter().any(|other| other.name == account.name) {
                let why = format!("is taken already; give this account a name other than {:?}", account.name);
                return Err(reader.bad("name", why));
            }
            accounts.push(account);
        }
        Ok(accounts)
    }

    fn read(
        reader: &Reader<'_>,
        user: &User,
        google: &GoogleApp<'_>,
        models: &BTreeMap<String, Model>,
    ) -> Result<Self, Error> {
        let mail = MailSection::read(reader)?;
        if let Some(name) = mail.model.as_ref().filter(|name| !models.contains_key(*name)) {
            let names: Vec<&str> = models.keys().map(String::as_str).collect();
            let why = format!("names no model {:?}; there are {}", quoted(name), names.join(", "));
            return Err(reader.bad("model", why));
        }
        let name = mail.name.ok_or_else(|| reader.missing("name", "write what to call the account"))?;
        if !is_account_name(&name) || name.chars().count() > LONGEST_NAME {
            let why = format!("must be one short word, such as home, not {:?}", quoted(&name));
            return Err(reader.bad("name", why));
        }
        let user_address = (!user.address.is_empty()).then(|| user.address.clone());
        let address = mail.address.or(user_address).ok_or_else(|| {
            reader.missing("address", "write the address mail is sent from, here or in [user]")
        })?;
        check_addresses(reader, "address", [&address])?;
        check_addresses(reader, "aliases", &mail.aliases)?;
        refuse_keys_of_other_kinds(reader, mail.kind)?;
        let login = || google.login(&name);
        let source = match mail.kind {
            MailKind::Imap => MailSource::Imap {
                server: mail.server.resolve(reader, (993, 143), &address, None, login)?,
                folders: mail.folders,
                drafts: mail.drafts,
                sent: mail.sent,
            },
            MailKind::Maildir => {
                let hint = "write the folder that has cur, new and tmp";
                let path = mail.path.ok_or_else(|| reader.missing("path", hint))?;
                MailSource::Maildir {
                    path: reader.path(&path),
                    folders: mail.folders.into_iter().map(|folder| folder_or_path(reader, folder)).collect(),
                    drafts: mail.drafts.map(|path| reader.path(&path)),
                    sent: mail.sent.map(|path| reader.path(&path)),
                }
            }
        };
        let imap = match &source {
            MailSource::Imap { server, .. } => Some(server),
            MailSource::Maildir { .. } => None,
        };
        let outgoing = mail.outgoing.resolve(&reader.within("outgoing"), &address, imap, login)?;
        let handled = reader.within("handled");
        Ok(Self {
            source,
            address,
            aliases: mail.aliases,
            model: mail.model,
            mode: mail.mode,
            handled_done: AfterHandling::read(&handled, "done", &mail.handled.done)?,
            handled_ignored: AfterHandling::read(&handled, "ignored", &mail.handled.ignored)?,
            outgoing,
            name,
        })
    }
}

/// Refuses keys that belong to another kind of account: they were written by mistake.
fn refuse_keys_of_other_kinds(reader: &Reader<'_>, kind: MailKind) -> Result<(), Error> {
    let (key, advice) = match kind {
        MailKind::Imap => (reader.has("path").then_some("path"), ""),
        MailKind::Maildir => (ServerKeys::first_written(reader), ", or write kind = \"imap\""),
    };
    match key {
        Some(key) => {
            let why = format!("means nothing for kind {:?}; leave it out{advice}", kind.word());
            Err(reader.bad(key, why))
        }
        None => Ok(()),
    }
}

/// Whether an account may have this name.
pub(super) fn is_account_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '@' | '+');
    !name.is_empty() && name.chars().all(is_plain)
}

/// Expands a path in the home folder; a name under the mailbox stays as it is.
fn folder_or_path(reader: &Reader<'_>, folder: String) -> String {
    if folder == "~" || folder.starts_with("~/") {
        return reader.path(&folder).to_string_lossy().into_owned();
    }
    folder
}

impl AfterHandling {
    fn read(reader: &Reader<'_>, key: &str, text: &str) -> Result<Self, Error> {
        let named = |rest: &str| (!rest.trim().is_empty()).then(|| rest.trim().to_owned());
        let action = match (text, text.split_once(':')) {
            ("none", _) => Some(Self::None),
            ("seen", _) => Some(Self::Seen),
            (_, Some(("label", label))) => named(label).map(Self::Label),
            (_, Some(("folder", folder))) => named(folder).map(Self::Folder),
            _ => None,
        };
        action.ok_or_else(|| {
            let why = format!("cannot be {:?}; choose seen, label:NAME, folder:NAME or none", quoted(text));
            reader.bad(key, why)
        })
    }
}
