//! A fake Google and a fake CalDAV server: logins, mail and calendars, and everything that can go wrong.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../support/google.rs"]
mod google;
#[path = "../support/person.rs"]
mod person;
#[path = "../support/dav.rs"]
mod server;

mod calendars;
mod dav;
mod fetching;
mod logins;
mod marking;
mod sending;
mod whole;

use google::Google;
use sayso::config::{AfterHandling, Mail, MailMode, MailSource};
use sayso::mail::gmail::{Gmail, GmailOutgoing};
use sayso::web::WebTimeouts;
use std::time::Duration;

/// Pauses too short to notice.
pub const WAIT: WebTimeouts = WebTimeouts {
    connect: Duration::from_secs(20),
    reply: Duration::from_secs(20),
    again: Duration::from_millis(1),
    longest: Duration::from_secs(3),
};

/// A fake Google with a logged-in person and their mailbox.
pub struct TestGmail {
    pub google: Google,
    pub folder: tempfile::TempDir,
    pub login: sayso::config::Google,
    pub mailbox: Gmail,
}

impl TestGmail {
    pub fn start() -> Self {
        Self::with(AfterHandling::Seen, &[])
    }

    pub fn with(done: AfterHandling, labels: &[&str]) -> Self {
        let (google, folder) = (Google::start(), tempfile::tempdir().unwrap());
        let login = google.login(folder.path());
        let labels: Vec<String> = labels.iter().map(|label| (*label).to_owned()).collect();
        let mailbox = Self::mailbox(&login, done, &labels);
        Self { google, folder, login, mailbox }
    }

    fn mailbox(login: &sayso::config::Google, done: AfterHandling, labels: &[String]) -> Gmail {
        let mail = Mail {
            name: "home".to_owned(),
            source: MailSource::Gmail { google: login.clone(), labels: labels.to_vec() },
            address: "ada@gmail.example".to_owned(),
            aliases: Vec::new(),
            mode: MailMode::Act,
            model: None,
            handled_done: done,
            handled_ignored: AfterHandling::None,
            outgoing: None,
        };
        Gmail::with_timeouts(&mail, login, labels, WAIT).unwrap()
    }

    /// The same mailbox, as another process sees it.
    pub fn reopened(&self) -> Gmail {
        Self::mailbox(&self.login, AfterHandling::Seen, &[])
    }

    pub fn outgoing(&self) -> GmailOutgoing {
        GmailOutgoing::with_timeouts(&self.login, WAIT).unwrap()
    }

    pub fn assert_no_canary(text: &str) {
        assert!(!text.contains("canary"), "{text}");
    }
}

pub fn letter(n: usize) -> String {
    format!(
        "From: Bob <bob@example.com>\nTo: ada@gmail.example\nSubject: Letter {n}\nMessage-ID: <letter-{n}@example.com>\n\
         Date: Mon, 02 Mar 2026 10:00:{:02} +0000\n\nThis is letter {n}.\n",
        n % 60
    )
}
