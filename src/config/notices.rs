//! `[notices]`: how the user learns that something new is waiting.

use std::time::Duration;

use jiff::civil::Time;

use super::error::{Error, quoted};
use super::keys::{default, example};
use super::reader::{FromSection as _, Reader, choice, section};

const KINDS: [&str; 4] = ["triage", "approval", "question", "trouble"];

section! {
    /// How you are told that something new is waiting.
    pub(super) struct NoticesSection in one("notices") {
        /// on | off
        bell: bool = default("on"),
        /// off | osc9 (iTerm2, WezTerm, kitty, Windows Terminal) | osc777 (rxvt-unicode, foot, Ghostty)
        desktop: Desktop = default("off"),
        /// A command of yours, run by the process that drives, with a title and a summary as its last two arguments
        /// (and SAYSO_NOTICE_TITLE, _GIST, _KIND, _ID and _COUNT); no shell sees them. What arrives together is one
        /// notice.
        command: Vec<String> = default("").example("notify-send, --app-name=sayso"),
        /// Which kinds you are told about.
        kinds: Vec<String> = default("triage, approval, question, trouble"),
        /// Quiet hours, by your clock: no notices then.
        quiet: Option<String> = example("22:00-07:00"),
        /// The shortest time between two notices.
        every ("every_seconds"): Duration = default("60").range(0, 86_400),
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

choice! {
    /// How to ask the terminal for a desktop notice.
    pub enum Desktop {
        /// Not at all.
        Off = "off",
        /// Understood by iTerm2, WezTerm, kitty and Windows Terminal.
        Osc9 = "osc9",
        /// Understood by rxvt-unicode, foot and Ghostty.
        Osc777 = "osc777",
    }
}

/// Reads how the terminal tells the user, and the command if there is one.
pub(super) fn read(reader: &Reader<'_>) -> Result<(Notices, Option<NoticeCommand>), Error> {
    let NoticesSection { bell, desktop, command, kinds, quiet, every } = NoticesSection::read(reader)?;
    if let Some(odd) = kinds.iter().find(|kind| !KINDS.contains(&kind.as_str())) {
        let why = format!("has no kind {:?}; choose among {}", quoted(odd), KINDS.join(", "));
        return Err(reader.bad("kinds", why));
    }
    let hours = |text: String| {
        let read = text.split_once('-').and_then(|(from, until)| {
            let time = |text: &str| Time::strptime("%H:%M", text.trim()).ok();
            Some((time(from)?, time(until)?))
        });
        let why = format!("must be two times such as 22:00-07:00, not {:?}", quoted(&text));
        read.ok_or_else(|| reader.bad("quiet", why))
    };
    let quiet = quiet.map(hours).transpose()?;
    let command = reader.command(command);
    let is_there = command.first().is_some_and(|program| !program.is_empty());
    Ok((Notices { bell, desktop }, is_there.then_some(NoticeCommand { command, kinds, quiet, every })))
}
