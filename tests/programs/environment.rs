//! `sayso python`: an environment is made by uv or by Python's venv, is whole or not there, and goes with one verb. What
//! makes it is played by scripts here; the real ones are tried by the live tests.

use crate::runner::{Cli, CliOutput, captured, read, text};
use crate::terminal::Terminal;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;

/// Answers whoever asks it what it is, and installs nothing.
const PYTHON: &str = r#"#!/bin/sh
case "$*" in
*"pip install"*) echo "Collecting openpyxl" ;;
*) echo '{"program": "/none/python", "version": "3.14.0", "modules": [MODULES], "path": [], "libraries": [], "loaders": []}' ;;
esac
"#;
const MODULES: &str = r#"["openpyxl", "3.1.5"], ["pandas", "3.0.0"]"#;

/// A machine where only these programs are in the `PATH`.
struct Machine(Cli);

impl Machine {
    fn new(programs: &[(&str, &str)]) -> Self {
        let machine = Self(Cli::new());
        fs::create_dir(machine.0.path("bin")).unwrap();
        fs::write(machine.0.path("python"), PYTHON.replace("MODULES", MODULES)).unwrap();
        programs.iter().for_each(|(name, script)| machine.program(name, script));
        machine
    }

    /// A script that knows the way to the programs of the machine.
    fn program(&self, name: &str, script: &str) {
        let path = self.0.path("bin").join(name);
        fs::write(&path, format!("#!/bin/sh\nPATH=/usr/bin:/bin\n{script}")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.0.real();
        command.env("PATH", self.0.path("bin")).args(args);
        command
    }

    fn run(&self, args: &[&str]) -> CliOutput {
        captured(self.command(args).output().unwrap())
    }

    fn json(&self, args: &[&str]) -> Value {
        read(&self.run(&[args, &["--json"]].concat()), 0)
    }

    fn is_there(&self) -> bool {
        self.0.data().join("python").exists()
    }

    fn is_whole(&self) -> bool {
        self.0.data().join("python/whole").exists()
    }

    /// The row of `sayso config` about Python.
    fn configured(&self) -> String {
        let rows = self.json(&["config"]);
        text(&rows.as_array().unwrap().iter().find(|row| row["key"] == "python").unwrap()["value"])
    }
}

/// Both make a folder with the Python above.
const MADE: &str = r#"for last; do :; done
mkdir -p "$last/bin" && cp "$HOME/python" "$last/bin/python" && chmod +x "$last/bin/python"
"#;

fn uv(pip: &str) -> String {
    format!("case \"$1\" in\nvenv) {MADE} ;;\npip) {pip} ;;\nesac\n")
}

#[test]
fn it_is_made_by_what_is_there_and_removed_by_one_verb() {
    let by_uv = uv("echo Fetched 3 packages");
    let own = format!("if [ \"$1 $2\" = \"-m venv\" ]; then\n{MADE}\nelse exec \"$HOME/python3\" \"$@\"; fi");
    for programs in [&[("uv", by_uv.as_str()), ("python3", "exit 1")][..], &[("python3", &own)]] {
        let machine = Machine::new(programs);
        let base = machine.0.path("python3");
        fs::write(&base, PYTHON.replace("MODULES", "").replace("/none", "/base")).unwrap();
        fs::set_permissions(&base, fs::Permissions::from_mode(0o755)).unwrap();
        let made = machine.json(&["python"]);
        let folder = machine.0.data().join("python");
        assert_eq!((&made["folder"], &made["removed"]), (&folder.to_str().unwrap().into(), &false.into()));
        assert!(machine.is_whole() && fs::metadata(&folder).unwrap().permissions().mode() & 0o77 == 0);
        // It is the first that is tried; a script cannot be caged.
        assert!(machine.configured().contains("/none/python cannot be started"), "{}", machine.configured());
        assert!(text(&made["problem"]).contains("/none/python cannot be started"), "{made}");
        machine.run(&["python"]).refused(1, "there is one already");
        assert!(machine.run(&["python", "--remove"]).done().starts_with("Removed from "));
        assert!(!machine.is_there());
        assert_eq!(machine.json(&["python", "--remove"])["removed"], false);
        assert!(!machine.configured().contains("/none/python"), "{}", machine.configured());
    }
}

#[test]
fn what_fails_is_said_in_a_sentence_and_nothing_is_kept() {
    let without = PYTHON.replace("MODULES", "");
    let bare =
        format!("case \"$1\" in\nvenv) {MADE}\ncat >\"$last/bin/python\" <<'X'\n{without}X\n;;\nesac\n");
    let offline = uv("echo 'error: Request failed'; echo '  Caused by: no route to host' >&2; exit 2");
    let no_venv =
        "[ \"$1\" = -m ] && { echo 'ensurepip is not available.'; exit 1; }\nsh \"$HOME/python\" \"$@\"";
    for (programs, expected) in [
        (&[][..], "there is no uv and no Python 3 in your PATH"),
        (
            &[("uv", "echo 'error: no space left'; exit 2")],
            "could not make an environment: “error: no space left”",
        ),
        (&[("python3", no_venv)], "could not make an environment: “ensurepip is not available”"),
        (&[("uv", &offline)], "could not be fetched, which needs a network: “Caused by: no route to host”"),
        (&[("uv", &bare)], "it was made, but it has no openpyxl"),
    ] {
        let machine = Machine::new(programs);
        machine.run(&["python"]).refused(1, expected);
        machine.run(&["python", "--json"]).refused(1, expected);
        assert!(!machine.is_there(), "{expected}");
    }
    let machine = Machine::new(&[]);
    let advice = "no Python was found in your PATH; `sayso python` makes one that has all it needs";
    assert!(machine.configured().contains(advice), "{}", machine.configured());
}

/// What was killed in the middle is not taken for whole; and as long as anything of it goes on, nobody else begins.
#[test]
fn a_kill_leaves_nothing_that_is_taken_for_whole() {
    let dies = "mkfifo \"$HOME/go\"; kill -9 $PPID; read -r line <\"$HOME/go\"; touch \"$HOME/went-on\"";
    let machine = Machine::new(&[("uv", &uv(dies))]);
    let killed = machine.command(&["python"]).output().unwrap();
    assert_eq!(killed.status.signal(), Some(9), "{killed:?}");
    assert!(machine.is_there() && !machine.is_whole());
    assert!(!machine.configured().contains("/none/python"), "{}", machine.configured());
    machine.program("uv", &uv("true"));
    // The program that sayso had started is still at it.
    machine.run(&["python"]).refused(1, "another sayso is at it right now");
    machine.run(&["python", "--remove"]).refused(1, "another sayso is at it right now");
    fs::write(machine.0.path("go"), "\n").unwrap();
    let mut tries = 0;
    while machine.run(&["python"]).code != 0 {
        tries += 1;
        assert!(tries < 200, "{:?}", machine.run(&["python"]));
    }
    assert!(machine.is_whole() && machine.0.path("went-on").exists());
}

#[test]
fn the_set_up_offers_it_where_it_can_be_made() {
    let machine = Machine::new(&[("uv", &uv("true"))]);
    let cli = &machine.0;
    cli.maildir("Mail/inbox");
    fs::remove_file(cli.data().join("config.toml")).unwrap();
    let path = cli.path("bin").display().to_string();
    let mut terminal = Terminal::open(cli, &["init", "--no-triage"], &[("NO_COLOR", "1"), ("PATH", &path)]);
    let turns = [
        ("Number [1]: ", "\n"),
        ("Your name: ", "Ada\n"),
        ("Your address", "ada@example.org\n"),
        ("(y/n) [y]: ", "\n"),
        ("`sayso` opens the inbox.", ""),
    ];
    for (words, typed) in turns {
        terminal.wait_for(words);
        terminal.types(typed);
    }
    terminal.ends();
    assert!(machine.is_whole());
}
