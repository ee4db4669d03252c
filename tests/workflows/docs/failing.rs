//! Agents that fail, and what is left of a run then.

use super::bureau::{AGENTS, Bureau, Script, result};
use crate::study::{refused, unreachable};
use sayso::inbox::Status;
use serde_json::{Value, json};

fn fails(at: &'static str, whom: &'static str, passing: bool) -> Script {
    let special = move |agent: &str, request: &sayso::llm::Request| {
        let now = request.task == at && (agent == whom || whom == "all");
        now.then(|| if passing { unreachable() } else { refused() })
    };
    Script { scores: vec![50.0, 90.0], special: Box::new(special), ..Script::default() }
}

#[tokio::test]
async fn an_agent_that_fails_leaves_the_others() {
    for (at, passing) in
        [("docs.analyze", false), ("docs.analyze", true), ("docs.answer", true), ("docs.refine", false)]
    {
        let bureau = Bureau::new(fails(at, "patterns", passing));
        std::fs::create_dir_all(bureau.out()).unwrap();
        std::fs::write(bureau.out().join("patterns.md"), "as it was").unwrap();
        let (_, outcome) = bureau.run(json!({})).await;
        assert_eq!(outcome.status, Status::Done, "{at}: {outcome:?}");
        assert_eq!(result(&outcome, "patterns")["status"], "failed", "{at}");
        for name in AGENTS.iter().filter(|name| **name != "patterns") {
            assert_eq!(result(&outcome, name)["status"], "success", "{at} {name}");
            assert!(bureau.page(&format!("{name}.md")).contains("Refined 1"), "{at} {name}");
        }
        assert_eq!(bureau.page("patterns.md"), "as it was", "{at}");
        let index = bureau.page("index.md");
        assert!(index.contains("| Patterns | failed; see below"), "{index}");
        let why = if passing { "nobody answers" } else { "it would rather not" };
        assert!(index.contains(why), "{index}");
        // The engine's own retries were spent first.
        let expected = if passing { 3 } else { 1 };
        if at == "docs.analyze" {
            assert_eq!(bureau.asked_for("patterns", at), expected);
        }
        assert_eq!(bureau.agent("patterns").await.status, Status::Done);
    }
}

#[tokio::test]
async fn when_all_fail_nothing_is_written_and_one_can_go_on() {
    let bureau = Bureau::new(fails("docs.analyze", "all", false));
    let (thread, outcome) = bureau.run(json!({})).await;
    assert_eq!(outcome.status, Status::Done);
    let output = outcome.output.unwrap();
    assert!(output["answer"].as_str().unwrap().starts_with("No page was written"), "{output}");
    assert_eq!((&output["files"], &output["file"]), (&json!([]), &Value::Null));
    assert!(bureau.pages().is_empty());
    bureau.inbox.threads().proceed(thread.clone(), "Once more, and briefly.".to_owned()).await.unwrap();
    bureau.settle().await;
    assert_eq!(bureau.asked_for("testing", "docs.analyze"), 2);
    let last = bureau.requests().pop().unwrap();
    assert_eq!(last.facts["project"]["wishes"], json!(["Once more, and briefly."]));
    assert!(super::bureau::words(&last).contains("Once more, and briefly."));
}

#[tokio::test]
async fn an_abandoned_agent_is_a_failed_one() {
    let script = Script { scores: vec![50.0], for_person: true, ..Script::default() };
    let bureau = Bureau::new(script);
    let (thread, outcome) = bureau.run(json!({"ask_human": true, "max_iterations": 1})).await;
    assert_eq!(outcome.status, Status::Joining);
    let child = bureau.agent("patterns").await.id;
    bureau.inbox.threads().stop(child.clone()).await.unwrap();
    let trouble = bureau.outcome(&child).await.interrupts.pop().unwrap();
    bureau.decide(&trouble, sayso::graph::Decision::Ignore).await.unwrap();
    for (id, item) in bureau.open().await {
        assert_eq!(item.action, "question");
        bureau.decide(&id, sayso::graph::Decision::Ignore).await.unwrap();
    }
    bureau.settle().await;
    let outcome = bureau.outcome(&thread).await;
    assert_eq!(outcome.status, Status::Done, "{outcome:?}");
    assert_eq!(result(&outcome, "patterns")["status"], "failed");
    assert_eq!(result(&outcome, "testing")["status"], "success");
}
