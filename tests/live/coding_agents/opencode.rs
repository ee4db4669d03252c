//! opencode by itself (`run`), which cannot ask anybody, and as a server, which can.

use super::model::ToolCall;
use super::{Workplace, end, installed, questions, wait_until};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command};

impl Workplace {
    fn opencode_command(&self, program: &Path, permission: &Value) -> Command {
        let config = json!({
            "model": "m/x", "small_model": "m/x", "permission": permission,
            "provider": {"m": {"npm": "@ai-sdk/openai-compatible", "models": {"x": {}},
                "options": {"baseURL": format!("http://127.0.0.1:{}/v1", self.model.port), "apiKey": "none"}}},
        });
        let mut command = self.at_home(program);
        command.env("OPENCODE_CONFIG_CONTENT", config.to_string());
        command.env("OPENCODE_DISABLE_MODELS_FETCH", "1").env("OPENCODE_DISABLE_AUTOUPDATE", "1");
        self.give_plugin_library();
        command
    }

    /// opencode fetches a library into the folder of its plugins, unless it is there.
    fn give_plugin_library(&self) {
        let library = Path::new(super::SAYSO).ancestors().nth(2).unwrap().join("agents/opencode");
        let folder = self.path(".config/opencode");
        for name in ["package.json", "package-lock.json", "node_modules"] {
            let (from, to) = (library.join(name), folder.join(name));
            if folder.exists() && from.exists() && !to.exists() {
                std::os::unix::fs::symlink(from, to).unwrap();
            }
        }
    }

    pub(super) fn opencode_run(&self, program: &Path, permission: &Value) -> Child {
        let mut command = self.opencode_command(program, permission);
        command.args(["run", "Do it."]);
        self.spawn(command)
    }
}

pub(super) fn bash() -> ToolCall {
    ToolCall { tool: "bash", input: json!({"command": "touch ran", "description": "As the task needs"}) }
}

#[test]
#[ignore = "needs opencode; .ci/run installs it"]
fn opencode_run_does_what_is_decided() {
    let Some(opencode) = installed("opencode") else { return };
    let trial = |permission: &Value, words: &[&str]| {
        let place = Workplace::connected(bash(), &["opencode"]);
        let item = place.decide(place.opencode_run(&opencode, permission), words);
        assert_eq!(item["source"], "request: opencode");
        (place.ran(), place.tool_results())
    };
    let ask = json!({"*": "ask"});
    let (ran, results) = trial(&ask, &["edit", "--set", "command=touch edited"]);
    assert!(ran == [false, true] && results.contains("The person changed this call"), "{results}");
    let (ran, results) = trial(&ask, &["respond", "not on a Friday"]);
    assert!(ran == [false, false] && results.contains("not on a Friday"), "{results}");
    assert_eq!(trial(&ask, &["ignore"]).0, [false, false]);
    for permission in [ask, json!({"bash": {"*": "ask", "ls *": "allow"}}), json!("ask")] {
        assert_eq!(trial(&permission, &["accept"]).0, [true, false], "{permission}");
    }
    // The outcome is reported, and a session that is told to stop stops.
    let input = json!({"command": "touch ran; exit 3", "description": "As the task needs"});
    let place = Workplace::connected(ToolCall { tool: "bash", input }, &["opencode"]);
    place.decide(place.opencode_run(&opencode, &json!({"*": "ask"})), &["accept"]);
    assert_eq!(place.outcome(), "allowed, exit code 3");
    let place = Workplace::connected(bash(), &["opencode"]);
    place.stop(place.opencode_run(&opencode, &json!({"*": "ask"})));
    // What is allowed anyway, or never, is not asked.
    for (permission, expected) in
        [(json!({"*": "ask", "bash": "allow"}), true), (json!({"bash": "deny"}), false)]
    {
        let place = Workplace::connected(bash(), &["opencode"]);
        end(place.opencode_run(&opencode, &permission));
        assert_eq!(place.ran()[0], expected, "{permission}");
    }
}

/// By itself it asks nothing, and `doctor` says so; told to ask, a harmless call is a card.
#[test]
#[ignore = "needs opencode; .ci/run installs it"]
fn opencode_asks_by_default_as_doctor_says() {
    let Some(opencode) = installed("opencode") else { return };
    let place = Workplace::connected(bash(), &["opencode"]);
    end(place.opencode_run(&opencode, &json!({})));
    assert_eq!(place.ran(), [true, false]);
    let (ok, said) = place.doctor(&opencode);
    assert!(!ok && said.contains("without asking"), "{said}");
    let place = Workplace::connected(bash(), &["opencode"]);
    std::fs::write(place.project("opencode.json"), r#"{"permission": {"*": "ask"}}"#).unwrap();
    place.decide(place.opencode_run(&opencode, &json!({})), &["accept"]);
    assert_eq!(place.ran(), [true, false]);
    let (ok, said) = place.doctor(&opencode);
    assert!(ok, "{said}");
}

/// Patterns are read as opencode reads them, and what the plugin does not know stays as it is.
#[test]
#[ignore = "needs opencode and node; .ci/run installs the former"]
fn opencode_asks_here_where_a_pattern_says_so() {
    let Some(opencode) = installed("opencode") else { return };
    for permission in [json!({"ba?h": "ask"}), json!({"*": "deny", "b*h": {"*": "ask"}})] {
        for (word, expected) in [("accept", [true, false]), ("ignore", [false, false])] {
            let place = Workplace::connected(bash(), &["opencode"]);
            place.decide(place.opencode_run(&opencode, &permission), &[word]);
            assert_eq!(place.ran(), expected, "{permission} {word}");
        }
    }
    let place = Workplace::connected(bash(), &["opencode"]);
    let plugin = place.path(".config/opencode/plugin/sayso.js");
    let module = place.path("plugin.mjs");
    std::fs::copy(plugin, &module).unwrap();
    let after = |before: Value| -> Value {
        let script = format!(
            "process.argv = ['', '', 'run']; const {{ Sayso }} = await import({:?}); const config = {before};
             await (await Sayso({{}})).config(config); console.log(JSON.stringify(Object.entries(config.permission)))",
            module.to_str().unwrap()
        );
        let output = place.at_home("node").args(["--input-type=module", "-e", &script]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice(&output.stdout).unwrap()
    };
    for (before, expected) in [
        (json!({"ba?h": "ask"}), json!([["ba?h", "ask"], ["bash", "allow"]])),
        (json!({"bash": "ask", "edit": "deny"}), json!([["bash", "allow"], ["edit", "deny"]])),
        (json!({"web*": "ask"}), json!([["web*", "ask"], ["webfetch", "allow"], ["websearch", "allow"]])),
        (
            json!({"external_directory": "ask", "new?": "ask"}),
            json!([["external_directory", "ask"], ["new?", "ask"]]),
        ),
        (json!({"bash": "ask", "bash*": "deny"}), json!([["bash", "allow"], ["bash*", "deny"]])),
        (json!({"bash": ["ask"], "read": null}), json!([["bash", ["ask"]], ["read", null]])),
    ] {
        assert_eq!(after(json!({"permission": &before})), expected, "{before}");
    }
    let servers =
        json!({"mcp": {"git.hub": {}}, "permission": {"*": "ask", "*_delete": "deny", "git_hub_a?": "ask"}});
    let rules = after(servers);
    let rules = rules.as_array().unwrap();
    assert_eq!(rules[0], json!(["*", "ask"]));
    let end = &rules[rules.len() - 3..];
    let expected =
        [json!(["git_hub_*", "allow"]), json!(["*_delete", "deny"]), json!(["git_hub_a?", "allow"])];
    assert_eq!(end, expected);
}

#[test]
#[ignore = "needs opencode; .ci/run installs it"]
fn opencode_run_runs_nothing_where_sayso_cannot_decide() {
    let Some(opencode) = installed("opencode") else { return };
    let ask = json!({"*": "ask"});
    let late = Workplace::connected(bash(), &["opencode", "--patience", "5"]);
    end(late.opencode_run(&opencode, &ask));
    assert!(
        late.ran() == [false, false] && late.tool_results().contains("sayso could not decide"),
        "{}",
        late.tool_results()
    );
    assert!(late.list().is_empty());
    for program in ["/nowhere/sayso", "/bin/false"] {
        let place = Workplace::connected(bash(), &["opencode"]);
        place.replace_sayso(".config/opencode/plugin/sayso.js", program);
        end(place.opencode_run(&opencode, &ask));
        assert!(
            place.ran() == [false, false] && place.tool_results().contains("could not be asked"),
            "{}",
            place.tool_results()
        );
    }
    let place = Workplace::connected(bash(), &["opencode"]);
    place.configure("nonsense = [");
    end(place.opencode_run(&opencode, &ask));
    assert_eq!(place.ran(), [false, false]);
}

/// An opencode server in which one turn runs.
struct Server {
    child: Child,
    base: String,
    client: reqwest::Client,
    runtime: tokio::runtime::Runtime,
}

impl Server {
    fn start(place: &Workplace, program: &Path) -> Self {
        let mut command = place.opencode_command(program, &json!({"*": "ask"}));
        command.args(["serve", "--port", "0", "--hostname", "127.0.0.1"]);
        let mut child = place.spawn(command);
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let base = lines
            .map_while(Result::ok)
            .find_map(|line| line.split_once("listening on ").map(|(_, base)| base.trim().to_owned()))
            .expect("it listens");
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let server = Self { child, base, client: crate::http(), runtime };
        let session = server.post("/session", &json!({}))["id"].as_str().unwrap().to_owned();
        let message = json!({"parts": [{"type": "text", "text": "Do it."}]});
        let url = format!("{}/session/{session}/message", server.base);
        let turn = server.client.post(url).json(&message).send();
        server.runtime.spawn(turn);
        server
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let sent = self.client.post(format!("{}{path}", self.base)).json(body).send();
        self.runtime.block_on(async { sent.await.unwrap().json().await.unwrap() })
    }

    fn get(&self, path: &str) -> Value {
        let sent = self.client.get(format!("{}{path}", self.base)).send();
        self.runtime.block_on(async { sent.await.unwrap().json().await.unwrap() })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until the model got a result of its call.
fn wait_for_results(place: &Workplace) -> String {
    wait_until(|| !place.model.results().is_empty(), || "the model was never told".to_owned());
    place.tool_results()
}

#[test]
#[ignore = "needs opencode; .ci/run installs it"]
fn an_opencode_server_asks_beside_its_own_dialog() {
    let Some(opencode) = installed("opencode") else { return };
    for (words, expected) in [
        (&["accept"][..], ""),
        (&["respond", "not on a Friday"], "not on a Friday"),
        (&["ignore"], "said no"),
    ] {
        let place = Workplace::connected(bash(), &["opencode"]);
        let mut server = Server::start(&place, &opencode);
        let item = place.answer(&mut server.child, words);
        assert_eq!(item["allow"]["edit"], false, "{item}");
        assert!(wait_for_results(&place).contains(expected), "{words:?}: {}", place.tool_results());
        assert_eq!(place.ran()[0], words == ["accept"]);
        assert_eq!(server.get("/permission"), json!([]));
    }
    // The card shows the folder that the call names.
    let input = json!({"command": "touch ran", "workdir": "/tmp", "description": "As the task needs"});
    let place = Workplace::connected(ToolCall { tool: "bash", input }, &["opencode"]);
    let mut server = Server::start(&place, &opencode);
    let mut seen = Vec::new();
    // It asks about the folder first.
    while seen.last().is_none_or(|item: &Value| item["action"] != "request/bash") {
        seen.push(place.answer(&mut server.child, &["accept"]));
        place.wait_until_empty();
    }
    assert_eq!(seen.last().unwrap()["args"]["workdir"], "/tmp", "{seen:?}");
    // When it is answered in opencode, the card goes.
    let place = Workplace::connected(bash(), &["opencode"]);
    let mut server = Server::start(&place, &opencode);
    place.item(&mut server.child);
    let id = server.get("/permission")[0]["id"].as_str().unwrap().to_owned();
    server.post(&format!("/permission/{id}/reply"), &json!({"reply": "once"}));
    place.wait_until_empty();
    wait_for_results(&place);
    assert!(place.ran()[0]);
    // When opencode is killed, the card goes.
    let place = Workplace::connected(bash(), &["opencode"]);
    let mut server = Server::start(&place, &opencode);
    place.item(&mut server.child);
    drop(server);
    place.wait_until_empty();
    assert!(!place.ran()[0]);
}

#[test]
#[ignore = "needs opencode; .ci/run installs it"]
fn an_opencode_server_s_questions_are_answered_here() {
    let Some(opencode) = installed("opencode") else { return };
    let ask = || ToolCall { tool: "question", input: questions("multiple") };
    let place = Workplace::connected(ask(), &["opencode"]);
    let mut server = Server::start(&place, &opencode);
    place.answer(&mut server.child, &["edit", "--set", "Colour=2", "--set", "Sizes=1,2"]);
    let results = wait_for_results(&place);
    assert!(results.contains("Blue") && results.contains('S') && results.contains('L'), "{results}");
    let place = Workplace::connected(ask(), &["opencode"]);
    let mut server = Server::start(&place, &opencode);
    place.answer(&mut server.child, &["ignore"]);
    // It ends the turn, and the model hears nothing more.
    wait_until(|| server.get("/question") == json!([]), || "the question stays".to_owned());
    assert!(place.model.results().is_empty());
}
