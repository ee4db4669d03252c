//! `sessions`: what coding agents report about themselves, and how it is shown.

use crate::request::{json, read, run, the_one};
use crate::runner::{Background, Cli, CliOutput, captured, keys, text, until};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};

const SESSION: &[&str] = &[
    "agent",
    "id",
    "folder",
    "branch",
    "state",
    "waits_for",
    "interrupt",
    "since",
    "started_at",
    "prompt",
    "model",
    "mode",
    "input_tokens",
    "output_tokens",
    "cost",
    "terminal",
];

fn event(session: &str, name: &str) -> Value {
    json!({"session_id": session, "cwd": "/home/a/app", "hook_event_name": name})
}

fn hook(cli: &Cli, tool: &str) -> Command {
    let mut command = cli.real();
    command.args(["request", "--hook", tool]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn send_event(mut command: Command, event: &Value) -> CliOutput {
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
    captured(child.wait_with_output().unwrap())
}

/// Something that only informs: it says nothing, whatever it is.
#[track_caller]
fn tell(cli: &Cli, event: &Value) {
    let output = send_event(hook(cli, "claude-code"), event);
    assert_eq!((output.code, output.out.as_str(), output.err.as_str()), (0, "", ""), "{event}");
}

fn sessions(cli: &Cli) -> Vec<Value> {
    json(cli, &["sessions"]).as_array().unwrap().clone()
}

#[test]
fn a_session_is_listed_from_its_start_to_its_end() {
    let cli = Cli::new();
    // Nobody has used sayso yet, so nothing is kept.
    tell(&cli, &event("s1", "SessionStart"));
    assert!(!cli.data().join("sayso.db").exists());
    assert!(run(&cli, &["sessions"]).done().contains("No coding agent has reported a session"));
    tell(&cli, &event("s1", "SessionStart"));
    let mut prompted = event("s1", "UserPromptSubmit");
    prompted["prompt"] = json!("Mend the\u{1b}[2J hub");
    prompted["permission_mode"] = json!("auto");
    let [idle] = sessions(&cli).try_into().unwrap();
    keys(&idle, SESSION);
    assert_eq!((&idle["agent"], &idle["state"]), (&json!("claude-code"), &json!("idle")));
    assert_eq!((&idle["folder"], &idle["terminal"]), (&json!("/home/a/app"), &Value::Null));
    tell(&cli, &prompted);
    let shown = run(&cli, &["sessions"]).done().to_owned();
    assert!(shown.contains("claude-code (auto)"), "{shown}");
    assert!(shown.contains("working") && shown.contains("Mend the") && !shown.contains('\u{1b}'), "{shown}");
    let mut dialog = event("s1", "Notification");
    dialog["notification_type"] = json!("permission_prompt");
    dialog["message"] = json!("Claude needs your permission");
    tell(&cli, &dialog);
    let [asks] = sessions(&cli).try_into().unwrap();
    assert_eq!((&asks["state"], &asks["interrupt"]), (&json!("waiting"), &Value::Null));
    assert_eq!(asks["waits_for"], "Claude needs your permission");
    tell(&cli, &event("s1", "Stop"));
    assert_eq!(sessions(&cli)[0]["state"], "idle");
    tell(&cli, &event("s1", "SessionEnd"));
    assert!(sessions(&cli).is_empty());
}

#[test]
fn a_session_waits_for_its_card_and_goes_on() {
    let cli = Cli::new();
    run(&cli, &["list"]).done();
    for session in ["s1", "s2"] {
        tell(&cli, &event(session, "SessionStart"));
    }
    let mut asks = event("s2", "PermissionRequest");
    (asks["tool_name"], asks["tool_input"]) = (json!("Bash"), json!({"command": "cargo publish"}));
    let mut command = hook(&cli, "claude-code");
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(asks.to_string().as_bytes()).unwrap();
    let tool = Background::of(child);
    let item = the_one(&cli);
    // Those that wait come first.
    until(|| sessions(&cli)[0]["interrupt"] == item["id"]);
    let all = sessions(&cli);
    assert_eq!((&all[0]["id"], &all[0]["state"]), (&json!("s2"), &json!("waiting")));
    assert_eq!((&all[0]["waits_for"], &all[1]["state"]), (&json!("$ cargo publish"), &json!("idle")));
    run(&cli, &["ignore", &text(&item["id"])]).done();
    read(&tool.wait(), 0);
    let all = sessions(&cli);
    let second = all.iter().find(|session| session["id"] == "s2").unwrap();
    assert_eq!((&second["state"], &second["interrupt"]), (&json!("working"), &Value::Null));
}

#[test]
fn a_session_ends_with_its_process() {
    let cli = Cli::new();
    run(&cli, &["list"]).done();
    let mut agent = Command::new("sleep").arg("60").spawn().unwrap();
    let mut command = hook(&cli, "claude-code");
    command.env("CLAUDE_PID", agent.id().to_string());
    assert_eq!(send_event(command, &event("s1", "SessionStart")).code, 0);
    assert_eq!(sessions(&cli).len(), 1);
    agent.kill().unwrap();
    agent.wait().unwrap();
    assert!(sessions(&cli).is_empty());
}

#[test]
fn tokens_and_cost_are_those_the_agent_reports() {
    let cli = Cli::new();
    run(&cli, &["list"]).done();
    let transcript = cli.path("t.jsonl");
    let line = json!({"type": "assistant", "message": {"id": "m1",
        "usage": {"input_tokens": 12000, "cache_read_input_tokens": 500, "output_tokens": 20}}});
    std::fs::write(&transcript, format!("{line}\n{line}\n")).unwrap();
    tell(&cli, &event("s1", "SessionStart"));
    let mut stopped = event("s1", "Stop");
    stopped["transcript_path"] = json!(transcript);
    tell(&cli, &stopped);
    let [counted] = sessions(&cli).try_into().unwrap();
    assert_eq!((&counted["input_tokens"], &counted["output_tokens"]), (&json!(12500), &json!(20)));
    assert_eq!(counted["cost"], Value::Null);
    let opencode = |name: &str| {
        json!({"event": name, "session_id": "s2", "cwd": "/home/a/app",
        "tokens": {"input": 100, "output": 20}, "cost": 0.14})
    };
    for name in ["busy", "idle"] {
        assert_eq!(send_event(hook(&cli, "opencode"), &opencode(name)).out, "");
    }
    let shown = run(&cli, &["sessions"]).done().to_owned();
    assert!(shown.contains("12.5k tokens") && shown.contains("120 tokens, $0.14"), "{shown}");
}

#[test]
fn a_terminal_that_cannot_be_shown_is_told_of_in_a_sentence() {
    let cli = Cli::new();
    run(&cli, &["list"]).done();
    tell(&cli, &event("s1", "SessionStart"));
    run(&cli, &["sessions", "focus", "nobody"]).refused(3, "there is no session `nobody`");
    run(&cli, &["sessions", "focus", "s1"]).refused(1, "its terminal takes no commands");
    let mut kitty = hook(&cli, "claude-code");
    kitty.env("KITTY_WINDOW_ID", "3");
    assert_eq!(send_event(kitty, &event("s2", "SessionStart")).code, 0);
    run(&cli, &["sessions", "focus", "s2"]).refused(1, "allow_remote_control");
    run(&cli, &["sessions", "focus", "s"]).refused(2, "matches 2 ids");
    // What has no shape of a terminal is not taken for one.
    let mut forged = hook(&cli, "claude-code");
    forged.env("TMUX", "/tmp/x,1,0").env("TMUX_PANE", "%1;kill-server");
    assert_eq!(send_event(forged, &event("s3", "SessionStart")).code, 0);
    assert_eq!(sessions(&cli).iter().find(|session| session["id"] == "s3").unwrap()["terminal"], Value::Null);
}

#[test]
fn what_the_agent_is_to_remember_is_on_record_and_no_grant() {
    let cli = Cli::new();
    let rule = json!({"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "npm test *"}],
        "behavior": "allow", "destination": "localSettings"});
    let asks = |command: &str| {
        let mut asks = event("s1", "PermissionRequest");
        (asks["tool_name"], asks["tool_input"]) = (json!("Bash"), json!({"command": command}));
        asks["permission_suggestions"] = json!([rule]);
        let mut child = hook(&cli, "claude-code").spawn().unwrap();
        child.stdin.take().unwrap().write_all(asks.to_string().as_bytes()).unwrap();
        (Background::of(child), text(&the_one(&cli)["id"]))
    };
    let decided = |tool: Background| read(&tool.wait(), 0)["hookSpecificOutput"]["decision"].clone();
    let (tool, id) = asks("npm test");
    let shown = run(&cli, &["view", &id]).out;
    assert!(shown.contains("can remember: 1 · Bash(npm test *), in this project, for you"), "{shown}");
    run(&cli, &["accept", &id, "--remember", "2"]).refused(2, "offers 1 to remember");
    run(&cli, &["accept", &id, "--remember"]).done();
    assert_eq!(decided(tool), json!({"behavior": "allow", "updatedPermissions": [rule]}));
    let decisions = json(&cli, &["decisions"]);
    let outcome = text(&decisions[0]["outcome"]);
    assert!(outcome.contains("told to remember Bash(npm test *)"), "{outcome}");
    let grants = json(&cli, &["grants"]);
    assert!(grants.as_array().unwrap().iter().all(|grant| grant["builtin"] == true), "{grants}");
    // Accepted as any other, it is not told to remember; nor is that offered where there is a warning.
    let (tool, id) = asks("npm test");
    run(&cli, &["accept", &id]).done();
    assert_eq!(decided(tool), json!({"behavior": "allow"}));
    let (tool, id) = asks("npm test && npm publish");
    run(&cli, &["accept", &id, "--remember"]).refused(2, "offers 0 to remember");
    run(&cli, &["ignore", &id]).done();
    assert_eq!(decided(tool)["behavior"], "deny");
}
