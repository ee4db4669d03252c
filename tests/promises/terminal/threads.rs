//! A walk through the threads of a data folder, in a real terminal.

use crate::process::fill;
use crate::pty::Pty;
use crate::support::samples;
use std::time::Duration;

#[test]
fn past_threads_are_searched_turned_forked_and_written_out() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(fill(folder.path(), samples::samples()));
    let mut pty = Pty::open(folder.path(), Duration::from_secs(600));
    pty.wait("Quarterly figures");
    pty.send("2");
    pty.wait("Conversation");
    pty.wait("all 9");
    // Found as it is typed.
    pty.send("/");
    pty.wait("search");
    for letter in "quarterly".chars() {
        pty.send(&letter.to_string());
    }
    pty.wait("/quarterly");
    pty.send("\r");
    // Each letter began another search, and while it looks there is nothing to open.
    pty.until("the one that was meant", |pty| {
        let text = pty.text();
        text.contains("searching `quarterly`")
            && text.contains("Quarterly figures")
            && !text.contains("Looking …")
    });
    assert!(!pty.text().contains("Lunch on Thursday?"));
    // Every side of it.
    pty.send("\r");
    pty.wait("next view");
    for (key, shown) in [("l", "asks 1 question"), ("l", "└─begin"), ("l", "▼ asks"), ("l", "kind: “mail”")]
    {
        pty.send(key);
        pty.wait(shown);
    }
    for shown in ["▼ asks", "└─begin", "asks 1 question"] {
        pty.send("h");
        pty.wait(shown);
    }
    // A fork asks once more, and what it asks stands in the inbox.
    pty.send("f");
    pty.wait("Fork a new thread after step 1");
    pty.decide("y", "it will ask you again");
    pty.until("the inbox", |pty| pty.text().contains("a accept"));
    // Written to a file, and not over it.
    let path = folder.path().join("out.md");
    pty.send("2");
    pty.wait("all 10");
    pty.send("W");
    pty.wait("write it");
    pty.send("\x15");
    pty.wait(".json for all of it");
    pty.send(&path.display().to_string());
    pty.wait("out.md");
    pty.send("\r");
    pty.wait("Written to");
    assert!(std::fs::read_to_string(&path).unwrap().contains("## Steps"));
    pty.send("Q");
    pty.wait("SCREEN ENDED WELL");
    let inbox = samples::inbox(folder.path(), Duration::ZERO).open();
    let threads = runtime.block_on(inbox.lines());
    assert_eq!(threads.iter().filter(|line| line.forked_from.is_some()).count(), 1);
}
