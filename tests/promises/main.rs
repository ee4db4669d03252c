//! What is promised: the rows of the safety catalogue (docs/safety.md), with real processes and real faults; the screen
//! in a real terminal; and how the sources are laid out.
//!
//! `cargo test --test promises -- --nocapture` prints what each test tried, and the whole table at the end. The program
//! that is killed, stopped and starved is this very binary: [`child::entry`] is its other life, [`process::screen`] the
//! one in a pseudo-terminal.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../support/mod.rs"]
mod support;

mod agent_failures;
mod agent_grants;
mod agents;
mod architecture;
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
mod letters;
mod maildirs;
mod mails;
mod memories;
mod models;
mod news;
mod post;
mod process;
mod program;
mod proposals;
mod prunes;
mod pty;
mod reader;
mod reading;
mod repeating;
mod replies;
mod requests;
mod secrets;
mod senders;
mod sizes;
mod smtp;
mod table;
mod terminal;
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

/// Does something with each, some at a time.
fn side_by_side<T: Sync, R: Send>(all: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let at_a_time = |some: &[T]| {
        std::thread::scope(|scope| {
            let running: Vec<_> = some.iter().map(|one| scope.spawn(|| work(one))).collect();
            running.into_iter().map(|run| run.join().unwrap()).collect::<Vec<R>>()
        })
    };
    all.chunks(8).flat_map(at_a_time).collect()
}
