//! Checks connected agents for `sayso doctor`: which version was found, whether the hook is installed, has enough time,
//! answers a test event, and is trusted (Codex). It changes nothing of theirs.

use super::json::Entry;
use super::{Agent, Contents, HOOK_GRACE, HOOK_PATIENCE, Options, Places, is_ours, own, read};
use crate::config::{Env, Host};
use crate::dialects::{Meaning, Moment};
use crate::text::Visible;
use serde_json::{Value, json};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::Command;

/// How long a program may take to print its version or to answer an event.
const PATIENCE: Duration = Duration::from_secs(15);

/// Checks every agent, by name; agents that are neither found nor connected are left out.
pub async fn check_agents(env: &Env) -> Vec<(String, Result<String, String>)> {
    let Ok(places) = Places::new(&Host::system(), env) else { return Vec::new() };
    let mut checked = Vec::new();
    for agent in Agent::ALL {
        let program = on_path(env, agent.word());
        let result = match (hook(agent, &places), program) {
            (Err(why), _) => Err(why),
            (Ok(None), None) => continue,
            (Ok(None), Some(_)) => {
                Ok(format!("found, and not connected; `sayso connect {}` lets it ask here", agent.word()))
            }
            (Ok(Some(hook)), None) => hook
                .answers(agent)
                .await
                .map(|()| format!("connected, but there is no `{}` on your PATH", agent.word())),
            (Ok(Some(hook)), Some(program)) => connected(agent, &hook, &program, &places).await,
        };
        checked.push((agent.name().to_owned(), result));
    }
    checked
}

/// An agent, and what this machine has of it.
#[derive(Clone, Debug)]
pub struct FoundAgent {
    pub agent: Agent,
    pub program: Option<PathBuf>,
    /// Whether the person's own config has our hook, or why that cannot be read.
    pub connected: Result<bool, String>,
}

/// Looks for every agent, and starts none.
pub fn find_agents(places: &Places) -> Vec<FoundAgent> {
    let look_for = |agent: Agent| FoundAgent {
        agent,
        program: on_path(&places.env, agent.word()),
        connected: hook(agent, places).map(|hook| hook.is_some()),
    };
    Agent::ALL.map(look_for).into()
}

/// The first file with this name in the folders of PATH.
pub fn on_path(env: &Env, name: impl AsRef<Path>) -> Option<PathBuf> {
    let name = name.as_ref();
    std::env::split_paths(env.get("PATH")?).map(|folder| folder.join(name)).find(|program| program.is_file())
}

async fn connected(agent: Agent, hook: &Hook, program: &Path, places: &Places) -> Result<String, String> {
    let version = version(program).await?;
    hook.answers(agent).await?;
    if let Some(limit) = hook.limit
        && limit <= hook.patience + HOOK_GRACE.as_secs()
    {
        return Err(format!(
            "its hook may take {limit} s, and sayso waits {} s; `sayso connect {}` fixes that",
            hook.patience,
            agent.word()
        ));
    }
    if let Some(changed) = hook.changed(agent, places)? {
        return Err(format!(
            "its hooks are not those that `sayso connect` writes today ({changed}); `{}` renews them",
            hook.renewed_by(agent)
        ));
    }
    let silent = super::silent::reasons(agent, &hook.options(), places);
    if !silent.is_empty() {
        return Err(format!("it does not ask everything in this folder: {}", silent.join("; ")));
    }
    if agent == Agent::Codex && !is_trusted(program).await? {
        return Err(
            "it skips the hook because you have not trusted it; start `codex` and trust it under /hooks"
                .to_owned(),
        );
    }
    let remarks = super::silent::remarks(agent, &hook.options(), places).into_iter();
    let mut mode: String = remarks.map(|words| format!("; {words}")).collect();
    if agent == Agent::Claude {
        let starts_in = super::claude::mode_of(&version, places);
        if starts_in == "auto" && !hook.all && !hook.warned {
            return Err(
                "its windows start in auto mode, in which it asks almost nothing; `sayso connect claude --manual` makes \
                 it ask you, and with `--warned` it asks here before calls that sayso warns about"
                    .to_owned(),
            );
        }
        mode.push_str(&format!("; its windows start in {starts_in} mode"));
    }
    let tried = agent.dialect().tried_with;
    let tried = if version.contains(tried) { String::new() } else { format!(" (tried with {tried})") };
    Ok(format!("{version}{tried}, connected, and the hook answers; a card waits {} s{mode}", hook.patience))
}

async fn version(program: &Path) -> Result<String, String> {
    let name = program.display();
    let output = Command::new(program).arg("--version").stdin(Stdio::null()).kill_on_drop(true).output();
    let output = match tokio::time::timeout(PATIENCE, output).await {
        Ok(Ok(output)) if output.status.success() => output,
        Ok(Ok(_)) => return Err(format!("{name} does not start; try `{name} --version`")),
        Ok(Err(error)) => return Err(format!("{name} does not start: {error}")),
        Err(_) => return Err(format!("{name} did not say its version in {} s", PATIENCE.as_secs())),
    };
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(Visible::line(text.lines().last().unwrap_or_default().trim()).into_string())
}

/// The hook that an agent uses to ask.
struct Hook {
    command: String,
    /// Seconds after which the agent gives up.
    limit: Option<u64>,
    /// Seconds after which sayso gives up.
    patience: u64,
    /// Whether it asks before every tool.
    all: bool,
    /// Whether it asks before calls that sayso warns about.
    warned: bool,
}

/// The installed hook; `None` if there is none.
fn hook(agent: Agent, places: &Places) -> Result<Option<Hook>, String> {
    let (path, events): (PathBuf, &[&str]) = match agent {
        Agent::Claude => {
            let path = places.folder(agent).join("settings.json");
            (path, &["PermissionRequest", "PreToolUse"])
        }
        Agent::Codex => (places.folder(agent).join("hooks.json"), &["PermissionRequest", "PreToolUse"]),
        Agent::Gemini => (places.folder(agent).join("settings.json"), &["BeforeTool"]),
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
            let all = text.lines().any(|line| line == "const all = true");
            return Ok(Some(Hook { command, limit: None, patience, all, warned: false }));
        }
    };
    let Some(text) = read(&path)? else { return Ok(None) };
    let settings = super::json::value(&text).map_err(|why| format!("{}: {why}", path.display()))?;
    for name in events {
        let groups = settings.pointer(&format!("/hooks/{name}")).and_then(Value::as_array).cloned();
        let groups = groups.unwrap_or_default();
        let hooks = groups.iter().filter_map(|group| Some((group, group.get("hooks")?.as_array()?)));
        for (group, hook) in hooks.flat_map(|(group, hooks)| hooks.iter().map(move |hook| (group, hook))) {
            let Some(command) =
                hook.get("command").and_then(Value::as_str).filter(|command| is_ours(command))
            else {
                continue;
            };
            let patience = command.split_once("--timeout ").and_then(|(_, rest)| {
                rest.split_whitespace().next().and_then(|seconds| seconds.parse().ok())
            });
            let per_second = agent.dialect().limit_per_second.unwrap_or(1);
            let limit = hook.get("timeout").and_then(Value::as_u64).map(|limit| limit / per_second);
            let all = match agent {
                Agent::Gemini => group["matcher"].as_str() == Some(super::gemini::EVERY),
                Agent::Claude | Agent::Codex | Agent::Opencode => *name == "PreToolUse",
            };
            return Ok(Some(Hook {
                all,
                warned: text.contains(super::claude::HOOK_WARNED),
                command: command.to_owned(),
                limit,
                patience: patience.unwrap_or(HOOK_PATIENCE.as_secs()),
            }));
        }
    }
    Ok(None)
}

impl Hook {
    /// The options it was written with.
    fn options(&self) -> Options {
        let program = vec!["sayso".to_owned()];
        let (all, warned, patience) = (self.all, self.warned, self.patience);
        Options { project: false, all, warned, manual: false, patience, program }
    }

    /// What `connect` would write differently today, in a few words; `None` if nothing, or if somebody wrote the hook
    /// by hand.
    fn changed(&self, agent: Agent, places: &Places) -> Result<Option<String>, String> {
        let options = self.options();
        let by_hand = agent != Agent::Opencode && !self.command.contains("--timeout ");
        let server = own::name(agent, places)?;
        for file in super::files(agent, &options, places, &server).into_iter().filter(|_| !by_hand) {
            let text = read(&file.path)?.unwrap_or_default();
            match file.contents {
                Contents::Json(entries) => {
                    let settings = super::json::value(&text).unwrap_or_default();
                    let changed = |entry: &Entry| match entry {
                        Entry::Hook { event, group } if !has_group(&settings, event, group) => Some(*event),
                        Entry::Hook { .. } | Entry::Set { .. } | Entry::Member { .. } => None,
                    };
                    let changed: Vec<&str> = entries.iter().filter_map(changed).collect();
                    if !changed.is_empty() {
                        return Ok(Some(changed.join(", ")));
                    }
                }
                Contents::Whole(ours) if same_but_for_program(&ours) != same_but_for_program(&text) => {
                    return Ok(Some("the plugin differs".to_owned()));
                }
                Contents::Whole(_) | Contents::Toml { .. } => {}
            }
        }
        Ok(None)
    }

    /// The command that writes it again with the same options.
    fn renewed_by(&self, agent: Agent) -> String {
        let all = if self.all { " --all" } else { "" };
        let patience = if self.patience == agent.patience() {
            String::new()
        } else {
            format!(" --patience {}", self.patience)
        };
        let warned = if self.warned { " --warned" } else { "" };
        format!("sayso connect {}{all}{warned}{patience}", agent.word())
    }

    /// Whether it takes an event that asks nothing: without output and without an error.
    async fn answers(&self, agent: Agent) -> Result<(), String> {
        let asks_nothing =
            |(_, meaning): &(&str, Meaning)| matches!(meaning, Meaning::Reached(Moment::Prompted, _));
        let event = agent.dialect().events().find(asks_nothing).map(|(name, _)| name);
        let event = json!({"hook_event_name": event}).to_string();
        let mut shell = Command::new("sh");
        shell.args(["-c", &self.command]).kill_on_drop(true);
        shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let answered = async {
            let mut child = shell.spawn()?;
            if let Some(mut stdin) = child.stdin.take() {
                // A hook that ends without reading is judged by its exit status.
                match stdin.write_all(event.as_bytes()).await {
                    Err(error) if error.kind() != ErrorKind::BrokenPipe => return Err(error),
                    _ => {}
                }
            }
            child.wait_with_output().await
        };
        match tokio::time::timeout(PATIENCE, answered).await {
            Ok(Ok(output)) if output.status.success() && output.stdout.is_empty() => Ok(()),
            Ok(Ok(output)) => {
                let why = String::from_utf8_lossy(&output.stderr).into_owned();
                let why = Visible::line(why.lines().next().unwrap_or("it says something else"));
                Err(format!("its hook does not answer: {why}; connect it again"))
            }
            Ok(Err(error)) => Err(format!("its hook does not start: {error}")),
            Err(_) => Err(format!("its hook did not answer in {} s", PATIENCE.as_secs())),
        }
    }
}

/// Whether an event has this group, wherever sayso is.
fn has_group(settings: &Value, event: &str, group: &Value) -> bool {
    let groups = settings.pointer(&format!("/hooks/{event}")).and_then(Value::as_array).into_iter().flatten();
    groups
        .map(|group| without_program(group.clone()))
        .any(|written| written == without_program(group.clone()))
}

/// A group whose commands do not say where sayso is.
fn without_program(mut group: Value) -> Value {
    for hook in group.get_mut("hooks").and_then(Value::as_array_mut).into_iter().flatten() {
        let rest = hook["command"].as_str().and_then(|command| command.split_once(" request --hook "));
        if let Some(rest) = rest.map(|(_, rest)| rest.to_owned()) {
            hook["command"] = Value::from(rest);
        }
    }
    group
}

/// The lines of the plugin, without the one that says where sayso is.
fn same_but_for_program(plugin: &str) -> Vec<&str> {
    plugin.lines().filter(|line| !line.starts_with("const program = ")).collect()
}

/// Whether Codex runs our hooks, according to Codex itself.
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
    let result = tokio::time::timeout(PATIENCE, ask).await;
    let Ok(Ok(Some(result))) = result else {
        return Err("it does not say whether you trusted its hooks; look under /hooks".to_owned());
    };
    let folders = result["result"]["data"].as_array().cloned().unwrap_or_default();
    let hooks = folders.iter().filter_map(|folder| folder["hooks"].as_array()).flatten();
    let mut ours = hooks.filter(|hook| hook["command"].as_str().is_some_and(is_ours)).peekable();
    Ok(ours.peek().is_some() && ours.all(|hook| hook["trustStatus"] == "trusted"))
}

#[cfg(test)]
mod tests {
    use super::super::connect;
    use super::*;

    fn options(agent: Agent, all: bool, patience: u64) -> Options {
        let program = vec![format!("/opt/{} x/sayso", agent.word())];
        Options { project: false, all, warned: false, manual: false, patience, program }
    }

    #[test]
    fn hooks_of_an_older_connect_are_told_of() {
        for agent in Agent::ALL {
            for (all, patience, renewed) in
                [(false, agent.patience(), ""), (true, 33, " --all --patience 33")]
            {
                let home = tempfile::tempdir().unwrap();
                let host = Host { home: Some(home.path().to_owned()), ..Host::system() };
                let places = Places::new(&host, &Env::default()).unwrap();
                let plan = connect(agent, &options(agent, all, patience), &places).unwrap();
                super::super::write(&plan.changes, jiff::Timestamp::UNIX_EPOCH).unwrap();
                let hook = |places: &Places| hook(agent, places).unwrap().unwrap();
                assert_eq!(hook(&places).changed(agent, &places), Ok(None), "{agent:?} {all}");
                assert_eq!(
                    hook(&places).renewed_by(agent),
                    format!("sayso connect {}{renewed}", agent.word())
                );
                // As an older version would have written it.
                let older = |text: &str| text.replace("SessionEnd", "Other").replace("session_id", "id");
                for change in plan.changes {
                    std::fs::write(&change.path, older(&change.after.unwrap())).unwrap();
                }
                let changed = hook(&places).changed(agent, &places).unwrap();
                let expected = if agent == Agent::Opencode { "the plugin differs" } else { "SessionEnd" };
                assert_eq!(changed.as_deref(), Some(expected), "{agent:?} {all}");
            }
        }
    }

    #[test]
    fn a_hook_that_was_written_differently_is_told_of() {
        let home = tempfile::tempdir().unwrap();
        let host = Host { home: Some(home.path().to_owned()), ..Host::system() };
        let places = Places::new(&host, &Env::default()).unwrap();
        let plan = connect(Agent::Claude, &options(Agent::Claude, false, 590), &places).unwrap();
        super::super::write(&plan.changes, jiff::Timestamp::UNIX_EPOCH).unwrap();
        let path = home.path().join(".claude/settings.json");
        let mut settings = super::super::json::value(&read(&path).unwrap().unwrap()).unwrap();
        // Earlier versions did not let the agent wait for any report.
        settings["hooks"]["Stop"][0]["hooks"][0]["async"] = json!(true);
        std::fs::write(&path, settings.to_string()).unwrap();
        let hook = super::hook(Agent::Claude, &places).unwrap().unwrap();
        assert_eq!(hook.changed(Agent::Claude, &places), Ok(Some("Stop".to_owned())));
    }

    #[test]
    fn a_hook_written_by_hand_lacks_nothing() {
        let home = tempfile::tempdir().unwrap();
        let host = Host { home: Some(home.path().to_owned()), ..Host::system() };
        let places = Places::new(&host, &Env::default()).unwrap();
        let hook = json!({"type": "command", "command": "sayso request --hook claude-code"});
        let settings = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}});
        std::fs::create_dir(home.path().join(".claude")).unwrap();
        std::fs::write(home.path().join(".claude/settings.json"), settings.to_string()).unwrap();
        let hook = super::hook(Agent::Claude, &places).unwrap().unwrap();
        assert_eq!(hook.changed(Agent::Claude, &places), Ok(None));
        assert!(super::super::asks_here(&home.path().join(".claude/settings.json")));
        assert!(!super::super::asks_here(&home.path().join(".claude/other.json")));
    }
}
