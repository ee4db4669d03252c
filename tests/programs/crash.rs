//! An analysis whose driver dies by SIGKILL, at every named point of every turn: another process goes on, and the
//! result is written once.

use crate::analyze::{QUERY, json, notes, with_notes};
use crate::runner::{Cli, text, texts};
use std::os::unix::process::ExitStatusExt;

const TURNS: usize = 3;

/// Points passed at every node, and points passed at an effect.
const NODES: [&str; 3] = ["before_node", "before_commit", "after_commit"];
const EFFECTS: [&str; 4] = ["before_intent", "after_intent", "before_outcome", "after_outcome"];

/// Drives until idle; with a point, dies there first.
#[track_caller]
fn run(cli: &Cli, point: Option<&str>) {
    if let Some(point) = point {
        let mut command = cli.real();
        command.args(["run"]).env("SAYSO_FAIL_POINT", point);
        let output = command.output().unwrap();
        assert_eq!(output.status.signal(), Some(9), "{point}: {output:?}");
    }
    json(cli, &["run"]);
}

#[track_caller]
fn check(turn: usize, point: &str) {
    let what = format!("{point} in turn {turn}");
    let cli = with_notes();
    let thread = text(&json(&cli, &["analyze", "--query", QUERY, "--inputs", "notes"])["thread"]);
    let point = |now: usize| (now == turn).then_some(point);
    run(&cli, point(0));
    for (now, answer) in (1..).zip(["It is 500", "DONE"]) {
        let open = texts(
            &json(&cli, &["show", &thread])["steps"].as_array().unwrap().last().unwrap()["next"]["ask"],
        );
        assert_eq!(open.len(), 1, "{what}");
        json(&cli, &["respond", &open[0], answer]);
        run(&cli, point(now));
    }
    let whole = json(&cli, &["show", &thread]);
    assert_eq!(whole["status"], "done", "{what}: {whole}");
    let nodes: Vec<String> =
        whole["steps"].as_array().unwrap().iter().map(|step| text(&step["node"])).collect();
    let expected = [
        "START",
        "analysis_prepare",
        "analysis_interrupt",
        "ANSWERS",
        "analysis_prepare",
        "analysis_interrupt",
        "ANSWERS",
        "analysis_prepare",
        "write_result",
    ];
    assert_eq!(nodes, expected, "{what}");
    assert_eq!(whole["state"]["analysis_history"].as_array().unwrap().len(), 5, "{what}");
    let effects: Vec<String> =
        whole["effects"].as_array().unwrap().iter().map(|e| text(&e["state"])).collect();
    assert_eq!(effects, ["done"], "{what}");
    let mut files: Vec<String> = std::fs::read_dir(cli.path("notes"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(files, ["analysis_result.md", "plan.md", "talk.txt"], "{what}");
    let written = std::fs::read_to_string(notes(&cli, "analysis_result.md")).unwrap();
    assert_eq!(written.trim_end(), text(&whole["output"]["answer"]).trim_end(), "{what}");
}

#[test]
fn a_driver_killed_at_a_node_changes_nothing() {
    for turn in 0..TURNS {
        for point in NODES {
            for nth in 1..=2 {
                check(turn, &format!("{point}:{nth}"));
            }
        }
    }
}

#[test]
fn a_driver_killed_around_the_result_writes_it_once() {
    for point in EFFECTS {
        check(TURNS - 1, point);
    }
}
