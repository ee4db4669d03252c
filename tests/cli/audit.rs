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
    let facts: Vec<&str> =
        whats.iter().copied().filter(|what| !["opened", "asked", "stepped"].contains(what)).collect();
    assert_eq!(facts, ["started", "decided", "begun", "ended"]);
    let at = whats.iter().position(|what| *what == "decided").unwrap();
    let decided = &told[at];
    keys(decided, &["digest", "link", "n", "what", "at", "thread", "from", "body"]);
    assert_eq!(decided["body"]["by"], "cli");
    assert!(decided["link"].as_str().unwrap().starts_with(told[at - 1]["digest"].as_str().unwrap()));
    let (last, end) = (&told[told.len() - 2], &told[told.len() - 1]);
    assert_eq!((&end["last"], &end["end"]), (&last["digest"], &last["n"]));
    let count = told.len() - 1;
    let file = desk.path("audit.jsonl");
    let name = file.to_str().unwrap();
    let written = desk.json(&["export", "--audit", "-o", name]);
    assert_eq!((&written["lines"], &written["file"]), (&count.into(), &name.into()));
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
    let edited =
        format!("FAIL  audit file  line {} was edited: its body is not the one it was written with", at + 1);
    assert!(said.out.contains(&edited), "{said:?}");
    // The pause, and the process that paused.
    assert!(said.out.contains(&format!("ok    audit       {} lines", count + 2)), "{said:?}");
}

#[test]
fn times_folders_and_files_that_are_wrong_are_said() {
    let desk = Desk::new();
    desk.chat("tea");
    desk.refused(&["export"], 2, "--audit");
    desk.refused(&["export", "--audit", "--since", "yesteryear"], 2, "not a time that has been");
    let end = lines(desk.sayso(&["export", "--audit", "--since", "2100-01-01"]).done());
    assert_eq!(end.len(), 1);
    let all = lines(desk.sayso(&["export", "--audit"]).done());
    let lately = lines(desk.sayso(&["export", "--audit", "--since", "2h"]).done());
    assert_eq!(lately[..lately.len() - 1], all[..all.len() - 1]);
    let nowhere = desk.path("nowhere").display().to_string();
    desk.refused(&["export", "--audit", "--data", &nowhere], 3, "does not exist");
    assert!(!desk.path("nowhere").exists());
    desk.refused(&["export", "--audit", "-o", &format!("{nowhere}/x")], 1, "nowhere");
    let said = desk.sayso(&["doctor", "--audit", &nowhere]);
    assert_eq!(said.code, 1);
    assert!(said.out.contains("FAIL  audit file") && said.out.contains("nowhere"), "{said:?}");
}
