//! Hooks: what another tool sends before it acts, and what it is told; commands and their sorts allowed for a while.

use crate::request::{json, open, read, run, the_one, with_stdin};
use crate::runner::{Background, Cli, CliOutput, text, until};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;

fn event(folder: &str, id: &str, tool: &str, input: Value) -> Value {
    json!({
        "session_id": "0b5c2f1e-7a", "transcript_path": "/home/a/.claude/projects/app/0b5c2f1e-7a.jsonl",
        "cwd": folder, "permission_mode": "default", "hook_event_name": "PreToolUse", "tool_name": tool,
        "tool_input": input, "tool_use_id": id,
    })
}

fn bash(id: &str, command: &str) -> Value {
    let input = json!({"command": command, "description": "As the task needs", "timeout": 120_000});
    event("/home/a/app", id, "Bash", input)
}

const HOOK: [&str; 3] = ["request", "--hook", "claude-code"];

/// A tool that waits to be told.
fn hooked(cli: &Cli, event: &Value) -> Background {
    let mut command = cli.real();
    command.args(HOOK).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
    Background::of(child)
}

/// The decision, in exactly the form the tool reads.
#[track_caller]
fn decision(output: &CliOutput) -> Value {
    let reply = read(output, 0);
    assert_eq!(reply.as_object().unwrap().len(), 1, "{reply}");
    let reply = reply["hookSpecificOutput"].clone();
    assert_eq!(reply["hookEventName"], "PreToolUse");
    assert!(!text(&reply["permissionDecisionReason"]).is_empty());
    for name in reply.as_object().unwrap().keys() {
        let known = ["hookEventName", "permissionDecision", "permissionDecisionReason", "updatedInput"];
        assert!(known.contains(&name.as_str()), "{reply}");
    }
    reply
}

#[test]
fn a_tool_is_told_what_the_person_decides() {
    let cli = Cli::new();
    let ways: [(&[&str], &str, &str); 4] = [
        (&["accept"], "allow", "Allowed in sayso"),
        (&["edit", "--set", "command=cargo test --lib"], "allow", "Allowed in sayso"),
        (&["respond", "use nextest"], "deny", "use nextest"),
        (&["ignore"], "deny", "said no"),
    ];
    for (n, (words, expected, reason)) in ways.into_iter().enumerate() {
        let event = bash(&format!("toolu_{n}"), "cargo test");
        let tool = hooked(&cli, &event);
        let item = the_one(&cli);
        assert_eq!(
            (&item["action"], &item["source"]),
            (&json!("request/Bash"), &json!("request: claude-code"))
        );
        assert_eq!(item["title"], "$ cargo test");
        assert_eq!(item["args"], event["tool_input"]);
        let id = text(&item["id"]);
        let shown = run(&cli, &["view", &id]).out;
        assert!(
            shown.contains("```sh\ncargo test\n```") && shown.contains("in folder: /home/a/app"),
            "{shown}"
        );
        let decide: Vec<&str> =
            [words[0], id.as_str()].into_iter().chain(words[1..].iter().copied()).collect();
        assert_eq!(run(&cli, &decide).code, 0);
        let reply = decision(&tool.wait());
        assert_eq!(reply["permissionDecision"], expected);
        assert!(text(&reply["permissionDecisionReason"]).contains(reason), "{reply}");
        match words[0] {
            "edit" => assert_eq!(reply["updatedInput"]["command"], "cargo test --lib"),
            _ => assert_eq!(reply.get("updatedInput"), None),
        }
    }
}

/// The same call as Codex sends it.
fn codex(id: &str, command: &str) -> Value {
    let mut event = bash(id, command);
    event["turn_id"] = json!("01a1e0ac-d3ff");
    event["model"] = json!("gpt-5");
    event["transcript_path"] = json!("/home/a/.codex/sessions/2026/11/15/rollout.jsonl");
    event
}

#[test]
fn codex_is_told_nothing_where_it_may_and_no_where_it_may_not() {
    let cli = Cli::new();
    let asked = |id: &str, words: &[&str]| {
        let tool = hooked(&cli, &codex(id, "cargo test"));
        let item = the_one(&cli);
        assert_eq!(item["source"], "request: codex");
        let item = text(&item["id"]);
        let decide: Vec<&str> =
            [words[0], item.as_str()].into_iter().chain(words[1..].iter().copied()).collect();
        assert_eq!(run(&cli, &decide).code, 0);
        tool.wait()
    };
    let output = asked("c1", &["accept"]);
    assert_eq!((output.code, output.out.as_str(), output.err.as_str()), (0, "", ""));
    let reply = decision(&asked("c2", &["edit", "--set", "command=cargo test --lib"]));
    assert_eq!(
        (&reply["permissionDecision"], &reply["updatedInput"]["command"]),
        (&json!("allow"), &json!("cargo test --lib"))
    );
    for (id, words) in [("c3", &["respond", "use nextest"][..]), ("c4", &["ignore"])] {
        assert_eq!(decision(&asked(id, words))["permissionDecision"], "deny");
    }
    // Nobody answers, and nobody can be asked.
    let late: Vec<&str> = HOOK.into_iter().chain(["--timeout", "0.2"]).collect();
    let event = codex("c5", "cargo test").to_string();
    assert_eq!(decision(&with_stdin(&cli, &late, event.as_bytes()))["permissionDecision"], "deny");
    let big = codex("c6", &"x".repeat(2 * 1024 * 1024)).to_string();
    assert_eq!(decision(&with_stdin(&cli, &HOOK, big.as_bytes()))["permissionDecision"], "deny");
    cli.configure("nonsense = [");
    assert_eq!(decision(&with_stdin(&cli, &HOOK, event.as_bytes()))["permissionDecision"], "deny");
}

#[test]
fn a_hook_that_hangs_is_refused_in_time() {
    let cli = Cli::new();
    let late: Vec<&str> = HOOK.into_iter().chain(["--timeout", "0.2"]).collect();
    // Stdin never ends.
    let mut command = cli.real();
    command.args(&late).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut open = child.stdin.take().unwrap();
    open.write_all(bash("h1", "cargo test").to_string().as_bytes()).unwrap();
    Background::of(child).wait().refused(2, "could not decide in time");
    // Another process has the database.
    run(&cli, &["list"]);
    let db = rusqlite::Connection::open(cli.data().join("sayso.db")).unwrap();
    db.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let event = codex("h2", "cargo test").to_string();
    let reply = decision(&with_stdin(&cli, &late, event.as_bytes()));
    assert_eq!(reply["permissionDecision"], "deny", "{reply}");
    assert!(text(&reply["permissionDecisionReason"]).contains("locked"), "{reply}");
    drop(db);
    assert_eq!(json(&cli, &["list"]), json!([]));
}

#[test]
fn only_calls_with_a_warning_are_asked_about() {
    let cli = Cli::new();
    let warned: Vec<&str> = HOOK.into_iter().chain(["--warned"]).collect();
    let silent = |event: &Value| {
        let output = with_stdin(&cli, &warned, event.to_string().as_bytes());
        assert_eq!((output.code, output.out.as_str(), output.err.as_str()), (0, "", ""), "{event}");
    };
    silent(&bash("w1", "cargo test"));
    let hooked = |words: &[&str], event: &Value| {
        let mut command = cli.real();
        command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
        Background::of(child)
    };
    let tool = hooked(&warned, &bash("w2", "rm -rf build"));
    let id = text(&the_one(&cli)["id"]);
    assert_eq!(run(&cli, &["accept", &id]).code, 0);
    assert_eq!(decision(&tool.wait())["permissionDecision"], "allow");
    // What auto mode refused can be allowed: the agent makes the call again, and then it passes, once.
    let mut denied = bash("w3", "curl -s https://example.org/x");
    denied["hook_event_name"] = json!("PermissionDenied");
    denied["permission_mode"] = json!("auto");
    denied["reason"] = json!("Looks like a download.");
    let tool = hooked(&HOOK, &denied);
    let item = the_one(&cli);
    assert!(text(&item["text"]).contains("Looks like a download."), "{item}");
    let id = text(&item["id"]);
    run(&cli, &["respond", &id, "no"]).refused(2, "respond");
    silent(&bash("w4", "cargo test --lib"));
    assert_eq!(run(&cli, &["accept", &id]).code, 0);
    let reply = read(&tool.wait(), 0);
    assert_eq!(reply, json!({"hookSpecificOutput": {"hookEventName": "PermissionDenied", "retry": true}}));
    silent(&bash("w5", "cargo test --lib"));
    let mut elsewhere = bash("w6", "curl -s https://example.org/x");
    elsewhere["session_id"] = json!("another");
    silent(&elsewhere);
    let again = bash("w7", "curl -s https://example.org/x");
    let reply = decision(&with_stdin(&cli, &warned, again.to_string().as_bytes()));
    assert_eq!(reply["permissionDecision"], "allow");
    silent(&again);
    // Refused here, too, it stays refused.
    let mut denied = bash("w8", "touch x");
    denied["hook_event_name"] = json!("PermissionDenied");
    let tool = hooked(&HOOK, &denied);
    let id = text(&the_one(&cli)["id"]);
    run(&cli, &["ignore", &id]);
    let output = tool.wait();
    assert_eq!((output.code, output.out.as_str()), (0, ""));
    silent(&bash("w9", "touch x"));
}

#[test]
fn what_goes_wrong_allows_nothing() {
    let cli = Cli::new();
    // Which program sent it cannot be told: every one of them takes exit code 2 and a sentence for a no.
    for (stdin, expected) in [
        (&b""[..], "not JSON"),
        (b"{\"tool_name\": \"Bash\"", "not JSON"),
        (b"[]", "no tool"),
        (b"\xff\xfe", "not JSON"),
        (br#"{"hook_event_name": "Whatever", "tool_name": "x"}"#, "PreToolUse"),
        (br#"{"hook_event_name": "PreToolUse", "tool_name": "x", "tool_input": "y"}"#, "not an object"),
        (br#"{"tool_name": "x", "tool_input": {"id": 123456789012345678901234}}"#, "more digits"),
        (&vec![b' '; 5 * 1024 * 1024], "more than"),
    ] {
        with_stdin(&cli, &HOOK, stdin).refused(2, expected);
    }
    // A call of Claude Code's that cannot be asked here is asked there.
    let ask = |stdin: &[u8], expected: &str| {
        let reply = decision(&with_stdin(&cli, &HOOK, stdin));
        assert_eq!(reply["permissionDecision"], "ask");
        assert!(text(&reply["permissionDecisionReason"]).contains(expected), "{reply}");
    };
    let big = bash("big", &"x".repeat(2 * 1024 * 1024));
    ask(big.to_string().as_bytes(), "too many");
    // Nobody answers: it is asked elsewhere, and no longer here.
    let event = bash("late", "cargo test").to_string();
    let late: Vec<&str> = HOOK.into_iter().chain(["--timeout", "0.2"]).collect();
    let reply = decision(&with_stdin(&cli, &late, event.as_bytes()));
    assert_eq!(reply["permissionDecision"], "ask");
    assert_eq!(open(&cli), Vec::<Value>::new());
    // The same call again is not asked anew, and not allowed either.
    assert_eq!(decision(&with_stdin(&cli, &late, event.as_bytes()))["permissionDecision"], "ask");
    // A config that cannot be read.
    cli.configure("nonsense = [");
    ask(event.as_bytes(), "config");
    // Usage that is wrong blocks the tool by its exit code.
    assert_eq!(with_stdin(&cli, &["request", "--hook", "nobody"], b"{}").code, 2);
    assert_eq!(with_stdin(&cli, &["request", "--hook", "claude-code", "--title", "x"], b"{}").code, 2);
}

#[test]
fn a_tool_that_is_ended_takes_its_question_back() {
    let cli = Cli::new();
    let tool = hooked(&cli, &bash("toolu_1", "cargo test"));
    let id = text(&the_one(&cli)["id"]);
    tool.signal(Signal::TERM);
    assert_eq!(decision(&tool.wait())["permissionDecision"], "ask");
    run(&cli, &["accept", &id]).refused(3, "the asker no longer waits");
    assert_eq!(read(&run(&cli, &["answer", &id]), 5)["type"], "withdrawn");
    // Killed, it cannot; asked again, it is the same question.
    let tool = hooked(&cli, &bash("toolu_2", "cargo test"));
    let id = text(&the_one(&cli)["id"]);
    tool.signal(Signal::KILL);
    drop(tool);
    let again = hooked(&cli, &bash("toolu_2", "cargo test"));
    json(&cli, &["accept", &id]);
    assert_eq!(decision(&again.wait())["permissionDecision"], "allow");
}

#[test]
fn changes_to_files_are_shown_as_changes() {
    let cli = Cli::new();
    let edit = json!({"file_path": "/home/a/app/src/main.rs", "old_string": "let a = 1;\nb()", "new_string": "let a = 2;\nb()"});
    let tool = hooked(&cli, &event("/home/a/app", "e1", "Edit", edit.clone()));
    let item = the_one(&cli);
    assert_eq!(item["title"], "Edit /home/a/app/src/main.rs");
    assert_eq!(item["warnings"], json!([]));
    let shown = run(&cli, &["view", &text(&item["id"])]).out;
    assert!(shown.contains("-let a = 1;\n+let a = 2;\n b()"), "{shown}");
    json(&cli, &["accept", &text(&item["id"])]);
    decision(&tool.wait());
    let tool = hooked(
        &cli,
        &event("/home/a/app", "w1", "Write", json!({"file_path": "/etc/hosts", "content": "x\n"})),
    );
    let item = the_one(&cli);
    assert_eq!(item["warnings"][0]["code"], "writes_outside");
    assert!(run(&cli, &["view", &text(&item["id"])]).out.contains("\n+x"));
    json(&cli, &["ignore", &text(&item["id"])]);
    decision(&tool.wait());
}

/// Whether a call of this command is allowed without anybody being asked.
fn allowed(cli: &Cli, id: &str, event: &Value) -> bool {
    let mut tool = hooked(cli, event);
    let mut asked = None;
    until(|| {
        asked = open(cli).first().cloned();
        asked.is_some() || !tool.is_running()
    });
    match asked {
        None => decision(&tool.wait())["permissionDecision"] == "allow",
        Some(item) => {
            assert_eq!(json(cli, &["ignore", &text(&item["id"])])["error"], Value::Null, "{id}");
            assert_eq!(decision(&tool.wait())["permissionDecision"], "deny");
            false
        }
    }
}

#[test]
fn a_sort_of_command_is_allowed_in_its_folder_for_a_while() {
    let cli = Cli::new();
    let tool = hooked(&cli, &bash("g0", "cargo test --lib"));
    let id = text(&the_one(&cli)["id"]);
    assert!(run(&cli, &["view", &id]).out.contains("--grant command-sort any `cargo test …`"));
    run(&cli, &["accept", &id, "--grant", "thread"]).refused(2, "cannot be allowed for its thread");
    json(&cli, &["accept", &id, "--grant", "command-sort", "--for", "1h"]);
    assert_eq!(decision(&tool.wait())["permissionDecision"], "allow");
    let line = json(&cli, &["grants"]).as_array().unwrap().last().unwrap().clone();
    assert_eq!(line["scope"], "`cargo test …` in /home/a/app, by claude-code");
    assert_eq!((&line["tool"], &line["in_force"]), (&json!("request/Bash"), &json!(true)));
    text(&line["expires_at"]);
    for (n, (command, expected)) in [
        ("cargo test", true),
        ("cargo test --lib parser::tests -q", true),
        ("cargo test; rm -rf .", false),
        ("cargo test && curl x | sh", false),
        ("cargo test $(id)", false),
        ("cargo test `id`", false),
        ("cargo test > /etc/hosts", false),
        ("cargo test\nid", false),
        ("cargo test --manifest-path ../other/Cargo.toml", false),
        ("cargo test --manifest-path=/etc/Cargo.toml", false),
        ("cargo testing", false),
        ("cargo build", false),
        ("FOO=1 cargo test", false),
    ]
    .into_iter()
    .enumerate()
    {
        let id = format!("g1-{n}");
        assert_eq!(allowed(&cli, &id, &bash(&id, command)), expected, "{command}");
    }
    let input = json!({"command": "cargo test"});
    assert!(!allowed(&cli, "f1", &event("/home/a/other", "f1", "Bash", input.clone())), "another folder");
    assert!(!allowed(&cli, "f2", &event("/home/a/app", "f2", "Shell", input)), "another tool");
    let reply = json(&cli, &["threads", "--search", "cargo"]);
    assert!(!reply.as_array().unwrap().is_empty());
    // Revoked, it asks again.
    json(&cli, &["grants", "revoke", &text(&line["id"])]);
    assert!(!allowed(&cli, "r1", &bash("r1", "cargo test")));
}

#[test]
fn a_very_command_is_allowed_and_a_warning_suspends_it() {
    let cli = Cli::new();
    let tool = hooked(&cli, &bash("c0", "./ci.sh fast"));
    let id = text(&the_one(&cli)["id"]);
    run(&cli, &["accept", &id, "--grant", "command-sort"])
        .refused(2, "is not a command that can be allowed this way");
    json(&cli, &["accept", &id, "--grant", "command"]);
    assert_eq!(decision(&tool.wait())["permissionDecision"], "allow");
    assert!(allowed(&cli, "c1", &bash("c1", "./ci.sh fast")));
    assert!(!allowed(&cli, "c2", &bash("c2", "./ci.sh fast now")));
    assert!(!allowed(&cli, "c3", &bash("c3", "./ci.sh")));
    // What carries a warning can neither be allowed for a while nor be covered.
    let tool = hooked(&cli, &bash("c4", "rm -r build"));
    let item = the_one(&cli);
    assert_eq!(item["warnings"][0]["code"], "deletes");
    run(&cli, &["accept", &text(&item["id"]), "--grant", "command"]).refused(2, "has a warning");
    json(&cli, &["accept", &text(&item["id"])]);
    assert_eq!(decision(&tool.wait())["permissionDecision"], "allow");
}

#[test]
fn any_other_tool_speaks_the_generic_form() {
    let cli = Cli::new();
    let hook = ["request", "--hook", "generic"];
    let asked = json!({"title": "Push?", "action": "push", "args": {"to": "main"}, "source": "git", "timeout": 0.2, "key": "p"});
    let reply = read(&with_stdin(&cli, &hook, asked.to_string().as_bytes()), 5);
    assert_eq!(reply["type"], "withdrawn");
    let mut child = cli
        .real()
        .args(hook)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(br#"{"title": "Push?", "expires": "1h", "cwd": "/a"}"#).unwrap();
    let child = Background::of(child);
    json(&cli, &["respond", &text(&the_one(&cli)["id"]), "wait"]);
    assert_eq!(read(&child.wait(), 0)["args"], "wait");
    for (stdin, expected) in [
        ("", "not JSON"),
        ("[]", "not a JSON object"),
        ("{}", "title"),
        (r#"{"title":"t","x":1}"#, "there is no field `x`; there are `title`, `text`"),
        (r#"{"titel":"t"}"#, "`source`, `cwd`, `key`, `expires`, `timeout`"),
    ] {
        with_stdin(&cli, &hook, stdin.as_bytes()).refused(2, expected);
    }
}

#[test]
fn hidden_characters_are_warned_of_and_only_an_edit_changes_them() {
    let cli = Cli::new();
    let event = |id: &str| {
        let input = json!({"command": "ls \u{200b}\u{202e}x", "content": "one\r\ntwo\r\n", "note": "a"});
        event("/home/a/app", id, "Bash", input)
    };
    let asked = |id: &str| {
        let tool = hooked(&cli, &event(id));
        let item = the_one(&cli);
        assert_eq!(item["warnings"][0]["code"], "hidden_characters");
        assert_eq!(
            (&item["args"]["command"], &item["args"]["content"]),
            (&json!("ls ⟨U+200B…×2⟩x"), &json!("one\ntwo\n"))
        );
        let card = run(&cli, &["view", &text(&item["id"])]).out;
        let card = card.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(card.contains("`command` has 2 hidden characters, shown as placeholders."), "{card}");
        assert!(card.contains("`content` has 2 Windows line ends (CRLF)."), "{card}");
        (tool, text(&item["id"]))
    };
    let (tool, id) = asked("h0");
    json(&cli, &["accept", &id]);
    assert_eq!(decision(&tool.wait()).get("updatedInput"), None, "what came runs as it came");
    let (tool, id) = asked("h1");
    json(&cli, &["edit", &id, "--set", "note=b"]);
    let mut expected = event("h1")["tool_input"].clone();
    expected["note"] = json!("b");
    assert_eq!(decision(&tool.wait())["updatedInput"], expected, "the rest stays as it came");
}

/// What the agent tells of a call afterwards stands with the decision, once.
#[test]
fn what_came_of_a_call_is_kept_with_its_decision() {
    let cli = Cli::new();
    let permission = |command: &str| {
        let mut event = bash("", command);
        event["hook_event_name"] = json!("PermissionRequest");
        event.as_object_mut().unwrap().remove("tool_use_id");
        event
    };
    let after = |command: &str, name: &str, more: Value| {
        let mut event = bash("toolu_9", command);
        event["hook_event_name"] = json!(name);
        event.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
        assert_eq!(with_stdin(&cli, &HOOK, event.to_string().as_bytes()).code, 0);
    };
    let decided = |words: &[&str], event: &Value| {
        let tool = hooked(&cli, event);
        let item = the_one(&cli);
        let id = text(&item["id"]);
        let args: Vec<&str> = [words[0], &id].into_iter().chain(words[1..].iter().copied()).collect();
        assert_eq!(run(&cli, &args).code, 0);
        assert_eq!(tool.wait().code, 0);
        text(&item["thread"])
    };
    let outcomes = || {
        let reply = json(&cli, &["decisions"]);
        reply.as_array().unwrap().iter().map(|line| text(&line["outcome"])).collect::<Vec<_>>()
    };
    let accepted = decided(&["accept"], &permission("cargo test"));
    decided(&["edit", "--set", "command=cargo test --lib"], &bash("toolu_2", "cargo test"));
    decided(&["ignore"], &permission("cargo publish"));
    assert_eq!(outcomes(), ["refused", "allowed, changed", "allowed"]);
    after("cargo test", "PostToolUseFailure", json!({"error": "Exit code 101\nfailed"}));
    assert_eq!(outcomes(), ["refused", "allowed, changed", "allowed, exit code 101"]);
    let ran = json!({"tool_use_id": "toolu_2", "tool_response": {"stdout": "", "interrupted": false}});
    after("cargo test --lib", "PostToolUse", ran);
    assert_eq!(outcomes(), ["refused", "allowed, changed, exit code 0", "allowed, exit code 101"]);
    // Nothing is made of what was never asked, or was told before.
    after("cargo publish", "PostToolUse", json!({"tool_response": {"stdout": ""}}));
    after("cargo test", "PostToolUse", json!({"tool_response": {"stdout": ""}}));
    assert_eq!(outcomes(), ["refused", "allowed, changed, exit code 0", "allowed, exit code 101"]);
    let shown = json(&cli, &["show", &accepted]);
    assert_eq!(shown["state"]["reported"]["exit_code"], 101, "{shown}");
    assert_eq!(shown["status"], "done");
}

/// What was answered in the agent's window is closed and reported in one go, even while nothing is driven.
#[test]
fn what_was_accepted_there_keeps_its_exit_code() {
    let cli = Cli::new();
    run(&cli, &["pause"]);
    let mut event = bash("", "cargo test");
    event["hook_event_name"] = json!("PermissionRequest");
    event.as_object_mut().unwrap().remove("tool_use_id");
    let tool = hooked(&cli, &event);
    let thread = text(&the_one(&cli)["thread"]);
    let mut after = bash("toolu_1", "cargo test");
    after["hook_event_name"] = json!("PostToolUseFailure");
    after["error"] = json!("Exit code 101\nfailed");
    assert_eq!(with_stdin(&cli, &HOOK, after.to_string().as_bytes()).code, 0);
    assert_eq!(tool.wait().code, 0);
    let shown = json(&cli, &["show", &thread]);
    assert_eq!(shown["state"]["reported"]["exit_code"], 101, "{shown}");
    assert_eq!(shown["state"]["given"], json!({"type": "withdrawn"}), "{shown}");
}

#[test]
fn a_line_is_asked_because_of_what_it_warns_about() {
    let cli = Cli::new();
    for (n, line) in ["git status && rm -rf x", "git status && bash -c 'rm -rf x'"].into_iter().enumerate() {
        let tool = hooked(&cli, &bash(&format!("w{n}"), line));
        let id = text(&the_one(&cli)["id"]);
        let shown = run(&cli, &["view", &id]).out;
        assert!(shown.contains("Asked because of `") && shown.contains("rm -rf x`."), "{shown}");
        assert!(!shown.contains("--grant"), "a warned card allows nothing else: {shown}");
        let answered = run(&cli, &["accept", &id]).out;
        assert!(answered.contains("is done") || answered.contains("whoever asked takes"), "{answered}");
        assert_eq!(decision(&tool.wait())["permissionDecision"], "allow");
    }
}

#[test]
fn codex_s_hook_steps_aside_only_where_its_server_asks_the_person() {
    let cli = Cli::new();
    run(&cli, &["list"]);
    // This test is the server, and somebody follows it.
    let server = serde_json::to_string(&sayso::tools::process::Process::current()).unwrap();
    let mark = cli.data().join("codex.lock");
    std::fs::write(&mark, server).unwrap();
    let followed = std::fs::File::open(&mark).unwrap();
    followed.lock().unwrap();
    let transcript = cli.data().join("rollout.jsonl");
    let says = |reviewer: &str| {
        let turn = json!({"turn_id": "01a1e0ac-d3ff", "approvals_reviewer": reviewer});
        let line = json!({"type": "turn_context", "payload": turn});
        std::fs::write(&transcript, format!("{line}\n")).unwrap();
    };
    let asks = |tool: &str| {
        let mut event = codex("c1", "cargo test");
        event["hook_event_name"] = json!("PermissionRequest");
        event["transcript_path"] = json!(transcript);
        event["tool_name"] = json!(tool);
        event
    };
    let hook = ["request", "--hook", "codex", "--timeout", "0.2"];
    // How many questions there have been after it.
    let asked = |event: &Value| {
        let output = with_stdin(&cli, &hook, event.to_string().as_bytes());
        assert_eq!((output.code, output.out.as_str()), (0, ""), "{}", output.err);
        json(&cli, &["threads"]).as_array().unwrap().len()
    };
    says("user");
    assert_eq!(asked(&asks("Bash")), 0);
    // Apps may have a reviewer each.
    assert_eq!(asked(&asks("mcp__codex_apps__send")), 1);
    says("auto_review");
    let mut event = asks("Bash");
    event["tool_use_id"] = json!("c2");
    assert_eq!(asked(&event), 2);
    std::fs::remove_file(&transcript).unwrap();
    event["tool_use_id"] = json!("c3");
    assert_eq!(asked(&event), 3);
    // A pipe that nobody writes to does not hold it up.
    rustix::fs::mknodat(rustix::fs::CWD, &transcript, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0)
        .unwrap();
    event["tool_use_id"] = json!("c4");
    assert_eq!(asked(&event), 4);
}
