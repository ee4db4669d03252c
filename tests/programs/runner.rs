//! The program with a data folder of its own.

use crate::child::{ARGS, FLAGS, PREFACE};
use serde_json::Value;
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
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
        let mut command = self.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(stdin).unwrap();
        captured(child.wait_with_output().unwrap())
    }

    /// Runs in the background.
    pub fn spawn(&self, args: &[&str]) -> Background {
        let mut command = self.command(args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Background(Some(command.spawn().unwrap()))
    }

    /// The JSON of a call that must work.
    #[track_caller]
    pub fn json(&self, args: &[&str]) -> Value {
        let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        let output = self.sayso(&args);
        assert_eq!(output.code, 0, "{args:?}: {output:?}");
        serde_json::from_str(&output.out).unwrap_or_else(|e| panic!("{args:?}: {e}: {output:?}"))
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
        self.json(&["status"])["driver"].as_u64()
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
    /// A child that does not outlive its test.
    pub fn of(child: Child) -> Self {
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

/// The keys of an object, exactly.
#[track_caller]
pub fn keys(value: &Value, expected: &[&str]) {
    let mut found: Vec<&str> =
        value.as_object().unwrap_or_else(|| panic!("{value}")).keys().map(String::as_str).collect();
    let mut expected = expected.to_vec();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

pub const OUTCOME: &[&str] = &["thread", "status", "interrupts", "output", "error"];
