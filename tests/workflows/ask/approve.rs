//! Requests that change something: shown first, made once.

use super::room::Room;
use super::server::Reply;
use sayso::graph::Decision;
use sayso::inbox::{CATALOGUE_GET, InboxError, Status};
use sayso::llm::Request;
use serde_json::{Value, json};

const ADD: &str = "Add a task with list=home and title=\"Buy tea\"";
const PATH: &str = "/v1/lists/home/tasks";

async fn asked() -> (Room, sayso::graph::ThreadId) {
    let room = Room::new().await;
    room.server.tell("/v1/lists", [Reply::Json(201, json!({"id": 7, "title": "Buy tea"}))]);
    let thread = room.ask(ADD).await;
    assert_eq!(
        room.outcome(&thread).await.status,
        Status::Waiting,
        "{:?}",
        room.outcome(&thread).await.error
    );
    (room, thread)
}

#[tokio::test]
async fn what_changes_something_is_shown_whole_and_made_once() {
    let (room, thread) = asked().await;
    let card = room.open(&thread).await;
    let url = format!("{}/v1/lists/{{list}}/tasks", room.server.url());
    let parameters = json!({"list": "home", "title": "Buy tea"});
    assert_eq!(card.action, "request");
    assert_eq!(
        card.args,
        json!({"api": "tasks/add_task", "method": "POST", "url": url, "parameters": parameters})
    );
    for part in [
        format!("request: POST {}{PATH}", room.server.url()).as_str(),
        "list: home",
        "title: Buy tea",
        "header authorization: your key (env TASKS_KEY)",
        "\"title\": \"Buy tea\"",
    ] {
        assert!(card.text.contains(part), "{part}: {}", card.text);
    }
    assert!(!card.text.contains("canary-key"));
    assert!(room.server.asked().is_empty());
    assert_eq!(room.decides(&thread, Decision::Accept).await.status, Status::Done);
    assert_eq!(room.server.asked(), [format!("POST {PATH}")]);
    let sent = room.server.last_body();
    assert!(sent.contains("Bearer canary-key") && sent.ends_with("{\"title\":\"Buy tea\"}"), "{sent}");
    let answer = room.answered(&thread).await;
    assert!(answer.contains("- id: 7"), "{answer}");
    let view = room.view(&thread).await;
    assert_eq!(view.effects.len(), 1);
    assert!(!serde_json::to_string(&view).unwrap().contains("canary-key"));
}

#[tokio::test]
async fn what_a_model_leaves_open_is_neither_shown_nor_sent_and_asked_for_where_it_is_needed() {
    let said = |title: Value| {
        move |request: &Request| match request.task.as_str() {
            "ask.category" => json!({
                "query_type": "task", "categories": ["Add Task"], "is_entity_query": false,
                "entity_name": null, "entity_type": null, "complexity": "simple",
            }),
            _ => json!({"parameters": {"list": "home", "title": title, "note": null}}),
        }
    };
    let room = Room::scripted(said(json!("Buy tea"))).await;
    room.server.tell("/v1/lists", [Reply::Json(201, json!({"id": 7}))]);
    let thread = room.ask("Add Buy tea to home").await;
    let card = room.open(&thread).await;
    assert_eq!(card.args["parameters"], json!({"list": "home", "title": "Buy tea"}));
    assert!(!card.text.contains("note"), "{}", card.text);
    assert_eq!(room.decides(&thread, Decision::Accept).await.status, Status::Done);
    let sent = room.server.last_body();
    assert!(sent.ends_with("{\"title\":\"Buy tea\"}"), "{sent}");
    assert_eq!(room.requests().len(), 2);

    let room = Room::scripted(said(Value::Null)).await;
    let thread = room.ask("Add something to home").await;
    assert_eq!(room.open(&thread).await.args["parameter"], "title");
    assert!(room.server.asked().is_empty());
}

#[tokio::test]
async fn it_can_be_edited_within_its_schema() {
    let (room, thread) = asked().await;
    let card = room.open(&thread).await;
    let mut args = card.args.clone();
    for (key, value) in [
        ("url", json!("http://127.0.0.1:9/")),
        ("method", json!("DELETE")),
        ("parameters", json!({"list": "x"})),
    ] {
        let mut bad = args.clone();
        bad[key] = value;
        let refused = room.decide(&card.interrupt().unwrap(), Decision::Edit { args: bad }).await;
        assert!(matches!(refused, Err(InboxError::Refused { .. })), "{key}: {refused:?}");
    }
    args["parameters"]["title"] = json!("Buy coffee");
    assert_eq!(room.decides(&thread, Decision::Edit { args }).await.status, Status::Done);
    assert!(room.server.last_body().ends_with("{\"title\":\"Buy coffee\"}"));
}

#[tokio::test]
async fn words_change_it_and_ignoring_ends_it() {
    let (room, thread) = asked().await;
    assert_eq!(room.says(&thread, "title=\"Buy milk\" please").await.status, Status::Waiting);
    assert_eq!(room.open(&thread).await.args["parameters"], json!({"list": "home", "title": "Buy milk"}));
    assert_eq!(room.decides(&thread, Decision::Ignore).await.status, Status::Abandoned);
    assert!(room.server.asked().is_empty());
}

#[tokio::test]
async fn an_unclear_end_is_asked_about_and_never_sent_again() {
    for reply in [Reply::Never, Reply::Cut, Reply::Json(500, json!({}))] {
        let (room, thread) = asked().await;
        room.server.tell("/v1/lists", [reply]);
        let outcome = room.decides(&thread, Decision::Accept).await;
        assert_eq!(outcome.status, Status::Trouble);
        assert_eq!(room.trouble(&thread).await.0, "in_doubt");
        room.settle().await;
        assert_eq!(room.server.asked().len(), 1);
        // The person says that it was done.
        let outcome = room.decides(&thread, Decision::Accept).await;
        assert_eq!(outcome.status, Status::Done);
        assert!(room.answered(&thread).await.contains("You said that it was done"));
        assert_eq!(room.server.asked().len(), 1);
    }
    // Or that it was not: then the same bytes go out.
    let (room, thread) = asked().await;
    room.server.tell("/v1/lists", [Reply::Cut, Reply::Json(201, json!({"id": 8}))]);
    room.decides(&thread, Decision::Accept).await;
    let args = json!({"effect": "request", "outcome": "not_done"});
    assert_eq!(room.decides(&thread, Decision::Edit { args }).await.status, Status::Done);
    assert_eq!(room.server.asked(), [format!("POST {PATH}"), format!("POST {PATH}")]);
}

#[tokio::test]
async fn what_the_server_refuses_is_asked_anew() {
    let (room, thread) = asked().await;
    room.server.tell("/v1/lists", [Reply::Json(422, json!({"message": "the title is too short"}))]);
    let outcome = room.decides(&thread, Decision::Accept).await;
    assert_eq!(outcome.status, Status::Waiting);
    assert_eq!(room.open(&thread).await.action, "request");
    assert_eq!(room.server.asked().len(), 1);
    assert!(room.state(&thread).await["error"].as_str().is_none_or(|error| error.contains("too short")));
}

#[tokio::test]
async fn reading_runs_by_a_grant_that_can_be_switched_off() {
    let room = Room::new().await;
    let grants = room.inbox.grants().list().await.unwrap();
    assert!(grants.iter().any(|line| line.id == CATALOGUE_GET && line.in_force && line.builtin));
    room.revoke(CATALOGUE_GET).await;
    let thread = room.ask("trending tracks").await;
    let card = room.open(&thread).await;
    assert_eq!((card.action.as_str(), card.args["method"].as_str()), ("request", Some("GET")));
    // Nobody was asked anything yet, not even how it is.
    assert_eq!(room.server.count(""), 0);
    assert_eq!(room.decides(&thread, Decision::Ignore).await.status, Status::Abandoned);
    // One whose server is known runs once it is approved.
    let thread = room.ask("list tasks with list=home").await;
    assert_eq!(room.server.count(""), 0);
    room.server.tell("/v1/lists", [Reply::Json(200, json!([{"title": "Buy tea"}]))]);
    room.decides(&thread, Decision::Accept).await;
    assert!(room.answered(&thread).await.contains("1. \"Buy tea\""));
    assert_eq!(room.server.count(""), 1);
}
