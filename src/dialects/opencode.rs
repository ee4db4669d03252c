//! opencode, as our plugin passes its calls on.

use super::Arg::{Command, Contents, Folder, Limit, Path, Plain, Several, Words};
use super::Meaning::{Asks, Ran, Reached};
use super::{
    Dialect, Does, Ends, Files, Home, HookPoint, Moment, Point, ServerTools, ServersIn, Takes, Tool,
    Unanswered,
};

pub(super) const DIALECT: Dialect = Dialect {
    word: "opencode",
    name: "opencode",
    hook_name: "opencode",
    tried_with: "1.18.33",
    // Not `apply_patch`: a server `apply` could have a tool `patch`, which has the same name here.
    tools: &[
        Tool::new(
            "bash",
            Does::Shell,
            &[("command", Command), ("workdir", Folder), ("timeout", Limit), ("description", Words)],
        ),
        Tool::new("write", Does::Edit, &[("filePath", Path), ("content", Contents)]),
        Tool::new(
            "edit",
            Does::Edit,
            &[
                ("filePath", Path),
                ("oldString", Contents),
                ("newString", Contents),
                ("replaceAll", Contents),
                // Beside its own dialog it tells the whole change.
                ("filepath", Path),
                ("diff", Contents),
            ],
        ),
        Tool::new("read", Does::Read, &[("filePath", Path), ("offset", Plain), ("limit", Plain)]),
        Tool::new("grep", Does::Read, &[("pattern", Plain), ("path", Path), ("include", Path)]),
        Tool::new("glob", Does::Read, &[("pattern", Path), ("path", Path)]),
        Tool::new("list", Does::Read, &[("path", Path), ("ignore", Path)]),
        Tool::new("question", Does::Question, &[("questions", Several)]),
    ],
    server_tools: ServerTools::Bare,
    servers: ServersIn {
        key: "mcp",
        person: &["config.json", "opencode.json", "opencode.jsonc"],
        beside_folder: false,
        project: &["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"],
        elsewhere: &[],
        flags: &[],
    },
    events: &[&[
        ("tool", Asks(HookPoint::Tool)),
        ("permission", Asks(HookPoint::Permission)),
        ("question", Asks(HookPoint::Question)),
        ("ran", Ran),
        ("busy", Reached(Moment::Prompted, Ends::Nothing)),
        ("idle", Reached(Moment::TurnEnded, Ends::Nothing)),
        ("ended", Reached(Moment::Ended, Ends::Nothing)),
    ]],
    unnamed_event: None,
    points: &[
        Point::new(HookPoint::Tool, &[Takes::Allow, Takes::Edit, Takes::Stop], Unanswered::Refused),
        Point::new(HookPoint::Permission, &[Takes::Allow, Takes::Stop], Unanswered::AskedThere),
        Point::new(HookPoint::Question, &[Takes::Stop], Unanswered::AskedThere),
    ],
    takes_context_after: false,
    limit_per_second: None,
    home: Home { variable: "XDG_CONFIG_HOME", below: "opencode", usual: ".config/opencode" },
    files: Files {
        project: &[".opencode", "opencode.json", "opencode.jsonc"],
        instructions: &["AGENTS.md", "CLAUDE.md"],
    },
};
