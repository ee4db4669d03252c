//! How connected agents stand, for `sayso doctor`: found and of which version, the hook in place, its limit long enough, a
//! test event answered, and for Codex trusted. Nothing of theirs is changed.

use super::{Agent, Places, is_ours, read};
use crate::config::{Env, Host};
use crate::text::Visible;
use serde_json::{Value, json};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::Command;

/// How long a program may take to say which version it is, or to answer an event.
const PATIENCE: Duration = Duration::from_secs(15);

/// Every agent that is there, by name; those that are neither found nor connected are not named.
pub async fn check_agents(env: &Env) -> Vec<(String, Result<String, String>)> {
    let Ok(places) = Places::new(&Host::system(), env) else { return Vec::new() };
    let mut checked = Vec::new();
    for agent in Agent::ALL {
        let program = on_path(env, agent.word());
        let said = match (hook(agent, &places), program) {
            (Err(why), _) => Err(why),
            (Ok(None), None) => continue,
            (Ok(None), Some(_)) => {
                Ok(format!("found, and not connected; `sayso connect {}` lets it ask here", agent.word()))
            }
            (Ok(Some(hook)), None) => hook
                .answers()
                .await
                .map(|()| format!("connected, but there is no `{}` on your PATH", agent.word())),
            (Ok(Some(hook)), Some(program)) => connected(agent, &hook, &program).await,
        };
        checked.push((agent.name().to_owned(), said));
    }
    checked
}

fn on_path(env: &Env, name: &str) -> Option<PathBuf> {
    std::env::split_paths(env.get("PATH")?).map(|folder| folder.join(name)).find(|program| program.is_file())
}

async fn connected(agent: Agent, hook: &Hook, program: &Path) -> Result<String, String> {
    let version = version(program).await?;
    hook.answers().await?;
    if let Some(limit) = hook.limit
        && limit <= hook.patience
    {
        return Err(format!(
            "its hook may take {limit} s, and sayso waits {} s; `sayso connect {}` fixes that",
            hook.patience,
            agent.word()
        ));
    }
    if agent == Agent::Codex && !is_trusted(program).await? {
        return Err(
            "it skips the hook because you have not trusted it; start `codex` and trust it under /hooks"
                .to_owned(),
        );
    }
    let tried = tried_with(agent);
    let tried = if version.contains(tried) { String::new() } else { format!(" (tried with {tried})") };
    Ok(format!("{version}{tried}, connected, and the hook answers; a card waits {} s", hook.patience))
}

/// The version of each that tests/live runs.
fn tried_with(agent: Agent) -> &'static str {
    match agent {
        Agent::Claude => "2.1.325",
        Agent::Codex => "0.166.0",
        Agent::Opencode => "1.18.33",
        Agent::Gemini => "0.61.0",
    }
}

async fn version(program: &Path) -> Result<String, String> {
    let name = program.display();
    let said = Command::new(program).arg("--version").stdin(Stdio::null()).kill_on_drop(true).output();
    let said = match tokio::time::timeout(PATIENCE, said).await {
        Ok(Ok(said)) if said.status.success() => said,
        Ok(Ok(_)) => return Err(format!("{name} does not start; try `{name} --version`")),
        Ok(Err(error)) => return Err(format!("{name} does not start: {error}")),
        Err(_) => return Err(format!("{name} did not say its version in {} s", PATIENCE.as_secs())),
    };
    let text = String::from_utf8_lossy(&said.stdout);
    Ok(Visible::line(text.lines().last().unwrap_or_default().trim()).into_string())
}

/// The hook that an agent asks by.
struct Hook {
    command: String,
    /// Seconds after which the agent gives up.
    limit: Option<u64>,
    /// Seconds after which sayso does.
    patience: u64,
    event: Value,
}

/// The installed hook; `None` where there is none.
fn hook(agent: Agent, places: &Places) -> Result<Option<Hook>, String> {
    // A tool of sayso's own: it is let pass without a card.
    let event = |key: &str, name: &str| json!({key: name, "session_id": "doctor", "tool_name": "mcp__sayso__doctor", "tool_input": {}});
    let (path, events, per_second): (PathBuf, &[&str], u64) = match agent {
        Agent::Claude => {
            let folder = places.folder("CLAUDE_CONFIG_DIR", ".claude");
            (folder.join("settings.json"), &["PermissionRequest", "PreToolUse"], 1)
        }
        Agent::Codex => {
            let folder = places.folder("CODEX_HOME", ".codex");
            (folder.join("hooks.json"), &["PermissionRequest", "PreToolUse"], 1)
        }
        Agent::Gemini => (places.home.join(".gemini/settings.json"), &["BeforeTool"], 1000),
        Agent::Opencode => {
            let plugin = super::opencode::plugin(places);
            let text = read(&plugin)?.filter(|text| text.starts_with(super::opencode::HEAD));
            let Some(text) = text else { return Ok(None) };
            let program = |line: &str| line.strip_prefix("const program = ").map(str::to_owned);
            let program: Vec<String> = text
                .lines()
                .find_map(program)
                .and_then(|list| serde_json::from_str(&list).ok())
                .unwrap_or_default();
            let words: Vec<String> = program.iter().map(|word| super::quoted(word)).collect();
            let command = format!("{} request --hook opencode", words.join(" "));
            let patience = text.lines().find_map(|line| line.strip_prefix("const patience = ")?.parse().ok());
            let patience = patience.unwrap_or_default();
            return Ok(Some(Hook { command, limit: None, patience, event: event("event", "tool") }));
        }
    };
    let Some(text) = read(&path)? else { return Ok(None) };
    let settings = super::json::value(&text).map_err(|why| format!("{}: {why}", path.display()))?;
    for name in events {
        let groups = settings.pointer(&format!("/hooks/{name}")).and_then(Value::as_array).cloned();
        let groups = groups.unwrap_or_default();
        let hooks = groups.iter().filter_map(|group| group.get("hooks")?.as_array()).flatten();
        for hook in hooks {
            let Some(command) =
                hook.get("command").and_then(Value::as_str).filter(|command| is_ours(command))
            else {
                continue;
            };
            let patience = command.split_once("--timeout ").and_then(|(_, rest)| {
                rest.split_whitespace().next().and_then(|seconds| seconds.parse().ok())
            });
            let limit = hook.get("timeout").and_then(Value::as_u64).map(|limit| limit / per_second);
            let event = event("hook_event_name", name);
            return Ok(Some(Hook {
                command: command.to_owned(),
                limit,
                patience: patience.unwrap_or(590),
                event,
            }));
        }
    }
    Ok(None)
}

impl Hook {
    /// Whether it answers a test event as it should: with nothing, and no error.
    async fn answers(&self) -> Result<(), String> {
        let mut shell = Command::new("sh");
        shell.args(["-c", &self.command]).kill_on_drop(true);
        shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let answered = async {
            let mut child = shell.spawn()?;
            if let Some(mut stdin) = child.stdin.take() {
                // A hook that ends without listening is judged by how it ended.
                match stdin.write_all(self.event.to_string().as_bytes()).await {
                    Err(error) if error.kind() != ErrorKind::BrokenPipe => return Err(error),
                    _ => {}
                }
            }
            child.wait_with_output().await
        };
        match tokio::time::timeout(PATIENCE, answered).await {
            Ok(Ok(said)) if said.status.success() && said.stdout.is_empty() => Ok(()),
            Ok(Ok(said)) => {
                let why = String::from_utf8_lossy(&said.stderr).into_owned();
                let why = Visible::line(why.lines().next().unwrap_or("it says something else"));
                Err(format!("its hook does not answer: {why}; connect it again"))
            }
            Ok(Err(error)) => Err(format!("its hook does not start: {error}")),
            Err(_) => Err(format!("its hook did not answer in {} s", PATIENCE.as_secs())),
        }
    }
}

/// Whether Codex runs our hooks, as it says itself.
async fn is_trusted(program: &Path) -> Result<bool, String> {
    let ask = async {
        let mut command = Command::new(program);
        command.arg("app-server").kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Ok(None);
        };
        let folder = std::env::current_dir()?;
        let client = json!({"name": "sayso", "version": env!("CARGO_PKG_VERSION")});
        for message in [
            json!({"id": 1, "method": "initialize", "params": {"clientInfo": client}}),
            json!({"method": "initialized"}),
            json!({"id": 2, "method": "hooks/list", "params": {"cwds": [folder]}}),
        ] {
            input.write_all(format!("{message}\n").as_bytes()).await?;
        }
        let mut lines = BufReader::new(output).lines();
        while let Some(line) = lines.next_line().await? {
            let message: Value = serde_json::from_str(&line).unwrap_or_default();
            if message["id"] == 2 {
                return Ok(Some(message));
            }
        }
        Ok::<_, std::io::Error>(None)
    };
    let said = tokio::time::timeout(PATIENCE, ask).await;
    let Ok(Ok(Some(said))) = said else {
        return Err("it does not say whether you trusted its hooks; look under /hooks".to_owned());
    };
    let folders = said["result"]["data"].as_array().cloned().unwrap_or_default();
    let hooks = folders.iter().filter_map(|folder| folder["hooks"].as_array()).flatten();
    let mut ours = hooks.filter(|hook| hook["command"].as_str().is_some_and(is_ours)).peekable();
    Ok(ours.peek().is_some() && ours.all(|hook| hook["trustStatus"] == "trusted"))
}
