//! Flags that every verb takes.

use crate::config::Flags;
use clap::{ArgAction, Args};
use std::path::PathBuf;

/// Flags that every verb takes, before or after it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Everywhere")]
pub(super) struct Global {
    /// Keep everything in this folder [env: SAYSO_DATA]
    #[arg(long, global = true, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Read this config [env: SAYSO_CONFIG]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Use this model for everything: builtin, or one of [models.NAME] [env: SAYSO_MODEL]
    #[arg(long, global = true, value_name = "NAME")]
    model: Option<String>,
    /// Answer in JSON
    #[arg(long, global = true)]
    pub(super) json: bool,
    /// Also write the log to stderr; twice for more of it
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(super) verbose: u8,
}

impl Global {
    /// The flags that affect the config.
    pub(super) fn flags(&self) -> Flags {
        Flags { data: self.data.clone(), config: self.config.clone(), model: self.model.clone() }
    }
}
