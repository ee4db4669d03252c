//! The program at a terminal: a pty, and somebody who types.

use crate::analyze::{QUERY, notes, with_notes};
use crate::runner::{Cli, json, run, text, texts};
use crate::{model, python};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// A terminal with the program running in it.
pub struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    shown: Arc<Mutex<String>>,
    reader: Option<JoinHandle<()>>,
    seen: usize,
    _master: Box<dyn MasterPty + Send>,
}

impl Terminal {
    /// Without styles, so that texts can be compared.
    pub fn plain(cli: &Cli, args: &[&str]) -> Self {
        Self::open(cli, args, &[("NO_COLOR", "1")])
    }

    pub fn open(cli: &Cli, args: &[&str], env: &[(&str, &str)]) -> Self {
        let size = PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_sayso"));
        command.env_clear();
        command.args(args);
        command.cwd(cli.path("."));
        let home = cli.path(".").display().to_string();
        let data = cli.data().display().to_string();
        let basic = [
            ("HOME", home.as_str()),
            ("SAYSO_DATA", &data),
            ("TZ", "UTC"),
            ("TERM", "xterm"),
            ("PATH", "/usr/bin:/bin"),
        ];
        for (name, value) in basic.iter().chain(env) {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let keys = pair.master.take_writer().unwrap();
        let shown = Arc::new(Mutex::new(String::new()));
        let screen = shown.clone();
        let reader = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = reader.read(&mut buffer) {
                bytes.extend_from_slice(&buffer[..read]);
                *screen.lock().unwrap() = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
            }
        });
        Self { child, keys, shown, reader: Some(reader), seen: 0, _master: pair.master }
    }

    fn shown(&self) -> String {
        self.shown.lock().unwrap().clone()
    }

    /// Waits for words that were not waited for before, and gives what came up to them.
    #[track_caller]
    pub fn wait_for(&mut self, words: &str) -> String {
        let from = self.seen;
        let place = || self.shown().get(from..).and_then(|new| new.find(words));
        let begun = std::time::Instant::now();
        while place().is_none() {
            let patient = begun.elapsed() < std::time::Duration::from_secs(60);
            assert!(patient, "{words:?} did not come:\n{}", self.shown());
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let end = from + place().unwrap() + words.len();
        self.seen = end;
        self.shown()[from..end].to_owned()
    }

    pub fn types(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    #[track_caller]
    pub fn ends(mut self) -> String {
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status:?}:\n{}", self.shown());
        // Nothing comes any more once nobody has the other end.
        self.reader.take().unwrap().join().unwrap();
        self.shown()[self.seen..].to_owned()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const ANALYZE: [&str; 5] = ["analyze", "--query", QUERY, "--inputs", "notes"];

/// The one open question.
fn open(cli: &Cli) -> String {
    text(&json(cli, &["list"])[0]["id"])
}

#[test]
fn the_inbox_opens_at_what_was_started() {
    let cli = with_notes();
    let mut terminal = Terminal::open(&cli, &ANALYZE, &[]);
    terminal.wait_for("The budget is TBD.");
    terminal.types("q");
    terminal.ends();
    let outcome = json(&cli, &["respond", &open(&cli), "It is 500 a month", "--wait"]);
    let outcome = json(&cli, &["accept", &texts(&outcome["interrupts"])[0], "--wait"]);
    assert_eq!(outcome["status"], "done");
    assert!(notes(&cli, "analysis_result.md").exists());
}

#[test]
fn a_result_that_was_waited_for_at_a_terminal_is_read() {
    let Ok(program) = python::program().map_err(|why| println!("skipped: {why}")) else { return };
    let cli = with_notes();
    cli.configure(&(model::config() + &python::config(&program)));
    std::fs::write(cli.path("book.csv"), "Name,Amount\nA,1\n").unwrap();
    let asked = || {
        let outcome = json(&cli, &["sheet", "book.csv", "-i", "sum Amount", "--wait"]);
        texts(&outcome["interrupts"]).remove(0)
    };
    let shown = Terminal::plain(&cli, &["accept", &asked(), "--wait"]).ends();
    assert!(shown.contains("is done.") && shown.contains("Result:"), "{shown}");
    let file_away = || {
        let thread = text(&json(&cli, &["threads"])[0]["id"]);
        run(&cli, &["accept", &thread]).code
    };
    assert_eq!(file_away(), 3, "there is none left to be read");
    // A program that waits for it has read nothing.
    json(&cli, &["accept", &asked(), "--wait"]);
    assert_eq!(file_away(), 0);
}
