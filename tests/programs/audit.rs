//! `export --audit` and `doctor --audit`.

use crate::runner::{Cli, keys};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_audit_is_exported_as_lines_and_judged() {
    let cli = Cli::new();
    let (_, asked) = cli.asked(&["courier", "parcels=book"]);
    cli.json(&["accept", &asked[0], "--wait"]);
    let entries = lines(cli.sayso(&["export", "--audit"]).done());
    let whats: Vec<&str> = entries.iter().filter_map(|line| line["what"].as_str()).collect();
    let facts: Vec<&str> =
        whats.iter().copied().filter(|what| !["opened", "asked", "stepped"].contains(what)).collect();
    assert_eq!(facts, ["started", "decided", "begun", "ended"]);
    let at = whats.iter().position(|what| *what == "decided").unwrap();
    let decided = &entries[at];
    keys(decided, "digest link n what at thread from body");
    assert_eq!(decided["body"]["by"], "cli");
    assert!(decided["link"].as_str().unwrap().starts_with(entries[at - 1]["digest"].as_str().unwrap()));
    let (last, end) = (&entries[entries.len() - 2], &entries[entries.len() - 1]);
    assert_eq!((&end["last"], &end["end"]), (&last["digest"], &last["n"]));
    let count = entries.len() - 1;
    let file = cli.path("audit.jsonl");
    let name = file.to_str().unwrap();
    let written = cli.json(&["export", "--audit", "-o", name]);
    assert_eq!((&written["lines"], &written["file"]), (&count.into(), &name.into()));
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    cli.refused(&["export", "--audit", "-o", name], 2, "exists already");
    let beside = std::fs::read_dir(cli.path("")).unwrap().flatten();
    assert!(
        !beside.into_iter().any(|entry| entry.file_name().to_string_lossy().starts_with(".sayso-audit."))
    );
    let checks = cli.json(&["doctor", "--audit", name]);
    assert_eq!(checks.as_array().unwrap().len(), 2);
    assert!(checks.as_array().unwrap().iter().all(|check| check["ok"] == true), "{checks}");
    // What happens later does not make an old export wrong; what is done to it does.
    cli.json(&["pause"]);
    assert_eq!(cli.sayso(&["doctor", "--audit", name]).code, 0);
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("\"by\":\"cli\"", "\"by\":\"tui\"")).unwrap();
    let output = cli.sayso(&["doctor", "--audit", name]);
    assert_eq!(output.code, 1);
    let edited = format!("FAIL  audit file  line {} is not the one the store has", at + 1);
    assert!(output.out.contains(&edited), "{output:?}");
    // The pause, and the process that paused.
    assert!(output.out.contains(&format!("ok    audit       {} lines", count + 2)), "{output:?}");
}

#[test]
fn times_folders_and_files_that_are_wrong_are_said() {
    let cli = Cli::new();
    cli.chat("tea");
    cli.refused(&["export"], 2, "--audit");
    cli.refused(&["export", "--audit", "--since", "yesteryear"], 2, "is not a time; write 30d");
    let end = lines(cli.sayso(&["export", "--audit", "--since", "2100-01-01"]).done());
    assert_eq!(end.len(), 1);
    let all = lines(cli.sayso(&["export", "--audit"]).done());
    let lately = lines(cli.sayso(&["export", "--audit", "--since", "2h"]).done());
    assert_eq!(lately[..lately.len() - 1], all[..all.len() - 1]);
    let nowhere = cli.path("nowhere").display().to_string();
    cli.refused(&["export", "--audit", "--data", &nowhere], 3, "does not exist");
    assert!(!cli.path("nowhere").exists());
    cli.refused(&["export", "--audit", "-o", &format!("{nowhere}/x")], 1, "nowhere");
    let output = cli.sayso(&["doctor", "--audit", &nowhere]);
    assert_eq!(output.code, 1);
    assert!(output.out.contains("FAIL  audit file") && output.out.contains("nowhere"), "{output:?}");
}
