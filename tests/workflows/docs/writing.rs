//! Pages on the disk: written by grant or after asking, written again around what a person wrote.

use super::docs_inbox::{DocsInbox, Script};
use sayso::graph::Decision;
use sayso::inbox::{OUTPUT_FILES, Status};
use serde_json::json;

const PAGES: [&str; 7] = [
    "architecture.md",
    "data-flow.md",
    "dependency-analyzer.md",
    "file-structure.md",
    "index.md",
    "patterns.md",
    "testing.md",
];

#[tokio::test]
async fn an_index_and_a_page_an_agent_are_written_once() {
    let inbox = DocsInbox::new(Script::default());
    let (thread, outcome) = inbox.document(json!({})).await;
    assert_eq!(inbox.pages(), PAGES);
    let view = inbox.view(&thread).await;
    assert_eq!(view.effects.len(), 7);
    assert!(view.effects.iter().all(|effect| effect.state == "done"), "{:?}", view.effects);
    let output = outcome.output.unwrap();
    let out = inbox.out().canonicalize().unwrap();
    assert_eq!((&output["file"], &output["out"]), (&json!(out.join("index.md")), &json!(out)));
    let index = inbox.page("index.md");
    assert!(index.starts_with("# box\n") && index.contains("[Architecture](architecture.md)"), "{index}");
    let architecture = inbox.page("architecture.md");
    assert!(
        architecture.contains("```mermaid\ngraph LR") && architecture.contains("Keeps rows."),
        "{architecture}"
    );
    assert!(inbox.page("dependency-analyzer.md").contains("| `serde` | 1 | normal | 1 | src |"));
}

#[tokio::test]
async fn what_a_person_wrote_stays_and_a_changed_page_is_kept_dated() {
    let inbox = DocsInbox::new(Script::default());
    inbox.document(json!({})).await;
    let change = |name: &str, from: &str, to: &str| {
        let page = inbox.page(name);
        assert!(page.contains(from), "{page}");
        std::fs::write(inbox.out().join(name), page.replace(from, to)).unwrap();
    };
    change(
        "architecture.md",
        "## Overview\n",
        "## Overview\n\n<!-- keep -->\nAsk Noor about this.\n<!-- /keep -->\n",
    );
    change("testing.md", "First of testing.", "Not quite, I think.");
    inbox.write_input("src/more/mod.rs", "//! Keeps more.\nuse crate::store;\n");
    inbox.document(json!({})).await;
    let architecture = inbox.page("architecture.md");
    let (kept, overview) =
        (architecture.find("Ask Noor").unwrap(), architecture.find("## Overview").unwrap());
    assert!(overview < kept && kept < architecture.find("## What leans on what").unwrap(), "{architecture}");
    assert!(architecture.contains("src/more"), "{architecture}");
    let others: Vec<String> =
        inbox.pages().into_iter().filter(|name| !PAGES.contains(&name.as_str())).collect();
    assert_eq!(others.len(), 1, "only the page changed by hand is kept beside the new one: {others:?}");
    assert!(others[0].starts_with("testing-20") && inbox.page(&others[0]).contains("Not quite, I think."));
    assert!(inbox.page("testing.md").contains("First of testing."));
}

#[tokio::test]
async fn where_output_files_are_not_granted_the_person_is_asked() {
    for (decision, written) in [(Decision::Accept, 7), (Decision::Ignore, 0)] {
        let inbox = DocsInbox::new(Script::default());
        inbox.grants().revoke(OUTPUT_FILES.to_owned()).await.unwrap();
        let (thread, outcome) = inbox.document(json!({})).await;
        assert_eq!(outcome.status, Status::Waiting);
        let item = inbox.open_item(&thread).await;
        assert_eq!((item.action.as_str(), item.args["files"].as_array().unwrap().len()), ("write_docs", 7));
        assert!(
            item.text.contains("docs-sayso") && item.text.contains("First of patterns."),
            "{}",
            item.text
        );
        assert!(inbox.pages().is_empty());
        let outcome = inbox.answer(&thread, decision.clone()).await;
        assert_eq!((outcome.status, inbox.pages().len()), (Status::Done, written), "{outcome:?}");
        assert_eq!(outcome.output.unwrap()["files"].as_array().unwrap().len(), written);
    }
}

#[tokio::test]
async fn bad_starts_are_refused_with_their_field() {
    let inbox = DocsInbox::new(Script::default());
    let dir = inbox.inputs();
    for (input, expected) in [
        (json!({"dir": dir.join("nowhere")}), "`dir`: the folder"),
        (json!({"dir": dir.join("Cargo.toml")}), "is not a folder"),
        (json!({"dir": dir, "out": dir}), "`out`: pages cannot go into the folder that is documented"),
        (json!({"dir": dir, "out": dir.parent()}), "`out`: pages cannot go"),
        (json!({"dir": dir, "out": dir.join("Cargo.toml")}), "is not a folder"),
        (json!({"dir": dir, "clarity_threshold": 101}), "`clarity_threshold`: it is at most 100"),
        (json!({"dir": dir, "max_iterations": 21}), "`max_iterations`: it is at most 20"),
        (json!({"dir": dir, "max_iterations": "many"}), "max_iterations"),
        (json!({"dir": dir, "model": "oracle"}), "`model`"),
        (json!({"dir": dir, "agents": []}), "agents"),
    ] {
        let told = inbox.threads().start("docs".to_owned(), input.clone()).await.unwrap_err().to_string();
        assert!(told.contains(expected), "{input}: {told}");
    }
    let told = inbox.threads().start("docs/agent".to_owned(), json!({})).await.unwrap_err().to_string();
    assert!(told.contains("there is no workflow `docs/agent`"), "{told}");
}

#[tokio::test]
async fn a_folder_with_nothing_in_it_is_trouble_that_says_so() {
    let inbox = DocsInbox::new(Script::default());
    std::fs::create_dir(inbox.inputs().join("empty")).unwrap();
    let thread = inbox.start("docs", json!({"dir": inbox.inputs().join("empty")})).await;
    inbox.drive().await;
    let (code, text) = inbox.trouble(&thread).await;
    assert!(code == "failed" && text.contains("holds no file to document"), "{text}");
}
