//! Figures for people: spans, prompts, sizes. No thread depends on them.

pub(in crate::engine::store) mod activity;
pub(in crate::engine::store) mod prompts;
pub(in crate::engine::store) mod sessions;
pub(in crate::engine::store) mod space;
pub(in crate::engine::store) mod spans;
