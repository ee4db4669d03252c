//! `sessions`: what coding agents report about themselves, and how it is shown.

use crate::runner::{Background, Cli, CliOutput, json, keys, list, read, run, text, the_one, until};
use crate::support::merged;
use serde_json::{Value, json};
use std::process::Command;

const SESSION: &str = "agent id folder branch state waits_for interrupt since started_at prompt model mode input_tokens \
    output_tokens cost terminal";

fn event(session: &str, name: &str) -> Value {
    json!({"session_id": session, "cwd": "/home/a/app", "hook_event_name": name})
}

fn asks(session: &str, command: &str) -> Value {
    let call = json!({"tool_name": "Bash", "tool_input": {"command": command}});
    merged(event(session, "PermissionRequest"), call)
}

/// The hook of a tool, with more in its environment.
fn hook(cli: &Cli, tool: &str, env: &[(&str, &str)], event: &Value) -> Background {
    let mut command = cli.real();
    command.args(["request", "--hook", tool]).envs(env.iter().copied());
    Background::of(command, event.to_string().as_bytes())
}

/// Something that only informs: it says nothing, whatever it is.
#[track_caller]
fn tell(cli: &Cli, event: &Value) {
    tell_with(cli, &[], event);
}

#[track_caller]
fn tell_with(cli: &Cli, env: &[(&str, &str)], event: &Value) {
    let CliOutput { code, out, err } = hook(cli, "claude-code", env, event).wait();
    assert_eq!((code, out.as_str(), err.as_str()), (0, "", ""), "{event}");
}

fn sessions(cli: &Cli) -> Vec<Value> {
    list(cli, &["sessions"])
}

/// A data folder that is in use; in another, nothing is kept of sessions.
fn used() -> Cli {
    let cli = Cli::new();
    run(&cli, &["list"]).done();
    cli
}

#[test]
fn a_session_is_listed_from_its_start_to_its_end() {
    let cli = Cli::new();
    // Nobody has used sayso yet, so nothing is kept.
    tell(&cli, &event("s1", "SessionStart"));
    assert!(!cli.data().join("sayso.db").exists());
    assert!(run(&cli, &["sessions"]).done().contains("No coding agent has reported a session"));
    tell(&cli, &event("s1", "SessionStart"));
    let prompt = json!({"prompt": "Mend the\u{1b}[2J hub", "permission_mode": "auto"});
    let [idle] = sessions(&cli).try_into().unwrap();
    keys(&idle, SESSION);
    assert_eq!((&idle["agent"], &idle["state"]), (&json!("claude-code"), &json!("idle")));
    assert_eq!((&idle["folder"], &idle["terminal"]), (&json!("/home/a/app"), &Value::Null));
    tell(&cli, &merged(event("s1", "UserPromptSubmit"), prompt));
    let shown = run(&cli, &["sessions"]).done().to_owned();
    assert!(shown.contains("claude-code (auto)"), "{shown}");
    assert!(shown.contains("working") && shown.contains("Mend the") && !shown.contains('\u{1b}'), "{shown}");
    let dialog = json!({"notification_type": "permission_prompt", "message": "Claude needs your permission"});
    tell(&cli, &merged(event("s1", "Notification"), dialog));
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
    let cli = used();
    for session in ["s1", "s2"] {
        tell(&cli, &event(session, "SessionStart"));
    }
    let tool = hook(&cli, "claude-code", &[], &asks("s2", "cargo publish"));
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
    let cli = used();
    let mut agent = Command::new("sleep").arg("60").spawn().unwrap();
    tell_with(&cli, &[("CLAUDE_PID", &agent.id().to_string())], &event("s1", "SessionStart"));
    assert_eq!(sessions(&cli).len(), 1);
    agent.kill().unwrap();
    agent.wait().unwrap();
    assert!(sessions(&cli).is_empty());
}

#[test]
fn tokens_and_cost_are_those_the_agent_reports() {
    let cli = used();
    let transcript = cli.path("t.jsonl");
    let line = json!({"type": "assistant", "message": {"id": "m1",
        "usage": {"input_tokens": 12000, "cache_read_input_tokens": 500, "output_tokens": 20}}});
    std::fs::write(&transcript, format!("{line}\n{line}\n")).unwrap();
    tell(&cli, &event("s1", "SessionStart"));
    tell(&cli, &merged(event("s1", "Stop"), json!({ "transcript_path": transcript })));
    let [counted] = sessions(&cli).try_into().unwrap();
    assert_eq!((&counted["input_tokens"], &counted["output_tokens"]), (&json!(12500), &json!(20)));
    assert_eq!(counted["cost"], Value::Null);
    for name in ["busy", "idle"] {
        let event = json!({"event": name, "session_id": "s2", "cwd": "/home/a/app",
            "tokens": {"input": 100, "output": 20}, "cost": 0.14});
        assert_eq!(hook(&cli, "opencode", &[], &event).wait().out, "");
    }
    let shown = run(&cli, &["sessions"]).done().to_owned();
    assert!(shown.contains("12.5k tokens") && shown.contains("120 tokens, $0.14"), "{shown}");
}

#[test]
fn a_terminal_that_cannot_be_shown_is_told_of_in_a_sentence() {
    let cli = used();
    tell(&cli, &event("s1", "SessionStart"));
    run(&cli, &["sessions", "focus", "nobody"]).refused(3, "there is no session `nobody`");
    run(&cli, &["sessions", "focus", "s1"]).refused(1, "its terminal takes no commands");
    tell_with(&cli, &[("KITTY_WINDOW_ID", "3")], &event("s2", "SessionStart"));
    run(&cli, &["sessions", "focus", "s2"]).refused(1, "allow_remote_control");
    run(&cli, &["sessions", "focus", "s"]).refused(2, "matches 2 ids");
    // What has no shape of a terminal is not taken for one.
    tell_with(&cli, &[("TMUX", "/tmp/x,1,0"), ("TMUX_PANE", "%1;kill-server")], &event("s3", "SessionStart"));
    assert_eq!(sessions(&cli).iter().find(|session| session["id"] == "s3").unwrap()["terminal"], Value::Null);
}

#[test]
fn what_the_agent_is_to_remember_is_on_record_and_no_grant() {
    let cli = Cli::new();
    let rule = json!({"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "npm test *"}],
        "behavior": "allow", "destination": "localSettings"});
    let asks = |command: &str| {
        let event = merged(asks("s1", command), json!({ "permission_suggestions": [rule] }));
        (hook(&cli, "claude-code", &[], &event), text(&the_one(&cli)["id"]))
    };
    let decided = |tool: Background| read(&tool.wait(), 0)["hookSpecificOutput"]["decision"].clone();
    let (tool, id) = asks("npm test");
    let shown = run(&cli, &["view", &id]).out;
    assert!(shown.contains("can remember: 1 · Bash(npm test *), in this project, for you"), "{shown}");
    run(&cli, &["accept", &id, "--remember", "2"]).refused(2, "has 1 choice to remember");
    run(&cli, &["accept", &id, "--remember"]).done();
    assert_eq!(decided(tool)["updatedPermissions"], json!([rule]));
    let decisions = json(&cli, &["decisions"]);
    let outcome = text(&decisions[0]["outcome"]);
    assert!(outcome.contains("told to remember Bash(npm test *)"), "{outcome}");
    let grants = json(&cli, &["grants"]);
    assert!(grants.as_array().unwrap().iter().all(|grant| grant["builtin"] == true), "{grants}");
    // Accepted as any other, it is not told to remember; nor is that offered where there is a warning.
    let (tool, id) = asks("npm test");
    run(&cli, &["accept", &id]).done();
    let decision = decided(tool);
    assert_eq!((&decision["behavior"], decision.get("updatedPermissions")), (&json!("allow"), None));
    let (tool, id) = asks("npm test && npm publish");
    run(&cli, &["accept", &id, "--remember"]).refused(2, "has nothing to remember");
    run(&cli, &["ignore", &id]).done();
    assert_eq!(decided(tool)["behavior"], "deny");
}
