//! What something that decides by itself would have done with what a person decided.

use crate::text::count_noun;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// How many days back we look.
const DAYS: i64 = 90;

/// What a row or a grant would have done with past items.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Weighed {
    /// How many it would have decided as the person did.
    pub same: usize,
    /// Those it would have decided otherwise: what they were, and what became of them.
    pub other: Vec<String>,
}

impl Weighed {
    /// Since when decisions count.
    pub fn since(now: Timestamp) -> Timestamp {
        now - SignedDuration::from_hours(24 * DAYS)
    }

    /// How many items it would have decided.
    pub fn decided(&self) -> usize {
        self.same + self.other.len()
    }

    /// `In the last 90 days this would have decided 212 items, 209 as you did, 3 not.`
    pub fn sentence(&self, noun: &str) -> String {
        if self.decided() == 0 {
            return format!("In the last {DAYS} days you decided no {noun} that this covers.");
        }
        format!("In the last {DAYS} days this {}.", outcome(self.same, self.other.len(), noun))
    }
}

/// `would have decided 212 items, 209 as you did, 3 not`
pub fn outcome(same: usize, other: usize, noun: &str) -> String {
    let others = if other == 0 { String::new() } else { format!(", {other} not") };
    format!("would have decided {}, {same} as you did{others}", count_noun(same + other, noun))
}
