//! What was typed (file, environment, flags) and what it means.
//!
//! Promises: flags win over the environment, the environment over the file, the file over the defaults, and every value
//! remembers where it came from. A value that makes no sense is refused with one sentence that says what, where and
//! what to do. [`Config::load`] reads one file and nothing else of the process: flags, environment and machine are
//! passed in. Does not write config files, open databases, reach servers, or use secrets (see [`Secret`]).
//!
//! The steps: `paths` finds the file, `read` checks it and the environment against the sections that `sections` lists,
//! `layers` layers them, and `resolve` builds the [`Config`] of `settings` from what each feature reads.
//!
//! Each feature has one file: its keys, declared by `section!` with their help, and what they mean. All of them build
//! on `keys` and `reader`.

mod apis;
mod approvals;
mod calendar;
mod commands;
mod describe;
mod duration;
mod engine;
mod entries;
mod error;
mod example;
mod google;
mod headers;
mod inputs;
mod intake;
mod keys;
mod layers;
mod mail;
mod mail_server;
mod models;
mod notices;
mod origin;
mod outgoing;
mod paths;
mod policy;
mod read;
mod reader;
mod resolve;
mod rules;
mod screen;
mod secret;
mod sections;
mod servers;
mod settings;
mod sheet;
mod traces;
mod url;
mod user;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use paths::Paths;

pub use apis::Api;
pub use approvals::{Approvals, Expiry};
pub use calendar::{CalDavServer, Calendar};
pub use commands::OwnCommand;
pub use describe::Setting;
pub use duration::parse_duration;
pub use engine::{Budget, Engine, Level};
pub use error::Error;
pub use example::example;
pub use google::Google;
pub use headers::Header;
pub use inputs::{Env, Flags, Host, Inputs};
pub use intake::{Intake, Learning};
pub use mail::{AfterHandling, Mail, MailMode, MailSource};
pub use mail_server::{MailLogin, MailServer, MailTls};
pub use models::{Model, Price, Provider};
pub use notices::{Desktop, NoticeCommand, Notices};
pub use origin::Origin;
pub use outgoing::{FiledBy, MailOutgoing};
pub use policy::{Policy, PolicyMode, Reach};
pub use rules::{Rule, RuleClass, RuleInput};
pub use screen::ThemeName;
pub use secret::{Secret, SecretError, without_secrets};
pub use servers::Server;
pub use settings::Config;
pub use sheet::Sheet;
pub use traces::Traces;
pub use url::is_loopback;
pub use user::User;

/// Longer than any config; a longer file is something else.
const LONGEST: u64 = 1024 * 1024;

impl Config {
    /// Finds the config file, reads it, and resolves it together with `inputs`.
    ///
    /// Without a file, everything is default. A file named by a flag or a variable has to exist.
    pub fn load(inputs: &Inputs) -> Result<Self, Error> {
        let paths = Paths::locate(inputs, Path::exists)?;
        let text = match &paths.config {
            Some(path) => read_text(path, &paths.config_origin)?,
            None => None,
        };
        resolve::resolve(inputs, paths, text.as_deref())
    }

    /// Resolves `text` as if it were the config file at `path`.
    pub fn of_text(inputs: &Inputs, path: &Path, text: &str) -> Result<Self, Error> {
        let mut paths = Paths::locate(inputs, Path::exists)?;
        paths.config = Some(path.to_owned());
        resolve::resolve(inputs, paths, Some(text))
    }
}

/// The data folder, which does not depend on the config file.
pub fn data_folder(inputs: &Inputs) -> Result<PathBuf, Error> {
    Ok(Paths::locate(inputs, Path::exists)?.data)
}

/// Where a new config file belongs: the file that was named, else next to the data if the data folder was named, else
/// the platform's folder.
pub fn place_for_new(inputs: &Inputs) -> Result<PathBuf, Error> {
    let paths = Paths::locate(inputs, Path::exists)?;
    match (&paths.config_origin, &paths.data_origin) {
        (Origin::Default, Origin::Default) => paths.config.ok_or(Error::NoHome),
        (Origin::Default, _) => Ok(paths.data.join(paths::FILE_NAME)),
        _ => paths.config.ok_or(Error::NoHome),
    }
}

/// The text of the file; `None` if a file that nobody named does not exist.
fn read_text(path: &Path, origin: &Origin) -> Result<Option<String>, Error> {
    let mut bytes = Vec::new();
    match File::open(path).and_then(|file| file.take(LONGEST + 1).read_to_end(&mut bytes)) {
        Ok(length) if length as u64 > LONGEST => {
            Err(Error::NotAConfig { path: path.to_owned(), why: "longer than a megabyte" })
        }
        Ok(_) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(Error::NotAConfig { path: path.to_owned(), why: "not UTF-8 text" }),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => match origin {
            Origin::Default => Ok(None),
            Origin::File { .. } | Origin::Env(_) | Origin::Flag(_) => {
                Err(Error::Missing { path: path.to_owned(), origin: origin.clone() })
            }
        },
        Err(source) => Err(Error::Unreadable { path: path.to_owned(), source }),
    }
}

#[cfg(test)]
mod tests;
