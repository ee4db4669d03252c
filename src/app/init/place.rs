//! Parses how other programs write files, paths, servers and passwords.

use crate::config::{Env, MailLogin, MailServer, MailTls, Secret};
use crate::text::shell_words;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Longer than any settings file, in bytes.
const MAX_FILE_BYTES: u64 = 256 * 1024;

/// The text of a settings file, if it exists and is a regular file.
pub(super) fn text(path: &Path) -> Option<String> {
    // Opening a pipe would wait for its other end.
    if !std::fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(MAX_FILE_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Where programs keep their settings.
pub(super) fn config_home(home: &Path, env: &Env) -> PathBuf {
    let named = env.get("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    named.unwrap_or_else(|| home.join(".config"))
}

/// A path as people write it; `~` and `$HOME` mean the home folder.
pub(super) fn path(text: &str, home: &Path) -> PathBuf {
    let rest = ["~/", "$HOME/", "${HOME}/"].iter().find_map(|start| text.strip_prefix(start));
    let joined = match rest {
        Some(rest) => home.join(rest),
        None if matches!(text, "~" | "$HOME" | "${HOME}") => home.to_owned(),
        None => home.join(text),
    };
    joined.components().collect()
}

/// One short word for an account, valid in the config.
pub(super) fn short_name(text: &str) -> String {
    let word: String = text
        .trim()
        .chars()
        .map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '@' | '+') { c } else { '-' })
        .take(30)
        .collect();
    let word = word.trim_matches(['-', '.']).to_lowercase();
    if word.is_empty() { "mail".to_owned() } else { word }
}

/// The variable for a password that no command prints.
pub(super) fn variable(account: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    format!("SAYSO_PASSWORD_{}", short_name(account).chars().map(plain).collect::<String>())
}

/// How another program stores a password, as far as we may know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Password {
    /// A command prints it.
    Command(String),
    /// It is in the file itself, and stays there.
    Written,
    /// The file does not mention it.
    Unknown,
}

impl Password {
    /// How sayso can get it, and what the user has to do for that.
    pub(super) fn login(&self, account: &str, program: &str, token: bool) -> (MailLogin, Option<String>) {
        let variable = variable(account);
        let (secret, note) = match self {
            Self::Command(command) => (Secret::Command(command.clone()), None),
            Self::Written => {
                let note = format!(
                    "{program} has the password of {account} in its file, and it was not copied; set {variable} to it, or \
                     write a password_command or a password_file into the config"
                );
                (Secret::Env(variable), Some(note))
            }
            Self::Unknown => {
                let note = format!(
                    "{program} does not say where the password of {account} is kept; set {variable} to it, or write a \
                     password_command or a password_file into the config"
                );
                (Secret::Env(variable), Some(note))
            }
        };
        (if token { MailLogin::Token(secret) } else { MailLogin::Password(secret) }, note)
    }
}

/// A server from a URL. A password in the URL is noticed, not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ServerUrl {
    pub(super) scheme: String,
    pub(super) user: Option<String>,
    pub(super) written: bool,
    pub(super) host: String,
    pub(super) port: Option<u16>,
}

impl ServerUrl {
    /// Reads `scheme://user:password@host:port/…`; `None` if it is not such a URL.
    pub(super) fn read(url: &str) -> Option<Self> {
        let (scheme, rest) = url.trim().split_once("://")?;
        let place = rest.split('/').next().unwrap_or_default();
        let (who, place) = match place.rsplit_once('@') {
            Some((who, place)) => (Some(who), place),
            None => (None, place),
        };
        let (host, port) = match place.rsplit_once(':') {
            Some((host, port)) if !host.ends_with(':') => (host, Some(port.parse().ok()?)),
            _ => (place, None),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']').to_lowercase();
        if host.is_empty() || host.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return None;
        }
        let written = who.is_some_and(|who| who.contains(':'));
        let user = who.and_then(|who| who.split(':').next()).filter(|user| !user.is_empty()).map(unescaped);
        Some(Self { scheme: scheme.to_lowercase(), user, written, host, port })
    }
}

/// A server, with the usual port if none is given.
pub(super) fn server(
    host: &str,
    port: Option<u16>,
    tls: MailTls,
    default_ports: [u16; 2],
    user: &str,
    login: MailLogin,
) -> MailServer {
    let [by_tls, by_starttls] = default_ports;
    let default_port = match tls {
        MailTls::Tls => by_tls,
        MailTls::Starttls => by_starttls,
    };
    MailServer {
        host: host.to_owned(),
        port: port.unwrap_or(default_port),
        tls,
        user: user.to_owned(),
        login,
        ca_file: None,
        tls_pin: None,
    }
}

/// The ports of IMAP and SMTP, by TLS and by STARTTLS.
pub(super) const IMAP: [u16; 2] = [993, 143];
pub(super) const SMTP: [u16; 2] = [465, 587];

/// Decodes the percent escapes of a URL.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let hex = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        match hex.filter(|_| *first == b'%').and_then(|two| u8::from_str_radix(two, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The bare address in a text, in lower case, if it looks like one.
pub(super) fn address(text: &str) -> Option<String> {
    let address = match text.rsplit_once('<') {
        Some((_, rest)) => rest.split('>').next().unwrap_or_default(),
        None => text,
    };
    let address = address.trim();
    let odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '<' | '>' | ',' | ';' | '"');
    let (user, domain) = address.rsplit_once('@')?;
    (!user.is_empty() && !domain.is_empty() && !address.contains(odd)).then(|| address.to_lowercase())
}

/// Splits words like a shell.
pub(super) fn words(line: &str) -> Vec<String> {
    shell_words(line, Some('\\'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_read_from_urls_and_their_passwords_are_not() {
        let named = ServerUrl::read("imaps://ada%40example.org:s3cret@Mail.Example.org:1993/INBOX").unwrap();
        assert_eq!(named.user.as_deref(), Some("ada@example.org"));
        assert_eq!((named.host.as_str(), named.port, named.written), ("mail.example.org", Some(1993), true));
        assert!(!format!("{named:?}").contains("s3cret"));
        for odd in ["", "mail.example.org", "imaps://", "imaps://a@b:notaport/"] {
            assert_eq!(ServerUrl::read(odd), None, "{odd}");
        }
    }

    #[test]
    fn paths_and_names_are_read_as_people_write_them() {
        let home = Path::new("/home/ada");
        for (text, expected) in [
            ("~/Mail/", "/home/ada/Mail"),
            ("$HOME/Mail", "/home/ada/Mail"),
            ("/var/mail", "/var/mail"),
            ("Mail", "/home/ada/Mail"),
            ("~", "/home/ada"),
        ] {
            assert_eq!(path(text, home), Path::new(expected), "{text}");
        }
        assert_eq!((short_name(" Work Mail!"), short_name("///")), ("work-mail".into(), "mail".into()));
        assert_eq!(variable("ada@example.org"), "SAYSO_PASSWORD_ADA_EXAMPLE_ORG");
        assert_eq!(address("Ada <Ada@Example.org>").as_deref(), Some("ada@example.org"));
        assert_eq!((address("nobody"), address("a@b, c@d")), (None, None));
    }
}
