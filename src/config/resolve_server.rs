//! From what was typed of a mail server to what is meant.

use super::error::Error;
use super::mail::{MailLogin, MailServer, MailTls};
use super::raw_mail as raw;
use super::resolve::{Meaning, is_variable};
use super::secret::Secret;

/// A server as typed, and where its keys stand.
pub(super) struct Server {
    keys: &'static Keys,
    host: Option<String>,
    port: Option<u16>,
    tls: Option<MailTls>,
    user: Option<String>,
    password_env: Option<String>,
    password_command: Option<String>,
    password_file: Option<String>,
    token_command: Option<String>,
    ca_file: Option<String>,
    tls_pin: Option<String>,
}

/// What its keys are called, and the ports it has where none is written: safe at once, and safe after a word.
struct Keys {
    host: &'static str,
    port: &'static str,
    tls: &'static str,
    user: &'static str,
    password_env: &'static str,
    password_command: &'static str,
    password_file: &'static str,
    token_command: &'static str,
    ca_file: &'static str,
    tls_pin: &'static str,
    ports: (u16, u16),
}

const IMAP: Keys = Keys {
    host: "host",
    port: "port",
    tls: "tls",
    user: "user",
    password_env: "password_env",
    password_command: "password_command",
    password_file: "password_file",
    token_command: "token_command",
    ca_file: "ca_file",
    tls_pin: "tls_pin",
    ports: (993, 143),
};

const SMTP: Keys = Keys {
    host: "outgoing.host",
    port: "outgoing.port",
    tls: "outgoing.tls",
    user: "outgoing.user",
    password_env: "outgoing.password_env",
    password_command: "outgoing.password_command",
    password_file: "outgoing.password_file",
    token_command: "outgoing.token_command",
    ca_file: "outgoing.ca_file",
    tls_pin: "outgoing.tls_pin",
    ports: (465, 587),
};

macro_rules! typed_server {
    ($typed:expr, $keys:expr) => {
        Self {
            keys: $keys,
            host: $typed.host.clone(),
            port: $typed.port,
            tls: $typed.tls,
            user: $typed.user.clone(),
            password_env: $typed.password_env.clone(),
            password_command: $typed.password_command.clone(),
            password_file: $typed.password_file.clone(),
            token_command: $typed.token_command.clone(),
            ca_file: $typed.ca_file.clone(),
            tls_pin: $typed.tls_pin.clone(),
        }
    };
}

impl Server {
    pub(super) fn of_mail(mail: &raw::Mail) -> Self {
        typed_server!(mail, &IMAP)
    }

    pub(super) fn of_outgoing(outgoing: &raw::Outgoing) -> Self {
        typed_server!(outgoing, &SMTP)
    }

    /// The first of its keys that is written.
    pub(super) fn is_begun(&self) -> Option<&'static str> {
        let keys = self.keys;
        let written = [
            (keys.host, self.host.is_some()),
            (keys.port, self.port.is_some()),
            (keys.tls, self.tls.is_some()),
            (keys.user, self.user.is_some()),
            (keys.password_env, self.password_env.is_some()),
            (keys.password_command, self.password_command.is_some()),
            (keys.password_file, self.password_file.is_some()),
            (keys.token_command, self.token_command.is_some()),
            (keys.ca_file, self.ca_file.is_some()),
            (keys.tls_pin, self.tls_pin.is_some()),
        ];
        written.into_iter().find(|(_, is_written)| *is_written).map(|(key, _)| key)
    }
}

impl Meaning<'_> {
    /// A server; what is not written of its login is as for `like`.
    pub(super) fn server(
        &self,
        at: &str,
        typed: &Server,
        address: &str,
        like: Option<&MailServer>,
    ) -> Result<MailServer, Error> {
        let keys = typed.keys;
        let host = typed.host.as_ref().ok_or_else(|| {
            self.missing("mail", at, keys.host, "write the server's name, such as mail.example.org")
        })?;
        let is_odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '/' | '@');
        if host.is_empty() || host.contains(is_odd) {
            let why = "must be a server's name alone, such as mail.example.org";
            return Err(self.bad("mail", at, keys.host, why));
        }
        let tls = typed.tls.unwrap_or_default();
        let port = typed.port.unwrap_or(match tls {
            MailTls::Tls => keys.ports.0,
            MailTls::Starttls => keys.ports.1,
        });
        let login = match (self.login(at, typed)?, like) {
            (Some(login), _) => login,
            (None, Some(like)) => like.login.clone(),
            (None, None) => {
                let hint = "say where the password is kept, here or with password_env or password_file";
                return Err(self.missing("mail", at, keys.password_command, hint));
            }
        };
        let user = typed.user.clone().or_else(|| like.map(|like| like.user.clone()));
        let user = user.unwrap_or_else(|| address.to_owned());
        if user.contains(char::is_control) {
            return Err(self.bad("mail", at, keys.user, "must be a plain name"));
        }
        let is_digest = |pin: &String| pin.chars().filter(char::is_ascii_hexdigit).count() == 64;
        if typed.tls_pin.as_ref().is_some_and(|pin| !is_digest(pin)) {
            let why = "must be the SHA-256 of a certificate, 64 hexadecimal digits";
            return Err(self.bad("mail", at, keys.tls_pin, why));
        }
        Ok(MailServer {
            host: host.clone(),
            port,
            tls,
            user,
            login,
            ca_file: typed.ca_file.as_ref().map(|path| self.path(path)),
            tls_pin: typed.tls_pin.clone(),
        })
    }

    fn login(&self, at: &str, typed: &Server) -> Result<Option<MailLogin>, Error> {
        let keys = typed.keys;
        // Whoever writes the password itself here must not see it again in an error.
        if typed.password_env.as_deref().is_some_and(|variable| !is_variable(variable)) {
            let why = "must be the name of an environment variable, in capitals, and not the password itself";
            return Err(self.bad("mail", at, keys.password_env, why));
        }
        let file = |path: &String| MailLogin::Password(Secret::File(self.path(path)));
        let sources = [
            (
                keys.password_env,
                typed.password_env.clone().map(|name| MailLogin::Password(Secret::Env(name))),
            ),
            (
                keys.password_command,
                typed.password_command.clone().map(|command| MailLogin::Password(Secret::Command(command))),
            ),
            (keys.password_file, typed.password_file.as_ref().map(file)),
            (
                keys.token_command,
                typed.token_command.clone().map(|command| MailLogin::Token(Secret::Command(command))),
            ),
        ];
        let mut found: Option<(&str, MailLogin)> = None;
        for (key, login) in sources {
            match (login, &found) {
                (None, _) => {}
                (Some(login), None) => found = Some((key, login)),
                (Some(_), Some((first, _))) => {
                    let why = format!("says the same as {first}; keep one of them");
                    return Err(self.bad("mail", at, key, why));
                }
            }
        }
        Ok(found.map(|(_, login)| login))
    }
}
