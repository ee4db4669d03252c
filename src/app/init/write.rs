//! Writes the first config of a new user: short, with reasons, and set to observe.

use super::{Candidate, Hosted};
use crate::config::{MailLogin, MailServer, MailSource, MailTls, Secret};
use crate::text::{atomic_write, write_error_text};
use jiff::Timestamp;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// What the user chose.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    pub name: Option<String>,
    /// The user's mail address.
    pub address: Option<String>,
    pub accounts: Vec<Candidate>,
    pub model: ChosenModel,
    /// Services with a key in the environment, to be mentioned next to the model.
    pub hosted: Vec<&'static Hosted>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ChosenModel {
    /// The built-in rules.
    #[default]
    Builtin,
    /// A model of a provider.
    Named {
        /// The provider, as the config calls it.
        provider: String,
        /// The model, as the provider calls it.
        name: String,
        /// The environment variable with its key.
        key: Option<String>,
        /// Its server, if not the provider's usual one.
        base_url: Option<String>,
    },
}

#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// There is one already, and it stays.
    #[error(
        "there is a config already, {}; `sayso doctor` checks it, and `sayso init --force` writes a new one and keeps this one beside it",
        .0.display()
    )]
    AlreadyExists(PathBuf),
    #[error("{} cannot be written: {}", path.display(), write_error_text(source))]
    Io {
        /// Where the config belongs.
        path: PathBuf,
        source: io::Error,
    },
}

/// Writes a config, whole or not at all. If there is one already, fails; with `over`, keeps the old one next to it
/// under a dated name and returns that name.
pub fn write_config(path: &Path, text: &str, over: Option<Timestamp>) -> Result<Option<PathBuf>, WriteError> {
    let unwritable = |source| WriteError::Io { path: path.to_owned(), source };
    if let Some(folder) = path.parent() {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(unwritable)?;
    }
    match over {
        Some(now) => {
            let stamp = now.strftime("%Y%m%d-%H%M%S").to_string();
            atomic_write::write_private(path, text.as_bytes(), &stamp).map_err(unwritable)
        }
        None => match atomic_write::create_private(path, text.as_bytes()) {
            Ok(()) => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(WriteError::AlreadyExists(path.to_owned()))
            }
            Err(error) => Err(unwritable(error)),
        },
    }
}

/// The text of a config. It contains no secret, only where each is kept.
pub fn config_text(chosen: &Chosen, home: Option<&Path>) -> String {
    let mut text = Text { out: String::new(), home };
    text.line("# Written by `sayso init`. `sayso doctor` checks it, `sayso config` shows what it means, and");
    text.line("# config.example.toml has every key with its default.");
    text.line("");
    text.line("# Whose inbox this is.");
    text.line("[user]");
    text.maybe("name", chosen.name.as_deref());
    text.maybe("address", chosen.address.as_deref());
    text.line("# Who you are and what matters to you, in your own words; agents read it.");
    text.line("#background = \"\"");
    text.line("");
    text.model(chosen);
    for account in &chosen.accounts {
        text.line("");
        text.account(account, chosen.address.as_deref());
    }
    text.out
}

struct Text<'a> {
    out: String,
    home: Option<&'a Path>,
}

impl Text<'_> {
    fn line(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    fn set(&mut self, key: &str, value: impl Into<toml::Value>) {
        let value = value.into();
        self.line(&format!("{key} = {value}"));
    }

    fn maybe(&mut self, key: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.set(key, value);
        }
    }

    /// A path, shortened with `~` if it is in the home folder.
    fn path(&mut self, key: &str, path: &Path) {
        let short =
            self.home.and_then(|home| path.strip_prefix(home).ok()).map(|rest| Path::new("~").join(rest));
        self.set(key, short.as_deref().unwrap_or(path).to_string_lossy().into_owned());
    }

    fn model(&mut self, chosen: &Chosen) {
        self.line("# Who answers. `builtin` is no model: rules triage your mail, and nothing of it leaves this machine.");
        self.line("[model]");
        match &chosen.model {
            ChosenModel::Builtin => self.set("provider", "builtin"),
            ChosenModel::Named { provider, name, key, base_url } => {
                self.set("provider", provider.as_str());
                self.set("name", name.as_str());
                self.maybe("base_url", base_url.as_deref());
                self.maybe("api_key_env", key.as_deref());
            }
        }
        for Hosted { service, key, .. } in &chosen.hosted {
            if matches!(&chosen.model, ChosenModel::Named { key: Some(used), .. } if used == key) {
                continue;
            }
            self.line(&format!("# {key} is set: a model of {service} would be sent your mail's text."));
        }
    }

    fn account(&mut self, account: &Candidate, usual: Option<&str>) {
        self.line(&format!("# Found in: {}", one_line(&account.found_in.join(", "))));
        self.line("[[mail]]");
        self.set("name", account.name.as_str());
        match &account.source {
            MailSource::Maildir { path, drafts, sent, .. } => {
                self.path("path", path);
                if let Some(sent) = sent {
                    self.path("sent", sent);
                }
                if let Some(drafts) = drafts {
                    self.path("drafts", drafts);
                }
            }
            MailSource::Imap { server, .. } => {
                self.set("kind", "imap");
                self.server(server);
            }
        }
        let address = account.address.as_deref().filter(|address| Some(*address) != usual);
        self.maybe("address", address);
        self.line("# observe: nothing is sent or marked, and cards say what would happen. \"act\" does what you approve.");
        self.set("mode", "observe");
        match &account.outgoing {
            None => {
                self.line("# How mail leaves once the mode is \"act\"; without it nothing can be sent.");
                self.line("#[mail.outgoing]");
                self.line("#kind = \"command\"");
                self.line("#command = [\"msmtp\"]");
            }
            Some(server) => {
                self.line("[mail.outgoing]");
                self.set("kind", "smtp");
                self.server(server);
            }
        }
    }

    fn server(&mut self, server: &MailServer) {
        self.set("host", server.host.as_str());
        self.set("port", i64::from(server.port));
        if server.tls == MailTls::Starttls {
            self.set("tls", "starttls");
        }
        self.set("user", server.user.as_str());
        let MailLogin::Password(secret) = &server.login else { return };
        match secret {
            Secret::Env(name) => self.set("password_env", name.as_str()),
            Secret::Command(command) => self.set("password_command", command.as_str()),
            Secret::File(path) => self.path("password_file", path),
        }
    }
}

/// Keeps a comment on one line.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
