//! Coding agents ask: what they get when a person accepts is what they asked for, byte for byte (A02), and nothing if
//! the log was damaged meanwhile (D07, D08).

use crate::program::Program;
use crate::{report, side_by_side};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Child, Command, Stdio};

/// Text that no screen shows as it is.
const TEXTS: [(&str, &str); 12] = [
    ("CRLF", "one\r\ntwo\r\n"),
    ("lone CR", "one\rtwo"),
    ("mixed line ends", "one\r\ntwo\nthree\r"),
    ("NUL", "a\0b"),
    ("ESC", "\u{1b}[31mred\u{1b}[0m\u{1b}]0;title\u{7}"),
    ("C1", "\u{9b}2J"),
    ("BOM", "\u{feff}text"),
    ("soft hyphens", "soft\u{ad}hyphen\u{ad}"),
    ("zero width", "a\u{200b}b\u{2060}c"),
    ("bidi", "\u{202e}txt.exe\u{202c}"),
    ("tags", "x\u{e0041}\u{e0042}"),
    ("placeholders spelled out", "⟨U+00AD⟩ ⟨U+200B×12⟩"),
];

/// A program that asks through sayso, and how it is told what it may do.
#[derive(Clone, Copy, Debug)]
enum Asker {
    ClaudeCode,
    Codex,
    Shell,
    Mcp,
}

impl Asker {
    fn start(self, program: &Program, input: &Value) -> Child {
        let event = json!({
            "session_id": "s", "tool_use_id": format!("{self:?}"), "cwd": "/home/a", "tool_name": "Write",
            "hook_event_name": "PreToolUse", "tool_input": input,
        });
        let with_turn = || {
            let mut event = event.clone();
            event["turn_id"] = json!("t");
            event
        };
        let asking = ["request", "--title", "Write", "--action", "write", "--args", "-", "--wait"];
        let call = json!({"title": "Write", "action": "write", "arguments": input});
        let (args, said): (&[&str], Value) = match self {
            Asker::ClaudeCode => (&["request", "--hook", "claude-code"], event),
            Asker::Codex => (&["request", "--hook", "claude-code"], with_turn()),
            Asker::Shell => (&asking, input.clone()),
            Asker::Mcp => (
                &["mcp"],
                json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
                    "name": "request_approval", "arguments": call, "_meta": {"progressToken": 1}}}),
            ),
        };
        let mut command = program.command(args);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        writeln!(stdin, "{said}").unwrap();
        if let Asker::Mcp = self {
            // It serves for as long as its client is there.
            child.stdin = Some(stdin);
        }
        child
    }

    /// What runs after it was told `out`, having asked for `input`.
    fn runs(self, out: &str, input: &Value) -> Value {
        let read = |line: &str| serde_json::from_str::<Value>(line).unwrap();
        match self {
            Asker::ClaudeCode => {
                let reply = read(out)["hookSpecificOutput"].clone();
                assert_eq!(reply["permissionDecision"], "allow");
                reply.get("updatedInput").unwrap_or(input).clone()
            }
            Asker::Codex => {
                assert_eq!(out, "", "it would take anything else for a failed hook");
                input.clone()
            }
            Asker::Shell => read(out)["args"].clone(),
            Asker::Mcp => {
                let answer = out.lines().map(read).find(|line| line["id"] == 1).unwrap();
                answer["result"]["structuredContent"]["args"].clone()
            }
        }
    }
}

/// Asks, accepts, and gives what runs, and the hash the approval was bound to.
fn accepted(asker: Asker, input: &Value) -> (Value, Value) {
    let program = Program::new();
    program.configure("[approvals]\nhold_seconds = 0\n");
    let mut child = asker.start(&program, input);
    let item = loop {
        let (listed, _) = program.run(&["list", "--json"]);
        let listed: Value = serde_json::from_str(&listed).unwrap();
        if let Some(item) = listed.get(0) {
            break item.clone();
        }
        assert!(child.try_wait().unwrap().is_none(), "{asker:?} ended before it asked");
    };
    let shown = item["args"].to_string();
    assert!(!shown.chars().any(sayso::text::is_hidden), "{asker:?}: {shown}");
    let id = item["id"].as_str().unwrap();
    let (card, _) = program.run(&["view", id]);
    let differs = sayso::text::Visible::json(input) != *input;
    assert_eq!(card.contains("byte for byte"), differs, "{card}");
    program.run(&["accept", id]);
    if let Asker::Mcp = asker {
        let mut line = String::new();
        let mut out = std::io::BufReader::new(child.stdout.take().unwrap());
        while !line.contains("structuredContent") {
            line.clear();
            assert!(std::io::BufRead::read_line(&mut out, &mut line).unwrap() > 0);
        }
        drop(child.stdin.take());
        child.wait().unwrap();
        return (asker.runs(&line, input), item["args_hash"].clone());
    }
    let output = child.wait_with_output().unwrap();
    (asker.runs(&String::from_utf8(output.stdout).unwrap(), input), item["args_hash"].clone())
}

#[test]
fn a02_what_is_accepted_runs_byte_for_byte() {
    let all: serde_json::Map<String, Value> =
        TEXTS.iter().map(|(name, text)| (name.replace(' ', "_"), json!(text))).collect();
    let megabyte = json!({"file_path": "big.txt", "content": "line\r\n".repeat(125_000)});
    // Two texts that look the same are two approvals.
    let mut trials = vec![
        (Asker::Shell, json!({"content": "one\ntwo\n"})),
        (Asker::Shell, json!({"content": "one\r\ntwo\r\n"})),
    ];
    for asker in [Asker::ClaudeCode, Asker::Codex, Asker::Shell, Asker::Mcp] {
        trials.extend([(asker, Value::Object(all.clone())), (asker, megabyte.clone())]);
    }
    trials.extend(TEXTS.iter().map(|(_, text)| (Asker::Shell, json!({"content": text}))));
    let hashes = side_by_side(&trials, |(asker, input)| {
        let (runs, hash) = accepted(*asker, input);
        assert!(runs == *input, "{asker:?}: it was changed: {:.200}", input.to_string());
        hash
    });
    assert!(hashes[0].is_string() && hashes[0] != hashes[1], "{hashes:?}");
    report("A02", "accepted without an edit, by four ways to ask", trials.len());
}

/// Asks through a hook and stops it while a person accepts and somebody changes the log; it must not be told "allow".
fn not_told(kind: &str, damage: &dyn Fn(&rusqlite::Connection, i64)) {
    let program = Program::new();
    program.configure("[approvals]\nhold_seconds = 0\n");
    let child = Asker::ClaudeCode.start(&program, &json!({"file_path": "a.txt", "content": "one\n"}));
    let id = loop {
        let (listed, _) = program.run(&["list", "--json"]);
        if let Some(item) = serde_json::from_str::<Value>(&listed).unwrap().get(0) {
            break item["id"].as_str().unwrap().to_owned();
        }
    };
    let signal = |name: &str| {
        let sent = Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    };
    // It must not be stopped while it writes.
    let db = rusqlite::Connection::open(program.path("data/sayso.db")).unwrap();
    db.execute_batch("BEGIN IMMEDIATE").unwrap();
    signal("-STOP");
    let state =
        || Command::new("ps").args(["-o", "stat=", "-p", &child.id().to_string()]).output().unwrap().stdout;
    while !state().starts_with(b"T") {}
    db.execute_batch("ROLLBACK").unwrap();
    assert!(program.command(&["accept", &id]).output().unwrap().status.success(), "{kind}");
    let newest = format!("SELECT max(seq) FROM log WHERE kind = '{kind}'");
    let entry: i64 = db.query_row(&newest, [], |row| row.get(0)).unwrap();
    damage(&db, entry);
    drop(db);
    signal("-CONT");
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(!said.contains("\"allow\""), "{kind}: {said}");
    let (named, _) = program.run(&["doctor"]);
    assert!(named.contains(&format!("entry {entry} of the log")), "{kind}: {named}");
}

#[test]
fn d07_a_hook_is_not_told_what_a_flipped_bit_says() {
    for kind in ["asked", "decided"] {
        for at in [12, 60] {
            not_told(kind, &|db, entry| {
                let body = "SELECT CAST(body AS BLOB) FROM log WHERE seq = ?";
                let mut bytes: Vec<u8> = db.query_row(body, [entry], |row| row.get(0)).unwrap();
                bytes[at] ^= 1;
                let as_it_was =
                    "UPDATE log SET body = CASE typeof(body) WHEN 'text' THEN CAST(?2 AS TEXT) ELSE ?2 END
                                 WHERE seq = ?1";
                assert_eq!(db.execute(as_it_was, rusqlite::params![entry, bytes]).unwrap(), 1);
            });
        }
    }
    report("D07", "a bit of a question or an answer flips before a hook is told", 4);
}

#[test]
fn d08_a_hook_is_not_told_what_somebody_wrote_into_the_log() {
    let changes = ["at = at + 1", "chain = randomblob(32)", "body = replace(CAST(body AS TEXT), 'a', 'b')"];
    for kind in ["asked", "decided"] {
        for change in changes {
            not_told(kind, &|db, entry| {
                let sql = format!("UPDATE log SET {change} WHERE seq = ?");
                assert_eq!(db.execute(&sql, [entry]).unwrap(), 1);
            });
        }
    }
    report("D08", "a question or an answer edited before a hook is told", 2 * changes.len());
}
