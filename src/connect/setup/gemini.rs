//! Gemini CLI: hooks and the MCP server in its settings.
//!
//! Its hook runs before each tool that its own policy lets through; it can refuse or change a call but not grant one.

use super::json::Entry;
use super::{ConfigFile, Options, Places, own};
use crate::dialects::Agent;
use serde_json::json;

const HOOK: &str = "gemini";

/// What its settings call our hooks.
pub(super) const NAME: &str = "sayso";

/// Tools that change something or reach outside.
const CHANGING: &str = "run_shell_command|write_file|replace|web_fetch|mcp_.*";

/// Every tool.
pub(super) const EVERY: &str = ".*";

/// Events that report on a session; some of them end a question.
const TOLD: [&str; 5] = ["SessionStart", "BeforeAgent", "Notification", "AfterAgent", "SessionEnd"];

pub(super) fn files(options: &Options, places: &Places, server: &str) -> Vec<ConfigFile> {
    let folder = if options.project { places.project.join(".gemini") } else { places.folder(Agent::Gemini) };
    let matcher = if options.all { EVERY } else { CHANGING };
    // Its limits are in milliseconds.
    let hook = |command: String, seconds: u64| json!({"name": NAME, "type": "command", "command": command, "timeout": seconds.saturating_mul(1000)});
    let asks = json!({"matcher": matcher, "hooks": [hook(options.asks(HOOK), options.limit())]});
    let mut entries = vec![Entry::Hook { event: "BeforeTool", group: asks }];
    let after = json!({"matcher": matcher, "hooks": [hook(options.tells(Agent::Gemini, "AfterTool"), 10)]});
    entries.push(Entry::Hook { event: "AfterTool", group: after });
    entries.extend(TOLD.map(|event| {
        let group = json!({"hooks": [hook(options.tells(Agent::Gemini, event), 10)]});
        Entry::Hook { event, group }
    }));
    if !options.project {
        entries.push(Entry::set(&["mcpServers", server], own::entry(Agent::Gemini, &options.program)));
    }
    vec![ConfigFile::json(folder.join("settings.json"), entries)]
}

pub(super) fn notes() -> Vec<String> {
    vec![
        "Gemini CLI still asks by its own rules too; if only sayso should ask, start it with `--approval-mode yolo`."
            .to_owned(),
        "Sessions already running pick it up when restarted.".to_owned(),
    ]
}
