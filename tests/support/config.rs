//! The config of a data folder, on a machine without a home folder.

use jiff::tz::TimeZone;
use sayso::config::{Config, Env, Flags, Host, Inputs};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub fn load(data: &Path, env: &Env) -> Arc<Config> {
    load_at(data, env, None, TimeZone::UTC)
}

/// The same with a home folder and a time zone.
pub fn load_at(data: &Path, env: &Env, home: Option<PathBuf>, time_zone: TimeZone) -> Arc<Config> {
    let host = Host { home, working_dir: data.to_owned(), data_dir: None, config_dir: None, time_zone };
    let flags = Flags { data: Some(data.to_owned()), ..Flags::default() };
    Arc::new(Config::load(&Inputs { flags, env: env.clone(), host }).unwrap())
}
