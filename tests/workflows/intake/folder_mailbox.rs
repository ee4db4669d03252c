//! A mailbox that is a folder of numbered files, so that it outlives a process; and how its mails are read.

use crate::support::file_names;
use jiff::Timestamp;
use sayso::config::{AfterHandling, MailMode};
use sayso::mail::{
    Account, BoxFuture, Cursor, Fetched, FetchedMail, Handled, MailError, MailPresence, Mailbox,
};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Files `0001`, `0002` …; beside them `0001.seen`, `0001.answered` and `0001.old`. `replies` lists Message-IDs that
/// the person answered elsewhere, `sent` those of mail they sent, one a line.
#[derive(Default)]
pub struct FolderMailbox {
    pub folder: PathBuf,
    pub fails: AtomicBool,
    /// What is missing of it.
    pub missing: Mutex<Option<String>>,
    /// Says that mail may have come.
    pub rings: tokio::sync::Notify,
    pub refuses: AtomicBool,
    /// How often it was asked where to begin.
    pub starts: AtomicUsize,
    pub fetches: AtomicUsize,
    /// The fetch that fails, by its number.
    pub broken_fetch: AtomicUsize,
    /// Whether a mail was sent cannot be found out.
    pub forgets: AtomicBool,
}

impl FolderMailbox {
    pub fn new(folder: PathBuf) -> Arc<Self> {
        std::fs::create_dir_all(&folder).unwrap();
        Arc::new(Self { folder, ..Self::default() })
    }

    /// Adds a mail, and gives its place.
    pub fn put(&self, raw: &str) -> String {
        let place = format!("{:04}", self.places().len() + 1 + self.removed());
        std::fs::write(self.folder.join(&place), raw).unwrap();
        place
    }

    /// Adds letters of these numbers at once.
    pub fn fill(&self, numbers: std::ops::RangeInclusive<usize>) {
        for n in numbers {
            let raw = letter(n, &format!("a{n}@b.example"), &format!("Letter {n}"), "");
            std::fs::write(self.folder.join(format!("{n:04}")), raw).unwrap();
        }
    }

    pub fn flag(&self, place: &str, flag: &str) {
        std::fs::write(self.folder.join(format!("{place}.{flag}")), "").unwrap();
    }

    pub fn remove(&self, place: &str) {
        std::fs::remove_file(self.folder.join(place)).unwrap();
        self.flag(place, "gone");
    }

    pub fn replied(&self, message_id: &str) {
        self.add_to_list("replies", message_id);
    }

    fn add_to_list(&self, list: &str, message_id: &str) {
        use std::io::Write;
        let file = std::fs::OpenOptions::new().create(true).append(true).open(self.folder.join(list));
        writeln!(file.unwrap(), "{message_id}").unwrap();
    }

    fn is_listed(&self, list: &str, message_id: &str) -> bool {
        let ids = std::fs::read_to_string(self.folder.join(list)).unwrap_or_default();
        ids.lines().any(|line| line == message_id)
    }

    /// Adds a Message-ID to the sent mail.
    pub fn sent(&self, message_id: &str) {
        self.add_to_list("sent", message_id);
    }

    fn has(&self, place: &str, flag: &str) -> bool {
        self.folder.join(format!("{place}.{flag}")).exists()
    }

    fn removed(&self) -> usize {
        file_names(&self.folder).iter().filter(|name| name.ends_with(".gone")).count()
    }

    fn places(&self) -> Vec<String> {
        file_names(&self.folder).into_iter().filter(|name| name.parse::<u32>().is_ok()).collect()
    }

    pub fn account(self: &Arc<Self>, name: &str) -> Account {
        Account {
            name: name.to_owned(),
            address: "ada@example.org".to_owned(),
            addresses: vec!["ada@example.org".to_owned()],
            mode: MailMode::Act,
            model: None,
            handled_done: AfterHandling::None,
            handled_ignored: AfterHandling::None,
            mailbox: self.clone(),
            outgoing: None,
        }
    }
}

impl Mailbox for FolderMailbox {
    fn start(&self, _: Timestamp) -> BoxFuture<'_, Result<Option<Cursor>, MailError>> {
        self.starts.fetch_add(1, Ordering::SeqCst);
        Box::pin(async { Ok(Some(Cursor("0000".to_owned()))) })
    }

    fn fetch<'a>(
        &'a self,
        since: Option<&'a Cursor>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Fetched, MailError>> {
        Box::pin(async move {
            let fetch = self.fetches.fetch_add(1, Ordering::SeqCst) + 1;
            if self.fails.load(Ordering::SeqCst) || self.broken_fetch.load(Ordering::SeqCst) == fetch {
                return Err(MailError::Temporary("the pigeonhole is locked".to_owned()));
            }
            if self.refuses.load(Ordering::SeqCst) {
                let text = "the pigeonhole has a new lock; run `locksmith`".to_owned();
                return Err(MailError::Login(text));
            }
            let mut new = self.places();
            new.retain(|place| since.is_none_or(|since| *place > since.0));
            let left = new.len().saturating_sub(limit) as u64;
            new.truncate(limit);
            let cursor = new.last().cloned().map(Cursor).or(since.cloned());
            let mail = |place: String| FetchedMail {
                raw: std::fs::read(self.folder.join(&place)).unwrap(),
                arrived: if self.has(&place, "old") { Timestamp::UNIX_EPOCH } else { Timestamp::now() },
                seen: self.has(&place, "seen"),
                answered: self.has(&place, "answered"),
                place,
            };
            let missing = self.missing.lock().unwrap().clone();
            Ok(Fetched { mails: new.into_iter().map(mail).collect(), cursor, remaining: left, missing })
        })
    }

    fn presence<'a>(&'a self, places: &'a [String]) -> BoxFuture<'a, Result<Vec<MailPresence>, MailError>> {
        Box::pin(async move {
            let presence = |place: &String| {
                if !self.folder.join(place).exists() {
                    return MailPresence::Gone;
                }
                MailPresence::There { seen: self.has(place, "seen"), answered: self.has(place, "answered") }
            };
            Ok(places.iter().map(presence).collect())
        })
    }

    fn mark<'a>(&'a self, _: &'a str, _: Handled) -> BoxFuture<'a, Result<(), MailError>> {
        Box::pin(async { Ok(()) })
    }

    fn save_draft<'a>(&'a self, _: &'a [u8]) -> BoxFuture<'a, Result<(), MailError>> {
        Box::pin(async { Ok(()) })
    }

    fn answered_elsewhere<'a>(&'a self, ids: &'a [String]) -> BoxFuture<'a, Result<Vec<bool>, MailError>> {
        Box::pin(async move { Ok(ids.iter().map(|id| self.is_listed("replies", id)).collect()) })
    }

    fn is_sent<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<bool, MailError>> {
        Box::pin(async move {
            if self.forgets.load(Ordering::SeqCst) {
                return Err(MailError::Temporary("the copies are locked away".to_owned()));
            }
            Ok(self.is_listed("sent", id))
        })
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.rings.notified())
    }

    fn check(&self) -> BoxFuture<'_, Result<String, MailError>> {
        Box::pin(async { Ok("it is there".to_owned()) })
    }
}

/// A mail of this number from somebody, on a subject.
pub fn letter(n: usize, from: &str, subject: &str, headers: &str) -> String {
    format!(
        "Message-ID: <{n}@post.example>\r\nFrom: {from}\r\nTo: ada@example.org\r\nSubject: {subject}\r\n\
         Date: Mon, 02 Nov 2026 10:00:00 +0000\r\n{headers}\r\nThis is letter {n}.\r\n"
    )
}
