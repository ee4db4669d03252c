//! Everything the config is made from besides its file: flags, environment, machine.
//!
//! All of it is passed in, so the rest of the module is a function of its arguments. Only [`Env::process`] and
//! [`Host::system`] look at the process, and nothing in this module calls them.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

use directories::{BaseDirs, ProjectDirs};
use jiff::tz::TimeZone;

/// What the config is made from.
#[derive(Clone, Debug)]
pub struct Inputs {
    /// The global flags of the command line.
    pub flags: Flags,
    pub env: Env,
    pub host: Host,
}

/// The global flags that concern the config.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    /// `--data DIR`
    pub data: Option<PathBuf>,
    /// `--config FILE`
    pub config: Option<PathBuf>,
    /// `--model NAME`
    pub model: Option<String>,
}

/// Environment variables. They may be secrets, so they are looked up one at a time and never printed.
#[derive(Clone, Default)]
pub struct Env(BTreeMap<String, OsString>);

impl Env {
    /// The environment of this process.
    pub fn process() -> Self {
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value))).collect()
    }

    /// The value of `name`; an empty one counts as not set, as is usual for paths and keys.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.0.get(name).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// The values of all variables.
    pub fn values(&self) -> impl Iterator<Item = &OsStr> {
        self.0.values().map(OsString::as_os_str)
    }
}

impl<N: Into<String>, V: Into<OsString>> FromIterator<(N, V)> for Env {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Self {
        Self(variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

impl fmt::Debug for Env {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Env({} variables)", self.0.len())
    }
}

/// What the config needs to know about the machine.
#[derive(Clone, Debug)]
pub struct Host {
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// The folder that relative paths in flags start from.
    pub working_dir: PathBuf,
    /// Where the platform keeps a program's data, such as `~/.local/share/sayso`.
    pub data_dir: Option<PathBuf>,
    /// Where the platform keeps a program's config, such as `~/.config/sayso`.
    pub config_dir: Option<PathBuf>,
    /// The system's time zone.
    pub time_zone: TimeZone,
}

impl Host {
    /// Reads all of it from this machine.
    pub fn system() -> Self {
        let project = ProjectDirs::from("", "", "sayso");
        Self {
            home: BaseDirs::new().map(|dirs| dirs.home_dir().to_owned()),
            // If the working folder was deleted, relative paths stay relative; opening them says why it fails.
            working_dir: std::env::current_dir().unwrap_or_default(),
            data_dir: project.as_ref().map(|dirs| dirs.data_dir().to_owned()),
            config_dir: project.as_ref().map(|dirs| dirs.config_dir().to_owned()),
            time_zone: TimeZone::system(),
        }
    }

    /// Expands a path typed here: `~` is the home folder, and a relative path starts at the working folder.
    pub fn expand(&self, typed: &Path) -> PathBuf {
        self.expand_from(&self.working_dir, typed)
    }

    /// The same, but a relative path starts at `base`.
    ///
    /// `~name` is left as written, a file of that name: other users' folders are not looked up.
    pub(super) fn expand_from(&self, base: &Path, typed: &Path) -> PathBuf {
        let path = at_home(typed, self.home.as_deref()).unwrap_or_else(|| base.join(typed));
        // Drops the `.` of `./file` and a slash at the end, which only make a path longer to read.
        path.components().collect()
    }
}

/// Expands a leading `~`; `None` if the path has none.
pub(super) fn at_home(path: &Path, home: Option<&Path>) -> Option<PathBuf> {
    Some(home?.join(path.strip_prefix("~").ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::tests::inputs;

    #[test]
    fn paths_are_expanded() {
        for (text, expected) in [
            ("~", "/home/ada"),
            ("~/Mail/", "/home/ada/Mail"),
            ("key", "/etc/sayso/key"),
            ("./key", "/etc/sayso/key"),
            ("../key", "/etc/sayso/../key"),
            ("/key", "/key"),
            ("~bob/key", "/etc/sayso/~bob/key"),
        ] {
            let expanded = inputs().host.expand_from(Path::new("/etc/sayso"), Path::new(text));
            assert_eq!(expanded, Path::new(expected), "{text}");
        }
    }

    #[test]
    fn the_environment_is_never_printed() {
        let env = Env::from_iter([("OPENAI_API_KEY", "canary")]);
        assert_eq!(format!("{env:?}"), "Env(1 variables)");
        assert_eq!(env.get("OPENAI_API_KEY"), Some(OsStr::new("canary")));
    }

    #[test]
    fn an_empty_variable_is_not_set() {
        assert_eq!(Env::from_iter([("SAYSO_DATA", "")]).get("SAYSO_DATA"), None);
    }
}
