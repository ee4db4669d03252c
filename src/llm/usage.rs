//! Tokens and what they cost.

use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

/// Tokens of one or several calls, as the server counted them; zero where it did not say.
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

/// What a model costs, in the config's currency a million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Price {
    /// A million tokens read.
    pub input: f64,
    /// A million tokens written.
    pub output: f64,
    /// A million tokens read from the cache; the price of `input` where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<f64>,
}

impl Price {
    /// What `usage` costs. A server that claims more cached tokens than it read is charged as all cached.
    pub fn cost(&self, usage: Usage) -> f64 {
        let cached = usage.cached.min(usage.input);
        let fresh = usage.input - cached;
        let million = |tokens: u64, price: f64| tokens as f64 / 1_000_000.0 * price;
        million(fresh, self.input)
            + million(cached, self.cached.unwrap_or(self.input))
            + million(usage.output, self.output)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_counts_fresh_cached_and_written_tokens() {
        let price = Price { input: 3.0, output: 15.0, cached: Some(0.3) };
        let usage = Usage { input: 1_000_000, output: 100_000, cached: 400_000 };
        assert!((price.cost(usage) - (1.8 + 0.12 + 1.5)).abs() < 1e-9);
        let odd = Usage { input: 10, output: 0, cached: 1_000 };
        assert!(price.cost(odd) > 0.0);
    }

    #[test]
    fn usage_adds_up_without_overflow() {
        let big = Usage { input: u64::MAX, output: 1, cached: 0 };
        assert_eq!((big + big).input, u64::MAX);
    }
}
