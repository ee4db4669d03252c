//! opencode: a plugin that asks, and the MCP server in its config.

use super::json::{self, Entry};
use super::{ConfigFile, Contents, Options, Places};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The first line of our plugin, so that no other file is mistaken for it.
pub(super) const HEAD: &str = "// Written by `sayso connect opencode`.";

const PLUGIN: &str = include_str!("opencode.js");

pub(super) fn files(options: &Options, places: &Places) -> Vec<ConfigFile> {
    let (config, plugin) = if options.project {
        (places.project.clone(), places.project.join(".opencode/plugin/sayso.js"))
    } else {
        (folder(places), plugin(places))
    };
    let commented = config.join("opencode.jsonc");
    let config = if commented.exists() { commented } else { config.join("opencode.json") };
    let command: Vec<&str> = options.program.iter().map(String::as_str).chain(["mcp"]).collect();
    let server = json!({"type": "local", "command": command, "enabled": true});
    let mut entries = vec![Entry::Set { path: vec!["mcp", "sayso"], value: server }];
    // A single word for all tools leaves no room for this entry; then the plugin adds it when opencode starts.
    if !has_one_permission(&config) {
        entries.push(Entry::Set { path: vec!["permission", "sayso_*"], value: json!("allow") });
    }
    let program = Value::from(options.program.clone()).to_string();
    let text = PLUGIN
        .replace("\"PROGRAM\"", &program)
        .replace("\"PATIENCE\"", &options.patience.to_string())
        .replace("\"ALL\"", if options.all { "true" } else { "false" });
    vec![
        ConfigFile::json(config, entries),
        ConfigFile { path: plugin, contents: Contents::Whole(format!("{HEAD}\n{text}")) },
    ]
}

fn has_one_permission(config: &Path) -> bool {
    let text = std::fs::read_to_string(config).unwrap_or_default();
    json::value(&text).is_ok_and(|config| config.get("permission").is_some_and(Value::is_string))
}

fn folder(places: &Places) -> PathBuf {
    let config_home = places.env.get("XDG_CONFIG_HOME").map(PathBuf::from);
    config_home.unwrap_or_else(|| places.home.join(".config")).join("opencode")
}

/// Where the person's plugin is.
pub(super) fn plugin(places: &Places) -> PathBuf {
    folder(places).join("plugin/sayso.js")
}

pub(super) fn notes() -> Vec<String> {
    vec![
        "It asks here where its `permission` settings say \"ask\"; its own dialog stays open too, and you can answer in either."
            .to_owned(),
        "`opencode run` refuses what would ask; with this plugin it asks here instead.".to_owned(),
    ]
}
