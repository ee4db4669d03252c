//! `export --audit` and `doctor --audit`.

use crate::desk::{Desk, keys};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_audit_is_exported_as_lines_and_judged() {
    let desk = Desk::new();
    let (_, asked) = desk.asked(&["courier", "parcels=book"]);
    desk.json(&["accept", &asked[0], "--wait"]);
    let told = lines(desk.sayso(&["export", "--audit"]).done());
    let whats: Vec<&str> = told.iter().filter_map(|line| line["what"].as_str()).collect();
    assert_eq!(whats, ["begun", "started", "decided", "effect_begun", "effect_ended"]);
    let decided = &told[2];
    keys(
        decided,
        &[
            "digest",
            "before",
            "n",
            "at",
            "what",
            "by",
            "thread",
            "interrupt",
            "kind",
            "action",
            "decision",
            "shown",
            "from",
            "texts",
        ],
    );
    assert_eq!((&decided["by"], &decided["interrupt"]), (&"cli".into(), &asked[0].clone().into()));
    assert_eq!(decided["before"], told[1]["digest"]);
    assert_eq!(told[5]["end"]["last"], told[4]["digest"]);
    let file = desk.path("audit.jsonl");
    let name = file.to_str().unwrap();
    let written = desk.json(&["export", "--audit", "-o", name]);
    assert_eq!((&written["lines"], &written["file"]), (&5.into(), &name.into()));
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    desk.refused(&["export", "--audit", "-o", name], 2, "exists already");
    let beside = std::fs::read_dir(desk.path("")).unwrap().flatten();
    assert!(!beside.into_iter().any(|entry| entry.file_name().to_string_lossy().ends_with(".part")));
    let checks = desk.json(&["doctor", "--audit", name]);
    assert_eq!(checks.as_array().unwrap().len(), 2);
    assert!(checks.as_array().unwrap().iter().all(|check| check["ok"] == true), "{checks}");
    // What happens later does not make an old export wrong; what is done to it does.
    desk.json(&["pause"]);
    assert_eq!(desk.sayso(&["doctor", "--audit", name]).code, 0);
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("\"by\":\"cli\"", "\"by\":\"tui\"")).unwrap();
    let said = desk.sayso(&["doctor", "--audit", name]);
    assert_eq!(said.code, 1);
    assert!(said.out.contains("FAIL  audit file  line 3 was edited: its digest is not its own"), "{said:?}");
    assert!(said.out.contains("ok    audit       6 lines"), "{said:?}");
}

#[test]
fn times_folders_and_files_that_are_wrong_are_said() {
    let desk = Desk::new();
    desk.chat("tea");
    desk.refused(&["export"], 2, "--audit");
    desk.refused(&["export", "--audit", "--since", "yesteryear"], 2, "not a time that has been");
    let end = lines(desk.sayso(&["export", "--audit", "--since", "2100-01-01"]).done());
    assert_eq!(end.len(), 1);
    assert_eq!(lines(desk.sayso(&["export", "--audit", "--since", "2h"]).done()).len(), 3);
    let nowhere = desk.path("nowhere").display().to_string();
    desk.refused(&["export", "--audit", "--data", &nowhere], 3, "does not exist");
    assert!(!desk.path("nowhere").exists());
    desk.refused(&["export", "--audit", "-o", &format!("{nowhere}/x")], 1, "nowhere");
    let said = desk.sayso(&["doctor", "--audit", &nowhere]);
    assert_eq!(said.code, 1);
    assert!(said.out.contains("FAIL  audit file") && said.out.contains("nowhere"), "{said:?}");
}
