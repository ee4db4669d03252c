//! Things that questions name: found among things of their own kind, asked for where they are missing.

use super::*;

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
    for (kind, id, plays) in [("playlist", "P1", "- plays: 5,000"), ("track", "T3", "- plays: 7")] {
        let before = inbox.server.asked().len();
        let answer = inbox.answer_to(&format!("Tell me about the {kind} \"Night Drive\"")).await;
        let search = format!("GET /v1/{kind}s/search?query=Night+Drive&limit=10");
        assert_eq!(inbox.server.asked()[before..], [search, format!("GET /v1/{kind}s/{id}")]);
        assert_contains(&answer, [plays]);
    }
    // Even where the server mixes them up.
    let mixed = json!({"data": [{"id": "P1", "playlist_name": "Night Drive"}]});
    inbox.server.tell("/v1/tracks/search", [Reply::Json(200, mixed)]);
    let thread = inbox.ask("Tell me about the track \"Night Drive\"").await;
    assert_contains(&inbox.text(&thread).await, ["There is no track called “Night Drive”"]);
}

#[tokio::test]
async fn several_that_may_be_meant_are_asked_about() {
    let inbox = AskInbox::new().await;
    let two = json!({"data": [
        {"id": "A", "title": "Echo", "user": {"name": "Ann"}},
        {"id": "B", "title": "Echo", "user": {"name": "Bob"}},
    ]});
    inbox.server.tell("/v1/tracks/search", [Reply::Json(200, two)]);
    let second = json!({"data": {"id": "B", "title": "Echo", "play_count": 5}});
    inbox.server.tell("/v1/tracks/B", [Reply::Json(200, second)]);
    for answer in ["2", "Echo by Bob"] {
        let thread = inbox.ask("Tell me about the track \"Echo\"").await;
        let asked = inbox.open_item(&thread).await;
        assert!(asked.text.contains("1. Echo by Ann\n2. Echo by Bob"), "{}", asked.text);
        assert_eq!(inbox.answer(&thread, respond(answer)).await.status, Status::Done);
        assert_eq!(inbox.last_asked(), "GET /v1/tracks/B");
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
    assert_contains(&inbox.text(&thread).await, ["There is no user called “Nobody Atall”"]);
    assert_eq!(inbox.answer(&thread, respond("@skrillex")).await.status, Status::Done);
    assert_eq!(inbox.last_asked(), "GET /v1/users/U2/followers?limit=10");

    for (question, missing, words, request) in [
        ("find tracks", "query", "second song", "GET /v1/tracks/search?query=second+song&limit=10"),
        ("followers of the user", "user_id", "id U3", "GET /v1/users/U3/followers?limit=10"),
    ] {
        let thread = inbox.ask(question).await;
        assert_eq!(inbox.open_item(&thread).await.args["parameter"], missing);
        assert_eq!(inbox.answer(&thread, respond(words)).await.status, Status::Done);
        assert_eq!(inbox.last_asked(), request);
    }
}

#[tokio::test]
async fn ignoring_a_question_ends() {
    let inbox = AskInbox::new().await;
    let thread = inbox.ask("find tracks").await;
    let outcome = inbox.answer(&thread, Decision::Ignore).await;
    assert_eq!((outcome.status, outcome.output), (Status::Abandoned, None));
    // What was answered before stays the result.
    let thread = inbox.converse("trending tracks").await;
    inbox.answer(&thread, respond("find tracks")).await;
    let outcome = inbox.answer(&thread, Decision::Ignore).await;
    assert_eq!(outcome.status, Status::Done);
    assert!(outcome.output.unwrap()["answer"].as_str().unwrap().contains("1,234 plays"));
    for decision in [Decision::Accept, Decision::Ignore] {
        let thread = inbox.converse("trending tracks").await;
        assert_eq!(inbox.answer(&thread, decision).await.status, Status::Done);
    }
}
