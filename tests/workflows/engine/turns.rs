//! Questions and answers.

use crate::support::TestInbox;
use sayso::inbox::Status;
use serde_json::json;

#[tokio::test]
async fn a_conversation_goes_on_until_it_is_over() {
    let inbox = TestInbox::new();
    let thread = inbox.start("chat", json!({"topic": "tea"})).await;
    for turn in 0..200 {
        inbox.drive().await;
        assert_eq!(inbox.outcome(&thread).await.status, Status::Waiting);
        inbox.respond(&thread, &format!("answer {turn}")).await;
    }
    inbox.drive().await;
    inbox.respond(&thread, "done").await;
    inbox.drive().await;
    let outcome = inbox.outcome(&thread).await;
    assert_eq!(outcome.status, Status::Done);
    assert_eq!(outcome.output, Some(json!({"turns": 201})));
    let view = inbox.threads().view(thread).await.unwrap();
    assert_eq!(view.steps.len(), 1 + 2 * 201 + 1);
    assert_eq!(view.decisions.len(), 201);
}
