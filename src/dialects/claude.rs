//! Claude Code.

use super::Arg::{Command, Contents, Limit, Path, Plain, Sandbox, Several, Words};
use super::Meaning::{Asks, Ran, Reached};
use super::{
    Dialect, Does, Ends, Events, Files, Home, HookPoint, Moment, Point, ServerTools, ServersIn, Takes, Tool,
    Unanswered,
};

/// The events of its hooks, for those who send the same.
pub(super) const EVENTS: Events = &[
    ("PermissionRequest", Asks(HookPoint::PermissionRequest)),
    ("PreToolUse", Asks(HookPoint::PreToolUse)),
    ("PostToolUse", Ran),
    ("PostToolUseFailure", Ran),
    ("SessionStart", Reached(Moment::Started, Ends::Nothing)),
    ("UserPromptSubmit", Reached(Moment::Prompted, Ends::Turn)),
    ("Notification", Reached(Moment::Notified, Ends::Nothing)),
    ("Stop", Reached(Moment::TurnEnded, Ends::Turn)),
    ("StopFailure", Reached(Moment::TurnEnded, Ends::Turn)),
    ("SubagentStop", Reached(Moment::HelperEnded, Ends::Turn)),
    ("SessionEnd", Reached(Moment::Ended, Ends::Session)),
];

pub(super) const DIALECT: Dialect = Dialect {
    word: "claude",
    name: "Claude Code",
    hook_name: "claude-code",
    tried_with: "2.1.327",
    tools: &[
        Tool::new(
            "Bash",
            Does::Shell,
            &[
                ("command", Command),
                ("description", Words),
                ("timeout", Limit),
                ("dangerouslyDisableSandbox", Sandbox),
            ],
        ),
        // It runs a command for as long as the session lasts.
        Tool::new(
            "Monitor",
            Does::Shell,
            &[("command", Command), ("description", Words), ("timeout_ms", Limit)],
        ),
        Tool::new("Write", Does::Edit, &[("file_path", Path), ("content", Contents)]),
        Tool::new(
            "Edit",
            Does::Edit,
            &[
                ("file_path", Path),
                ("old_string", Contents),
                ("new_string", Contents),
                ("replace_all", Contents),
            ],
        ),
        Tool::new("MultiEdit", Does::Edit, &[("file_path", Path), ("edits", Contents)]),
        Tool::new(
            "NotebookEdit",
            Does::Edit,
            &[
                ("notebook_path", Path),
                ("cell_id", Contents),
                ("new_source", Contents),
                ("cell_type", Contents),
                ("edit_mode", Contents),
            ],
        ),
        Tool::new(
            "Read",
            Does::Read,
            &[
                ("file_path", Path),
                ("offset", Plain),
                ("limit", Plain),
                ("pages", Plain),
                ("allow_large", Plain),
            ],
        ),
        Tool::new(
            "Grep",
            Does::Read,
            &[
                ("pattern", Plain),
                ("path", Path),
                ("glob", Path),
                ("type", Plain),
                ("output_mode", Plain),
                ("-A", Plain),
                ("-B", Plain),
                ("-C", Plain),
                ("-i", Plain),
                ("-n", Plain),
                ("context", Plain),
                ("multiline", Plain),
                ("head_limit", Plain),
                ("offset", Plain),
            ],
        ),
        Tool::new("Glob", Does::Read, &[("pattern", Path), ("path", Path)]),
        Tool::new("LS", Does::Read, &[("path", Path), ("ignore", Path)]),
        Tool::new("NotebookRead", Does::Read, &[("notebook_path", Path), ("cell_id", Plain)]),
        Tool::new("AskUserQuestion", Does::Question, &[("questions", Several)]),
        Tool::new("ExitPlanMode", Does::Plan, &[]),
    ],
    server_tools: ServerTools::Doubled,
    servers: ServersIn {
        key: "mcpServers",
        person: &[".claude.json"],
        beside_folder: true,
        project: &[".mcp.json"],
        elsewhere: &[".claude/agents"],
        flags: &["--mcp-config", "--agents", "--plugin-dir"],
    },
    events: &[
        EVENTS,
        &[
            ("PermissionDenied", Asks(HookPoint::PermissionDenied)),
            ("Elicitation", Asks(HookPoint::Elicitation)),
        ],
    ],
    unnamed_event: Some("PreToolUse"),
    points: &[
        // `onFailure` in its settings makes it refuse.
        Point::new(
            HookPoint::PreToolUse,
            &[Takes::Allow, Takes::Edit, Takes::Ask, Takes::Stop],
            Unanswered::Refused,
        ),
        Point::new(
            HookPoint::PermissionRequest,
            &[Takes::Allow, Takes::Edit, Takes::Stop],
            Unanswered::AskedThere,
        ),
        Point::new(HookPoint::PermissionDenied, &[Takes::Allow], Unanswered::Refused),
        Point::new(HookPoint::Prompted, &[Takes::Allow, Takes::Edit, Takes::Stop], Unanswered::Refused),
        Point::new(HookPoint::Elicitation, &[Takes::Allow], Unanswered::AskedThere),
    ],
    takes_context_after: true,
    limit_per_second: Some(1),
    home: Home { variable: "CLAUDE_CONFIG_DIR", below: "", usual: ".claude" },
    files: Files {
        project: &[".claude", ".mcp.json"],
        instructions: &["CLAUDE.md", "CLAUDE.local.md", "AGENTS.md"],
    },
};
