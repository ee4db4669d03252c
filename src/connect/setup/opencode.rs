//! opencode: a plugin that asks, and the MCP server in its config.

use super::json::Entry;
use super::{ConfigFile, Contents, Options, Places, own};
use crate::dialects::Agent;
use serde_json::Value;
use std::path::PathBuf;

/// The first line of our plugin, so that no other file is mistaken for it.
pub(super) const HEAD: &str = "// Written by `sayso connect opencode`.";

const PLUGIN: &str = include_str!("opencode.js");

pub(super) fn files(options: &Options, places: &Places, server: &str) -> Vec<ConfigFile> {
    let mut files = Vec::new();
    if !options.project {
        let config = places.folder(Agent::Opencode);
        let commented = config.join("opencode.jsonc");
        let config = if commented.exists() { commented } else { config.join("opencode.json") };
        let entry = Entry::set(&["mcp", server], own::entry(Agent::Opencode, &options.program));
        files.push(ConfigFile::json(config, vec![entry]));
    }
    let path =
        if options.project { places.project.join(".opencode/plugin/sayso.js") } else { plugin(places) };
    let program = Value::from(options.program.clone()).to_string();
    let text = PLUGIN
        .replace("\"PROGRAM\"", &program)
        .replace("\"PATIENCE\"", &options.patience.to_string())
        .replace("\"ALL\"", if options.all { "true" } else { "false" });
    files.push(ConfigFile { path, contents: Contents::Whole(format!("{HEAD}\n{text}")) });
    files
}

/// Where the person's plugin is.
pub(super) fn plugin(places: &Places) -> PathBuf {
    places.folder(Agent::Opencode).join("plugin/sayso.js")
}

pub(super) fn notes() -> Vec<String> {
    vec![
        "It asks here where its `permission` settings say \"ask\"; its own dialog stays open too, and you can answer in either."
            .to_owned(),
        "`opencode run` refuses what would ask; with this plugin it asks here instead.".to_owned(),
    ]
}
