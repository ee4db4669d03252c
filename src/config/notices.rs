//! `[notices]`: how the user learns that something new is waiting.

use std::time::Duration;

use jiff::civil::Time;
use serde::Deserialize;

use super::document::Section;
use super::error::{Error, quoted};
use super::values::{Whole, section, switch};

const KINDS: [&str; 4] = ["triage", "approval", "question", "trouble"];

section! {
    pub(super) struct NoticesSection {
        #[serde(deserialize_with = "switch")]
        bell: bool = true,
        desktop: Desktop,
        command: Vec<String>,
        kinds: Vec<String> = KINDS.map(str::to_owned).to_vec(),
        quiet: Option<Quiet>,
        #[serde(rename = "every_seconds", with = "Whole::<0, 86_400>")]
        every: Duration = Duration::from_secs(60),
    }
}

/// How the terminal tells the user that something new is waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notices {
    /// Ring the terminal's bell.
    pub bell: bool,
    /// Have the terminal show a notice on the desktop.
    pub desktop: Desktop,
}

impl Default for Notices {
    fn default() -> Self {
        Self { bell: true, desktop: Desktop::Off }
    }
}

/// A command that tells the user about something new.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NoticeCommand {
    /// The program and its arguments; a title and a gist are appended.
    pub command: Vec<String>,
    /// The kinds of items it is run for.
    pub kinds: Vec<String>,
    /// Quiet hours, from when until when, by the user's clock.
    pub quiet: Option<(Time, Time)>,
    /// The shortest time between two runs.
    pub every: Duration,
}

/// How to ask the terminal for a desktop notice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase", expecting = "a string")]
pub enum Desktop {
    /// Not at all.
    #[default]
    Off,
    /// Understood by iTerm2, WezTerm, kitty and Windows Terminal.
    Osc9,
    /// Understood by rxvt-unicode, foot and Ghostty.
    Osc777,
}

/// Quiet hours, from when until when.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
struct Quiet(Time, Time);

impl TryFrom<String> for Quiet {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let time = |text: &str| Time::strptime("%H:%M", text.trim()).ok();
        let hours = text.split_once('-').and_then(|(from, until)| Some(Self(time(from)?, time(until)?)));
        hours.ok_or_else(|| format!("must be two times such as 22:00-07:00, not {:?}", quoted(&text)))
    }
}

impl NoticesSection {
    /// How the terminal tells the user, and the command if there is one.
    pub(super) fn resolve(self, section: &Section<'_>) -> Result<(Notices, Option<NoticeCommand>), Error> {
        section.among("kinds", &self.kinds, &KINDS)?;
        let command = NoticeCommand {
            command: section.command(self.command),
            kinds: self.kinds,
            quiet: self.quiet.map(|Quiet(from, until)| (from, until)),
            every: self.every,
        };
        let is_there = command.command.first().is_some_and(|program| !program.is_empty());
        Ok((Notices { bell: self.bell, desktop: self.desktop }, is_there.then_some(command)))
    }
}
