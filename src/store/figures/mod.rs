//! Figures for people: spans, prompts, sizes. No thread depends on them.

pub(in crate::store) mod activity;
pub(in crate::store) mod prompts;
pub(in crate::store) mod sessions;
pub(in crate::store) mod space;
pub(in crate::store) mod spans;
