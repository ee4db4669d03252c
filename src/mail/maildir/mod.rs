//! Maildir: mail as files, shared with other programs that read and deliver there.
//!
//! A mail is identified by the unique part of its file name (the part before `:2,`, without the `,U=` number that some
//! synchronisers add), so a place stays valid while other clients set flags and move mail from `new` to `cur`.
//!
//! We remember fetched mails by name, not by time: clock jumps, mails of the same second and deliveries that die in
//! `tmp` make no difference. If a listing misses a file that is just being renamed, the next one finds it. A file that
//! vanishes stays in the cursor for a long time, so that it is not new when it returns. A fetch lists every folder,
//! unless the last one left mails; contents are read once.
//!
//! | in the mailbox | here |
//! | --- | --- |
//! | flag `S`, `R` | seen, answered |
//! | flag `T` | gone: the user deleted it |
//! | deleted, or moved to a folder we do not read | gone: the user put it away |
//! | in a folder that the config no longer names | unknown, so we conclude nothing |
//! | flag `D` | not fetched: a draft is not incoming mail |
//! | links, pipes, devices, folders | ignored |
//! | a file over 64 MiB | its first 64 MiB and a byte, which the parser refuses as too large: a single trouble |
//! | a label | a Dovecot keyword: a letter in the file name, its meaning in `dovecot-keywords` |
//!
//! Not here: parsing, cleaning `tmp`, creating folders that the config names (we create only drafts).

mod away;
mod cursor;
mod deliver;
mod fetch;
mod folder;
mod header;
mod keywords;
mod layout;
mod mark;
mod name;
mod people;
mod sent;
mod watch;

pub(super) use deliver::newlines;
pub use deliver::{Delivery, DeliveryTarget};
pub(super) use folder::Folder;
pub(super) use header::{copy_of, head, identity, ids};

use super::{
    BoxFuture, Cursor, Destination, Fetched, Handled, MailError, MailPresence, Mailbox, People, UndoToken,
};
use crate::config::{self, AfterHandling, MailMode};
use crate::text::{Visible, count_noun, io_error_text};
use jiff::Timestamp;
use layout::Layout;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A Maildir account.
pub struct Maildir(Arc<Inner>);

struct Inner {
    /// The folders we read, main folder first.
    folders: Vec<Folder>,
    layout: Layout,
    drafts: Folder,
    sent: Folder,
    /// Whether marking is allowed.
    mode: MailMode,
    done: AfterHandling,
    ignored: AfterHandling,
    answers: Mutex<sent::Answers>,
    leftover: Mutex<fetch::Leftover>,
    watch: watch::Watch,
}

impl Inner {
    /// What the mails in Sent answer, read again as far as they have changed.
    fn current_answers(&self) -> Result<MutexGuard<'_, sent::Answers>, MailError> {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.update(&self.sent)?;
        Ok(answers)
    }
}

impl Maildir {
    /// The Maildir of an account. Does not touch the disk yet; [`Mailbox::check`] says whether it is there.
    pub(super) fn new(
        mail: &config::Mail,
        path: &Path,
        folders: &[String],
        [drafts, sent]: [Option<&PathBuf>; 2],
    ) -> Self {
        let layout = Layout::new(path, sent);
        let mut read = vec![Folder::new("INBOX", path.to_owned())];
        for name in folders {
            let folder = layout.folder(name);
            if !read.iter().any(|one| one.name == folder.name || one.path == folder.path) {
                read.push(folder);
            }
        }
        let drafts = drafts.cloned().unwrap_or_else(|| layout.folder("Drafts").path);
        let sent = sent_folder(path, sent);
        Self(Arc::new(Inner {
            folders: read,
            drafts: Folder::new("Drafts", drafts),
            sent: Folder::new("Sent", sent),
            layout,
            mode: mail.mode,
            done: mail.handled_done.clone(),
            ignored: mail.handled_ignored.clone(),
            answers: Mutex::default(),
            leftover: Mutex::default(),
            watch: watch::Watch::default(),
        }))
    }

    /// Runs on a thread for blocking work, since the disk may be slow.
    fn work<'a, T: Send + 'static>(
        &'a self,
        work: impl FnOnce(&Inner) -> Result<T, MailError> + Send + 'static,
    ) -> BoxFuture<'a, Result<T, MailError>> {
        let inner = self.0.clone();
        Box::pin(blocking(move || work(&inner)))
    }
}

/// The folder for sent mail: the one that the config names, if it does.
pub(super) fn sent_folder(main: &Path, named: Option<&PathBuf>) -> PathBuf {
    named.cloned().unwrap_or_else(|| main.join(".Sent"))
}

/// Runs work that may wait for a disk.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, MailError> + Send + 'static,
) -> Result<T, MailError> {
    let broke = |_| MailError::Temporary("reading the mailbox broke off; it will be tried again".to_owned());
    tokio::task::spawn_blocking(work).await.map_err(broke)?
}

impl Mailbox for Maildir {
    fn fetch<'a>(
        &'a self,
        since: Option<&'a Cursor>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Fetched, MailError>> {
        let since = since.cloned();
        self.work(move |inner| {
            let mut leftover = inner.leftover.lock().unwrap_or_else(PoisonError::into_inner);
            fetch::fetch(&inner.folders, since.as_ref(), limit, &mut leftover)
        })
    }

    fn start(&self, from: Timestamp) -> BoxFuture<'_, Result<Option<Cursor>, MailError>> {
        self.work(move |inner| fetch::start(&inner.folders, from).map(Some))
    }

    fn newest(&self, count: usize) -> BoxFuture<'_, Result<Option<Timestamp>, MailError>> {
        self.work(move |inner| fetch::newest(&inner.folders, count))
    }

    fn people(&self, until: Timestamp) -> BoxFuture<'_, Result<People, MailError>> {
        self.work(move |inner| people::people(&inner.folders, &inner.sent, until))
    }

    fn presence<'a>(&'a self, places: &'a [String]) -> BoxFuture<'a, Result<Vec<MailPresence>, MailError>> {
        let places = places.to_vec();
        self.work(move |inner| mark::presence(&inner.folders, &places))
    }

    fn mark<'a>(&'a self, place: &'a str, handled: Handled) -> BoxFuture<'a, Result<(), MailError>> {
        let place = place.to_owned();
        self.work(move |inner| mark::mark(inner, &place, handled))
    }

    fn folders(&self) -> BoxFuture<'_, Result<Vec<String>, MailError>> {
        self.work(|inner| Ok(inner.layout.names()))
    }

    fn put_away<'a>(
        &'a self,
        place: &'a str,
        to: &'a Destination,
    ) -> BoxFuture<'a, Result<UndoToken, MailError>> {
        let (place, to) = (place.to_owned(), to.clone());
        self.work(move |inner| away::put_away(inner, &place, &to))
    }

    fn put_back<'a>(&'a self, undo: &'a UndoToken) -> BoxFuture<'a, Result<(), MailError>> {
        let undo = undo.clone();
        self.work(move |inner| away::put_back(inner, &undo))
    }

    fn save_draft<'a>(&'a self, raw: &'a [u8]) -> BoxFuture<'a, Result<(), MailError>> {
        let raw = raw.to_vec();
        self.work(move |inner| deliver::draft(&inner.drafts, &raw))
    }

    fn answered_elsewhere<'a>(
        &'a self,
        message_ids: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<bool>, MailError>> {
        let ids = message_ids.to_vec();
        self.work(move |inner| {
            let answers = inner.current_answers()?;
            Ok(ids.iter().map(|id| answers.answered(id)).collect())
        })
    }

    fn is_sent<'a>(&'a self, message_id: &'a str) -> BoxFuture<'a, Result<bool, MailError>> {
        let id = message_id.to_owned();
        self.work(move |inner| Ok(inner.current_answers()?.has(&id)))
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.0.watch.changed(&self.0.folders))
    }

    fn check(&self) -> BoxFuture<'_, Result<String, MailError>> {
        self.work(check)
    }
}

fn check(inner: &Inner) -> Result<String, MailError> {
    let mut mails = 0;
    for folder in &inner.folders {
        mails += folder.list()?.len();
        if inner.mode == MailMode::Act {
            folder.writable()?;
        }
    }
    for after in [&inner.done, &inner.ignored] {
        if let AfterHandling::Folder(name) = after {
            inner.layout.folder(name).list()?;
        }
    }
    let folders = if inner.folders.len() == 1 { "" } else { " in its folders" };
    let mails = count_noun(mails, "mail");
    Ok(format!("{mails}{folders}"))
}

/// The error for a file or folder; says what to do about it.
pub(super) fn trouble(path: &Path, error: &io::Error) -> MailError {
    let place = Visible::line(&path.display().to_string());
    match error.kind() {
        io::ErrorKind::NotFound => {
            MailError::Permanent(format!("there is no {place}; check the path in the config"))
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => MailError::Permanent(format!(
            "{place} may not be used ({}); check who owns it",
            io_error_text(error)
        )),
        io::ErrorKind::NotADirectory => {
            MailError::Permanent(format!("{place} is not a folder; name the one that has cur, new and tmp"))
        }
        _ => MailError::Temporary(format!("{place}: {}", io_error_text(error))),
    }
}

#[cfg(test)]
mod tests;
