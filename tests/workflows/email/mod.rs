//! `email`: an inbox with a fake mailbox, a calendar, and a scripted model.

mod corpora;
mod event_news;
mod expiring;
mod forks;
mod learning;
mod meeting;
mod news;
mod observing;
mod own_mail;
mod putting_away;
mod reminding;
mod reply;
mod rules;
mod safety;
mod several;
mod start;
mod triage;

// What nearly all of these tests use.
use crate::support::assert_contains;
use crate::support::email_inbox::*;
use crate::support::test_inbox::respond;
use sayso::agent::llm::Scripted;
use sayso::engine::graph::{Decision, Grade, Kind, ThreadId, Warning};
use sayso::inbox::Status;
use serde_json::{Value, json};
