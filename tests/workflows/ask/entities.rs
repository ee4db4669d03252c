//! Things that questions name: found among things of their own kind, asked for where they are missing.

use super::ask_inbox::AskInbox;
use crate::support::test_inbox::respond;
use sayso::graph::Decision;
use sayso::inbox::Status;
use serde_json::json;

#[tokio::test]
async fn a_name_is_searched_first_and_an_exact_name_is_taken() {
    let inbox = AskInbox::new().await;
    let answer = inbox.answer_to("Who are the followers of Skrillex?").await;
    // "Skrillex Fans" was found too, and is somebody else.
    assert_eq!(
        inbox.server.asked(),
        ["GET /v1/users/search?query=Skrillex&limit=10", "GET /v1/users/U2/followers?limit=10"]
    );
    assert!(answer.starts_with("Followers, Skrillex @skrillex:"), "{answer}");
    assert!(answer.contains("2. \"Skrillex\" (@skrillex, 1,000,000 followers)"), "{answer}");
}

#[tokio::test]
async fn a_playlist_is_never_taken_for_a_track() {
    let inbox = AskInbox::new().await;
    // There is a track and a playlist of this name.
    let answer = inbox.answer_to("Tell me about the playlist \"Night Drive\"").await;
    assert_eq!(
        inbox.server.asked(),
        ["GET /v1/playlists/search?query=Night+Drive&limit=10", "GET /v1/playlists/P1"]
    );
    assert!(answer.contains("- plays: 5,000"), "{answer}");
    let answer = inbox.answer_to("Tell me about the track \"Night Drive\"").await;
    assert_eq!(
        inbox.server.asked()[2..],
        ["GET /v1/tracks/search?query=Night+Drive&limit=10", "GET /v1/tracks/T3"]
    );
    assert!(answer.contains("- plays: 7"), "{answer}");
    // Even where the server mixes them up.
    let mixed = json!({"data": [{"id": "P1", "playlist_name": "Night Drive"}]});
    inbox.server.tell("/v1/tracks/search", [super::server::Reply::Json(200, mixed)]);
    let thread = inbox.ask("Tell me about the track \"Night Drive\"").await;
    let asked = inbox.open_item(&thread).await;
    assert!(asked.text.contains("There is no track called “Night Drive”"), "{}", asked.text);
}

#[tokio::test]
async fn several_that_may_be_meant_are_asked_about() {
    let inbox = AskInbox::new().await;
    let two = json!({"data": [
        {"id": "A", "title": "Echo", "user": {"name": "Ann"}},
        {"id": "B", "title": "Echo", "user": {"name": "Bob"}},
    ]});
    inbox.server.tell("/v1/tracks/search", [super::server::Reply::Json(200, two)]);
    inbox.server.tell(
        "/v1/tracks/B",
        [super::server::Reply::Json(200, json!({"data": {"id": "B", "title": "Echo", "play_count": 5}}))],
    );
    for answer in ["2", "Echo by Bob"] {
        let thread = inbox.ask("Tell me about the track \"Echo\"").await;
        let asked = inbox.open_item(&thread).await;
        assert!(asked.text.contains("1. Echo by Ann\n2. Echo by Bob"), "{}", asked.text);
        assert_eq!(inbox.answer(&thread, respond(answer)).await.status, Status::Done);
        assert_eq!(inbox.server.asked().last().unwrap(), "GET /v1/tracks/B");
    }
}

#[tokio::test]
async fn what_is_missing_is_asked_and_answered() {
    let inbox = AskInbox::new().await;
    let thread = inbox.ask("Who are the followers of the artist?").await;
    let asked = inbox.open_item(&thread).await;
    assert_eq!((asked.action.as_str(), asked.args["parameter"].as_str()), ("question", Some("user_id")));
    assert!(!asked.allow.accept && !asked.allow.edit && asked.allow.respond && asked.allow.ignore);
    // A name that nobody has is asked again.
    assert_eq!(inbox.answer(&thread, respond("Nobody Atall")).await.status, Status::Waiting);
    assert!(inbox.open_item(&thread).await.text.contains("There is no user called “Nobody Atall”"));
    assert_eq!(inbox.answer(&thread, respond("@skrillex")).await.status, Status::Done);
    assert_eq!(inbox.server.asked().last().unwrap(), "GET /v1/users/U2/followers?limit=10");

    let thread = inbox.ask("find tracks").await;
    assert_eq!(inbox.open_item(&thread).await.args["parameter"], "query");
    assert_eq!(inbox.answer(&thread, respond("second song")).await.status, Status::Done);
    assert_eq!(inbox.server.asked().last().unwrap(), "GET /v1/tracks/search?query=second+song&limit=10");

    let thread = inbox.ask("followers of the user").await;
    assert_eq!(inbox.answer(&thread, respond("id U3")).await.status, Status::Done);
    assert_eq!(inbox.server.asked().last().unwrap(), "GET /v1/users/U3/followers?limit=10");
}

#[tokio::test]
async fn ignoring_a_question_ends() {
    let inbox = AskInbox::new().await;
    let thread = inbox.ask("find tracks").await;
    let outcome = inbox.answer(&thread, Decision::Ignore).await;
    assert_eq!((outcome.status, outcome.output), (Status::Abandoned, None));
    // What was answered before stays the result.
    let thread = inbox.ask_with("trending tracks", json!({"follow_up": true})).await;
    inbox.answer(&thread, respond("find tracks")).await;
    let outcome = inbox.answer(&thread, Decision::Ignore).await;
    assert_eq!(outcome.status, Status::Done);
    assert!(outcome.output.unwrap()["answer"].as_str().unwrap().contains("1,234 plays"));
    for decision in [Decision::Accept, Decision::Ignore] {
        let thread = inbox.ask_with("trending tracks", json!({"follow_up": true})).await;
        assert_eq!(inbox.answer(&thread, decision).await.status, Status::Done);
    }
}
