//! What was said and done so far about one mail, in order.

use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::Value;

use super::slots::Known;
use super::wishes::About;
use crate::workflows::email::facts::{Became, Remark, Said};

/// What the calendar tells holds for every mail.
const CALENDAR: &str = "check_calendar_availability";

/// The story of a mail.
#[derive(Debug, Default)]
pub(super) struct Story<'a> {
    /// The person's words about the newest mail and about proposals that answer it, in the order they were said.
    pub heard: Vec<(About, &'a str)>,
    /// Their words while an older mail was the newest: only how they want it written still counts.
    pub older: Vec<&'a str>,
    /// What the calendar told.
    pub known: Known,
    /// Why the calendar did not tell.
    pub calendar_failed: Option<&'a str>,
    /// The last proposal that came back with words.
    pub returned: Option<Returned<'a>>,
    /// The questions that were answered.
    pub asked: Vec<&'a str>,
    /// When meetings were proposed that did not please.
    pub proposed: Vec<Timestamp>,
    /// A mail was sent.
    pub mailed: bool,
    /// A meeting was made.
    pub met: bool,
    /// The person said no.
    pub refused: bool,
    /// The last proposal that could not be carried out, and why.
    pub failed: Option<(Proposed<'a>, &'a str)>,
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
}

/// A proposal that came back with words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Returned<'a> {
    pub call: Proposed<'a>,
    /// Which of the words heard they are.
    pub words: usize,
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
                    story.forget_vain_words(tool, args);
                    calls.push(Proposed { at, id, tool, args, remark: *remark });
                }
                Said::Became { id, how, text, data } => {
                    let Some(n) = calls.iter().rposition(|call| call.id == id) else { continue };
                    // What became of an answer to an older mail answers nothing of the newest.
                    if n >= outdated || *how == Became::Answered || calls[n].tool == CALENDAR {
                        story.became(calls[n], *how, text, data);
                    }
                }
                Said::Came => {
                    outdated = calls.len();
                    story.came();
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
        let args = call.args;
        match (call.tool, how) {
            (CALENDAR, Became::Done) => {
                let days = args.get("days").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
                let days: Vec<Date> =
                    days.iter().filter_map(|day| day.as_str()?.get(..10)?.parse().ok()).collect();
                self.known.add(days, data);
            }
            (CALENDAR, Became::Failed) => self.calendar_failed = Some(text),
            ("write_email", Became::Done) => self.mailed = true,
            ("schedule_meeting", Became::Done) => self.met = true,
            (_, Became::Refused) => self.refused = true,
            ("question", Became::Answered) => {
                self.heard.push((About::Mail, text));
                self.asked.extend(args.get("content").and_then(Value::as_str));
                self.failed = None;
            }
            (tool, Became::Answered) => {
                let about = match tool {
                    // Nothing was written yet, so they say what to write.
                    _ if call.remark == Some(Remark::NotWritten) => About::Mail,
                    "schedule_meeting" => About::Meeting,
                    _ => About::Draft,
                };
                self.returned = Some(Returned { call, words: self.heard.len() });
                self.heard.push((about, text));
                self.failed = None;
                let start =
                    args.get("start").and_then(Value::as_str).and_then(|at| at.parse::<Timestamp>().ok());
                self.proposed.extend(start);
            }
            ("write_email" | "schedule_meeting", Became::Failed) => self.failed = Some((call, text)),
            (_, Became::Done | Became::Failed) => {}
        }
    }

    /// Words that left a proposal as it was say nothing about the next one.
    fn forget_vain_words(&mut self, tool: &str, args: &Value) {
        if let Some(returned) = self.returned.take_if(|returned| returned.call.is(tool, args)) {
            self.heard.remove(returned.words);
            if args.get("start").is_some() {
                self.proposed.pop();
            }
        }
    }

    /// New mail: what was said was about the old one.
    fn came(&mut self) {
        self.older.extend(self.heard.drain(..).map(|(_, words)| words));
        self.returned = None;
        self.asked.clear();
        self.proposed.clear();
        (self.mailed, self.met, self.refused) = (false, false, false);
        self.failed = None;
    }

    /// The person's words about what to write: told, or answered to a question.
    pub fn words(&self) -> impl DoubleEndedIterator<Item = &'a str> {
        self.heard.iter().filter(|(about, _)| *about == About::Mail).map(|(_, words)| *words)
    }

    /// Whether a meeting was proposed, and the person's newest words are about it.
    pub fn heard_of_meeting(&self) -> bool {
        self.returned.is_some_and(|returned| returned.call.tool == "schedule_meeting")
    }

    /// Whether there is nothing left to do.
    pub fn over(&self) -> bool {
        self.refused || self.mailed || self.met && self.words().next().is_none()
    }
}
