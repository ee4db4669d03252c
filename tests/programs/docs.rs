//! `sayso docs` through the real program: this very code base, flags and keys, the trace, and drivers that die.

use crate::analyze::{json, real};
use crate::runner::{Cli, text, texts};
use sayso::workflows::docs::DocsInput;
use serde_json::Value;
use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;

const AGENTS: [&str; 6] =
    ["file-structure", "dependency-analyzer", "architecture", "patterns", "data-flow", "testing"];

/// The program beside a small code base.
fn configured() -> Cli {
    let cli = Cli::new();
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
fn this_code_base_is_documented_by_the_built_in_rules() {
    let cli = Cli::new();
    let repository = env!("CARGO_MANIFEST_DIR");
    let outcome = json(&cli, &["docs", repository, "--out", "pages", "--wait"]);
    assert_eq!(outcome["status"], "done", "{outcome}");
    let agents = outcome["output"]["agents"].as_array().unwrap();
    assert_eq!(agents.iter().map(|one| text(&one["agent_name"])).collect::<Vec<_>>(), AGENTS);
    for one in agents {
        assert_eq!(one["status"], "success", "{one}");
        assert!(one["confidence"].as_f64().unwrap() >= 0.8, "{one}");
    }
    let page = |name: &str| std::fs::read_to_string(cli.path("pages").join(name)).unwrap();
    assert!(page("index.md").contains("# sayso\n") && page("index.md").contains("(architecture.md)"));
    for name in AGENTS {
        assert!(page(&format!("{name}.md")).len() > 1_000, "{name}");
    }
    let architecture = page("architecture.md");
    assert!(
        architecture.contains("- `src/graph` (")
            && architecture.contains("Durable graphs of plain async functions")
    );
    assert!(
        architecture.contains("### `src/graph/state.rs`") && architecture.contains("`src/graph/state.rs:")
    );
    assert!(architecture.contains("```mermaid\ngraph LR"));
    let dependencies = page("dependency-analyzer.md");
    assert!(dependencies.contains("`rusqlite`") && dependencies.contains("src/store"), "{dependencies}");
    assert!(page("data-flow.md").contains("`src/main.rs`") && page("data-flow.md").contains("databases"));
    assert!(page("testing.md").contains("`tests/programs`") && page("testing.md").contains("`proptest`"));
    assert!(page("patterns.md").contains("error enums (thiserror)"));
    assert!(page("file-structure.md").contains("`ARCHITECTURE.md`"));
}

#[test]
fn the_terminal_tells_the_answer_and_the_files_once_and_no_page() {
    let cli = configured();
    let output = real(&cli, &["docs", "code", "--wait"]);
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
    let outcome =
        json(&cli, &["docs", "code", "--clarity-threshold", "100", "--max-iterations", "1", "--wait"]);
    let thread = text(&outcome["thread"]);
    let trace = json(&cli, &["show", &thread])["trace"].clone();
    let names = |span: &Value| -> Vec<String> {
        span["children"].as_array().unwrap().iter().map(|child| text(&child["name"])).collect()
    };
    assert_eq!(trace["name"], "DocumentationGeneration-Complete");
    let nodes = ["ScanProjectStructure", "CreateExecutionContext", "ExecuteAgents", "AggregateResults"];
    assert_eq!(names(&trace), nodes);
    let agents = &trace["children"][2];
    assert_eq!(names(agents), AGENTS.map(|name| format!("Agent-{name}")));
    let first = [
        "InitialAnalysis",
        "EvaluateClarity",
        "GenerateQuestions",
        "Refinement-1",
        "EvaluateClarity",
        "Finalize",
    ];
    assert_eq!(names(&agents["children"][2]), first.map(|name| format!("architecture-{name}")));
    assert_eq!(names(&agents["children"][2]["children"][0]), ["docs.analyze"]);
    assert!(agents["ms"].as_u64() >= agents["children"][2]["ms"].as_u64());
    let shown = real(&cli, &["show", &thread]);
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
    let flags = [
        "docs",
        "code",
        "--out",
        "pages",
        "--max-iterations",
        "2",
        "--clarity-threshold",
        "70",
        "--min-improvement",
        "1",
        "--enable-self-questioning",
        "false",
        "--ask-human",
        "--approve-over-tokens",
        "5000",
        "--model",
        "builtin",
    ];
    let keys = [
        "start",
        "docs",
        "dir=code",
        "out=pages",
        "max_iterations=2",
        "clarity_threshold=70",
        "min_improvement=1",
        "enable_self_questioning=false",
        "ask_human=true",
        "approve_over_tokens=5000",
        "model=builtin",
    ];
    let state = |outcome: &Value| json(&cli, &["show", &text(&outcome["thread"])])["state"].clone();
    let by_flags = state(&json(&cli, &flags));
    assert_eq!(by_flags, state(&json(&cli, &keys)));
    assert_eq!(by_flags["settings"]["approve_over_tokens"], 5000);
    let plain = state(&json(&cli, &["docs", "code"]));
    let expected = serde_json::json!({
        "max_iterations": 3, "clarity_threshold": 80, "min_improvement": 5, "enable_self_questioning": true,
        "ask_human": false, "approve_over_tokens": null,
    });
    assert_eq!(plain["settings"], expected);
    assert!(text(&plain["out"]).ends_with("/code/docs-sayso"), "{plain}");
}

/// The flags say the same as the keys, in the same words.
#[test]
fn every_key_is_a_flag() {
    let help = real(&configured(), &["docs", "--help"]);
    let help: String = help.done().split_whitespace().collect::<Vec<_>>().join(" ");
    let schema = schemars::schema_for!(DocsInput);
    for (key, property) in schema.as_value()["properties"].as_object().unwrap() {
        let flag = key.replace('_', "-");
        assert!(key == "dir" || help.contains(&format!("--{flag}")), "{key}: {help}");
        let about = text(&property["description"]);
        assert!(key == "model" || help.contains(about.trim_end_matches('.')), "{key}: {about}: {help}");
    }
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
        real(&cli, &[&["docs"], args].concat()).refused(2, expected);
    }
    assert_eq!(json(&cli, &["threads"]), Value::Array(Vec::new()));
}

/// What happened to a run: the nodes of each thread by agent, and its pages.
fn nodes_and_pages(cli: &Cli, thread: &str) -> (BTreeMap<String, Vec<String>>, BTreeMap<String, String>) {
    let whole = json(cli, &["show", thread]);
    assert_eq!(whole["status"], "done", "{whole}");
    let nodes = |view: &Value| -> Vec<String> {
        view["steps"].as_array().unwrap().iter().map(|step| text(&step["node"])).collect()
    };
    let mut steps = BTreeMap::from([("run".to_owned(), nodes(&whole))]);
    for child in texts(&whole["state"]["threads"]) {
        let view = json(cli, &["show", &child]);
        steps.insert(text(&view["state"]["context"]["agent"]), nodes(&view));
    }
    let effects = whole["effects"].as_array().unwrap();
    assert!(effects.len() == 7 && effects.iter().all(|effect| effect["state"] == "done"), "{effects:?}");
    let pages = std::fs::read_dir(cli.path("code/docs-sayso")).unwrap().map(|entry| {
        let path = entry.unwrap().path();
        (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read_to_string(&path).unwrap())
    });
    (steps, pages.collect())
}

#[test]
fn a_driver_killed_while_agents_run_changes_nothing() {
    let start = ["docs", "code", "--clarity-threshold", "100", "--max-iterations", "1"];
    let expected = {
        let cli = configured();
        let thread = text(&json(&cli, &start)["thread"]);
        json(&cli, &["run"]);
        nodes_and_pages(&cli, &thread)
    };
    assert_eq!((expected.0.len(), expected.1.len()), (7, 7));
    let mut at_work = 0;
    // Three nodes of the run, then the agents at once; later the pages.
    for point in [
        "before_commit:4",
        "after_commit:7",
        "before_node:12",
        "after_commit:16",
        "before_commit:22",
        "after_intent:3",
        "before_outcome:5",
    ] {
        let cli = configured();
        let thread = text(&json(&cli, &start)["thread"]);
        let mut doomed = cli.real();
        doomed.args(["run"]).env("SAYSO_FAIL_POINT", point);
        let output = doomed.output().unwrap();
        assert_eq!(output.status.signal(), Some(9), "{point}: {output:?}");
        let threads = json(&cli, &["threads"]);
        let agents = threads.as_array().unwrap().iter().filter(|line| line["workflow"] == "docs/agent");
        at_work = at_work.max(agents.filter(|line| line["status"] != "done").count());
        json(&cli, &["run"]);
        assert_eq!(nodes_and_pages(&cli, &thread), expected, "{point}");
    }
    assert!(at_work >= 4, "four agents or more were at work when it died, not {at_work}");
}
