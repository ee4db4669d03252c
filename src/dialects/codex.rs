//! Codex. Its hooks name tools as Claude Code does, and its shell tool calls itself `Bash` there.

use super::Arg::{Command, Contents, Patch, Path, Sandbox, Several, Words};
use super::{
    Dialect, Does, Files, Home, HookPoint, Point, ServerTools, ServersIn, Takes, Tool, Unanswered, claude,
};

pub(super) const DIALECT: Dialect = Dialect {
    word: "codex",
    name: "Codex",
    hook_name: "codex",
    tried_with: "0.169.0",
    tools: &[
        Tool {
            name: "Bash",
            does: Does::Shell,
            args: &[
                ("command", Command),
                ("description", Words),
                ("additionalPermissions", Sandbox),
                ("environmentId", Sandbox),
            ],
            // Its hooks are told only the command; the event's folder is that of the session. Its app-server tells the
            // folder, and asks about permissions each time.
            untold: &["workdir", "shell", "sandbox_permissions"],
        },
        // With `--all`, hooks are not even told that it writes into a shell that runs.
        Tool::new("write_stdin", Does::Input, &[]),
        Tool::new(
            "apply_patch",
            Does::Edit,
            &[
                // By its hooks.
                ("command", Patch),
                // By its app-server, as we put it.
                ("file_path", Path),
                ("content", Contents),
                ("edits", Contents),
                ("diff", Contents),
                ("moved_to", Path),
                ("changes", Several),
                ("description", Words),
            ],
        ),
        Tool::new("request_user_input", Does::Question, &[]),
    ],
    server_tools: ServerTools::Doubled,
    servers: ServersIn {
        key: "mcp_servers",
        person: &["config.toml"],
        beside_folder: false,
        project: &[".codex/config.toml"],
        elsewhere: &[".codex/agents"],
        flags: &[],
    },
    events: &[claude::EVENTS],
    unnamed_event: Some("PreToolUse"),
    points: &[
        // It rejects `ask`, and `allow` without changed input, as unsupported, and then runs the command.
        Point::new(HookPoint::PreToolUse, &[Takes::Edit], Unanswered::Runs),
        Point::new(HookPoint::PermissionRequest, &[Takes::Allow], Unanswered::AskedThere),
        Point::new(HookPoint::Approval, &[Takes::Allow, Takes::Stop], Unanswered::AskedThere),
        Point::new(HookPoint::Permissions, &[Takes::Allow], Unanswered::AskedThere),
        Point::new(HookPoint::Input, &[], Unanswered::AskedThere),
        Point::new(HookPoint::Form, &[Takes::Allow], Unanswered::AskedThere),
    ],
    takes_context_after: true,
    limit_per_second: Some(1),
    home: Home { variable: "CODEX_HOME", below: "", usual: ".codex" },
    files: Files { project: &[".codex"], instructions: &["AGENTS.md", "AGENTS.override.md"] },
};
