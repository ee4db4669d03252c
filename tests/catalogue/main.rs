//! The rows of the safety catalogue (docs/safety.md), with real processes and real faults.
//!
//! `cargo test --test catalogue -- --nocapture` prints what each test tried, and the whole table at the end. The program
//! that is killed, stopped and starved is this very binary: [`child::entry`] is its other life, [`process::screen`] the
//! one in a pseudo-terminal. Inboxes, servers and screens are those of the other tests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

// Where code of other tests is allowed to be dead, those use the rest of it.
#[path = "../models/asking.rs"]
mod asking;
#[path = "../support/dav.rs"]
mod dav;
#[allow(dead_code)]
#[path = "../servers/fake.rs"]
mod fake;
#[path = "../support/gmail.rs"]
mod gmail;
#[path = "../support/google.rs"]
mod google;
#[path = "../support/person.rs"]
mod person;
#[allow(dead_code)]
#[path = "../terminal/process.rs"]
mod process;
#[allow(dead_code)]
#[path = "../terminal/pty.rs"]
mod pty;
#[allow(dead_code)]
#[path = "../servers/script.rs"]
mod script;
#[allow(dead_code)]
#[path = "../models/server.rs"]
mod server;
#[path = "../support/mod.rs"]
mod support;
#[allow(dead_code)]
#[path = "../screens/test_screen.rs"]
mod test_screen;
#[allow(dead_code)]
#[path = "../models/wire.rs"]
mod wire;

mod agent_failures;
mod agent_grants;
mod agents;
mod cage;
mod child;
mod cloud_kills;
mod clouds;
mod damage;
mod disks;
mod drivers;
mod expiries;
mod home;
mod imap;
mod keys;
mod kills;
mod learning;
mod leaving;
mod maildirs;
mod mails;
mod memories;
mod models;
mod news;
mod post;
mod program;
mod proposals;
mod prunes;
mod reading;
mod repeating;
mod replies;
mod requests;
mod sandbox;
mod secrets;
mod senders;
mod sizes;
mod smtp;
mod table;
mod unanswered;
mod versions;

/// What a row tried. What fails has panicked before it comes here.
fn report(id: &str, what: &str, trials: usize) {
    table::add(id, what, Some(trials));
}

/// What cannot be tried here.
fn skipped(id: &str, why: &str) {
    table::add(id, why, None);
}
