//! Claude Code and Codex themselves, with sayso as their hook and a scripted model. `.ci/run` installs them from the npm
//! registry under `target/agents`; where one cannot be had, its tests say so and pass.

mod model;

use model::{Model, ToolCall};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

const SAYSO: &str = env!("CARGO_BIN_EXE_sayso");

/// An installed agent.
fn installed(name: &str) -> Option<PathBuf> {
    let target = Path::new(SAYSO).ancestors().nth(2)?;
    let program = target.join("agents/node_modules/.bin").join(name);
    if !Command::new(&program).arg("--version").output().is_ok_and(|said| said.status.success()) {
        eprintln!("skipped: there is no {name} under target/agents");
        return None;
    }
    Some(program)
}

/// A folder in which an agent works, and the inbox it asks in.
struct Workplace {
    home: TempDir,
    /// What the agent runs before each call.
    hook: String,
    model: Model,
}

impl Workplace {
    fn new(call: ToolCall) -> Self {
        let home = tempfile::tempdir().unwrap();
        for name in ["project/.claude", "data", "codex", "claude"] {
            std::fs::create_dir_all(home.path().join(name)).unwrap();
        }
        let place =
            Self { home, hook: format!("{SAYSO} request --hook claude-code"), model: Model::calling(call) };
        place.configure("[approvals]\nhold_seconds = 0\n");
        place
    }

    fn hook(mut self, command: &str) -> Self {
        self.hook = command.to_owned();
        self
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

    fn at_home(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", self.home.path());
        command.env("SAYSO_DATA", self.path("data")).current_dir(self.path("project")).stdin(Stdio::null());
        command
    }

    fn hooks(&self) -> String {
        let hook = json!({"type": "command", "command": self.hook, "timeout": 600});
        json!({"hooks": {"PreToolUse": [{"matcher": ".*", "hooks": [hook]}]}}).to_string()
    }

    fn codex(&self, program: &Path) -> Child {
        let config = format!(
            "model = \"scripted\"\nmodel_provider = \"local\"\napproval_policy = \"never\"\n\
             sandbox_mode = \"danger-full-access\"\ncheck_for_update_on_startup = false\n\
             [features]\ndaemon_auto_start = false\n\
             [model_providers.local]\nname = \"local\"\nbase_url = \"http://127.0.0.1:{}/v1\"\n\
             wire_api = \"responses\"\nrequest_max_retries = 0\nstream_max_retries = 0\n",
            self.model.port
        );
        std::fs::write(self.path("codex/config.toml"), config).unwrap();
        std::fs::write(self.path("codex/hooks.json"), self.hooks()).unwrap();
        let mut command = self.at_home(program);
        command.env("CODEX_HOME", self.path("codex")).stdout(Stdio::piped()).stderr(Stdio::piped());
        // It would pass over a hook that nobody has looked at.
        command.args(["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "Do it."]);
        command.spawn().unwrap()
    }

    fn claude(&self, program: &Path) -> Child {
        std::fs::write(self.project(".claude/settings.json"), self.hooks()).unwrap();
        let project = self.path("project").canonicalize().unwrap();
        let known = json!({"hasCompletedOnboarding": true,
            "projects": {project.to_str().unwrap(): {"hasTrustDialogAccepted": true}}});
        std::fs::write(self.path("claude/.claude.json"), known.to_string()).unwrap();
        let mut command = self.at_home(program);
        command.env("CLAUDE_CONFIG_DIR", self.path("claude")).env("ANTHROPIC_AUTH_TOKEN", "none");
        command.env("ANTHROPIC_BASE_URL", format!("http://127.0.0.1:{}", self.model.port));
        command.envs([
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("DISABLE_UPDATES", "1"),
            ("DISABLE_TELEMETRY", "1"),
        ]);
        command.args(["-p", "Do it."]).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    fn sayso(&self, args: &[&str]) -> String {
        let output = self.at_home(SAYSO).args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Decides on the one question the agent asks, and waits for the agent to end.
    fn decide(&self, mut agent: Child, words: &[&str]) {
        let item = loop {
            let listed: Value = serde_json::from_str(&self.sayso(&["list", "--json"])).unwrap();
            if let Some(item) = listed.get(0) {
                break item.clone();
            }
            let ended = agent.try_wait().unwrap();
            assert!(ended.is_none(), "it ended before it asked: {:?}", agent.wait_with_output());
        };
        let id = item["id"].as_str().unwrap();
        let args: Vec<&str> = [words[0], id].into_iter().chain(words[1..].iter().copied()).collect();
        self.sayso(&args);
        end(agent);
    }

    fn told(&self) -> String {
        let results = self.model.results();
        assert!(!results.is_empty(), "the model was never told what came of its call");
        results.join("\n")
    }
}

fn end(agent: Child) {
    let output = agent.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// As Codex calls a shell.
fn shell() -> ToolCall {
    ToolCall { tool: "exec_command", input: json!({"cmd": "touch ran"}) }
}

#[test]
#[ignore = "needs Codex; .ci/run installs it"]
fn codex_runs_what_is_accepted_and_nothing_else() {
    let Some(codex) = installed("codex") else { return };
    let trial = |words: &[&str]| {
        let place = Workplace::new(shell());
        place.decide(place.codex(&codex), words);
        let ran = ["ran", "edited"].map(|name| place.project(name).exists());
        (ran, place.told())
    };
    assert_eq!(trial(&["accept"]).0, [true, false]);
    assert_eq!(trial(&["edit", "--set", "command=touch edited"]).0, [false, true]);
    let (ran, told) = trial(&["respond", "not on a Friday"]);
    assert!(ran == [false, false] && told.contains("not on a Friday"), "{told}");
    let (ran, told) = trial(&["ignore"]);
    assert!(ran == [false, false] && told.contains("The person said no."), "{told}");
}

#[test]
#[ignore = "needs Codex; .ci/run installs it"]
fn codex_runs_nothing_where_sayso_cannot_decide() {
    let Some(codex) = installed("codex") else { return };
    // As the docs have the line, with the program under this name.
    let closed = |sayso: &str| format!("{sayso} || {{ echo 'sayso failed' >&2; exit 2; }}");
    let trials: [(&str, Workplace); 5] = [
        (
            "nobody answers",
            Workplace::new(shell()).hook(&format!("{SAYSO} request --hook claude-code --timeout 0.3")),
        ),
        ("the config is broken", {
            let place = Workplace::new(shell());
            place.configure("nonsense = [");
            place
        }),
        ("the data folder is a file", {
            let place = Workplace::new(shell());
            std::fs::remove_dir_all(place.path("data")).unwrap();
            std::fs::write(place.path("data"), "").unwrap();
            place
        }),
        (
            "the hook is called wrongly",
            Workplace::new(shell()).hook(&format!("{SAYSO} request --hook claude-cod")),
        ),
        (
            "sayso is missing",
            Workplace::new(shell()).hook(&closed("/nowhere/sayso request --hook claude-code")),
        ),
    ];
    for (what, place) in trials {
        end(place.codex(&codex));
        assert!(!place.project("ran").exists(), "{what}: it ran");
        assert!(place.told().contains("blocked by PreToolUse hook"), "{what}: {}", place.told());
    }
}

#[test]
#[ignore = "needs Claude Code; .ci/run installs it"]
fn claude_code_writes_the_bytes_it_asked_to_write() {
    let Some(claude) = installed("claude") else { return };
    let content = "one\r\ntwo\r\n\u{1b}[31mred\u{1b}[0m soft\u{ad}hyphen\r\n";
    let write = |place: &Workplace| {
        let file = place.project("out.txt");
        (file.clone(), ToolCall { tool: "Write", input: json!({"file_path": file, "content": content}) })
    };
    // The path of a file is known once its folder is.
    let place = |make: &dyn Fn(&Workplace) -> (PathBuf, ToolCall)| {
        let place = Workplace::new(shell());
        let (file, call) = make(&place);
        (file, Workplace { model: Model::calling(call), ..place })
    };
    let (file, accepted) = place(&write);
    accepted.decide(accepted.claude(&claude), &["accept"]);
    assert_eq!(std::fs::read(&file).unwrap(), content.as_bytes());
    let (file, refused) = place(&write);
    refused.decide(refused.claude(&claude), &["ignore"]);
    assert!(!file.exists() && refused.told().contains("The person said no."), "{}", refused.told());
    let (file, unanswered) = place(&write);
    let unanswered = unanswered.hook(&format!("{SAYSO} request --hook claude-code --timeout 0.3"));
    end(unanswered.claude(&claude));
    assert!(!file.exists(), "nobody is there to ask");
}
