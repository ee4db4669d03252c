//! Pages on the disk: written by grant or after asking, and never over what a person wrote.

use super::*;
use sayso::inbox::OUTPUT_FILES;

/// Whether this is the index or the page of an agent.
fn is_page(name: &str) -> bool {
    name == "index.md" || AGENTS.contains(&name.trim_end_matches(".md"))
}

#[tokio::test]
async fn an_index_and_a_page_an_agent_are_written_once() {
    let inbox = DocsInbox::new(Script::default());
    let (thread, outcome) = inbox.document(json!({})).await;
    assert!(inbox.pages().len() == 7 && inbox.pages().iter().all(|name| is_page(name)));
    let view = inbox.view(&thread).await;
    assert_eq!(view.effects.len(), 7);
    assert!(view.effects.iter().all(|effect| effect.state == "done"), "{:?}", view.effects);
    let output = outcome.output.unwrap();
    let out = inbox.out().canonicalize().unwrap();
    assert_eq!((&output["file"], &output["out"]), (&json!(out.join("index.md")), &json!(out)));
    let index = inbox.page("index.md");
    assert!(index.starts_with("# box\n") && index.contains("[Architecture](architecture.md)"), "{index}");
    let architecture = inbox.page("architecture.md");
    assert_contains(&architecture, ["```mermaid\ngraph LR", "Keeps rows."]);
    assert!(inbox.page("dependency-analyzer.md").contains("| `serde` | 1 | normal | 1 | src |"));
}

#[tokio::test]
async fn pages_name_functions_with_file_and_line_and_say_how_to_test() {
    let inbox = DocsInbox::new(Script::default());
    inbox.write_input(
        "src/open.rs",
        "//! Opens boxes.\nuse crate::Box;\n/// Opens one.\npub fn open(b: &Box) {}\n",
    );
    inbox.write_input("old.rb", "class Old\nend\n");
    let (thread, _) = inbox.document(json!({})).await;
    let architecture = inbox.page("architecture.md");
    assert!(architecture.contains("| `open` | `src/open.rs:4` | function | Opens one. |"), "{architecture}");
    assert!(architecture.contains("[\"open.rs\"]") && architecture.contains(" --> "), "{architecture}");
    let index = inbox.page("index.md");
    assert!(index.contains("| test | `cargo test` | the tests of the crate | `Cargo.toml` |"), "{index}");
    assert!(index.contains("| `src/open.rs` | Opens boxes. | `open:4` |"), "{index}");
    assert!(inbox.page("testing.md").contains("`cargo test`"));
    let asked = inbox.model.requests();
    assert_contains(&words(&asked[0]), ["Ruby: 1 files, 2 lines; its names and imports are not read"]);
    // On the screen the diagram is drawn in lines.
    let card = inbox.decisions().result(thread).await.unwrap().0.text;
    assert!(card.contains("──▶") && !card.contains("mermaid"), "{card}");
}

#[tokio::test]
async fn confidence_is_no_more_than_what_the_code_bears() {
    let special = |who: &str, request: &sayso::agent::llm::Request| {
        let text = match who {
            "patterns" => "## A\n\n`src/lib.rs:2`, `src/store/mod.rs`, `src/gone.rs` and `Box::open`.",
            "testing" => "## A\n\nAll is well.",
            _ => return None,
        };
        (request.task == "docs.analyze").then(|| Ok(sayso::agent::llm::Scripted::text(text)))
    };
    let inbox =
        DocsInbox::new(Script { scores: vec![100.0], special: Box::new(special), ..Script::default() });
    let (_, outcome) = inbox.document(json!({})).await;
    let found = |name: &str| {
        let one = super::docs_inbox::result(&outcome, name);
        (one["confidence"].clone(), one["checked"].as_str().unwrap().to_owned())
    };
    let wrong = "2 of 4 quoted files and names were found in the code; not found: `Box::open`, `src/gone.rs`";
    assert_eq!(found("patterns"), (json!(0.5), wrong.to_owned()));
    assert_eq!(found("testing").0, 0.5, "nothing checked is never sure");
    assert_eq!(found("architecture").0, 1.0);
    let index = inbox.page("index.md");
    assert_contains(&index, ["| 50 % | 2 of 4 quoted files", "so nothing could be checked"]);
    let named = "This page quotes what the code does not have: `Box::open`, `src/gone.rs`.";
    assert_contains(&inbox.page("patterns.md"), [named]);
    assert!(!inbox.page("architecture.md").contains("does not have"));
}

#[tokio::test]
async fn a_page_changed_by_hand_is_kept_dated() {
    let inbox = DocsInbox::new(Script::default());
    inbox.document(json!({})).await;
    let page = inbox.page("testing.md");
    assert!(page.contains("First of testing."), "{page}");
    std::fs::write(inbox.out().join("testing.md"), page.replace("First of testing.", "Not quite, I think."))
        .unwrap();
    inbox.write_input("src/more/mod.rs", "//! Keeps more.\nuse crate::engine::store;\n");
    inbox.document(json!({})).await;
    assert!(inbox.page("architecture.md").contains("src/more"));
    let others: Vec<String> = inbox.pages().into_iter().filter(|name| !is_page(name)).collect();
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
        assert_contains(&item.text, ["docs-sayso", "First of patterns."]);
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
    std::fs::create_dir(dir.join("empty")).unwrap();
    for (input, expected) in [
        (json!({"dir": dir.join("nowhere")}), "`dir`: the folder"),
        (json!({"dir": dir.join("empty")}), "empty holds no file to document"),
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
        let error = inbox.refused_start("docs", input.clone()).await;
        assert!(error.contains(expected), "{input}: {error}");
    }
    let error = inbox.threads().start("docs/agent".to_owned(), json!({})).await.unwrap_err().to_string();
    assert!(error.contains("there is no workflow `docs/agent`"), "{error}");
}

#[tokio::test]
async fn a_folder_that_was_emptied_since_is_trouble_that_says_so() {
    let inbox = DocsInbox::new(Script::default());
    let dir = inbox.inputs().join("emptied");
    std::fs::create_dir(&dir).unwrap();
    std::fs::write(dir.join("a.py"), "x = 1\n").unwrap();
    let thread = inbox.start("docs", json!({ "dir": dir })).await;
    std::fs::remove_file(dir.join("a.py")).unwrap();
    inbox.drive().await;
    let (code, text) = inbox.trouble(&thread).await;
    assert!(code == "failed" && text.contains("holds no file to document"), "{text}");
}
