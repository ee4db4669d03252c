//! Gemini CLI.

use super::Arg::{Command, Contents, Folder, Path, Plain, Sandbox, Words};
use super::Meaning::{Asks, Ran, Reached};
use super::{
    Dialect, Does, Ends, Files, Home, HookPoint, Moment, Point, ServerTools, ServersIn, Takes, Tool,
    Unanswered,
};

pub(super) const DIALECT: Dialect = Dialect {
    word: "gemini",
    name: "Gemini CLI",
    hook_name: "gemini",
    tried_with: "0.61.0",
    tools: &[
        Tool::new(
            "run_shell_command",
            Does::Shell,
            &[
                ("command", Command),
                ("dir_path", Folder),
                ("description", Words),
                ("additional_permissions", Sandbox),
            ],
        ),
        Tool::new("write_file", Does::Edit, &[("file_path", Path), ("content", Contents)]),
        Tool::new(
            "replace",
            Does::Edit,
            &[
                ("file_path", Path),
                ("instruction", Words),
                ("old_string", Contents),
                ("new_string", Contents),
                ("allow_multiple", Contents),
            ],
        ),
        Tool::new(
            "read_file",
            Does::Read,
            &[("file_path", Path), ("start_line", Plain), ("end_line", Plain)],
        ),
        Tool::new(
            "read_many_files",
            Does::Read,
            &[("include", Path), ("exclude", Path), ("recursive", Plain), ("useDefaultExcludes", Plain)],
        ),
        Tool::new("list_directory", Does::Read, &[("dir_path", Path), ("ignore", Path)]),
        Tool::new(
            "grep_search",
            Does::Read,
            &[
                ("pattern", Plain),
                ("dir_path", Path),
                ("include_pattern", Path),
                ("exclude_pattern", Plain),
                ("names_only", Plain),
                ("max_matches_per_file", Plain),
                ("total_max_matches", Plain),
                ("case_sensitive", Plain),
                ("fixed_strings", Plain),
                ("context", Plain),
                ("before", Plain),
                ("after", Plain),
            ],
        ),
        Tool::new(
            "glob",
            Does::Read,
            &[
                ("pattern", Path),
                ("dir_path", Path),
                ("case_sensitive", Plain),
                ("respect_git_ignore", Plain),
                ("respect_gemini_ignore", Plain),
            ],
        ),
    ],
    server_tools: ServerTools::Single,
    servers: ServersIn {
        key: "mcpServers",
        person: &["settings.json"],
        beside_folder: false,
        project: &[".gemini/settings.json"],
        elsewhere: &[".gemini/agents"],
        flags: &[],
    },
    events: &[&[
        ("BeforeTool", Asks(HookPoint::BeforeTool)),
        ("AfterTool", Ran),
        ("SessionStart", Reached(Moment::Started, Ends::Nothing)),
        ("BeforeAgent", Reached(Moment::Prompted, Ends::Nothing)),
        ("Notification", Reached(Moment::Notified, Ends::Nothing)),
        ("AfterAgent", Reached(Moment::TurnEnded, Ends::Turn)),
        ("SessionEnd", Reached(Moment::Ended, Ends::Session)),
    ]],
    unnamed_event: Some("BeforeTool"),
    points: &[Point::new(HookPoint::BeforeTool, &[Takes::Allow, Takes::Edit, Takes::Stop], Unanswered::Runs)],
    takes_context_after: false,
    limit_per_second: Some(1000),
    home: Home { variable: "GEMINI_CLI_HOME", below: ".gemini", usual: ".gemini" },
    files: Files { project: &[".gemini"], instructions: &["GEMINI.md", "AGENTS.md"] },
};
