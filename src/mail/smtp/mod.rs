//! SMTP submission: mail given to a server that sends it.
//!
//! Promised: what surely did not leave, what never will and what may have left are told apart by how far the
//! conversation came. Before the final dot nothing was sent; after it only the server's answer counts, and without one
//! the mail is looked for among the sent mail, never sent again on a guess. Recipients the server would not take are
//! named. The copy in Sent is kept once: one that the server or an earlier attempt filed is found by its Message-ID.

mod reply;
mod session;

use super::imap::{Filed, Imap};
use super::net::{Patience, crlf};
use super::outgoing::{Envelope, without_bcc};
use super::{BoxFuture, Found, MailError, Outgoing, SendError, Sent};
use crate::config::{FiledBy, MailServer};
use session::{Outside, Session};

/// How often a server that files by itself is looked at.
const LOOKS: u32 = 5;

/// A server that mail is given to.
pub struct Smtp {
    server: MailServer,
    patience: Patience,
    /// Where the account's sent mail lies.
    sent: Option<Imap>,
    filed_by: FiledBy,
}

impl Smtp {
    /// The server; `sent` is the account's mailbox where that has a Sent folder. Nothing is said yet.
    pub fn new(server: MailServer, sent: Option<Imap>) -> Self {
        let patience = sent.as_ref().map_or_else(Patience::default, |sent| *sent.patience());
        Self { server, patience, sent, filed_by: FiledBy::Auto }
    }

    /// The same with another patience.
    pub fn patient(self, patience: Patience) -> Self {
        Self { patience, ..self }
    }

    /// The same with the account's sent mail.
    pub fn with_sent(self, sent: Imap) -> Self {
        Self { patience: *sent.patience(), sent: Some(sent), ..self }
    }

    /// The same where the copy in Sent is put there by somebody else.
    pub fn filed_by(self, filed_by: FiledBy) -> Self {
        Self { filed_by, ..self }
    }

    /// Sees to it that one copy lies in Sent.
    async fn file(&self, raw: &[u8], message_id: &str) -> Result<bool, MailError> {
        let Some(sent) = self.sent.as_ref().filter(|_| !message_id.is_empty()) else { return Ok(false) };
        if self.filed_by == FiledBy::Auto && sent.has_sent(message_id).await? == Some(false) {
            // Many servers file by themselves, and are not done when they say that they took the mail.
            tokio::time::sleep(self.patience.filing).await;
        }
        for _ in 0..LOOKS {
            match sent.file_sent(raw, message_id, self.filed_by).await? {
                Filed::There => return Ok(true),
                Filed::Nowhere => return Ok(false),
                Filed::Later => tokio::time::sleep(self.patience.filing).await,
            }
        }
        Ok(false)
    }
}

impl Outgoing for Smtp {
    fn send<'a>(&'a self, raw: &'a [u8]) -> BoxFuture<'a, Result<Sent, SendError>> {
        Box::pin(async move {
            let envelope = Envelope::of(raw)?;
            let mail = crlf(&without_bcc(raw));
            let mut session = Session::begin(&self.server, &self.patience).await.map_err(SendError::from)?;
            let outside = Outside { from: &envelope.from, to: &envelope.to, mail: &mail };
            let refused = session.send(&outside).await;
            session.end().await;
            let refused = refused?;
            // The mail has left: a copy that cannot be kept changes nothing about that.
            let place = match self.file(raw, &envelope.message_id).await {
                Ok(true) => Some("Sent".to_owned()),
                Ok(false) => None,
                Err(error) => {
                    tracing::warn!(%error, "no copy of a sent mail could be kept");
                    None
                }
            };
            Ok(Sent { message_id: envelope.message_id, place, refused })
        })
    }

    fn find<'a>(&'a self, raw: &'a [u8]) -> BoxFuture<'a, Found> {
        Box::pin(async move {
            let unknown = |text: &str| Found::Unknown(text.to_owned());
            let Ok(envelope) = Envelope::of(raw) else { return Found::NotSent };
            let message_id = envelope.message_id;
            let Some(sent) = self.sent.as_ref().filter(|_| !message_id.is_empty()) else {
                return unknown("nothing tells whether the mail was sent; ask whom it was for");
            };
            match sent.has_sent(&message_id).await {
                Ok(Some(true)) => {
                    let place = Some("Sent".to_owned());
                    Found::Sent(Sent { message_id, place, refused: Vec::new() })
                }
                // It may have been sent an instant before its copy was to be kept.
                Ok(Some(false)) => unknown("it is not in Sent, but the server may have sent it all the same"),
                Ok(None) => unknown("the mailbox does not say which folder is for sent mail; set sent"),
                Err(error) => Found::Unknown(error.to_string()),
            }
        })
    }

    fn check(&self) -> BoxFuture<'_, Result<String, MailError>> {
        Box::pin(async move {
            let session = Session::begin(&self.server, &self.patience)
                .await
                .map_err(|error| MailError::from(&error))?;
            session.end().await;
            Ok(format!("mail is given to {}:{}", self.server.host, self.server.port))
        })
    }
}
