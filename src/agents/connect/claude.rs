//! Claude Code: hooks and permissions in its settings, the MCP server in a separate file.
//!
//! By default it asks when Claude Code itself would (`PermissionRequest`); with `--all`, before every tool
//! (`PreToolUse`). Other events report on a session, and that a question was answered in its own window.

use super::json::Entry;
use super::{ConfigFile, Options, Places};
use serde_json::{Value, json};

const HOOK: &str = "claude-code";

/// Events that report on a session; some of them end a question. Don't add an event that we do not need: a version that
/// does not know it skips the whole file, hooks and all.
const TOLD: [&str; 8] = [
    "SessionStart",
    "UserPromptSubmit",
    "PostToolUse",
    "PostToolUseFailure",
    "Notification",
    "Stop",
    "SubagentStop",
    "SessionEnd",
];

pub(super) fn files(options: &Options, places: &Places) -> Vec<ConfigFile> {
    let mut settings = hooks(options);
    settings.push(Entry::Member { path: vec!["permissions", "allow"], text: "mcp__sayso" });
    let (program, args) = options.program.split_first().map_or(("sayso", &[][..]), |(p, a)| (p.as_str(), a));
    let args: Vec<&str> = args.iter().map(String::as_str).chain(["mcp"]).collect();
    let server = json!({"type": "stdio", "command": program, "args": args});
    let server = Entry::Set { path: vec!["mcpServers", "sayso"], value: server };
    if options.project {
        // A project's server starts only after somebody agreed to it; running this command means agreeing.
        settings.push(Entry::Member { path: vec!["enabledMcpjsonServers"], text: "sayso" });
        return vec![
            ConfigFile::json(places.project.join(".claude/settings.json"), settings),
            ConfigFile::json(places.project.join(".mcp.json"), vec![server]),
        ];
    }
    let folder = places.folder("CLAUDE_CONFIG_DIR", ".claude");
    let state = match places.env.get("CLAUDE_CONFIG_DIR") {
        Some(_) => folder.join(".claude.json"),
        None => places.home.join(".claude.json"),
    };
    vec![ConfigFile::json(folder.join("settings.json"), settings), ConfigFile::json(state, vec![server])]
}

fn hooks(options: &Options) -> Vec<Entry> {
    let group = |hook: Value| json!({"matcher": "*", "hooks": [hook]});
    let mut asks = json!({"type": "command", "command": options.asks(HOOK), "timeout": options.limit()});
    let event = if options.all {
        // Otherwise a hook that exceeds its limit would let the call through.
        asks["onFailure"] = Value::from("block");
        "PreToolUse"
    } else {
        "PermissionRequest"
    };
    let mut entries = vec![Entry::Hook { event, group: group(asks) }];
    let forms = json!({"type": "command", "command": options.asks(HOOK), "timeout": options.limit()});
    entries.push(Entry::Hook { event: "Elicitation", group: group(forms) });
    let tells = |event: &str| {
        let mut hook = json!({"type": "command", "command": options.tells(HOOK), "timeout": 30});
        // Nobody waits for these. The others are waited for: the end of a turn would overtake the outcome of its last
        // call, or close a question of the next turn.
        if ["SessionStart", "Notification", "SessionEnd"].contains(&event) {
            hook["async"] = Value::from(true);
        }
        hook
    };
    entries.extend(TOLD.map(|event| Entry::Hook { event, group: group(tells(event)) }));
    entries
}

pub(super) fn notes(options: &Options) -> Vec<String> {
    let asked = if options.all {
        "It asks here before every tool it uses."
    } else {
        "It asks here where it would ask you itself; its own dialog stays open too, and you can answer in either."
    };
    let mut notes = vec![asked.to_owned()];
    if options.project {
        notes.push("Claude Code reads a project's hooks once you trust its folder.".to_owned());
    }
    notes.push("Sessions already running pick it up when restarted.".to_owned());
    notes
}
