//! A fake Google with its mail servers, and a fake CalDAV server: logins, mail and calendars, and everything that can
//! go wrong.

mod calendars;
mod dav;
mod logins;
mod mail;
mod whole;

use sayso::tools::web::WebTimeouts;
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
