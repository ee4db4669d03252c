//! A conversation at a terminal: a pty, the real program, and somebody who types.

use crate::analyze::{QUERY, notes, with_notes};
use crate::runner::{Cli, json, run, spawn, text, texts, until};
use crate::support::model_server::{End, Server};
use crate::support::wire;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use sayso::agent::llm::Provider;
use std::io::{Read, Write};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// What stands before what is typed.
pub const PROMPT: &str = "\n> ";

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

/// The lines of a config that name this server as the model.
fn model(server: &Server) -> String {
    let address = &server.address;
    format!(
        "[model]\nprovider = \"openai\"\nname = \"tiny-1\"\nbase_url = \"{address}/v1\"\n[engine]\nretries = 0\n"
    )
}

#[test]
fn a_whole_conversation_is_held_right_there() {
    let cli = with_notes();
    let mut terminal = Terminal::plain(&cli, &ANALYZE);
    let first = terminal.wait_for(PROMPT);
    assert!(first.contains("The budget is TBD.") && first.contains("read: plan.md, talk.txt"), "{first}");
    assert!(first.contains("DONE approves; Ctrl-D leaves it in the inbox."), "{first}");
    // An empty line asks again.
    terminal.types("\n");
    assert!(terminal.wait_for(PROMPT).contains("Answer in a line"));
    terminal.types("It is 500 a month\n");
    let second = terminal.wait_for(PROMPT);
    assert!(second.contains("It is 500 a month”") && second.contains("DONE approves"), "{second}");
    assert!(!second.contains("The budget is TBD."), "earlier turns are on the screen already: {second}");
    terminal.types("DONE\n");
    let last = terminal.ends();
    let file = notes(&cli, "analysis_result.md").canonicalize().unwrap();
    assert!(last.contains(&file.display().to_string()), "{last}");
    assert!(last.contains("Findings") && last.contains("is done."), "{last}");
    assert!(std::fs::read_to_string(file).unwrap().contains("It is 500 a month"));
    let whole = json(&cli, &["threads"]);
    assert_eq!(whole[0]["status"], "done");
    let id = text(&whole[0]["id"]);
    assert_eq!(json(&cli, &["show", &id])["decisions"][0]["args"], "It is 500 a month");
    // What was read here does not wait in the inbox as well.
    run(&cli, &["accept", &id]).refused(3, "has no result waiting to be read");
}

#[test]
fn a_result_that_was_waited_for_at_a_terminal_is_read() {
    let cli = with_notes();
    std::fs::write(cli.path("book.csv"), "Name,Amount\nA,1\n").unwrap();
    let sheet = ["sheet", "book.csv", "-i", "frobnicate", "--wait"];
    let shown = Terminal::plain(&cli, &sheet).ends();
    assert!(shown.contains("is done.") && shown.contains("Result:"), "{shown}");
    let file_away = || {
        let thread = text(&json(&cli, &["threads"])[0]["id"]);
        run(&cli, &["accept", &thread]).code
    };
    assert_eq!(file_away(), 3, "there is none left to be read");
    // A program that waits for it has read nothing.
    json(&cli, &sheet);
    assert_eq!(file_away(), 0);
}

#[test]
fn leaving_keeps_it_in_the_inbox_and_respond_goes_on() {
    for key in ["\u{3}", "\u{4}"] {
        let cli = with_notes();
        let mut terminal = Terminal::plain(&cli, &ANALYZE);
        // What was typed before the question answers nothing.
        terminal.types("DONE\n");
        assert!(terminal.wait_for(PROMPT).contains("The budget is TBD."));
        assert_eq!(json(&cli, &["threads"])[0]["status"], "waiting");
        terminal.types(key);
        let asked = open(&cli);
        let last = terminal.ends();
        assert!(last.contains("waits for you") && last.contains(&format!("sayso show {asked}")), "{last}");
        let outcome = json(&cli, &["respond", &asked, "It is 500", "--wait"]);
        assert_eq!(outcome["status"], "waiting");
        let outcome = json(&cli, &["accept", &texts(&outcome["interrupts"])[0], "--wait"]);
        assert_eq!(outcome["status"], "done");
        assert!(notes(&cli, "analysis_result.md").exists());
    }
}

#[test]
fn somebody_else_may_answer_meanwhile() {
    let cli = with_notes();
    let mut terminal = Terminal::plain(&cli, &ANALYZE);
    terminal.wait_for(PROMPT);
    json(&cli, &["respond", &open(&cli), "It is 500"]);
    terminal.types("It is 600\n");
    let next = terminal.wait_for(PROMPT);
    assert!(next.contains("Your answer was not used") && next.contains("It is 500”"), "{next}");
    terminal.types("DONE\n");
    terminal.wait_for("is done.");
    terminal.ends();
}

#[test]
fn another_process_may_drive_and_is_watched() {
    let cli = with_notes();
    let mut driver = spawn(&cli, &["watch"]);
    until(|| json(&cli, &["status"])["driver"] == driver.pid());
    let mut terminal = Terminal::plain(&cli, &ANALYZE);
    let first = terminal.wait_for(PROMPT);
    assert!(first.contains("The budget is TBD."), "{first}");
    terminal.types("DONE\n");
    let last = terminal.ends();
    assert!(last.contains("Findings") && last.contains("is done."), "{last}");
    assert!(driver.is_running());
}

#[test]
fn a_terminal_is_sent_no_escapes() {
    let cli = with_notes();
    std::fs::write(notes(&cli, "evil.md"), "The launch \u{1b}[2J\u{1b}]0;owned\u{7} slipped.\n").unwrap();
    let mut terminal = Terminal::open(&cli, &ANALYZE, &[]);
    terminal.wait_for(PROMPT);
    terminal.types("DONE\n");
    terminal.wait_for("is done.");
    assert!(!terminal.shown().contains(['\u{1b}', '\u{7}']), "{:?}", terminal.shown());
    terminal.ends();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_trouble_of_a_language_model_is_decided_here() {
    let server = Server::play([
        wire::text(Provider::Openai, &["## Since", " when?\n\nThe notes", " do not \u{1b}[2Jsay.\n"]),
        wire::error(Provider::Openai, 400, "this model cannot do that"),
        wire::text(Provider::Openai, &["Shorter, then?"]),
        wire::text(Provider::Openai, &["# Late"]),
    ])
    .await;
    let cli = with_notes();
    cli.configure(&model(&server));
    let mut terminal = Terminal::plain(&cli, &ANALYZE);
    let first = terminal.wait_for(PROMPT);
    assert!(first.contains("Since when?") && first.contains("⟨U+001B⟩[2Jsay."), "{first:?}");
    terminal.types("Monday\n");
    let trouble = terminal.wait_for(PROMPT);
    assert!(trouble.contains("rejected the request") && trouble.contains("accept (retry now)"), "{trouble}");
    terminal.types("be brief\n");
    let second = terminal.wait_for(PROMPT);
    assert!(second.contains("Shorter, then?"), "{second}");
    terminal.types("okay bye\n");
    let last = terminal.ends();
    assert!(last.contains("Late") && last.contains("is done."), "{last}");
    let hinted = server.seen()[2].body["messages"].to_string();
    assert!(hinted.contains("The person says: Monday\\n\\nThe person says: be brief"), "{hinted}");
}

#[tokio::test(flavor = "multi_thread")]
async fn leaving_while_the_model_speaks_loses_nothing() {
    let mut broken_off = wire::text(Provider::Openai, &["Since\n", "wh"]).end(End::Silent);
    broken_off.chunks.truncate(3);
    let server = Server::play([broken_off, wire::text(Provider::Openai, &["Since when?"])]).await;
    let cli = with_notes();
    cli.configure(&model(&server));
    let mut terminal = Terminal::plain(&cli, &ANALYZE);
    terminal.wait_for("Working");
    until(|| server.count() == 1);
    terminal.types("\u{3}");
    let last = terminal.ends();
    assert!(last.contains("`sayso run` takes it further"), "{last}");
    let driven = json(&cli, &["run"]);
    let card = json(&cli, &["view", &texts(&driven["interrupts"])[0]]);
    assert_eq!(card["args"]["question"], "Since when?");
    assert_eq!(server.count(), 2);
}
