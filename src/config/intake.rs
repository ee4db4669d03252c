//! `[intake]` and `[learning]`: which mail becomes threads, and when sayso learns from answers.

use std::time::Duration;

use super::values::{Whole, section, switch};

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
