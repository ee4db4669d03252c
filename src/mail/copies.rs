//! Keeps one copy of each sent mail, in a Maildir or in the Sent folder of a server that does not file it itself.

use super::imap::{Filed, Imap};
use super::maildir::{Delivery, DeliveryTarget, Folder, blocking, copy_of, ids, sent_folder};
use super::net::Timeouts;
use super::{MailError, Sent, SentLookup};
use crate::config::{self, FiledBy, MailSource};
use crate::text::Visible;
use std::path::{Path, PathBuf};

/// How often we check a server that files copies itself.
const LOOKS: u32 = 5;

/// Where copies of sent mail are kept.
pub enum Copies {
    Nowhere,
    /// A Maildir, created if missing.
    Folder(PathBuf),
    /// The Sent folder of the account's server, and who files the copies.
    Server(Imap, FiledBy),
}

impl Copies {
    /// Where an account keeps them: in the Maildir that its outgoing mail names, or else where its sent mail is.
    pub(super) fn of(mail: &config::Mail, named: Option<&PathBuf>, by: FiledBy) -> Self {
        match (named, &mail.source) {
            (Some(folder), _) => Self::Folder(folder.clone()),
            // A separate connection: filing a copy must not wait for a long fetch.
            (None, MailSource::Imap { .. }) => {
                Imap::open(mail).map_or(Self::Nowhere, |imap| Self::Server(imap, by))
            }
            (None, MailSource::Maildir { .. }) if by == FiledBy::Server => Self::Nowhere,
            (None, MailSource::Maildir { path, sent, .. }) => Self::Folder(sent_folder(path, sent.as_ref())),
        }
    }

    /// The timeouts, if a server is involved.
    pub(super) fn patience(&self) -> Option<Timeouts> {
        match self {
            Copies::Server(imap, _) => Some(*imap.patience()),
            Copies::Nowhere | Copies::Folder(_) => None,
        }
    }

    /// Makes sure that exactly one copy is there and says where. The mail has already been sent, so failing to keep a
    /// copy is no error.
    pub(super) async fn store(&self, raw: &[u8], message_id: &str) -> Option<String> {
        let result = match self {
            Copies::Nowhere => Ok(None),
            Copies::Folder(path) => {
                let (path, raw) = (path.clone(), raw.to_vec());
                blocking(move || store(&path, &raw)).await.map(Some)
            }
            Copies::Server(imap, by) => file(imap, *by, raw, message_id).await,
        };
        result.unwrap_or_else(|error| {
            tracing::warn!(%error, "no copy of a sent mail could be kept");
            None
        })
    }

    /// Whether a copy of the mail is there. `who` sends it, and may have done so just before its copy was kept.
    pub(super) async fn find(&self, raw: &[u8], message_id: &str, who: &str) -> SentLookup {
        let unknown = |text: String| SentLookup::Unknown(text);
        match self {
            Copies::Nowhere => {
                unknown(format!("{who} keeps no record to check; ask the recipient whether it arrived"))
            }
            Copies::Folder(path) => {
                let (path, raw) = (path.clone(), raw.to_vec());
                match blocking(move || find(&path, &raw)).await {
                    Ok(Some(sent)) => SentLookup::Sent(sent),
                    Ok(None) => unknown(format!("no copy of it was kept, but {who} may have sent it")),
                    Err(error) => unknown(error.to_string()),
                }
            }
            Copies::Server(_, _) if message_id.is_empty() => {
                unknown("nothing shows whether the mail was sent; ask the recipient".to_owned())
            }
            Copies::Server(imap, _) => match imap.has_sent(message_id).await {
                Ok(Some(true)) => {
                    let (message_id, place) = (message_id.to_owned(), Some("Sent".to_owned()));
                    SentLookup::Sent(Sent { message_id, place, refused: Vec::new() })
                }
                Ok(Some(false)) => {
                    unknown(format!("it is not in Sent, but {who} may have sent it all the same"))
                }
                Ok(None) => {
                    unknown("the mailbox does not say which folder is for sent mail; set sent".to_owned())
                }
                Err(error) => unknown(error.to_string()),
            },
        }
    }

    /// Checks the place without writing to it. Returns text that is appended to the description of the account.
    pub(super) async fn check(&self) -> Result<String, MailError> {
        match self {
            Copies::Nowhere => Ok("; no copy of it is kept".to_owned()),
            Copies::Folder(path) => {
                let path = path.clone();
                blocking(move || {
                    let folder = Folder::new("Sent", path.clone());
                    if folder.exists() {
                        folder.writable()?;
                    }
                    Ok(format!("; a copy goes to {}", Visible::line(&path.display().to_string())))
                })
                .await
            }
            Copies::Server(_, FiledBy::Server) => Ok("; the server keeps a copy".to_owned()),
            Copies::Server(imap, _) => match imap.sent_folder().await? {
                Some(folder) => Ok(format!("; a copy goes to {}", Visible::line(&folder))),
                None => {
                    let text = "no folder is for sent mail; set sent, or filed_by = \"server\"";
                    Err(MailError::Permanent(text.to_owned()))
                }
            },
        }
    }
}

/// Makes sure that one copy is in Sent.
async fn file(imap: &Imap, by: FiledBy, raw: &[u8], message_id: &str) -> Result<Option<String>, MailError> {
    if message_id.is_empty() {
        return Ok(None);
    }
    let patience = imap.patience().filing;
    if by == FiledBy::Auto && imap.has_sent(message_id).await? == Some(false) {
        // Many servers file the copy themselves, and do so some time after they accept the mail.
        tokio::time::sleep(patience).await;
    }
    for _ in 0..LOOKS {
        match imap.file_sent(raw, message_id, by).await? {
            Filed::There => return Ok(Some("Sent".to_owned())),
            Filed::Nowhere => return Ok(None),
            Filed::Later => tokio::time::sleep(patience).await,
        }
    }
    Ok(None)
}

fn store(path: &Path, raw: &[u8]) -> Result<String, MailError> {
    Folder::new("Sent", path.to_owned()).create()?;
    Ok(Delivery::begin(path, raw, DeliveryTarget::Sent)?.finish()?.display().to_string())
}

/// The copy of a sent mail in a Maildir.
pub(super) fn find(path: &Path, raw: &[u8]) -> Result<Option<Sent>, MailError> {
    let folder = Folder::new("Sent", path.to_owned());
    if !folder.exists() {
        return Ok(None);
    }
    Ok(copy_of(&folder, raw)?.map(|place| Sent {
        message_id: ids(raw).message_id.unwrap_or_default(),
        place: Some(place.display().to_string()),
        refused: Vec::new(),
    }))
}
