//! Which of a program's calls can be allowed for a while: commands in a folder, changes to its files, a server's tool.

use super::risk::FILES;
use super::shell::{self, Segment, file_inside};
use super::state::RequestInput;
use crate::engine::graph::{AgentAction, AgentCall, CommandLine};
use crate::tools::process::SHELLS;
use serde_json::Value;

/// The call as grants see it; `None` if such calls are always asked.
pub(super) fn call(request: &RequestInput) -> Option<AgentCall> {
    let folder = request.folder.as_deref().filter(|folder| folder.starts_with('/'))?;
    let by = request.source.clone()?;
    let does = match request.command() {
        Some(line) => commands(line, folder)?,
        None => edit(request, folder).or_else(|| tool(request, folder))?,
    };
    let session = request.session.as_ref().map(|session| session.id.clone());
    Some(AgentCall { by, session, does, asks: None })
}

/// Whether a call changes nothing: a line of only harmless commands, or a tool that reads inside the folder.
pub(super) fn is_harmless(request: &RequestInput) -> bool {
    let Some(folder) = request.folder.as_deref().filter(|folder| folder.starts_with('/')) else {
        return false;
    };
    if let Some(line) = request.command() {
        return shell::segments(line, folder).is_ok_and(|segments| segments.needed.is_empty());
    }
    let is_reader = request.action.as_deref().is_some_and(|action| READERS.contains(&action));
    let args = request.args.iter().flatten();
    is_reader
        && args.filter(|(name, _)| !WORDS.contains(&name.as_str())).all(|(_, value)| is_inside(value, folder))
}

/// Agent tools that only read files.
const READERS: &[&str] = &[
    "Read",
    "Grep",
    "Glob",
    "LS",
    "NotebookRead",
    "read",
    "grep",
    "glob",
    "list",
    "read_file",
    "read_many_files",
    "list_directory",
    "search_file_content",
    "grep_search",
];

/// Their arguments that are plain text; every other text argument is taken for a file name.
const WORDS: &[&str] = &["description", "output_mode", "type"];

/// Whether a value names nothing outside the folder.
fn is_inside(value: &Value, folder: &str) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
        Value::String(text) => file_inside(text, folder).is_some(),
        Value::Array(items) => items.iter().all(|item| is_inside(item, folder)),
        Value::Object(_) => false,
    }
}

/// The commands that are not harmless. A line of only harmless ones is still asked: nobody has allowed anything yet.
fn commands(line: &str, folder: &str) -> Option<AgentAction> {
    let needed = shell::segments(line, folder).ok()?.needed;
    let commands = needed.into_iter().map(|Segment { words, folder }| {
        let lead = prefix_word_count(&words);
        CommandLine { folder, words, lead }
    });
    let commands: Vec<CommandLine> = commands.collect();
    (!commands.is_empty()).then_some(AgentAction::Commands(commands))
}

/// A change to a file that lies in the folder even after links are followed.
fn edit(request: &RequestInput, folder: &str) -> Option<AgentAction> {
    let args = request.args.as_ref().filter(|_| request.writes_a_file())?;
    let files: Vec<&str> =
        FILES.iter().filter_map(|name| args.get(*name)).filter_map(Value::as_str).collect();
    // A moved file may end up where the grant does not reach.
    let [file] = files.as_slice() else { return None };
    if args.contains_key("moved_to") {
        return None;
    }
    let file = file_inside(file, folder)?;
    Some(AgentAction::Edit { folder: folder.to_owned(), file: file.to_str()?.to_owned() })
}

/// A call of a server's tool, named the way agents name them.
fn tool(request: &RequestInput, folder: &str) -> Option<AgentAction> {
    let action = request.action.as_deref()?;
    let is_server_tool = action.starts_with("mcp__") || action.starts_with("mcp_");
    is_server_tool.then(|| AgentAction::Tool { folder: folder.to_owned() })
}

/// How many leading words say what sort of command this is, so that others of the same sort can be allowed with it: a
/// program and its subcommand, if neither runs what the rest says. 0 if that is unclear.
fn prefix_word_count(words: &[String]) -> usize {
    let [program, command, ..] = words else { return 0 };
    let is_plain = |word: &String| {
        word.starts_with(|c: char| c.is_ascii_alphabetic())
            && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':'))
    };
    let runs_rest = ["run", "exec", "x", "eval", "sh", "shell", "start", "dlx"].contains(&command.as_str());
    let runs_others = shell::is_starter(program)
        || SHELLS.contains(&program.as_str())
        || RUNNERS.contains(&program.as_str());
    if is_plain(program) && is_plain(command) && !runs_others && !runs_rest { 2 } else { 0 }
}

/// Programs other than shells that run whatever they are told to, or can change anything.
const RUNNERS: &[&str] = &[
    "sayso",
    "python",
    "python3",
    "node",
    "deno",
    "bun",
    "perl",
    "ruby",
    "php",
    "lua",
    "ssh",
    "scp",
    "rsync",
    "npx",
    "uvx",
    "pipx",
    "docker",
    "podman",
    "kubectl",
    "su",
    "rm",
    "mv",
    "cp",
    "ln",
    "dd",
    "chmod",
    "chown",
    "find",
    "awk",
    "gawk",
    "sed",
    "tee",
    "curl",
    "wget",
    "nc",
    "make",
    "just",
    "watch",
    "timeout",
    "parallel",
    "flock",
    "strace",
    "gdb",
    "vim",
    "vi",
    "emacs",
    "less",
    "more",
    "man",
    "crontab",
    "at",
    "systemd-run",
];

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_sort_a_command_is() {
        let check = |line: &str| prefix_word_count(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
        for (line, expected) in [
            ("cargo test --lib", 2),
            ("cargo test", 2),
            ("git status", 2),
            ("npm test", 2),
            ("ls", 0),
            ("ls -la", 0),
            ("cargo run x", 0),
            ("npm exec x", 0),
            ("python3 x.py", 0),
            ("bash x", 0),
            ("rm x", 0),
            ("sudo ls", 0),
            ("./run test", 0),
            ("env x", 0),
            ("docker ps", 0),
        ] {
            assert_eq!(check(line), expected, "{line}");
        }
    }

    #[test]
    fn harmless_is_what_reads_inside_the_folder() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("app");
        std::fs::create_dir_all(folder.join("src")).unwrap();
        for (leads_to, link) in
            [("/etc", "out"), ("/etc/passwd", "users"), ("/nowhere/x", "new"), ("src", "in")]
        {
            std::os::unix::fs::symlink(leads_to, folder.join(link)).unwrap();
        }
        let check = |action: &str, args: Value| {
            is_harmless(&RequestInput {
                action: Some(action.to_owned()),
                args: args.as_object().cloned(),
                folder: folder.to_str().map(str::to_owned),
                ..RequestInput::default()
            })
        };
        assert!(check("Bash", json!({"command": "cat a.rs | head -5", "description": "x"})));
        assert!(check("Read", json!({"file_path": folder.join("a.rs"), "limit": 20})));
        assert!(check("Grep", json!({"pattern": "TODO", "path": "src"})));
        assert!(check("Bash", json!({"command": "cd in && cat a.rs"})));
        for (action, args) in [
            ("Bash", json!({"command": "cargo test"})),
            ("Bash", json!({"command": "cat /etc/passwd"})),
            ("Bash", json!({"command": "cat users"})),
            ("Bash", json!({"command": "head -5 out/passwd"})),
            ("Bash", json!({"command": "cat out/../shadow"})),
            ("Bash", json!({"command": "cat new"})),
            ("Bash", json!({"command": "cd out && cat passwd"})),
            ("Bash", json!({"command": "cat a > b"})),
            ("Read", json!({"file_path": "/etc/passwd"})),
            ("Read", json!({"file_path": "out/passwd"})),
            ("Grep", json!({"pattern": "x", "path": "../other"})),
            ("Read", json!({"files": {"a": "b"}})),
            ("Write", json!({"file_path": "a.rs", "content": "x"})),
        ] {
            assert!(!check(action, args.clone()), "{action} {args}");
        }
        let nowhere = RequestInput { action: Some("Read".to_owned()), ..RequestInput::default() };
        assert!(!is_harmless(&nowhere));
    }

    #[test]
    fn edits_are_those_of_files_that_really_lie_in_the_folder() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("app");
        std::fs::create_dir_all(folder.join("src")).unwrap();
        std::os::unix::fs::symlink("/etc", folder.join("out")).unwrap();
        let check = |file: &str| {
            let request = RequestInput {
                action: Some("Write".to_owned()),
                args: json!({"file_path": file, "content": "x"}).as_object().cloned(),
                folder: folder.to_str().map(str::to_owned),
                source: Some("claude-code".to_owned()),
                ..RequestInput::default()
            };
            call(&request).is_some()
        };
        for (file, expected) in [
            ("src/main.rs", true),
            ("new/deep/file.rs", true),
            ("../other", false),
            ("/etc/hosts", false),
            ("out/hosts", false),
            ("out/new/file", false),
        ] {
            assert_eq!(check(file), expected, "{file}");
        }
    }
}
