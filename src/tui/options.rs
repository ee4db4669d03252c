//! How the screen is to be, and what can be started from it.

use super::theme::Colours;
use crate::app::{TourStep, is_demo};
use crate::config::{Config, MailMode, Notices, OwnCommand, ThemeName};
use jiff::tz::TimeZone;
use std::collections::BTreeMap;

/// A workflow as the form for a new thread knows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Startable {
    pub name: String,
    /// What it does.
    pub about: String,
    /// The schema of its input.
    pub schema: serde_json::Value,
}

/// How the screen is to be.
#[derive(Clone, Debug)]
pub struct Options {
    /// The colours.
    pub theme: ThemeName,
    /// How many of them the terminal shows.
    pub colours: Colours,
    /// Keys by the name of their action, if they are not the usual ones.
    pub keys: BTreeMap<String, Vec<String>>,
    /// Commands of the person's own.
    pub commands: Vec<OwnCommand>,
    /// How a person is told that something new waits.
    pub notices: Notices,
    /// Where the person's days begin and end.
    pub time_zone: TimeZone,
    /// Refusals of the person's own, by their number from 1 on.
    pub refusals: Vec<String>,
    /// Whether this is the demo: the header says so.
    pub demo: bool,
    /// Whether an account only observes: the header says so.
    pub observes: bool,
    /// What a person is led through, step by step.
    pub tour: Vec<TourStep>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            theme: ThemeName::Default,
            colours: Colours::default(),
            keys: BTreeMap::new(),
            commands: Vec::new(),
            notices: Notices::default(),
            time_zone: TimeZone::system(),
            refusals: Vec::new(),
            demo: false,
            observes: false,
            tour: Vec::new(),
        }
    }
}

impl From<&Config> for Options {
    fn from(config: &Config) -> Self {
        Self {
            theme: config.theme,
            colours: Colours::default(),
            keys: config.keys.clone(),
            commands: config.commands.clone(),
            notices: config.notices,
            time_zone: config.user.time_zone.clone(),
            refusals: config.approvals.refusals.clone(),
            demo: is_demo(&config.data),
            observes: config.mail.iter().any(|mail| mail.mode == MailMode::Observe),
            tour: Vec::new(),
        }
    }
}
