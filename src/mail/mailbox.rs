//! The doors mail comes and goes by.

use super::BoxFuture;
use crate::config::{AfterHandling, MailMode};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Where a source was left off; only the source that made it can read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor(pub String);

/// A mail that was found in a mailbox.
#[derive(Clone, Debug)]
pub struct NewMail {
    /// Where the mailbox keeps it; stays true when another client moves or flags it, as far as the mailbox allows.
    pub place: String,
    /// The raw bytes.
    pub raw: Vec<u8>,
    /// When the mailbox received it.
    pub arrived: jiff::Timestamp,
    /// Whether somebody has seen it already.
    pub seen: bool,
    /// Whether somebody has answered it already.
    pub answered: bool,
}

/// What a fetch brought.
#[derive(Clone, Debug, Default)]
pub struct Fetched {
    /// The mails, oldest first.
    pub mails: Vec<NewMail>,
    /// Where to go on; commit it only after the mails are stored.
    pub cursor: Option<Cursor>,
    /// How many more there are beyond the limit.
    pub left: u64,
    /// What could not be had, in a sentence; the cursor remembers it, and it is tried again.
    pub missed: Option<String>,
}

/// How a mail stands in its mailbox now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    There {
        /// Somebody has seen it.
        seen: bool,
        /// Somebody has answered it.
        answered: bool,
    },
    /// It is not there any more: deleted, or put away into a folder that is not read.
    Gone,
    /// It cannot be told: its folder is not among those that are read.
    Unknown,
}

/// What became of a mail, as the mailbox is to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handled {
    Answered,
    /// It was decided on.
    Done,
    /// The model or a rule ignored it.
    Ignored,
}

/// Where a person puts a mail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Destination {
    Archive,
    Trash,
    Spam,
    /// A folder or label, by its name.
    Folder(String),
}

/// How a mail that was put away comes back; only the mailbox that made it can read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WayBack(pub String);

/// Why a mailbox did not do as it was told; a sentence for people.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// It may go better next time.
    #[error("{0}")]
    Passing(String),
    /// It will not, until somebody mends it.
    #[error("{0}")]
    Lasting(String),
    /// The person has to log in again; the sentence says how.
    #[error("{0}")]
    Login(String),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    /// Without angle brackets.
    pub message_id: String,
    /// Where it lies now, where that is known.
    pub place: Option<String>,
    /// Recipients the server would not take, each with what it said.
    #[serde(default)]
    pub refused: Vec<(String, String)>,
}

/// Why a mail was not sent; which of the three decides whether it may be tried again.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// It surely did not leave, and trying again may help.
    #[error("{0}")]
    NotSent(String),
    /// It surely did not leave, and trying again would not help.
    #[error("{0}")]
    Refused(String),
    /// It may have left.
    #[error("{0}")]
    Unknown(String),
}

/// What looking for a sent mail found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    Sent(Sent),
    NotSent,
    /// It cannot be told.
    Unknown(String),
}

/// Whom a mailbox shows the person to know, by bare address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct People {
    /// Whom they wrote to.
    pub wrote_to: Vec<String>,
    /// Who wrote to them.
    pub heard_from: Vec<String>,
}

/// Where mail is read.
pub trait Mailbox: Send + Sync {
    /// At most `limit` mails that came after `since`; all there are where it is `None`. It is asked for the next mails
    /// while the last ones are still taken in, with calls of the other methods under way, and may be dropped.
    fn fetch<'a>(
        &'a self,
        since: Option<&'a Cursor>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Fetched, MailError>>;
    /// A cursor that leaves out what came before `from`, for the first look; `None` where the mailbox cannot tell
    /// without fetching.
    fn start(&self, _from: jiff::Timestamp) -> BoxFuture<'_, Result<Option<Cursor>, MailError>> {
        Box::pin(async { Ok(None) })
    }
    /// When the oldest of the newest `count` mails came, for a first look that goes no further back; `None` where there
    /// is no mail, or the mailbox cannot tell quickly.
    fn newest(&self, count: usize) -> BoxFuture<'_, Result<Option<jiff::Timestamp>, MailError>> {
        let _ = count;
        Box::pin(async { Ok(None) })
    }
    /// Whom the mail that came before `until`, and the sent mail, show the person to know: as much of it as is quickly
    /// read. Nobody, where the mailbox cannot tell.
    fn people(&self, until: jiff::Timestamp) -> BoxFuture<'_, Result<People, MailError>> {
        let _ = until;
        Box::pin(async { Ok(People::default()) })
    }
    /// How mails stand now, in the order asked.
    fn standing<'a>(&'a self, places: &'a [String]) -> BoxFuture<'a, Result<Vec<Standing>, MailError>>;
    /// Tells the mailbox what became of a mail, as its config says. A mail that is gone is no error.
    fn mark<'a>(&'a self, place: &'a str, handled: Handled) -> BoxFuture<'a, Result<(), MailError>>;
    /// Puts a mail away, as a person wants it. Doing it again is doing it once.
    fn put_away<'a>(
        &'a self,
        _place: &'a str,
        _to: &'a Destination,
    ) -> BoxFuture<'a, Result<WayBack, MailError>> {
        Box::pin(async { Err(MailError::Lasting("this mailbox cannot put mail away".to_owned())) })
    }
    /// Puts a mail back where it was, for as long as the mailbox keeps it.
    fn put_back<'a>(&'a self, _way: &'a WayBack) -> BoxFuture<'a, Result<(), MailError>> {
        Box::pin(async { Err(MailError::Lasting("this mailbox cannot put mail back".to_owned())) })
    }
    /// Keeps a mail among the drafts, unsent. The same Message-ID is kept once.
    fn save_draft<'a>(&'a self, raw: &'a [u8]) -> BoxFuture<'a, Result<(), MailError>>;
    /// Whether the person's own answer to the mail of this Message-ID lies among the sent mail.
    fn answered_elsewhere<'a>(&'a self, message_id: &'a str) -> BoxFuture<'a, Result<bool, MailError>>;
    /// Whether the mail of this Message-ID lies among the sent mail: only then the person surely wrote it.
    fn is_sent<'a>(&'a self, message_id: &'a str) -> BoxFuture<'a, Result<bool, MailError>>;
    /// Ends when something may have changed, or never where that cannot be told. Dropping it is fine.
    fn changed(&self) -> BoxFuture<'_, ()>;
    /// Whether it can be reached and holds what the config says, in a sentence either way.
    fn check(&self) -> BoxFuture<'_, Result<String, MailError>>;
}

/// Where mail is sent. The bytes are a whole RFC 5322 mail; a `Bcc` field in it names recipients that the mail sent
/// does not show.
pub trait Outgoing: Send + Sync {
    /// Sends exactly this mail.
    fn send<'a>(&'a self, raw: &'a [u8]) -> BoxFuture<'a, Result<Sent, SendError>>;
    /// Looks whether a mail with the Message-ID of `raw` was sent.
    fn find<'a>(&'a self, raw: &'a [u8]) -> BoxFuture<'a, Found>;
    /// Whether it can be used, in a sentence either way.
    fn check(&self) -> BoxFuture<'_, Result<String, MailError>>;
}

/// A mail account: whose it is, and its two doors.
#[derive(Clone)]
pub struct Account {
    /// What the config calls it.
    pub name: String,
    /// The address mail is sent from unless it came to another one of them.
    pub address: String,
    /// Every address that is the person's, the one above included.
    pub addresses: Vec<String>,
    /// The model that alone reads its mail, by the config's name for it.
    pub model: Option<String>,
    /// Whether anything may be sent or marked.
    pub mode: MailMode,
    /// What is done in the mailbox with mail that was decided on.
    pub handled_done: AfterHandling,
    /// What is done in the mailbox with mail that the model or a rule ignored.
    pub handled_ignored: AfterHandling,
    /// Where mail is read.
    pub mailbox: Arc<dyn Mailbox>,
    /// Where mail is sent; `None` where the config names nothing.
    pub outgoing: Option<Arc<dyn Outgoing>>,
}
