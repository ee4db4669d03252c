//! The keys of a mail server and its login, the same for reading and sending.

use std::path::PathBuf;

use serde::Deserialize;

use super::document::Section;
use super::error::Error;
use super::google::Google;
use super::secret::Secret;
use super::values::{Whole, section};

section! {
    pub(super) struct ServerKeys {
        host: Option<String>,
        #[serde(with = "Whole::<1, 65_535>")]
        port: Option<u16>,
        tls: MailTls,
        user: Option<String>,
        #[serde(rename = "password_*")]
        password: Option<Secret>,
        token_command: Option<String>,
        login: Option<LoginAt>,
        ca_file: Option<String>,
        tls_pin: Option<String>,
    }
}

/// A mail server and the login for it.
#[derive(Clone, Debug, PartialEq)]
pub struct MailServer {
    /// Its name, as in its certificate.
    pub host: String,
    pub port: u16,
    /// How the connection is encrypted; an unencrypted one is never made.
    pub tls: MailTls,
    /// The login name.
    pub user: String,
    /// How to log in.
    pub login: MailLogin,
    /// Certificates to trust instead of the machine's, in PEM.
    pub ca_file: Option<PathBuf>,
    /// The SHA-256 of the only certificate to trust, in hexadecimal, for a bridge on this machine.
    pub tls_pin: Option<String>,
}

/// How a connection is encrypted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase", expecting = "a string")]
pub enum MailTls {
    /// From the first byte.
    #[default]
    Tls,
    /// After a STARTTLS command in the clear.
    Starttls,
}

/// Where to log in instead of giving a password.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase", expecting = "a string")]
enum LoginAt {
    Google,
}

/// How to log in to a mail server.
#[derive(Clone, Debug, PartialEq)]
pub enum MailLogin {
    Password(Secret),
    /// A token (XOAUTH2), fetched again for each connection.
    Token(Secret),
    /// A token of Google's (XOAUTH2), renewed when it expires.
    Google(Box<Google>),
}

impl ServerKeys {
    /// Makes a server from the keys. `ports` are the defaults for TLS and for STARTTLS. Parts of the login that are not
    /// written come from `like`; `google` is the account's login at Google.
    pub(super) fn resolve(
        self,
        section: &Section<'_>,
        ports: (u16, u16),
        address: &str,
        like: Option<&MailServer>,
        google: impl FnOnce() -> Result<Google, Error>,
    ) -> Result<MailServer, Error> {
        section.only_one(&["password", "token_command", "login"])?;
        let google = self.login.map(|LoginAt::Google| google()).transpose()?;
        let token = self.token_command.map(Secret::Command);
        let login = self.password.map(MailLogin::Password).or(token.map(MailLogin::Token));
        let login = login.or(google.map(|google| MailLogin::Google(Box::new(google))));
        let hint = "write the server's name, such as mail.example.org";
        let host = self.host.ok_or_else(|| section.missing("host", hint))?;
        let is_odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '/' | '@');
        if host.is_empty() || host.contains(is_odd) {
            return Err(section.bad("host", "must be a server's name alone, such as mail.example.org"));
        }
        let port = self.port.unwrap_or(match self.tls {
            MailTls::Tls => ports.0,
            MailTls::Starttls => ports.1,
        });
        let login = login.or_else(|| like.map(|like| like.login.clone())).ok_or_else(|| {
            let hint = "say where the password is kept, here or with password_env or password_file";
            section.missing("password_command", hint)
        })?;
        let user = self.user.or_else(|| like.map(|like| like.user.clone()));
        let user = user.unwrap_or_else(|| address.to_owned());
        if user.contains(char::is_control) {
            return Err(section.bad("user", "must be a plain name"));
        }
        let is_digest = |pin: &String| pin.chars().filter(char::is_ascii_hexdigit).count() == 64;
        if self.tls_pin.as_ref().is_some_and(|pin| !is_digest(pin)) {
            return Err(section.bad("tls_pin", "must be the SHA-256 of a certificate, 64 hexadecimal digits"));
        }
        let ca_file = self.ca_file.map(|path| section.path(&path));
        Ok(MailServer { host, port, tls: self.tls, user, login, ca_file, tls_pin: self.tls_pin })
    }
}
