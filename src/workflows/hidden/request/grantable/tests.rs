//! Calls as grants see them, in a folder with links, hooks and scripts.

use super::*;
use serde_json::json;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// A project beside a folder that is not part of it.
struct Project {
    _home: tempfile::TempDir,
    folder: PathBuf,
}

impl Project {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("app");
        for place in ["src", "bare/objects", "bare/refs", "bare/hooks", ".claude", "githooks", "build"] {
            std::fs::create_dir_all(folder.join(place)).unwrap();
        }
        for file in ["src/a.rs", "src/b.rs", "README", "bare/HEAD", "run.sh", "x.py", ".claude/settings.json"]
        {
            std::fs::write(folder.join(file), "x").unwrap();
        }
        std::fs::set_permissions(folder.join("run.sh"), PermissionsExt::from_mode(0o755)).unwrap();
        std::fs::hard_link(folder.join("src/b.rs"), home.path().join("elsewhere")).unwrap();
        for (leads_to, link) in [
            ("/etc", "out"),
            ("/etc/passwd", "users"),
            ("/nowhere/x", "new"),
            ("src", "in"),
            (".claude", "conf"),
        ] {
            symlink(leads_to, folder.join(link)).unwrap();
        }
        Self { _home: home, folder }
    }

    fn request(&self, action: &str, args: Value) -> RequestInput {
        RequestInput {
            action: Some(action.to_owned()),
            args: args.as_object().cloned(),
            folder: self.folder.to_str().map(str::to_owned),
            source: Some("claude-code".to_owned()),
            ..RequestInput::default()
        }
    }

    /// The words of a command, those that are open in angle brackets.
    fn words(&self, line: &str) -> Vec<String> {
        let call = call(&self.request("Bash", json!({ "command": line }))).unwrap();
        let word = |word: &Word| if word.open { format!("<{}>", word.text) } else { word.text.clone() };
        call.acts.iter().map(|act| act.words.iter().map(word).collect::<Vec<_>>().join(" ")).collect()
    }

    fn acts(&self, line: &str) -> Vec<Act> {
        call(&self.request("Bash", json!({ "command": line }))).unwrap().acts
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

#[test]
fn open_words_are_paths_that_decide_nothing() {
    let project = Project::new();
    for (line, expected) in [
        ("git add src/a.rs", "git add <src/a.rs>"),
        ("git add README src/new.rs", "git add <README> <src/new.rs>"),
        ("git add in/a.rs src/", "git add <in/a.rs> <src/>"),
        ("pytest -q src/a.rs src/new.rs", "pytest -q src/a.rs <src/new.rs>"),
        ("git diff -- src/a.rs", "git diff -- <src/a.rs>"),
        ("python3 -m pytest src/a.rs", "python3 -m pytest <src/a.rs>"),
        // The first two words say what is done.
        ("cat-all src/a.rs", "cat-all src/a.rs"),
        ("npm run build", "npm run build"),
        // An option may take what follows it.
        ("eslint x --config src/a.rs", "eslint x --config src/a.rs"),
        ("git log x --output=src/a.rs", "git log x --output=src/a.rs"),
        // A file that exists is not a name that nobody knows.
        ("cargo test parser", "cargo test parser"),
        ("git add out/x users new", "git add out/x users new"),
        ("git add ../elsewhere /etc/passwd", "git add ../elsewhere /etc/passwd"),
        ("git add .env src/.env conf/settings.json", "git add .env src/.env conf/settings.json"),
        ("git add CLAUDE.md sub/agents.md", "git add CLAUDE.md sub/agents.md"),
        ("git add bare/config bare/hooks/x bare/HEAD", "git add bare/config bare/hooks/x bare/HEAD"),
        ("git add run.sh src/b.rs", "git add run.sh src/b.rs"),
        (
            "git push origin a:src/a.rs @src/a.rs x=src/a.rs",
            "git push origin a:src/a.rs @src/a.rs x=src/a.rs",
        ),
        // Programs that run others, or scripts.
        ("python3 -u src/a.rs", "python3 -u src/a.rs"),
        ("node --test src/a.rs", "node --test src/a.rs"),
        ("nice pytest x src/a.rs", "nice pytest x src/a.rs"),
    ] {
        assert_eq!(project.words(line), [expected], "{line}");
    }
    assert_eq!(
        project.words("git add src/a.rs && git add src/a.rs"),
        ["git add <src/a.rs>", "git add src/a.rs"]
    );
    assert_eq!(project.words("cd src && git add ./a.rs x/a.rs"), ["git add <./a.rs> <x/a.rs>"]);
    assert_eq!(project.words("make | sh x.sh"), ["make | sh x.sh"]);
}

#[test]
fn hooks_are_where_git_says() {
    let project = Project::new();
    assert!(project.words("git add githooks/x")[0].contains('<'));
    let git = |args: &[&str]| {
        let run = std::process::Command::new("git").args(args).current_dir(&project.folder).output().unwrap();
        assert!(run.status.success(), "{run:?}");
    };
    git(&["init", "-q"]);
    assert!(project.words("git add githooks/x")[0].contains('<'));
    git(&["config", "core.hooksPath", "githooks"]);
    assert_eq!(project.words("git add githooks/x"), ["git add githooks/x"]);
    assert_eq!(project.words("git add GitHooks/x"), ["git add GitHooks/x"]);
}

#[test]
fn programs_and_scripts_of_the_project_are_pinned() {
    let project = Project::new();
    for (line, changed) in [("./run.sh x", "run.sh"), ("python3 x.py", "x.py"), ("bash src/a.rs", "src/a.rs")]
    {
        let before = project.acts(line);
        assert_eq!(project.acts(line), before);
        std::fs::write(project.at(changed), line).unwrap();
        assert_ne!(project.acts(line), before, "{line}");
    }
    let before = project.acts("git add src/a.rs");
    std::fs::write(project.at("src/a.rs"), "new").unwrap();
    assert_eq!(project.acts("git add src/a.rs"), before);
}

#[test]
fn what_runs_its_input_is_always_asked() {
    let project = Project::new();
    for line in ["bash", "sh -s", "python3 -", "env node", "echo x | sh", "bash <<E\nls\nE"] {
        assert_eq!(call(&project.request("Bash", json!({ "command": line }))), None, "{line}");
    }
    assert_eq!(call(&project.request("Bash", json!({ "command": ["ls"] }))), None);
    let untold = RequestInput { untold: true, ..project.request("Bash", json!({"command": "make"})) };
    assert_eq!(call(&untold), None);
    let nowhere = RequestInput { folder: None, ..project.request("Bash", json!({"command": "make"})) };
    assert_eq!(call(&nowhere), None);
    let other =
        RequestInput { other_shell: true, ..project.request("Bash", json!({"command": "git add src/a.rs"})) };
    assert_eq!(call(&other).unwrap().with_paths_open(), None);
}

#[test]
fn edits_are_those_of_files_that_decide_nothing() {
    let project = Project::new();
    let is_open = |args: Value| call(&project.request("Write", args)).unwrap().with_paths_open().is_some();
    for (file, expected) in [
        ("src/a.rs", true),
        ("fresh/deep/file.rs", true),
        ("in/a.rs", true),
        ("../other", false),
        ("/etc/hosts", false),
        ("out/hosts", false),
        ("out/new/file", false),
        ("conf/settings.json", false),
        (".git/hooks/pre-commit", false),
        ("GEMINI.md", false),
        ("run.sh", false),
        ("src/b.rs", false),
        ("src", false),
        ("bare/config", false),
    ] {
        assert_eq!(is_open(json!({"file_path": file, "content": "x"})), expected, "{file}");
    }
    assert!(
        !is_open(json!({"file_path": "src/a.rs", "content": "x", "mode": 7})) || {
            let call =
                call(&project.request("Write", json!({"file_path": "src/a.rs", "content": "x", "mode": 7})))
                    .unwrap();
            call.acts[0].fixed.contains_key("`mode`")
        }
    );
    let patch = |text: &str| {
        let codex = RequestInput {
            source: Some("codex".to_owned()),
            ..project.request("apply_patch", json!({"command": text}))
        };
        call(&codex).unwrap().with_paths_open().is_some()
    };
    let one = "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-x\n+y\n";
    assert!(patch(&format!("{one}*** End Patch")));
    for more in ["*** Add File: .git/hooks/x\n+x\n", "*** Delete File: README\n", "*** Move to: src/c.rs\n"] {
        assert!(!patch(&format!("{one}{more}*** End Patch")), "{more}");
    }
}

#[test]
fn a_long_value_is_no_other_value() {
    let project = Project::new();
    let fixed =
        |value: &str| call(&project.request("x", json!({"a": value}))).unwrap().acts[0].fixed["`a`"].clone();
    let long = "x".repeat(500);
    assert!(fixed(&long).len() < 100);
    assert_ne!(fixed(&long), fixed(&fixed(&long)));
    assert_ne!(fixed(&long), fixed(&"x".repeat(501)));
}

#[test]
fn harmless_is_what_reads_inside_the_folder() {
    let project = Project::new();
    let check = |action: &str, args: Value| is_harmless(&project.request(action, args));
    assert!(check("Bash", json!({"command": "cat a.rs | head -5", "description": "x"})));
    assert!(check("Read", json!({"file_path": project.at("a.rs"), "limit": 20})));
    assert!(check("Grep", json!({"pattern": "/TODO", "path": "src"})));
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
        ("Bash", json!({"command": "cat a", "dangerouslyDisableSandbox": true})),
        ("Bash", json!({"command": "cat a", "host": "x"})),
        ("Read", json!({"file_path": "/etc/passwd"})),
        ("Read", json!({"file_path": "out/passwd"})),
        ("Read", json!({"file_path": "a", "server": "x"})),
        ("Grep", json!({"pattern": "x", "path": "../other"})),
        ("Read", json!({"file_path": {"a": "b"}})),
        ("Write", json!({"file_path": "a.rs", "content": "x"})),
        ("mcp__files__Read", json!({"file_path": "a"})),
    ] {
        assert!(!check(action, args.clone()), "{action} {args}");
    }
    let other =
        RequestInput { source: Some("ci".to_owned()), ..project.request("Read", json!({"file_path": "a"})) };
    assert!(!is_harmless(&other));
    let untold = RequestInput { untold: true, ..project.request("Bash", json!({"command": "cat a"})) };
    assert!(!is_harmless(&untold));
    let nowhere = RequestInput { folder: None, ..project.request("Read", json!({"file_path": "a"})) };
    assert!(!is_harmless(&nowhere) && !Path::new("").is_absolute());
}
