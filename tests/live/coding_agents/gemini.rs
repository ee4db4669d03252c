//! Gemini CLI without a terminal, where its own policy lets everything pass.

use super::model::ToolCall;
use super::{Workplace, end, installed, kill_tree};
use serde_json::json;
use std::path::Path;
use std::process::Child;

impl Workplace {
    pub(super) fn gemini(&self, program: &Path) -> Child {
        let path = self.path(".gemini/settings.json");
        let mut settings: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        settings["security"] = json!({"auth": {"selectedType": "gemini-api-key"}});
        std::fs::write(path, settings.to_string()).unwrap();
        let mut command = self.at_home(program);
        command.env("GEMINI_API_KEY", "none").env("GEMINI_CLI_TRUST_WORKSPACE", "true");
        command.env("GOOGLE_GEMINI_BASE_URL", format!("http://127.0.0.1:{}", self.model.port));
        command.args(["--approval-mode", "yolo", "-p", "Do it."]);
        self.spawn(command)
    }
}

pub(super) fn shell() -> ToolCall {
    ToolCall { tool: "run_shell_command", input: json!({"command": "touch ran", "description": "As needed"}) }
}

#[test]
#[ignore = "needs Gemini CLI; .ci/run installs it"]
fn gemini_does_what_is_decided() {
    let Some(gemini) = installed("gemini") else { return };
    let trial = |words: &[&str]| {
        let place = Workplace::connected(shell(), &["gemini"]);
        let item = place.decide(place.gemini(&gemini), words);
        assert_eq!(item["source"], "request: gemini");
        (place.ran(), place.tool_results())
    };
    assert_eq!(trial(&["accept"]).0, [true, false]);
    assert_eq!(trial(&["edit", "--set", "command=touch edited"]).0, [false, true]);
    let (ran, results) = trial(&["respond", "not on a Friday"]);
    assert!(ran == [false, false] && results.contains("not on a Friday"), "{results}");
    assert_eq!(trial(&["ignore"]).0, [false, false]);
}

#[test]
#[ignore = "needs Gemini CLI; .ci/run installs it"]
fn gemini_runs_nothing_where_sayso_cannot_decide() {
    let Some(gemini) = installed("gemini") else { return };
    let late = Workplace::connected(shell(), &["gemini", "--patience", "5"]);
    end(late.gemini(&gemini));
    assert!(
        late.ran() == [false, false] && late.tool_results().contains("sayso could not decide"),
        "{}",
        late.tool_results()
    );
    assert!(late.list().is_empty());
    for program in ["/nowhere/sayso", "sh -c 'kill -9 $$'", "false"] {
        let place = Workplace::connected(shell(), &["gemini"]);
        place.replace_sayso(".gemini/settings.json", program);
        end(place.gemini(&gemini));
        assert_eq!(place.ran(), [false, false], "{program}: {}", place.tool_results());
    }
    let place = Workplace::connected(shell(), &["gemini"]);
    place.configure("nonsense = [");
    end(place.gemini(&gemini));
    assert_eq!(place.ran(), [false, false], "{}", place.tool_results());
}

#[test]
#[ignore = "needs Gemini CLI; .ci/run installs it"]
fn a_killed_gemini_takes_its_card_along() {
    let Some(gemini) = installed("gemini") else { return };
    let place = Workplace::connected(shell(), &["gemini"]);
    let mut agent = place.gemini(&gemini);
    place.item(&mut agent);
    // It runs the real program as a child of its own.
    kill_tree(agent.id());
    agent.wait().unwrap();
    place.wait_until_empty();
    assert_eq!(place.ran(), [false, false]);
}

/// What it launched goes on by itself, with nobody to read what it says.
#[test]
#[ignore = "needs Gemini CLI; .ci/run installs it"]
fn a_gemini_whose_launcher_is_killed_takes_its_card_along() {
    let Some(gemini) = installed("gemini") else { return };
    let place = Workplace::connected(shell(), &["gemini"]);
    let mut agent = place.gemini(&gemini);
    place.item(&mut agent);
    agent.kill().unwrap();
    agent.wait().unwrap();
    place.wait_until_empty();
    assert_eq!(place.ran(), [false, false]);
}

/// With its defaults, a harmless call is a card. A project can switch that off, and `doctor` says so.
#[test]
#[ignore = "needs Gemini CLI; .ci/run installs it"]
fn gemini_asks_by_default_as_doctor_says() {
    let Some(gemini) = installed("gemini") else { return };
    let place = Workplace::connected(shell(), &["gemini"]);
    place.decide(place.gemini(&gemini), &["accept"]);
    assert_eq!(place.ran(), [true, false]);
    assert!(place.doctor(&gemini).0);
    for off in [json!({"disabled": ["sayso"]}), json!({"enabled": false})] {
        let place = Workplace::connected(shell(), &["gemini"]);
        let settings = place.project(".gemini/settings.json");
        std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
        std::fs::write(settings, json!({"hooksConfig": off}).to_string()).unwrap();
        end(place.gemini(&gemini));
        assert_eq!(place.ran(), [true, false]);
        let (ok, said) = place.doctor(&gemini);
        assert!(!ok && said.contains("hooksConfig"), "{said}");
    }
}

#[test]
#[ignore = "needs Gemini CLI; .ci/run installs it"]
fn gemini_tells_what_came_of_a_call_and_stops_where_it_is_told_to() {
    let Some(gemini) = installed("gemini") else { return };
    let input = json!({"command": "touch ran; exit 3", "description": "As needed"});
    let place = Workplace::connected(ToolCall { tool: "run_shell_command", input }, &["gemini"]);
    place.decide(place.gemini(&gemini), &["accept"]);
    assert_eq!(place.outcome(), "allowed, exit code 3");
    let place = Workplace::connected(shell(), &["gemini"]);
    place.stop(place.gemini(&gemini));
}
