//! Screens without a terminal: keys as strings in, what is drawn and what is decided out.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../support/mod.rs"]
mod support;

mod activity;
mod allowed;
mod behind;
mod beside;
mod confirming;
mod drafts;
mod following;
mod keys;
mod lists;
mod mails;
mod ordering;
mod sessions;
mod snapshots;
mod svg;
mod threads;
mod waiting;
