//! What was typed (file, environment, flags) and what it means.
//!
//! Promises: a value that makes no sense is refused with one sentence that says what, where and what to do.
//! [`Config::load`] reads one file and nothing else of the process: flags, environment and machine are passed in. Does
//! not write config files, open databases, reach servers, or use secrets (see [`Secret`]).
//!
//! The steps: `paths` finds the file, `document` parses it, serde reads it (by `deserialize`) into the sections that
//! `resolve` lists, and `resolve` makes the [`Config`] of `settings` from them.
//!
//! Each feature has one file: its keys, declared by `section!` of `values`, and what they mean together.

mod apis;
mod approvals;
mod calendar;
mod commands;
mod describe;
mod deserialize;
mod document;
mod duration;
mod error;
mod google;
mod headers;
mod inputs;
mod mail;
mod mail_server;
mod models;
mod notices;
mod outgoing;
mod paths;
mod plain;
mod resolve;
mod rules;
mod secret;
mod servers;
mod settings;
mod traces;
mod url;
mod user;
mod values;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use paths::Paths;

pub use apis::Api;
pub use approvals::{Approvals, Expiry};
pub use calendar::{CalDavServer, Calendar};
pub use commands::OwnCommand;
pub use describe::Setting;
pub use duration::{Lasts, parse_duration};
pub use error::Error;
pub use google::Google;
pub use headers::Header;
pub use inputs::{Env, Flags, Host, Inputs};
pub use mail::{AfterHandling, Mail, MailMode, MailSource};
pub use mail_server::{MailLogin, MailServer, MailTls};
pub use models::{ME, Model, Price, Provider};
pub use notices::{Desktop, NoticeCommand, Notices};
pub use outgoing::{FiledBy, MailOutgoing};
pub use plain::{Budget, Engine, Intake, Learning, Level, Policy, PolicyMode, Reach, Sheet, ThemeName};
pub use rules::{Rule, RuleClass, RuleInput};
pub use secret::{Secret, SecretError, without_secrets};
pub use servers::Server;
pub use settings::Config;
pub use traces::Traces;
pub use url::is_loopback;
pub use user::User;

/// Longer than any config; a longer file is something else.
const LONGEST: u64 = 1024 * 1024;

impl Config {
    /// The addresses that a new mail can leave from, the usual one first.
    pub fn senders(&self) -> impl Iterator<Item = &str> {
        self.mail.iter().filter(|mail| mail.outgoing.is_some()).map(|mail| mail.address.as_str())
    }

    /// Finds the config file, reads it, and resolves it together with `inputs`.
    ///
    /// Without a file, everything is default. A file named by a flag or a variable has to exist.
    pub fn load(inputs: &Inputs) -> Result<Self, Error> {
        let (paths, text) = find(inputs)?;
        resolve::resolve(inputs, &paths, text.as_deref())
    }

    /// Resolves `text` as if it were the config file at `path`.
    pub fn of_text(inputs: &Inputs, path: &Path, text: &str) -> Result<Self, Error> {
        let mut paths = Paths::locate(inputs, Path::exists)?;
        paths.config = Some(path.to_owned());
        resolve::resolve(inputs, &paths, Some(text))
    }
}

/// Every key that has a value. A secret is shown by where it is kept.
pub fn describe(inputs: &Inputs) -> Result<Vec<Setting>, Error> {
    let (paths, text) = find(inputs)?;
    let config = resolve::resolve(inputs, &paths, text.as_deref())?;
    describe::settings(inputs, &paths, text.as_deref(), &config)
}

/// The data folder, which does not depend on the config file.
pub fn data_folder(inputs: &Inputs) -> Result<PathBuf, Error> {
    Ok(Paths::locate(inputs, Path::exists)?.data)
}

/// Where a new config file belongs: the file that was named, else next to the data if the data folder was named, else
/// the platform's folder.
pub fn place_for_new(inputs: &Inputs) -> Result<PathBuf, Error> {
    let paths = Paths::locate(inputs, Path::exists)?;
    match (paths.config_named, paths.data_named) {
        (None, Some(_)) => Ok(paths.data.join(paths::FILE_NAME)),
        _ => paths.config.ok_or(Error::NoHome),
    }
}

/// Where everything is, and the text of the config file; `None` if a file that nobody named does not exist.
fn find(inputs: &Inputs) -> Result<(Paths, Option<String>), Error> {
    let paths = Paths::locate(inputs, Path::exists)?;
    let Some(path) = paths.config.clone() else { return Ok((paths, None)) };
    let mut bytes = Vec::new();
    match File::open(&path).and_then(|file| file.take(LONGEST + 1).read_to_end(&mut bytes)) {
        Ok(length) if length as u64 > LONGEST => {
            Err(Error::NotAConfig { path, why: "longer than a megabyte" })
        }
        Ok(_) => match String::from_utf8(bytes) {
            Ok(text) => Ok((paths, Some(text))),
            Err(_) => Err(Error::NotAConfig { path, why: "not UTF-8 text" }),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => match paths.config_named {
            None => Ok((paths, None)),
            Some(named) => Err(Error::Missing { path, named }),
        },
        Err(source) => Err(Error::Unreadable { path, source }),
    }
}

#[cfg(test)]
mod tests;
