//! Where the loop ends: good enough, as often as allowed, too little gained, switched off; and how scores count.

use super::*;
use std::sync::atomic::{AtomicUsize, Ordering};

#[tokio::test]
async fn it_ends_when_good_enough_at_the_maximum_after_a_small_gain_or_switched_off() {
    let rising = [10.0, 20.0, 30.0, 40.0, 50.0];
    // Scores and settings; how often it was refined and why no more, and how sure it is.
    for (given, settings, iterations, stop, confidence) in [
        (&[80.0][..], json!({}), 0, "threshold", 0.8),
        (&[79.0, 85.0], json!({}), 1, "threshold", 0.85),
        (&[85.0, 91.0], json!({"clarity_threshold": 90}), 1, "threshold", 0.91),
        (&rising, json!({}), 3, "maximum", 0.4),
        (&rising, json!({"max_iterations": 1}), 1, "maximum", 0.2),
        (&rising, json!({"max_iterations": 0}), 0, "maximum", 0.1),
        (&[50.0, 54.0], json!({}), 1, "small_gain", 0.54),
        (&[50.0, 54.0, 56.0], json!({"min_improvement": 3}), 2, "small_gain", 0.56),
        (&[10.0], json!({"enable_self_questioning": false}), 0, "switched_off", 0.1),
    ] {
        let inbox = DocsInbox::new(Script { scores: given.to_vec(), ..Script::default() });
        let (_, outcome) = inbox.document(settings.clone()).await;
        assert_eq!(outcome.status, Status::Done, "{outcome:?}");
        let found = result(&outcome, "architecture");
        let ended = (&found["metadata"]["iterations"], &found["metadata"]["stop"], &found["confidence"]);
        let expected = (&json!(iterations), &json!(stop), &json!(confidence));
        assert_eq!(ended, expected, "{given:?} {settings}");
        let tasks = ["docs.analyze", "docs.evaluate", "docs.questions", "docs.refine"];
        let asked = tasks.map(|task| inbox.asked_for("architecture", task));
        let expected = [1, iterations + 1, iterations, iterations];
        assert_eq!(asked, expected, "{given:?} {settings}");
    }
}

#[tokio::test]
async fn the_better_text_is_taken() {
    let inbox = DocsInbox::new(Script { scores: vec![60.0, 40.0], ..Script::default() });
    let (_, outcome) = inbox.document(json!({})).await;
    let found = result(&outcome, "patterns");
    assert_eq!(found["confidence"], 0.6);
    assert!(found["markdown"].as_str().unwrap().contains("First of patterns."));
}

#[tokio::test]
async fn the_score_is_the_mean_of_four_and_results_are_as_promised() {
    let special = |_: &str, request: &sayso::agent::llm::Request| {
        let first = request.facts["iteration"] == 0;
        let each = if first { [80.0, 60.0, 40.0, 21.0] } else { [100.0, 80.0, 60.0, 80.0] };
        (request.task == "docs.evaluate").then(|| Ok(Scripted::json(&scores(each))))
    };
    let inbox = DocsInbox::new(Script::refining(special));
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
    let nodes = inbox.nodes(&view.id).await.join(" ");
    let expected = "START analyze_initial evaluate_clarity generate_questions refine_analysis evaluate_clarity \
                    finalize_output";
    assert_eq!(nodes, expected);
}

#[tokio::test]
async fn scores_that_cannot_be_used_are_asked_again_and_then_done_without() {
    let tries = AtomicUsize::new(0);
    let special = move |agent: &str, request: &sayso::agent::llm::Request| {
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
    let script = Script { scores: vec![88.0], special: Box::new(special), ..Script::default() };
    let inbox = DocsInbox::new(script);
    let (_, outcome) = inbox.document(json!({})).await;
    assert_eq!(result(&outcome, "testing")["confidence"], 0.88);
    let unscored = result(&outcome, "patterns");
    assert_eq!((&unscored["status"], &unscored["confidence"]), (&json!("success"), &json!(0.0)));
    let warning = unscored["warnings"][0].as_str().unwrap();
    assert!(warning.starts_with("Evaluation 1: the scores could not be read"), "{warning}");
    assert_eq!(inbox.asked_for("patterns", "docs.evaluate"), 2);
    assert!(inbox.page("patterns.md").contains("First of patterns."));
}
