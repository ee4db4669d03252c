//! `sayso sheet` through the real program: formats, the terminal, bad input, and drivers that die between cells.

use crate::model;
use crate::runner::{Cli, each, json, list, read, run, text, texts};
use crate::support::file_names;

const SALES: &str = "Region,Amount\nNorth,10\nSouth,12\nNorth,11\nEast,13\nSouth,9\nEast,12\nNorth,400\n";

fn configured() -> Cli {
    let cli = Cli::new();
    cli.configure(&model::config());
    std::fs::write(cli.path("sales.csv"), SALES).unwrap();
    cli
}

#[test]
fn the_other_formats_are_worked_on_and_a_result_is_xlsx() {
    let books = [
        ("sales.xls", &include_bytes!("../fixtures/workbooks/sales.xls")[..]),
        ("sales.ods", include_bytes!("../fixtures/workbooks/sales.ods")),
    ];
    for (name, bytes) in books {
        let cli = configured();
        std::fs::write(cli.path(name), bytes).unwrap();
        let outcome = json(&cli, &["sheet", name, "-i", "only rows where Region is North", "--wait"]);
        let asked = texts(&outcome["interrupts"]).remove(0);
        let card = text(&json(&cli, &["view", &asked])["text"]);
        assert!(card.contains("only values and formulas are read from this format"), "{card}");
        let outcome = json(&cli, &["accept", &asked, "--wait"]);
        assert_eq!(outcome["output"]["answer"], "2 of 5 rows", "{name}: {outcome}");
        let result = std::fs::read(cli.path("sales.result.xlsx")).unwrap();
        let book = sayso::tools::workbook::open("sales.result.xlsx", &result).unwrap();
        let names: Vec<&str> = book.sheets.iter().map(|sheet| sheet.name.as_str()).collect();
        assert_eq!(names, ["Sales", "Notes", "Filtered"], "{name}");
        assert_eq!(book.sheets[2].rows.len(), 3);
        let formulas: Vec<&String> = book.sheets[0].formulas.values().collect();
        assert_eq!(formulas, ["B2*2", "B3*2", "B4*2", "B5*2", "B6*2"], "{name}");
        assert_eq!(std::fs::read(cli.path(name)).unwrap(), bytes);
    }
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
    let cli = configured();
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
        let cli = configured();
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
    let cli = Cli::new();
    std::fs::write(cli.path("sales.csv"), SALES).unwrap();
    let wish = ["sheet", "sales.csv", "-i", "What is the total?", "--wait"];
    run(&cli, &wish).refused(2, "--model me");
    cli.configure("[model]\nprovider = \"me\"\n");
    let asked = |outcome: &serde_json::Value| texts(&outcome["interrupts"]).remove(0);
    let outcome = json(&cli, &wish);
    assert_eq!(json(&cli, &["view", &asked(&outcome)])["action"], "your_turn");
    let code = "code=print(sum([r['Amount'] for r in sheet().records()]))";
    let set = |id: &str, values: [&str; 2]| {
        json(&cli, &["edit", id, "--set", values[0], "--set", values[1], "--wait"])
    };
    let outcome = set(&asked(&outcome), ["do=python", code]);
    let card = text(&json(&cli, &["view", &asked(&outcome)])["text"]);
    assert!(card.contains("467"), "what they wrote ran without asking once more: {card}");
    let outcome = set(&asked(&outcome), ["do=finish", "answer=It is 467."]);
    assert_eq!((&outcome["status"], &outcome["output"]["answer"]), (&"done".into(), &"It is 467.".into()));
}
