//! What went on lately, in numbers.

use jiff::{Timestamp, ToSpan, Zoned};
use serde::Serialize;

/// What went on in which days.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActivityQuery {
    /// When each day begins by the person's clock, oldest first; the last lasts until now.
    pub days: Vec<Timestamp>,
}

impl ActivityQuery {
    /// The last so many days, today included.
    pub fn last(count: u16, now: &Zoned) -> Self {
        let today = now.start_of_day();
        let start = |back: i64| today.clone().ok()?.checked_sub(back.days()).ok().map(|day| day.timestamp());
        Self { days: (0..i64::from(count)).rev().filter_map(start).collect() }
    }
}

/// How people decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Decisions {
    /// Taken as it was proposed, drafts included.
    pub untouched: u64,
    /// Taken with other arguments.
    pub edited: u64,
    /// Answered with words.
    pub responded: u64,
    /// Not done.
    pub ignored: u64,
    /// Taken by a grant, without a person.
    pub granted: u64,
}

impl Decisions {
    /// All that people took.
    pub fn by_people(&self) -> u64 {
        self.untouched + self.edited + self.responded + self.ignored
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DayLine {
    /// When it began.
    pub day: Timestamp,
    /// What was decided.
    pub decisions: Decisions,
    /// Model calls.
    pub calls: u64,
    /// Tokens read and written.
    pub tokens: u64,
    /// What is known of the price.
    pub cost: f64,
}

/// One tool, or sort of question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ToolLine {
    /// Its name.
    pub tool: String,
    /// How people decided about it.
    #[serde(flatten)]
    pub decisions: Decisions,
}

/// How long something took, in milliseconds: half of them at most `p50`, and so on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Latency {
    /// The median.
    pub p50: u64,
    /// Nine of ten.
    pub p90: u64,
    /// Ninety-nine of a hundred.
    pub p99: u64,
}

impl Latency {
    /// Of these.
    pub fn of(mut times: Vec<u64>) -> Self {
        times.sort_unstable();
        let at = |share: usize| match times.len() {
            0 => 0,
            // The nearest rank: the smallest that so many of a hundred do not exceed.
            len => times[(len * share).div_ceil(100).clamp(1, len) - 1],
        };
        Self { p50: at(50), p90: at(90), p99: at(99) }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelLine {
    /// Its name.
    pub model: String,
    /// How often it was called.
    pub calls: u64,
    /// How often in vain.
    pub failed: u64,
    /// Tokens read.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
    /// The price; `None` where one of its calls has none.
    pub cost: Option<f64>,
    /// How long calls that succeeded took.
    pub latency: Latency,
    /// Tokens on each of the days.
    pub tokens_by_day: Vec<u64>,
    /// What is known of the price on each of the days.
    pub cost_by_day: Vec<f64>,
}

/// One node of a workflow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NodeLine {
    pub workflow: String,
    pub node: String,
    /// How often it ran.
    pub runs: u64,
    /// How long it worked.
    pub latency: Latency,
}

/// What went on.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Activity {
    /// Day by day, oldest first.
    pub days: Vec<DayLine>,
    /// By tool, the most decided first.
    pub tools: Vec<ToolLine>,
    /// By model, the most called first.
    pub models: Vec<ModelLine>,
    /// By node, the slowest first; of the newest steps alone.
    pub nodes: Vec<NodeLine>,
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
