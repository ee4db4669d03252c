//! The tour of the demo: what to press, step by step, and when each step is done.

use super::dates::DateFiller;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug)]
pub struct TourStep {
    /// What to look at and what to press; `<action>` stands for its key.
    pub text: &'static str,
    pub goal: TourGoal,
}

/// When a step is done.
#[derive(Clone, Debug)]
pub enum TourGoal {
    /// The item with this text in its title is decided.
    Decide(&'static str),
    /// The last decision was undone, or a key was pressed after it was too late for that; `too_late` says so.
    TakeBack { too_late: &'static str },
    /// This mail has arrived, and the user looks at the list of skipped mail.
    LookAtSkipped(Delivery),
    /// Nothing is left to do.
    End,
}

/// A mail that is delivered to the demo's mailbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    mailbox: PathBuf,
    zone: TimeZone,
}

impl Delivery {
    /// Puts the mail into the mailbox, whole or not at all, and dated `now`.
    pub fn deliver(&self, now: Timestamp) -> io::Result<()> {
        let name = "29-build-failed.demo";
        let temporary = self.mailbox.join("tmp").join(name);
        fs::write(&temporary, DateFiller::new(now, &self.zone).fill(BUILD_FAILED))?;
        fs::rename(temporary, self.mailbox.join("new").join(name))
    }
}

const BUILD_FAILED: &[u8] = include_bytes!("../../../assets/demo/mail/tour-build-failed.eml");

/// The tour of the demo in `folder`.
pub fn demo_tour(folder: &Path, zone: &TimeZone) -> Vec<TourStep> {
    let step = |text, goal| TourStep { text, goal };
    let delivery = Delivery { mailbox: folder.join("mail/inbox"), zone: zone.clone() };
    vec![
        step(
            "This mail claims to come from your own IT. The card starts with what is wrong about it, and nothing in it has \
             been opened. Press <spam>: it goes to spam.",
            TourGoal::Decide("your mailbox is 98% full"),
        ),
        step(
            "A customer wants twelve bikes, and a reply is drafted; nothing has been sent. Press <edit>, change a word, \
             then <submit>: it is held for a moment and then sent, and <undo> stops it.",
            TourGoal::Decide("Twelve cargo bikes"),
        ),
        step(
            "It hasn't left yet: there are a few seconds to change your mind. Press <undo> to take it back.",
            TourGoal::TakeBack {
                too_late: "Those seconds are over: what you decided has been done. <show_decisions> lists it with how it \
                           ended, and <show_all> comes back. Press <down> to go on.",
            },
        ),
        step(
            "A build failed, and there is nothing to answer. Press <ignore> to ignore it: it leaves the list, and sayso \
             notes that such mail matters less to you.",
            TourGoal::Decide("Build failed"),
        ),
        step(
            "Another build has failed just now, and its mail is listed all the same: one <ignore> hides one mail. Press \
             <show_skipped> to see what was skipped; <why> says why, and <show_all> comes back. <memory> shows what was \
             learned.",
            TourGoal::LookAtSkipped(delivery),
        ),
        step(
            "An agent wants to push, and waits for you. <accept> allows it, <respond> refuses it in your own words, \
             <accept_and_grant> allows more of the same for a while. Press one of them.",
            TourGoal::Decide("git push"),
        ),
        step(
            "That was the tour; the rest of the week is yours to try. <show_decisions> lists what you decided, <threads> \
             every thread, <help> every key. `sayso init` sets up your own mail, `sayso connect` your coding agents.",
            TourGoal::End,
        ),
    ]
}
