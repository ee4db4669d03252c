//! `request` and `answer`: programs that ask, and die, and ask again.

use crate::runner::{Background, Cli, CliOutput, captured, keys, text, texts, until};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;
use std::process::Stdio;

pub const ANSWER: &[&str] = &["id", "thread", "status", "interrupts", "type", "args", "by", "at"];

pub fn run(cli: &Cli, args: &[&str]) -> CliOutput {
    captured(cli.real().args(args).output().unwrap())
}

pub fn with_stdin(cli: &Cli, args: &[&str], stdin: &[u8]) -> CliOutput {
    let mut command = cli.real();
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that refuses before it reads closes its end.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    captured(child.wait_with_output().unwrap())
}

pub fn spawn(cli: &Cli, args: &[&str]) -> Background {
    let mut command = cli.real();
    command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
    Background::of(command.spawn().unwrap())
}

/// What a call printed that ended with `code`.
#[track_caller]
pub fn read(output: &CliOutput, code: i32) -> Value {
    assert_eq!(output.code, code, "{output:?}");
    serde_json::from_str(&output.out).unwrap_or_else(|e| panic!("{e}: {output:?}"))
}

#[track_caller]
pub fn json(cli: &Cli, args: &[&str]) -> Value {
    let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
    read(&run(cli, &args), 0)
}

pub fn open(cli: &Cli) -> Vec<Value> {
    json(cli, &["list"]).as_array().unwrap().clone()
}

/// The one question that is open, once there is one.
pub fn the_one(cli: &Cli) -> Value {
    until(|| open(cli).len() == 1);
    open(cli).remove(0)
}

#[track_caller]
fn refused(cli: &Cli, args: &[&str], code: i32, expected: &str) {
    run(cli, args).refused(code, expected);
    assert_eq!(open(cli).len(), 0, "{args:?}");
}

#[test]
fn a_question_is_asked_shown_and_answered_in_each_way() {
    let cli = Cli::new();
    let ways: [(&[&str], i32, &str, Value); 4] = [
        (&["accept"], 0, "accept", json!({"env": "prod", "n": 3})),
        (&["edit", "--set", "n=4"], 0, "edit", json!({"env": "prod", "n": 4})),
        (&["respond", "not on a Friday"], 0, "respond", json!("not on a Friday")),
        (&["ignore"], 4, "ignore", Value::Null),
    ];
    for (decision, code, word, args) in ways {
        let asked = [
            "request",
            "--title",
            "Deploy 1.4?",
            "--text",
            "It is green.",
            "--action",
            "deploy",
            "--args",
            r#"{"env":"prod","n":3}"#,
            "--source",
            "ci",
            "--wait",
        ];
        let asker = spawn(&cli, &asked);
        let item = the_one(&cli);
        assert_eq!(
            (&item["workflow"], &item["action"], &item["kind"], &item["source"], &item["title"]),
            (
                &json!("request"),
                &json!("request/deploy"),
                &json!("approval"),
                &json!("request: ci"),
                &json!("Deploy 1.4?")
            )
        );
        assert_eq!(item["args"], json!({"env": "prod", "n": 3}));
        assert_eq!(item["warnings"], json!([]));
        let id = text(&item["id"]);
        let shown = run(&cli, &["view", &id]);
        for part in
            ["a program that calls itself ci", "action: deploy", "env: prod", "It is green.", "in folder: "]
        {
            assert!(shown.out.contains(part), "{part}: {shown:?}");
        }
        assert_eq!(shown.out.lines().nth(1), Some("Deploy 1.4?"), "{shown:?}");
        let waits = read(&run(&cli, &["answer", &id]), 6);
        keys(&waits, ANSWER);
        assert_eq!((&waits["type"], &waits["status"]), (&Value::Null, &json!("waiting")));
        let decide: Vec<&str> =
            [decision[0], id.as_str()].into_iter().chain(decision[1..].iter().copied()).collect();
        assert_eq!(run(&cli, &decide).code, 0);
        let reply = read(&asker.wait(), code);
        keys(&reply, ANSWER);
        assert_eq!((&reply["type"], &reply["args"], &reply["by"]), (&json!(word), &args, &json!("cli")));
        assert_eq!(reply["id"], json!(id));
        text(&reply["at"]);
        // Read later, as often as one likes, by the question or its thread.
        assert_eq!(read(&run(&cli, &["answer", &id]), code), reply);
        assert_eq!(read(&run(&cli, &["answer", &text(&reply["thread"]), "--json"]), code), reply);
        assert_eq!(open(&cli).len(), 0);
        assert_eq!(json(&cli, &["list", "--kind", "result"]), json!([]), "the asker has it; it is no result");
    }
}

#[test]
fn a_question_without_an_action_takes_words_from_stdin() {
    let cli = Cli::new();
    let args = ["request", "--title", "Which region?", "--text", "-"];
    let asked = read(&with_stdin(&cli, &args, b"eu\nor us\n"), 0);
    keys(&asked, ANSWER);
    assert_eq!(asked["type"], Value::Null);
    let item = the_one(&cli);
    assert_eq!((&item["kind"], &item["action"]), (&json!("question"), &json!("request/question")));
    let allow = json!({"accept": true, "edit": false, "respond": true, "ignore": true, "draft": false});
    assert_eq!(item["allow"], allow);
    let id = text(&asked["id"]);
    assert!(run(&cli, &["view", &id]).out.contains("eu\nor us"));
    json(&cli, &["respond", &id, "eu"]);
    // Nobody drives; reading the answer is enough.
    assert_eq!(read(&run(&cli, &["answer", &id]), 0)["args"], "eu");
}

#[test]
fn only_the_answers_that_were_named_are_taken() {
    let cli = Cli::new();
    json(&cli, &["request", "--title", "Go?", "--allow", "accept,ignore"]);
    let id = text(&the_one(&cli)["id"]);
    run(&cli, &["respond", &id, "maybe"]).refused(2, "it takes accept or ignore");
    json(&cli, &["accept", &id]);
    let schema = cli.path("schema.json");
    std::fs::write(&schema, r#"{"type":"object","properties":{"n":{"type":"integer","maximum":5}}}"#)
        .unwrap();
    let schema = schema.display().to_string();
    let asked = ["request", "--title", "N?", "--action", "n", "--args", r#"{"n":3}"#, "--schema", &schema];
    let id = text(&json(&cli, &asked)["id"]);
    run(&cli, &["edit", &id, "--set", "n=9"]).refused(2, "`n`");
    json(&cli, &["edit", &id, "--set", "n=5"]);
    assert_eq!(read(&run(&cli, &["answer", &id]), 0)["args"], json!({"n": 5}));
}

#[test]
fn what_cannot_be_asked_is_refused_before_anything_is_kept() {
    let cli = Cli::new();
    refused(&cli, &["request"], 2, "--title");
    refused(&cli, &["request", "--title", "  "], 2, "`title`: say in one line");
    refused(&cli, &["request", "--title", &"x".repeat(400)], 2, "400 characters are too many");
    refused(&cli, &["request", "--title", "t", "--args", "{}"], 2, "--action");
    refused(&cli, &["request", "--title", "t", "--action", "a", "--args", "{x"], 2, "--args is not JSON");
    refused(&cli, &["request", "--title", "t", "--action", "a", "--args", "[1]"], 2, "not a JSON object");
    refused(&cli, &["request", "--title", "t", "--action", "write email"], 2, "`action`");
    refused(&cli, &["request", "--title", "t", "--action", "email/write_email"], 2, "`action`");
    refused(&cli, &["request", "--title", "t", "--allow", "shrug"], 2, "shrug");
    refused(&cli, &["request", "--title", "t", "--allow", "edit"], 2, "nothing to edit");
    refused(&cli, &["request", "--title", "t", "--expires", "soon"], 2, "`soon` is not a length of time");
    refused(&cli, &["request", "--title", "t", "--timeout", "3"], 2, "--wait");
    refused(&cli, &["request", "--title", "t", "--key", &"k".repeat(201)], 2, "at most 200");
    refused(&cli, &["request", "--title", "t", "--source", &"s".repeat(81)], 2, "81 characters");
    let file = cli.path("schema.json").display().to_string();
    let with_schema = |text: Option<&str>, expected: &str| {
        if let Some(text) = text {
            std::fs::write(&file, text).unwrap();
        }
        refused(&cli, &["request", "--title", "t", "--action", "a", "--schema", &file], 2, expected);
    };
    with_schema(None, "cannot be read");
    with_schema(Some("nonsense"), "is not JSON");
    with_schema(Some("[]"), "not a JSON object");
    with_schema(Some(r#"{"type": 7}"#), "not a JSON schema");
    with_schema(Some(r#"{"required": ["n"]}"#), "`args`");
    let huge = vec![b'x'; 300 * 1024];
    with_stdin(&cli, &["request", "--title", "t", "--text", "-"], &huge).refused(2, "too many");
    with_stdin(&cli, &["request", "--title", "t", "--text", "-"], b"\xff\xfe").refused(2, "UTF-8");
    run(&cli, &["answer", "nonsense!"]).refused(3, "cannot be the id");
    run(&cli, &["answer", "i00000000"]).refused(3, "there is no interrupt");
    run(&cli, &["answer", "t00000000"]).refused(3, "there is no thread");
    let notes = cli.path("notes");
    std::fs::create_dir(&notes).unwrap();
    std::fs::write(notes.join("a.md"), "Because it rained.").unwrap();
    cli.configure(&crate::model::config());
    let other = json(&cli, &["analyze", "--query", "Why?", "--inputs", "notes"]);
    run(&cli, &["answer", &text(&other["thread"])]).refused(2, "was not started by `sayso request`");
}

#[test]
fn one_key_is_one_question_with_one_answer() {
    let cli = Cli::new();
    let asked = ["request", "--title", "Pay?", "--action", "pay", "--args", r#"{"n":1}"#, "--key", "inv-7"];
    let waiting: Vec<&str> = asked.iter().copied().chain(["--wait"]).collect();
    // The first asker dies in its sleep.
    let first = spawn(&cli, &waiting);
    let id = text(&the_one(&cli)["id"]);
    first.signal(Signal::KILL);
    drop(first);
    // Many ask again at once.
    let askers: Vec<Background> = (0..6).map(|_| spawn(&cli, &waiting)).collect();
    assert_eq!(text(&json(&cli, &asked)["id"]), id);
    run(&cli, &["request", "--title", "Pay?", "--key", "inv-7"]).refused(2, "belongs to another request");
    let other = ["request", "--title", "Pay?", "--action", "pay", "--args", r#"{"n":2}"#, "--key", "inv-7"];
    run(&cli, &other).refused(2, "`inv-7`");
    assert_eq!(open(&cli).len(), 1);
    json(&cli, &["accept", &id]);
    for asker in askers {
        let reply = read(&asker.wait(), 0);
        assert_eq!((&reply["id"], &reply["type"]), (&json!(id), &json!("accept")));
    }
    // Also long after it was answered.
    assert_eq!(read(&run(&cli, &waiting), 0)["args"], json!({"n": 1}));
    assert_eq!(open(&cli).len(), 0);
    assert_eq!(json(&cli, &["threads"]).as_array().unwrap().len(), 1);
}

#[test]
fn of_many_that_come_first_with_one_key_one_asks() {
    let cli = Cli::new();
    json(&cli, &["list"]);
    let askers: Vec<Background> =
        (0..8).map(|_| spawn(&cli, &["request", "--title", "Me?", "--key", "race"])).collect();
    let ids: BTreeSet<String> = askers.into_iter().map(|asker| text(&read(&asker.wait(), 0)["id"])).collect();
    assert_eq!(ids.len(), 1);
    assert_eq!(open(&cli).len(), 1);
}

#[test]
fn fifty_askers_each_get_their_own_answer_and_nobody_drives_meanwhile() {
    const ASKERS: usize = 50;
    let cli = Cli::new();
    json(&cli, &["list"]);
    let askers: Vec<(String, Background)> = (0..ASKERS)
        .map(|n| {
            let title = format!("Question {n}");
            let asker = spawn(&cli, &["request", "--title", &title, "--wait"]);
            (title, asker)
        })
        .collect();
    until(|| open(&cli).len() == ASKERS);
    assert_eq!(json(&cli, &["status"])["driver"], Value::Null, "waiting takes no lock");
    let mut items = open(&cli);
    // Neither in the order asked nor in its reverse.
    items.sort_by_key(|item| text(&item["id"]));
    for item in &items {
        let title = text(&item["title"]);
        assert_eq!(run(&cli, &["respond", &text(&item["id"]), &format!("to {title}")]).code, 0);
    }
    for (title, asker) in askers {
        let reply = read(&asker.wait(), 0);
        assert_eq!(reply["args"], json!(format!("to {title}")));
    }
    assert_eq!(json(&cli, &["threads", "--status", "done"]).as_array().unwrap().len(), ASKERS);
}

#[test]
fn a_driver_that_dies_in_the_middle_loses_no_answer() {
    for point in ["before_node", "before_commit", "after_commit"] {
        let cli = Cli::new();
        let asked = ["request", "--title", "Go?", "--key", "k"];
        let id = text(&json(&cli, &asked)["id"]);
        json(&cli, &["accept", &id]);
        let mut driver = cli.real();
        driver.args(["run"]).env("SAYSO_FAIL_POINT", point);
        let killed = driver.output().unwrap();
        assert_eq!(killed.status.code(), None, "{point}: {killed:?}");
        let reply = read(&run(&cli, &["request", "--title", "Go?", "--key", "k", "--wait"]), 0);
        assert_eq!((&reply["type"], &reply["status"]), (&json!("accept"), &json!("done")), "{point}");
        let whole = json(&cli, &["show", &text(&reply["thread"])]);
        let nodes: Vec<String> =
            whole["steps"].as_array().unwrap().iter().map(|step| text(&step["node"])).collect();
        assert_eq!(nodes, ["START", "ask_person", "ANSWERS", "answered"], "{point}");
    }
}

#[test]
fn beside_a_driver_an_asker_waits_for_it() {
    let cli = Cli::new();
    let driver = spawn(&cli, &["watch"]);
    until(|| json(&cli, &["status"])["driver"] == json!(driver.pid()));
    let asker = spawn(&cli, &["request", "--title", "Go?", "--wait"]);
    let id = text(&the_one(&cli)["id"]);
    json(&cli, &["accept", &id]);
    assert_eq!(read(&asker.wait(), 0)["type"], "accept");
    // Paused, an answer stands and is not handed on.
    let asker = spawn(&cli, &["request", "--title", "And now?", "--wait"]);
    let id = text(&the_one(&cli)["id"]);
    json(&cli, &["pause"]);
    json(&cli, &["ignore", &id]);
    assert_eq!(read(&run(&cli, &["answer", &id]), 6)["status"], "ready");
    json(&cli, &["resume"]);
    assert_eq!(read(&asker.wait(), 4)["type"], "ignore");
    driver.signal(Signal::TERM);
    assert_eq!(driver.wait().code, 0);
}

#[test]
fn a_request_that_expires_closes_and_says_so() {
    let cli = Cli::new();
    let reply = read(&run(&cli, &["request", "--title", "Quick", "--expires", "1s", "--wait"]), 5);
    assert_eq!(
        (&reply["type"], &reply["by"], &reply["args"]),
        (&json!("expired"), &Value::Null, &Value::Null)
    );
    text(&reply["at"]);
    let id = text(&reply["id"]);
    run(&cli, &["accept", &id]).refused(3, "nobody answered in time");
    assert!(run(&cli, &["view", &id]).out.contains("no longer open: nobody answered in time"));
    assert_eq!(read(&run(&cli, &["answer", &id]), 5)["type"], "expired");
    // Without its asker, whoever looks next closes it.
    let id = text(&json(&cli, &["request", "--title", "Alone", "--expires", "1s"])["id"]);
    until(|| run(&cli, &["answer", &id]).code == 5);
    json(&cli, &["request", "--title", "Driven", "--expires", "1s"]);
    until(|| {
        run(&cli, &["run"]);
        open(&cli).is_empty()
    });
    // An answer that was given wins, however late it is read.
    let id = text(&json(&cli, &["request", "--title", "Won", "--expires", "2s"])["id"]);
    json(&cli, &["accept", &id]);
    let over = json(&cli, &["request", "--title", "Lost", "--expires", "2s"]);
    until(|| run(&cli, &["answer", &text(&over["id"])]).code == 5);
    assert_eq!(read(&run(&cli, &["answer", &id]), 0)["type"], "accept");
}

#[cfg(target_os = "linux")]
#[test]
fn patience_ends_and_signals_end_it_and_the_question_stays() {
    let cli = Cli::new();
    let asked = ["request", "--title", "Well?", "--key", "k", "--wait"];
    let impatient: Vec<&str> = asked.iter().copied().chain(["--timeout", "0.2"]).collect();
    run(&cli, &impatient).refused(1, "gave up after 0.2 s: nobody has answered `i");
    let id = text(&the_one(&cli)["id"]);
    let waiting = spawn(&cli, &asked);
    // SIGTERM is caught from when it begins to wait.
    until(|| catches_term(waiting.pid()));
    waiting.signal(Signal::TERM);
    waiting.wait().refused(1, "interrupted while waiting");
    assert_eq!(texts(&read(&run(&cli, &["answer", &id]), 6)["interrupts"]), [id]);
}

#[cfg(target_os = "linux")]
fn catches_term(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let mask = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask & (1 << (15 - 1)) != 0
}

#[test]
fn nobody_can_pass_for_another_workflow_or_reach_the_terminal() {
    let cli = Cli::new();
    let evil = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}\u{200b}evil\r\n! WARNING\u{e0041}";
    let came = json!({"to": {"name": [evil]}});
    let request = |args: &Value| {
        let args = args.to_string();
        let asked = ["request", "--title", evil, "--text", evil, "--source", evil, "--action", "write_email"];
        run(&cli, &[&asked[..], &["--args", &args, "--json"]].concat())
    };
    let named = request(&json!({"to": {evil: 1}}));
    named.refused(2, "holds characters that cannot be shown");
    assert!(!named.err.contains('\u{1b}'));
    let id = text(&read(&request(&came), 0)["id"]);
    let item = the_one(&cli);
    assert_eq!((&item["workflow"], &item["action"]), (&json!("request"), &json!("request/write_email")));
    assert!(text(&item["source"]).starts_with("request: "));
    assert!(!text(&item["title"]).contains('\n'));
    assert_eq!(item["warnings"].as_array().unwrap().len(), 1, "ours, and none of its own");
    assert_eq!(item["warnings"][0]["code"], "hidden_characters");
    let (accept, answer) = (["accept", &id], ["answer", &id]);
    for args in [&["list"][..], &["view", &id], &["threads"], &["list", "--json"], &accept, &answer] {
        let output = run(&cli, args);
        let hidden = |c: char| sayso::text::is_hidden(c) && !matches!(c, '\n' | '\t');
        assert!(!output.out.contains(hidden) && !output.err.contains(hidden), "{output:?}");
    }
    let reply = read(&run(&cli, &["answer", &id]), 0);
    assert_eq!(reply["args"], came, "what came is what is approved");
}

/// Nobody has to run anything for an answer to reach whoever asked.
#[test]
fn an_answer_needs_no_run() {
    let cli = Cli::new();
    json(&cli, &["request", "--title", "Deploy?", "--allow", "accept,ignore"]);
    let item = the_one(&cli);
    let (id, thread) = (text(&item["id"]), text(&item["thread"]));
    let answered = run(&cli, &["accept", &id]);
    assert_eq!(answered.out, format!("Thread {thread} is ready; whoever asked takes the answer from it.\n"));
    assert_eq!(json(&cli, &["answer", &id])["type"], "accept");
}
