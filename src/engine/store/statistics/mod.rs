//! Statistics for people: spans, prompts, sizes. No thread depends on them.

pub mod activity;
pub mod prompts;
pub mod sessions;
pub mod space;
pub mod spans;
