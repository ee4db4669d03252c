//! Why an agent asks less than its hook would let it, in this folder and with the settings it has here: hooks that are
//! switched off, modes and policies that never ask. From the agent's own files; what a program starts with, such as
//! `--yolo`, is not known here.

use super::opencode::asks_before;
use super::{Options, Places, claude, gemini, own};
use crate::dialects::{Agent, HookPoint, Unanswered, read_config};
use crate::text::Visible;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// How many of an agent's own rules are named.
const MOST_RULES: usize = 5;

/// The reasons, one sentence each; none if it asks wherever it is said to.
pub(super) fn reasons(agent: Agent, options: &Options, places: &Places) -> Vec<String> {
    match agent {
        Agent::Claude => claude_code(options, places),
        Agent::Codex => codex(options, places),
        Agent::Opencode => opencode(options, places),
        Agent::Gemini => gemini_cli(places),
    }
}

/// What there is to know besides, where it asks.
pub(super) fn remarks(agent: Agent, options: &Options, places: &Places) -> Vec<String> {
    let asks_at = match agent {
        Agent::Claude | Agent::Codex if options.all => HookPoint::PreToolUse,
        Agent::Claude | Agent::Codex => HookPoint::PermissionRequest,
        Agent::Opencode => HookPoint::Tool,
        Agent::Gemini => HookPoint::BeforeTool,
    };
    let without_answer = agent.dialect().point(asks_at).map(|point| point.unanswered);
    let runs = (without_answer == Some(Unanswered::Runs))
        .then_some("if its hook is killed or stopped by a signal, it runs the call");
    let of_its_own = match agent {
        Agent::Claude if !options.all => allowed_by_claude(places),
        Agent::Codex if options.all => {
            Some("it asks before every tool, but not before input to a shell that runs".to_owned())
        }
        Agent::Codex => Some(
            "it asks where it leaves its sandbox, and `codex exec` never does; --all makes it ask".to_owned(),
        ),
        Agent::Claude | Agent::Opencode | Agent::Gemini => None,
    };
    of_its_own.into_iter().chain(runs.map(str::to_owned)).collect()
}

/// What Claude Code does without asking because its own rules allow it.
fn allowed_by_claude(places: &Places) -> Option<String> {
    let files = settings(claude::settings_files(places));
    let rules = files.iter().filter_map(|(_, settings)| settings.pointer("/permissions/allow")?.as_array());
    let rules = rules.flatten().filter_map(Value::as_str).filter(|rule| !own::is_named_like_ours(rule));
    let rules: Vec<String> = rules.map(|rule| format!("`{}`", Visible::line(rule))).collect();
    let (shown, rest) = rules.split_at(rules.len().min(MOST_RULES));
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
    let words = format!("its own rules let it do without asking: {}{more}", shown.join(", "));
    (!rules.is_empty()).then_some(words)
}

/// Files as data, the weakest first; those that are missing or cannot be read say nothing.
fn settings(files: impl IntoIterator<Item = PathBuf>) -> Vec<(PathBuf, Value)> {
    files.into_iter().filter_map(|file| read_config(&file).ok().map(|settings| (file, settings))).collect()
}

/// What counts of a setting: what the last file with it says.
fn in_force<'a, T>(
    files: &'a [(PathBuf, Value)],
    read: impl Fn(&'a Value) -> Option<T>,
) -> Option<(&'a Path, T)> {
    files.iter().rev().find_map(|(file, settings)| Some((file.as_path(), read(settings)?)))
}

fn switched_off(file: &Path, by: &str) -> String {
    format!("`{by}` in {} switches its hook off", Visible::line(&file.display().to_string()))
}

fn claude_code(options: &Options, places: &Places) -> Vec<String> {
    let files = settings(claude::settings_files(places));
    let is_on = |settings: &Value, name: &str| settings.get(name) == Some(&Value::Bool(true));
    let off = files.iter().flat_map(|(file, settings)| {
        let names = ["disableAllHooks", "allowManagedHooksOnly"].into_iter();
        names.filter(|name| is_on(settings, name)).map(|name| switched_off(file, name))
    });
    let mut reasons: Vec<String> = off.collect();
    let asks_in_every_mode = options.all || options.warned;
    if claude::mode(places) == "bypassPermissions" && !asks_in_every_mode {
        reasons.push(
            "`permissions.defaultMode` in its settings makes it start in a mode that asks nothing".to_owned(),
        );
    }
    reasons
}

fn codex(options: &Options, places: &Places) -> Vec<String> {
    let person = places.folder(Agent::Codex).join("config.toml");
    // The nearest of a project's files counts most.
    let project: Vec<PathBuf> =
        places.project.ancestors().map(|folder| folder.join(".codex/config.toml")).collect();
    let files = settings(std::iter::once(person).chain(project.into_iter().rev()));
    let mut reasons = Vec::new();
    let hooks = in_force(&files, |settings| {
        let on = ["/features/hooks", "/features/codex_hooks"].iter().find_map(|path| settings.pointer(path));
        on?.as_bool()
    });
    if let Some((file, false)) = hooks {
        reasons.push(switched_off(file, "features.hooks"));
    }
    if let Some((file, policy)) = in_force(&files, |settings| settings.get("approval_policy"))
        && policy == "never"
        && !options.all
    {
        let file = file.display().to_string();
        reasons
            .push(format!("`approval_policy` in {} is \"never\", so it asks nothing", Visible::line(&file)));
    }
    reasons
}

fn opencode(options: &Options, places: &Places) -> Vec<String> {
    if options.all {
        return Vec::new();
    }
    let silent: Vec<&str> = [("bash", "runs commands"), ("edit", "changes files")]
        .into_iter()
        .filter(|(permission, _)| !asks_before(permission, places))
        .map(|(_, what)| what)
        .collect();
    if silent.is_empty() {
        return Vec::new();
    }
    vec![format!(
        "its `permission` settings don't say \"ask\" for it, so it {} without asking; `\"permission\": {{\"*\": \"ask\"}}` \
         in its config makes it ask, or `sayso connect opencode --all`",
        silent.join(" and ")
    )]
}

fn gemini_cli(places: &Places) -> Vec<String> {
    let system = places.env.get("GEMINI_CLI_SYSTEM_SETTINGS_PATH");
    let system = system.map_or_else(|| PathBuf::from("/etc/gemini-cli/settings.json"), PathBuf::from);
    let person = places.folder(Agent::Gemini).join("settings.json");
    let files = settings([person, places.project.join(".gemini/settings.json"), system]);
    let mut reasons = Vec::new();
    let enabled = in_force(&files, |settings| settings.pointer("/hooksConfig/enabled")?.as_bool());
    if let Some((file, false)) = enabled {
        reasons.push(switched_off(file, "hooksConfig.enabled"));
    }
    // These lists add up.
    for (file, settings) in &files {
        let disabled = settings.pointer("/hooksConfig/disabled").and_then(Value::as_array);
        let is_ours = |name: &Value| name.as_str().is_some_and(|name| name == gemini::NAME);
        if disabled.is_some_and(|names| names.iter().any(is_ours)) {
            reasons.push(switched_off(file, "hooksConfig.disabled"));
        }
    }
    reasons
}
