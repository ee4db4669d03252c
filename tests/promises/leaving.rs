//! However the program ends, it restores the terminal: T02, T09.

use crate::process::{FOLDER, filled};
use crate::pty::Pty;
use crate::report;
use portable_pty::CommandBuilder;
use std::time::Duration;

const HELD: Duration = Duration::from_secs(600);

#[test]
fn t02_quit_and_signals() {
    for (what, said) in [("q", "SCREEN ENDED WELL"), ("TERM", "SCREEN ENDED WELL"), ("HUP", "")] {
        let folder = filled();
        let mut pty = Pty::open(folder.path(), HELD);
        pty.wait("Quarterly figures");
        assert!(pty.is_taken());
        if what == "q" {
            pty.send(what);
        } else {
            pty.signal(what);
        }
        pty.wait(said);
        pty.ended();
    }
    report("T02", "quit, SIGTERM and SIGHUP", 3);
}

#[test]
fn t02_panic() {
    let folder = filled();
    let mut pty = Pty::with(folder.path(), HELD, &[("SAYSO_TEST_PANIC", "1"), ("RUST_BACKTRACE", "0")]);
    pty.wait("panicked at");
    pty.ended();
    assert!(pty.text().contains("broke on purpose"), "{}", pty.text());
    report("T02", "a panic", 1);
}

#[test]
fn t02_ctrl_z_and_fg() {
    let folder = filled();
    // A shell with job control, as a person has it.
    let exe = std::env::current_exe().unwrap();
    let mut command = CommandBuilder::new("bash");
    command.args(["--norc", "--noprofile", "-i"]);
    command.env(FOLDER, folder.path());
    command.env("TERM", "xterm-256color");
    command.env("PS1", "shell> ");
    let mut pty = Pty::spawn(command);
    pty.wait("shell>");
    pty.send(&format!("{} --ignored --exact process::screen --nocapture --test-threads=1\r", exe.display()));
    pty.wait("Lunch on Thursday?");
    // The shell reports pastes for its own line, so only the screen tells whose it is.
    pty.send("\x1a");
    pty.until("the terminal given back", |pty| !pty.is_over() && pty.text().contains("Stopped"));
    pty.send("fg\r");
    pty.until("the inbox again", |pty| pty.is_over() && pty.text().contains("Lunch on Thursday?"));
    pty.send("j");
    pty.wait("Thursday at noon");
    pty.send("Q");
    pty.wait("SCREEN ENDED WELL");
    assert!(!pty.is_over());
    report("T02", "Ctrl-Z and fg", 1);
}

#[test]
fn t09_no_colour() {
    let folder = filled();
    let pty = Pty::with(folder.path(), HELD, &[("NO_COLOR", "1")]);
    pty.wait("Quarterly figures");
    let raw = String::from_utf8_lossy(&pty.raw()).into_owned();
    for colour in ["\x1b[31m", "\x1b[32m", "\x1b[38;5;1m", "\x1b[38;5;2m", "\x1b[38;5;6m", "\x1b[36m"] {
        assert!(!raw.contains(colour), "{colour:?}");
    }
    report("T09", "NO_COLOR", 1);
}

#[test]
fn t09_no_terminal_or_a_dumb_one() {
    let folder = filled();
    let pty = Pty::with(folder.path(), HELD, &[("TERM", "dumb")]);
    pty.wait("cannot show a screen");
    pty.wait("sayso list");
    let exe = std::env::current_exe().unwrap();
    let output = std::process::Command::new(exe)
        .args(["--ignored", "--exact", "process::screen", "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder.path())
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("the inbox needs a terminal; `sayso list` prints what waits"), "{text}");
    assert!(!text.contains('\x1b'), "no escapes in a pipe: {text:?}");
    report("T09", "no terminal, and a dumb one", 2);
}
