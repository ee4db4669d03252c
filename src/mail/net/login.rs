//! What to log in with: a password, or a token that may have to be renewed. No error contains either.

use super::{NetError, place};
use crate::config::{MailLogin, MailServer, Secret};
use crate::tools::web::google::MAIL;
use crate::tools::web::oauth::{Bearer, LoginError};
use crate::tools::web::{self, WebTimeouts, safe_excerpt};
use secrecy::{ExposeSecret, SecretString};

/// The login at a server. Clones share the tokens of Google.
#[derive(Clone)]
pub(in crate::mail) struct Login {
    user: String,
    place: String,
    credentials: Credentials,
}

#[derive(Clone)]
enum Credentials {
    Password(Secret),
    Token(Secret),
    Google(Bearer),
}

impl Login {
    /// The login in a config. Reads nothing yet.
    pub(in crate::mail) fn new(server: &MailServer) -> Self {
        let credentials = match server.login.clone() {
            MailLogin::Password(secret) => Credentials::Password(secret),
            MailLogin::Token(secret) => Credentials::Token(secret),
            MailLogin::Google(login) => {
                Credentials::Google(Bearer::new(*login, &[MAIL], WebTimeouts::default()))
            }
        };
        Self { user: safe_excerpt(&server.user), place: place(server), credentials }
    }

    /// Gets the password or token; this may run a command or ask Google.
    pub(in crate::mail) async fn secret(&self) -> Result<SecretString, NetError> {
        let (secret, kind) = match &self.credentials {
            Credentials::Password(secret) => (secret, "password"),
            Credentials::Token(secret) => (secret, "token"),
            Credentials::Google(bearer) => return Ok(bearer.token().await?.into()),
        };
        let whose = format!("the {kind} of {} at {}", self.user, self.place);
        web::secret(secret, &whose).await.map_err(NetError::Secret)
    }

    /// A new token for one that was refused; `None` if we cannot get one.
    pub(in crate::mail) async fn renewed(
        &self,
        refused: &SecretString,
    ) -> Result<Option<SecretString>, NetError> {
        match &self.credentials {
            Credentials::Google(bearer) => Ok(Some(bearer.instead_of(refused.expose_secret()).await?.into())),
            Credentials::Password(_) | Credentials::Token(_) => Ok(None),
        }
    }

    /// The error for a refused login; says what to do about it.
    pub(in crate::mail) fn refused(&self) -> NetError {
        let Self { user, place, credentials } = self;
        match credentials {
            Credentials::Password(_) => NetError::Secret(format!(
                "{place} refused the password of {user}; check user and password (some servers want an app password)"
            )),
            Credentials::Token(_) => {
                NetError::Secret(format!("{place} refused the token of {user}; renew it"))
            }
            Credentials::Google(bearer) => {
                let log_in = bearer.log_in();
                NetError::Login(format!("{place} refused the login of {user}; {log_in} as {user}"))
            }
        }
    }
}

impl From<LoginError> for NetError {
    fn from(error: LoginError) -> Self {
        match error {
            LoginError::LoginRequired(text) => Self::Login(text),
            LoginError::Temporary(text) => Self::TokenServer(text),
            LoginError::Permanent(text) => Self::Secret(text),
        }
    }
}
