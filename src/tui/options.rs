//! The screen's options, and the workflows that can be started from it.

use super::signs::Glyphs;
use super::theme::Colours;
use crate::app::{TourStep, is_demo, plays_demo_script};
use crate::config::{Config, MailMode, Notices, OwnCommand, ThemeName};
use crate::engine::graph::ThreadId;
use jiff::tz::TimeZone;
use std::collections::BTreeMap;

/// What the form for a new thread knows about a workflow.
#[derive(Clone, Debug, PartialEq)]
pub struct Startable {
    pub name: String,
    pub about: String,
    pub schema: serde_json::Value,
}

#[derive(Clone, Debug)]
pub struct Options {
    pub theme: ThemeName,
    /// How many colours the terminal shows.
    pub colours: Colours,
    /// Which signs its font has.
    pub glyphs: Glyphs,
    /// Keys that replace the default ones, by action name.
    pub keys: BTreeMap<String, Vec<String>>,
    /// The user's own commands.
    pub commands: Vec<OwnCommand>,
    /// How the user is told that something new waits.
    pub notices: Notices,
    /// Decides when the user's days begin and end.
    pub time_zone: TimeZone,
    /// The user's own refusals, numbered from 1.
    pub refusals: Vec<String>,
    /// The addresses that a new mail can leave from.
    pub senders: Vec<String>,
    /// Whether this is the demo; the header says so.
    pub demo: bool,
    /// Whether the demo's script stands in for a model; the header says so, too.
    pub demo_script: bool,
    /// Whether an account only observes; the header says so.
    pub observes: bool,
    /// Whether the config names neither a mailbox nor a server that something could come from.
    pub no_sources: bool,
    /// The steps of the tour.
    pub tour: Vec<TourStep>,
    /// The thread that was just started from a shell; the inbox stays with it.
    pub started: Option<ThreadId>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            theme: ThemeName::Default,
            colours: Colours::default(),
            glyphs: Glyphs::default(),
            keys: BTreeMap::new(),
            commands: Vec::new(),
            notices: Notices::default(),
            time_zone: TimeZone::system(),
            refusals: Vec::new(),
            senders: Vec::new(),
            demo: false,
            demo_script: false,
            observes: false,
            no_sources: false,
            tour: Vec::new(),
            started: None,
        }
    }
}

impl From<&Config> for Options {
    fn from(config: &Config) -> Self {
        Self {
            theme: config.theme,
            keys: config.keys.clone(),
            commands: config.commands.clone(),
            notices: config.notices,
            time_zone: config.user.time_zone.clone(),
            refusals: config.approvals.refusals.clone(),
            senders: config.senders().map(str::to_owned).collect(),
            demo: is_demo(&config.data),
            demo_script: plays_demo_script(config),
            observes: config.mail.iter().any(|mail| mail.mode == MailMode::Observe),
            no_sources: config.mail.is_empty() && config.servers.is_empty(),
            ..Self::default()
        }
    }
}
