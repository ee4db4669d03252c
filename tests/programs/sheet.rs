//! `sayso sheet` through the real program: formats, the terminal, bad input, and drivers that die between cells.

use crate::runner::{Cli, each, json, list, read, run, text, texts};
use crate::support::file_names;
use crate::{model, python};

const SALES: &str = "Region,Amount\nNorth,10\nSouth,12\nNorth,11\nEast,13\nSouth,9\nEast,12\nNorth,400\n";

/// A folder with a workbook, and a config that names this machine's Python; nothing where it cannot be caged.
fn with_python() -> Option<Cli> {
    let program = python::program().map_err(|why| println!("skipped: {why}")).ok()?;
    let cli = configured();
    cli.configure(&(model::config() + &python::config(&program)));
    Some(cli)
}

fn configured() -> Cli {
    let cli = Cli::new();
    cli.configure(&model::config());
    std::fs::write(cli.path("sales.csv"), SALES).unwrap();
    cli
}

#[test]
fn bad_input_is_one_sentence() {
    let cli = configured();
    std::fs::write(cli.path("notes.txt"), "x").unwrap();
    for (args, expected) in [
        (&["none.xlsx", "-i", "x"][..], "cannot be opened"),
        (&["notes.txt", "-i", "x"], "not a workbook"),
        (&[".", "-i", "x"], "not a workbook"),
        (&["sales.csv", "-i", " "], "say what is to be done"),
        (&["sales.csv"], "--instruction"),
        (&["sales.csv", "-i", "x", "--max-steps", "0"], "between 1 and 100"),
        (&["sales.csv", "-i", "x", "--max-steps", "many"], "--max-steps"),
    ] {
        run(&cli, &[&["sheet"], args].concat()).refused(2, expected);
    }
    assert_eq!(json(&cli, &["threads"]), serde_json::json!([]));
}

/// What cannot be read is trouble to be decided on; whoever waited for the work is told that it failed.
#[test]
fn work_that_was_waited_for_and_failed_exits_with_1() {
    let Some(cli) = with_python() else { return };
    std::fs::write(cli.path("broken.xlsx"), "no package").unwrap();
    let outcome = read(&run(&cli, &["sheet", "broken.xlsx", "-i", "sum Amount", "--wait", "--json"]), 1);
    assert_eq!(outcome["status"], "trouble", "{outcome}");
    assert_eq!(list(&cli, &["list", "--kind", "trouble"]).len(), 1);
    let waited = run(&cli, &["sheet", "sales.csv", "-i", "sum Amount", "--wait", "--json"]);
    assert_eq!(waited.code, 0, "what asks has not failed: {waited:?}");
}

#[test]
fn a_driver_killed_between_cells_asks_nothing_twice_and_writes_once() {
    for point in ["before_commit", "before_commit:2", "before_commit:3", "after_intent", "before_outcome"] {
        let Some(cli) = with_python() else { return };
        let started = json(&cli, &["sheet", "sales.csv", "-i", "mark outliers in Amount", "--wait"]);
        let thread = text(&started["thread"]);
        json(&cli, &["accept", &texts(&started["interrupts"])[0]]);
        cli.killed_at(point, &["run"]);
        json(&cli, &["run"]);
        let whole = json(&cli, &["show", &thread]);
        assert_eq!(whole["status"], "done", "{point}: {whole}");
        let expected =
            ["START", "planner_node", "tool_node", "ANSWERS", "run_code", "planner_node", "write_result"];
        assert_eq!(each(&whole["steps"], "node"), expected, "{point}");
        assert_eq!(whole["decisions"].as_array().unwrap().len(), 1, "{point}");
        assert_eq!(whole["effects"].as_array().unwrap().len(), 1, "{point}");
        let names = file_names(&cli.path("."));
        assert_eq!(names.iter().filter(|name| name.starts_with("sales.result")).count(), 1, "{point}");
    }
}

#[test]
fn without_a_model_a_person_takes_its_place() {
    let Some(cli) = with_python() else { return };
    cli.configure("");
    let wish = ["sheet", "sales.csv", "-i", "What is the total?", "--wait"];
    run(&cli, &wish).refused(2, "--model me");
    let named = python::config(&python::program().unwrap());
    cli.configure(&format!("[model]\nprovider = \"me\"\n{named}"));
    let asked = |outcome: &serde_json::Value| texts(&outcome["interrupts"]).remove(0);
    let outcome = json(&cli, &wish);
    assert_eq!(json(&cli, &["view", &asked(&outcome)])["action"], "your_turn");
    let code = "code=import csv\nprint(sum(int(r['Amount']) for r in csv.DictReader(open('sales.csv'))))";
    let set = |id: &str, values: [&str; 2]| {
        json(&cli, &["edit", id, "--set", values[0], "--set", values[1], "--wait"])
    };
    let outcome = set(&asked(&outcome), ["do=python", code]);
    let card = text(&json(&cli, &["view", &asked(&outcome)])["text"]);
    assert!(card.contains("467"), "what they wrote ran without asking once more: {card}");
    let outcome = set(&asked(&outcome), ["do=finish", "answer=It is 467."]);
    assert_eq!((&outcome["status"], &outcome["output"]["answer"]), (&"done".into(), &"It is 467.".into()));
}
