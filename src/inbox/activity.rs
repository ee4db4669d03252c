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

/// A tool, or a sort of question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ToolLine {
    pub tool: String,
    #[serde(flatten)]
    pub decisions: Decisions,
}

/// How long something took, in milliseconds: half of all times are at most `p50`, and so on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Latency {
    pub p50: u64,
    pub p90: u64,
    pub p99: u64,
}

impl Latency {
    pub fn of(mut times: Vec<u64>) -> Self {
        times.sort_unstable();
        let at = |share: usize| match times.len() {
            0 => 0,
            // The nearest rank: the smallest time that at least `share` percent do not exceed.
            len => times[(len * share).div_ceil(100).clamp(1, len) - 1],
        };
        Self { p50: at(50), p90: at(90), p99: at(99) }
    }
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
    /// How long successful calls took.
    pub latency: Latency,
    /// Tokens on each day.
    pub tokens_by_day: Vec<u64>,
    /// The known part of the price on each day.
    pub cost_by_day: Vec<f64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NodeLine {
    pub workflow: String,
    pub node: String,
    pub runs: u64,
    /// How long it ran.
    pub latency: Latency,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Activity {
    /// Day by day, oldest first.
    pub days: Vec<DayLine>,
    /// By tool, most decisions first.
    pub tools: Vec<ToolLine>,
    /// By model, most calls first.
    pub models: Vec<ModelLine>,
    /// By node, slowest first; covers only the newest steps.
    pub nodes: Vec<NodeLine>,
}

impl Activity {
    /// How many calls the built-in rules answered in place of a model. No model of the config may have their name.
    pub fn by_rules(&self) -> u64 {
        self.models.iter().filter(|line| line.model == "builtin").map(|line| line.calls).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_the_nearest_rank() {
        assert_eq!(Latency::of(Vec::new()), Latency::default());
        assert_eq!(Latency::of(vec![7]), Latency { p50: 7, p90: 7, p99: 7 });
        assert_eq!(Latency::of(vec![20, 10]), Latency { p50: 10, p90: 20, p99: 20 });
        let hundred: Vec<u64> = (1..=100).rev().collect();
        assert_eq!(Latency::of(hundred), Latency { p50: 50, p90: 90, p99: 99 });
    }
}
