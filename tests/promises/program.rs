//! The real program in a folder of its own, and what it reads of a folder it is pointed at (S05).

use crate::report;
use crate::support::model_server::Server;
use crate::support::wire;
use sayso::agent::llm::Provider;
use serde_json::Value;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use tempfile::TempDir;

pub struct Program {
    home: TempDir,
    /// Besides where it lives.
    pub env: Vec<(&'static str, String)>,
}

impl Program {
    /// With a folder `notes` to be analysed.
    pub fn new() -> Self {
        let program = Self { home: tempfile::tempdir().unwrap(), env: Vec::new() };
        std::fs::DirBuilder::new().mode(0o700).create(program.path("data")).unwrap();
        std::fs::create_dir(program.path("notes")).unwrap();
        std::fs::write(program.path("notes/plan.md"), "The launch slipped by three weeks.\n").unwrap();
        program
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    pub fn configure(&self, text: &str) {
        std::fs::write(self.path("data/config.toml"), text).unwrap();
    }

    /// It, about to be called.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sayso"));
        command.env_clear().env("HOME", self.home.path()).env("SAYSO_DATA", self.path("data"));
        command.envs(self.env.iter().cloned()).current_dir(self.home.path()).stdin(Stdio::null()).args(args);
        command
    }

    /// What it says, and what it complains about.
    pub fn run(&self, args: &[&str]) -> (String, String) {
        let output = self.command(args).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (text(output.stdout), text(output.stderr))
    }
}

/// The first interrupt of an outcome.
#[track_caller]
pub fn asked(outcome: &str) -> String {
    let read: Value = serde_json::from_str(outcome).unwrap_or_else(|e| panic!("{e}: {outcome:?}"));
    read["interrupts"][0].as_str().unwrap_or_else(|| panic!("it asks nothing: {read}")).to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn s05_what_is_no_plain_text_beneath_the_folder_is_skipped_and_listed() {
    let program = Program::new();
    let model = Server::play([wire::text(Provider::Openai, &["What is open?"])]).await;
    program.configure(&format!(
        "[model]\nprovider = \"openai\"\nname = \"tiny-1\"\nbase_url = \"{}\"\n",
        model.address
    ));
    let notes = |name: &str| program.path("notes").join(name);
    std::fs::write(program.path("secret.txt"), "canary-outside\n").unwrap();
    symlink(program.path("secret.txt"), notes("link.txt")).unwrap();
    symlink("../secret.txt", notes("near.md")).unwrap();
    symlink("..", notes("up")).unwrap();
    symlink(program.path("."), notes("home")).unwrap();
    symlink("loop.md", notes("loop.md")).unwrap();
    symlink("/dev/zero", notes("zero.txt")).unwrap();
    std::fs::write(notes("huge.md"), vec![b'x'; 3 << 20]).unwrap();
    std::fs::write(notes("binary.txt"), [0, 159, 146, 150]).unwrap();
    assert!(Command::new("mkfifo").arg(notes("pipe.txt")).status().unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(notes("socket.txt")).unwrap();
    let inputs = ["analyze", "--query", "Why?", "--inputs", "notes", "--recursive", "--wait", "--json"];
    let (outcome, complaint) = program.run(&inputs);
    let id = asked(&outcome);
    let thread = serde_json::from_str::<Value>(&outcome).unwrap()["thread"].as_str().unwrap().to_owned();
    let (whole, _) = program.run(&["show", &thread, "--json"]);
    let state = serde_json::from_str::<Value>(&whole).unwrap()["state"].clone();
    let files = state["file_contents"].as_array().unwrap().iter();
    let files: Vec<&str> = files.map(|file| file.as_str().unwrap()).collect();
    assert_eq!(files, ["plan.md"], "{complaint}");
    let left_out = state["folder"]["left_out"].as_str().unwrap();
    for name in
        ["binary.txt", "huge.md", "link.txt", "near.md", "loop.md", "pipe.txt", "socket.txt", "zero.txt"]
    {
        assert!(left_out.contains(&format!("{name} (")), "{name}: {left_out}");
    }
    assert!(!whole.contains("canary-outside"));
    let (card, _) = program.run(&["view", &id]);
    assert!(card.contains("pipe.txt (it is a device, a pipe or a socket)"), "{card}");
    report("S05", "links out, upwards and in a ring, a device, a pipe, a socket, huge and binary files", 10);
}
