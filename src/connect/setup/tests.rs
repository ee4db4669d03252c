//! Typical configs, connected and disconnected again.

use super::*;
use crate::dialects::ServerTools;
use crate::tools::process::Process;
use serde_json::{Value, json};
use tempfile::TempDir;

struct Machine {
    home: TempDir,
}

impl Machine {
    fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap() }
    }

    fn places(&self) -> Places {
        let env: Env = [("CLAUDE_CONFIG_DIR", self.path(".claude").into_os_string())].into_iter().collect();
        Places { home: self.home.path().to_owned(), project: self.path("project"), env }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn put(&self, name: &str, text: &str) {
        std::fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        std::fs::write(self.path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.path(name)).ok()
    }

    fn carry_out(&self, plan: &Plan) {
        write(&plan.changes, jiff::Timestamp::UNIX_EPOCH).unwrap();
    }

    fn connect(&self, agent: Agent, options: &Options) -> Plan {
        let plan = connect(agent, options, &self.places()).unwrap();
        self.carry_out(&plan);
        plan
    }
}

fn options() -> Options {
    let program = vec!["/opt/my tools/sayso".to_owned()];
    Options { project: false, all: false, warned: false, manual: false, patience: 590, program }
}

/// Hand-written settings, in several styles.
const SETTINGS: &[&str] = &[
    "{}\n",
    "{ }",
    "{\"model\":\"opus\"}",
    "{\n  \"model\": \"opus\",\n  \"hooks\": {}\n}\n",
    "{\n    // mine\n    \"permissions\": {\n        \"allow\": [\"Bash(ls:*)\"], // listing\n        \"deny\": []\n    },\n}\n",
    "{\n  \"hooks\": {\n    \"PermissionRequest\": [\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [{\"type\": \"command\", \
     \"command\": \"./mine.sh\"}] // keep\n      }\n    ],\n    \"Stop\": [{\"hooks\": [{\"type\": \"command\", \
     \"command\": \"say done\"}]}]\n  }\n}\n",
    "{\"hooks\": {\"PermissionRequest\": [{\"hooks\": [{\"command\": \"./mine.sh\"}]}], \"PreCompact\": []}}",
    "{\"hooks\": {\"PreToolUse\": [], \"PermissionRequest\": [], \"BeforeTool\": []}, \"permissions\": {\"allow\": []}, \
     \"mcpServers\": {}, \"mcp\": {}}",
    "{\n  \"permission\": \"ask\" // every time\n}\n",
    "{\r\n\t\"env\": {\"A\": \"1\"}\r\n}\r\n",
    "/* head */\n{\n  \"permissions\": {\"allow\": [\n    \"Read\"\n  ]}\n}",
];

fn files_of(agent: Agent) -> Vec<&'static str> {
    match agent {
        Agent::Claude => vec![".claude/settings.json", ".claude/.claude.json"],
        Agent::Codex => vec![".codex/hooks.json"],
        Agent::Opencode => vec![".config/opencode/opencode.jsonc"],
        Agent::Gemini => vec![".gemini/settings.json"],
    }
}

#[test]
fn what_was_there_is_there_after_removing() {
    for agent in Agent::ALL {
        for before in SETTINGS {
            let machine = Machine::new();
            for name in files_of(agent) {
                machine.put(name, before);
            }
            let plan = machine.connect(agent, &options());
            assert!(plan.changes.iter().all(Change::is_something), "{agent:?} {before}");
            let again = connect(agent, &options(), &machine.places()).unwrap();
            assert!(!again.changes.iter().any(Change::is_something), "{agent:?} {before}: twice");
            let other = connect(agent, &Options { all: true, ..options() }, &machine.places()).unwrap();
            machine.carry_out(&other);
            machine.carry_out(&disconnect(agent, &options(), &machine.places()).unwrap());
            for name in files_of(agent) {
                let after = machine.read(name).unwrap_or_else(|| "{}".to_owned());
                assert_eq!(plain(&after), plain(before), "{agent:?} {name} {before}\n{after}");
                for comment in ["// mine", "// listing", "// keep", "// every time", "/* head */"] {
                    assert_eq!(
                        after.contains(comment),
                        before.contains(comment),
                        "{agent:?} {before}\n{after}"
                    );
                }
            }
        }
    }
}

/// The contents of a config.
fn plain(text: &str) -> Value {
    let root = jsonc_parser::cst::CstRootNode::parse(text, &jsonc_parser::ParseOptions::default()).unwrap();
    root.to_serde_value().unwrap()
}

#[test]
fn what_a_person_adds_to_our_entries_stays() {
    for (agent, file, event, of_server) in [
        (Agent::Claude, ".claude/settings.json", Some("PermissionRequest"), false),
        (Agent::Claude, ".claude/.claude.json", None, true),
        (Agent::Codex, ".codex/hooks.json", Some("PermissionRequest"), false),
        (Agent::Opencode, ".config/opencode/opencode.json", None, true),
        (Agent::Gemini, ".gemini/settings.json", Some("BeforeTool"), true),
    ] {
        let machine = Machine::new();
        machine.connect(agent, &options());
        let mut config = plain(&machine.read(file).unwrap());
        if let Some(event) = event {
            config["hooks"][event][0]["hooks"][0]["note"] = json!("mine");
        }
        if of_server {
            let server = name_in(agent, &machine.places()).unwrap();
            config[agent.dialect().servers.key][server]["env"] = json!({"A": "1"});
        }
        machine.put(file, &config.to_string());
        machine.connect(agent, &Options { program: vec!["/opt/new".to_owned()], ..options() });
        let text = machine.read(file).unwrap();
        assert!(!text.contains("/opt/my tools") && text.contains("/opt/new"), "{text}");
        assert_eq!(text.contains("\"note\":\"mine\""), event.is_some(), "{text}");
        assert_eq!(text.contains("\"env\":{\"A\":\"1\"}"), of_server, "{text}");
    }
    let machine = Machine::new();
    machine.connect(Agent::Codex, &options());
    let mine = "env = { A = \"1\" } # mine\n";
    let config = machine.read(".codex/config.toml").unwrap();
    machine.put(".codex/config.toml", &format!("{config}{mine}"));
    machine.connect(Agent::Codex, &Options { program: vec!["/opt/new".to_owned()], ..options() });
    let text = machine.read(".codex/config.toml").unwrap();
    assert!(text.contains(mine) && text.contains("/opt/new") && !text.contains("/opt/my tools"), "{text}");
}

#[test]
fn a_person_s_own_hooks_stay_beside_ours() {
    let machine = Machine::new();
    machine.put(".claude/settings.json", SETTINGS[5]);
    machine.connect(Agent::Claude, &options());
    let settings = plain(&machine.read(".claude/settings.json").unwrap());
    let asks = settings["hooks"]["PermissionRequest"].as_array().unwrap();
    assert_eq!(asks[0]["hooks"][0]["command"], "./mine.sh");
    let ours = asks[1]["hooks"][0]["command"].as_str().unwrap();
    assert!(
        ours.starts_with("'/opt/my tools/sayso' request --hook claude-code --timeout 590 ||")
            && ours.contains("exit 2"),
        "{ours}"
    );
    assert_eq!(settings["hooks"]["Stop"].as_array().unwrap().len(), 2);
    let server = name_in(Agent::Claude, &machine.places()).unwrap();
    assert_eq!(settings["permissions"]["allow"], json!([format!("mcp__{server}")]));
    assert_eq!(settings["hooks"]["PreToolUse"][0]["matcher"], format!("mcp__{server}__.*"));
    let state = plain(&machine.read(".claude/.claude.json").unwrap());
    assert_eq!(state["mcpServers"][server]["args"], json!(["mcp"]));
    // A hook of ours that a person put into their own group is removed without the group.
    let mixed = r#"{"hooks": {"PreToolUse": [{"hooks": [{"command": "a"}, {"command": "sayso request --hook claude-code"}]}]}}"#;
    machine.put(".claude/settings.json", mixed);
    machine.carry_out(&disconnect(Agent::Claude, &options(), &machine.places()).unwrap());
    let settings = plain(&machine.read(".claude/settings.json").unwrap());
    assert_eq!(settings, json!({"hooks": {"PreToolUse": [{"hooks": [{"command": "a"}]}]}}));
}

/// The end of a turn must not overtake the outcome of its last call.
#[test]
fn what_ends_a_question_is_told_in_order() {
    let machine = Machine::new();
    machine.connect(Agent::Claude, &options());
    let settings = plain(&machine.read(".claude/settings.json").unwrap());
    let told =
        ["PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "Stop", "StopFailure", "SubagentStop"];
    for event in told {
        let hook = &settings["hooks"][event][0]["hooks"][0];
        assert!(hook["command"].is_string() && hook.get("async").is_none(), "{event}: {hook}");
    }
}

/// What a hook prints when a prompt is sent would be taken for the person's words.
#[test]
fn what_only_reports_says_nothing_but_after_a_call() {
    for (agent, file) in [
        (Agent::Claude, ".claude/settings.json"),
        (Agent::Codex, ".codex/hooks.json"),
        (Agent::Gemini, ".gemini/settings.json"),
    ] {
        let machine = Machine::new();
        machine.connect(agent, &options());
        let config = plain(&machine.read(file).unwrap());
        for (event, groups) in config["hooks"].as_object().unwrap() {
            let hook = groups[0]["hooks"][0]["command"].as_str().unwrap();
            let speaks = !hook.contains(">/dev/null 2>&1");
            let reports = hook.ends_with("|| true");
            let ran = ["PostToolUse", "PostToolUseFailure"].contains(&event.as_str());
            assert_eq!(speaks, !reports || ran, "{agent:?} {event}: {hook}");
        }
    }
}

#[test]
fn what_claude_code_s_own_rules_allow_is_told() {
    let machine = Machine::new();
    machine.connect(Agent::Claude, &options());
    let remarks =
        |all| super::silent::remarks(Agent::Claude, &Options { all, ..options() }, &machine.places());
    let told = |all| remarks(all).iter().any(|remark| remark.contains("its own rules"));
    assert!(!told(false), "our own rule is none of the person's");
    let rules = ["Bash(npm test:*)", "Edit", "Read", "a", "b", "c", "d"];
    let settings = json!({"permissions": {"allow": rules}}).to_string();
    machine.put("project/.claude/settings.local.json", &settings);
    let expected =
        "its own rules let it do without asking: `Bash(npm test:*)`, `Edit`, `Read`, `a`, `b` and 2 more";
    assert!(remarks(false).contains(&expected.to_owned()), "{:?}", remarks(false));
    assert!(!told(true), "before every tool it is asked here first");
}

#[test]
fn a_program_by_any_name_is_removed_again() {
    let machine = Machine::new();
    let options = Options { program: vec!["/opt/so".to_owned()], ..options() };
    let plan = machine.connect(Agent::Claude, &options);
    machine.carry_out(&disconnect(Agent::Claude, &options, &machine.places()).unwrap());
    assert!(plan.changes.iter().all(|change| !change.path.exists()), "{plan:?}");
}

#[test]
fn files_of_our_own_are_made_and_taken_away() {
    for agent in Agent::ALL {
        for project in [false, true] {
            let machine = Machine::new();
            let options = Options { project, ..options() };
            let plan = machine.connect(agent, &options);
            assert!(plan.changes.iter().all(|change| change.before.is_none() && change.path.exists()));
            let inside = if project { machine.path("project") } else { machine.home.path().to_owned() };
            assert!(plan.changes.iter().all(|change| change.path.starts_with(&inside)), "{plan:?}");
            machine.carry_out(&disconnect(agent, &options, &machine.places()).unwrap());
            assert!(plan.changes.iter().all(|change| !change.path.exists()), "{agent:?} {project}");
        }
    }
}

#[test]
fn a_toml_config_keeps_its_comments() {
    for before in [
        "",
        "# mine\nmodel = \"gpt\" # the best\n\n[mcp_servers.other]\ncommand = \"x\"\n",
        "[features]\na = true\n# the end\n",
        "mcp_servers = {}\n",
    ] {
        let machine = Machine::new();
        machine.put(".codex/config.toml", before);
        machine.connect(Agent::Codex, &options());
        let text = machine.read(".codex/config.toml").unwrap();
        let config: ::toml::Table = text.parse().unwrap();
        let server = &config["mcp_servers"][&name_in(Agent::Codex, &machine.places()).unwrap()];
        assert_eq!(server["command"].as_str(), Some("/opt/my tools/sayso"), "{text}");
        assert_eq!(server["default_tools_approval_mode"].as_str(), Some("approve"));
        assert!(!connect(Agent::Codex, &options(), &machine.places()).unwrap().changes[1].is_something());
        machine.carry_out(&disconnect(Agent::Codex, &options(), &machine.places()).unwrap());
        let after = machine.read(".codex/config.toml").unwrap_or_default();
        assert_eq!(after.trim(), before.trim(), "{text}");
    }
}

#[test]
fn what_is_in_the_way_is_refused_and_stays() {
    for (name, text, expected) in [
        (".claude/settings.json", "{", "cannot be read as JSON"),
        (".claude/settings.json", "[]", "no JSON object"),
        (".claude/settings.json", "{\"hooks\": []}", "`hooks` is not an object"),
        (".claude/settings.json", "{\"permissions\": {\"allow\": \"all\"}}", "`allow` is not a list"),
    ] {
        let machine = Machine::new();
        machine.put(name, text);
        let refused = connect(Agent::Claude, &options(), &machine.places()).unwrap_err();
        assert!(refused.contains(expected) && refused.contains("settings.json"), "{refused}");
        assert_eq!(machine.read(name).unwrap(), text);
    }
    let machine = Machine::new();
    machine.put(".codex/config.toml", "a = [");
    assert!(connect(Agent::Codex, &options(), &machine.places()).unwrap_err().contains("TOML"));
    machine.put(".config/opencode/plugin/sayso.js", "// mine");
    assert!(connect(Agent::Opencode, &options(), &machine.places()).unwrap_err().contains("did not write"));
    // A file that changed in between is not overwritten.
    let machine = Machine::new();
    machine.put(".gemini/settings.json", "{}");
    let plan = connect(Agent::Gemini, &options(), &machine.places()).unwrap();
    machine.put(".gemini/settings.json", "{\"a\": 1}");
    assert!(write(&plan.changes, jiff::Timestamp::UNIX_EPOCH).unwrap_err().contains("another program"));
}

#[test]
fn links_are_followed_and_modes_kept() {
    use std::os::unix::fs::PermissionsExt;
    let machine = Machine::new();
    machine.put("dotfiles/settings.json", "{\"a\": 1}\n");
    let real = machine.path("dotfiles/settings.json");
    std::fs::set_permissions(&real, PermissionsExt::from_mode(0o640)).unwrap();
    std::fs::create_dir_all(machine.path(".gemini")).unwrap();
    std::os::unix::fs::symlink(&real, machine.path(".gemini/settings.json")).unwrap();
    machine.connect(Agent::Gemini, &options());
    assert!(machine.path(".gemini/settings.json").is_symlink());
    assert!(std::fs::read_to_string(&real).unwrap().contains("BeforeTool"));
    assert_eq!(std::fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
}

/// Whether a call certainly uses our own server.
fn is_ours(machine: &Machine, agent: Agent, tool: &str, process: Option<Process>) -> bool {
    let folder = machine.path("project/src");
    let call = ToolUse { agent, tool, folder: &folder, process };
    call.is_of_ours(&options().program, &machine.places())
}

/// Only Linux says what a process was started with.
fn process() -> Option<Process> {
    cfg!(target_os = "linux").then(Process::current)
}

#[test]
fn our_server_is_known_by_what_starts_it() {
    if process().is_none() {
        return;
    }
    for (agent, file, project) in [
        (Agent::Claude, ".claude/.claude.json", ".mcp.json"),
        (Agent::Codex, ".codex/config.toml", ".codex/config.toml"),
        (Agent::Opencode, ".config/opencode/opencode.json", "opencode.json"),
        (Agent::Gemini, ".gemini/settings.json", ".gemini/settings.json"),
    ] {
        let check = |what: &str, expected: bool, change: &dyn Fn(&Machine, &str)| {
            let machine = Machine::new();
            machine.connect(agent, &options());
            let name = name_in(agent, &machine.places()).unwrap();
            change(&machine, &name);
            let tool = format!("{}ask_person", agent.dialect().server_tools.prefix(&name));
            assert_eq!(is_ours(&machine, agent, &tool, process()), expected, "{agent:?}: {what}");
        };
        check("as it was written", true, &|_, _| {});
        let edit = |from: &'static str, to: &'static str| {
            move |machine: &Machine, _: &str| {
                let text = machine.read(file).unwrap();
                assert!(text.contains(from), "{text}");
                machine.put(file, &text.replace(from, to));
            }
        };
        check("other flags", false, &edit("\"mcp\"", "\"mcp\", \"--data\""));
        check("another program", false, &edit("/opt/my tools/sayso", "/tmp/evil"));
        let define = |name: &str| match agent {
            Agent::Codex => format!("[mcp_servers.{name}]\ncommand = '/tmp/evil'\n"),
            Agent::Claude | Agent::Gemini | Agent::Opencode => {
                json!({agent.dialect().servers.key: {name: {"command": "/tmp/evil"}}}).to_string()
            }
        };
        let in_project = |name: &str| format!("project/{name}");
        let same = |machine: &Machine, name: &str| machine.put(&in_project(project), &define(name));
        check("a project's server of the same name", false, &same);
        let other = |machine: &Machine, _: &str| machine.put(&in_project(project), &define("sayso"));
        check("a project's server of another name", true, &other);
        let longer = |machine: &Machine, name: &str| {
            machine.put(&in_project(project), &define(&format!("{name}_ask")))
        };
        let is_told_apart = agent.dialect().server_tools == ServerTools::Doubled;
        check("a project's server whose name goes on", is_told_apart, &longer);
        let torn = |machine: &Machine, _: &str| machine.put(&in_project(project), "{ torn");
        check("a project's config that cannot be read", false, &torn);
    }
}

/// The servers that projects brought along, each with a tool that deletes.
#[test]
fn a_server_named_like_ours_proves_nothing() {
    let machine = Machine::new();
    for agent in Agent::ALL {
        machine.connect(agent, &options());
        let prefix = |name: &str| agent.dialect().server_tools.prefix(name);
        for name in ["sayso", "sayso_", "sayso000000000000"] {
            let tool = format!("{}delete_all", prefix(name));
            assert!(!is_ours(&machine, agent, &tool, process()), "{agent:?} {tool}");
        }
        let name = name_in(agent, &machine.places()).unwrap();
        let tool = format!("{}ask_person", prefix(&name));
        // Without knowing how the agent was started, nothing is certain.
        assert!(!is_ours(&machine, agent, &tool, None), "{agent:?}");
        // Nor if its environment says something of that name.
        let env: Env =
            [("OPENCODE_CONFIG_CONTENT", format!("{{\"mcp\": {{{name:?}: {{}}}}}}"))].into_iter().collect();
        let places = Places { env, ..machine.places() };
        let folder = machine.path("project");
        let call = ToolUse { agent, tool: &tool, folder: &folder, process: process() };
        assert!(!call.is_of_ours(&options().program, &places), "{agent:?}");
    }
}

#[test]
fn an_agent_with_servers_from_its_command_line_is_not_trusted() {
    let machine = Machine::new();
    machine.connect(Agent::Claude, &options());
    let tool = format!("mcp__{}__ask_person", name_in(Agent::Claude, &machine.places()).unwrap());
    let mut agent = std::process::Command::new("sh")
        .args(["-c", "sleep 60; true", "claude", "--mcp-config=x.json"])
        .spawn()
        .unwrap();
    let process = Process::of(agent.id()).unwrap();
    while cfg!(target_os = "linux") && !process.has_argument("claude") {
        // Until it has executed the other program, it still looks like this one.
        std::thread::yield_now();
    }
    assert!(!is_ours(&machine, Agent::Claude, &tool, Some(process)));
    agent.kill().unwrap();
    agent.wait().unwrap();
}
