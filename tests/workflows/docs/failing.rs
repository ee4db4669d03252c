//! Agents that fail, and what is left of a run then.

use super::*;
use crate::inputs::{refused, unreachable};

fn fails(at: &'static str, whom: &'static str, passing: bool) -> Script {
    Script::refining(move |agent, request| {
        let now = request.task == at && (agent == whom || whom == "all");
        now.then(|| if passing { unreachable() } else { refused() })
    })
}

#[tokio::test]
async fn an_agent_that_fails_leaves_the_others() {
    for (at, passing) in
        [("docs.analyze", false), ("docs.analyze", true), ("docs.refine", true), ("docs.refine", false)]
    {
        let inbox = DocsInbox::new(fails(at, "patterns", passing));
        std::fs::create_dir_all(inbox.out()).unwrap();
        std::fs::write(inbox.out().join("patterns.md"), "as it was").unwrap();
        let (_, outcome) = inbox.document(json!({})).await;
        assert_eq!(outcome.status, Status::Done, "{at}: {outcome:?}");
        assert_eq!(result(&outcome, "patterns")["status"], "failed", "{at}");
        for name in AGENTS.iter().filter(|name| **name != "patterns") {
            assert_eq!(result(&outcome, name)["status"], "success", "{at} {name}");
            assert!(inbox.page(&format!("{name}.md")).contains("Refined 1"), "{at} {name}");
        }
        assert_eq!(inbox.page("patterns.md"), "as it was", "{at}");
        let index = inbox.page("index.md");
        assert!(index.contains("| Patterns | failed; see below"), "{index}");
        let why = if passing { "nobody answers" } else { "it would rather not" };
        assert!(index.contains(why), "{index}");
        // The engine's own retries were spent first.
        let expected = if passing { 3 } else { 1 };
        if at == "docs.analyze" {
            assert_eq!(inbox.asked_for("patterns", at), expected);
        }
        assert_eq!(inbox.agent("patterns").await.status, Status::Done);
    }
}

#[tokio::test]
async fn a_refusal_in_words_is_no_page() {
    let inbox = DocsInbox::new(Script::refining(|_, request| {
        (request.task == "docs.analyze").then(|| Ok(Scripted::text("I am sorry, but no.")))
    }));
    let unwanted = || Scripted::json(&json!({"is_wanted": false}));
    inbox.model.queue("text.check", AGENTS.iter().map(|_| unwanted()));
    let (_, outcome) = inbox.document(json!({})).await;
    assert_eq!(result(&outcome, "patterns")["status"], "failed", "{outcome:?}");
    assert!(inbox.pages().is_empty(), "{:?}", inbox.pages());
}

#[tokio::test]
async fn what_a_model_that_refuses_everything_writes_is_trouble() {
    let refusal = || Scripted::text("I am sorry, but no.");
    let inbox = DocsInbox::new(Script::refining(move |_, request| {
        (request.task == "docs.analyze").then(|| Ok(refusal()))
    }));
    inbox.model.queue("text.check", (0..9 * AGENTS.len()).map(|_| refusal()));
    let (thread, outcome) = inbox.document(json!({})).await;
    assert_eq!(outcome.status, Status::Joining);
    let asked = inbox.questions().await;
    assert_eq!(asked.len(), AGENTS.len());
    for (id, item) in asked {
        assert_eq!(item.action, "failed");
        assert!(
            item.text.contains("It is not known whether the model wrote a page of documentation"),
            "{}",
            item.text
        );
        inbox.decide(&id, Decision::Ignore).await.unwrap();
    }
    inbox.drive().await;
    assert_eq!(inbox.outcome(&thread).await.status, Status::Done);
    assert!(inbox.pages().is_empty(), "{:?}", inbox.pages());
}

#[tokio::test]
async fn when_all_fail_nothing_is_written_and_one_can_go_on() {
    let inbox = DocsInbox::new(fails("docs.analyze", "all", false));
    let (thread, outcome) = inbox.document(json!({})).await;
    assert_eq!(outcome.status, Status::Done);
    let output = outcome.output.unwrap();
    assert!(output["answer"].as_str().unwrap().starts_with("No page was written"), "{output}");
    assert_eq!((&output["files"], &output["file"]), (&json!([]), &Value::Null));
    assert!(inbox.pages().is_empty());
    inbox.proceed(&thread, "Once more, and briefly.").await;
    assert_eq!(inbox.asked_for("testing", "docs.analyze"), 2);
    let last = inbox.model.requests().pop().unwrap();
    assert!(crate::support::fake_model::words(&last).contains("Once more, and briefly."));
}

#[tokio::test]
async fn an_abandoned_agent_is_a_failed_one() {
    let script = Script { scores: vec![50.0], for_person: true, ..Script::default() };
    let inbox = DocsInbox::new(script);
    let (thread, outcome) = inbox.document(json!({"ask_human": true, "max_iterations": 1})).await;
    assert_eq!(outcome.status, Status::Joining);
    let child = inbox.agent("patterns").await.id;
    inbox.threads().stop(child.clone()).await.unwrap();
    let trouble = inbox.outcome(&child).await.interrupts.pop().unwrap();
    inbox.decide(&trouble, Decision::Ignore).await.unwrap();
    for (id, item) in inbox.questions().await {
        assert_eq!(item.action, "question");
        inbox.decide(&id, Decision::Ignore).await.unwrap();
    }
    inbox.drive().await;
    let outcome = inbox.outcome(&thread).await;
    assert_eq!(outcome.status, Status::Done, "{outcome:?}");
    assert_eq!(result(&outcome, "patterns")["status"], "failed");
    assert_eq!(result(&outcome, "testing")["status"], "success");
}
