//! The config of a data folder, on a machine where nobody is at home.

use sayso::config::{Config, Env, Flags, Host, Inputs};
use std::path::Path;
use std::sync::Arc;

pub fn load(data: &Path, env: &Env) -> Arc<Config> {
    let host = Host {
        home: None,
        working_dir: data.to_owned(),
        data_dir: None,
        config_dir: None,
        time_zone: jiff::tz::TimeZone::UTC,
    };
    let flags = Flags { data: Some(data.to_owned()), ..Flags::default() };
    Arc::new(Config::load(&Inputs { flags, env: env.clone(), host }).unwrap())
}
