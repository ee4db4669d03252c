//! Real coding agents, connected with `sayso connect`, and a scripted model. `.ci/run` installs them from the npm
//! registry under `target/agents`; if one is missing, its tests say so and pass.

mod app_server;
mod claude;
mod codex;
mod gemini;
mod late;
mod model;
mod opencode;
mod sessions;
mod terminal;
mod together;

use model::{Model, ToolCall};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const SAYSO: &str = env!("CARGO_BIN_EXE_sayso");

/// How long an agent may take to start, ask or end on a slow machine.
const PATIENCE: Duration = Duration::from_secs(180);

/// Polls until `find` gives a value. The pause leaves the cores to the agent.
fn wait_for<T>(mut find: impl FnMut() -> Option<T>, missing: impl Fn() -> String) -> T {
    let begun = Instant::now();
    loop {
        if let Some(value) = find() {
            return value;
        }
        assert!(begun.elapsed() < PATIENCE, "{}", missing());
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn wait_until(mut done: impl FnMut() -> bool, missing: impl Fn() -> String) {
    wait_for(|| done().then_some(()), missing);
}

/// An installed agent. Each is tried once: it takes seconds to start.
fn installed(name: &'static str) -> Option<PathBuf> {
    static TRIED: Mutex<BTreeMap<&str, bool>> = Mutex::new(BTreeMap::new());
    let target = Path::new(SAYSO).ancestors().nth(2)?;
    let program = target.join("agents/node_modules/.bin").join(name);
    let starts =
        || Command::new(&program).arg("--version").output().is_ok_and(|output| output.status.success());
    if !*TRIED.lock().unwrap().entry(name).or_insert_with(starts) {
        eprintln!("skipped: there is no {name} under target/agents");
        return None;
    }
    Some(program)
}

/// A folder in which an agent works, and the inbox it asks in.
struct Workplace {
    home: TempDir,
    model: Model,
}

impl Workplace {
    fn new(call: ToolCall) -> Self {
        let home = tempfile::tempdir().unwrap();
        for name in ["project", "data", "claude", "codex"] {
            std::fs::create_dir_all(home.path().join(name)).unwrap();
        }
        let place = Self { home, model: Model::calling(call) };
        place.configure("[approvals]\nhold_seconds = 0\n");
        place
    }

    /// The same, connected with `sayso connect`.
    fn connected(call: ToolCall, words: &[&str]) -> Self {
        let place = Self::new(call);
        place.connect(words);
        place
    }

    /// Places in which sayso cannot decide, and why; `hooks` is the agent's file that names it.
    fn failing(call: impl Fn() -> ToolCall, words: &[&str], hooks: &str) -> Vec<(&'static str, Self)> {
        let broken = |breaks: &dyn Fn(&Self)| {
            let place = Self::connected(call(), words);
            breaks(&place);
            place
        };
        let replaced = |program: &str| broken(&|place| place.replace_sayso(hooks, program));
        vec![
            ("nobody answers", Self::connected(call(), &[words, &["--patience", "5"]].concat())),
            ("the config is broken", broken(&|place| place.configure("nonsense = ["))),
            (
                "the data folder is a file",
                broken(&|place| {
                    std::fs::remove_dir_all(place.path("data")).unwrap();
                    std::fs::write(place.path("data"), "").unwrap();
                }),
            ),
            ("sayso is missing", replaced("/nowhere/sayso")),
            ("sayso crashes", replaced("sh -c 'kill -9 $$'")),
            ("sayso fails", replaced("false")),
        ]
    }

    fn connect(&self, words: &[&str]) {
        self.sayso(&[&["connect"], words, &["--yes"]].concat());
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn configure(&self, text: &str) {
        std::fs::write(self.path("data/config.toml"), text).unwrap();
    }

    fn project(&self, name: &str) -> PathBuf {
        self.path("project").join(name)
    }

    fn ran(&self) -> [bool; 2] {
        ["ran", "edited"].map(|name| self.project(name).exists())
    }

    /// Puts a program that is missing or fails in place of sayso.
    fn replace_sayso(&self, config: &str, program: &str) {
        let path = self.path(config);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(SAYSO), "{text}");
        std::fs::write(path, text.replace(SAYSO, program)).unwrap();
    }

    fn at_home(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        // An agent need not know the data folder: `connect` has written it down.
        let knows_folder = program.as_ref() == SAYSO;
        let mut command = Command::new(program);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", self.home.path());
        command.env("CLAUDE_CONFIG_DIR", self.path("claude")).env("CODEX_HOME", self.path("codex"));
        if knows_folder {
            command.env("SAYSO_DATA", self.path("data"));
        }
        command.current_dir(self.path("project")).stdin(Stdio::null());
        command
    }

    fn spawn(&self, mut command: Command) -> Child {
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    fn sayso(&self, args: &[&str]) -> String {
        let output = self.at_home(SAYSO).args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn list(&self) -> Vec<Value> {
        serde_json::from_str(&self.sayso(&["list", "--json"])).unwrap()
    }

    /// The one question the agent asks.
    fn item(&self, agent: &mut Child) -> Value {
        let find = || {
            let item = self.list().into_iter().next();
            let ended = item.is_none() && agent.try_wait().unwrap().is_some();
            assert!(!ended, "it ended before it asked: {}", output_of(agent));
            item
        };
        wait_for(find, || "it never asked".to_owned())
    }

    /// Decides on the one question the agent asks.
    fn answer(&self, agent: &mut Child, words: &[&str]) -> Value {
        let item = self.item(agent);
        let id = item["id"].as_str().unwrap();
        let args: Vec<&str> = [words[0], id].into_iter().chain(words[1..].iter().copied()).collect();
        self.sayso(&args);
        item
    }

    /// The same, and waits for the agent to end.
    fn decide(&self, mut agent: Child, words: &[&str]) -> Value {
        let item = self.answer(&mut agent, words);
        end(agent);
        item
    }

    /// Waits until no card is left, which takes seconds.
    fn wait_until_empty(&self) {
        wait_until(|| self.list().is_empty(), || format!("the card stays: {:?}", self.list()));
    }

    /// What the list of decisions says, once the agent has reported the outcome of its call.
    fn outcome(&self) -> String {
        let decisions = || self.sayso(&["decisions", "--json"]);
        let outcome = || {
            let decisions: Vec<Value> = serde_json::from_str(&decisions()).unwrap();
            Some(decisions[0]["outcome"].as_str().unwrap().to_owned())
                .filter(|outcome| outcome.contains(", "))
        };
        wait_for(outcome, || format!("no outcome was reported: {}", decisions()))
    }

    /// Refuses and stops the session; the model gets no result.
    fn stop(&self, mut agent: Child) {
        self.answer(&mut agent, &["respond", sayso::inbox::STOP_WORDS]);
        let ended = agent.wait_with_output().unwrap();
        assert_eq!(self.ran(), [false, false], "{ended:?}");
        assert!(self.model.results().is_empty(), "it went on: {:?}", self.model.results());
    }

    /// What `doctor` says in the project about the one agent that is connected, and whether it is content.
    fn doctor(&self, program: &Path) -> (bool, String) {
        let mut command = self.at_home(SAYSO);
        let path = std::env::var("PATH").unwrap();
        command.env("PATH", format!("{}:{path}", program.parent().unwrap().display()));
        let output = command.args(["doctor", "--json"]).output().unwrap();
        let checks: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
        let texts = checks.iter().filter(|check| check["check"] == "agent");
        let mut said = texts.map(|check| (check["ok"] == true, check["text"].as_str().unwrap().to_owned()));
        said.find(|(_, text)| !text.contains("not connected")).unwrap()
    }

    /// What the model was told about its call.
    fn tool_results(&self) -> String {
        let results = self.model.results();
        assert!(!results.is_empty(), "the model was never told what came of its call");
        results.join("\n")
    }
}

/// What an agent printed before it ended.
fn output_of(agent: &mut Child) -> String {
    use std::io::Read;
    let mut text = String::new();
    let _ = agent.stdout.take().map(|mut out| out.read_to_string(&mut text));
    let _ = agent.stderr.take().map(|mut err| err.read_to_string(&mut text));
    text
}

/// Kills a program and what it started, as `kill -9` on each.
fn kill_tree(pid: u32) {
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    for child in children.split_whitespace() {
        let pid = child.parse().ok().and_then(rustix::process::Pid::from_raw).unwrap();
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
}

fn end(agent: Child) {
    let output = agent.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// A question with two options, and one of which several may be chosen.
fn questions(several: &str) -> Value {
    json!({"questions": [
        {"question": "Which colour?", "header": "Colour", several: false, "options": [
            {"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]},
        {"question": "Which sizes?", "header": "Sizes", several: true, "options": [
            {"label": "S", "description": "small"}, {"label": "L", "description": "large"}]},
    ]})
}
