//! Opened, moved through, decided each way, taken back, edited, resized.

use crate::process::filled;
use crate::pty::Pty;
use crate::support::samples;
use std::path::Path;
use std::time::Duration;

const HELD: Duration = Duration::from_secs(600);

fn decided(folder: &Path) -> Vec<(String, bool)> {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let inbox = samples::inbox(folder, HELD).open();
    runtime.block_on(async {
        let mut all = Vec::new();
        for line in inbox.lines().await {
            all.extend(inbox.threads().answers(line.id).await.unwrap());
        }
        all.into_iter().map(|decision| (decision.r#type, decision.undone_at.is_some())).collect()
    })
}

#[test]
fn decided_each_way_and_taken_back() {
    let folder = filled();
    let mut pty = Pty::open(folder.path(), HELD);
    pty.wait("Quarterly figures");
    pty.send("j");
    pty.wait("Thursday at noon");
    pty.decide("a", "Sending to eve@example.org · ");
    pty.wait("u stops it");
    pty.send("u");
    pty.wait("Taken back: “Lunch");
    pty.wait("Thursday at noon");
    pty.decide("i", "Ignored: “Lunch");
    pty.wait("the recipient is not in this conversation");
    pty.decide("a", "carries a warning.");
    pty.decide("y", "Sending to billing@examp1e.test · ");
    pty.wait("Ready to invite → carol@example.org");
    pty.send("r");
    pty.wait("To the agent");
    pty.send("Not this month");
    pty.wait("Not this month");
    pty.decide("\x13", "Answered: “Planning”");
    let mut kinds = decided(folder.path());
    kinds.sort();
    let kind = |word: &str, undone| (word.to_owned(), undone);
    assert_eq!(
        kinds,
        [kind("accept", false), kind("accept", true), kind("ignore", false), kind("respond", false)]
    );
}

#[test]
fn i14_keys_typed_ahead_and_pasted_decide_nothing() {
    let folder = filled();
    let mut pty = Pty::open(folder.path(), HELD);
    // Before anything is on the screen.
    pty.send("aiaiaijaja");
    pty.wait("Quarterly figures");
    pty.send("\x1b[200~aaaa\niiii\x1b[201~");
    pty.wait("Pasted text is only used where you write");
    pty.send("jajajaiIiI");
    pty.wait("the keys came too fast");
    assert!(decided(folder.path()).is_empty());
}

#[test]
fn edited_in_an_editor() {
    let folder = filled();
    let script = folder.path().join("editor.sh");
    std::fs::write(&script, "#!/bin/sh\nsed -i 's/Thursday at noon/Friday at one/' \"$1\"\n").unwrap();
    let editor = format!("sh {}", script.display());
    let mut pty = Pty::with(folder.path(), HELD, &[("EDITOR", &editor), ("VISUAL", "")]);
    pty.wait("Quarterly figures");
    pty.send("j");
    pty.wait("Thursday at noon");
    pty.send("E");
    pty.wait("Friday at one");
    pty.decide("\x13", "Sending to eve@example.org · ");
    assert_eq!(decided(folder.path()), [("edit".to_owned(), false)]);
}

#[test]
fn resized() {
    let folder = filled();
    let mut pty = Pty::open(folder.path(), HELD);
    pty.wait("Quarterly figures");
    for (columns, rows) in [(40, 10), (1, 1), (200, 60), (12, 4), (110, 30)] {
        pty.resize(columns, rows);
    }
    pty.wait("Lunch on Thursday?");
    pty.send("?");
    pty.wait("Everywhere");
}

#[test]
fn what_is_accepted_is_carried_out_by_the_screen_that_drives() {
    let folder = filled();
    let mut pty = Pty::open(folder.path(), Duration::from_millis(300));
    pty.wait("Quarterly figures");
    pty.send("j");
    pty.wait("Thursday at noon");
    pty.decide("a", "Accepted: ");
    let outbox = folder.path().join("outbox");
    pty.until("the outbox", |_| {
        std::fs::read_to_string(&outbox).is_ok_and(|text| text.contains("accept Lunch"))
    });
}
