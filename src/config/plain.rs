//! The sections whose keys mean what they say: nothing has to be worked out from them.

use std::time::Duration;

use serde::Deserialize;

use super::duration::Lasts;
use super::values::{Amount, Whole, section, switch};

section! {
    /// How threads are driven.
    #[derive(Copy, Eq)]
    pub struct Engine {
        /// How many threads run at the same time, not counting answers to programs.
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

section! {
    /// Which mail becomes threads.
    pub struct Intake {
        /// The first look at a mailbox takes mail from this many days.
        #[serde(with = "Whole::<0, 3650>")]
        pub first_days: u32 = 1,
        /// The first look takes at most this many mails.
        #[serde(with = "Whole::<0, 100_000>")]
        pub first_limit: usize = 200,
        /// The user is asked before the first look takes more than this.
        #[serde(with = "Whole::<0, 100_000>")]
        pub ask_over: usize = 50,
        /// How often mailboxes are checked.
        #[serde(with = "Whole::<5, 86_400>")]
        pub every_seconds: u64 = 60,
        /// Whether the first look takes only unread mail.
        #[serde(deserialize_with = "switch")]
        pub unread_only: bool = true,
    }
}

section! {
    /// When sayso learns from answers.
    #[derive(Copy, Eq)]
    pub struct Learning {
        /// How long after the last answer.
        #[serde(rename = "delay_seconds", with = "Whole::<0, 86_400>")]
        pub delay: Duration = Duration::from_secs(20),
    }
}

section! {
    /// When a tool may act without asking.
    #[derive(Eq)]
    pub struct Policy {
        /// Whether it may at all.
        pub mode: PolicyMode,
        /// Whom it may reach then: every recipient has to be in one of these groups. Without any, it reaches nobody.
        pub recipients: Vec<Reach> = vec![Reach::Thread],
        /// When its proposals expire, if not as all do.
        pub expire: Option<Lasts>,
    }
}

/// Whether a tool asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase", expecting = "a string")]
pub enum PolicyMode {
    /// It always asks.
    #[default]
    Ask,
    /// It acts without asking if the policy's conditions hold, and asks otherwise.
    Allow,
}

/// Whom a policy lets a tool reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case", expecting = "a string")]
pub enum Reach {
    /// Everyone already in the conversation.
    Thread,
    /// Everyone with an address at one of the user's own domains.
    OwnDomain,
}

section! {
    /// How `sheet` works on a workbook, and how much its code may use.
    #[derive(Eq)]
    pub struct Sheet {
        /// Steps before the user is asked whether to go on.
        #[serde(with = "Whole::<1, 100>")]
        pub max_steps: u32 = 10,
        /// Whether models are offered look-ups.
        #[serde(deserialize_with = "switch")]
        pub with_informer: bool = false,
        /// The Python that code runs in: `auto` or a path.
        pub python: String = "auto".to_owned(),
        /// How long one piece of code may run.
        #[serde(with = "Whole::<1, 600>")]
        pub seconds: u64 = 30,
        /// How much memory code may have, the workbook included.
        #[serde(with = "Whole::<256, 16_384>")]
        pub memory_mb: u64 = 1024,
        /// How much code may print.
        #[serde(with = "Whole::<1, 1024>")]
        pub output_kb: usize = 64,
        /// How many rows a sheet may have.
        #[serde(with = "Whole::<1, 1_048_576>")]
        pub max_rows: usize = 1_048_576,
    }
}

section! {
    pub(super) struct Theme {
        pub(super) name: ThemeName,
    }
}

/// The colours of the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase", expecting = "a string")]
pub enum ThemeName {
    /// For a dark background, in 24-bit colours if the terminal has them.
    #[default]
    Default,
    /// The same for a light background.
    Light,
    /// The terminal's own sixteen colours on its own background.
    Terminal,
    /// As much contrast as possible.
    Contrast,
    /// No colours at all; also what NO_COLOR asks for.
    Plain,
}
