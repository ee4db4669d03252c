//! What something that decides by itself would have done with what a person decided.

use crate::text::count_noun;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How many days back we look, at most.
const DAYS: u64 = 90;

/// What a row or a grant would have done with past items.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Weighed {
    /// How many days back we looked.
    days: u64,
    /// How many it would have decided as the person did.
    pub same: usize,
    /// Those it would have decided otherwise: what they were, and what became of them.
    pub other: Vec<String>,
}

impl Default for Weighed {
    fn default() -> Self {
        Self { days: DAYS, same: 0, other: Vec::new() }
    }
}

impl Weighed {
    /// Since when decisions count.
    pub fn since(now: Timestamp) -> Timestamp {
        now - Duration::from_secs(24 * 60 * 60 * DAYS)
    }

    /// There was too much to look further back than this.
    pub fn looked_back_to(&mut self, oldest: Timestamp, now: Timestamp) {
        let hours = now.duration_since(oldest).as_hours().unsigned_abs();
        self.days = (hours / 24).clamp(1, DAYS);
    }

    /// How many items it would have decided.
    pub fn decided(&self) -> usize {
        self.same + self.other.len()
    }

    /// `In the last 90 days this would have decided 212 items, 209 as you did, 3 not.`
    pub fn sentence(&self, noun: &str) -> String {
        let lately = format!("In the last {}", count_noun(self.days, "day"));
        if self.decided() == 0 {
            return format!("{lately} you decided no {noun} that this covers.");
        }
        format!("{lately} this {}.", outcome(self.same, self.other.len(), noun))
    }
}

/// `would have decided 212 items, 209 as you did, 3 not`
pub fn outcome(same: usize, other: usize, noun: &str) -> String {
    let others = if other == 0 { String::new() } else { format!(", {other} not") };
    format!("would have decided {}, {same} as you did{others}", count_noun(same + other, noun))
}
