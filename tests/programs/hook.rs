//! Hooks: what another tool sends before it acts, and what it is told; commands and their sorts allowed for a while.

use crate::runner::{
    Background, Cli, CliOutput, answer, each, json, list, open, read, run, spawn_with, text, the_one, until,
    with_stdin,
};
use crate::support::merged;
use rustix::process::Signal;
use serde_json::{Value, json};

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

/// The same as Codex sends it.
fn codex(id: &str, command: &str) -> Value {
    let about =
        json!({"turn_id": "01a1e0ac-d3ff", "model": "gpt-5", "transcript_path": "/home/a/.codex/x.jsonl"});
    merged(bash(id, command), about)
}

/// The same when the agent's own rules want somebody to be asked; such a call has no number.
fn permission(command: &str) -> Value {
    let mut event = merged(bash("", command), json!({"hook_event_name": "PermissionRequest"}));
    event.as_object_mut().unwrap().remove("tool_use_id");
    event
}

const HOOK: [&str; 3] = ["request", "--hook", "claude-code"];
const LATE: [&str; 5] = ["request", "--hook", "claude-code", "--timeout", "0.2"];
const WARNED: [&str; 4] = ["request", "--hook", "claude-code", "--warned"];

/// A tool that waits to be told.
fn hooked(cli: &Cli, event: &Value) -> Background {
    hooked_by(cli, &HOOK, event)
}

fn hooked_by(cli: &Cli, hook: &[&str], event: &Value) -> Background {
    spawn_with(cli, hook, event.to_string().as_bytes())
}

/// A tool that tells something and is told nothing.
#[track_caller]
fn silent(cli: &Cli, hook: &[&str], event: &Value) {
    let output = hooked_by(cli, hook, event).wait();
    assert_eq!((output.code, output.out.as_str(), output.err.as_str()), (0, "", ""), "{event}");
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

/// What is decided, and a part of the reason.
#[track_caller]
fn decides(output: &CliOutput, expected: &str, reason: &str) -> Value {
    let reply = decision(output);
    assert_eq!(reply["permissionDecision"], expected, "{reply}");
    assert!(text(&reply["permissionDecisionReason"]).contains(reason), "{reply}");
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
        for (program, event) in [
            ("claude-code", bash(&format!("toolu_{n}"), "cargo test")),
            ("codex", codex(&format!("c{n}"), "cargo test")),
        ] {
            let tool = hooked(&cli, &event);
            let item = the_one(&cli);
            assert_eq!((&item["action"], &item["title"]), (&json!("request/Bash"), &json!("$ cargo test")));
            assert_eq!(item["source"], format!("request: {program}"));
            assert_eq!(item["args"], event["tool_input"]);
            let id = text(&item["id"]);
            let shown = run(&cli, &["view", &id]).out;
            assert!(shown.contains("```sh\ncargo test\n```"), "{shown}");
            assert!(shown.contains("in folder: /home/a/app"), "{shown}");
            answer(&cli, &id, words);
            let output = tool.wait();
            if (program, words[0]) == ("codex", "accept") {
                // It goes on unless it hears otherwise.
                assert_eq!((output.code, output.out.as_str(), output.err.as_str()), (0, "", ""));
                continue;
            }
            let reply = decides(&output, expected, reason);
            match words[0] {
                "edit" => assert_eq!(reply["updatedInput"]["command"], "cargo test --lib"),
                // As it came: some tools take no yes without their input.
                "accept" => assert_eq!(reply["updatedInput"], event["tool_input"]),
                _ => assert_eq!(reply.get("updatedInput"), None),
            }
        }
    }
}

#[test]
fn only_calls_with_a_warning_are_asked_about() {
    let cli = Cli::new();
    silent(&cli, &WARNED, &bash("w1", "cargo test"));
    let tool = hooked_by(&cli, &WARNED, &bash("w2", "rm -rf build"));
    answer(&cli, &text(&the_one(&cli)["id"]), &["accept"]);
    decides(&tool.wait(), "allow", "");
    // What auto mode refused can be allowed: the agent makes the call again, and then it passes, once.
    let curl = |id: &str| bash(id, "curl -s https://example.org/x");
    let denied =
        json!({"hook_event_name": "PermissionDenied", "permission_mode": "auto", "reason": "A download."});
    let tool = hooked(&cli, &merged(curl("w3"), denied.clone()));
    let item = the_one(&cli);
    assert!(text(&item["text"]).contains("A download."), "{item}");
    let id = text(&item["id"]);
    run(&cli, &["respond", &id, "no"]).refused(2, "respond");
    silent(&cli, &WARNED, &bash("w4", "cargo test --lib"));
    answer(&cli, &id, &["accept"]);
    let reply = read(&tool.wait(), 0);
    assert_eq!(reply, json!({"hookSpecificOutput": {"hookEventName": "PermissionDenied", "retry": true}}));
    silent(&cli, &WARNED, &bash("w5", "cargo test --lib"));
    silent(&cli, &WARNED, &merged(curl("w6"), json!({"session_id": "another"})));
    decides(&hooked_by(&cli, &WARNED, &curl("w7")).wait(), "allow", "");
    silent(&cli, &WARNED, &curl("w7"));
    // Refused here, too, it stays refused.
    let tool = hooked(&cli, &merged(bash("w8", "touch x"), denied));
    answer(&cli, &text(&the_one(&cli)["id"]), &["ignore"]);
    let output = tool.wait();
    assert_eq!((output.code, output.out.as_str()), (0, ""));
    silent(&cli, &WARNED, &bash("w9", "touch x"));
}

/// What each agent makes of such a reply, and a hook that hangs, are in the catalogue (rows A01 and A05).
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
    let big = bash("big", &"x".repeat(2 * 1024 * 1024));
    decides(&hooked(&cli, &big).wait(), "ask", "too many");
    // Nobody answers: it is asked elsewhere, and no longer here.
    let event = bash("late", "cargo test");
    decides(&hooked_by(&cli, &LATE, &event).wait(), "ask", "");
    assert_eq!(open(&cli), Vec::<Value>::new());
    // The same call again is not asked anew, and not allowed either.
    decides(&hooked_by(&cli, &LATE, &event).wait(), "ask", "");
    // Another process has the database.
    let db = rusqlite::Connection::open(cli.data().join("sayso.db")).unwrap();
    db.execute_batch("BEGIN EXCLUSIVE").unwrap();
    decides(&hooked_by(&cli, &LATE, &codex("h2", "cargo test")).wait(), "deny", "locked");
    drop(db);
    assert_eq!(open(&cli), Vec::<Value>::new());
    // A config that cannot be read.
    cli.configure("nonsense = [");
    decides(&hooked(&cli, &event).wait(), "ask", "config");
    // Usage that is wrong blocks the tool by its exit code.
    for wrong in [&["request", "--hook", "nobody"][..], &["request", "--hook", "claude-code", "--title", "x"]]
    {
        assert_eq!(with_stdin(&cli, wrong, b"{}").code, 2);
    }
}

/// On a slow disk another process writes for seconds.
#[test]
fn a_slow_disk_is_no_locked_database() {
    let cli = Cli::new();
    run(&cli, &["list"]);
    let db = rusqlite::Connection::open(cli.data().join("sayso.db")).unwrap();
    db.execute_batch("BEGIN IMMEDIATE").unwrap();
    let begun = std::time::Instant::now();
    let mut tool = hooked(&cli, &bash("s1", "cargo test"));
    while begun.elapsed() < std::time::Duration::from_secs(2) {
        assert!(tool.is_running(), "it gave up: {:?}", tool.wait());
        std::thread::yield_now();
    }
    db.execute_batch("ROLLBACK").unwrap();
    answer(&cli, &text(&the_one(&cli)["id"]), &["accept"]);
    decides(&tool.wait(), "allow", "");
}

#[test]
fn a_tool_that_is_ended_takes_its_question_back() {
    let cli = Cli::new();
    let tool = hooked(&cli, &bash("toolu_1", "cargo test"));
    let id = text(&the_one(&cli)["id"]);
    tool.signal(Signal::TERM);
    decides(&tool.wait(), "ask", "");
    run(&cli, &["accept", &id]).refused(3, "the asker no longer waits");
    assert_eq!(read(&run(&cli, &["request", "--answer", &id]), 5)["type"], "withdrawn");
    // Killed, it cannot; asked again, it is the same question.
    let tool = hooked(&cli, &bash("toolu_2", "cargo test"));
    let id = text(&the_one(&cli)["id"]);
    tool.signal(Signal::KILL);
    drop(tool);
    let again = hooked(&cli, &bash("toolu_2", "cargo test"));
    json(&cli, &["accept", &id]);
    decides(&again.wait(), "allow", "");
}

#[test]
fn changes_to_files_are_shown_as_changes() {
    let cli = Cli::new();
    let edit = json!({"file_path": "/home/a/app/src/main.rs", "old_string": "let a = 1;\nb()", "new_string": "let a = 2;\nb()"});
    let write = json!({"file_path": "/etc/hosts", "content": "x\n"});
    for (name, input, title, warnings, change) in [
        ("Edit", edit, "Edit /home/a/app/src/main.rs", vec![], "-let a = 1;\n+let a = 2;\n b()"),
        ("Write", write, "Write /etc/hosts", vec!["writes_outside".to_owned()], "\n+x"),
    ] {
        let tool = hooked(&cli, &event("/home/a/app", name, name, input));
        let item = the_one(&cli);
        assert_eq!((text(&item["title"]).as_str(), each(&item["warnings"], "code")), (title, warnings));
        let shown = run(&cli, &["view", &text(&item["id"])]).out;
        assert!(shown.contains(change), "{shown}");
        answer(&cli, &text(&item["id"]), &["ignore"]);
        decision(&tool.wait());
    }
}

/// Whether a call is allowed without anybody being asked.
fn allowed(cli: &Cli, event: &Value) -> bool {
    let mut tool = hooked(cli, event);
    let mut asked = None;
    until(|| {
        asked = open(cli).first().cloned();
        asked.is_some() || !tool.is_running()
    });
    match asked {
        None => decision(&tool.wait())["permissionDecision"] == "allow",
        Some(item) => {
            answer(cli, &text(&item["id"]), &["ignore"]);
            decides(&tool.wait(), "deny", "");
            false
        }
    }
}

/// What else a grant must not cover is in the catalogue (row A04).
#[test]
fn a_command_is_allowed_with_other_paths_in_its_folder_for_a_while() {
    let cli = Cli::new();
    let tool = hooked(&cli, &bash("g0", "git add src/a.rs"));
    let id = text(&the_one(&cli)["id"]);
    let shown = run(&cli, &["view", &id]).out;
    assert!(
        shown.contains("--grant 'git add src/a.rs' allows it again, --grant 'git add <paths>'"),
        "{shown}"
    );
    run(&cli, &["accept", &id, "--grant", "thread"]).refused(2, "cannot be allowed for its thread");
    run(&cli, &["accept", &id, "--grant", "git <paths>"]).refused(2, "is not what this card shows");
    answer(&cli, &id, &["accept", "--grant", "git add <paths>", "--for", "1h"]);
    decides(&tool.wait(), "allow", "");
    let line = list(&cli, &["grants"]).pop().unwrap();
    let scope = text(&line["scope"]);
    let expected = "`git add <paths>` in /home/a/app (any description, any timeout, program: ";
    assert!(scope.starts_with(expected) && scope.ends_with("), by claude-code"), "{scope}");
    assert_eq!((&line["tool"], &line["in_force"]), (&json!("request/Bash"), &json!(true)));
    text(&line["expires_at"]);
    let input = json!({"command": "git add src/a.rs"});
    for (event, expected) in [
        (bash("g1", "git add src/a.rs"), true),
        (bash("g2", "git add src/b.rs docs/new.md 2>&1 | tail -3"), true),
        (bash("g3", "git add src/b.rs; rm -rf ."), false),
        (bash("g4", "git add /etc/passwd"), false),
        (bash("g5", "git add -f src/b.rs"), false),
        (event("/home/a/other", "another folder", "Bash", input.clone()), false),
        (event("/home/a/app", "another tool", "Shell", input), false),
    ] {
        assert_eq!(allowed(&cli, &event), expected, "{event}");
    }
    assert!(!list(&cli, &["threads", "--search", "git"]).is_empty());
    // Revoked, it asks again.
    json(&cli, &["grants", "revoke", &text(&line["id"])]);
    assert!(!allowed(&cli, &bash("r1", "git add src/a.rs")));
}

#[test]
fn a_very_command_is_allowed_and_a_warning_suspends_it() {
    let cli = Cli::new();
    let tool = hooked(&cli, &bash("c0", "./ci.sh fast"));
    let id = text(&the_one(&cli)["id"]);
    run(&cli, &["accept", &id, "--grant", "./ci.sh <path>"]).refused(2, "is not what this card shows");
    answer(&cli, &id, &["accept", "--grant", "./ci.sh fast"]);
    decides(&tool.wait(), "allow", "");
    assert!(allowed(&cli, &bash("c1", "./ci.sh fast")));
    assert!(!allowed(&cli, &bash("c2", "./ci.sh fast now")));
    assert!(!allowed(&cli, &bash("c3", "./ci.sh")));
    // What carries a warning can neither be allowed for a while nor be covered.
    let tool = hooked(&cli, &bash("c4", "rm -r build"));
    let item = the_one(&cli);
    assert_eq!(item["warnings"][0]["code"], "deletes");
    run(&cli, &["accept", &text(&item["id"]), "--grant", "thread"]).refused(2, "has a warning");
    answer(&cli, &text(&item["id"]), &["accept"]);
    decides(&tool.wait(), "allow", "");
}

/// What is accepted as it came is in the catalogue (row A02).
#[test]
fn hidden_characters_are_warned_of_and_an_edit_keeps_them_elsewhere() {
    let cli = Cli::new();
    let input = json!({"command": "ls \u{200b}\u{202e}x", "content": "one\r\ntwo\r\n", "note": "a"});
    let tool = hooked(&cli, &event("/home/a/app", "h1", "Bash", input.clone()));
    let item = the_one(&cli);
    assert_eq!(item["warnings"][0]["code"], "hidden_characters");
    let shown = json!({"command": "ls ⟨U+200B…×2⟩x", "content": "one\ntwo\n", "note": "a"});
    assert_eq!(item["args"], shown);
    answer(&cli, &text(&item["id"]), &["edit", "--set", "note=b"]);
    let expected = merged(input, json!({"note": "b"}));
    assert_eq!(decision(&tool.wait())["updatedInput"], expected, "the rest stays as it came");
}

/// What the agent tells of a call afterwards stands with the decision, once.
#[test]
fn what_came_of_a_call_is_kept_with_its_decision() {
    let cli = Cli::new();
    let after = |command: &str, name: &str, more: Value| {
        let event = merged(bash("toolu_9", command), json!({ "hook_event_name": name }));
        let output = hooked(&cli, &merged(event, more)).wait();
        assert_eq!(output.code, 0);
        output.out
    };
    let decided = |words: &[&str], event: &Value| {
        let tool = hooked(&cli, event);
        let item = the_one(&cli);
        answer(&cli, &text(&item["id"]), words);
        assert_eq!(tool.wait().code, 0);
        text(&item["thread"])
    };
    let outcomes = || each(&json(&cli, &["decisions"]), "outcome");
    let accepted = decided(&["accept"], &permission("cargo test"));
    decided(&["edit", "--set", "command=cargo test --lib"], &bash("toolu_2", "cargo test"));
    decided(&["ignore"], &permission("cargo publish"));
    assert_eq!(outcomes(), ["refused", "allowed, changed", "allowed"]);
    assert_eq!(after("cargo test", "PostToolUseFailure", json!({"error": "Exit code 101\nfailed"})), "");
    assert_eq!(outcomes(), ["refused", "allowed, changed", "allowed, exit code 101"]);
    let ran = json!({"tool_use_id": "toolu_2", "tool_response": {"stdout": "", "interrupted": false}});
    let told: Value = serde_json::from_str(&after("cargo test --lib", "PostToolUse", ran)).unwrap();
    let words = text(&told["hookSpecificOutput"]["additionalContext"]);
    assert!(words.contains("The person changed this call") && words.contains("cargo test --lib"), "{told}");
    assert_eq!(outcomes(), ["refused", "allowed, changed, exit code 0", "allowed, exit code 101"]);
    // Nothing is made of what was never asked, or was told before.
    after("cargo publish", "PostToolUse", json!({"tool_response": {"stdout": ""}}));
    after("cargo test", "PostToolUse", json!({"tool_response": {"stdout": ""}}));
    assert_eq!(outcomes(), ["refused", "allowed, changed, exit code 0", "allowed, exit code 101"]);
    let shown = json(&cli, &["show", &accepted]);
    assert_eq!((&shown["state"]["reported"]["exit_code"], &shown["status"]), (&json!(101), &json!("done")));
    // What was answered in the agent's window is closed and reported in one go, even while nothing is driven.
    run(&cli, &["pause"]);
    let tool = hooked(&cli, &permission("cargo bench"));
    let thread = text(&the_one(&cli)["thread"]);
    after("cargo bench", "PostToolUseFailure", json!({"error": "Exit code 102\nfailed"}));
    assert_eq!(tool.wait().code, 0);
    let state = json(&cli, &["show", &thread])["state"].clone();
    assert_eq!(state["reported"]["exit_code"], 102, "{state}");
    assert_eq!(state["given"], json!({"type": "withdrawn"}), "{state}");
}

#[test]
fn a_line_is_asked_because_of_what_it_warns_about() {
    let cli = Cli::new();
    for (n, risky) in ["rm -rf x", "bash -c 'rm -rf x'"].into_iter().enumerate() {
        let tool = hooked(&cli, &bash(&format!("w{n}"), &format!("git status && {risky}")));
        let id = text(&the_one(&cli)["id"]);
        let shown = run(&cli, &["view", &id]).out;
        assert!(shown.contains(&format!("Asked because of `{risky}`.")), "{shown}");
        assert!(!shown.contains("--grant"), "a warned card allows nothing else: {shown}");
        let answered = run(&cli, &["accept", &id]).out;
        assert!(answered.contains("is done") || answered.contains("whoever asked takes"), "{answered}");
        decides(&tool.wait(), "allow", "");
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
    let hook = ["request", "--hook", "codex", "--timeout", "0.2"];
    // How many questions there have been after it.
    let asked = |id: &str, tool: &str| {
        let about =
            json!({"hook_event_name": "PermissionRequest", "transcript_path": transcript, "tool_name": tool});
        silent(&cli, &hook, &merged(codex(id, "cargo test"), about));
        list(&cli, &["threads"]).len()
    };
    says("user");
    assert_eq!(asked("c1", "Bash"), 0);
    // Apps may have a reviewer each.
    assert_eq!(asked("c1", "mcp__codex_apps__send"), 1);
    says("auto_review");
    assert_eq!(asked("c2", "Bash"), 2);
    std::fs::remove_file(&transcript).unwrap();
    assert_eq!(asked("c3", "Bash"), 3);
    // A pipe that nobody writes to does not hold it up.
    rustix::fs::mknodat(rustix::fs::CWD, &transcript, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0)
        .unwrap();
    assert_eq!(asked("c4", "Bash"), 4);
}
