//! What was said and done so far about one mail, in order.

use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::Value;

use super::slots::Known;
use super::wishes::About;
use crate::llm::facts::email::{Became, ReplyFacts, Said};

/// What the calendar tells holds for every mail.
const CALENDAR: &str = "check_calendar_availability";

/// The story of a mail.
#[derive(Debug, Default)]
pub(super) struct Story<'a> {
    /// The person's words about the newest mail: told, or answered to a question.
    pub words: Vec<&'a str>,
    /// Their words about proposals that answer the newest mail.
    pub feedback: Vec<&'a str>,
    /// Both, in the order they were said.
    pub heard: Vec<(About, &'a str)>,
    /// Their words while an older mail was the newest: only how they want it written still counts.
    pub older: Vec<&'a str>,
    /// What the calendar told.
    pub known: Known,
    /// Why the calendar did not tell.
    pub calendar_failed: Option<&'a str>,
    /// The last proposal that came back with words.
    pub returned: Option<(&'a str, &'a Value)>,
    /// When meetings were proposed that did not please.
    pub proposed: Vec<Timestamp>,
    /// A mail was sent.
    pub mailed: bool,
    /// A meeting was made.
    pub met: bool,
    /// The person said no.
    pub refused: bool,
    /// Why the last proposal could not be carried out.
    pub failed: Option<&'a str>,
}

impl<'a> Story<'a> {
    pub fn of(facts: &'a ReplyFacts) -> Self {
        let mut story = Self::default();
        let mut calls: Vec<(&str, &str, &Value)> = Vec::new();
        // How many of them were proposed before the newest mail came.
        let mut outdated = 0;
        for said in &facts.said {
            match said {
                Said::Told { text } => {
                    story.words.push(text);
                    story.heard.push((About::Mail, text));
                    // Whoever says something after all was done wants something more done.
                    (story.mailed, story.met, story.refused) = (false, false, false);
                }
                Said::Called { id, tool, args } => calls.push((id, tool, args)),
                Said::Became { id, how, text, data } => {
                    let Some(n) = calls.iter().rposition(|(known, _, _)| known == id) else { continue };
                    // What became of an answer to an older mail answers nothing of the newest.
                    if n >= outdated || *how == Became::Answered || calls[n].1 == CALENDAR {
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

    fn became(
        &mut self,
        (_, tool, args): (&str, &'a str, &'a Value),
        how: Became,
        text: &'a str,
        data: &Value,
    ) {
        match (tool, how) {
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
                self.words.push(text);
                self.heard.push((About::Mail, text));
                self.failed = None;
            }
            (_, Became::Answered) => {
                self.feedback.push(text);
                self.heard.push((About::Proposal, text));
                self.returned = Some((tool, args));
                let start =
                    args.get("start").and_then(Value::as_str).and_then(|at| at.parse::<Timestamp>().ok());
                self.proposed.extend(start);
            }
            ("write_email" | "schedule_meeting", Became::Failed) => self.failed = Some(text),
            (_, Became::Done | Became::Failed) => {}
        }
    }

    /// New mail: what was said was about the old one.
    fn came(&mut self) {
        self.older.append(&mut self.words);
        self.older.append(&mut self.feedback);
        self.heard.clear();
        self.returned = None;
        self.proposed.clear();
        (self.mailed, self.met, self.refused) = (false, false, false);
        self.failed = None;
    }

    /// Whether there is nothing left to do.
    pub fn over(&self) -> bool {
        self.refused || self.mailed || self.met && self.words.is_empty()
    }
}
