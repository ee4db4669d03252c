//! `[intake]` and `[learning]`: which mail becomes threads, and when sayso learns from answers.

use std::time::Duration;

use super::keys::default;
use super::reader::section;

section! {
    /// Which mail becomes threads.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Intake in one("intake") {
        /// The first look at a mailbox takes mail from this many days, and at most this many mails.
        pub first_days: u32 = default("1").range(0, 3650),
        pub first_limit: usize = default("200").range(0, 100_000),
        /// If the first look finds more than this, or the cost is not known, you are shown how much and asked first.
        pub ask_over: usize = default("50").range(0, 100_000),
        /// How often mailboxes are checked.
        pub every_seconds: u64 = default("60").range(5, 86_400),
        /// Whether the first look takes only unread mail: on | off
        pub unread_only: bool = default("on"),
    }
}

section! {
    /// When sayso learns from your answers.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Learning in one("learning") {
        /// How long after your last answer.
        pub delay ("delay_seconds"): Duration = default("20").range(0, 86_400),
    }
}
