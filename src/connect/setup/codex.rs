//! Codex: hooks in `hooks.json`, the MCP server in `config.toml`.

use super::json::Entry;
use super::{ConfigFile, Contents, Options, Places};
use serde_json::json;
use std::path::PathBuf;

const HOOK: &str = "codex";

/// Events that report on a session; some of them end a question.
const TOLD: [&str; 5] = ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"];

pub(super) fn files(options: &Options, places: &Places) -> Vec<ConfigFile> {
    let folder = if options.project { places.project.join(".codex") } else { folder(places) };
    let event = if options.all { "PreToolUse" } else { "PermissionRequest" };
    let asks = json!({"type": "command", "command": options.asks(HOOK), "timeout": options.limit()});
    let tells = |event: &str| {
        // It allows three seconds at the end of a session, and complains about more.
        let timeout = if event == "SessionEnd" { 3 } else { 10 };
        json!({"type": "command", "command": options.tells(HOOK), "timeout": timeout})
    };
    let group = |hook| json!({"matcher": ".*", "hooks": [hook]});
    let mut hooks = vec![Entry::Hook { event, group: group(asks) }];
    hooks.extend(TOLD.map(|event| Entry::Hook { event, group: group(tells(event)) }));
    let (program, args) = options.program.split_first().map_or(("sayso", &[][..]), |(p, a)| (p.as_str(), a));
    let args: Vec<&str> = args.iter().map(String::as_str).chain(["mcp"]).collect();
    // A call waits as long as the person thinks; an hour is the longest that we ask of Codex.
    let server = format!(
        "command = {}\nargs = {}\ndefault_tools_approval_mode = \"approve\"\ntool_timeout_sec = 3600\n",
        toml_edit::Value::from(program),
        args.into_iter().collect::<toml_edit::Array>(),
    );
    vec![
        ConfigFile::json(folder.join("hooks.json"), hooks),
        ConfigFile {
            path: folder.join("config.toml"),
            contents: Contents::Toml { table: ["mcp_servers", "sayso"], text: server },
        },
    ]
}

pub(super) fn folder(places: &Places) -> PathBuf {
    places.folder("CODEX_HOME", ".codex")
}

pub(super) fn notes(options: &Options) -> Vec<String> {
    let mut notes = vec![
        "Codex silently skips hooks you have not trusted: start `codex` once and trust these under `/hooks`."
            .to_owned(),
    ];
    notes.push(if options.all {
        "It asks here before every tool it uses.".to_owned()
    } else {
        format!(
            "While a card waits here, Codex hides its own question; after {} s without an answer it asks you itself \
             (--patience sets the time).",
            options.patience
        )
    });
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
