//! What was said and done about one mail so far, in order.

use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::Value;

use super::slots::KnownCalendar;
use crate::workflows::email::facts::{CallResult, Remark, ReplyEvent};

/// The calendar's answers apply to every mail.
const CALENDAR: &str = "check_calendar_availability";

/// What words are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// The mail: they say what to answer.
    Mail,
    /// A draft that already has text.
    Draft,
    /// A proposed meeting.
    Meeting,
}

#[derive(Debug, Default)]
pub(super) struct ReplyHistory<'a> {
    /// The person's words about the newest mail and about proposals that answer it, in order.
    pub words: Vec<(About, &'a str)>,
    /// What the calendar said.
    pub calendar: KnownCalendar,
    /// Why the calendar could not be read.
    pub calendar_failed: Option<&'a str>,
    /// The last proposal that was returned with words or could not be carried out.
    pub returned: Option<Proposed<'a>>,
    /// Why it failed, until the person has answered.
    pub failed: Option<&'a str>,
    /// Questions that were answered.
    pub questions: Vec<&'a str>,
    pub mailed: bool,
    pub scheduled: bool,
    pub refused: bool,
}

/// A call that was proposed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Proposed<'a> {
    /// Its index in what was said.
    pub index: usize,
    id: &'a str,
    pub tool: &'a str,
    pub args: &'a Value,
    pub remark: Option<Remark>,
}

impl Proposed<'_> {
    pub fn is(&self, tool: &str, args: &Value) -> bool {
        self.tool == tool && self.args == args
    }

    /// When it would begin, if it is a meeting.
    pub fn start(&self) -> Option<Timestamp> {
        self.args.get("start")?.as_str()?.parse().ok()
    }
}

impl<'a> ReplyHistory<'a> {
    pub fn of(said: &'a [ReplyEvent]) -> Self {
        let mut history = Self::default();
        let mut calls: Vec<Proposed<'a>> = Vec::new();
        // How many of them were proposed before the newest mail came.
        let mut outdated_calls = 0;
        for (index, said) in said.iter().enumerate() {
            match said {
                ReplyEvent::Told { text } => history.add_words(text),
                ReplyEvent::Called { id, tool, args, remark } => {
                    calls.push(Proposed { index, id, tool, args, remark: *remark });
                }
                ReplyEvent::Became { id, how, text, data } => {
                    let Some(call_index) = calls.iter().rposition(|call| call.id == id) else { continue };
                    // The result of an answer to an older mail does not count for the newest.
                    if call_index >= outdated_calls
                        || *how == CallResult::Answered
                        || calls[call_index].tool == CALENDAR
                    {
                        history.add_result(calls[call_index], *how, text, data);
                    }
                }
                // Everything so far was about the old mail.
                ReplyEvent::Came => {
                    outdated_calls = calls.len();
                    let (calendar, calendar_failed) =
                        (std::mem::take(&mut history.calendar), history.calendar_failed);
                    history = Self { calendar, calendar_failed, ..Self::default() };
                }
            }
        }
        history
    }

    fn add_words(&mut self, text: &'a str) {
        self.words.push((About::Mail, text));
        self.returned = None;
        // Words after everything was done mean that the person wants more.
        (self.mailed, self.scheduled, self.refused) = (false, false, false);
    }

    fn add_result(&mut self, call: Proposed<'a>, how: CallResult, text: &'a str, data: &Value) {
        match (call.tool, how) {
            (CALENDAR, CallResult::Done) => {
                let days = call.args.get("days").and_then(Value::as_array);
                let days = days.map(Vec::as_slice).unwrap_or_default();
                let days: Vec<Date> =
                    days.iter().filter_map(|day| day.as_str()?.get(..10)?.parse().ok()).collect();
                self.calendar.add(days, data);
            }
            (CALENDAR, CallResult::Failed) => self.calendar_failed = Some(text),
            ("write_email" | "answer_invitation", CallResult::Done) => self.mailed = true,
            ("schedule_meeting", CallResult::Done) => self.scheduled = true,
            (_, CallResult::Refused) => self.refused = true,
            ("question", CallResult::Answered) => {
                // Words about a failed proposal do not change its text.
                let about = if self.failed.take().is_some() { About::Draft } else { About::Mail };
                self.words.push((about, text));
                self.questions.extend(call.args.get("content").and_then(Value::as_str));
            }
            (tool, CallResult::Answered) => {
                let about = match tool {
                    // Nothing was written yet, so the words say what to write.
                    _ if call.remark == Some(Remark::NotWritten) => About::Mail,
                    "schedule_meeting" | "answer_invitation" => About::Meeting,
                    _ => About::Draft,
                };
                self.returned = Some(call);
                self.words.push((about, text));
            }
            ("write_email" | "schedule_meeting", CallResult::Failed) => {
                (self.returned, self.failed) = (Some(call), Some(text));
            }
            (_, CallResult::Done | CallResult::Failed) => {}
        }
    }

    /// Whether nothing is left to do.
    pub fn is_over(&self) -> bool {
        let has_words = self.words.iter().any(|(about, _)| *about == About::Mail);
        self.refused || self.mailed || self.scheduled && !has_words
    }
}
