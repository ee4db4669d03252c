//! Tokens and what they cost.

use std::ops::{Add, AddAssign};

use crate::config::Price;
use serde::{Deserialize, Serialize};

/// Tokens of one or several calls, as the server counted them; zero if it did not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens read, cached ones included.
    pub input: u64,
    /// Tokens written, hidden reasoning included.
    pub output: u64,
    /// Of `input`, how many came from the provider's cache.
    #[serde(default)]
    pub cached: u64,
}

impl Add for Usage {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cached: self.cached.saturating_add(other.cached),
        }
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Usage {
    /// What it costs. If a server claims more cached tokens than it read, all of them count as cached.
    pub fn cost(self, price: &Price) -> f64 {
        let cached = self.cached.min(self.input);
        let million = |tokens: u64, price: f64| tokens as f64 / 1_000_000.0 * price;
        million(self.input - cached, price.input)
            + million(cached, price.cached)
            + million(self.output, price.output)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_counts_fresh_cached_and_written_tokens() {
        let price = Price { input: 3.0, output: 15.0, cached: 0.3 };
        let usage = Usage { input: 1_000_000, output: 100_000, cached: 400_000 };
        assert!((usage.cost(&price) - (1.8 + 0.12 + 1.5)).abs() < 1e-9);
        let odd = Usage { input: 10, output: 0, cached: 1_000 };
        assert!(odd.cost(&price) > 0.0);
    }

    #[test]
    fn usage_adds_up_without_overflow() {
        let big = Usage { input: u64::MAX, output: 1, cached: 0 };
        assert_eq!((big + big).input, u64::MAX);
    }
}
