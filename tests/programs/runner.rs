//! The program with a data folder of its own.

use crate::child::{ARGS, FLAGS, PREFACE};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Cli {
    home: TempDir,
}

/// The exit code and output of a call.
#[derive(Debug)]
pub struct CliOutput {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Cli {
    /// A fresh folder where nothing accepted is held.
    pub fn new() -> Self {
        let cli = Self { home: tempfile::tempdir().unwrap() };
        std::fs::DirBuilder::new().mode(0o700).create(cli.data()).unwrap();
        cli.configure("[approvals]\nhold_seconds = 0\n");
        cli
    }

    pub fn data(&self) -> PathBuf {
        self.home.path().join("data")
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    pub fn configure(&self, text: &str) {
        std::fs::write(self.data().join("config.toml"), text).unwrap();
    }

    /// What the courier delivered.
    pub fn deliveries(&self) -> usize {
        std::fs::read_to_string(self.data().with_extension("street")).unwrap_or_default().lines().count()
    }

    /// The program with the test workflows.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.clean(Command::new(std::env::current_exe().unwrap()));
        command.args(FLAGS).env(ARGS, serde_json::to_string(args).unwrap());
        command
    }

    /// The real program.
    pub fn real(&self) -> Command {
        self.clean(Command::new(env!("CARGO_BIN_EXE_sayso")))
    }

    /// A command that sees this folder and nothing of the person who runs the tests.
    pub fn clean(&self, mut command: Command) -> Command {
        command.env_clear().env("HOME", self.home.path()).env("SAYSO_DATA", self.data()).env("TZ", "UTC");
        command.current_dir(self.home.path()).stdin(Stdio::null());
        command
    }

    pub fn sayso(&self, args: &[&str]) -> CliOutput {
        captured(self.command(args).output().unwrap())
    }

    /// The same with something on stdin.
    pub fn sayso_with(&self, args: &[&str], stdin: &[u8]) -> CliOutput {
        Background::of(self.command(args), stdin).wait()
    }

    /// Runs in the background.
    pub fn spawn(&self, args: &[&str]) -> Background {
        Background::of(self.command(args), b"")
    }

    /// A Maildir to read mail from.
    pub fn maildir(&self, name: &str) {
        for part in ["cur", "new", "tmp"] {
            std::fs::create_dir_all(self.path(name).join(part)).unwrap();
        }
    }

    /// Runs the real program, which is killed when it comes to `point`.
    #[track_caller]
    pub fn killed_at(&self, point: &str, args: &[&str]) {
        let output = self.real().args(args).env("SAYSO_FAIL_POINT", point).output().unwrap();
        assert_eq!(output.status.signal(), Some(9), "{point}: {output:?}");
    }

    /// The JSON of a call that must work.
    #[track_caller]
    pub fn json(&self, args: &[&str]) -> Value {
        let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        read(&self.sayso(&args), 0)
    }

    /// A call that must fail: its code, nothing on stdout, and a sentence, with and without `--json`.
    #[track_caller]
    pub fn refused(&self, args: &[&str], code: i32, expected: &str) {
        let json: Vec<&str> = std::iter::once("--json").chain(args.iter().copied()).collect();
        for args in [args, &json] {
            self.sayso(args).refused(code, expected);
        }
    }

    /// Starts a thread that asks, and gives its id and those of its questions.
    #[track_caller]
    pub fn asked(&self, args: &[&str]) -> (String, Vec<String>) {
        let args: Vec<&str> = ["start"].iter().chain(args).copied().chain(["--wait"]).collect();
        let outcome = self.json(&args);
        assert_eq!(outcome["status"], "waiting", "{outcome}");
        (text(&outcome["thread"]), texts(&outcome["interrupts"]))
    }

    /// A conversation with its one open question.
    #[track_caller]
    pub fn chat(&self, topic: &str) -> (String, String) {
        let (thread, mut asked) = self.asked(&["chat", &format!("topic={topic}")]);
        (thread, asked.remove(0))
    }

    /// A delivery with its one open question.
    #[track_caller]
    pub fn parcel(&self, name: &str) -> (String, String) {
        let (thread, mut asked) = self.asked(&["courier", &format!("parcels={name}")]);
        (thread, asked.remove(0))
    }

    /// The process that drives now.
    pub fn driver(&self) -> Option<u64> {
        self.json(&["activity"])["driver"].as_u64()
    }
}

impl CliOutput {
    #[track_caller]
    pub fn refused(&self, code: i32, expected: &str) {
        assert_eq!(self.code, code, "{self:?}");
        assert_eq!(self.out, "", "{self:?}");
        assert!(self.err.starts_with("error: ") && self.err.contains(expected), "{expected}: {self:?}");
    }

    #[track_caller]
    pub fn done(&self) -> &str {
        assert_eq!((self.code, self.err.as_str()), (0, ""), "{self:?}");
        &self.out
    }
}

pub struct Background(Option<Child>);

impl Background {
    /// A child that does not outlive its test, with this on its stdin.
    pub fn of(mut command: Command, stdin: &[u8]) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A program that refuses before it reads closes its end.
        let _ = child.stdin.take().unwrap().write_all(stdin);
        Self(Some(child))
    }

    pub fn pid(&self) -> u32 {
        self.0.as_ref().unwrap().id()
    }

    pub fn is_running(&mut self) -> bool {
        self.0.as_mut().unwrap().try_wait().unwrap().is_none()
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(self.0.as_ref().unwrap());
        rustix::process::kill_process(pid, signal).unwrap();
    }

    pub fn wait(mut self) -> CliOutput {
        captured(self.0.take().unwrap().wait_with_output().unwrap())
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

pub fn captured(output: Output) -> CliOutput {
    let out = String::from_utf8(output.stdout).unwrap();
    let code = output.status.code().unwrap_or_else(|| panic!("ended by {}", output.status));
    let err = String::from_utf8(output.stderr).unwrap();
    CliOutput { code, out: out.strip_prefix(PREFACE).unwrap_or(&out).to_owned(), err }
}

/// What a call printed that ended with `code`.
#[track_caller]
pub fn read(output: &CliOutput, code: i32) -> Value {
    assert_eq!(output.code, code, "{output:?}");
    serde_json::from_str(&output.out).unwrap_or_else(|e| panic!("{e}: {output:?}"))
}

/// The real program.
pub fn run(cli: &Cli, args: &[&str]) -> CliOutput {
    captured(cli.real().args(args).output().unwrap())
}

/// The same with something on stdin.
pub fn with_stdin(cli: &Cli, args: &[&str], stdin: &[u8]) -> CliOutput {
    spawn_with(cli, args, stdin).wait()
}

/// The same in the background.
pub fn spawn(cli: &Cli, args: &[&str]) -> Background {
    spawn_with(cli, args, b"")
}

pub fn spawn_with(cli: &Cli, args: &[&str], stdin: &[u8]) -> Background {
    let mut command = cli.real();
    command.args(args);
    Background::of(command, stdin)
}

/// The JSON of the real program, which must work.
#[track_caller]
pub fn json(cli: &Cli, args: &[&str]) -> Value {
    let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
    read(&run(cli, &args), 0)
}

/// The same, which must give a list.
#[track_caller]
pub fn list(cli: &Cli, args: &[&str]) -> Vec<Value> {
    json(cli, args).as_array().unwrap().clone()
}

/// The open questions.
#[track_caller]
pub fn open(cli: &Cli) -> Vec<Value> {
    list(cli, &["list"])
}

/// The one question that is open, once there is one.
pub fn the_one(cli: &Cli) -> Value {
    until(|| open(cli).len() == 1);
    open(cli).remove(0)
}

/// Answers a question by the words of a verb, which the id follows first.
#[track_caller]
pub fn answer(cli: &Cli, id: &str, words: &[&str]) {
    let args: Vec<&str> = [words[0], id].into_iter().chain(words[1..].iter().copied()).collect();
    assert_eq!(run(cli, &args).code, 0, "{args:?}");
}

/// The checks of this name in what `doctor` says: whether each is well, and its sentence.
pub fn checks(cli: &Cli, name: &str) -> Vec<(bool, String)> {
    checks_with(cli, &[], name)
}

/// The same with more in the environment.
pub fn checks_with(cli: &Cli, env: &[(&str, &str)], name: &str) -> Vec<(bool, String)> {
    let mut command = cli.real();
    command.args(["doctor", "--json"]).envs(env.iter().copied());
    let report: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
    let checks = report.as_array().unwrap().iter().filter(|check| check["check"] == name);
    checks.map(|check| (check["ok"] == true, text(&check["text"]))).collect()
}

/// Waits for a condition that another process makes true.
#[track_caller]
pub fn until(mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < PATIENCE, "it did not happen");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[track_caller]
pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is not text")).to_owned()
}

#[track_caller]
pub fn texts(value: &Value) -> Vec<String> {
    value.as_array().unwrap_or_else(|| panic!("{value} is not a list")).iter().map(text).collect()
}

/// This field of every entry of a list.
#[track_caller]
pub fn each(list: &Value, field: &str) -> Vec<String> {
    list.as_array()
        .unwrap_or_else(|| panic!("{list} is not a list"))
        .iter()
        .map(|one| text(&one[field]))
        .collect()
}

/// The keys of an object, exactly.
#[track_caller]
pub fn keys(value: &Value, expected: &str) {
    let found = value.as_object().unwrap_or_else(|| panic!("{value}")).keys().map(String::as_str);
    let found: BTreeSet<&str> = found.collect();
    assert_eq!(found, expected.split_whitespace().collect());
}

pub const OUTCOME: &str = "thread status interrupts output error";
