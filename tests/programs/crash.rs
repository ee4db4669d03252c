//! An analysis whose driver dies by SIGKILL at every named point of every node and of its effect: another process goes
//! on, and the result is written once.

use crate::analyze::{QUERY, notes, with_notes};
use crate::runner::{each, json, text, texts};
use crate::support::file_names;

/// Points passed at every node, and points passed at an effect.
const NODES: [&str; 3] = ["before_node", "before_commit", "after_commit"];
const EFFECTS: [&str; 4] = ["before_intent", "after_intent", "before_outcome", "after_outcome"];

/// Kills the driver at a point in one of the three turns.
#[track_caller]
fn check(turn: usize, point: &str) {
    let what = format!("{point} in turn {turn}");
    let cli = with_notes();
    let thread = text(&json(&cli, &["analyze", "--query", QUERY, "--inputs", "notes"])["thread"]);
    let run = |now: usize| {
        if now == turn {
            cli.killed_at(point, &["run"]);
        }
        json(&cli, &["run"]);
    };
    run(0);
    for (now, answer) in (1..).zip(["It is 500", "DONE"]) {
        let open = texts(
            &json(&cli, &["show", &thread])["steps"].as_array().unwrap().last().unwrap()["next"]["ask"],
        );
        assert_eq!(open.len(), 1, "{what}");
        json(&cli, &["respond", &open[0], answer]);
        run(now);
    }
    let whole = json(&cli, &["show", &thread]);
    assert_eq!(whole["status"], "done", "{what}: {whole}");
    let turn = ["analysis_prepare", "analysis_interrupt", "ANSWERS", "analysis_answered"];
    let expected = [&["START"], &turn[..], &turn, &["write_result"]].concat();
    assert_eq!(each(&whole["steps"], "node"), expected, "{what}");
    assert_eq!(whole["state"]["analysis_history"].as_array().unwrap().len(), 5, "{what}");
    assert_eq!(each(&whole["effects"], "state"), ["done"], "{what}");
    assert_eq!(file_names(&cli.path("notes")), ["analysis_result.md", "plan.md", "talk.txt"], "{what}");
    let written = std::fs::read_to_string(notes(&cli, "analysis_result.md")).unwrap();
    assert_eq!(written.trim_end(), text(&whole["output"]["answer"]).trim_end(), "{what}");
}

#[test]
fn a_driver_killed_at_a_node_changes_nothing() {
    // The node that takes the answer, the one that prepares, the one that asks, and the one that writes; what is done
    // before an answer is the same in every turn.
    for (turn, nth) in [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2)] {
        for point in NODES {
            check(turn, &format!("{point}:{nth}"));
        }
    }
}

#[test]
fn a_driver_killed_around_the_result_writes_it_once() {
    for point in EFFECTS {
        check(2, point);
    }
}
