//! Codex's app-server with sayso and a window of its own beside each other: whoever answers first has answered.

use super::codex::{asking, shell};
use super::model::{Model, ToolCall};
use super::terminal::Tmux;
use super::{PATIENCE, SAYSO, Workplace, installed, kill_tree, wait_for, wait_until};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Child, Stdio};
use tokio::net::UnixStream;
use tokio::runtime::Runtime;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, client_async};

const SOCKET: &str = "codex/app-server-control/app-server-control.sock";

/// A program that is killed with the test.
struct Running(Child);

impl Running {
    fn kill(mut self) {
        kill_tree(self.0.id());
        self.0.wait().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        kill_tree(self.0.id());
        let _ = self.0.wait();
    }
}

impl Workplace {
    /// The server, listening for whoever comes.
    fn codex_server(&self, program: &Path) -> Running {
        self.configure_codex("on-request", "workspace-write");
        let mut command = self.at_home(program);
        command.args([
            "app-server",
            "--listen",
            "unix://",
            "-c",
            "features.default_mode_request_user_input=true",
        ]);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let server = Running(child);
        wait_until(|| self.path(SOCKET).exists(), || "it does not listen".to_owned());
        server
    }

    /// `sayso watch`, which drives and follows the server.
    fn watch(&self) -> Running {
        let mut command = self.at_home(SAYSO);
        Running(command.arg("watch").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    /// Waits until the server is followed.
    fn wait_until_followed(&self) {
        let mark = self.path("data/codex.lock");
        let followed = || std::fs::read_to_string(&mark).is_ok_and(|mark| mark.ends_with('}'));
        wait_until(followed, || "nobody follows it".to_owned());
    }

    /// The cards, once there are `count` of them.
    fn cards(&self, count: usize) -> Vec<Value> {
        let cards = || Some(self.list()).filter(|items| items.len() == count);
        wait_for(cards, || format!("not {count}: {:?}", self.list()))
    }

    fn decide_item(&self, word: &str, item: &Value, more: &[&str]) {
        self.sayso(&[&[word, item["id"].as_str().unwrap()], more].concat());
    }
}

/// A client of the server, as Codex's own windows are.
struct Window {
    runtime: Runtime,
    frames: WebSocketStream<UnixStream>,
    thread: Value,
}

impl Window {
    fn open(place: &Workplace) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let connect = || runtime.block_on(UnixStream::connect(place.path(SOCKET))).ok();
        let stream = wait_for(connect, || "nobody takes the call".to_owned());
        let frames = runtime.block_on(client_async("ws://localhost/", stream)).unwrap().0;
        let mut window = Self { runtime, frames, thread: Value::Null };
        window.call("initialize", json!({"clientInfo": {"name": "window", "version": "1"}}));
        window.send(&json!({"method": "initialized"}));
        window
    }

    /// A window whose agent works in a folder.
    fn working(place: &Workplace, folder: &str) -> Self {
        let folder = place.path(folder);
        std::fs::create_dir_all(&folder).unwrap();
        Self::started(place, json!({"cwd": folder}))
    }

    fn started(place: &Workplace, how: Value) -> Self {
        let mut window = Self::open(place);
        window.thread = window.call("thread/start", how)["thread"]["id"].clone();
        let input = json!([{"type": "text", "text": "Do it."}]);
        window.call("turn/start", json!({"threadId": window.thread, "input": input}));
        window
    }

    /// Trusts the hooks as `/hooks` would.
    fn trust(&mut self, place: &Workplace) {
        let hooks = self.call("hooks/list", json!({"cwds": [place.path("project")]}));
        let hooks = hooks["data"][0]["hooks"].as_array().unwrap();
        let trust = |hook: &Value| {
            (hook["key"].as_str().unwrap().to_owned(), json!({"trusted_hash": hook["currentHash"]}))
        };
        let trusted: Value = hooks.iter().map(trust).collect();
        let edit = json!({"keyPath": "hooks.state", "value": trusted, "mergeStrategy": "upsert"});
        self.call("config/batchWrite", json!({"edits": [edit], "reloadUserConfig": true}));
    }

    fn send(&mut self, message: &Value) {
        self.runtime.block_on(self.frames.send(Message::text(message.to_string()))).unwrap();
    }

    fn next(&mut self) -> Value {
        let next = async { tokio::time::timeout(PATIENCE, self.frames.next()).await };
        match self.runtime.block_on(next).expect("it says nothing").expect("it is gone").unwrap() {
            Message::Text(text) => serde_json::from_str(&text).unwrap(),
            _ => Value::Null,
        }
    }

    /// The next message that matches.
    fn next_message(&mut self, matches: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.next();
            if matches(&message) {
                return message;
            }
        }
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        self.send(&json!({"id": method, "method": method, "params": params}));
        let reply = self.next_message(|message| message["id"] == method);
        assert_eq!(reply.get("error"), None, "{reply}");
        reply["result"].clone()
    }

    /// The next request from the server.
    fn next_request(&mut self) -> Value {
        self.next_message(|message| message["id"].is_number() && message["method"].is_string())
    }

    fn answer(&mut self, request: &Value, decision: &str) {
        self.send(&json!({"id": request["id"], "result": {"decision": decision}}));
    }

    /// Waits until the turn is over.
    fn finish(&mut self) {
        let thread = self.thread.clone();
        self.next_message(|message| {
            message["method"] == "turn/completed" && message["params"]["threadId"] == thread
        });
    }
}

#[test]
#[ignore = "needs Codex; .ci/run installs it"]
fn codex_s_server_takes_the_decision_for_its_answer() {
    let Some(codex) = installed("codex") else { return };
    let trial = |words: &[&str]| {
        let place = asking(&["codex"]);
        let _running = (place.codex_server(&codex), place.watch());
        let mut window = Window::working(&place, "project");
        let items = place.cards(1);
        let item = &items[0];
        assert_eq!(
            (&item["source"], &item["allow"]["edit"]),
            (&json!("request: codex"), &json!(false)),
            "{item}"
        );
        assert_eq!(item["args"]["description"], "Needed");
        place.decide_item(words[0], item, &words[1..]);
        window.finish();
        place.cards(0);
        (place.ran()[0], place)
    };
    assert!(trial(&["accept"]).0);
    // Codex is told to remember similar commands in its own rules.
    let (ran, place) = trial(&["accept", "--remember"]);
    let rules = std::fs::read_to_string(place.path("codex/rules/default.rules")).unwrap_or_default();
    assert!(ran && rules.contains("touch"), "{rules}");
    let (ran, place) = trial(&["respond", "not on a Friday"]);
    assert!(!ran && place.model.heard("The person said no: not on a Friday"));
    let (ran, place) = trial(&["ignore"]);
    assert!(!ran && place.tool_results().contains("rejected by user"), "{}", place.tool_results());
    // It is stopped, and the model gets no result.
    let (ran, place) = trial(&["respond", sayso::inbox::STOP_WORDS]);
    assert!(!ran && place.model.results().is_empty(), "{:?}", place.model.results());
}

#[test]
#[ignore = "needs Codex; .ci/run installs it"]
fn codex_s_questions_are_answered_here() {
    let Some(codex) = installed("codex") else { return };
    let option = |label: &str| json!({"label": label, "description": "as it says"});
    let input = json!({"questions": [
        {"id": "colour", "header": "Colour", "question": "Which colour?", "options": [option("Red"), option("Blue")]},
        {"id": "size", "header": "Size", "question": "Which size?", "options": [option("S"), option("L")]},
    ]});
    let answers = |words: &str| format!("{{\"answers\":[\"{words}\"]}}");
    for (words, expected) in [
        (&["respond", "2\nhuge"][..], vec![("colour", "Blue"), ("size", "huge")]),
        (&["edit", "--set", "Colour=1", "--set", "Size=L"], vec![("colour", "Red"), ("size", "L")]),
        (&["ignore"], Vec::new()),
    ] {
        let call = ToolCall { tool: "request_user_input", input: input.clone() };
        let place = Workplace::connected(call, &["codex"]);
        let _running = (place.codex_server(&codex), place.watch());
        let mut window = Window::working(&place, "project");
        let items = place.cards(1);
        place.decide_item(words[0], &items[0], &words[1..]);
        window.finish();
        let results = place.tool_results().replace('\\', "");
        for (id, chosen) in &expected {
            assert!(results.contains(&format!("\"{id}\":{}", answers(chosen))), "{results}");
        }
        assert_eq!(results.contains("{\"answers\":{}}"), expected.is_empty(), "{results}");
    }
}

#[test]
#[ignore = "needs Codex; .ci/run installs it"]
fn codex_s_changes_to_files_are_shown_and_made() {
    let Some(codex) = installed("codex") else { return };
    let patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: ../ran\n+hello\n*** End Patch\nEOF";
    for (word, made) in [("accept", true), ("ignore", false)] {
        let place = Workplace::connected(shell(patch), &["codex"]);
        // Else what lies in the folder for passing things may be written without asking.
        let config = "[sandbox_workspace_write]\nexclude_slash_tmp = true\nexclude_tmpdir_env_var = true\n";
        std::fs::write(place.path("codex/config.toml"), config).unwrap();
        let _running = (place.codex_server(&codex), place.watch());
        let mut window = Window::working(&place, "project/inner");
        let items = place.cards(1);
        let (item, warnings) = (&items[0], &items[0]["warnings"]);
        assert_eq!(
            (&item["action"], &item["args"]["content"]),
            (&json!("request/apply_patch"), &json!("hello\n"))
        );
        assert_eq!(warnings[0]["code"], "writes_outside", "{item}");
        place.decide_item(word, item, &[]);
        window.finish();
        assert_eq!(place.ran()[0], made, "{word}");
    }
}

#[test]
#[ignore = "needs Codex; .ci/run installs it"]
fn two_threads_of_codex_s_server_each_get_their_own_answer() {
    let Some(codex) = installed("codex") else { return };
    let place = Workplace::connected(shell("true"), &["codex"]);
    let input =
        json!({"cmd": "touch ran", "sandbox_permissions": "require_escalated", "justification": "Needed"});
    let place = Workplace { model: Model::calling(ToolCall { tool: "exec_command", input }), ..place };
    let _running = (place.codex_server(&codex), place.watch());
    let mut windows = ["one", "two"].map(|folder| Window::working(&place, folder));
    for item in place.cards(2) {
        let view = place.sayso(&["view", item["id"].as_str().unwrap()]);
        place.decide_item(if view.contains("/one") { "accept" } else { "ignore" }, &item, &[]);
    }
    windows.iter_mut().for_each(Window::finish);
    assert_eq!(["one/ran", "two/ran"].map(|file| place.path(file).exists()), [true, false]);
}

#[test]
#[ignore = "needs Codex; .ci/run installs it"]
fn whoever_answers_codex_s_server_first_has_answered() {
    let Some(codex) = installed("codex") else { return };
    // There: the card goes, and the record says so.
    let place = asking(&["codex"]);
    let _running = (place.codex_server(&codex), place.watch());
    let mut window = Window::working(&place, "project");
    let request = window.next_request();
    let items = place.cards(1);
    window.answer(&request, "accept");
    window.finish();
    place.cards(0);
    assert!(place.ran()[0]);
    let late = place.accepted_late(&items[0]);
    assert!(late.contains("answered there"), "{late}");
    // Answered here: a later answer there has no effect.
    let place = asking(&["codex"]);
    let _running = (place.codex_server(&codex), place.watch());
    let mut window = Window::working(&place, "project");
    let request = window.next_request();
    let items = place.cards(1);
    place.decide_item("ignore", &items[0], &[]);
    window.next_message(|message| message["method"] == "serverRequest/resolved");
    window.answer(&request, "accept");
    window.finish();
    assert!(!place.ran()[0]);
}

#[test]
#[ignore = "needs Codex; .ci/run installs it"]
fn neither_side_of_codex_s_server_leaves_anything_behind_when_it_is_killed() {
    let Some(codex) = installed("codex") else { return };
    // The server: its card goes.
    let place = asking(&["codex"]);
    let (server, _watch) = (place.codex_server(&codex), place.watch());
    let window = Window::working(&place, "project");
    let items = place.cards(1);
    server.kill();
    place.cards(0);
    let late = place.accepted_late(&items[0]);
    assert!(
        late.contains("the process that asked ended before anybody answered") && !place.ran()[0],
        "{late}"
    );
    drop(window);
    // sayso: Codex's own question stands, and may be answered there.
    let place = asking(&["codex"]);
    let (_server, watch) = (place.codex_server(&codex), place.watch());
    let mut window = Window::working(&place, "project");
    let request = window.next_request();
    place.cards(1);
    watch.kill();
    assert!(!place.ran()[0]);
    window.answer(&request, "accept");
    window.finish();
    assert!(place.ran()[0]);
    let _watch = place.watch();
    place.cards(0);
    // Or a decision made meanwhile is sent once sayso is back.
    let place = asking(&["codex"]);
    let (_server, watch) = (place.codex_server(&codex), place.watch());
    let mut window = Window::working(&place, "project");
    let items = place.cards(1);
    watch.kill();
    place.decide_item("accept", &items[0], &[]);
    assert!(!place.ran()[0], "it got no answer");
    let _watch = place.watch();
    window.finish();
    assert!(place.ran()[0]);
}

#[test]
#[ignore = "needs Codex; .ci/run installs it"]
fn the_hook_asks_where_nobody_follows_the_server() {
    let Some(codex) = installed("codex") else { return };
    let begin = |words: &[&str]| {
        let place = asking(&[&["codex"], words].concat());
        let server = place.codex_server(&codex);
        Window::open(&place).trust(&place);
        (place, server)
    };
    let (place, _server) = begin(&[]);
    let mut window = Window::working(&place, "project");
    let by_hook = place.cards(1);
    place.decide_item("accept", &by_hook[0], &[]);
    window.finish();
    assert!(place.ran()[0]);
    // Where somebody does, it steps aside: Codex's own question stands beside the one card.
    let (place, _server) = begin(&[]);
    let _watch = place.watch();
    place.wait_until_followed();
    let mut window = Window::working(&place, "project");
    window.next_request();
    let by_server = place.cards(1);
    for name in ["action", "source", "kind"] {
        assert_eq!(by_hook[0][name], by_server[0][name], "{name}");
    }
    assert_eq!(by_hook[0]["args"]["description"], by_server[0]["args"]["description"]);
    place.decide_item("accept", &by_server[0], &[]);
    window.finish();
    assert!(place.ran()[0]);
    // The hook tells what came of the call that the server asked about.
    assert!(place.outcome().contains("done"), "{}", place.outcome());
    // Where a reviewer of Codex's own would answer in place of the person, it does not.
    let (place, _server) = begin(&[]);
    let _watch = place.watch();
    place.wait_until_followed();
    let how = json!({"cwd": place.path("project"), "approvalsReviewer": "auto_review"});
    let mut window = Window::started(&place, how);
    let items = place.cards(1);
    place.decide_item("ignore", &items[0], &[]);
    window.finish();
    assert!(!place.ran()[0]);
    // Somebody who comes while the hook waits takes over from it, with one card at any time.
    let (place, _server) = begin(&["--patience", "5"]);
    let mut window = Window::working(&place, "project");
    let first = place.cards(1);
    let _watch = place.watch();
    let other = || {
        let items = place.list();
        assert!(items.len() < 2, "{items:?}");
        items.into_iter().find(|item| item["id"] != first[0]["id"])
    };
    let second = wait_for(other, || "only the hook asked".to_owned());
    place.decide_item("ignore", &second, &[]);
    window.finish();
    assert!(!place.ran()[0]);
}

#[test]
#[ignore = "needs Codex and tmux; .ci/run installs the former"]
fn codex_s_own_window_stays_open_beside_the_card() {
    let Some(codex) = installed("codex") else { return };
    let begin = || {
        let place = asking(&["codex"]);
        let running = (place.codex_server(&codex), place.watch());
        let mut command = place.at_home(&codex);
        command.env("TERM", "xterm-256color").args(["--remote", "unix://"]);
        place.trust_project();
        let tmux = Tmux::running(&place, "tmux", &command)?;
        // Hooks that nobody has trusted stay out of this.
        tmux.wait_for_text("Hooks need review");
        tmux.press_until("Escape", || tmux.screen().contains("? for shortcuts"));
        Some((place, running, tmux))
    };
    let Some((place, _running, tmux)) = begin() else { return };
    place.ask_codex(&tmux);
    let items = place.cards(1);
    tmux.wait_for_text("Would you like to run");
    place.decide_item("accept", &items[0], &[]);
    tmux.wait_for_text("Done.");
    assert!(place.ran()[0] && !tmux.screen().contains("Would you like to run"), "{}", tmux.screen());
    let Some((place, _running, tmux)) = begin() else { return };
    place.ask_codex(&tmux);
    let items = place.cards(1);
    tmux.wait_for_text("Would you like to run");
    tmux.press_until("y", || place.ran()[0]);
    place.cards(0);
    let late = place.accepted_late(&items[0]);
    assert!(late.contains("answered there"), "{late}");
}
