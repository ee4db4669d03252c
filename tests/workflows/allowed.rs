//! What an analysis may do without asking, what it says of itself, and what it does not take.

use crate::inputs::{self, analyze, paid};
use crate::support::assert_contains;
use crate::support::test_inbox::respond;
use sayso::engine::graph::Decision;
use sayso::inbox::{Block, OUTPUT_FILES, Status};
use serde_json::{Value, json};

#[tokio::test]
async fn a_result_is_written_after_asking_where_output_files_are_not_granted() {
    for (decision, written) in [(Decision::Accept, true), (Decision::Ignore, false)] {
        let inbox = inputs::with_answers(["Since when?", "# It was late", "Go on?", "# Later"].map(paid));
        inbox.grants().revoke(OUTPUT_FILES.to_owned()).await.unwrap();
        let thread = analyze(&inbox).await;
        assert_eq!(inbox.answer(&thread, respond("DONE")).await.status, Status::Waiting);
        let item = inbox.open_item(&thread).await;
        let file = inbox.inputs().canonicalize().unwrap().join("analysis_result.md");
        assert_eq!((item.action.as_str(), &item.args), ("write_result", &json!({"file": file})));
        assert_contains(&item.text, ["analysis_result.md", "# It was late"]);
        assert!(!inbox.input_files().contains(&"analysis_result.md".to_owned()));
        let outcome = inbox.answer(&thread, decision.clone()).await;
        assert_eq!(outcome.status, Status::Done);
        assert_eq!(inbox.input_files().contains(&"analysis_result.md".to_owned()), written);
        let expected = if written { json!(file) } else { Value::Null };
        assert_eq!(outcome.output, Some(json!({"answer": "# It was late", "file": expected})));
        // Whoever goes on is asked about the next result too.
        inbox.proceed(&thread, "And now?").await;
        inbox.answer(&thread, respond("DONE")).await;
        assert_eq!(inbox.action(&thread).await, "write_result");
    }
}

#[tokio::test]
async fn why_tells_what_the_thread_did_and_what_it_cost() {
    let inbox = inputs::with_config(
        "[prices.scripted]\ninput = 1.0\noutput = 10.0\n",
        [paid("Since when?"), paid("# Late")],
    );
    let thread = analyze(&inbox).await;
    let usage = inbox.view(&thread).await.usage;
    assert!((usage.cost.unwrap() - 0.002).abs() < 1e-9, "{usage:?}");
    let why = inbox.why(inbox.open_question(&thread).await).await;
    assert!(why.contains("one thing at a time") && why.contains("turns so far: 1 by the agent"), "{why}");
    assert!(why.contains("model calls: 1") && why.contains("cost: $0.0020"), "{why}");
    inbox.answer(&thread, respond("DONE")).await;
    let result = inbox.decisions().why(thread.to_string()).await.unwrap();
    assert!(result.text().contains("model calls: 3") && matches!(result.blocks[0], Block::Fields(_)));
    assert!(
        inbox.decisions().why("x".to_owned()).await.unwrap_err().to_string().contains("there is no item `x`")
    );
}

#[tokio::test]
async fn an_analysis_has_no_class_to_correct() {
    let inbox = inputs::with_answers([paid("Since when?")]);
    let thread = analyze(&inbox).await;
    let error = inbox.mail().reclassify(thread.clone(), "respond".to_owned()).await.unwrap_err().to_string();
    assert_eq!(error, "threads of `analyze` have no class to correct");
    let error = inbox.mail().reclassify(thread, "spam".to_owned()).await.unwrap_err().to_string();
    assert_eq!(error, "`spam` is not a class; there are ignore, notify, respond");
}
