//! Codex: hooks in `hooks.json`, the MCP server in `config.toml`.

use super::json::Entry;
use super::{ConfigFile, Contents, Options, Places, own};
use crate::dialects::Agent;
use serde_json::json;

const HOOK: &str = "codex";

/// Events that report on a session; some of them end a question.
const TOLD: [&str; 5] = ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"];

pub(super) fn files(options: &Options, places: &Places, server: &str) -> Vec<ConfigFile> {
    let folder = if options.project { places.project.join(".codex") } else { places.folder(Agent::Codex) };
    let event = if options.all { "PreToolUse" } else { "PermissionRequest" };
    let asks = json!({"type": "command", "command": options.asks(HOOK), "timeout": options.limit()});
    let tells = |event: &str| {
        // It allows three seconds at the end of a session, and complains about more.
        let timeout = if event == "SessionEnd" { 3 } else { 10 };
        json!({"type": "command", "command": options.tells(Agent::Codex, event), "timeout": timeout})
    };
    let group = |hook| json!({"matcher": ".*", "hooks": [hook]});
    let mut hooks = vec![Entry::Hook { event, group: group(asks.clone()) }];
    hooks.extend(TOLD.map(|event| Entry::Hook { event, group: group(tells(event)) }));
    let hooks_file = |hooks| ConfigFile::json(folder.join("hooks.json"), hooks);
    if options.project {
        return vec![hooks_file(hooks)];
    }
    if !options.all {
        let matcher = format!("mcp__{server}__.*");
        let group = json!({"matcher": matcher, "hooks": [asks]});
        hooks.push(Entry::Hook { event: "PreToolUse", group });
    }
    let entry = own::entry(Agent::Codex, &options.program);
    let text = ::toml::to_string(&entry).unwrap_or_default();
    let table = ["mcp_servers".to_owned(), server.to_owned()];
    let config = ConfigFile { path: folder.join("config.toml"), contents: Contents::Toml { table, text } };
    vec![hooks_file(hooks), config]
}

pub(super) fn notes(options: &Options) -> Vec<String> {
    let mut notes = vec![
        "Codex silently skips hooks you have not trusted: start `codex` once and trust these under `/hooks`."
            .to_owned(),
    ];
    notes.push(if options.all {
        "It asks here before every tool it uses, but not before input to a shell that already runs.".to_owned()
    } else {
        format!(
            "While a card waits here, Codex hides its own question; after {} s without an answer it asks you itself \
             (--patience sets the time).",
            options.patience
        )
    });
    if !options.all {
        notes.push("`codex exec` never asks; `--all` makes it ask.".to_owned());
    }
    if !options.project {
        notes.push(
            "While sayso is open, it also joins the server that Codex's windows share, and both ask side by side."
                .to_owned(),
        );
    }
    if options.project {
        notes.push("Codex reads a project's config once you trust its folder.".to_owned());
    }
    notes
}
