//! What a person is asked: what no file can answer, and whether to spend the tokens.

use super::*;
use crate::support::file_names;
use crate::support::test_inbox::{eager, respond};
use sayso::config::Expiry;
use sayso::engine::driver::Settings;
use sayso::engine::graph::Kind;
use sayso::inbox::Outcome;
use std::time::Duration;

fn curious() -> Script {
    Script { scores: vec![50.0, 90.0], for_person: true, ..Script::default() }
}

#[tokio::test]
async fn what_only_a_person_can_answer_is_put_to_them() {
    let inbox = DocsInbox::new(curious());
    let (thread, outcome) = inbox.document(json!({"ask_human": true})).await;
    assert_eq!(outcome.status, Status::Joining);
    let open = inbox.questions().await;
    assert_eq!(open.len(), 6);
    for (id, item) in open {
        assert_eq!(item.kind, Kind::Question);
        assert_eq!((item.action.as_str(), item.workflow.as_str()), ("question", "docs/agent"));
        assert!(!item.allow.accept && !item.allow.edit && item.allow.respond && item.allow.ignore);
        assert!(item.text.contains("asks number 00?") && item.text.contains("First of"), "{}", item.text);
        let answered = item.args["question"].as_str().unwrap().starts_with("architecture");
        let decision = if answered { respond("Because Noor wanted it.") } else { Decision::Ignore };
        inbox.decide(&id, decision).await.unwrap();
    }
    inbox.drive().await;
    let outcome = inbox.outcome(&thread).await;
    assert_eq!(outcome.status, Status::Done, "{outcome:?}");
    assert_eq!(result(&outcome, "architecture")["warnings"], json!(["Iteration 1: Addressed 4 questions"]));
    assert_eq!(result(&outcome, "testing")["warnings"], json!(["Iteration 1: Addressed 3 questions"]));
    let refined = |name: &str| {
        let requests = inbox.model.requests();
        let found = requests.iter().find(|r| r.task == "docs.refine" && r.facts["agent"] == name);
        words(found.unwrap())
    };
    assert!(refined("architecture").contains("Because Noor wanted it."));
    assert!(!refined("testing").contains("Noor"));
}

#[tokio::test]
async fn nobody_is_asked_who_did_not_want_to_be() {
    let inbox = DocsInbox::new(curious());
    let (_, outcome) = inbox.document(json!({})).await;
    assert_eq!(outcome.status, Status::Done);
    assert!(inbox.questions().await.is_empty());
    assert_eq!(result(&outcome, "testing")["warnings"], json!(["Iteration 1: Addressed 3 questions"]));
}

#[tokio::test]
async fn a_costly_refinement_is_asked_about_first() {
    let script = || Script { scores: vec![20.0, 40.0, 90.0], ..Script::default() };
    let inbox = DocsInbox::new(script());
    let (_, outcome) = inbox.document(json!({"approve_over_tokens": 10_000_000})).await;
    assert_eq!(outcome.status, Status::Done, "nothing costs that much");

    let inbox = DocsInbox::new(script());
    let (thread, _) = inbox.document(json!({"approve_over_tokens": 1000})).await;
    let open = inbox.questions().await;
    assert_eq!(open.len(), 6);
    assert_eq!(inbox.asked_for("testing", "docs.questions"), 0, "nothing is spent before");
    for (id, item) in open {
        assert_eq!((item.kind, item.action.as_str()), (Kind::Approval, "refine"));
        assert_eq!((&item.args["iteration"], &item.args["approve_over_tokens"]), (&json!(1), &json!(1000)));
        assert!(item.args["estimated_tokens"].as_u64().unwrap() > 1000);
        let yes = item.args["agent"] == "testing";
        inbox.decide(&id, if yes { Decision::Accept } else { Decision::Ignore }).await.unwrap();
    }
    inbox.drive().await;
    // The one that went on asks again before its next refinement.
    let open = inbox.questions().await;
    assert_eq!(open.len(), 1);
    assert_eq!((&open[0].1.args["agent"], &open[0].1.args["iteration"]), (&json!("testing"), &json!(2)));
    inbox.decide(&open[0].0, Decision::Accept).await.unwrap();
    inbox.drive().await;
    let outcome = inbox.outcome(&thread).await;
    assert_eq!(outcome.status, Status::Done);
    let found = |name: &str| {
        let metadata = &result(&outcome, name)["metadata"];
        (metadata["iterations"].clone(), metadata["stop"].clone())
    };
    assert_eq!(found("testing"), (json!(2), json!("threshold")));
    assert_eq!(found("patterns"), (json!(0), json!("declined")));
}

#[tokio::test]
async fn a_person_in_the_models_place_writes_the_pages() {
    let inbox = crate::inputs::with_me();
    inbox.write_input("src/lib.rs", "//! Keeps boxes.\npub struct Box;\n");
    let thread = inbox.run("docs", json!({"dir": inbox.inputs()})).await;
    let items = inbox.items().await;
    assert_eq!(items.len(), 6);
    for item in items {
        assert_eq!(item.action, "your_turn");
        let is_written = item.args["page"] == "Architecture";
        let decision =
            if is_written { respond("## Overview\n\n`src/lib.rs` keeps boxes.") } else { Decision::Ignore };
        inbox.decide(&item.id, decision).await.unwrap();
    }
    inbox.drive().await;
    let outcome = inbox.outcome(&thread).await;
    let of = |name: &str| {
        let found = result(&outcome, name);
        (found["metadata"]["stop"].clone(), found["confidence"].clone(), found["markdown"].to_string())
    };
    let (stop, confidence, page) = of("architecture");
    assert!(stop == "own_words" && confidence == 1.0 && page.contains("keeps boxes."), "{page}");
    let (stop, _, page) = of("testing");
    assert!(stop == "no_model" && page.contains("Facts only"), "{page}");
}

#[tokio::test]
async fn a_page_that_nobody_wrote_in_time_is_not_made() {
    let expiry = Expiry {
        all: Some(Duration::from_secs(7 * 86_400)),
        kinds: vec!["question".to_owned()],
        ..Expiry::default()
    };
    let inbox = crate::inputs::with_me().restart(Settings { expiry, ..eager() });
    let thread = inbox.run("docs", json!({"dir": inbox.inputs()})).await;
    let mine = inbox.items().await.into_iter().find(|item| item.args["page"] == "Testing").unwrap();
    inbox.decide(&mine.id, respond("## Overview\n\nMine.")).await.unwrap();
    assert_eq!(inbox.expire_after(7).await, 5);
    inbox.drive().await;
    let outcome = inbox.outcome(&thread).await;
    assert_eq!(outcome.status, Status::Done, "{outcome:?}");
    assert_eq!(result(&outcome, "testing")["metadata"]["stop"], "own_words");
    let missed = result(&outcome, "patterns");
    assert_eq!(
        (&missed["status"], &missed["warnings"]),
        (&json!("failed"), &json!(["Nobody answered in time."]))
    );
    assert_eq!(file_names(&inbox.inputs().join("docs-sayso")), ["index.md", "testing.md"]);
}

/// Every agent's page, and why it went no further.
fn stops(outcome: &Outcome) -> Vec<(Value, String)> {
    let of = |name: &&str| {
        let found = result(outcome, name);
        (found["metadata"]["stop"].clone(), found["markdown"].to_string())
    };
    AGENTS.iter().map(of).collect()
}

#[tokio::test]
async fn agents_that_start_after_a_person_took_over_are_theirs() {
    let inbox = DocsInbox::new(Script::default());
    let thread = inbox.start("docs", json!({"dir": inbox.inputs()})).await;
    inbox.threads().hand(thread.clone(), true).await.unwrap();
    inbox.drive().await;
    let items = inbox.items().await;
    assert_eq!((items.len(), inbox.model.requests().len()), (6, 0));
    for item in items {
        assert_eq!(item.action, "your_turn");
        inbox.decide(&item.id, respond("## Overview\n\nMine.")).await.unwrap();
    }
    // A written page is final, even if the model has the thread again before the next step.
    inbox.threads().hand(thread.clone(), false).await.unwrap();
    inbox.drive().await;
    let outcome = inbox.outcome(&thread).await;
    assert_eq!(outcome.status, Status::Done, "{outcome:?}");
    assert!(inbox.model.requests().is_empty());
    for (stop, page) in stops(&outcome) {
        assert!(stop == "own_words" && page.contains("Mine."), "{page}");
    }
}

#[tokio::test]
async fn a_page_survives_a_person_who_takes_over_while_it_is_refined() {
    let inbox = DocsInbox::new(curious());
    let (thread, _) = inbox.document(json!({"ask_human": true})).await;
    inbox.threads().hand(thread.clone(), true).await.unwrap();
    for (id, _) in inbox.questions().await {
        inbox.decide(&id, Decision::Ignore).await.unwrap();
    }
    inbox.drive().await;
    let before = inbox.model.requests().len();
    let open = inbox.questions().await;
    assert_eq!(open.len(), 6);
    for (id, item) in open {
        assert_eq!(item.action, "your_turn");
        assert_contains(&item.text, ["As it stands", "First of"]);
        let mine = item.text.contains("Write the page about the architecture");
        let decision = if mine { respond("## Overview\n\nMine.") } else { Decision::Ignore };
        inbox.decide(&id, decision).await.unwrap();
    }
    inbox.drive().await;
    let outcome = inbox.outcome(&thread).await;
    assert_eq!(outcome.status, Status::Done, "{outcome:?}");
    assert_eq!(inbox.model.requests().len(), before);
    for (name, (stop, page)) in AGENTS.iter().zip(stops(&outcome)) {
        let expected =
            if *name == "architecture" { ("own_words", "Mine.") } else { ("declined", "First of") };
        assert!(stop == expected.0 && page.contains(expected.1), "{name}: {stop} {page}");
    }
}
