//! Logs in to an IMAP server. Its answers are not shown: some servers echo what they were sent.

use super::answer::{Response, StatusKind};
use super::session::{Arg, ImapError, Session};
use crate::config::MailLogin;
use crate::mail::net::{Login, place};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use secrecy::{ExposeSecret, SecretString};

impl Session {
    /// Logs in with a password or a token. A token that is refused is renewed once, if it can be.
    pub(super) async fn log_in(&mut self, login: &Login) -> Result<(), ImapError> {
        let takes_plain = self.can_after_asking("AUTH=PLAIN").await?;
        let secret = login.secret().await?;
        let mut result = self.log_in_with(&secret, takes_plain).await;
        if matches!(&result, Err(ImapError::No { code, .. }) if !is_passing(code))
            && let Some(renewed) = login.renewed(&secret).await?
        {
            result = self.log_in_with(&renewed, takes_plain).await;
        }
        match result {
            Err(ImapError::No { code, .. }) if is_passing(&code) => {
                Err(self.bye("it cannot check passwords just now"))
            }
            Err(ImapError::No { .. }) => Err(ImapError::Login(login.refused().to_string())),
            other => other,
        }
    }

    async fn log_in_with(&mut self, secret: &SecretString, takes_plain: bool) -> Result<(), ImapError> {
        let user = self.server.user.clone();
        match &self.server.login {
            MailLogin::Token(_) | MailLogin::Google(_) => {
                let words = format!("user={user}\x01auth=Bearer {}\x01\x01", secret.expose_secret());
                self.authenticate("XOAUTH2", words.as_bytes()).await
            }
            MailLogin::Password(_) if takes_plain => {
                let words = format!("\0{user}\0{}", secret.expose_secret());
                self.authenticate("PLAIN", words.as_bytes()).await
            }
            MailLogin::Password(_) if self.can("LOGINDISABLED") => {
                let text = format!("{} takes no password", place(&self.server));
                Err(ImapError::Login(format!("{text}; use a token_command if it wants one")))
            }
            MailLogin::Password(_) => {
                let (user, password) = (user.as_bytes(), secret.expose_secret().as_bytes());
                let words = [Arg::Raw("LOGIN "), Arg::Text(user), Arg::Raw(" "), Arg::Text(password)];
                self.command(&words).await.map(drop)
            }
        }
    }

    async fn authenticate(&mut self, mechanism: &str, response: &[u8]) -> Result<(), ImapError> {
        let response = STANDARD.encode(response);
        if self.can("SASL-IR") {
            let line = format!("AUTHENTICATE {mechanism} {response}");
            self.send(&line).await?;
        } else {
            self.send(&format!("AUTHENTICATE {mechanism}")).await?;
            match self.answer().await? {
                Response::Continue => self.wire.write(format!("{response}\r\n").as_bytes()).await?,
                Response::Status { kind: StatusKind::No | StatusKind::Bad, code, .. } => {
                    return Err(self.no(code, ""));
                }
                Response::Status { kind: StatusKind::Bye, text, .. } => return Err(self.bye(&text)),
                Response::Status { .. } | Response::Data(_) => return Err(self.unexpected()),
            }
        }
        self.finish(true).await.map(drop)
    }
}

/// Whether the server refuses only just now, whatever it is asked. SERVERBUG is not among the codes: Dovecot says that
/// of a single mail it cannot read.
pub(super) fn is_passing(code: &str) -> bool {
    ["UNAVAILABLE", "INUSE", "LIMIT", "OVERQUOTA", "THROTTLED"]
        .iter()
        .any(|passing| code.starts_with(passing))
}
