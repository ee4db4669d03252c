//! `eval decisions`: past decisions are asked again, and nothing is changed.

use crate::demo::Demo;
use crate::runner::{keys, text, texts};
use serde_json::Value;

fn row<'a>(report: &'a Value, tool: &str) -> &'a Value {
    let rows = report["rows"].as_array().unwrap();
    rows.iter().find(|row| row["tool"] == tool).unwrap_or_else(|| panic!("{tool}: {report}"))
}

/// Everything a replay could have left behind.
fn traces(demo: &Demo) -> (Vec<i64>, usize, String) {
    let db = rusqlite::Connection::open(demo.folder().join("sayso.db")).unwrap();
    let tables = [
        "log",
        "threads",
        "interrupts",
        "effects",
        "spans",
        "memory",
        "lessons",
        "blobs",
        "calls",
        "contacts",
    ];
    let count = |table: &&str| {
        db.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get::<_, i64>(0)).unwrap()
    };
    let calendar = std::fs::read_to_string(demo.folder().join("calendar.ics")).unwrap();
    (tables.iter().map(count).collect(), demo.outbox().len(), calendar)
}

/// A demo in which a draft was accepted, one edited, a mail noted and a meeting accepted.
fn decided() -> Demo {
    let demo = Demo::new();
    demo.json(&["run"]);
    let offer = demo.item("Twelve cargo bikes");
    demo.json(&["accept", &text(&offer["id"]), "--wait"]);
    let meeting = demo.item("Planning the spring fair");
    demo.json(&["accept", &text(&meeting["id"]), "--wait"]);
    let asked = demo.item("Hub drawings");
    let outcome = demo.json(&["respond", &text(&asked["id"]), "yes\nSam approves it", "--wait"]);
    let draft = &texts(&outcome["interrupts"])[0];
    demo.json(&["edit", draft, "--set", "content=Thanks, they are on their way.", "--wait"]);
    let list = demo.json(&["list", "--kind", "triage"]);
    let shown = text(&list[0]["id"]);
    demo.json(&["accept", &shown, "--wait"]);
    demo
}

#[test]
fn the_same_model_proposes_what_was_accepted_and_nothing_is_touched() {
    let demo = decided();
    let before = traces(&demo);
    let report = demo.json(&["eval", "decisions"]);
    assert_eq!(traces(&demo), before);
    keys(
        &report,
        &[
            "model",
            "cases",
            "same",
            "rows",
            "misses",
            "failures",
            "unclear",
            "input_tokens",
            "output_tokens",
            "cost",
            "stopped",
        ],
    );
    assert_eq!(report["failures"], serde_json::json!([]), "{report}");
    let (triage, mail, meeting) =
        (row(&report, "triage"), row(&report, "write_email"), row(&report, "schedule_meeting"));
    assert_eq!(triage["cases"], triage["same"], "{report}");
    assert_eq!((&meeting["cases"], &meeting["same"]), (&1.into(), &1.into()), "{report}");
    assert!(mail["same"].as_u64() < mail["cases"].as_u64(), "the edited one differs: {report}");
    let edited = report["misses"]
        .as_array()
        .unwrap()
        .iter()
        .find(|miss| miss["decided"]["content"] == "Thanks, they are on their way.");
    let edited = edited.unwrap_or_else(|| panic!("{report}"));
    assert!(text(&edited["proposed"]["content"]).contains("Sam approves it"), "{edited}");
    assert!(edited["distance"].as_f64().unwrap() > 0.3, "{edited}");
    assert_eq!(demo.json(&["eval", "decisions"]), report, "the rules built in say the same each time");
    let output = demo.run(&["eval", "decisions"]);
    assert!(output.done().contains("as decided") && output.out.contains("schedule_meeting"), "{output:?}");
}

#[test]
fn other_memory_and_other_rules_show_in_the_classes() {
    let demo = decided();
    let rules = demo.folder().join("rules.toml");
    std::fs::write(&rules, "[[rule]]\nfrom = \"*\"\nclass = \"ignore\"\n").unwrap();
    let report = demo.json(&["eval", "decisions", "--rules", rules.to_str().unwrap()]);
    let triage = row(&report, "triage");
    assert!(triage["cases"].as_u64() >= Some(2), "{report}");
    assert_eq!(triage["same"], 0, "everything would be ignored: {report}");
    let miss = report["misses"].as_array().unwrap().iter().find(|miss| miss["tool"] == "triage").unwrap();
    assert_eq!(miss["proposed"], "ignore");
    let profile = demo.folder().join("profile.md");
    std::fs::write(
        &profile,
        "Ignore mail from harbourcouriers.example.\n- ignore: harbourcouriers.example\n",
    )
    .unwrap();
    let given = format!("triage_preferences={}", profile.display());
    let report = demo.json(&["eval", "decisions", "--memory", &given, "--limit", "1"]);
    assert_eq!(report["cases"], 1, "{report}");
}

#[test]
fn what_is_wrong_is_said_before_anything_is_asked() {
    let demo = Demo::new();
    let refused = |args: &[&str], code: i32, expected: &str| {
        let output = demo.run(&[&["eval", "decisions"], args].concat());
        output.refused(code, expected);
    };
    refused(&["--since", "soon"], 2, "not a time");
    refused(&["--memory", "tone"], 2, "NS=FILE");
    refused(&["--memory", "tone=/no/such"], 2, "/no/such");
    refused(&["--rules", "/no/such.toml"], 2, "/no/such.toml");
    let profile = demo.folder().join("config.toml");
    refused(&["--memory", &format!("nothing={}", profile.display())], 3, "nothing");
}
