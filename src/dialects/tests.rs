//! What other rooms rely on, and what is read from calls.

use super::*;
use serde_json::{Value, json};

#[test]
fn each_row_is_whole() {
    for agent in Agent::ALL {
        let dialect = agent.dialect();
        assert_eq!(Agent::by_hook_name(dialect.hook_name), Some(agent));
        for (event, meaning) in dialect.events {
            if let Meaning::Asks(at) = meaning {
                assert!(dialect.point(*at).is_some(), "{agent:?}: no answer for {event}");
            }
        }
        if let Some(name) = dialect.unnamed_event {
            assert!(dialect.events.iter().any(|(event, _)| *event == name), "{agent:?} {name}");
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

#[test]
fn a_server_s_tool_is_told_by_its_name() {
    let servers = ["git.hub", "git_hub_two", "x"];
    let (doubled, single, bare) = (ServerTools::Doubled, ServerTools::Single, ServerTools::Bare);
    for (names, tool, expected) in [
        (doubled, "mcp__git_hub__list", Some("git.hub")),
        (doubled, "mcp__git_hub_two__list", Some("git_hub_two")),
        (doubled, "mcp__y__list", None),
        (single, "mcp_x_list", Some("x")),
        (single, "x_list", None),
        (bare, "x_list", Some("x")),
        // It may be of either.
        (bare, "git_hub_two_list", None),
        (bare, "git_hub_list", Some("git.hub")),
    ] {
        assert_eq!(names.server(tool, servers), expected, "{tool}");
    }
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
