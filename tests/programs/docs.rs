//! `sayso docs` through the real program: this very code base, flags and keys, the trace, and drivers that die.

use crate::model;
use crate::runner::{Cli, each, json, run, text, texts};
use crate::support::file_names;
use serde_json::Value;
use std::collections::BTreeMap;

const AGENTS: [&str; 6] =
    ["file-structure", "dependency-analyzer", "architecture", "patterns", "data-flow", "testing"];

/// The program beside a small code base.
fn configured() -> Cli {
    let cli = Cli::new();
    cli.configure(&model::config());
    for part in ["a", "b", "c", "d"] {
        let folder = cli.path("code").join("src").join(part);
        std::fs::create_dir_all(&folder).unwrap();
        let text = format!(
            "use crate::a;\n\npub fn {part}() {{\n    // Does the work of this part, and nothing else.\n}}\n"
        );
        std::fs::write(folder.join("mod.rs"), text).unwrap();
    }
    std::fs::write(cli.path("code").join("Cargo.toml"), "[package]\nname = \"box\"\n").unwrap();
    cli
}

#[test]
fn without_a_model_the_pages_hold_the_facts_of_this_code_base() {
    let cli = Cli::new();
    let repository = env!("CARGO_MANIFEST_DIR");
    let outcome = json(&cli, &["docs", repository, "--out", "pages", "--wait"]);
    assert_eq!(outcome["status"], "done", "{outcome}");
    let agents = &outcome["output"]["agents"];
    assert_eq!(each(agents, "agent_name"), AGENTS);
    for one in agents.as_array().unwrap() {
        assert_eq!(
            (&one["status"], &one["metadata"]["stop"]),
            (&"success".into(), &"no_model".into()),
            "{one}"
        );
    }
    let thread = text(&outcome["thread"]);
    assert_eq!(json(&cli, &["show", &thread])["usage"]["calls"], 0, "nothing imitates a model");
    let page = |name: &str| std::fs::read_to_string(cli.path("pages").join(name)).unwrap();
    for (name, parts) in [
        ("index.md", &["# sayso\n", "(architecture.md)", "Written without a language model"][..]),
        (
            "architecture.md",
            &["Facts only, no language model", "`src/engine`", "### `src/engine/graph/context.rs`"],
        ),
        ("architecture.md", &["Durable graphs of plain async functions", "```mermaid\ngraph LR"]),
        ("dependency-analyzer.md", &["`rusqlite`", "src/engine"]),
        ("data-flow.md", &["`src/main.rs`"]),
        ("testing.md", &["`tests/programs/docs.rs`", "`cargo test`"]),
        ("file-structure.md", &["Languages", "Rust"]),
    ] {
        let text = page(name);
        assert!(parts.iter().all(|part| text.contains(part)), "{parts:?}: {text}");
    }
}

#[test]
fn the_terminal_tells_the_answer_and_the_files_once_and_no_page() {
    let cli = configured();
    let output = run(&cli, &["docs", "code", "--wait"]);
    let output = output.done();
    assert_eq!(output.matches("6 pages about the code base.").count(), 1, "{output}");
    assert!(
        output.contains("index.md") && !output.contains("## ") && !output.contains("markdown:"),
        "{output}"
    );
}

#[test]
fn the_trace_is_a_tree_with_the_agents_in_it() {
    let cli = configured();
    let outcome = json(&cli, &["docs", "code", "--max-iterations", "1", "--wait"]);
    let thread = text(&outcome["thread"]);
    let trace = json(&cli, &["show", &thread])["trace"].clone();
    let names = |span: &Value| each(&span["children"], "name");
    assert_eq!(trace["name"], "DocumentationGeneration-Complete");
    let agents = &trace["children"][2];
    assert_eq!(names(agents), AGENTS.map(|name| format!("Agent-{name}")));
    assert_eq!(names(&agents["children"][2]["children"][0]), ["docs.analyze", "text.check"]);
    assert!(agents["ms"].as_u64() >= agents["children"][2]["ms"].as_u64());
    let shown = run(&cli, &["show", &thread]);
    let lines: Vec<&str> = shown.done().lines().collect();
    let at = |text: &str| {
        lines.iter().position(|line| line.contains(text)).unwrap_or_else(|| panic!("{text}: {shown:?}"))
    };
    assert!(at("DocumentationGeneration-Complete · ") < at("├── ScanProjectStructure · "));
    assert!(at("│   ├── Agent-architecture · ") < at("│   │   ├── architecture-Refinement-1 · "));
    assert!(at("│   └── Agent-testing · ") < at("└── AggregateResults · "));
}

#[test]
fn flags_and_keys_start_the_same_thread() {
    let cli = configured();
    let flags = "docs code --out pages --max-iterations 2 --clarity-threshold 70 --min-improvement 1 \
        --enable-self-questioning false --ask-human --approve-over-tokens 5000 --model builtin";
    let keys = "start docs dir=code out=pages max_iterations=2 clarity_threshold=70 min_improvement=1 \
        enable_self_questioning=false ask_human=true approve_over_tokens=5000 model=builtin";
    let [flags, keys] = [flags, keys].map(|line| line.split_whitespace().collect::<Vec<&str>>());
    let state = |outcome: &Value| json(&cli, &["show", &text(&outcome["thread"])])["state"].clone();
    let by_flags = state(&json(&cli, &flags));
    assert_eq!(by_flags, state(&json(&cli, &keys)));
    assert_eq!(by_flags["settings"]["approve_over_tokens"], 5000);
    let plain = state(&json(&cli, &["docs", "code"]));
    let expected = serde_json::json!({
        "dir": plain["settings"]["dir"], "out": plain["settings"]["out"], "max_iterations": 3,
        "clarity_threshold": 80, "min_improvement": 5, "enable_self_questioning": true, "ask_human": false,
        "approve_over_tokens": null, "model": null,
    });
    assert_eq!(plain["settings"], expected);
    assert!(text(&plain["settings"]["out"]).ends_with("/code/docs-sayso"), "{plain}");
}

#[test]
fn what_cannot_be_documented_is_refused() {
    let cli = configured();
    std::fs::create_dir(cli.path("empty")).unwrap();
    for (args, expected) in [
        (&["nowhere"][..], "it does not exist"),
        (&["empty"], "holds no file to document"),
        (&["code", "--out", "code"], "pages cannot go into the folder that is documented"),
        (&["code", "--clarity-threshold", "101"], "it is at most 100"),
        (&["code", "--max-iterations", "many"], "--max-iterations"),
        (&["code", "--model", "oracle"], "there is no model \"oracle\""),
        (&[], "DIR"),
    ] {
        run(&cli, &[&["docs"], args].concat()).refused(2, expected);
    }
    assert_eq!(json(&cli, &["threads"]), Value::Array(Vec::new()));
}

/// What happened to a run: the nodes of each thread by agent, and its pages.
fn nodes_and_pages(cli: &Cli, thread: &str) -> (BTreeMap<String, Vec<String>>, BTreeMap<String, String>) {
    let whole = json(cli, &["show", thread]);
    assert_eq!(whole["status"], "done", "{whole}");
    let nodes = |view: &Value| each(&view["steps"], "node");
    let mut steps = BTreeMap::from([("run".to_owned(), nodes(&whole))]);
    for child in texts(&whole["state"]["threads"]) {
        let view = json(cli, &["show", &child]);
        steps.insert(text(&view["state"]["context"]["agent"]), nodes(&view));
    }
    let effects = whole["effects"].as_array().unwrap();
    assert!(effects.len() == 7 && effects.iter().all(|effect| effect["state"] == "done"), "{effects:?}");
    let folder = cli.path("code/docs-sayso");
    let page = |name: String| (name.clone(), std::fs::read_to_string(folder.join(name)).unwrap());
    let pages = file_names(&folder).into_iter().map(page);
    (steps, pages.collect())
}

#[test]
fn a_driver_killed_while_agents_run_changes_nothing() {
    let start = ["docs", "code", "--max-iterations", "1"];
    let expected = {
        let cli = configured();
        let thread = text(&json(&cli, &start)["thread"]);
        json(&cli, &["run"]);
        nodes_and_pages(&cli, &thread)
    };
    assert_eq!((expected.0.len(), expected.1.len()), (7, 7));
    let mut at_work = 0;
    // Three nodes of the run, then the agents at once; later the pages.
    for point in
        ["before_commit:4", "before_node:12", "after_commit:16", "after_intent:3", "before_outcome:5"]
    {
        let cli = configured();
        let thread = text(&json(&cli, &start)["thread"]);
        cli.killed_at(point, &["run"]);
        let threads = json(&cli, &["threads"]);
        let agents = threads.as_array().unwrap().iter().filter(|line| line["workflow"] == "docs/agent");
        at_work = at_work.max(agents.filter(|line| line["status"] != "done").count());
        json(&cli, &["run"]);
        assert_eq!(nodes_and_pages(&cli, &thread), expected, "{point}");
    }
    assert!(at_work >= 4, "four agents or more were at work when it died, not {at_work}");
}
