//! `[[mail]]`: the mail accounts.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

use super::document::Section;
use super::error::{Error, quoted};
use super::google::GoogleApp;
use super::mail_server::{MailServer, ServerKeys};
use super::models::Model;
use super::outgoing::{MailOutgoing, OutgoingSection};
use super::user::User;
use super::values::{Address, section};

/// Longer than any name that is easy to type.
const LONGEST_NAME: usize = 40;

section! {
    pub(super) struct MailSection {
        name: Option<String>,
        kind: MailKind,
        path: Option<String>,
        folders: Vec<String>,
        drafts: Option<String>,
        sent: Option<String>,
        #[serde(rename = "")]
        server: ServerKeys,
        address: Option<Address>,
        #[serde(deserialize_with = "Address::many")]
        aliases: Vec<String>,
        model: Option<String>,
        mode: MailMode,
        handled: Handled,
        outgoing: Option<OutgoingSection>,
    }
}

section! {
    /// What is done in the mailbox with mail that was decided on, and with mail that was ignored.
    struct Handled {
        done: AfterHandling = AfterHandling::Seen,
        ignored: AfterHandling,
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase", expecting = "a string")]
enum MailKind {
    #[default]
    Maildir,
    Imap,
}

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

/// Where an account's mail is read.
#[derive(Clone, Debug, PartialEq)]
pub enum MailSource {
    Maildir {
        /// The folder that has `cur`, `new` and `tmp`.
        path: PathBuf,
        /// More Maildirs to read, each a path or a name under `path` (`.Work`, `Work`), or beside it if `sent` lies there.
        folders: Vec<String>,
        /// The Maildir for drafts; if not set, `Drafts` beside `sent` if that lies beside `path`, or else `.Drafts` under
        /// `path`.
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

/// Whether anything may be sent or marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase", expecting = "a string")]
pub enum MailMode {
    /// Approved actions are carried out.
    #[default]
    Act,
    /// Nothing is sent or marked; cards say what would happen.
    Observe,
}

/// What happens in the mailbox to mail that was handled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
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

impl MailSection {
    pub(super) fn resolve(
        self,
        section: &Section<'_>,
        user: &User,
        google: &GoogleApp<'_>,
        models: &BTreeMap<String, Model>,
    ) -> Result<Mail, Error> {
        if let Some(name) = self.model.as_ref().filter(|name| !models.contains_key(*name)) {
            return Err(section.no_model("model", name, models.keys()));
        }
        let name = self.name.ok_or_else(|| section.missing("name", "write what to call the account"))?;
        if !is_account_name(&name) || name.chars().count() > LONGEST_NAME {
            let why = format!("must be one short word, such as home, not {:?}", quoted(&name));
            return Err(section.bad("name", why));
        }
        let user_address = (!user.address.is_empty()).then(|| user.address.clone());
        let address = self.address.map(|address| address.0).or(user_address).ok_or_else(|| {
            section.missing("address", "write the address mail is sent from, here or in [user]")
        })?;
        let login = || google.login(&name);
        let source = match self.kind {
            MailKind::Imap => {
                section.refuse("imap", &["path"])?;
                MailSource::Imap {
                    server: self.server.resolve(section, (993, 143), &address, None, login)?,
                    folders: self.folders,
                    drafts: self.drafts,
                    sent: self.sent,
                }
            }
            MailKind::Maildir => {
                section.refuse("maildir", ServerKeys::KEYS)?;
                let hint = "write the folder that has cur, new and tmp";
                let path = self.path.ok_or_else(|| section.missing("path", hint))?;
                MailSource::Maildir {
                    path: section.path(&path),
                    folders: self.folders.into_iter().map(|folder| folder_or_path(section, folder)).collect(),
                    drafts: self.drafts.map(|path| section.path(&path)),
                    sent: self.sent.map(|path| section.path(&path)),
                }
            }
        };
        let imap = match &source {
            MailSource::Imap { server, .. } => Some(server),
            MailSource::Maildir { .. } => None,
        };
        let outgoing = self.outgoing;
        let outgoing = outgoing.map(|keys| keys.resolve(&section.key("outgoing"), &address, imap, login));
        let outgoing = outgoing.transpose()?;
        Ok(Mail {
            source,
            address,
            aliases: self.aliases,
            model: self.model,
            mode: self.mode,
            handled_done: self.handled.done,
            handled_ignored: self.handled.ignored,
            outgoing,
            name,
        })
    }
}

/// Whether an account may have this name.
pub(super) fn is_account_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '@' | '+');
    !name.is_empty() && name.chars().all(is_plain)
}

/// Expands a path in the home folder; a name under the mailbox stays as it is.
fn folder_or_path(section: &Section<'_>, folder: String) -> String {
    if folder == "~" || folder.starts_with("~/") {
        return section.path(&folder).to_string_lossy().into_owned();
    }
    folder
}

impl TryFrom<String> for AfterHandling {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let named = |rest: &str| (!rest.trim().is_empty()).then(|| rest.trim().to_owned());
        let action = match (text.as_str(), text.split_once(':')) {
            ("none", _) => Some(Self::None),
            ("seen", _) => Some(Self::Seen),
            (_, Some(("label", label))) => named(label).map(Self::Label),
            (_, Some(("folder", folder))) => named(folder).map(Self::Folder),
            _ => None,
        };
        let why = || format!("cannot be {:?}; choose seen, label:NAME, folder:NAME or none", quoted(&text));
        action.ok_or_else(why)
    }
}
