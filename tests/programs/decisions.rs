//! `eval decisions`: the mails people decided on are triaged again, and nothing is changed.

use crate::demo::Demo;
use crate::runner::{keys, text, texts};

/// Everything that could have been left behind.
fn traces(demo: &Demo) -> (Vec<i64>, usize, String) {
    let db = rusqlite::Connection::open(demo.folder().join("sayso.db")).unwrap();
    let tables = "log threads interrupts effects spans memory lessons blobs calls contacts".split(' ');
    let count = |table: &str| {
        db.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get::<_, i64>(0)).unwrap()
    };
    let calendar = std::fs::read_to_string(demo.folder().join("calendar.ics")).unwrap();
    (tables.map(count).collect(), demo.outbox().len(), calendar)
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
fn mails_are_triaged_again_and_nothing_is_touched() {
    let demo = decided();
    let before = traces(&demo);
    let report = demo.json(&["eval", "decisions"]);
    assert_eq!(traces(&demo), before);
    keys(&report, "model right total confusion misses failures input_tokens output_tokens");
    assert_eq!((&report["total"], &report["failures"]), (&4.into(), &serde_json::json!([])), "{report}");
    assert_eq!(report["right"], report["total"], "what was triaged so before is triaged so again: {report}");
    assert_eq!(demo.json(&["eval", "decisions", "--limit", "1"])["total"], 1);
    let told = demo.run(&["eval", "decisions"]);
    assert!(told.done().starts_with("It would have decided 4 mails, 4 as you did.\n"), "{told:?}");
    assert!(told.out.contains("4 of 4 right"), "{told:?}");
    // With another memory.
    let profile = demo.folder().join("profile.md");
    std::fs::write(&profile, "- answer: mail from @harbourcouriers.example\n").unwrap();
    let report = demo.json(&["eval", "decisions", "--memory", profile.to_str().unwrap()]);
    assert_eq!(report["total"], 4, "{report}");
}

#[test]
fn what_is_wrong_is_said_before_anything_is_asked() {
    let demo = Demo::new();
    let refused = |args: &[&str], code: i32, expected: &str| {
        demo.run(&[&["eval", "decisions"], args].concat()).refused(code, expected);
    };
    refused(&["--since", "soon"], 2, "not a time");
    refused(&["--memory", "/no/such"], 2, "/no/such");
    refused(&[], 3, "no mail was decided on yet");
}
