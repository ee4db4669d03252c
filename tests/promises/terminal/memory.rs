//! A walk through what was learned and what is allowed, in a real terminal.

use crate::process::fill;
use crate::pty::Pty;
use crate::support::samples;
use sayso::engine::store::MemoryCause;
use sayso::inbox::{GrantRequest, GrantScope};
use std::path::Path;
use std::time::Duration;

const PROFILE: &str = "email/response_preferences";

/// One of each sample, a profile of two versions, and a grant.
async fn set_up(folder: &Path) {
    fill(folder, samples::samples()).await;
    let inbox = samples::inbox(folder, Duration::ZERO).open();
    let cause = || MemoryCause { kind: "answer".to_owned(), thread: None, interrupt: None };
    for (read, text) in
        [(0, "Prefers long replies.\nSigns with Ada."), (1, "Prefers short replies.\nSigns with Ada.")]
    {
        inbox.store().memory().remember(PROFILE.to_owned(), read, text.to_owned(), cause()).await.unwrap();
    }
    let items = inbox.items().await;
    let lunch = items.iter().find(|item| item.title == "Lunch on Thursday?").unwrap();
    let interrupt = lunch.id.clone();
    inbox
        .grants()
        .give(GrantRequest { interrupt, scope: GrantScope::Thread, ends_at: None, session: false })
        .await
        .unwrap();
}

#[test]
fn what_was_learned_is_read_edited_pinned_and_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(set_up(folder.path()));
    let script = folder.path().join("editor.sh");
    std::fs::write(&script, "#!/bin/sh\nsed -i 's/short/very short/' \"$1\"\n").unwrap();
    let editor = format!("sh {}", script.display());
    let mut pty = Pty::with(folder.path(), Duration::from_secs(600), &[("EDITOR", &editor), ("VISUAL", "")]);
    pty.wait("Quarterly figures");
    pty.send("3");
    pty.wait("Prefers short replies.");
    // What each version changed, word for word.
    pty.send("d");
    pty.wait("History of your response preferences");
    pty.wait("Prefers long replies.");
    pty.send("\x03");
    pty.until("the history closed", |pty| !pty.text().contains("History of"));
    // Written anew in an editor.
    pty.send("e");
    pty.wait("Saved as version 3");
    pty.wait("Prefers very short replies.");
    // A line pinned.
    pty.send("P");
    pty.wait("Pin a line");
    pty.send("\r");
    pty.wait("Pinned: Prefers very short replies.");
    // And let go of, since going back would drop it.
    pty.until("the menu closed", |pty| !pty.text().contains("Pin a line"));
    pty.send("P");
    pty.wait("Pin a line");
    pty.wait("● Prefers very short replies.");
    pty.send("\r");
    pty.wait("No longer pinned");
    // Back to an earlier version, after a look at what that changes.
    pty.send("R");
    pty.wait("Go back to which version?");
    pty.send("\r");
    pty.wait("Go back to version 2?");
    pty.decide("y", "saved as version 4");
    pty.send("Q");
    pty.wait("SCREEN ENDED WELL");
    let inbox = samples::inbox(folder.path(), Duration::ZERO).open();
    let view = runtime.block_on(inbox.memory().show(PROFILE.to_owned())).unwrap();
    assert_eq!(
        (view.newest.version, view.newest.profile.lines().next()),
        (4, Some("Prefers short replies."))
    );
    assert!(view.pinned.is_empty(), "{:?}", view.pinned);
}

#[test]
fn what_is_allowed_is_revoked() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(set_up(folder.path()));
    let mut pty = Pty::open(folder.path(), Duration::from_secs(600));
    pty.wait("Quarterly figures");
    pty.send("4");
    pty.wait("allowed sending mail");
    // From row to row, until the grant is the one that is shown.
    pty.send("j");
    pty.wait("Nothing is running");
    for _ in 0..2 {
        pty.send("j");
    }
    pty.wait("X revokes it at once");
    pty.wait("Lunch on Thursday?");
    pty.decide("X", "Revoked: sending mail");
    let inbox = samples::inbox(folder.path(), Duration::ZERO).open();
    let grants = runtime.block_on(inbox.grants().list()).unwrap();
    assert!(!grants.iter().any(|grant| !grant.builtin && grant.in_force), "nothing is allowed any more");
    drop(inbox);
    pty.send("Q");
    pty.wait("SCREEN ENDED WELL");
}
