//! The person in the model's place: they choose the operation and fill in its parameters.

use super::*;

async fn mine() -> AskInbox {
    let config = |port: u16| {
        format!(
            "[apis.tasks]\nprivate = [\"127.0.0.1:{port}\"]\napi_key_env = \"TASKS_KEY\"\n\
        [apis.audius]\nhosts = [\"http://127.0.0.1:{port}\"]\nprivate = [\"127.0.0.1:{port}\"]\n"
        )
    };
    AskInbox::open_with(FakeModel::person(), config, |_| {}).await
}

fn take(args: Value) -> Decision {
    Decision::Edit { args }
}

#[tokio::test]
async fn they_choose_the_operation_and_fill_in_its_parameters() {
    let inbox = mine().await;
    let thread = inbox.ask("trending tracks").await;
    let asked = inbox.open_item(&thread).await;
    assert_eq!(asked.action, "your_turn");
    assert_contains(&asked.text, ["You are in the model's place"]);
    let args = json!({"do": "audius/trending_tracks", "time": "month", "limit": 3});
    assert_eq!(inbox.answer(&thread, take(args)).await.status, Status::Done);
    assert_eq!(inbox.server.asked(), ["GET /v1/tracks/trending?time=month&limit=3"]);
    assert_contains(
        &inbox.answer_of(&thread).await,
        ["1. \"Example Track\" by Example Artist (1,234 plays)"],
    );

    // A name is looked up as for a model, and what does not fit the form is refused.
    let thread = inbox.ask("Who follows Skrillex?").await;
    let card = inbox.open_item(&thread).await.id.clone();
    let bad = json!({"do": "audius/user_followers", "user_id": "Skrillex", "limit": 1000});
    assert!(inbox.decide(&card, take(bad)).await.is_err());
    let good = json!({"do": "audius/user_followers", "user_id": "Skrillex"});
    assert_eq!(inbox.answer(&thread, take(good)).await.status, Status::Done);
    assert_eq!(inbox.last_asked(), "GET /v1/users/U2/followers?limit=10");
}

#[tokio::test]
async fn words_are_the_answer_and_what_changes_something_is_still_approved() {
    let inbox = mine().await;
    let thread = inbox.ask("trending tracks").await;
    assert_eq!(inbox.answer(&thread, respond("Nobody knows.")).await.status, Status::Done);
    assert_eq!(inbox.answer_of(&thread).await, "Nobody knows.");
    let thread = inbox.ask("trending tracks").await;
    assert_eq!(inbox.answer(&thread, Decision::Ignore).await.status, Status::Abandoned);

    let thread = inbox.ask("Add a task to my list").await;
    let args = json!({"do": "tasks/add_task", "list": "home", "title": "Buy tea"});
    inbox.answer(&thread, take(args)).await;
    assert_eq!(inbox.action(&thread).await, "request");
    assert!(inbox.server.asked().is_empty());
}

#[tokio::test]
async fn what_they_chose_is_done_though_the_model_goes_on() {
    let inbox = AskInbox::open_with(
        FakeModel::new([]),
        |port| {
            format!(
                "[apis.audius]\nhosts = [\"http://127.0.0.1:{port}\"]\nprivate = [\"127.0.0.1:{port}\"]\n"
            )
        },
        |_| {},
    )
    .await;
    let thread = inbox.start("ask", json!({"query": "trending tracks"})).await;
    inbox.threads().hand(thread.clone(), true).await.unwrap();
    inbox.drive().await;
    let args = json!({"do": "audius/trending_tracks", "time": "month", "limit": 3});
    inbox.decide(&inbox.open_question(&thread).await, take(args)).await.unwrap();
    inbox.threads().hand(thread.clone(), false).await.unwrap();
    inbox.drive().await;
    assert_eq!(inbox.status(&thread).await, Status::Done);
    assert_eq!(inbox.server.asked(), ["GET /v1/tracks/trending?time=month&limit=3"]);
    assert!(inbox.model.requests().is_empty());
}
