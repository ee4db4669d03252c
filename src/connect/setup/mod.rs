//! Connects coding agents: adds the lines to an agent's own config that make it ask here, and removes them again.
//!
//! Promises: what a person wrote stays unchanged, including comments, order, and keys added to our entries; connecting
//! twice changes nothing; removing restores what was there before, as the kept copy has it. Everything is shown before
//! it is written. If a config has something else in a place we need, we refuse and never replace it.
//!
//! If a missing or crashing sayso would let a call through, the installed command blocks it instead.

mod check;
mod claude;
mod codex;
mod gemini;
mod json;
mod opencode;
mod own;
mod silent;
mod toml;
mod write;

use crate::config::{Env, Host};
use crate::connect::{HOOK_GRACE, HOOK_PATIENCE};
use crate::dialects::Agent;
pub use crate::text::quoted_word as quoted;
use crate::text::read_error_text;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

pub use check::{FoundAgent, check_agents, find_agents, on_path};
pub use claude::starts_in_auto_mode;
pub use own::{ToolUse, is_named_like_ours, name_in};
pub use write::write;

impl Agent {
    /// How many seconds a hook waits by default. Codex hides its own question while a hook waits, so a card that nobody
    /// sees would keep the person at its window waiting.
    pub fn patience(self) -> u64 {
        match self {
            Agent::Codex => 60,
            Agent::Claude | Agent::Opencode | Agent::Gemini => HOOK_PATIENCE.as_secs(),
        }
    }
}

/// What to connect, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// Use the project's files instead of the person's.
    pub project: bool,
    /// Ask before every tool, not only when the agent itself would.
    pub all: bool,
    /// Ask before calls that sayso warns about, whatever mode the agent is in (Claude Code).
    pub warned: bool,
    /// Let the agent start in the mode in which it asks (Claude Code).
    pub manual: bool,
    /// How many seconds a hook waits for an answer.
    pub patience: u64,
    /// How sayso is started: the program and its global flags.
    pub program: Vec<String>,
}

impl Options {
    /// The command of a hook that decides. It blocks if sayso is missing or fails.
    fn asks(&self, hook: &str) -> String {
        let program = self.shell();
        let patience = self.patience;
        format!(
            "{program} request --hook {hook} --timeout {patience} || {{ echo 'sayso could not be asked' >&2; exit 2; }}"
        )
    }

    /// The command of a hook that only reports. Nothing depends on it, and the agent may wait for it, so it gives up soon.
    /// An agent may take what it prints for the person's words.
    fn tells(&self, agent: Agent, event: &str) -> String {
        let quiet = if agent.dialect().takes_context(event) { "2>/dev/null" } else { ">/dev/null 2>&1" };
        let hook = agent.dialect().hook_name;
        format!("{} request --hook {hook} --timeout 5 {quiet} || true", self.shell())
    }

    /// The agent's own time limit in seconds, set so that sayso gives up first even on a machine that is busy.
    fn limit(&self) -> u64 {
        self.patience.saturating_add(30)
    }

    fn shell(&self) -> String {
        self.program.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }
}

/// Whether a command was installed by `connect`, in this or another version.
fn is_ours(command: &str) -> bool {
    // By the hook's name: the program may have been called by any.
    let is_of = |agent: Agent| command.contains(&format!(" request --hook {}", agent.hook_name()));
    Agent::ALL.into_iter().any(is_of)
}

/// Whether a hooks file contains one of our hooks.
pub fn asks_here(hooks: &Path) -> bool {
    let settings = read(hooks).ok().flatten().and_then(|text| json::value(&text).ok()).unwrap_or_default();
    let events = settings.get("hooks").and_then(serde_json::Value::as_object).into_iter().flatten();
    let groups = events.filter_map(|(_, groups)| groups.as_array()).flatten();
    let mut hooks = groups.filter_map(|group| group.get("hooks")?.as_array()).flatten();
    hooks.any(|hook| hook.get("command").and_then(serde_json::Value::as_str).is_some_and(is_ours))
}

/// Where agents keep their configs.
#[derive(Clone, Debug)]
pub struct Places {
    home: PathBuf,
    project: PathBuf,
    env: Env,
}

impl Places {
    pub fn new(host: &Host, env: &Env) -> Result<Self, String> {
        let home = host.home.clone().ok_or("your home folder cannot be found; set HOME")?;
        Ok(Self { home, project: host.working_dir.clone(), env: env.clone() })
    }

    /// Where an agent keeps the transcripts of its sessions; `None` if they are not known to us.
    pub fn transcripts(&self, agent: Agent) -> Option<PathBuf> {
        match agent {
            Agent::Claude => Some(self.folder(agent).join("projects")),
            Agent::Codex => Some(self.folder(agent).join("sessions")),
            Agent::Opencode | Agent::Gemini => None,
        }
    }

    /// An agent's own folder.
    fn folder(&self, agent: Agent) -> PathBuf {
        agent.dialect().home.folder(&self.home, |name| self.env.get(name).map(OsStr::to_owned))
    }
}

/// A file's contents before and after; `None` means that the file does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub path: PathBuf,
    pub before: Option<String>,
    pub after: Option<String>,
}

impl Change {
    /// Whether anything changes.
    pub fn is_something(&self) -> bool {
        self.before != self.after
    }
}

/// The changes that connect or disconnect an agent.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    pub changes: Vec<Change>,
    /// What the person has to know, or to do in the agent itself, one sentence each.
    pub notes: Vec<String>,
}

/// Plans the changes that connect an agent.
pub fn connect(agent: Agent, options: &Options, places: &Places) -> Result<Plan, String> {
    let server = own::name(agent, places)?;
    let files = files(agent, options, places, &server);
    let changes = files.iter().map(|file| file.change(Target::Connected)).collect::<Result<_, _>>()?;
    let notes = match agent {
        Agent::Claude => claude::notes(options, places),
        Agent::Codex => codex::notes(options),
        Agent::Opencode => opencode::notes(),
        Agent::Gemini => gemini::notes(),
    };
    let silent = silent::reasons(agent, options, places).into_iter();
    let silent = silent.map(|why| format!("In this folder it does not ask everything: {why}."));
    let names = (!options.project)
        .then(|| format!("Only your own config knows what it calls sayso's tools: `{server}`."));
    let notes = silent.chain(notes).chain(names).collect();
    Ok(Plan { changes, notes })
}

/// Plans the changes that restore the files.
pub fn disconnect(agent: Agent, options: &Options, places: &Places) -> Result<Plan, String> {
    let server = own::name(agent, places)?;
    let files = files(agent, options, places, &server);
    let changes = files.iter().map(|file| file.change(Target::Removed)).collect::<Result<_, _>>()?;
    let notes = match agent {
        Agent::Claude => claude::notes_on_leaving(places),
        Agent::Codex | Agent::Opencode | Agent::Gemini => Vec::new(),
    };
    Ok(Plan { changes, notes })
}

/// The files of an agent, with our server under this name. A project's files have no server of ours: whoever works in
/// the project could replace it.
fn files(agent: Agent, options: &Options, places: &Places, server: &str) -> Vec<ConfigFile> {
    match agent {
        Agent::Claude => claude::files(options, places, server),
        Agent::Codex => codex::files(options, places, server),
        Agent::Opencode => opencode::files(options, places, server),
        Agent::Gemini => gemini::files(options, places, server),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Connected,
    Removed,
}

/// A config file of an agent, and what we put into it.
#[derive(Clone, Debug)]
struct ConfigFile {
    path: PathBuf,
    contents: Contents,
}

#[derive(Clone, Debug)]
enum Contents {
    /// Entries of a JSON file, which may have comments.
    Json(Vec<json::Entry>),
    /// A table of a TOML file.
    Toml { table: [String; 2], text: String },
    /// The whole file.
    Whole(String),
}

impl ConfigFile {
    fn json(path: PathBuf, entries: Vec<json::Entry>) -> Self {
        Self { path, contents: Contents::Json(entries) }
    }

    fn change(&self, target: Target) -> Result<Change, String> {
        let before = read(&self.path)?;
        let named = |why: String| format!("{}: {why}", self.path.display());
        let text = before.as_deref().unwrap_or_default();
        let after = match (&self.contents, target) {
            (Contents::Json(_), Target::Removed) | (Contents::Toml { .. }, Target::Removed)
                if before.is_none() =>
            {
                None
            }
            (Contents::Json(entries), Target::Connected) => {
                Some(json::with(text, entries, self.earlier().as_deref()).map_err(named)?)
            }
            (Contents::Json(entries), Target::Removed) => {
                Some(json::without(text, entries, self.earlier().as_deref()).map_err(named)?)
            }
            (Contents::Toml { table, text: ours }, Target::Connected) => {
                Some(toml::with(text, table, ours).map_err(named)?)
            }
            (Contents::Toml { table, .. }, Target::Removed) => {
                Some(toml::without(text, table, self.earlier().as_deref()).map_err(named)?)
            }
            (Contents::Whole(ours), _) => {
                if before.as_deref().is_some_and(|text| !text.starts_with(opencode::HEAD)) {
                    return Err(named("sayso did not write this file; move it away first".to_owned()));
                }
                (target == Target::Connected).then(|| ours.clone())
            }
        };
        // If nothing is left in a file, we had created it.
        let is_empty = |text: &String| matches!(text.trim(), "" | "{}");
        let gone = target == Target::Removed && after.as_ref().is_some_and(is_empty) && before != after;
        Ok(Change { path: self.path.clone(), before, after: after.filter(|_| !gone) })
    }

    /// The file as it was before it was connected: the newest copy that was kept of it without anything of ours.
    fn earlier(&self) -> Option<String> {
        let has_ours = |text: &str| match &self.contents {
            Contents::Json(entries) => json::has_ours(text, entries),
            Contents::Toml { table, .. } => toml::has(text, table),
            Contents::Whole(_) => true,
        };
        let copies = write::copies(&self.path).into_iter().rev();
        copies.filter_map(|copy| read(&copy).ok()?).find(|text| !has_ours(text))
    }
}

/// Reads a file; `None` if it does not exist.
fn read(path: &Path) -> Result<Option<String>, String> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("{} cannot be read: {}", path.display(), read_error_text(&error))),
    }
}

#[cfg(test)]
mod tests;
