//! Gmail through its own API, for users without an app password.
//!
//! Promises: mails are identified by Gmail's ids, which stay the same when labels change. New mail is read from Gmail's
//! history; if that is gone, we list everything again instead of losing mail, since duplicates are recognised
//! elsewhere. Fetching marks nothing as read. Every reply is bounded before it is kept. Calls may be dropped at any
//! time.
//!
//! | in Gmail | here |
//! | --- | --- |
//! | UNREAD | not seen |
//! | TRASH, SPAM, or none of the labels we read | gone |
//! | DRAFT | not fetched |
//! | a mail over 64 MiB | its first 64 MiB and more, which the parser refuses as too large |
//! | the user's answer | a mail in SENT that names the mail in In-Reply-To or References |
//!
//! An invalid reply about one mail does not hold up others: the mail is remembered, reported, and asked for again.
//!
//! We fetch mails one by one, a few in parallel, and not with Gmail's batches: over one connection that is about as
//! fast, costs the same, and each reply has its own limit and its own failure.
//!
//! Gmail gives mail sent through this API its own Message-ID, so each mail carries ours in a second field, by which we
//! find it again. Not here: parsing mail, and Gmail over IMAP (`imap`).

mod away;
mod cursor;
mod fetch;
mod find;
mod labels;
mod people;
mod send;
mod wire;

pub use send::GmailOutgoing;

use super::{
    BoxFuture, Cursor, Destination, Fetched, Handled, MailError, MailPresence, Mailbox, People, SendError,
    UndoToken,
};
use crate::config::{self, AfterHandling, Google};
use crate::web::WebTimeouts;
use crate::web::google::{Api, CallError, Repeat};
use jiff::Timestamp;
use reqwest::Method;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use wire::{Message, Profile};

/// How many requests run at once.
const AT_ONCE: usize = 8;
/// The longest Message-ID we search for.
const LONGEST_ID: usize = 900;
/// How many mails we cache the state of.
const MAX_CACHED: usize = 10_000;

/// A mailbox at Gmail.
#[derive(Clone)]
pub struct Gmail(Arc<Inner>);

struct Inner {
    api: Api,
    read_labels: Vec<String>,
    done: AfterHandling,
    ignored: AfterHandling,
    labels: labels::Labels,
    /// The ids of an unfinished listing, oldest first, with the history id it began at.
    listing: Mutex<Option<(u64, Arc<Vec<String>>)>>,
    cache: Mutex<StateCache>,
}

/// Results cached while the mailbox is at one point of its history.
#[derive(Default)]
struct StateCache {
    history: u64,
    presence: HashMap<String, MailPresence>,
    unanswered: HashMap<String, ()>,
}

impl Gmail {
    /// The mailbox of a login. Does not connect yet.
    pub fn open(mail: &config::Mail, google: &Google, labels: &[String]) -> Result<Self, MailError> {
        Self::with_timeouts(mail, google, labels, WebTimeouts::default())
    }

    /// The same with other timeouts.
    pub fn with_timeouts(
        mail: &config::Mail,
        google: &Google,
        labels: &[String],
        wait: WebTimeouts,
    ) -> Result<Self, MailError> {
        let api = Api::new(google, &google.gmail_url, wait).map_err(MailError::Permanent)?;
        let mut read_labels: Vec<String> = Vec::new();
        for label in labels {
            if !read_labels.contains(label) {
                read_labels.push(label.clone());
            }
        }
        if read_labels.is_empty() {
            read_labels.push("INBOX".to_owned());
        }
        Ok(Self(Arc::new(Inner {
            labels: labels::Labels::new(api.clone()),
            api,
            read_labels,
            done: mail.handled_done.clone(),
            ignored: mail.handled_ignored.clone(),
            listing: Mutex::default(),
            cache: Mutex::default(),
        })))
    }
}

/// The logged-in user, and the current history id.
async fn profile(api: &Api) -> Result<Profile, CallError> {
    api.json(api.request(Method::GET, &wire::me(&["profile"]), &[]), Repeat::Freely).await
}

impl From<CallError> for MailError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Temporary(text) | CallError::UnexpectedReply(text) | CallError::Unknown(text) => {
                Self::Temporary(text)
            }
            CallError::Login(text) => Self::Login(text),
            CallError::Refused { text, .. } | CallError::Permanent(text) => Self::Permanent(text),
        }
    }
}

impl From<CallError> for SendError {
    fn from(error: CallError) -> Self {
        match error {
            // After the user logs in again, the same mail can be sent.
            CallError::Temporary(text) | CallError::UnexpectedReply(text) | CallError::Login(text) => {
                Self::NotSent(text)
            }
            CallError::Unknown(text) => Self::Unknown(text),
            CallError::Refused { text, .. } | CallError::Permanent(text) => Self::Refused(text),
        }
    }
}

impl Inner {
    fn cache(&self) -> std::sync::MutexGuard<'_, StateCache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state of a mail according to its labels.
    fn presence_by_labels(&self, message: &Message, label_ids: &[String]) -> MailPresence {
        if message.has("TRASH") || message.has("SPAM") || !label_ids.iter().any(|label| message.has(label)) {
            return MailPresence::Gone;
        }
        MailPresence::There { seen: !message.has("UNREAD"), answered: false }
    }

    async fn presence(&self, places: &[String]) -> Result<Vec<MailPresence>, MailError> {
        use futures_util::stream::{self, StreamExt, TryStreamExt};
        let label_ids = self.labels.ids(&self.read_labels).await?;
        let history = profile(&self.api).await?.history_id.0;
        {
            let mut cache = self.cache();
            // Once the history has moved on, nothing is sure to be the same.
            if cache.history != history || cache.presence.len() > MAX_CACHED {
                *cache = StateCache { history, ..StateCache::default() };
            }
        }
        let presence_of = |place: String| {
            let label_ids = &label_ids;
            async move {
                if let Some(presence) = self.cache().presence.get(&place).copied() {
                    return Ok(presence);
                }
                let presence = match wire::is_id(&place) {
                    false => MailPresence::Gone,
                    true => match find::minimal(&self.api, &place).await? {
                        Some(message) => self.presence_by_labels(&message, label_ids),
                        None => MailPresence::Gone,
                    },
                };
                let mut cache = self.cache();
                if cache.history == history {
                    cache.presence.insert(place, presence);
                }
                Ok::<_, MailError>(presence)
            }
        };
        stream::iter(places.to_vec()).map(presence_of).buffered(AT_ONCE).try_collect().await
    }

    async fn answered(&self, message_id: &str) -> Result<bool, MailError> {
        let history = {
            let cache = self.cache();
            if cache.unanswered.contains_key(message_id) {
                return Ok(false);
            }
            cache.history
        };
        let answered = find::is_answered(&self.api, message_id).await?;
        let mut cache = self.cache();
        if !answered && history > 0 && cache.history == history && cache.unanswered.len() < MAX_CACHED {
            cache.unanswered.insert(message_id.to_owned(), ());
        }
        Ok(answered)
    }

    async fn check(&self) -> Result<String, MailError> {
        let profile = profile(&self.api).await?;
        self.labels.ids(&self.read_labels).await?;
        let user = crate::web::safe_excerpt(&profile.email_address);
        let labels: Vec<String> =
            self.read_labels.iter().map(|label| crate::web::safe_excerpt(label)).collect();
        Ok(format!("{} is read as {user} at {}", labels.join(", "), self.api.place()))
    }
}

impl Mailbox for Gmail {
    fn fetch<'a>(
        &'a self,
        since: Option<&'a Cursor>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Fetched, MailError>> {
        Box::pin(self.0.fetch(since, limit))
    }

    fn start(&self, from: Timestamp) -> BoxFuture<'_, Result<Option<Cursor>, MailError>> {
        Box::pin(async move { Ok(Some(Cursor::of(&self.0.begin(Some(from)).await?))) })
    }

    fn newest(&self, count: usize) -> BoxFuture<'_, Result<Option<Timestamp>, MailError>> {
        Box::pin(self.0.newest(count))
    }

    fn people(&self, until: Timestamp) -> BoxFuture<'_, Result<People, MailError>> {
        Box::pin(self.0.people(until))
    }

    fn presence<'a>(&'a self, places: &'a [String]) -> BoxFuture<'a, Result<Vec<MailPresence>, MailError>> {
        Box::pin(self.0.presence(places))
    }

    fn mark<'a>(&'a self, place: &'a str, handled: Handled) -> BoxFuture<'a, Result<(), MailError>> {
        let inner = &self.0;
        Box::pin(async move {
            let after = match handled {
                Handled::Answered | Handled::Done => &inner.done,
                Handled::Ignored => &inner.ignored,
            };
            if *after == AfterHandling::None || !wire::is_id(place) {
                return Ok(());
            }
            inner.labels.mark(place, after, handled).await
        })
    }

    fn folders(&self) -> BoxFuture<'_, Result<Vec<String>, MailError>> {
        Box::pin(self.0.labels.names())
    }

    fn put_away<'a>(
        &'a self,
        place: &'a str,
        to: &'a Destination,
    ) -> BoxFuture<'a, Result<UndoToken, MailError>> {
        Box::pin(away::put_away(&self.0.api, &self.0.labels, place, to))
    }

    fn put_back<'a>(&'a self, undo: &'a UndoToken) -> BoxFuture<'a, Result<(), MailError>> {
        Box::pin(away::put_back(&self.0.api, undo))
    }

    fn save_draft<'a>(&'a self, raw: &'a [u8]) -> BoxFuture<'a, Result<(), MailError>> {
        Box::pin(async move { Ok(send::save_draft(&self.0.api, raw).await?) })
    }

    fn answered_elsewhere<'a>(
        &'a self,
        message_ids: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<bool>, MailError>> {
        Box::pin(async move {
            let mut answered = Vec::with_capacity(message_ids.len());
            for id in message_ids {
                answered.push(self.0.answered(id).await?);
            }
            Ok(answered)
        })
    }

    fn is_sent<'a>(&'a self, message_id: &'a str) -> BoxFuture<'a, Result<bool, MailError>> {
        Box::pin(
            async move { Ok(find::by_message_id(&self.0.api, message_id, Some("SENT")).await?.is_some()) },
        )
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        // Gmail notifies only servers of changes.
        Box::pin(std::future::pending())
    }

    fn check(&self) -> BoxFuture<'_, Result<String, MailError>> {
        Box::pin(self.0.check())
    }
}
