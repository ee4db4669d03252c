//! A fake Google with its mail servers, and a fake CalDAV server: logins, mail and calendars, and everything that can go
//! wrong.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

// Where code of other tests is allowed to be dead, those use the rest of it.
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
#[path = "../servers/script.rs"]
mod script;
#[path = "../support/dav.rs"]
mod server;

mod calendars;
mod dav;
mod logins;
mod mail;
mod whole;

use sayso::web::WebTimeouts;
use std::time::Duration;

/// Pauses too short to notice.
pub const WAIT: WebTimeouts = WebTimeouts {
    connect: Duration::from_secs(20),
    reply: Duration::from_secs(20),
    again: Duration::from_millis(1),
    longest: Duration::from_secs(3),
};

pub fn assert_no_canary(text: &str) {
    assert!(!text.contains("canary"), "{text}");
}
