//! What was said and done so far about one mail, in order.

use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::Value;

use super::slots::Known;
use crate::workflows::email::facts::{Became, Remark, Said};

/// What the calendar tells holds for every mail.
const CALENDAR: &str = "check_calendar_availability";

/// What words are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// The mail: they are what the answer says.
    Mail,
    /// A draft that says something already.
    Draft,
    /// A meeting that was proposed.
    Meeting,
}

/// The story of a mail.
#[derive(Debug, Default)]
pub(super) struct Story<'a> {
    /// The person's words about the newest mail and about proposals that answer it, in the order they were said.
    pub heard: Vec<(About, &'a str)>,
    /// What the calendar told.
    pub known: Known,
    /// Why the calendar did not tell.
    pub calendar_failed: Option<&'a str>,
    /// The last proposal that came back with words, or could not be carried out.
    pub returned: Option<Proposed<'a>>,
    /// Why it could not, until the person has answered.
    pub failed: Option<&'a str>,
    /// The questions that were answered.
    pub asked: Vec<&'a str>,
    /// A mail was sent.
    pub mailed: bool,
    /// A meeting was made.
    pub met: bool,
    /// The person said no.
    pub refused: bool,
}

/// A call that was proposed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Proposed<'a> {
    /// Its place in what was said.
    pub at: usize,
    id: &'a str,
    pub tool: &'a str,
    pub args: &'a Value,
    pub remark: Option<Remark>,
}

impl Proposed<'_> {
    pub fn is(&self, tool: &str, args: &Value) -> bool {
        self.tool == tool && self.args == args
    }

    /// When it would begin, where it is a meeting.
    pub fn start(&self) -> Option<Timestamp> {
        self.args.get("start")?.as_str()?.parse().ok()
    }
}

impl<'a> Story<'a> {
    pub fn of(said: &'a [Said]) -> Self {
        let mut story = Self::default();
        let mut calls: Vec<Proposed<'a>> = Vec::new();
        // How many of them were proposed before the newest mail came.
        let mut outdated = 0;
        for (at, said) in said.iter().enumerate() {
            match said {
                Said::Told { text } => story.told(text),
                Said::Called { id, tool, args, remark } => {
                    calls.push(Proposed { at, id, tool, args, remark: *remark });
                }
                Said::Became { id, how, text, data } => {
                    let Some(n) = calls.iter().rposition(|call| call.id == id) else { continue };
                    // What became of an answer to an older mail answers nothing of the newest.
                    if n >= outdated || *how == Became::Answered || calls[n].tool == CALENDAR {
                        story.became(calls[n], *how, text, data);
                    }
                }
                // What was said was about the old one.
                Said::Came => {
                    outdated = calls.len();
                    let (known, calendar_failed) = (std::mem::take(&mut story.known), story.calendar_failed);
                    story = Self { known, calendar_failed, ..Self::default() };
                }
            }
        }
        story
    }

    fn told(&mut self, text: &'a str) {
        self.heard.push((About::Mail, text));
        self.returned = None;
        // Whoever says something after all was done wants something more done.
        (self.mailed, self.met, self.refused) = (false, false, false);
    }

    fn became(&mut self, call: Proposed<'a>, how: Became, text: &'a str, data: &Value) {
        match (call.tool, how) {
            (CALENDAR, Became::Done) => {
                let days = call.args.get("days").and_then(Value::as_array);
                let days = days.map(Vec::as_slice).unwrap_or_default();
                let days: Vec<Date> =
                    days.iter().filter_map(|day| day.as_str()?.get(..10)?.parse().ok()).collect();
                self.known.add(days, data);
            }
            (CALENDAR, Became::Failed) => self.calendar_failed = Some(text),
            ("write_email" | "answer_invitation", Became::Done) => self.mailed = true,
            ("schedule_meeting", Became::Done) => self.met = true,
            (_, Became::Refused) => self.refused = true,
            ("question", Became::Answered) => {
                // Words about a proposal that failed change nothing about what it says.
                let about = if self.failed.take().is_some() { About::Draft } else { About::Mail };
                self.heard.push((about, text));
                self.asked.extend(call.args.get("content").and_then(Value::as_str));
            }
            (tool, Became::Answered) => {
                let about = match tool {
                    // Nothing was written yet, so they say what to write.
                    _ if call.remark == Some(Remark::NotWritten) => About::Mail,
                    "schedule_meeting" | "answer_invitation" => About::Meeting,
                    _ => About::Draft,
                };
                self.returned = Some(call);
                self.heard.push((about, text));
            }
            ("write_email" | "schedule_meeting", Became::Failed) => {
                (self.returned, self.failed) = (Some(call), Some(text));
            }
            (_, Became::Done | Became::Failed) => {}
        }
    }

    /// Whether there is nothing left to do.
    pub fn over(&self) -> bool {
        let said = self.heard.iter().any(|(about, _)| *about == About::Mail);
        self.refused || self.mailed || self.met && !said
    }
}
