//! Our MCP server in an agent's config. Agents tell tools apart by the name of their server, and a project may define
//! servers of any name; so ours has a random one, which only the person's own settings know, and a call of its tools
//! passes only if that name means exactly what `connect` wrote there.

use super::Places;
use crate::dialects::{Agent, Server, personal_files, server_of, servers};
use crate::text::random_hex;
use crate::tools::process::Process;
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::path::Path;

/// How the name begins; what follows is random. Nothing stands between, because agents that join the names of servers and
/// tools could take that for where a server called `sayso` ends.
const MARK: &str = "sayso";

/// How many digits are random.
const DIGITS: usize = 12;

fn is_name(name: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    name.strip_prefix(MARK).is_some_and(|digits| digits.len() == DIGITS && digits.chars().all(is_digit))
}

/// Whether a tool has a name such as those of our server. That proves nothing; reports leave such calls out.
pub fn is_named_like_ours(tool: &str) -> bool {
    let names = tool.match_indices(MARK).filter_map(|(at, _)| tool.get(at..at + MARK.len() + DIGITS));
    names.into_iter().any(is_name)
}

/// The name of our server in the person's config, if it is there.
pub fn name_in(agent: Agent, places: &Places) -> Option<String> {
    let found = servers(agent, &files(agent, places), None).unwrap_or_default();
    found.into_iter().map(|server| server.name).find(|name| is_name(name))
}

/// The same, or a new name.
pub(super) fn name(agent: Agent, places: &Places) -> Result<String, String> {
    if let Some(name) = name_in(agent, places) {
        return Ok(name);
    }
    let digits = random_hex::<{ DIGITS / 2 }>().map_err(|error| format!("no random name: {error}"))?;
    Ok(format!("{MARK}{digits}"))
}

/// What `connect` writes for our server, started by this program with these flags.
pub(super) fn entry(agent: Agent, program: &[String]) -> Value {
    let words: Vec<&str> = program.iter().map(String::as_str).chain(["mcp"]).collect();
    let (command, args) = (words.first(), words.get(1..).unwrap_or_default());
    // A call waits as long as the person thinks; an hour is the longest that we ask for.
    match agent {
        Agent::Claude => json!({"type": "stdio", "command": command, "args": args}),
        Agent::Codex => json!({"command": command, "args": args, "default_tools_approval_mode": "approve",
            "tool_timeout_sec": 3600}),
        Agent::Opencode => json!({"type": "local", "command": words, "enabled": true}),
        Agent::Gemini => {
            json!({"command": command, "args": args, "trust": true, "timeout": 3_600_000})
        }
    }
}

/// A call of one of an agent's tools, as far as it matters whose tool it is.
#[derive(Debug)]
pub struct ToolUse<'a> {
    pub agent: Agent,
    pub tool: &'a str,
    /// The folder it works in.
    pub folder: &'a Path,
    /// The process of the agent.
    pub process: Option<Process>,
}

impl ToolUse<'_> {
    /// Whether it certainly uses our own server, which asks by itself. `program` is this program, with its flags. What
    /// cannot be proven is asked about.
    pub fn is_of_ours(&self, program: &[String], places: &Places) -> bool {
        if !self.tool.contains(MARK) {
            return false;
        }
        let Ok(known) = servers(self.agent, &files(self.agent, places), Some(self.folder)) else {
            return false;
        };
        let is_ours = |server: &&Server| {
            server.is_personal && is_name(&server.name) && is_entry(self.agent, &server.entry, program)
        };
        let Some(server) = server_of(self.agent, self.tool, &known).filter(is_ours) else { return false };
        let is_defined_elsewhere = |word: &OsStr| word.to_string_lossy().contains(&server.name);
        let flags = self.agent.dialect().servers.flags;
        let words = self.process.as_ref().map(Process::command_line).unwrap_or_default();
        let adds = |word: &String| {
            is_defined_elsewhere(OsStr::new(word)) || flags.iter().any(|flag| word.starts_with(flag))
        };
        !words.is_empty() && !words.iter().any(adds) && !places.env.values().any(is_defined_elsewhere)
    }
}

fn files(agent: Agent, places: &Places) -> Vec<std::path::PathBuf> {
    personal_files(agent, &places.home, |name| places.env.get(name).map(OsStr::to_owned))
}

/// Whether an entry starts this program, by whatever path, and is otherwise what `connect` writes.
fn is_entry(agent: Agent, written: &Value, program: &[String]) -> bool {
    let command = written["command"].as_str().or_else(|| written["command"][0].as_str());
    let (Some(command), Some((called, flags))) = (command, program.split_first()) else { return false };
    let is_same_file = command == called
        || Path::new(command)
            .canonicalize()
            .ok()
            .is_some_and(|path| Path::new(called).canonicalize().ok() == Some(path));
    let program: Vec<String> = std::iter::once(command.to_owned()).chain(flags.iter().cloned()).collect();
    is_same_file && *written == entry(agent, &program)
}
