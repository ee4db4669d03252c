//! The interfaces for reading and sending mail.

use super::BoxFuture;
use crate::config::{AfterHandling, MailMode};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The position up to which a source was read; only the source that made it can read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor(pub String);

impl Cursor {
    pub(super) fn of(position: &impl Serialize) -> Self {
        // Numbers, names and times always serialize.
        Self(serde_json::to_string(position).unwrap_or_default())
    }

    pub(super) fn position<T: DeserializeOwned>(&self) -> Result<T, MailError> {
        serde_json::from_str(&self.0).map_err(|_| {
            MailError::Permanent(
                "where this mailbox was left off cannot be read: the account was of another kind; give it a new name"
                    .to_owned(),
            )
        })
    }
}

/// A mail found in a mailbox.
#[derive(Clone, Debug)]
pub struct FetchedMail {
    /// Where the mailbox keeps it; stays valid when another client moves or flags it, as far as the mailbox allows.
    pub place: String,
    /// Empty if the mailbox has the mail but does not give it.
    pub raw: Vec<u8>,
    /// When the mailbox received it.
    pub arrived: jiff::Timestamp,
    /// Whether somebody has already seen it.
    pub seen: bool,
    /// Whether somebody has already answered it.
    pub answered: bool,
}

/// The result of a fetch.
#[derive(Clone, Debug, Default)]
pub struct Fetched {
    /// Oldest first.
    pub mails: Vec<FetchedMail>,
    /// Where to continue; store it only after the mails are stored.
    pub cursor: Option<Cursor>,
    /// How many more mails there are beyond the limit.
    pub remaining: u64,
    /// What of the mailbox is missing, in a sentence; the rest was read.
    pub missing: Option<String>,
}

/// The current state of a mail in its mailbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailPresence {
    There {
        seen: bool,
        answered: bool,
    },
    /// No longer there: deleted, or moved to a folder we do not read.
    Gone,
    /// We cannot tell: we do not read its folder, or that is gone.
    Unknown,
}

/// What was done with a mail, to tell the mailbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handled {
    Answered,
    /// A decision was made.
    Done,
    /// The model or a rule ignored it.
    Ignored,
}

/// Where a user puts a mail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Destination {
    Archive,
    Trash,
    Spam,
    /// A folder, by its name.
    Folder(String),
}

impl Destination {
    /// What such a folder is usually called; if it is missing, it is created under the first name.
    pub(super) fn usual_names(&self) -> &'static [&'static str] {
        match self {
            Self::Archive => &["Archive", "Archives", "All Mail"],
            Self::Trash => &["Trash", "Deleted", "Deleted Items", "Deleted Messages", "Bin"],
            Self::Spam => &["Junk", "Spam", "Junk E-mail"],
            Self::Folder(_) => &[],
        }
    }
}

/// Why a mail cannot be put away or back.
pub(super) const NOT_THERE: &str = "the mail is no longer where it was; look for it in your mail program";

/// How to undo putting a mail away; only the mailbox that made it can read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoToken(pub String);

impl UndoToken {
    pub(super) fn of(record: &impl Serialize) -> Result<Self, String> {
        serde_json::to_string(record).map(Self).map_err(|error| error.to_string())
    }

    pub(super) fn record<T: DeserializeOwned>(&self) -> Result<T, String> {
        serde_json::from_str(&self.0).map_err(|_| "where this mail went cannot be read".to_owned())
    }
}

/// Why a mailbox operation failed, in a sentence for users.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// Trying again may help.
    #[error("{0}")]
    Temporary(String),
    /// It keeps failing until somebody fixes it.
    #[error("{0}")]
    Permanent(String),
    /// The user has to log in again; the sentence says how.
    #[error("{0}")]
    Login(String),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    /// Without angle brackets.
    pub message_id: String,
    /// Where the sent mail is, if known.
    pub place: Option<String>,
    /// Recipients the server refused, each with its reason.
    #[serde(default)]
    pub refused: Vec<(String, String)>,
}

/// Why a mail was not sent. The variant decides whether we may try again.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// It was certainly not sent, and trying again may help.
    #[error("{0}")]
    NotSent(String),
    /// It was certainly not sent, and trying again would not help.
    #[error("{0}")]
    Refused(String),
    /// It may have been sent.
    #[error("{0}")]
    Unknown(String),
}

/// The result of looking for a sent mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SentLookup {
    Sent(Sent),
    NotSent,
    /// We cannot tell; the text says why.
    Unknown(String),
}

/// The people the user knows according to a mailbox, by bare address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct People {
    /// People the user wrote to.
    pub wrote_to: Vec<String>,
    /// People who wrote to the user.
    pub heard_from: Vec<String>,
}

pub trait Mailbox: Send + Sync {
    /// At most `limit` mails that came after `since`; all mails if it is `None`. It may be called while the last mails
    /// are still being stored and other methods are running, and it may be dropped.
    fn fetch<'a>(
        &'a self,
        since: Option<&'a Cursor>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Fetched, MailError>>;
    /// A cursor that skips mail that came before `from`, for the first fetch; `None` if the mailbox cannot tell without
    /// fetching.
    fn start(&self, _from: jiff::Timestamp) -> BoxFuture<'_, Result<Option<Cursor>, MailError>> {
        Box::pin(async { Ok(None) })
    }
    /// When the oldest of the newest `count` mails came, to limit the first fetch; `None` if there is no mail or the
    /// mailbox cannot tell quickly.
    fn newest(&self, count: usize) -> BoxFuture<'_, Result<Option<jiff::Timestamp>, MailError>> {
        let _ = count;
        Box::pin(async { Ok(None) })
    }
    /// The people the user knows, judging by sent mail and by mail that came before `until`, as far as it can be read
    /// quickly. Empty if the mailbox cannot tell.
    fn people(&self, until: jiff::Timestamp) -> BoxFuture<'_, Result<People, MailError>> {
        let _ = until;
        Box::pin(async { Ok(People::default()) })
    }
    /// The current state of mails, in the order asked.
    fn presence<'a>(&'a self, places: &'a [String]) -> BoxFuture<'a, Result<Vec<MailPresence>, MailError>>;
    /// Tells the mailbox what was done with a mail, as configured. A missing mail is no error.
    fn mark<'a>(&'a self, place: &'a str, handled: Handled) -> BoxFuture<'a, Result<(), MailError>>;
    /// The folders or labels a user can move mail to, by name; empty if the mailbox cannot tell.
    fn folders(&self) -> BoxFuture<'_, Result<Vec<String>, MailError>> {
        Box::pin(async { Ok(Vec::new()) })
    }
    /// Puts a mail away for the user. Repeating it changes nothing more.
    fn put_away<'a>(
        &'a self,
        _place: &'a str,
        _to: &'a Destination,
    ) -> BoxFuture<'a, Result<UndoToken, MailError>> {
        Box::pin(async { Err(MailError::Permanent("this mailbox cannot put mail away".to_owned())) })
    }
    /// Puts a mail back, as long as the mailbox still has it.
    fn put_back<'a>(&'a self, _undo: &'a UndoToken) -> BoxFuture<'a, Result<(), MailError>> {
        Box::pin(async { Err(MailError::Permanent("this mailbox cannot put mail back".to_owned())) })
    }
    /// Saves a mail as a draft. The same Message-ID is saved once.
    fn save_draft<'a>(&'a self, raw: &'a [u8]) -> BoxFuture<'a, Result<(), MailError>>;
    /// For each Message-ID, whether the user's own answer to that mail is in the sent mail.
    fn answered_elsewhere<'a>(
        &'a self,
        message_ids: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<bool>, MailError>>;
    /// Whether the mail with this Message-ID is in the sent mail: only then did the user certainly write it.
    fn is_sent<'a>(&'a self, message_id: &'a str) -> BoxFuture<'a, Result<bool, MailError>>;
    /// Returns when something may have changed, or never if the mailbox cannot tell. May be dropped.
    fn changed(&self) -> BoxFuture<'_, ()>;
    /// Checks that it can be reached and matches the config. Returns a sentence either way.
    fn check(&self) -> BoxFuture<'_, Result<String, MailError>>;
}

/// Sends mail. The bytes are a complete RFC 5322 mail; recipients in its `Bcc` field are not shown in the sent mail.
pub trait Outgoing: Send + Sync {
    fn send<'a>(&'a self, raw: &'a [u8]) -> BoxFuture<'a, Result<Sent, SendError>>;
    /// Checks whether a mail with the Message-ID of `raw` was sent.
    fn find<'a>(&'a self, raw: &'a [u8]) -> BoxFuture<'a, SentLookup>;
    /// Checks that it can be used. Returns a sentence either way.
    fn check(&self) -> BoxFuture<'_, Result<String, MailError>>;
}

/// A mail account: its owner, how it is read, and how it sends.
#[derive(Clone)]
pub struct Account {
    /// Its name in the config.
    pub name: String,
    /// The sender address, unless a mail came to another of the user's addresses.
    pub address: String,
    /// All addresses of the user, including the one above.
    pub addresses: Vec<String>,
    /// The only model that may read its mail, by its name in the config.
    pub model: Option<String>,
    /// Whether we may send or mark anything.
    pub mode: MailMode,
    /// What the mailbox does with mail that was decided on.
    pub handled_done: AfterHandling,
    /// What the mailbox does with mail that the model or a rule ignored.
    pub handled_ignored: AfterHandling,
    pub mailbox: Arc<dyn Mailbox>,
    /// `None` if the config has no outgoing mail.
    pub outgoing: Option<Arc<dyn Outgoing>>,
}
