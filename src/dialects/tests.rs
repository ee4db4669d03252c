//! What other rooms rely on, and what is read from calls.

use super::*;
use serde_json::{Value, json};

#[test]
fn each_row_is_whole() {
    for agent in Agent::ALL {
        let dialect = agent.dialect();
        assert_eq!(Agent::by_hook_name(dialect.hook_name), Some(agent));
        for (event, meaning) in dialect.events() {
            if let Meaning::Asks(at) = meaning {
                assert!(dialect.point(at).is_some(), "{agent:?}: no answer for {event}");
            }
        }
        if let Some(name) = dialect.unnamed_event {
            assert!(dialect.events().any(|(event, _)| event == name), "{agent:?} {name}");
        }
        for tool in dialect.tools {
            let count = |kind| tool.args_that_are(kind).count();
            let expected = usize::from(tool.does == Does::Shell);
            assert_eq!(count(Arg::Command), expected, "{agent:?} {}", tool.name);
            assert!(count(Arg::Folder) <= expected, "{agent:?} {}", tool.name);
            let names: std::collections::BTreeSet<_> = tool.args.iter().map(|(name, _)| name).collect();
            assert_eq!(names.len(), tool.args.len(), "{agent:?} {}: an argument twice", tool.name);
        }
        let names: std::collections::BTreeSet<_> = dialect.tools.iter().map(|tool| tool.name).collect();
        assert_eq!(names.len(), dialect.tools.len(), "{agent:?}: a tool twice");
    }
}

#[test]
fn what_a_call_changes_is_read_in_full() {
    let patch = |lines: &str| json!({"command": format!("*** Begin Patch\n{lines}\n*** End Patch\n")});
    let written = |paths: &[&str]| -> Option<Vec<Edited>> {
        Some(paths.iter().map(|path| Edited::Written((*path).to_owned())).collect())
    };
    let moved = |paths: &[&str]| -> Option<Vec<Edited>> {
        Some(paths.iter().map(|path| Edited::Moved((*path).to_owned())).collect())
    };
    let check = |agent: Agent, tool: &str, args: Value, expected: Option<Vec<Edited>>| {
        let tool = agent.dialect().tool(tool).unwrap();
        assert_eq!(edited(tool, args.as_object().unwrap()), expected, "{args}");
    };
    let (claude, codex) = (Agent::Claude, Agent::Codex);
    check(claude, "Write", json!({"file_path": "a", "content": "x"}), written(&["a"]));
    check(claude, "Write", json!({"file_path": "a", "content": "x", "mode": 3}), None);
    check(claude, "Write", json!({"content": "x"}), None);
    check(claude, "Write", json!({"file_path": ["a"]}), None);
    check(claude, "Bash", json!({"command": "x"}), None);
    check(claude, "Read", json!({"file_path": "a"}), None);
    check(Agent::Opencode, "edit", json!({"filePath": "a", "filepath": "b"}), written(&["a", "b"]));
    check(Agent::Gemini, "replace", json!({"file_path": "a", "instruction": "i"}), written(&["a"]));
    check(
        codex,
        "apply_patch",
        patch("*** Add File: a\n+x\n*** Update File: b/c\n@@\n-*** x\n+y"),
        written(&["a", "b/c"]),
    );
    check(codex, "apply_patch", patch("*** Delete File: a"), moved(&["a"]));
    check(
        codex,
        "apply_patch",
        patch("*** Update File: a\n*** Move to: ../b\n@@\n x"),
        moved(&["a", "../b"]),
    );
    check(codex, "apply_patch", patch("  *** Add File: a\n+x"), written(&["a"]));
    check(codex, "apply_patch", patch("*** Environment ID: x\n*** Add File: a"), None);
    check(codex, "apply_patch", json!({"command": "*** Add File: a"}), None);
    check(codex, "apply_patch", json!({"file_path": "a", "content": "x"}), written(&["a"]));
    check(codex, "apply_patch", json!({"file_path": "a", "moved_to": "b"}), moved(&["a", "b"]));
    check(codex, "apply_patch", json!({"file_path": "a", "delete": true}), moved(&["a"]));
    check(codex, "apply_patch", json!({"file_path": "a", "grantRoot": "/"}), None);
    let several = json!({"changes": [{"file_path": "a", "diff": "x"}, {"file_path": "b", "edits": []}]});
    check(codex, "apply_patch", several, written(&["a", "b"]));
    check(codex, "apply_patch", json!({"changes": [{"file_path": "a"}, {"other": "b"}]}), None);
}

fn server(name: &str) -> Server {
    Server { name: name.to_owned(), file: "x".into(), is_personal: true, entry: json!({}) }
}

#[test]
fn a_server_s_tool_is_told_by_its_name() {
    let servers = ["git.hub", "git_hub_two", "x"].map(server);
    for (agent, tool, expected) in [
        (Agent::Claude, "mcp__git_hub__list", Some("git.hub")),
        (Agent::Claude, "mcp__git_hub_two__list", Some("git_hub_two")),
        (Agent::Codex, "mcp__y__list", None),
        (Agent::Gemini, "mcp_x_list", Some("x")),
        (Agent::Gemini, "x_list", None),
        (Agent::Opencode, "x_list", Some("x")),
        // It may be of either.
        (Agent::Opencode, "git_hub_two_list", None),
        (Agent::Opencode, "git_hub_list", Some("git.hub")),
    ] {
        let found = server_of(agent, tool, &servers).map(|server| server.name.as_str());
        assert_eq!(found, expected, "{tool}");
    }
}

#[test]
fn servers_are_found_wherever_they_are_defined() {
    for (agent, person, project, text) in [
        (Agent::Claude, ".claude.json", ".mcp.json", r#"{"mcpServers": {"NAME": {"command": "x"}}}"#),
        (Agent::Claude, ".claude.json", ".mcp.json", r#"{"projects": {"/a": {"mcpServers": {"NAME": {}}}}}"#),
        (Agent::Codex, ".codex/config.toml", ".codex/config.toml", "[mcp_servers.NAME]\ncommand = 'x'\n"),
        (
            Agent::Gemini,
            ".gemini/settings.json",
            ".gemini/settings.json",
            r#"{"mcpServers": {"NAME": {}}} // mine"#,
        ),
        (Agent::Opencode, ".config/opencode/opencode.jsonc", "opencode.json", r#"{"mcp": {"NAME": {}}}"#),
    ] {
        let home = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            let path = home.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let found = || {
            let person = personal_files(agent, home.path(), |_| None);
            let found = servers(agent, &person, Some(&home.path().join("work/app/src")));
            found.map(|found| {
                found.into_iter().map(|server| (server.name, server.is_personal)).collect::<Vec<_>>()
            })
        };
        assert_eq!(found(), Ok(Vec::new()), "{agent:?}");
        put(person, &text.replace("NAME", "mine"));
        put(&format!("work/{project}"), &text.replace("NAME", "theirs"));
        let expected = vec![("mine".to_owned(), true), ("theirs".to_owned(), false)];
        assert_eq!(found(), Ok(expected), "{agent:?} {text}");
        put(&format!("work/app/{project}"), "{ torn");
        assert!(found().is_err(), "{agent:?}: it cannot be read");
    }
}

#[test]
fn what_may_define_servers_in_its_own_way_is_told() {
    let home = tempfile::tempdir().unwrap();
    let agents = home.path().join("app/.claude/agents");
    std::fs::create_dir_all(&agents).unwrap();
    let found = || servers(Agent::Claude, &[], Some(&home.path().join("app")));
    std::fs::write(agents.join("a.md"), "---\nname: a\n---\n").unwrap();
    assert_eq!(found(), Ok(Vec::new()));
    std::fs::write(agents.join("b.md"), "---\nmcpServers:\n  - x: {}\n---\n").unwrap();
    assert!(found().is_err());
}

#[test]
fn what_steers_an_agent_is_known_by_its_name() {
    for name in ["AGENTS.md", "claude.MD", "Opencode.json", "GEMINI.md", ".claude", ".mcp.json"] {
        assert!(steers(name), "{name}");
    }
    for name in ["README.md", "claude", "package.json"] {
        assert!(!steers(name), "{name}");
    }
}
