//! The keys of a mail server and its login, the same for reading and sending.

use std::path::PathBuf;

use super::error::Error;
use super::google::Google;
use super::keys::example;
use super::reader::{FromSection, Reader, choice, section};
use super::secret::Secret;

section! {
    /// A mail server.
    pub(super) struct ServerKeys {
        /// imap and smtp: the server. Certificates are always checked, and nothing is sent unencrypted.
        host: Option<String> = example("mail.example.org"),
        /// The port; unless you set it, 993 for imap and 465 for smtp, or 143 and 587 with starttls.
        port: Option<u16> = example("1143").range(1, 65_535),
        /// tls | starttls
        tls: Option<MailTls> = example("tls"),
        /// The login; your address, unless you set it. smtp uses the same login as imap, unless you set another.
        user: Option<String> = example("ada"),
        /// Where the password is kept; set one of the three, or a command that prints a token (XOAUTH2).
        password_env: Option<String> = example("MAIL_PASSWORD"),
        password_command: Option<String> = example("pass show mail"),
        password_file: Option<String> = example("~/.secrets/mail"),
        token_command: Option<String> = example("oama access ada@example.org"),
        /// google: log in with `sayso auth google` instead (see `[google]`).
        login: Option<LoginAt> = example("google"),
        /// For a server of your own: the certificate of the authority that issued its own. For a bridge on this
        /// machine: the SHA-256 of its certificate.
        ca_file: Option<String> = example("~/ca.pem"),
        tls_pin: Option<String> = example("0000000000000000000000000000000000000000000000000000000000000000"),
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

choice! {
    /// How a connection is encrypted.
    #[derive(Default)]
    pub enum MailTls {
        /// From the first byte.
        #[default]
        Tls = "tls",
        /// After a STARTTLS command in the clear.
        Starttls = "starttls",
    }
}

choice! {
    /// Where to log in instead of giving a password.
    pub(super) enum LoginAt {
        Google = "google",
    }
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

impl MailLogin {
    pub(super) fn secret(&self) -> Option<&Secret> {
        match self {
            Self::Password(secret) | Self::Token(secret) => Some(secret),
            Self::Google(google) => google.client_secret.as_ref(),
        }
    }
}

impl ServerKeys {
    /// The first server key that is written.
    pub(super) fn first_written(reader: &Reader<'_>) -> Option<&'static str> {
        Self::KEYS.iter().map(|key| key.name).find(|key| reader.has(key))
    }

    /// Makes a server from the keys. `ports` are the defaults for TLS and for STARTTLS. Parts of the login that are not
    /// written come from `like`; `google` is the account's login at Google.
    pub(super) fn resolve(
        self,
        reader: &Reader<'_>,
        ports: (u16, u16),
        address: &str,
        like: Option<&MailServer>,
        google: impl FnOnce() -> Result<Google, Error>,
    ) -> Result<MailServer, Error> {
        let login = self.read_login(reader, google);
        let hint = "write the server's name, such as mail.example.org";
        let host = self.host.ok_or_else(|| reader.missing("host", hint))?;
        let is_odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '/' | '@');
        if host.is_empty() || host.contains(is_odd) {
            return Err(reader.bad("host", "must be a server's name alone, such as mail.example.org"));
        }
        let tls = self.tls.unwrap_or_default();
        let port = self.port.unwrap_or(match tls {
            MailTls::Tls => ports.0,
            MailTls::Starttls => ports.1,
        });
        let login = login?.or_else(|| like.map(|like| like.login.clone())).ok_or_else(|| {
            let hint = "say where the password is kept, here or with password_env or password_file";
            reader.missing("password_command", hint)
        })?;
        let user = self.user.or_else(|| like.map(|like| like.user.clone()));
        let user = user.unwrap_or_else(|| address.to_owned());
        if user.contains(char::is_control) {
            return Err(reader.bad("user", "must be a plain name"));
        }
        let is_digest = |pin: &String| pin.chars().filter(char::is_ascii_hexdigit).count() == 64;
        if self.tls_pin.as_ref().is_some_and(|pin| !is_digest(pin)) {
            return Err(reader.bad("tls_pin", "must be the SHA-256 of a certificate, 64 hexadecimal digits"));
        }
        let ca_file = self.ca_file.map(|path| reader.path(&path));
        Ok(MailServer { host, port, tls, user, login, ca_file, tls_pin: self.tls_pin })
    }

    fn read_login(
        &self,
        reader: &Reader<'_>,
        google: impl FnOnce() -> Result<Google, Error>,
    ) -> Result<Option<MailLogin>, Error> {
        let file = |path: &String| MailLogin::Password(Secret::File(reader.path(path)));
        let command = |command: &Option<String>| command.clone().map(Secret::Command);
        let google = self.login.map(|LoginAt::Google| google()).transpose()?;
        let sources = [
            (
                "password_env".to_owned(),
                reader.variable("password", "password", &self.password_env)?.map(MailLogin::Password),
            ),
            ("password_command".to_owned(), command(&self.password_command).map(MailLogin::Password)),
            ("password_file".to_owned(), self.password_file.as_ref().map(file)),
            ("token_command".to_owned(), command(&self.token_command).map(MailLogin::Token)),
            ("login".to_owned(), google.map(|google| MailLogin::Google(Box::new(google)))),
        ];
        reader.only_one(sources)
    }
}
