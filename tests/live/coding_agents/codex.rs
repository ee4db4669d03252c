//! Codex by itself (`exec`), which never asks, and by its app-server, which does.

use super::model::ToolCall;
use super::{SAYSO, Workplace, end, installed, kill_tree};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};

impl Workplace {
    pub(super) fn configure_codex(&self, approvals: &str, sandbox: &str) {
        let path = self.path("codex/config.toml");
        let connected = std::fs::read_to_string(&path).unwrap_or_default();
        let config = format!(
            "model = \"scripted\"\nmodel_provider = \"local\"\napproval_policy = \"{approvals}\"\n\
             sandbox_mode = \"{sandbox}\"\ncheck_for_update_on_startup = false\n\
             [features]\ndaemon_auto_start = false\n\
             [model_providers.local]\nname = \"local\"\nbase_url = \"http://127.0.0.1:{}/v1\"\n\
             wire_api = \"responses\"\nrequest_max_retries = 0\nstream_max_retries = 0\n{connected}",
            self.model.port
        );
        std::fs::write(path, config).unwrap();
    }

    pub(super) fn codex_exec(&self, program: &Path) -> Child {
        self.configure_codex("never", "danger-full-access");
        let mut command = self.at_home(program);
        // It would pass over a hook that nobody has looked at.
        command.args(["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "Do it."]);
        self.spawn(command)
    }
}

/// As Codex calls a shell.
pub(super) fn shell(command: &str) -> ToolCall {
    ToolCall { tool: "exec_command", input: json!({"cmd": command}) }
}

#[test]
#[ignore = "needs Codex; .ci/run installs it"]
fn codex_runs_what_is_accepted_and_nothing_else() {
    let Some(codex) = installed("codex") else { return };
    let trial = |words: &[&str]| {
        let place = Workplace::connected(shell("touch ran"), &["codex", "--all"]);
        place.decide(place.codex_exec(&codex), words);
        (place.ran(), place.tool_results())
    };
    assert_eq!(trial(&["accept"]).0, [true, false]);
    assert_eq!(trial(&["edit", "--set", "command=touch edited"]).0, [false, true]);
    let place = Workplace::connected(shell("touch ran"), &["codex", "--all"]);
    place.decide(place.codex_exec(&codex), &["edit", "--set", "command=touch edited"]);
    assert!(place.model.heard("The person changed this call"));
    let (ran, results) = trial(&["respond", "not on a Friday"]);
    assert!(ran == [false, false] && results.contains("not on a Friday"), "{results}");
    // It cannot be stopped, and reads that it should.
    let (ran, results) = trial(&["respond", sayso::inbox::STOP_WORDS]);
    assert!(ran == [false, false] && results.contains(sayso::inbox::STOP_WORDS), "{results}");
    let (ran, results) = trial(&["ignore"]);
    assert!(ran == [false, false] && results.contains("The person said no."), "{results}");
}

#[test]
#[ignore = "needs Codex; .ci/run installs it"]
fn codex_runs_nothing_where_sayso_cannot_decide() {
    let Some(codex) = installed("codex") else { return };
    let trials = Workplace::failing(|| shell("touch ran"), &["codex", "--all"], "codex/hooks.json");
    for (what, place) in trials {
        end(place.codex_exec(&codex));
        assert_eq!(place.ran(), [false, false], "{what}: it ran");
        assert!(
            place.tool_results().contains("blocked by PreToolUse hook"),
            "{what}: {}",
            place.tool_results()
        );
    }
}

/// A client of Codex's app-server.
struct AppServer {
    child: Child,
    input: ChildStdin,
    lines: Receiver<Value>,
    /// How often it asked the client itself.
    asked: usize,
}

impl AppServer {
    /// Starts it, and trusts the hooks as `/hooks` would.
    fn start(place: &Workplace, program: &Path) -> Self {
        place.configure_codex("on-request", "workspace-write");
        let mut command = place.at_home(program);
        command.arg("app-server").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (sender, lines) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let Ok(message) = serde_json::from_str(&line) else { continue };
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take().unwrap();
        let mut server = Self { child, input, lines, asked: 0 };
        server.call("initialize", json!({"clientInfo": {"name": "test", "version": "1"}}));
        server.send(&json!({"method": "initialized"}));
        let project = place.path("project");
        let hooks = server.call("hooks/list", json!({"cwds": [project]}));
        let hooks = hooks["data"][0]["hooks"].as_array().unwrap();
        assert!(hooks.len() >= 4 && hooks.iter().all(|hook| hook["trustStatus"] == "untrusted"), "{hooks:?}");
        let trusted: Value = hooks
            .iter()
            .map(|hook| {
                (hook["key"].as_str().unwrap().to_owned(), json!({"trusted_hash": hook["currentHash"]}))
            })
            .collect();
        let edit = json!({"keyPath": "hooks.state", "value": trusted, "mergeStrategy": "upsert"});
        server.call("config/batchWrite", json!({"edits": [edit], "reloadUserConfig": true}));
        let thread = server.call("thread/start", json!({"cwd": project}))["thread"]["id"].clone();
        let turn = json!({"threadId": thread, "input": [{"type": "text", "text": "Do it."}]});
        server.send(&json!({"id": 99, "method": "turn/start", "params": turn}));
        server
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        self.send(&json!({"id": method, "method": method, "params": params}));
        loop {
            let message = self.lines.recv().unwrap();
            if message["id"] == method {
                assert_eq!(message.get("error"), None, "{message}");
                return message["result"].clone();
            }
        }
    }

    /// Until the turn is over; what it asks the client meanwhile is declined.
    fn finish(&mut self) {
        while let Ok(message) = self.lines.recv() {
            let method = message["method"].as_str().unwrap_or_default();
            if method.ends_with("/requestApproval") {
                self.asked += 1;
                self.send(&json!({"id": message["id"], "result": {"decision": "decline"}}));
            }
            if method == "turn/completed" {
                return;
            }
        }
    }
}

impl Drop for AppServer {
    fn drop(&mut self) {
        kill_tree(self.child.id());
        let _ = self.child.wait();
    }
}

/// A command for which Codex asks.
fn escalated(place: &Path) -> ToolCall {
    let command = format!("touch {}", place.join("ran").display());
    let input =
        json!({"cmd": command, "sandbox_permissions": "require_escalated", "justification": "Needed"});
    ToolCall { tool: "exec_command", input }
}

/// Where Codex asks about a command.
pub(super) fn asking(words: &[&str]) -> Workplace {
    let place = Workplace::connected(shell("touch ran"), words);
    let call = escalated(&place.path("project"));
    Workplace { model: super::Model::calling(call), ..place }
}

#[test]
#[ignore = "needs Codex; .ci/run installs it"]
fn codex_asks_here_where_it_would_ask_itself() {
    let Some(codex) = installed("codex") else { return };
    let trial = |words: &[&str]| {
        let place = asking(&["codex"]);
        let mut server = AppServer::start(&place, &codex);
        let item = place.answer(&mut server.child, words);
        assert_eq!(item["allow"]["edit"], false, "it would not be honoured: {item}");
        server.finish();
        assert_eq!(server.asked, 0);
        (place.ran()[0], place.tool_results())
    };
    assert!(trial(&["accept"]).0);
    let (ran, results) = trial(&["respond", "not on a Friday"]);
    assert!(!ran && results.contains("not on a Friday"), "{results}");
    let (ran, results) = trial(&["ignore"]);
    assert!(!ran && results.contains("The person said no."), "{results}");
}

#[test]
#[ignore = "needs Codex; .ci/run installs it"]
fn codex_asks_itself_where_nobody_answers_here() {
    let Some(codex) = installed("codex") else { return };
    let late = asking(&["codex", "--patience", "5"]);
    let mut server = AppServer::start(&late, &codex);
    server.finish();
    assert_eq!((server.asked, late.ran()[0], late.list().len()), (1, false, 0));
    for program in ["/nowhere/sayso", "sh -c 'kill -9 $$'", "false"] {
        let place = asking(&["codex"]);
        place.replace_sayso("codex/hooks.json", program);
        let mut server = AppServer::start(&place, &codex);
        server.finish();
        assert!(!place.ran()[0], "{program}");
    }
}

/// Where it leaves its sandbox it asks; `codex exec` never does, and `doctor` says both.
#[test]
#[ignore = "needs Codex; .ci/run installs it"]
fn codex_asks_by_default_as_doctor_says() {
    let Some(codex) = installed("codex") else { return };
    let place = asking(&["codex"]);
    let mut server = AppServer::start(&place, &codex);
    place.answer(&mut server.child, &["accept"]);
    server.finish();
    assert!(place.ran()[0]);
    let (ok, said) = place.doctor(&codex);
    assert!(ok && said.contains("`codex exec` never does"), "{said}");
    let place = Workplace::connected(shell("touch ran"), &["codex"]);
    end(place.codex_exec(&codex));
    assert!(place.ran()[0] && place.list().is_empty());
    let (ok, said) = place.doctor(&codex);
    assert!(!ok && said.contains("asks nothing"), "{said}");
}

#[test]
#[ignore = "needs Codex; .ci/run installs it"]
fn a_killed_codex_takes_its_card_along() {
    let Some(codex) = installed("codex") else { return };
    let place = asking(&["codex"]);
    let mut server = AppServer::start(&place, &codex);
    let item = place.item(&mut server.child);
    drop(server);
    // The real program is a child of the one that was started, and ends when its input does.
    place.wait_until_empty();
    let late = place.at_home(SAYSO).args(["accept", item["id"].as_str().unwrap()]).output().unwrap();
    assert_eq!(late.status.code(), Some(3), "{late:?}");
    assert!(!place.ran()[0]);
}
