//! An outbox folder: a Maildir that something else watches and sends from.
//!
//! The file's name is derived from the mail's bytes, so adding a mail again changes nothing. The `Bcc` field stays:
//! only there can the sending program (such as `sendmail -t`, which removes it) find those recipients.
//!
//! The sending program removes files, so a missing mail proves nothing. The proof is a mark in the folder `sayso`, made
//! when the mail is safe in `tmp` and before it appears in `new`.
//!
//! | after a crash there is | the mail |
//! | --- | --- |
//! | a file in `new` or `cur` | was added |
//! | one in `tmp`, or no mark | was not |
//! | a mark and no file | was most likely added and picked up; a person has to check |

use super::envelope::Envelope;
use crate::mail::copies;
use crate::mail::maildir::{Delivery, DeliveryTarget, Folder, blocking, identity, trouble};
use crate::mail::{BoxFuture, MailError, Outgoing, SendError, Sent, SentLookup};
use crate::text::Visible;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

pub struct Outbox {
    path: PathBuf,
}

impl Outbox {
    /// The outbox at this path, created when it is first used.
    pub fn new(path: PathBuf) -> Self {
        Self { path }
    }
}

impl Outgoing for Outbox {
    fn send<'a>(&'a self, raw: &'a [u8]) -> BoxFuture<'a, Result<Sent, SendError>> {
        let (path, raw) = (self.path.clone(), raw.to_vec());
        Box::pin(async move {
            let envelope = Envelope::of(&raw)?;
            let put = tokio::task::spawn_blocking(move || put(&path, &raw)).await;
            let interrupted = |_| SendError::Unknown("putting it into the outbox broke off".to_owned());
            let place = Some(put.map_err(interrupted)??);
            Ok(Sent { message_id: envelope.message_id, place, refused: Vec::new() })
        })
    }

    fn find<'a>(&'a self, raw: &'a [u8]) -> BoxFuture<'a, SentLookup> {
        let (path, raw) = (self.path.clone(), raw.to_vec());
        Box::pin(async move {
            let result = blocking(move || find(&path, &raw)).await;
            result.unwrap_or_else(|error| SentLookup::Unknown(error.to_string()))
        })
    }

    fn check(&self) -> BoxFuture<'_, Result<String, MailError>> {
        let path = self.path.clone();
        Box::pin(blocking(move || {
            let folder = Folder::new("outbox", path.clone());
            if folder.exists() {
                folder.writable()?;
            }
            Ok(format!("mail is put into {}", Visible::line(&path.display().to_string())))
        }))
    }
}

/// Adds a mail. Once it may have appeared, an error means that we do not know.
fn put(path: &Path, raw: &[u8]) -> Result<String, SendError> {
    let surely_not = |error| match error {
        MailError::Temporary(text) | MailError::Login(text) => SendError::NotSent(text),
        MailError::Permanent(text) => SendError::Refused(text),
    };
    Folder::new("outbox", path.to_owned()).create().map_err(surely_not)?;
    let delivery = Delivery::begin(path, raw, DeliveryTarget::New).map_err(surely_not)?;
    mark(path, raw).map_err(|error| surely_not(trouble(&marks(path), &error)))?;
    let unclear = |error| SendError::Unknown(format!("it may or may not be in the outbox: {error}"));
    Ok(delivery.finish().map_err(unclear)?.display().to_string())
}

fn marks(path: &Path) -> PathBuf {
    path.join("sayso")
}

/// Creates the mark durably.
fn mark(path: &Path, raw: &[u8]) -> io::Result<()> {
    let marks = marks(path);
    fs::DirBuilder::new().recursive(true).mode(0o700).create(&marks)?;
    File::create(marks.join(identity(raw)))?.sync_all()?;
    File::open(&marks)?.sync_all()?;
    File::open(path)?.sync_all()
}

fn find(path: &Path, raw: &[u8]) -> Result<SentLookup, MailError> {
    if let Some(sent) = copies::find(path, raw)? {
        return Ok(SentLookup::Sent(sent));
    }
    let exists = |path: PathBuf| path.try_exists().map_err(|error| trouble(&path, &error));
    if exists(Delivery::waiting(path, raw))? || !exists(marks(path).join(identity(raw)))? {
        return Ok(SentLookup::NotSent);
    }
    let text = "it was put into the outbox and is not there any more; see whether it was sent from there";
    Ok(SentLookup::Unknown(text.to_owned()))
}
