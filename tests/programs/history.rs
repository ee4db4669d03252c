//! `decisions`: the list of what was decided, by whom, and how it ended.

use crate::demo::Demo;
use crate::runner::{Cli, answer, json, keys, run, text, texts, the_one};
use serde_json::{Value, json};

const LINE: &str = "at interrupt thread workflow kind action title source answer text by end outcome";

/// What was answered, how it ended, and how that is put.
fn rows(lines: &Value) -> Vec<String> {
    let row = |line: &Value| ["answer", "end", "outcome"].map(|key| text(&line[key])).join(" · ");
    lines.as_array().unwrap().iter().map(row).collect()
}

#[test]
fn mail_is_listed_with_how_each_decision_ended() {
    let demo = Demo::new();
    demo.json(&["run"]);
    let before = demo.json(&["decisions"]).as_array().unwrap().len();
    let offer = demo.item("Twelve cargo bikes");
    demo.json(&["accept", &text(&offer["id"]), "--wait"]);
    let list = demo.json(&["list", "--kind", "triage"]);
    demo.json(&["accept", &text(&list[0]["id"]), "--wait"]);
    demo.json(&["ignore", &text(&list[1]["id"]), "--wait"]);
    let asked = demo.item("Hub drawings");
    let outcome = demo.json(&["respond", &text(&asked["id"]), "yes\nSam approves it", "--wait"]);
    let draft = &texts(&outcome["interrupts"])[0];
    demo.json(&["ignore", draft]);
    demo.json(&["undo", draft]);

    let lines = demo.json(&["decisions", "--limit", "5"]);
    for one in lines.as_array().unwrap() {
        keys(one, LINE);
    }
    assert_eq!(
        rows(&lines),
        [
            "ignore · undone · taken back",
            "respond · done · answered",
            "ignore · ignored · ignored",
            "accept · done · noted",
            "accept · done · sent",
        ]
    );
    assert_eq!(lines[1]["text"], "yes\nSam approves it");
    assert_eq!(lines[4]["thread"], offer["thread"]);
    assert_eq!(demo.json(&["decisions"]).as_array().unwrap().len(), before + 5);
    // Narrowed by answer, end and words.
    assert_eq!(demo.json(&["decisions", "answer:respond", "--limit", "1"])[0], lines[1]);
    assert_eq!(demo.json(&["decisions", "is:undone", "--limit", "1"])[0], lines[0]);
    let found = demo.json(&["decisions", "CARGO", "is:sent", "newer:1h"]);
    assert_eq!(found.as_array().unwrap().as_slice(), &lines.as_array().unwrap()[4..]);
    assert_eq!(demo.json(&["decisions", "older:1h", "cargo", "sent"]), json!([]));
    let output = demo.run(&["decisions", "cargo"]);
    assert!(output.done().contains("sent") && output.out.contains("you"), "{output:?}");
    assert_eq!(demo.run(&["decisions", "no such words"]).done(), "No decision matches.\n");
    demo.run(&["decisions", "newer:whenever"]).refused(2, "newer: takes a time");
}

#[test]
fn a_request_is_allowed_or_refused_with_words_or_without() {
    let cli = Cli::new();
    let decisions: [&[&str]; 4] =
        [&["accept"], &["edit", "--set", "host=b"], &["ignore"], &["respond", "Use the tests."]];
    for decision in decisions {
        let args = r#"{"host": "a"}"#;
        let ask =
            ["request", "--title", "Deploy", "--action", "deploy", "--source", "release bot", "--args", args];
        run(&cli, &ask);
        answer(&cli, &text(&the_one(&cli)["id"]), &[decision, &["--wait"]].concat());
    }
    let lines = json(&cli, &["decisions"]);
    assert_eq!(
        rows(&lines),
        [
            "respond · ignored · refused",
            "ignore · ignored · refused",
            "edit · done · allowed, changed",
            "accept · done · allowed",
        ]
    );
    assert_eq!(lines[0]["text"], "Use the tests.");
    assert_eq!(lines[0]["source"], "request: release bot");
    assert_eq!(lines[0]["by"], "cli");
}
