//! SMTP submission: hands mail to a server that sends it.
//!
//! Promises: mail that was certainly not sent, that never will be, and that may have been sent are told apart by how
//! far the session came. Before the final dot, nothing was sent. After it, only the server's answer counts; without
//! one, we look for the mail in Sent and never send it again on a guess. Refused recipients are named. One copy is kept
//! in Sent: if the server or an earlier attempt filed one, its Message-ID finds it.

mod reply;
mod session;

use super::copies::Copies;
use super::net::{Login, Timeouts, crlf};
use super::outgoing::{Envelope, without_bcc};
use super::{BoxFuture, MailError, Outgoing, SendError, Sent, SentLookup};
use crate::config::MailServer;
use session::{OutgoingMail, Session};

/// A server that sends mail.
pub struct Smtp {
    server: MailServer,
    login: Login,
    patience: Timeouts,
    copies: Copies,
}

impl Smtp {
    /// The server. Does not connect yet.
    pub fn new(server: MailServer, copies: Copies) -> Self {
        let login = Login::new(&server);
        Self { server, login, patience: copies.patience().unwrap_or_default(), copies }
    }

    /// The same with other timeouts.
    pub fn with_timeouts(self, patience: Timeouts) -> Self {
        Self { patience, ..self }
    }
}

impl Outgoing for Smtp {
    fn send<'a>(&'a self, raw: &'a [u8]) -> BoxFuture<'a, Result<Sent, SendError>> {
        Box::pin(async move {
            let envelope = Envelope::of(raw)?;
            let mail = crlf(&without_bcc(raw));
            let session = Session::begin(&self.server, &self.login, &self.patience).await;
            let mut session = session.map_err(SendError::from)?;
            let outgoing = OutgoingMail { from: &envelope.from, to: &envelope.to, mail: &mail };
            let refused = session.send(&outgoing).await;
            session.end().await;
            let refused = refused?;
            let place = self.copies.store(raw, &envelope.message_id).await;
            Ok(Sent { message_id: envelope.message_id, place, refused })
        })
    }

    fn find<'a>(&'a self, raw: &'a [u8]) -> BoxFuture<'a, SentLookup> {
        Box::pin(async move {
            let Ok(envelope) = Envelope::of(raw) else { return SentLookup::NotSent };
            self.copies.find(raw, &envelope.message_id, "the server").await
        })
    }

    fn check(&self) -> BoxFuture<'_, Result<String, MailError>> {
        Box::pin(async move {
            let session = Session::begin(&self.server, &self.login, &self.patience)
                .await
                .map_err(|error| MailError::from(&error))?;
            session.end().await;
            let copies = self.copies.check().await?;
            Ok(format!("mail is given to {}:{}{copies}", self.server.host, self.server.port))
        })
    }
}
