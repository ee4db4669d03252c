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
        "{a} &>/dev/null touch CANARY",
        "{a} --all --prune",
        "{a} -g evil",
        "{a} --output=.git/hooks/pre-commit",
        "{a} -C..",
        "{a} --prefix link",
        "{a} src/a.rs",
        "{a} main:main",
        "{a} evil.test:x",
        "{a} SHELL=./evil",
        "{a} of=x",
        "{a}; cat src/a.rs",
        "{a} | cat src/a.rs",
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

/// Accepts a call, and allows it from then on, with other paths if it is `open`.
async fn grant(inbox: &TestInbox, input: Value, open: bool, session: bool) {
    let asked = ask(inbox, input).await;
    let (question, _) = inbox.decisions().card(asked.id.clone()).await.unwrap();
    let call = question.grantable.call.unwrap();
    let allowed = if open { call.with_paths_open().unwrap() } else { call.exactly() };
    let decide = DecisionRequest {
        interrupt: asked.id.clone(),
        decision: Decision::Accept,
        shown: None,
        learn: false,
        by: DecidedBy::Cli,
    };
    let scope = GrantScope::Call(allowed);
    let request = GrantRequest { interrupt: asked.id, scope, ends_at: None, session };
    inbox.decisions().accept_and_grant(decide, request).await.unwrap();
}

fn open() -> TestInbox {
    TestInbox::builder().settings(eager()).with_model(FakeModel::default()).open()
}

/// The input with another value, or another argument.
fn with(mut input: Value, pointer: &str, value: Value) -> Value {
    match input.pointer_mut(pointer) {
        Some(place) => *place = value,
        None => {
            let (parent, name) = pointer.rsplit_once('/').unwrap();
            input.pointer_mut(parent).unwrap()[name] = value;
        }
    }
    input
}

#[tokio::test]
async fn a04_no_grant_covers_what_it_does_not_name() {
    let mut trials = 0;
    let grants = [
        ("cargo test", false),
        ("git add src/a.rs", false),
        ("git add src/a.rs", true),
        ("make lint", false),
    ];
    for (round, (allowed, is_open)) in grants.into_iter().enumerate() {
        let session = round == 1;
        let inbox = open();
        grant(&inbox, bash(allowed), is_open, session).await;
        for more in ["", " 2>&1 | tail -5", " && echo done", " >/dev/null"] {
            let line = format!("{allowed}{more}");
            assert!(is_covered(&inbox, bash(&line)).await, "{line}");
        }
        assert!(is_covered(&inbox, bash(&format!("ls; {allowed}"))).await);
        for other in ["git add src/b/c.rs", "git add src/b.rs new/d.rs"] {
            assert_eq!(is_covered(&inbox, bash(other)).await, is_open, "{other}");
        }
        for line in hostile(allowed, round) {
            // Another path is what the hole is for.
            if is_open && matches!(line.as_str(), "git add src/a.rs src/a.rs" | "git add src/a.rsx") {
                continue;
            }
            assert!(!is_covered(&inbox, bash(&line)).await, "{allowed} {is_open}: {line}");
            trials += 1;
        }
        for word in [
            "src",
            "x",
            ".env",
            "src/.env",
            ".git/config",
            "../x",
            "/etc/passwd",
            "CLAUDE.md",
            "src/agents.MD",
            "-p",
            "--chmod=+x",
            "'src/a b'",
            "src/ä",
            "@src/x",
            "a:src/x",
            "src/x,y",
            "''",
        ] {
            let line = format!("git add {word}");
            assert!(!is_covered(&inbox, bash(&line)).await, "{line}");
            trials += 1;
        }
        // Other askers, folders, tools, sessions and arguments.
        let call = || bash(allowed);
        for input in [
            with(call(), "/source", json!("codex")),
            with(call(), "/folder", json!("/work/other")),
            with(call(), "/folder", json!("/work/app/sub")),
            with(call(), "/action", json!("Shell")),
            with(call(), "/action", json!("Monitor")),
            with(call(), "/args/dangerouslyDisableSandbox", json!(true)),
            with(call(), "/args/run_in_background", json!(true)),
            with(call(), "/args/host", json!("production")),
            with(call(), "/args/timeout", json!(5)),
            with(call(), "/untold", json!(true)),
        ] {
            assert!(!is_covered(&inbox, input.clone()).await, "{input}");
            trials += 1;
        }
        let elsewhere = is_covered(&inbox, with(call(), "/session/id", json!("s2"))).await;
        assert_eq!(elsewhere, !session);
    }
    // Words for the person and limits of time may differ, if they were there.
    let inbox = open();
    let described = |words: &str, timeout: u32| {
        asking("Bash", json!({"command": "cargo test", "description": words, "timeout": timeout}))
    };
    grant(&inbox, described("Tests", 5), false, false).await;
    assert!(is_covered(&inbox, described("Runs the tests", 9)).await);
    assert!(!is_covered(&inbox, bash("cargo test")).await);
    // A folder of the call's own is a folder like any other.
    let inbox = open();
    let gemini = |folder: &str| {
        let call = asking("run_shell_command", json!({"command": "make", "dir_path": folder}));
        with(call, "/source", json!("gemini"))
    };
    grant(&inbox, gemini("sub"), false, false).await;
    assert!(is_covered(&inbox, gemini("/work/app/sub")).await);
    for folder in [".", "sub/sub", "..", "/"] {
        assert!(!is_covered(&inbox, gemini(folder)).await, "{folder}");
        trials += 1;
    }
    // Two commands, each allowed by a grant of its own, and two that were allowed together.
    let inbox = open();
    grant(&inbox, bash("cargo test"), false, false).await;
    assert!(!is_covered(&inbox, bash("cargo test && git commit -m x")).await);
    grant(&inbox, bash("git commit -m x"), false, false).await;
    assert!(is_covered(&inbox, bash("cargo test && git commit -m x | cat")).await);
    assert!(!is_covered(&inbox, bash("cargo test && git commit -m y")).await);
    let used: i64 = inbox.grants().list().await.unwrap().iter().map(|line| line.used).sum();
    assert_eq!(used, 1);
    let inbox = open();
    grant(&inbox, bash("cargo fmt && cargo doc | tail -3"), false, false).await;
    assert!(is_covered(&inbox, bash("cargo fmt && cargo doc")).await);
    for line in [
        "cargo doc",
        "cargo fmt",
        "cargo fmt || cargo doc",
        "cargo fmt; cargo doc",
        "cargo doc && cargo fmt",
        "cargo fmt && true || cargo doc",
    ] {
        assert!(!is_covered(&inbox, bash(line)).await, "{line}");
        trials += 1;
    }
    // What cannot be read is allowed as it is, and what runs its input never.
    let inbox = open();
    grant(&inbox, bash("echo $HOME | wc -c"), false, false).await;
    assert!(is_covered(&inbox, bash("echo $HOME | wc -c")).await);
    for line in ["echo $HOME | wc", "echo $HOME |  wc -c", "'echo $HOME | wc -c'", "echo $HOME | wc -c "] {
        assert!(!is_covered(&inbox, bash(line)).await, "{line}");
        trials += 1;
    }
    for line in ["bash", "python3 -", "sudo sh -s", "bash <<E\nls\nE"] {
        let asked = ask(&inbox, bash(line)).await;
        let (question, _) = inbox.decisions().card(asked.id).await.unwrap();
        assert!(question.grantable.call.is_none(), "{line}");
        trials += 1;
    }

    // Changes to files.
    let inbox = open();
    let edit = |file: &str| asking("Edit", json!({"file_path": file, "old_string": "a", "new_string": "b"}));
    let write = |file: &str| asking("Write", json!({"file_path": file, "content": "x"}));
    grant(&inbox, edit("/work/app/src/a.rs"), true, false).await;
    assert!(is_covered(&inbox, edit("/work/app/src/b.rs")).await);
    assert!(is_covered(&inbox, edit("src/new.rs")).await);
    assert!(!is_covered(&inbox, write("src/new.rs")).await, "another tool");
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
        "CLAUDE.md",
        "sub/Agents.md",
        "opencode.json",
        "",
    ] {
        assert!(!is_covered(&inbox, edit(file)).await, "{file}");
        trials += 1;
    }
    for input in [
        bash("touch src/a.rs"),
        asking("Edit", json!({"file_path": "/work/app/a", "path": "/etc/passwd", "new_string": "b"})),
        asking("Edit", json!({"file_path": "/work/app/a", "new_string": "b", "command": "rm x"})),
        asking("mcp__remote__publish_page", json!({"file_path": "/work/app/a", "content": "x"})),
    ] {
        assert!(!is_covered(&inbox, input.clone()).await, "{input}");
        trials += 1;
    }

    // A server's tool, with a name longer than any list shows.
    let inbox = open();
    let long = format!("mcp__db__{}", "x".repeat(90));
    let query = |tool: &str, args: Value| asking(&format!("{long}_{tool}"), args);
    grant(&inbox, query("list", json!({"table": "a"})), false, false).await;
    assert!(is_covered(&inbox, query("list", json!({"table": "a"}))).await);
    for input in [
        query("drop", json!({"table": "a"})),
        query("list", json!({"table": "b"})),
        query("list", json!({"table": "a", "host": "production"})),
        query("list", json!({})),
        with(query("list", json!({"table": "a"})), "/title", json!("Another call")),
    ] {
        assert!(!is_covered(&inbox, input.clone()).await, "{input}");
        trials += 1;
    }
    report("A04", "hostile commands against every kind of grant", trials);
}

/// What writes files and what runs a command beside them may together run any code, so either card names the other.
#[tokio::test]
async fn grants_that_add_up_are_named() {
    let edit = asking("Write", json!({"file_path": "src/a.rs", "content": "x"}));
    let adding_up = async |inbox: &TestInbox, input: Value| {
        let asked = ask(inbox, input).await;
        let (question, _) = inbox.decisions().card(asked.id.clone()).await.unwrap();
        let scope = GrantScope::Call(question.grantable.call.unwrap().exactly());
        let request = GrantRequest { interrupt: asked.id, scope, ends_at: None, session: false };
        inbox.grants().adding_up(request).await.unwrap()
    };
    for (first, second) in [(edit.clone(), bash("cargo test")), (bash("cargo test"), edit.clone())] {
        let inbox = open();
        assert!(adding_up(&inbox, second.clone()).await.is_empty());
        grant(&inbox, first, false, false).await;
        assert_eq!(adding_up(&inbox, with(second.clone(), "/title", json!("Again"))).await.len(), 1);
        assert!(adding_up(&inbox, with(second, "/folder", json!("/elsewhere"))).await.is_empty());
    }
}
