//! The rows of the safety catalogue, with real processes and real faults.
//!
//! Each test reports `id · trials · passes`; `cargo test --test catalogue -- --nocapture` shows the table. The
//! program that is killed, stopped and starved is this very binary: [`child::entry`] is its other life.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../support/dav.rs"]
mod dav;
#[path = "../support/google.rs"]
mod google;
#[path = "../support/person.rs"]
mod person;
#[path = "../support/mod.rs"]
mod support;

mod child;
mod cloud_kills;
mod clouds;
mod damage;
mod disks;
mod drivers;
mod expiries;
mod home;
mod kills;
mod maildirs;
mod mails;
mod news;
mod post;
mod prunes;
mod reading;
mod replies;
mod requests;
mod sandbox;
mod versions;

/// A line of the table. What fails has panicked before it comes here.
fn report(id: &str, what: &str, trials: usize) {
    println!("{id} · {what} · {trials} trials · {trials} passes");
}

/// A row that cannot be tried here.
fn skipped(id: &str, why: &str) {
    println!("{id} · skipped: {why}");
}
