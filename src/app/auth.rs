//! Logging in to Google for an account of the config.

use super::error::AppError;
use crate::config::{Calendar, Config, Google, MailLogin, MailOutgoing, MailSource};
use crate::inbox::ErrorKind;
use crate::text::there_are;
use crate::tools::web::WebTimeouts;
use crate::tools::web::google::{EVENTS, FREE_BUSY, MAIL};
use crate::tools::web::oauth::{self, Login, LoginError};
use serde::Serialize;
use std::time::Duration;

/// How long a person may take in the browser.
const LOGIN_TIMEOUT: Duration = Duration::from_secs(10 * 60);

impl From<LoginError> for AppError {
    fn from(error: LoginError) -> Self {
        Self::new(ErrorKind::Failed, error.to_string())
    }
}

/// A login that works. The field names are a contract.
#[derive(Clone, Debug, Serialize)]
pub struct LoggedIn {
    pub account: String,
    pub scopes: Vec<String>,
    /// The file the tokens are kept in.
    pub tokens: String,
}

/// A login that waits for the user.
pub struct Authorizing {
    google: Google,
    login: Login,
}

/// Begins a login for `account`, or for the only account that uses Google.
pub async fn begin_auth(config: &Config, account: Option<&str>) -> Result<Authorizing, AppError> {
    let logins = logins(config);
    let wrong = |text: String| AppError::new(ErrorKind::Wrong, text);
    let names = || logins.iter().map(|(login, _)| login.account.clone()).collect::<Vec<_>>();
    let (google, scopes) = match (account, logins.as_slice()) {
        (_, []) => {
            let text = "no account in the config logs in to Google; write login = \"google\" in its [[mail]], or use \
                        an app password, which is easier (`sayso auth google --help`)";
            return Err(wrong(text.to_owned()));
        }
        (None, [only]) => only,
        (None, _) => {
            return Err(wrong(format!(
                "several accounts log in to Google; name one: {}",
                names().join(", ")
            )));
        }
        (Some(name), _) => match logins.iter().find(|(login, _)| login.account == name) {
            Some(found) => found,
            None => {
                let text = format!("no account {name} logs in to Google; {}", there_are(&names()));
                return Err(wrong(text));
            }
        },
    };
    let login = oauth::begin(google, scopes, WebTimeouts::default()).await?;
    Ok(Authorizing { google: google.clone(), login })
}

impl Authorizing {
    /// The URL to open in a browser.
    pub fn address(&self) -> &str {
        self.login.address()
    }

    /// The URL that the browser brings the answer to.
    pub fn redirect(&self) -> &str {
        self.login.redirect()
    }

    /// Waits for the user in the browser. Dropping the future closes the port.
    pub async fn finish(self) -> Result<LoggedIn, AppError> {
        let tokens = self.login.finish(LOGIN_TIMEOUT).await?;
        Ok(LoggedIn {
            account: self.google.account,
            scopes: tokens.scopes,
            tokens: self.google.tokens.display().to_string(),
        })
    }
}

/// Every Google login in the config, with the scopes it needs.
fn logins(config: &Config) -> Vec<(Google, Vec<&'static str>)> {
    let mut logins: Vec<(Google, Vec<&'static str>)> = Vec::new();
    let mut add = |google: &Google, scope: &'static str| match logins
        .iter_mut()
        .find(|(known, _)| known.account == google.account)
    {
        Some((_, scopes)) if scopes.contains(&scope) => {}
        Some((_, scopes)) => scopes.push(scope),
        None => logins.push((google.clone(), vec![scope])),
    };
    for mail in &config.mail {
        let reading = match &mail.source {
            MailSource::Imap { server, .. } => Some(server),
            MailSource::Maildir { .. } => None,
        };
        let sending = match &mail.outgoing {
            Some(MailOutgoing::Smtp { server, .. }) => Some(server),
            Some(MailOutgoing::Maildir { .. } | MailOutgoing::Command { .. }) | None => None,
        };
        for server in reading.into_iter().chain(sending) {
            if let MailLogin::Google(google) = &server.login {
                add(google.as_ref(), MAIL);
            }
        }
    }
    if let Some(Calendar::Google { google, .. }) = &config.calendar {
        add(google, EVENTS);
        add(google, FREE_BUSY);
    }
    logins
}
