//! The state on its way from a question to the next, and what a model may and may not say.

use super::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A model that asks for trending tracks.
fn trending(request: &Request) -> Value {
    match request.task.as_str() {
        "ask.select" => json!({"api": "audius/trending_tracks", "parameters": {"time": "month", "limit": 3}}),
        other => panic!("nobody asks for {other}"),
    }
}

const NAMED: &str = "Tell me about the playlist Night Drive";

/// What a model says of a question that names a thing which it takes for a track.
fn track() -> Value {
    json!({"api": "audius/get_track", "parameters": {"track_id": "Night Drive"}})
}

#[tokio::test]
async fn a_list_is_put_into_words_by_code_with_the_figures_of_the_response() {
    let inbox = AskInbox::by(trending).await;
    let thread = inbox.ask("What are the trending tracks on Audius?").await;
    let answer = inbox.answer_of(&thread).await;
    assert_eq!(
        answer,
        "Trending Tracks (time month):\n\n1. \"Example Track\" by Example Artist (1,234 plays)\n\
         2. \"Second Song\" by Example Artist (987,654 plays)\n3. \"Night Drive\" by Example Artist (7 plays)\n\n\
         3 are shown, and there may be more; say “more” for the next."
    );
    assert_eq!(inbox.server.asked(), ["GET /v1/tracks/trending?time=month&limit=3"]);
    let route = "START extract_category_node get_apis_node select_api_node extract_params_node \
        execute_request_node send_request format_response_node reset_state_node";
    assert_eq!(inbox.nodes(&thread).await.join(" "), route);
    let (item, card) = inbox.decisions().result(thread.clone()).await.unwrap();
    let text = card.text();
    assert_eq!(item.workflow, "ask");
    let table = "# | title | by | plays\n1 | Example Track | Example Artist | 1,234";
    assert_contains(&text, [table, "\"play_count\": 987654", "server: http://127.0.0.1:"]);
}

#[tokio::test]
async fn a_reset_really_clears_and_keeps_what_belongs_to_the_thread() {
    let inbox = AskInbox::new().await;
    let thread = inbox.converse("tracks by Skrillex").await;
    let asked = inbox.open_item(&thread).await;
    assert_eq!(asked.action, "question");
    assert_eq!(asked.args["question"], "What else do you want to know?");
    assert!(asked.text.contains("\"Example Track\" by Example Artist (1,234 plays)"), "{}", asked.text);
    let state = inbox.state(&thread).await;
    let cleared = "query query_type categories apis best_api parameters response complexity is_entity_query \
        entity_name entity_type error messages entity secondary_api secondary_response initial_state \
        formatted_response pending";
    for cleared in cleared.split_whitespace() {
        assert_eq!(state.get(cleared), Some(&Value::Null), "{cleared}");
    }
    assert_eq!(state["selected_host"], inbox.server.url());
    assert_eq!(state["message_history"].as_array().unwrap().len(), 2);
    // The server is kept: it is chosen once, and asked how it is once.
    assert_eq!(inbox.server.count("GET /health_check"), 1);
    inbox.answer(&thread, respond("Who follows them?")).await;
    assert_eq!(inbox.last_asked(), "GET /v1/users/U2/followers?limit=10");
    assert_eq!((inbox.server.count("GET /health_check"), inbox.server.count("GET / ")), (1, 0));
    inbox.answer(&thread, respond("And the trending playlists?")).await;
    assert_eq!(inbox.last_asked(), "GET /v1/playlists/trending?time=week&limit=10");
    let outcome = inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(outcome.status, Status::Done);
    assert_eq!(outcome.output.unwrap()["query"], "And the trending playlists?");
}

#[tokio::test]
async fn a_result_can_be_gone_on_from() {
    let inbox = AskInbox::new().await;
    let thread = inbox.ask("trending tracks").await;
    assert_eq!(inbox.outcome(&thread).await.status, Status::Done);
    inbox.proceed(&thread, "And this month?").await;
    assert_eq!(inbox.last_asked(), "GET /v1/tracks/trending?time=month&limit=10");
    assert_eq!(inbox.state(&thread).await["message_history"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn a_question_of_two_parts_takes_two_requests_and_one_answer() {
    let inbox = AskInbox::new().await;
    let answer = inbox.answer_to("Tell me about the artist \"Skrillex\" and their tracks").await;
    assert_eq!(inbox.server.asked()[1..], ["GET /v1/users/U2", "GET /v1/users/U2/tracks?limit=10"]);
    assert_contains(&answer, ["- followers: 1,000,000", "2. \"Second Song\""]);
}

#[tokio::test]
async fn the_second_request_is_told_what_the_first_answered() {
    let inbox = AskInbox::by(|request| match request.task.as_str() {
        "ask.select" => json!({"api": "audius/trending_tracks", "secondary_api": "audius/user_tracks"}),
        _ => json!({"parameters": {}}),
    })
    .await;
    inbox.answer_to("What else did the artist of the top trending track make?").await;
    // The artist of the first track.
    assert_eq!(inbox.last_asked(), "GET /v1/users/U1/tracks?limit=10");
    assert_contains(&inbox.model.last_words(), ["Example Track"]);
}

#[tokio::test]
async fn if_the_second_request_fails_the_first_answer_stays() {
    for reply in [Reply::Json(403, json!({"message": "no"})), Reply::Html] {
        let inbox = AskInbox::new().await;
        inbox.server.tell("/v1/users/U2/tracks", [reply]);
        let answer = inbox.answer_to("Tell me about the artist \"Skrillex\" and their tracks").await;
        assert_contains(&answer, ["- followers: 1,000,000", "The second part could not be answered: "]);
    }
}

#[tokio::test]
async fn what_a_model_gets_wrong_is_shown_to_it_and_kept() {
    let tries = AtomicUsize::new(0);
    let inbox = AskInbox::by(move |_| match tries.fetch_add(1, Ordering::SeqCst) {
        0 => track(),
        _ => json!({"api": "audius/get_playlist", "parameters": {"playlist_id": "Night Drive"}}),
    })
    .await;
    let thread = inbox.ask(NAMED).await;
    // A playlist is never taken for a track: the first choice was refused.
    let refused = inbox.state(&thread).await["error_history"][0].clone();
    assert_eq!(refused["node"], "extract_params_node");
    assert_eq!(refused["text"], "`audius/get_track` is about a track, and the question names a playlist");
    let told = "What was wrong with your last answer: `audius/get_track` is about a track";
    assert_contains(&words(&inbox.model.requests()[1]), [told]);
    assert_eq!(inbox.last_asked(), "GET /v1/playlists/P1");
    assert_contains(&inbox.why(thread).await, ["went wrong: 1 × extract_params_node"]);
}

#[tokio::test]
async fn what_a_model_keeps_getting_wrong_is_trouble_and_never_sent() {
    type Says = fn(&Request) -> Value;
    // The schemas are closed choices, so what is in no catalogue is refused before any node sees it.
    let cases: [(&str, Says, &str, usize); 3] = [
        (NAMED, |_| track(), "the question names a playlist", 3),
        (NAMED, |_| json!({"api": "audius/delete_everything"}), "does not fit", 2),
        (
            "trending tracks",
            |request| match request.task.as_str() {
                "ask.select" => json!({"api": "audius/trending_tracks", "parameters": {"time": "fortnight"}}),
                _ => json!({"parameters": {"limit": 101}}),
            },
            "at /limit",
            3,
        ),
    ];
    for (question, says, expected, requests) in cases {
        let inbox = AskInbox::by(says).await;
        let thread = inbox.ask(question).await;
        let (code, text) = inbox.trouble(&thread).await;
        assert_eq!(code, "failed");
        assert_contains(&text, [expected]);
        assert!(inbox.server.asked().is_empty(), "{expected}");
        let asked = inbox.model.requests();
        assert_eq!(asked.len(), requests, "{expected}");
        let schema = asked[0].output.clone().unwrap().schema;
        let names = schema["properties"]["api"]["enum"].as_array().unwrap().clone();
        assert!(names.len() > 20 && names.contains(&json!("tasks/add_task")), "{names:?}");
    }
}

#[tokio::test]
async fn what_no_api_answers_is_said_and_can_be_put_in_other_words() {
    let inbox = AskInbox::new().await;
    let thread = inbox.ask("What is the weather in Paris?").await;
    let answer = inbox.answer_of(&thread).await;
    assert!(
        answer.starts_with("This could not be answered: no API") && answer.contains("sayso apis list"),
        "{answer}"
    );
    assert_eq!(inbox.status(&thread).await, Status::Done);
    inbox.proceed(&thread, "trending tracks").await;
    assert_eq!(inbox.status(&thread).await, Status::Done);
    assert_eq!(inbox.server.asked(), ["GET /v1/tracks/trending?time=week&limit=10"]);
}

#[tokio::test]
async fn bad_starts_are_refused() {
    let inbox = AskInbox::new().await;
    for (input, expected) in [
        (json!({"query": "  "}), "say what you want to know"),
        (json!({}), "query"),
        (json!({"query": "x", "model": "oracle"}), "there are main, other"),
        (json!({"query": "x", "follow_up": "yes"}), "follow_up"),
        (json!({"query": "x", "depth": 3}), "depth"),
    ] {
        let error = inbox.refused_start("ask", input.clone()).await;
        assert!(error.contains(expected), "{input}: {error}");
    }
}
