//! `[engine]`, `[budget]` and `[log]`: how threads are driven, what they may spend, and how much is logged.

use std::time::Duration;

use serde::Deserialize;

use super::values::{Amount, Whole, section};

section! {
    /// How threads are driven.
    #[derive(Copy, Eq)]
    pub struct Engine {
        /// How many threads run at the same time.
        #[serde(with = "Whole::<1, 1000>")]
        pub concurrency: usize = 8,
        /// How long one node may take.
        #[serde(rename = "node_timeout_seconds", with = "Whole::<1, 86_400>")]
        pub node_timeout: Duration = Duration::from_secs(1800),
        /// How many steps a thread may take before it asks whether to go on.
        #[serde(with = "Whole::<1, 100_000>")]
        pub step_limit: u64 = 100,
        /// How often a node is tried again after a temporary failure.
        #[serde(with = "Whole::<0, 100>")]
        pub retries: u32 = 3,
    }
}

section! {
    /// How much may be spent before the user is asked.
    #[derive(Copy)]
    pub struct Budget {
        /// Dollars per day.
        #[serde(with = "Amount::<1_000_000>")]
        pub day: f64 = 15.0,
        /// Dollars per thread. Each agent of `docs` is a thread of its own.
        #[serde(with = "Amount::<1_000_000>")]
        pub thread: f64 = 2.0,
        /// Model calls per thread.
        #[serde(with = "Whole::<1, 1_000_000>")]
        pub calls_per_thread: u64 = 200,
    }
}

section! {
    pub(super) struct Log {
        pub(super) level: Level,
    }
}

/// How much is written to the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase", expecting = "a string")]
pub enum Level {
    /// Nothing.
    Off,
    /// What failed.
    Error,
    /// Also what looks wrong.
    Warn,
    /// Also what happened.
    #[default]
    Info,
    /// Also why.
    Debug,
    /// Everything.
    Trace,
}
