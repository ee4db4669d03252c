//! `sayso analyze` through the real program: whole conversations, and what bad input gets. What a folder may hold is in
//! the catalogue (row S05).

use crate::model;
use crate::runner::{Cli, json, run, text, texts};
use crate::support::file_names;
use sayso::workflows::{analyze::AnalyzeInput, ask::AskInput, docs::DocsInput};
use schemars::{Schema, schema_for};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

pub const QUERY: &str = "Why did the launch slip?";

/// The program with a model, beside a folder to analyse.
pub fn with_notes() -> Cli {
    let cli = Cli::new();
    cli.configure(&model::config());
    std::fs::create_dir(cli.path("notes")).unwrap();
    std::fs::write(notes(&cli, "plan.md"), "The launch slipped by three weeks.\nThe budget is TBD.\n")
        .unwrap();
    std::fs::write(notes(&cli, "talk.txt"), "Bob says the supplier was late.\n").unwrap();
    cli
}

pub fn notes(cli: &Cli, name: &str) -> PathBuf {
    cli.path("notes").join(name)
}

/// An analysis that asks, and what it asks.
#[track_caller]
pub fn begun(cli: &Cli) -> (String, String) {
    let outcome = json(cli, &["analyze", "--query", QUERY, "--inputs", "notes", "--wait"]);
    assert_eq!(outcome["status"], "waiting", "{outcome}");
    (text(&outcome["thread"]), texts(&outcome["interrupts"]).remove(0))
}

#[test]
fn a_whole_conversation() {
    let cli = with_notes();
    let (thread, asked) = begun(&cli);
    let card = json(&cli, &["view", &asked]);
    assert_eq!((&card["kind"], &card["action"]), (&"question".into(), &"analysis_question".into()));
    assert!(text(&card["text"]).contains("TBD"), "{card}");
    let outcome = json(&cli, &["respond", &asked, "not done yet: it is 500", "--wait"]);
    let asked = texts(&outcome["interrupts"]).remove(0);
    let shown = run(&cli, &["view", &asked]);
    assert!(shown.done().contains("You said"), "{shown:?}");
    let outcome = json(&cli, &["accept", &asked, "--wait"]);
    assert_eq!(outcome["status"], "done");
    let file = notes(&cli, "analysis_result.md").canonicalize().unwrap();
    assert_eq!(outcome["output"]["file"], file.to_str().unwrap());
    let result = std::fs::read_to_string(file).unwrap();
    assert!(result.contains("it is 500") && result.contains("plan.md"), "{result}");

    let shown = run(&cli, &["view", &thread]);
    assert!(
        shown.done().contains("# Why did the launch slip?") && shown.out.contains("written to"),
        "{shown:?}"
    );
    let whole = json(&cli, &["show", &thread]);
    assert_eq!(whole["usage"]["calls"], 4, "two turns, the result and its check: {whole}");
    assert_eq!(whole["effects"].as_array().unwrap().len(), 1);
    let on = json(&cli, &["continue", &thread, "And the supplier?", "--wait"]);
    assert_eq!(on["status"], "waiting", "{on}");
    json(&cli, &["respond", &texts(&on["interrupts"])[0], "DONE", "--wait"]);
    assert_eq!(file_names(&cli.path("notes")).len(), 4, "the first result is kept beside the second");
}

#[test]
fn flags_and_keys_start_the_same_thread() {
    let cli = with_notes();
    let by_flags = json(&cli, &["analyze", "--query", QUERY, "--inputs", "notes", "--recursive"]);
    let inputs = "inputs=notes";
    let by_keys = json(&cli, &["start", "analyze", &format!("query={QUERY}"), inputs, "recursive=true"]);
    assert_eq!(by_flags["status"], "ready");
    let state = |outcome: &Value| json(&cli, &["show", &text(&outcome["thread"])])["state"].clone();
    assert_eq!(state(&by_flags), state(&by_keys));
    // A model given by flag stays with the thread, whoever drives it later.
    let named = json(&cli, &["analyze", "--query", QUERY, "--inputs", "notes", "--model", "written"]);
    assert_eq!(state(&named)["model_name"], "written");
    let named = json(&cli, &["start", "analyze", &format!("query={QUERY}"), inputs, "--model", "written"]);
    assert_eq!(state(&named)["model_name"], "written");
}

/// The flags say the same as the keys, in the same words.
#[test]
fn every_key_of_a_workflow_is_a_flag_of_its_verb() {
    let cli = with_notes();
    let inputs: [(&str, &str, Schema); 3] = [
        ("analyze", "", schema_for!(AnalyzeInput)),
        ("ask", "query", schema_for!(AskInput)),
        ("docs", "dir", schema_for!(DocsInput)),
    ];
    for (verb, unnamed, schema) in inputs {
        let help = run(&cli, &[verb, "--help"]);
        let help: String = help.done().split_whitespace().collect::<Vec<_>>().join(" ");
        for (key, property) in schema.as_value()["properties"].as_object().unwrap() {
            let flag = format!("--{}", key.replace('_', "-"));
            assert!(key == unnamed || help.contains(&flag), "{verb} {key}: {help}");
            let about = text(&property["description"]);
            assert!(
                key == "model" || help.contains(about.trim_end_matches('.')),
                "{verb} {key}: {about}: {help}"
            );
        }
    }
}

#[test]
fn what_cannot_be_analysed_is_refused() {
    let cli = with_notes();
    std::fs::create_dir(cli.path("empty")).unwrap();
    for (args, expected) in [
        (&["--query", QUERY, "--inputs", "nowhere"][..], "it does not exist"),
        (&["--query", QUERY, "--inputs", "notes/plan.md"], "is not a folder"),
        (&["--query", QUERY, "--inputs", "empty"], "holds no readable text or document"),
        (&["--query", " ", "--inputs", "notes"], "say what you want to know"),
        (&["--inputs", "notes"], "--query"),
        (&["--query", QUERY], "--inputs"),
        (&["--query", QUERY, "--inputs", "notes", "--depth", "3"], "--depth"),
        (&["--query", QUERY, "--inputs", "notes", "--model", "oracle"], "there is no model \"oracle\""),
        (&["--query", QUERY, "--inputs", "notes", "--timeout", "1"], "--wait"),
    ] {
        run(&cli, &[&["analyze"], args].concat()).refused(2, expected);
    }
    let unknown = run(&cli, &["start", "analyze", "query=x", "inputs=notes", "model=oracle"]);
    unknown.refused(2, "oracle");
    assert_eq!(json(&cli, &["threads"]), Value::Array(Vec::new()));
}

#[test]
fn what_needs_a_model_is_refused_without_one() {
    let cli = with_notes();
    std::fs::write(cli.path("sales.csv"), "Region,Amount\nNorth,10\n").unwrap();
    let all = [
        &["analyze", "--query", QUERY, "--inputs", "notes"][..],
        &["sheet", "sales.csv", "-i", "sum Amount"],
        &["ask", "trending tracks"],
    ];
    for args in all {
        let named = [args, &["--model", "builtin"]].concat();
        run(&cli, &named).refused(2, &format!("{} needs a language model", args[0]));
    }
    cli.configure("");
    for args in all {
        let refused = run(&cli, args);
        refused.refused(2, "needs a language model, and none is configured for it; put one into [model] of");
        assert!(refused.err.contains("or run `sayso init`"), "{refused:?}");
    }
    assert_eq!(json(&cli, &["threads"]), Value::Array(Vec::new()));
}

#[test]
fn a_file_nobody_may_read_is_named() {
    let cli = with_notes();
    let closed = notes(&cli, "closed.txt");
    std::fs::write(&closed, "private\n").unwrap();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read(&closed).is_ok() {
        println!("nothing tested: whoever runs this may read everything");
        return;
    }
    let (_, asked) = begun(&cli);
    let card = run(&cli, &["view", &asked]);
    assert!(card.done().contains("closed.txt (you are not allowed to read it)"), "{card:?}");
}

#[test]
fn the_labelled_mails_are_triaged() {
    let cli = Cli::new();
    let report = json(&cli, &["eval", "triage"]);
    assert_eq!((&report["model"], &report["total"]), (&"builtin".into(), &40.into()));
    assert!(report["right"].as_u64().unwrap() >= 34, "{report}");
    let rows = report["confusion"].as_object().unwrap();
    assert_eq!(rows.keys().collect::<Vec<_>>(), ["ignore", "notify", "respond"]);
    let output = run(&cli, &["eval", "triage"]);
    assert!(output.done().starts_with("builtin: ") && output.out.contains("is \\ said"), "{output:?}");
    assert!(!cli.data().join("sayso.db").exists(), "nothing is kept of it");
    run(&cli, &["eval", "everything"]).refused(2, "everything");
}
