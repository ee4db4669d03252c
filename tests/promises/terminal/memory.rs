//! A walk through what was learned, what is allowed and what is kept, in a real terminal.

use crate::process::fill;
use crate::pty::Pty;
use crate::support::samples;
use sayso::engine::store::MemoryCause;
use sayso::inbox::{GrantRequest, GrantScope, ThreadQuery};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const PROFILE: &str = "email/response_preferences";

/// A thread that ended long ago, one of each sample, a profile of two versions, and a grant.
async fn set_up(folder: &Path) {
    let long_ago = || "2024-05-01T10:00:00Z".parse().unwrap();
    let inbox = samples::inbox(folder, Duration::ZERO).clock(Arc::new(long_ago)).open();
    let input = json!({"kind": "report", "title": "An old report", "text": "Nothing moved."});
    inbox.run("desk", input).await;
    drop(inbox);
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
fn what_is_allowed_is_revoked_and_what_is_old_goes_after_a_preview() {
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
    // The preview says what would go; no is no.
    pty.send("P");
    pty.wait("Prune finished threads with");
    pty.send("\r");
    pty.wait("Delete 1 thread");
    pty.send("n");
    pty.until("the question closed", |pty| !pty.text().contains("Delete 1 thread"));
    let kept = || {
        let inbox = samples::inbox(folder.path(), Duration::ZERO).open();
        let query = ThreadQuery { limit: 100, ..ThreadQuery::default() };
        let threads = runtime.block_on(inbox.threads().list(query)).unwrap().rows;
        let grants = runtime.block_on(inbox.grants().list()).unwrap();
        (threads.len(), grants.iter().any(|grant| !grant.builtin && grant.in_force))
    };
    assert_eq!(
        kept(),
        (samples::samples().len() + 1, false),
        "nothing went, and nothing is allowed any more"
    );
    pty.send("P");
    pty.wait("Prune finished threads with");
    pty.send("\r");
    pty.wait("Delete 1 thread");
    pty.decide("y", "1 thread pruned");
    assert_eq!(kept().0, samples::samples().len(), "what was old and asked nothing is gone");
    pty.send("Q");
    pty.wait("SCREEN ENDED WELL");
}
