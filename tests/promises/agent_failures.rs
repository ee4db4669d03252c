//! Coding agents whose sayso is missing, crashes or cannot decide run nothing (A01), and neither do those whose sayso
//! hangs (A05); askers that are killed, or answered in two places, leave one answer (A03). The commands are those
//! `sayso connect` installs; what each agent makes of an exit code and an output is as it was measured with the
//! programs themselves (tests/live/coding_agents).

use crate::program::Program;
use crate::{report, side_by_side};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Child, ChildStdin, Command, Output, Stdio};

/// An agent at one point at which it asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asker {
    ClaudePermission,
    ClaudeAll,
    CodexPermission,
    CodexAll,
    Gemini,
    OpencodeRun,
    OpencodePermission,
}

const ALL: [Asker; 7] = [
    Asker::ClaudePermission,
    Asker::ClaudeAll,
    Asker::CodexPermission,
    Asker::CodexAll,
    Asker::Gemini,
    Asker::OpencodeRun,
    Asker::OpencodePermission,
];

const SAYSO: &str = env!("CARGO_BIN_EXE_sayso");

impl Asker {
    fn connect(self) -> &'static [&'static str] {
        match self {
            Asker::ClaudePermission => &["claude"],
            Asker::ClaudeAll => &["claude", "--all"],
            Asker::CodexPermission => &["codex"],
            Asker::CodexAll => &["codex", "--all"],
            Asker::Gemini => &["gemini"],
            Asker::OpencodeRun | Asker::OpencodePermission => &["opencode"],
        }
    }

    /// The command that `connect` installs.
    fn installed(self, program: &Program) -> String {
        let (_, complaint) = program.run(&[&["connect"], self.connect(), &["--yes"]].concat());
        assert_eq!(complaint, "");
        let (file, event) = match self {
            Asker::ClaudePermission => (".claude/settings.json", "PermissionRequest"),
            Asker::ClaudeAll => (".claude/settings.json", "PreToolUse"),
            Asker::CodexPermission => (".codex/hooks.json", "PermissionRequest"),
            Asker::CodexAll => (".codex/hooks.json", "PreToolUse"),
            Asker::Gemini => (".gemini/settings.json", "BeforeTool"),
            // Its plugin starts the program itself, without a shell.
            Asker::OpencodeRun | Asker::OpencodePermission => {
                return format!("exec {SAYSO} request --hook opencode --timeout 590");
            }
        };
        let settings = std::fs::read_to_string(program.path(file)).unwrap();
        let settings: Value = serde_json::from_str(&settings).unwrap();
        settings["hooks"][event][0]["hooks"][0]["command"].as_str().unwrap().to_owned()
    }

    /// A folder in which it asks, and the command with which it does.
    fn place(self) -> (Program, String) {
        let program = Program::new();
        program.configure("[approvals]\nhold_seconds = 0\n");
        let command = self.installed(&program);
        (program, command)
    }

    fn event(self, command: &str) -> Value {
        let mut event = json!({"session_id": "s", "cwd": "/home/a", "tool_name": "Bash",
            "tool_input": {"command": command}});
        let (name, value) = match self {
            Asker::ClaudePermission | Asker::CodexPermission => ("hook_event_name", "PermissionRequest"),
            Asker::ClaudeAll | Asker::CodexAll => ("hook_event_name", "PreToolUse"),
            Asker::Gemini => ("hook_event_name", "BeforeTool"),
            Asker::OpencodeRun => ("event", "tool"),
            Asker::OpencodePermission => ("event", "permission"),
        };
        event[name] = json!(value);
        if matches!(self, Asker::CodexPermission | Asker::CodexAll) {
            event["turn_id"] = json!("t");
        }
        event
    }

    /// Whether the agent would do it now, without asking anybody itself.
    fn goes_on(self, output: &Output) -> bool {
        let reply: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let code = output.status.code();
        let hook = &reply["hookSpecificOutput"];
        match self {
            Asker::ClaudePermission | Asker::CodexPermission => {
                code == Some(0) && hook["decision"]["behavior"] == "allow"
            }
            // Nothing said is left to its own rules, which may let it pass; so may a failure other than a 2.
            Asker::ClaudeAll => match code {
                Some(0) => !matches!(hook["permissionDecision"].as_str(), Some("deny" | "ask")),
                code => code != Some(2),
            },
            Asker::CodexAll => match code {
                Some(0) => hook["permissionDecision"] != "deny",
                code => code != Some(2) || output.stderr.is_empty(),
            },
            Asker::Gemini => match code {
                Some(0) => reply["decision"] != "deny",
                code => !matches!(code, Some(2)) || output.stderr.is_empty(),
            },
            Asker::OpencodeRun => code == Some(0) && reply["decision"] == "allow",
            Asker::OpencodePermission => code == Some(0) && reply["reply"] == "once",
        }
    }

    fn start(self, program: &Program, command: &str, stdin: &str) -> Child {
        self.start_open(program, command, stdin).0
    }

    /// The same, with a stdin that stays open.
    fn start_open(self, program: &Program, command: &str, stdin: &str) -> (Child, ChildStdin) {
        let like = program.command(&[]);
        let mut shell = Command::new("sh");
        shell.env_clear().env("PATH", std::env::var_os("PATH").unwrap());
        shell.envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
        shell.args(["-c", command]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = shell.spawn().unwrap();
        // One that fails at once does not read.
        let mut input = child.stdin.take().unwrap();
        let _ = input.write_all(stdin.as_bytes());
        (child, input)
    }
}

fn listed(program: &Program) -> Vec<Value> {
    serde_json::from_str(&program.run(&["list", "--json"]).0).unwrap()
}

fn the_card(program: &Program, child: &mut Child) -> String {
    loop {
        if let Some(item) = listed(program).first() {
            return item["id"].as_str().unwrap().to_owned();
        }
        assert!(child.try_wait().unwrap().is_none(), "it ended before it asked");
    }
}

#[test]
fn a01_no_agent_goes_on_where_sayso_fails() {
    let trials = side_by_side(&ALL, |asker| {
        let mut trials = 0;
        let (program, command) = asker.place();
        let event = asker.event("touch x").to_string();
        let mut check = |what: &str, program: &Program, command: &str, stdin: &str| {
            let output = asker.start(program, command, stdin).wait_with_output().unwrap();
            assert!(!asker.goes_on(&output), "{asker:?}, {what}: {output:?}");
            trials += 1;
        };
        for (what, instead) in [
            ("missing", "/nowhere/sayso"),
            ("no program", "/"),
            ("crashed", "sh -c 'kill -9 $$'"),
            ("aborted", "sh -c 'kill -ABRT $$'"),
            ("failed", "false"),
            ("says nonsense", "echo nonsense; false"),
        ] {
            check(what, &program, &command.replace(SAYSO, instead), &event);
        }
        let hasty = with_patience(&command, "0.2");
        check("nobody answers", &program, &hasty, &event);
        // A machine that is too slow for such patience may not withdraw the card itself.
        let waits = |item: &&Value| {
            item["gives_up_at"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap() > jiff::Timestamp::now()
        };
        assert_eq!(listed(&program).iter().find(waits), None);
        for (what, stdin) in [
            ("an unknown event", r#"{"hook_event_name": "Whatever", "event": "x", "tool_name": "Bash"}"#),
            ("no tool", r#"{"hook_event_name": "PreToolUse", "event": "tool"}"#),
            ("no JSON", "{"),
            ("nothing", ""),
        ] {
            check(what, &program, &command, stdin);
        }
        check("too large", &program, &hasty, &asker.event(&"x".repeat(2 << 20)).to_string());
        program.configure("nonsense = [");
        check("the config is broken", &program, &command, &event);
        program.configure("");
        let locked = Program::new();
        let command = asker.installed(&locked);
        std::fs::remove_dir_all(locked.path("data")).unwrap();
        std::fs::write(locked.path("data"), "").unwrap();
        check("the data folder is a file", &locked, &command, &event);
        let damaged = Program::new();
        let hasty = with_patience(&asker.installed(&damaged), "0.2");
        std::fs::write(damaged.path("data/sayso.db"), "not a database, and long enough to be taken for one")
            .unwrap();
        check("the database is damaged", &damaged, &hasty, &event);
        trials
    });
    report("A01", "every agent, every failure of sayso", trials.into_iter().sum());
}

#[test]
fn a03_one_answer_counts_and_a_dead_asker_takes_its_card_along() {
    let trials = side_by_side(&ALL, |asker| {
        let mut trials = 0;
        let (program, command) = asker.place();
        let event = asker.event("touch x");
        // The agent is gone: nobody reads the answer.
        let mut child = asker.start(&program, &command, &event.to_string());
        let id = the_card(&program, &mut child);
        drop(child.stdout.take());
        while !listed(&program).is_empty() {}
        let (_, late) = program.run(&["accept", &id]);
        assert!(late.contains("no longer waits"), "{asker:?}: {late}");
        child.wait().unwrap();
        // The asker itself is killed; whoever drives notices.
        let killed = format!("exec {SAYSO} request --hook {}", hook(&command));
        let mut child = asker.start(&program, &killed, &event.to_string());
        the_card(&program, &mut child);
        child.kill().unwrap();
        child.wait().unwrap();
        program.run(&["run"]);
        assert_eq!(listed(&program), Vec::<Value>::new(), "{asker:?}");
        trials += 2;
        // Answered in the agent's own window, which is seen by what it does next.
        let later: &[&str] = match asker {
            Asker::ClaudePermission | Asker::ClaudeAll => {
                &["PostToolUse", "Stop", "SessionEnd", "UserPromptSubmit"]
            }
            Asker::CodexPermission | Asker::CodexAll => &["PostToolUse", "Stop", "UserPromptSubmit"],
            Asker::Gemini => &["AfterAgent", "SessionEnd"],
            Asker::OpencodeRun | Asker::OpencodePermission => &[],
        };
        for name in later {
            let mut child = asker.start(&program, &command, &event.to_string());
            let id = the_card(&program, &mut child);
            let mut other = event.clone();
            other["hook_event_name"] = json!(name);
            // Of another session, or another call, it says nothing about this one.
            let mut foreign = other.clone();
            foreign["session_id"] = json!("another");
            let mut unlike = other.clone();
            unlike["tool_input"] = json!({"command": "touch y"});
            let tell = |event: &Value| {
                let reply = asker.start(&program, &killed, &event.to_string()).wait_with_output().unwrap();
                assert!(reply.status.success() && reply.stdout.is_empty(), "{asker:?} {name}: {reply:?}");
            };
            tell(&foreign);
            if *name == "PostToolUse" {
                tell(&unlike);
            }
            assert_eq!(listed(&program).len(), 1, "{asker:?} {name}");
            tell(&other);
            assert_eq!(listed(&program), Vec::<Value>::new(), "{asker:?} {name}");
            let (_, late) = program.run(&["accept", &id]);
            assert!(late.contains("answered there"), "{asker:?} {name}: {late}");
            let output = child.wait_with_output().unwrap();
            assert!(!asker.goes_on(&output), "{asker:?} {name}: {output:?}");
            trials += 1;
        }
        // Answered here first: what happens there afterwards changes nothing.
        let mut child = asker.start(&program, &command, &event.to_string());
        let id = the_card(&program, &mut child);
        program.run(&["accept", &id]);
        let output = child.wait_with_output().unwrap();
        assert!(asker.goes_on(&output), "{asker:?}: {output:?}");
        let (answer, _) = program.run(&["request", "--answer", &id]);
        assert_eq!(serde_json::from_str::<Value>(&answer).unwrap()["type"], "accept");
        trials + 1
    });
    report("A03", "askers killed, and answered in two places", trials.into_iter().sum());
}

#[test]
fn a05_a_hook_that_hangs_refuses_in_time() {
    let trials: usize = std::thread::scope(|scope| {
        let driver = scope.spawn(refused_while_the_driver_hangs);
        let trials = side_by_side(&ALL, |asker| refused_in_time(*asker));
        driver.join().unwrap();
        trials.into_iter().sum()
    });
    report("A05", "every agent: an open stdin, a locked database, a driver that hangs", trials + 1);
}

#[track_caller]
fn refuses(what: &str, asker: Asker, child: Child) {
    let output = child.wait_with_output().unwrap();
    assert!(!asker.goes_on(&output), "{asker:?}, {what}: {output:?}");
}

fn refused_in_time(asker: Asker) -> usize {
    let event = asker.event("touch x").to_string();
    let place = || {
        let (program, command) = asker.place();
        assert_eq!(listed(&program), Vec::<Value>::new());
        (program, with_patience(&command, "0.2"))
    };
    let (program, command) = place();
    // Stdin never ends, before the event, within it or after it.
    let parts = [0, 20, event.len()];
    for (child, _stdin) in parts.map(|part| asker.start_open(&program, &command, &event[..part])) {
        refuses("an open stdin", asker, child);
    }
    // Another process writes, or has the whole file.
    let locks = ["BEGIN EXCLUSIVE", "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE"];
    let locked = [(program, command), place()].into_iter().zip(locks).map(|((program, command), lock)| {
        let db = rusqlite::Connection::open(program.path("data/sayso.db")).unwrap();
        db.execute_batch(lock).unwrap();
        (lock, asker.start(&program, &command, &event), db, program)
    });
    for (lock, child, _db, _program) in locked.collect::<Vec<_>>() {
        refuses(lock, asker, child);
    }
    parts.len() + locks.len()
}

fn refused_while_the_driver_hangs() {
    let asker = Asker::Gemini;
    let (program, command) = asker.place();
    let mut driver = program.command(&["watch"]).stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let pid = Pid::from_child(&driver);
    let drives = || {
        serde_json::from_str::<Value>(&program.run(&["activity", "--json"]).0).unwrap()["driver"]
            != Value::Null
    };
    while !drives() {}
    kill_process(pid, Signal::STOP).unwrap();
    let event = asker.event("touch x").to_string();
    let mut child = asker.start(&program, &with_patience(&command, "8"), &event);
    let id = the_card(&program, &mut child);
    program.run(&["accept", &id]);
    refuses("a driver that hangs", asker, child);
    // The record does not look as if the agent had been told.
    kill_process(pid, Signal::CONT).unwrap();
    let outcome = || {
        let decisions: Value = serde_json::from_str(&program.run(&["decisions", "--json"]).0).unwrap();
        decisions[0]["outcome"].as_str().unwrap().to_owned()
    };
    while outcome() == "not acted on yet" {}
    assert!(outcome().contains("ended before it was told"), "{}", outcome());
    kill_process(pid, Signal::TERM).unwrap();
    driver.wait().unwrap();
}

/// The same command with another patience.
fn with_patience(command: &str, seconds: &str) -> String {
    let hasty = format!("--timeout {seconds} ");
    let changed = format!("{command} ").replace("--timeout 590 ", &hasty).replace("--timeout 60 ", &hasty);
    assert!(changed.contains(&hasty), "{command}");
    changed
}

/// The hook that a command names.
fn hook(command: &str) -> &str {
    let (_, rest) = command.split_once("--hook ").unwrap();
    rest.split_whitespace().next().unwrap()
}
