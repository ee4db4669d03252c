//! `[engine]`, `[budget]` and `[log]`: how threads are driven, what they may spend, and how much is logged.

use std::time::Duration;

use super::keys::default;
use super::reader::{choice, section};

section! {
    /// How threads are driven.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Engine in one("engine") {
        /// How many threads run at the same time.
        pub concurrency: usize = default("8").range(1, 1000),
        /// How long one node may take.
        pub node_timeout ("node_timeout_seconds"): Duration = default("1800").range(1, 86_400),
        /// How many steps a thread may take before it asks whether to go on.
        pub step_limit: u64 = default("100").range(1, 100_000),
        /// How often a node is tried again after a temporary failure.
        pub retries: u32 = default("3").range(0, 100),
    }
}

section! {
    /// How much may be spent before you are asked.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Budget in one("budget") {
        /// Dollars per day, and per thread. Each agent of `docs` is a thread of its own.
        pub day: f64 = default("15.00").range(0, 1_000_000),
        pub thread: f64 = default("2.00").range(0, 1_000_000),
        /// Model calls per thread.
        pub calls_per_thread: u64 = default("200").range(1, 1_000_000),
    }
}

section! {
    /// How much is written to the log.
    pub(super) struct Log in one("log") {
        /// off | error | warn | info | debug | trace
        pub(super) level: Level = default("info"),
    }
}

choice! {
    /// How much is written to the log.
    #[derive(PartialOrd, Ord)]
    pub enum Level {
        /// Nothing.
        Off = "off",
        /// What failed.
        Error = "error",
        /// Also what looks wrong.
        Warn = "warn",
        /// Also what happened.
        Info = "info",
        /// Also why.
        Debug = "debug",
        /// Everything.
        Trace = "trace",
    }
}
