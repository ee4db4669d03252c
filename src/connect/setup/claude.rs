//! Claude Code: hooks and permissions in its settings, the MCP server in a separate file.
//!
//! By default it asks when Claude Code itself would (`PermissionRequest`); with `--all`, before every tool
//! (`PreToolUse`). Since 2.1.283 its windows start in auto mode, in which another model decides and the person is asked
//! almost nothing. `--manual` switches that off in its settings. `--warned` leaves it on: `PreToolUse` asks about the
//! calls that sayso warns about, and `PermissionDenied` about those that auto mode refused. Other events report on a
//! session, and that a question was answered in its own window.

use super::json::Entry;
use super::{ConfigFile, Options, Places, own};
use crate::dialects::{Agent, personal_files};
use crate::text::Visible;
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

const HOOK: &str = "claude-code";

/// The same, only about calls that sayso warns about.
pub(super) const HOOK_WARNED: &str = "claude-code --warned";

/// The first version whose windows start in auto mode.
const FIRST_IN_AUTO_MODE: [u32; 3] = [2, 1, 283];

/// Events that report on a session; some of them end a question. Don't add an event that we do not need: a version that
/// does not know it skips the whole file, hooks and all.
const TOLD: [&str; 9] = [
    "SessionStart",
    "UserPromptSubmit",
    "PostToolUse",
    "PostToolUseFailure",
    "Notification",
    "Stop",
    "StopFailure",
    "SubagentStop",
    "SessionEnd",
];

pub(super) fn files(options: &Options, places: &Places, server: &str) -> Vec<ConfigFile> {
    let mut settings = hooks(options);
    if options.manual {
        // Every version knows this name of its manual mode; an unknown one would make it skip the file.
        settings.push(Entry::set(&["permissions", "defaultMode"], json!("default")));
    }
    if options.project {
        return vec![ConfigFile::json(places.project.join(".claude/settings.json"), settings)];
    }
    // Its rules know our server by its name only, so our hook looks at each call of it, in every mode.
    settings.push(Entry::member(&["permissions", "allow"], format!("mcp__{server}")));
    if !options.all {
        let group = json!({"matcher": format!("mcp__{server}__.*"), "hooks": [blocking(options, HOOK)]});
        settings.push(Entry::Hook { event: "PreToolUse", group });
    }
    let state = personal_files(Agent::Claude, &places.home, |name| places.env.get(name).map(OsStr::to_owned));
    let entry = Entry::set(&["mcpServers", server], own::entry(Agent::Claude, &options.program));
    let state = state.into_iter().map(|file| ConfigFile::json(file, vec![entry.clone()]));
    std::iter::once(ConfigFile::json(folder(places).join("settings.json"), settings)).chain(state).collect()
}

pub(super) fn folder(places: &Places) -> PathBuf {
    places.folder(Agent::Claude)
}

/// A hook that asks. If it exceeds its limit, the call is refused.
fn blocking(options: &Options, hook: &str) -> Value {
    json!({"type": "command", "command": options.asks(hook), "timeout": options.limit(), "onFailure": "block"})
}

/// Its settings for this folder, the weakest first.
pub(super) fn settings_files(places: &Places) -> [PathBuf; 4] {
    let project = places.project.join(".claude");
    let own = folder(places).join("settings.json");
    let managed = PathBuf::from("/etc/claude-code/managed-settings.json");
    [own, project.join("settings.json"), project.join("settings.local.json"), managed]
}

/// The mode in which it starts in this folder; without a word in any settings it is auto mode.
pub(super) fn mode(places: &Places) -> String {
    let [own, project, local, managed] = settings_files(places);
    let named = [managed, local, project, own].iter().find_map(|file| mode_in(file));
    named.unwrap_or_else(|| "auto".to_owned())
}

fn mode_in(settings: &Path) -> Option<String> {
    let text = super::read(settings).ok()??;
    let settings = super::json::value(&text).ok()?;
    let mode = settings.pointer("/permissions/defaultMode")?.as_str()?;
    Some(Visible::line(mode).into_string())
}

/// Whether its windows start in auto mode, in which it asks almost nothing.
pub fn starts_in_auto_mode(places: &Places) -> bool {
    mode(places) == "auto"
}

/// The mode in which this version of it starts, as the person knows it.
pub(super) fn mode_of(version: &str, places: &Places) -> String {
    let numbers = version.split(|c: char| !c.is_ascii_digit()).take(3);
    let numbers: Vec<u32> = numbers.filter_map(|number| number.parse().ok()).collect();
    match mode(places).as_str() {
        "auto" if numbers.len() == 3 && numbers.as_slice() < FIRST_IN_AUTO_MODE.as_slice() => {
            "manual".to_owned()
        }
        "default" => "manual".to_owned(),
        mode => mode.to_owned(),
    }
}

fn hooks(options: &Options) -> Vec<Entry> {
    let group = |hook: Value| json!({"matcher": "*", "hooks": [hook]});
    let asks = json!({"type": "command", "command": options.asks(HOOK), "timeout": options.limit()});
    let mut entries = vec![if options.all {
        Entry::Hook { event: "PreToolUse", group: group(blocking(options, HOOK)) }
    } else {
        Entry::Hook { event: "PermissionRequest", group: group(asks.clone()) }
    }];
    if options.warned {
        entries.push(Entry::Hook { event: "PermissionDenied", group: group(asks.clone()) });
        entries.push(Entry::Hook { event: "PreToolUse", group: group(blocking(options, HOOK_WARNED)) });
    }
    entries.push(Entry::Hook { event: "Elicitation", group: group(asks) });
    let tells = |event: &str| {
        let mut hook =
            json!({"type": "command", "command": options.tells(Agent::Claude, event), "timeout": 30});
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

/// What to know about auto mode.
const AUTO_MODE: &str = "Its windows start in auto mode, in which another model decides instead of you, so it asks almost nothing.";

/// What is left after it is disconnected.
pub(super) fn notes_on_leaving(places: &Places) -> Vec<String> {
    let mode = mode_in(&folder(places).join("settings.json"));
    let manual = matches!(mode.as_deref(), Some("default" | "manual"));
    let note = "Its windows still start in manual mode; `permissions.defaultMode` in its settings says so.";
    manual.then(|| note.to_owned()).into_iter().collect()
}

pub(super) fn notes(options: &Options, places: &Places) -> Vec<String> {
    let asked = if options.all {
        "It asks here before every tool it uses."
    } else {
        "It asks here where it would ask you itself; its own dialog stays open too, and you can answer in either."
    };
    let mut notes = vec![asked.to_owned()];
    if options.warned {
        let warned = "In every mode it asks here before calls that sayso warns about. If auto mode refused a call, you \
            can allow it here.";
        notes.push(warned.to_owned());
    } else if options.manual {
        notes.push("Its windows start in manual mode from now on, in which it asks. If it offers auto mode again, say no.".to_owned());
    } else if !options.all && starts_in_auto_mode(places) {
        notes.push(format!(
            "{AUTO_MODE} `sayso connect claude --manual` makes it ask you. With `--warned` auto mode \
            stays, and it asks here before calls that sayso warns about."
        ));
    }
    if options.project {
        notes.push("Claude Code reads a project's hooks once you trust its folder.".to_owned());
    }
    notes.push("Sessions already running pick it up when restarted.".to_owned());
    notes
}
