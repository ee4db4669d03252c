//! opencode: a plugin that asks, and the MCP server in its config.

use super::json::{self, Entry};
use super::{ConfigFile, Contents, Options, Places, own};
use crate::dialects::{Agent, personal_files};
use serde_json::Value;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

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

/// Whether it asks before it uses a tool of this permission, at least for some uses, as far as its config says.
pub(super) fn asks_before(permission: &str, places: &Places) -> bool {
    let person =
        personal_files(Agent::Opencode, &places.home, |name| places.env.get(name).map(OsStr::to_owned));
    let project: Vec<PathBuf> = places.project.ancestors().map(Path::to_owned).collect();
    let names = ["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"];
    let project = project.iter().rev().flat_map(|folder| names.map(|name| folder.join(name)));
    let named = places.env.get("OPENCODE_CONFIG").map(PathBuf::from);
    let files = person.into_iter().chain(named).chain(project).filter_map(|file| super::read(&file).ok()?);
    let given = places.env.get("OPENCODE_CONFIG_CONTENT").and_then(OsStr::to_str).map(str::to_owned);
    // Of all rules that fit, the last one counts; a later file changes a rule where it stands.
    let mut rules: Vec<(String, bool)> = Vec::new();
    for text in files.chain(given) {
        for (name, asks) in json::members_with_word(&text, "permission", "ask") {
            match rules.iter_mut().find(|(known, _)| *known == name) {
                Some(rule) => rule.1 = asks,
                None => rules.push((name, asks)),
            }
        }
    }
    rules.iter().rfind(|(pattern, _)| fits(pattern, permission)).is_some_and(|(_, asks)| *asks)
}

/// Whether a pattern with `*` and `?` fits a name.
fn fits(pattern: &str, name: &str) -> bool {
    let mut rest = pattern.chars();
    match rest.next() {
        None => name.is_empty(),
        Some('*') => name
            .char_indices()
            .map(|(at, _)| at)
            .chain([name.len()])
            .any(|at| fits(rest.as_str(), &name[at..])),
        Some(c) => {
            let mut after = name.chars();
            after.next().is_some_and(|next| c == '?' || c == next) && fits(rest.as_str(), after.as_str())
        }
    }
}
