//! What agents get to see: facts within bounds, and files of the tree and no others.

use super::*;

#[tokio::test]
async fn every_prompt_of_a_run_begins_with_the_same_facts_and_nothing_ignored() {
    let inbox = DocsInbox::new(Script { scores: vec![50.0, 90.0], ..Script::default() });
    inbox.write_input("README.md", "# box\n\nBoxes for cats.\n");
    let code = "//! Opens boxes.\nuse crate::Box;\n/// Opens one. At once.\npub fn open(b: &Box) {}\n";
    inbox.write_input("src/open.rs", code);
    inbox.write_input("tests/opening.rs", "use box::open::open;\n#[test]\nfn a() {}\n");
    inbox.document(json!({})).await;
    let facts = [
        "The code base: box",
        "Boxes for cats.",
        "To test: `cargo test` (named in Cargo.toml;",
        "Cargo.toml (Rust (Cargo)) needs serde 1 (normal, in 1 files)",
        "- src/store: 1 files, 2 lines; says of itself: Keeps rows.; imports lib.rs",
        "Those with most cases: tests/opening.rs (1)",
        "src/open.rs (4 lines, imported by 0 files; imports lib.rs; tested by tests/opening.rs) Opens boxes.: open:4",
    ];
    assert_contains(&inbox.facts_for("architecture"), facts);
    let requests = inbox.model.requests();
    let opening = |request: &Request| words(request)[..request.repeated].to_owned();
    let first = opening(&requests[0]);
    assert!(requests.len() == 30 && first.contains("src/open.rs (4 lines"), "{first}");
    for request in &requests {
        assert_eq!((opening(request), &request.system), (first.clone(), &requests[0].system));
        let whole = serde_json::to_string(request).unwrap();
        assert!(!whole.contains("canary") && !whole.contains("secret.txt"), "{whole}");
        // Pages of an earlier run are no part of the code base, and facts are no second part of a request.
        assert!(!words(request).contains("docs-sayso") && request.facts.to_string().len() < 200);
    }
}

#[tokio::test]
async fn a_question_about_a_function_is_given_that_function() {
    let ask = |_: &str, request: &Request| {
        let question = "In which order does `App.dispatch` do its work?";
        let one = json!({"question": question, "files": ["src/app.py"], "for_person": false});
        (request.task == "docs.questions").then(|| Ok(Scripted::json(&json!({ "questions": [one] }))))
    };
    let inbox = DocsInbox::new(Script::refining(ask));
    let rows: String = (0..400).map(|n| format!("x{n} = 'words words words words words words'\n")).collect();
    let dispatch = "class App:\n    def dispatch(self):\n        self.before()\n        return self.view()\n";
    inbox.write_input("src/app.py", &format!("{rows}{dispatch}"));
    inbox.document(json!({})).await;
    let asked = inbox.model.requests_for("docs.refine");
    let part = "=== src/app.py, from `App.dispatch` on ===\n";
    assert_contains(
        &words(&asked[0]),
        [part, "  402      def dispatch(self):\n  403          self.before()\n"],
    );
    assert!(!words(&asked[0]).contains("x0 = 'words"));
}

#[tokio::test]
async fn a_large_code_base_stays_within_the_room_of_a_prompt() {
    let inbox = DocsInbox::new(Script { scores: vec![50.0, 90.0], ..Script::default() });
    let about = "words ".repeat(60);
    for n in 0..400 {
        let text = format!("//! {about}{n}.\npub struct Long{n};\n");
        inbox.write_input(&format!("part{n}/inner/mod.rs"), &text);
    }
    inbox.document(json!({})).await;
    let longest = inbox.model.requests().iter().map(|r| words(r).len() + r.system.len()).max().unwrap();
    assert!(longest > 8_000 && longest <= 24_000, "{longest}");
}

#[tokio::test]
async fn read_file_reads_what_was_scanned_and_nothing_else() {
    let paths = ["src/lib.rs", "secret.txt", "../outside.txt"].map(|path| json!({ "path": path }));
    let inbox = DocsInbox::new(Script::reading("testing", paths.to_vec()));
    std::fs::write(inbox.inputs().join("../outside.txt"), "canary").unwrap();
    let (_, outcome) = inbox.document(json!({})).await;
    assert_eq!(result(&outcome, "testing")["status"], "success");
    let told = inbox.told();
    assert!(told[0].0.contains("pub struct Box") && !told[0].1, "{told:?}");
    assert!(told[1].1 && told[2].1 && told[1].0.contains("no such file among those"), "{told:?}");
    let requests = inbox.model.requests();
    assert!(!requests.iter().any(|r| serde_json::to_string(r).unwrap().contains("canary")));
}

#[tokio::test]
async fn keys_are_not_read_and_reading_has_an_end() {
    const PATHS: &[&str] = &[".env", "a.pem", "src/lib.rs", "src/store/mod.rs", "Cargo.toml"];
    let special = |who: &str, request: &Request| {
        let wanted = request.task == "docs.refine" && who == "testing" && !request.tools.is_empty();
        let line = request.messages.len();
        let calls = PATHS.iter().map(|path| ("read_file", json!({ "path": path, "line": line })));
        let search = ("search", json!({"text": "canary", "folder": line.to_string()}));
        wanted.then(|| Ok(Scripted::calls(calls.chain([search, ("search", json!({"text": "canary"}))]))))
    };
    let inbox = DocsInbox::new(Script::refining(special));
    inbox.write_input(".env", "KEY=canary\n");
    inbox.write_input("a.pem", "canary\n");
    let (_, outcome) = inbox.document(json!({})).await;
    assert_eq!(result(&outcome, "testing")["status"], "success");
    // Three times with the tools, then without.
    assert_eq!(inbox.asked_for("testing", "docs.refine"), 4);
    let text = serde_json::to_string(&inbox.model.requests()).unwrap();
    assert_contains(&text, ["it may hold secrets", "No line holds all of these words."]);
    let told = inbox.told();
    assert!(!told.iter().any(|(text, _)| text.contains("canary")), "{told:?}");
}

#[tokio::test]
async fn a_part_of_a_file_is_read_by_its_name_or_line() {
    let reads = vec![
        json!({"path": "src/long.py", "name": "Far.away"}),
        json!({"path": "src/long.py", "name": null, "line": 399}),
        json!({"path": "src/long.py", "name": "Nowhere"}),
    ];
    let inbox = DocsInbox::new(Script::reading("testing", reads));
    let rows: String = (0..400).map(|n| format!("x{n} = 'words words words words words words'\n")).collect();
    let far = "class Far:\n    def away(self):\n        return 'found'\n";
    inbox.write_input("src/long.py", &format!("{rows}{far}"));
    inbox.document(json!({})).await;
    let told = inbox.told();
    let any = |holds: fn(&str) -> bool| told.iter().any(|(text, _)| holds(text));
    assert!(
        any(|text| text.contains("  402      def away(self):\n  403          return 'found'")),
        "{told:?}"
    );
    assert!(any(|text| text.starts_with("  399  x398")), "{told:?}");
    assert!(any(|text| text == "it declares no `Nowhere`"), "{told:?}");
}

#[tokio::test]
async fn one_to_nine_questions_are_taken_and_none_ends_it() {
    for (given, taken, stop) in
        [(0, 0, "nothing_more"), (1, 1, "threshold"), (7, 7, "threshold"), (14, 9, "threshold")]
    {
        let special = move |_: &str, request: &Request| {
            let one = |n: usize| json!({"question": format!("Number {n}?"), "files": ["a", "b", "c", "d", "e", "f"], "for_person": false});
            let asked: Vec<Value> = (0..given).map(one).collect();
            (request.task == "docs.questions").then(|| Ok(Scripted::json(&json!({ "questions": asked }))))
        };
        let inbox = DocsInbox::new(Script::refining(special));
        let (_, outcome) = inbox.document(json!({})).await;
        let metadata = &result(&outcome, "testing")["metadata"];
        assert_eq!(metadata["self_questions"].as_array().unwrap().len(), taken, "{given}");
        assert_eq!(metadata["stop"], stop, "{given}");
        assert_eq!(inbox.asked_for("testing", "docs.questions"), 1, "{given}: it is not asked twice");
    }
}
