//! Requests that change something: shown first, made once.

use super::*;
use sayso::inbox::{CATALOGUE_GET, InboxError};

const ADD: &str = "Add a task with list=home and title=\"Buy tea\"";
const PATH: &str = "/v1/lists/home/tasks";

async fn asked() -> (AskInbox, sayso::engine::graph::ThreadId) {
    let inbox = AskInbox::new().await;
    inbox.server.tell("/v1/lists", [Reply::Json(201, json!({"id": 7, "title": "Buy tea"}))]);
    let thread = inbox.ask(ADD).await;
    let outcome = inbox.outcome(&thread).await;
    assert_eq!(outcome.status, Status::Waiting, "{:?}", outcome.error);
    (inbox, thread)
}

#[tokio::test]
async fn what_changes_something_is_shown_whole_and_made_once() {
    let (inbox, thread) = asked().await;
    let card = inbox.open_item(&thread).await;
    let url = format!("{}/v1/lists/{{list}}/tasks", inbox.server.url());
    let parameters = json!({"list": "home", "title": "Buy tea"});
    let args = json!({"api": "tasks/add_task", "method": "POST", "url": url, "parameters": parameters});
    assert_eq!((card.action.as_str(), &card.args), ("request", &args));
    let shown = [
        &format!("request: POST {}{PATH}", inbox.server.url()),
        "list: home",
        "title: Buy tea",
        "header authorization: your key (env TASKS_KEY)",
        "\"title\": \"Buy tea\"",
    ];
    assert_contains(&card.text, shown);
    assert!(!card.text.contains("canary-key"));
    assert!(inbox.server.asked().is_empty());
    assert_eq!(inbox.answer(&thread, Decision::Accept).await.status, Status::Done);
    assert_eq!(inbox.server.asked(), [format!("POST {PATH}")]);
    let sent = inbox.server.last_body();
    assert!(sent.contains("Bearer canary-key") && sent.ends_with("{\"title\":\"Buy tea\"}"), "{sent}");
    let answer = inbox.answer_of(&thread).await;
    assert!(answer.contains("- id: 7"), "{answer}");
    let view = inbox.view(&thread).await;
    assert_eq!(view.effects.len(), 1);
    assert!(!serde_json::to_string(&view).unwrap().contains("canary-key"));
}

#[tokio::test]
async fn what_a_model_leaves_open_is_neither_shown_nor_sent_and_asked_for_where_it_is_needed() {
    let said = |title: Value| {
        let parameters = json!({"list": "home", "title": title, "note": null});
        move |_: &Request| json!({"api": "tasks/add_task", "parameters": parameters})
    };
    let inbox = AskInbox::by(said(json!("Buy tea"))).await;
    inbox.server.tell("/v1/lists", [Reply::Json(201, json!({"id": 7}))]);
    let thread = inbox.ask("Add Buy tea to home").await;
    let card = inbox.open_item(&thread).await;
    assert_eq!(card.args["parameters"], json!({"list": "home", "title": "Buy tea"}));
    assert!(!card.text.contains("note"), "{}", card.text);
    assert_eq!(inbox.answer(&thread, Decision::Accept).await.status, Status::Done);
    let sent = inbox.server.last_body();
    assert!(sent.ends_with("{\"title\":\"Buy tea\"}"), "{sent}");
    assert_eq!(inbox.model.requests().len(), 1);

    let inbox = AskInbox::by(said(Value::Null)).await;
    let thread = inbox.ask("Add something to home").await;
    assert_eq!(inbox.open_item(&thread).await.args["parameter"], "title");
    assert!(inbox.server.asked().is_empty());
}

#[tokio::test]
async fn it_can_be_edited_within_its_schema() {
    let (inbox, thread) = asked().await;
    let card = inbox.open_item(&thread).await;
    let mut args = card.args.clone();
    for (key, value) in [
        ("url", json!("http://127.0.0.1:9/")),
        ("method", json!("DELETE")),
        ("parameters", json!({"list": "x"})),
    ] {
        let mut bad = args.clone();
        bad[key] = value;
        let refused = inbox.decide(&card.id, Decision::Edit { args: bad }).await;
        assert!(matches!(refused, Err(InboxError::Refused { .. })), "{key}: {refused:?}");
    }
    args["parameters"]["title"] = json!("Buy coffee");
    assert_eq!(inbox.answer(&thread, Decision::Edit { args }).await.status, Status::Done);
    assert!(inbox.server.last_body().ends_with("{\"title\":\"Buy coffee\"}"));
}

#[tokio::test]
async fn words_change_it_and_ignoring_ends_it() {
    let (inbox, thread) = asked().await;
    assert_eq!(inbox.answer(&thread, respond("title=\"Buy milk\" please")).await.status, Status::Waiting);
    assert_eq!(
        inbox.open_item(&thread).await.args["parameters"],
        json!({"list": "home", "title": "Buy milk"})
    );
    assert_eq!(inbox.answer(&thread, Decision::Ignore).await.status, Status::Abandoned);
    assert!(inbox.server.asked().is_empty());
}

#[tokio::test]
async fn an_unclear_end_is_asked_about_and_never_sent_again() {
    for reply in [Reply::Never, Reply::Cut, Reply::Json(500, json!({}))] {
        let (inbox, thread) = asked().await;
        inbox.server.tell("/v1/lists", [reply]);
        let outcome = inbox.answer(&thread, Decision::Accept).await;
        assert_eq!(outcome.status, Status::Trouble);
        assert_eq!(inbox.trouble(&thread).await.0, "in_doubt");
        inbox.drive().await;
        assert_eq!(inbox.server.asked().len(), 1);
        // The person says that it was done.
        let outcome = inbox.answer(&thread, Decision::Accept).await;
        assert_eq!(outcome.status, Status::Done);
        assert!(inbox.answer_of(&thread).await.contains("You said that it was done"));
        assert_eq!(inbox.server.asked().len(), 1);
    }
    // Or that it was not: then the same bytes go out.
    let (inbox, thread) = asked().await;
    inbox.server.tell("/v1/lists", [Reply::Cut, Reply::Json(201, json!({"id": 8}))]);
    inbox.answer(&thread, Decision::Accept).await;
    let args = json!({"effect": "request", "outcome": "not_done"});
    assert_eq!(inbox.answer(&thread, Decision::Edit { args }).await.status, Status::Done);
    assert_eq!(inbox.server.asked(), [format!("POST {PATH}"), format!("POST {PATH}")]);
}

#[tokio::test]
async fn what_the_server_refuses_is_asked_anew() {
    let (inbox, thread) = asked().await;
    inbox.server.tell("/v1/lists", [Reply::Json(422, json!({"message": "the title is too short"}))]);
    let outcome = inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(outcome.status, Status::Waiting);
    assert_eq!(inbox.action(&thread).await, "request");
    assert_eq!(inbox.server.asked().len(), 1);
    assert!(inbox.state(&thread).await["error"].as_str().is_none_or(|error| error.contains("too short")));
}

#[tokio::test]
async fn reading_runs_by_a_grant_that_can_be_switched_off() {
    let inbox = AskInbox::new().await;
    let grants = inbox.grants().list().await.unwrap();
    assert!(grants.iter().any(|line| line.id == CATALOGUE_GET && line.in_force && line.builtin));
    inbox.grants().revoke(CATALOGUE_GET.to_owned()).await.unwrap();
    let thread = inbox.ask("trending tracks").await;
    let card = inbox.open_item(&thread).await;
    assert_eq!((card.action.as_str(), card.args["method"].as_str()), ("request", Some("GET")));
    // Nobody was asked anything yet, not even how it is.
    assert_eq!(inbox.server.count(""), 0);
    assert_eq!(inbox.answer(&thread, Decision::Ignore).await.status, Status::Abandoned);
    // One whose server is known runs once it is approved.
    let thread = inbox.ask("list tasks with list=home").await;
    assert_eq!(inbox.server.count(""), 0);
    inbox.server.tell("/v1/lists", [Reply::Json(200, json!([{"title": "Buy tea"}]))]);
    inbox.answer(&thread, Decision::Accept).await;
    assert!(inbox.answer_of(&thread).await.contains("1. \"Buy tea\""));
    assert_eq!(inbox.server.count(""), 1);
}
