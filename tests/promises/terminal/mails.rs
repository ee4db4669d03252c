//! A mail is piped through a command, and the inbox gets its terminal back.

use crate::process::fill;
use crate::pty::Pty;
use crate::support::samples;
use std::time::Duration;

#[test]
fn a_mail_is_piped_through_a_command() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(fill(folder.path(), vec![samples::letter()]));
    let mut pty = Pty::open(folder.path(), Duration::from_secs(600));
    pty.wait("here are the figures");
    pty.send("\r");
    pty.wait("Esc back");
    pty.send("|");
    pty.wait("run it");
    pty.send("grep -c 'said before'; exit 3");
    pty.wait("exit 3");
    pty.send("\r");
    pty.until("the command's output", |pty| !pty.is_over() && pty.text().contains("Enter goes back"));
    let shown = pty.text();
    assert!(shown.contains("14") && shown.contains("exit status: 3"), "{shown}");
    pty.send("\r");
    pty.until("the inbox again", |pty| pty.is_over() && pty.text().contains("here are the figures"));
    // Ctrl-C ends a command that goes on and on, and nothing else. Whoever writes the word must be what goes on: a
    // shell between two commands may swallow the signal.
    let endless = folder.path().join("endless");
    std::fs::write(&endless, "begun").unwrap();
    pty.send("|");
    pty.wait("run it");
    pty.send(&format!("tail -f {}", endless.display()));
    pty.wait("/endless");
    pty.send("\r");
    pty.until("the command", |pty| !pty.is_over() && pty.text().contains("begun"));
    pty.send("\x03");
    pty.until("its end", |pty| pty.text().contains("signal: 2"));
    pty.send("\r");
    pty.until("the inbox again", |pty| pty.is_over() && pty.text().contains("here are the figures"));
    pty.send("Q");
    pty.wait("SCREEN ENDED WELL");
}
