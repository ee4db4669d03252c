//! Recent activity in numbers.

use jiff::{Timestamp, ToSpan, Zoned};
use serde::Serialize;

/// The days to report on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActivityQuery {
    /// When each day starts by the person's clock, oldest first; the last day lasts until now.
    pub days: Vec<Timestamp>,
}

impl ActivityQuery {
    /// How many days people are shown.
    pub const DAYS: u16 = 30;

    /// The last `count` days, including today.
    pub fn last(count: u16, now: &Zoned) -> Self {
        let today = now.start_of_day();
        let start = |back: i64| today.clone().ok()?.checked_sub(back.days()).ok().map(|day| day.timestamp());
        Self { days: (0..i64::from(count)).rev().filter_map(start).collect() }
    }
}

/// How people decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Decisions {
    /// Accepted as proposed, including drafts.
    pub untouched: u64,
    /// Accepted with other arguments.
    pub edited: u64,
    /// Answered in words.
    pub responded: u64,
    pub ignored: u64,
    /// Accepted by a grant, without a person.
    pub granted: u64,
}

impl Decisions {
    /// All decisions by people.
    pub fn by_people(&self) -> u64 {
        self.untouched + self.edited + self.responded + self.ignored
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DayLine {
    /// When the day started.
    pub day: Timestamp,
    pub decisions: Decisions,
    /// Model calls.
    pub calls: u64,
    /// Tokens read and written.
    pub tokens: u64,
    /// The known part of the price.
    pub cost: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelLine {
    pub model: String,
    pub calls: u64,
    pub failed: u64,
    /// Tokens read.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
    /// The price; `None` if the price of any call is unknown.
    pub cost: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Activity {
    /// Day by day, oldest first.
    pub days: Vec<DayLine>,
    /// By model, most calls first.
    pub models: Vec<ModelLine>,
}

impl Activity {
    /// How many calls the built-in rules answered in place of a model. No model of the config may have their name.
    pub fn by_rules(&self) -> u64 {
        self.models.iter().filter(|line| line.model == "builtin").map(|line| line.calls).sum()
    }
}
