//! Where the loop ends: good enough, as often as allowed, too little gained, switched off; and how scores count.

use super::docs_inbox::{AGENTS, DocsInbox, Script, result, scores};
use sayso::inbox::Status;
use sayso::llm::Scripted;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A run with these scores: iterations, why it stopped, confidence and what was asked of the model, of one agent.
async fn ends(given: &[f64], more: Value) -> (Value, Value, Value, [usize; 5]) {
    let inbox = DocsInbox::new(Script { scores: given.to_vec(), ..Script::default() });
    let (_, outcome) = inbox.document(more).await;
    assert_eq!(outcome.status, Status::Done, "{outcome:?}");
    let found = result(&outcome, "architecture");
    let tasks = ["docs.analyze", "docs.evaluate", "docs.questions", "docs.answer", "docs.refine"];
    (
        found["metadata"]["iterations"].clone(),
        found["metadata"]["stop"].clone(),
        found["confidence"].clone(),
        tasks.map(|task| inbox.asked_for("architecture", task)),
    )
}

#[tokio::test]
async fn a_score_that_is_good_enough_ends_it() {
    assert_eq!(ends(&[80.0], json!({})).await, (json!(0), json!("threshold"), json!(0.8), [1, 1, 0, 0, 0]));
    let once = ends(&[79.0, 85.0], json!({})).await;
    assert_eq!(once, (json!(1), json!("threshold"), json!(0.85), [1, 2, 1, 4, 1]));
    let high = ends(&[85.0, 91.0], json!({"clarity_threshold": 90})).await;
    assert_eq!(high, (json!(1), json!("threshold"), json!(0.91), [1, 2, 1, 4, 1]));
}

#[tokio::test]
async fn it_refines_as_often_as_allowed() {
    let rising = [10.0, 20.0, 30.0, 40.0, 50.0];
    assert_eq!(ends(&rising, json!({})).await, (json!(3), json!("maximum"), json!(0.4), [1, 4, 3, 12, 3]));
    let one = ends(&rising, json!({"max_iterations": 1})).await;
    assert_eq!(one, (json!(1), json!("maximum"), json!(0.2), [1, 2, 1, 4, 1]));
    let none = ends(&rising, json!({"max_iterations": 0})).await;
    assert_eq!(none, (json!(0), json!("maximum"), json!(0.1), [1, 1, 0, 0, 0]));
}

#[tokio::test]
async fn a_gain_that_is_too_small_ends_it_and_the_better_text_is_taken() {
    let small = ends(&[50.0, 54.0], json!({})).await;
    assert_eq!(small, (json!(1), json!("small_gain"), json!(0.54), [1, 2, 1, 4, 1]));
    let enough = ends(&[50.0, 54.0, 56.0], json!({"min_improvement": 3})).await;
    assert_eq!(enough, (json!(2), json!("small_gain"), json!(0.56), [1, 3, 2, 8, 2]));
    let inbox = DocsInbox::new(Script { scores: vec![60.0, 40.0], ..Script::default() });
    let (_, outcome) = inbox.document(json!({})).await;
    let found = result(&outcome, "patterns");
    assert_eq!(found["confidence"], 0.6);
    assert!(found["markdown"].as_str().unwrap().contains("First of patterns."));
}

#[tokio::test]
async fn without_self_questioning_it_is_scored_once() {
    let off = ends(&[10.0], json!({"enable_self_questioning": false})).await;
    assert_eq!(off, (json!(0), json!("switched_off"), json!(0.1), [1, 1, 0, 0, 0]));
}

#[tokio::test]
async fn the_score_is_the_mean_of_four_and_results_are_as_promised() {
    let special = |_: &str, request: &sayso::llm::Request| {
        let first = request.facts["answers"].as_array().unwrap().is_empty();
        let each = if first { [80.0, 60.0, 40.0, 21.0] } else { [100.0, 80.0, 60.0, 80.0] };
        (request.task == "docs.evaluate").then(|| Ok(Scripted::json(&scores(each))))
    };
    let inbox = DocsInbox::new(Script { special: Box::new(special), ..Script::default() });
    let (thread, outcome) = inbox.document(json!({})).await;
    let view = inbox.agent("testing").await;
    assert_eq!(view.state["scores"], json!([50.25, 80.0]));
    for name in AGENTS {
        let found = result(&outcome, name);
        assert_eq!((&found["status"], &found["confidence"]), (&json!("success"), &json!(0.8)), "{name}");
        assert_eq!(found["warnings"], json!(["Iteration 1: Addressed 4 questions"]));
        assert_eq!(found["metadata"]["missing_information"], json!(["why it is so"]));
        assert_eq!(found["metadata"]["self_questions"].as_array().unwrap().len(), 4);
        assert!(found["markdown"].as_str().unwrap().contains(&format!("Refined 1 of {name}.")));
        assert!(!found["summary"].as_str().unwrap().is_empty() && found["data"]["sections"].is_array());
    }
    assert_eq!(
        inbox.nodes(&thread).await[1..],
        ["scan_project_structure", "create_execution_context", "execute_agents", "JOIN", "aggregate_results"]
    );
    let nodes: Vec<&str> = view.steps.iter().map(|step| step.node.as_str()).collect();
    assert_eq!(
        nodes,
        [
            "START",
            "analyze_initial",
            "evaluate_clarity",
            "generate_questions",
            "refine_analysis",
            "evaluate_clarity",
            "finalize_output"
        ]
    );
}

#[tokio::test]
async fn scores_that_cannot_be_used_are_asked_again_and_then_done_without() {
    let tries = AtomicUsize::new(0);
    let special = move |agent: &str, request: &sayso::llm::Request| {
        if request.task != "docs.evaluate" {
            return None;
        }
        let bad = json!({"completeness": 150, "clarity": "high", "depth": -3, "accuracy": 50, "missing_information": []});
        match agent {
            "patterns" => Some(Ok(Scripted::json(&bad))),
            "testing" if tries.fetch_add(1, Ordering::SeqCst) < 1 => Some(Ok(Scripted::text("rather good"))),
            _ => None,
        }
    };
    let inbox =
        DocsInbox::new(Script { scores: vec![88.0], special: Box::new(special), ..Script::default() });
    let (_, outcome) = inbox.document(json!({})).await;
    assert_eq!(result(&outcome, "testing")["confidence"], 0.88);
    let unscored = result(&outcome, "patterns");
    assert_eq!((&unscored["status"], &unscored["confidence"]), (&json!("success"), &json!(0.0)));
    let warning = unscored["warnings"][0].as_str().unwrap();
    assert!(warning.starts_with("Evaluation 1: the scores could not be read"), "{warning}");
    assert_eq!(inbox.asked_for("patterns", "docs.evaluate"), 2);
    assert!(inbox.page("patterns.md").contains("First of patterns."));
}
