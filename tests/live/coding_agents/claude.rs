//! Claude Code without a terminal (`-p`).

use super::model::{Model, ToolCall};
use super::{SAYSO, Workplace, end, installed, questions};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

impl Workplace {
    /// It, in a folder that is trusted, with the scripted model.
    pub(super) fn claude_command(&self, program: &Path) -> Command {
        let project = self.path("project").canonicalize().unwrap();
        let state = self.path("claude/.claude.json");
        let mut known: serde_json::Value =
            std::fs::read_to_string(&state).map_or(json!({}), |text| serde_json::from_str(&text).unwrap());
        known["hasCompletedOnboarding"] = json!(true);
        known["projects"] = json!({project.to_str().unwrap(): {"hasTrustDialogAccepted": true}});
        std::fs::write(state, known.to_string()).unwrap();
        let mut command = self.at_home(program);
        command.env("ANTHROPIC_AUTH_TOKEN", "none");
        command.env("ANTHROPIC_BASE_URL", format!("http://127.0.0.1:{}", self.model.port));
        command.envs([
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("DISABLE_UPDATES", "1"),
            ("DISABLE_TELEMETRY", "1"),
            // Else the model would have to look for the tools of servers first.
            ("ENABLE_TOOL_SEARCH", "false"),
        ]);
        command
    }

    /// What our server is called in its config.
    pub(super) fn own_server(&self) -> String {
        let state = std::fs::read_to_string(self.path("claude/.claude.json")).unwrap();
        let state: serde_json::Value = serde_json::from_str(&state).unwrap();
        state["mcpServers"].as_object().unwrap().keys().next().unwrap().clone()
    }

    /// It, asking by our tool.
    fn claude_with_our_tool(&self, program: &Path) -> Child {
        let tool = format!("mcp__{}__approve_tool_call", self.own_server());
        self.claude(program, &["--permission-prompt-tool", &tool])
    }

    pub(super) fn claude(&self, program: &Path, flags: &[&str]) -> Child {
        let mut command = self.claude_command(program);
        command.args(["-p", "Do it."]).args(flags);
        self.spawn(command)
    }
}

pub(super) fn bash(command: &str) -> ToolCall {
    ToolCall { tool: "Bash", input: json!({"command": command, "description": "As the task needs"}) }
}

/// Both ways to connect it.
const CONNECTIONS: [&[&str]; 2] = [&["claude"], &["claude", "--all"]];

#[test]
#[ignore = "needs Claude Code; .ci/run installs it"]
fn claude_code_does_what_is_decided() {
    let Some(claude) = installed("claude") else { return };
    for connection in CONNECTIONS {
        let trial = |words: &[&str]| {
            let place = Workplace::connected(bash("touch ran"), connection);
            let item = place.decide(place.claude(&claude, &[]), words);
            assert_eq!(item["source"], "request: claude-code");
            let shown = place.sayso(&["show", item["thread"].as_str().unwrap()]);
            assert!(!shown.is_empty());
            (place.ran(), place.tool_results())
        };
        assert_eq!(trial(&["accept"]).0, [true, false], "{connection:?}");
        assert_eq!(trial(&["edit", "--set", "command=touch edited"]).0, [false, true], "{connection:?}");
        // Its model remembers the call that it made.
        let place = Workplace::connected(bash("touch ran"), connection);
        place.decide(place.claude(&claude, &[]), &["edit", "--set", "command=touch edited"]);
        assert!(place.model.heard("The person changed this call"), "{connection:?}");
        let (ran, results) = trial(&["respond", "not on a Friday"]);
        assert!(ran == [false, false] && results.contains("not on a Friday"), "{connection:?}: {results}");
        let (ran, results) = trial(&["ignore"]);
        assert!(
            ran == [false, false] && results.contains("The person said no."),
            "{connection:?}: {results}"
        );
    }
}

#[test]
#[ignore = "needs Claude Code; .ci/run installs it"]
fn claude_code_runs_nothing_where_sayso_cannot_decide() {
    let Some(claude) = installed("claude") else { return };
    for connection in CONNECTIONS {
        let trials = Workplace::failing(|| bash("touch ran"), connection, "claude/settings.json");
        for (what, place) in trials {
            end(place.claude(&claude, &[]));
            assert_eq!(place.ran(), [false, false], "{connection:?}, {what}: {}", place.tool_results());
            if what == "nobody answers" {
                assert!(place.tool_results().contains("sayso could not decide"), "{}", place.tool_results());
                assert!(place.list().is_empty());
            }
        }
    }
}

#[test]
#[ignore = "needs Claude Code; .ci/run installs it"]
fn claude_code_s_questions_are_answered_here() {
    let Some(claude) = installed("claude") else { return };
    let ask = || ToolCall { tool: "AskUserQuestion", input: questions("multiSelect") };
    let trial = |words: &[&str]| {
        // The tool alone asks here: both would be two cards for one question.
        let place = Workplace::connected(ask(), &["claude"]);
        std::fs::write(place.path("claude/settings.json"), "{}").unwrap();
        let item = place.decide(place.claude_with_our_tool(&claude), words);
        assert!(item["text"].as_str().unwrap().contains("2 Blue (cold)"), "{item}");
        place.tool_results()
    };
    let results = trial(&["edit", "--set", "Colour=2", "--set", "Sizes=1,2"]);
    assert!(results.contains("Blue") && results.contains("S, L"), "{results}");
    let results = trial(&["respond", "something green\n2"]);
    assert!(results.contains("something green") && results.contains("\\\"L\\\""), "{results}");
    assert!(trial(&["ignore"]).contains("The person said no."));
}

#[test]
#[ignore = "needs Claude Code; .ci/run installs it"]
fn claude_code_may_ask_by_a_tool() {
    let Some(claude) = installed("claude") else { return };
    let trial = |words: &[&str]| {
        let place = Workplace::connected(bash("touch ran"), &["claude"]);
        std::fs::write(place.path("claude/settings.json"), "{}").unwrap();
        place.decide(place.claude_with_our_tool(&claude), words);
        place.ran()
    };
    assert_eq!(trial(&["accept"]), [true, false]);
    assert_eq!(trial(&["edit", "--set", "command=touch edited"]), [false, true]);
    assert_eq!(trial(&["ignore"]), [false, false]);
}

/// With its defaults, a harmless call is a card; its windows would not ask, and `doctor` says so.
#[test]
#[ignore = "needs Claude Code; .ci/run installs it"]
fn claude_code_asks_by_default_as_doctor_says() {
    let Some(claude) = installed("claude") else { return };
    let place = Workplace::connected(bash("touch ran"), &["claude"]);
    place.decide(place.claude(&claude, &[]), &["accept"]);
    assert_eq!(place.ran(), [true, false]);
    let (ok, said) = place.doctor(&claude);
    assert!(!ok && said.contains("auto mode"), "{said}");
    let place = Workplace::connected(bash("touch ran"), &["claude", "--manual"]);
    let (ok, said) = place.doctor(&claude);
    assert!(ok && said.contains("manual mode"), "{said}");
    // Switched off in the project, it asks nothing, and runs nothing by itself.
    let settings = place.project(".claude/settings.json");
    std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
    std::fs::write(settings, r#"{"disableAllHooks": true, "permissions": {"allow": ["Bash"]}}"#).unwrap();
    end(place.claude(&claude, &[]));
    assert_eq!(place.ran(), [true, false]);
    let (ok, said) = place.doctor(&claude);
    assert!(!ok && said.contains("disableAllHooks"), "{said}");
}

/// A project's server may have any name; only ours passes.
#[test]
#[ignore = "needs Claude Code and Python; .ci/run installs the former"]
fn claude_code_s_servers_are_told_from_ours() {
    let Some(claude) = installed("claude") else { return };
    let leaked = |name: String| -> &'static str { name.leak() };
    for connection in CONNECTIONS {
        let place = Workplace::connected(bash("true"), connection);
        let tool = leaked(format!("mcp__{}__ask_person", place.own_server()));
        let call = ToolCall { tool, input: json!({"question": "Which region?"}) };
        let place = Workplace { model: Model::calling(call), ..place };
        let item = place.decide(place.claude(&claude, &[]), &["respond", "eu"]);
        assert_eq!(item["title"], "Which region?", "{connection:?}");
        assert!(place.tool_results().contains("eu"), "{}", place.tool_results());
        // Another server under our name, as a project that knew it could define.
        let server = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/live/coding_agents/form_server.py");
        let mut place = place;
        for name in ["sayso".to_owned(), place.own_server()] {
            let tool = leaked(format!("mcp__{name}__greet"));
            place = Workplace { model: Model::calling(ToolCall { tool, input: json!({}) }), ..place };
            let entry = json!({"type": "stdio", "command": "python3", "args": [server]});
            let config = json!({"mcpServers": {name: entry}}).to_string();
            let item = place.decide(place.claude(&claude, &["--mcp-config", &config]), &["ignore"]);
            assert_eq!(item["action"], format!("request/{tool}"), "{connection:?}");
        }
    }
}

#[test]
#[ignore = "needs Claude Code; .ci/run installs it"]
fn a_killed_claude_code_takes_its_card_along() {
    let Some(claude) = installed("claude") else { return };
    for connection in CONNECTIONS {
        let place = Workplace::connected(bash("touch ran"), connection);
        let mut agent = place.claude(&claude, &[]);
        let item = place.item(&mut agent);
        agent.kill().unwrap();
        agent.wait().unwrap();
        // Nobody drives here: whoever asked notices that nobody reads the answer any more.
        place.wait_until_empty();
        let late = place.at_home(SAYSO).args(["accept", item["id"].as_str().unwrap()]).output().unwrap();
        assert_eq!(late.status.code(), Some(3), "{connection:?}: {late:?}");
        assert_eq!(place.ran(), [false, false]);
    }
}

#[test]
#[ignore = "needs Claude Code; .ci/run installs it"]
fn claude_code_writes_the_bytes_it_asked_to_write() {
    let Some(claude) = installed("claude") else { return };
    let content = "one\r\ntwo\r\n\u{1b}[31mred\u{1b}[0m soft\u{ad}hyphen\r\n";
    // The path of a file is known once its folder is.
    let place = || {
        let place = Workplace::connected(bash("true"), &["claude"]);
        let file = place.project("out.txt");
        let call = ToolCall { tool: "Write", input: json!({"file_path": file, "content": content}) };
        (file, Workplace { model: Model::calling(call), ..place })
    };
    let (file, accepted): (PathBuf, Workplace) = place();
    accepted.decide(accepted.claude(&claude, &[]), &["accept"]);
    assert_eq!(std::fs::read(&file).unwrap(), content.as_bytes());
    let (file, refused) = place();
    refused.decide(refused.claude(&claude, &[]), &["ignore"]);
    assert!(
        !file.exists() && refused.tool_results().contains("The person said no."),
        "{}",
        refused.tool_results()
    );
}

#[test]
#[ignore = "needs Claude Code; .ci/run installs it"]
fn what_claude_code_is_granted_it_does_without_a_card() {
    let Some(claude) = installed("claude") else { return };
    let place = Workplace::connected(bash("git init -q ."), &["claude"]);
    place.decide(place.claude(&claude, &[]), &["accept", "--grant", "git init -q .", "--for", "1h"]);
    assert!(place.project(".git").exists());
    std::fs::remove_dir_all(place.project(".git")).unwrap();
    end(place.claude(&claude, &[]));
    assert!(place.project(".git").exists(), "{}", place.tool_results());
}

#[test]
#[ignore = "needs Claude Code; .ci/run installs it"]
fn claude_code_tells_what_came_of_a_call() {
    let Some(claude) = installed("claude") else { return };
    for (connection, command, expected) in [
        (CONNECTIONS[0], "touch ran; exit 3", "allowed, exit code 3"),
        (CONNECTIONS[1], "touch ran", "allowed, exit code 0"),
    ] {
        let place = Workplace::connected(bash(command), connection);
        place.decide(place.claude(&claude, &[]), &["accept"]);
        assert_eq!(place.outcome(), expected, "{connection:?}");
    }
}

#[test]
#[ignore = "needs Claude Code; .ci/run installs it"]
fn claude_code_stops_where_it_is_told_to() {
    let Some(claude) = installed("claude") else { return };
    for connection in CONNECTIONS {
        let place = Workplace::connected(bash("touch ran"), connection);
        place.stop(place.claude(&claude, &[]));
    }
}

#[test]
#[ignore = "needs Claude Code; .ci/run installs it"]
fn claude_code_s_hook_and_tool_share_a_card() {
    let Some(claude) = installed("claude") else { return };
    for (words, expected) in [("accept", [true, false]), ("ignore", [false, false])] {
        let place = Workplace::connected(bash("touch ran"), &["claude"]);
        place.decide(place.claude_with_our_tool(&claude), &[words]);
        assert_eq!(place.ran(), expected);
        let decisions = place.sayso(&["decisions", "--json"]);
        let decisions: Vec<serde_json::Value> = serde_json::from_str(&decisions).unwrap();
        assert_eq!(decisions.len(), 1, "{decisions:?}");
        assert!(place.list().is_empty(), "{:?}", place.list());
    }
}

#[test]
#[ignore = "needs Claude Code and Python; .ci/run installs the former"]
fn what_a_server_of_claude_code_wants_to_know_is_answered_here() {
    let Some(claude) = installed("claude") else { return };
    let server = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/live/coding_agents/form_server.py");
    let config = json!({"mcpServers": {"form": {"type": "stdio", "command": "python3", "args": [server]}}})
        .to_string();
    let trial = |words: &[&str]| {
        let call = ToolCall { tool: "mcp__form__greet", input: json!({}) };
        let place = Workplace::connected(call, &["claude"]);
        let flags = ["--mcp-config", &config, "--allowedTools", "mcp__form"];
        let item = place.decide(place.claude(&claude, &flags), words);
        assert_eq!(item["title"], "Whom to greet?");
        place.tool_results()
    };
    if std::process::Command::new("python3").arg("--version").output().is_err() {
        eprintln!("skipped: there is no python3");
        return;
    }
    let results = trial(&["edit", "--set", "name=Ada"]);
    assert!(results.contains("accept") && results.contains("Ada"), "{results}");
    assert!(trial(&["ignore"]).contains("decline"));
}
