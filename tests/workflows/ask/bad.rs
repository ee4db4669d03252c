//! Servers that misbehave.

use super::*;
use std::time::Duration;

const TRENDING: &str = "/v1/tracks/trending";

async fn troubled(inbox: &AskInbox, expected: &str) {
    let thread = inbox.ask("trending tracks").await;
    let (code, text) = inbox.trouble(&thread).await;
    assert_eq!(code, "failed", "{text}");
    assert!(text.contains(expected), "{expected}: {text}");
}

#[tokio::test]
async fn bad_answers_are_trouble_and_a_retry_asks_again() {
    for (reply, expected) in [
        (Reply::Json(500, json!({})), "says 500"),
        (Reply::Html, "answers with no JSON that can be read (text/html"),
        (Reply::Never, "did not answer in time"),
        (Reply::Endless, "longer than 1024 KiB"),
        (Reply::Cut, "gave no answer"),
        (Reply::To("http://127.0.0.1:9/".to_owned()), "127.0.0.1:9 is not among the hosts"),
        (Reply::To("file:///etc/passwd".to_owned()), "only http and https"),
        (Reply::Json(403, json!({"message": "no"})), "does [apis.audius] name the right key?"),
    ] {
        let inbox = AskInbox::new().await;
        inbox.server.tell(TRENDING, [reply]);
        troubled(&inbox, expected).await;
    }
    let inbox = AskInbox::new().await;
    inbox.server.tell(TRENDING, [Reply::Html]);
    let thread = inbox.ask("trending tracks").await;
    inbox.trouble(&thread).await;
    inbox.server.tell(TRENDING, [Reply::Json(200, json!({"data": []}))]);
    assert_eq!(inbox.answer(&thread, Decision::Accept).await.status, Status::Done);
    assert_eq!(inbox.answer_of(&thread).await, "Trending Tracks (time week): nothing was found.");
}

#[tokio::test]
async fn json_that_means_harm_is_told_or_refused() {
    let deep = format!("{{\"data\": {}1{}}}", "[".repeat(10_000), "]".repeat(10_000));
    for (text, expected) in [
        (deep, "recursion limit exceeded"),
        ("{\"data\": [1e999]}".to_owned(), "no JSON that can be read"),
        ("{\"data\": [\"\\ud800\"]}".to_owned(), "no JSON that can be read"),
        ("{\"data\": [1]} trailing".to_owned(), "no JSON that can be read"),
    ] {
        let inbox = AskInbox::new().await;
        inbox.server.tell(TRENDING, [Reply::Raw(text)]);
        troubled(&inbox, expected).await;
    }
    let inbox = AskInbox::new().await;
    let odd = r#"{"data": [{"title": "A\u001b]0;x\u0007", "play_count": 123456789012345678901234567890,
        "user": {"name": "\u202eB\n\n# C"}}, {"title": {"deep": [1, 2]}, "play_count": -9223372036854775808}]}"#;
    inbox.server.tell(TRENDING, [Reply::Raw(odd.to_owned())]);
    let answer = inbox.answer_to("trending tracks").await;
    assert!(!answer.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{answer}");
    let lines = answer.lines().filter(|line| line.starts_with("1. ") || line.starts_with("2. "));
    assert_eq!(lines.count(), 2, "{answer}");
    assert!(answer.contains("-9,223,372,036,854,775,808 plays") && !answer.contains("\n# C"), "{answer}");
}

#[tokio::test]
async fn what_passes_is_tried_again() {
    let inbox = AskInbox::new().await;
    let fine = Reply::Json(200, json!({"data": [{"title": "A"}]}));
    inbox.server.tell(TRENDING, [Reply::Later(0), Reply::Json(503, json!({})), fine]);
    assert_eq!(inbox.answer_to("trending tracks").await, "Trending Tracks (time week):\n\n1. \"A\"");
    assert_eq!(inbox.server.asked().len(), 3);
}

#[tokio::test]
async fn too_many_requests_wait_as_long_as_the_server_says() {
    let inbox = AskInbox::new().await;
    inbox.server.tell(TRENDING, [Reply::Later(3600)]);
    let thread = inbox.start("ask", json!({"query": "trending tracks"})).await;
    let no_sooner = async {
        while inbox.server.asked().is_empty() {
            tokio::task::yield_now().await;
        }
        tokio::time::timeout(Duration::from_millis(300), std::future::pending::<()>()).await
    };
    tokio::select! {
        () = inbox.drive() => panic!("it waits"),
        _ = no_sooner => {}
    }
    assert_eq!(inbox.server.asked().len(), 1);
    assert!(inbox.status(&thread).await.active());
}

#[tokio::test]
async fn what_is_not_there_goes_back_to_the_model_once_and_is_then_trouble() {
    let inbox = AskInbox::new().await;
    let found = json!({"data": [{"id": "gone", "title": "Gone"}]});
    inbox.server.tell("/v1/tracks/search", [Reply::Json(200, found)]);
    let thread = inbox.ask("Tell me about the track \"Gone\"").await;
    let (code, text) = inbox.trouble(&thread).await;
    assert_eq!(code, "failed");
    assert!(text.contains("says 404: there is no such thing"), "{text}");
    assert_eq!(inbox.server.count("GET /v1/tracks/gone"), 2);
    assert_eq!(inbox.state(&thread).await["error_history"][0]["node"], "send_request");
}

#[tokio::test]
async fn another_server_answers_where_the_first_is_not_well() {
    let inbox = AskInbox::new().await;
    let other = Server::start().await;
    // Nobody listens at the first, and the second is not ours to reach: it is private, and the config does not name it.
    inbox.server.lists(&["http://127.0.0.1:1".to_owned(), other.url(), inbox.server.url()]);
    let thread = inbox.ask("trending tracks").await;
    assert_eq!(inbox.outcome(&thread).await.status, Status::Done);
    assert_eq!(inbox.state(&thread).await["selected_host"], inbox.server.url());
    assert_eq!(other.count(""), 0);

    // A server that fails later is left for another, which is kept.
    let inbox = AskInbox::new().await;
    inbox.server.lists(&[format!("{}/", inbox.server.url()), "http://127.0.0.1:1".to_owned()]);
    inbox
        .server
        .tell("/health_check", [Reply::Json(200, json!({"data": {"discovery_provider_healthy": false}}))]);
    let thread = inbox.ask("trending tracks").await;
    let (_, text) = inbox.trouble(&thread).await;
    assert!(text.contains("reports that it is unhealthy") && text.contains("cannot be reached"), "{text}");
    assert!(inbox.server.asked().is_empty());
}

#[tokio::test]
async fn a_long_list_is_told_page_by_page_and_what_was_kept_is_asked_for_once() {
    let inbox = AskInbox::new().await;
    let mut tracks: Vec<_> = (0..250).map(|n| json!({"title": format!("T{n}"), "play_count": n})).collect();
    tracks[0]["title"] = json!("T0\u{202e}\u{1b}[2J");
    let pages = [Reply::Json(200, json!({"data": tracks})), Reply::Json(200, json!({"data": []}))];
    inbox.server.tell(TRENDING, pages);
    let thread = inbox.ask("trending tracks").await;
    let answer = inbox.answer_of(&thread).await;
    // Hidden text is made visible.
    assert_contains(
        &answer,
        ["1. \"T0⟨U+202E…×2⟩[2J\" (0 plays)", "100 of 250 are shown; say “more” for the next."],
    );
    assert!(!answer.contains("T100"), "{answer}");
    for (says, first, last, rest) in [
        ("more", "101. \"T100\" (100 plays)", "200. \"T199\" (199 plays)", "200 of 250 are shown"),
        (
            "More!",
            "201. \"T200\" (200 plays)",
            "250. \"T249\" (249 plays)",
            "250 are shown, and there may be more",
        ),
    ] {
        inbox.proceed(&thread, says).await;
        let answer = inbox.answer_of(&thread).await;
        assert!(answer.starts_with("Trending Tracks (time week):"), "{answer}");
        assert!(answer.contains(first) && answer.contains(last) && answer.contains(rest), "{answer}");
    }
    assert_eq!(inbox.server.asked().len(), 1, "the answer was kept");
    inbox.proceed(&thread, "more").await;
    let answer = inbox.answer_of(&thread).await;
    assert!(answer.contains("nothing is left; 250 were shown, and that was all"), "{answer}");
    assert_eq!(inbox.server.asked()[1], "GET /v1/tracks/trending?time=week&limit=10&offset=250");
    // Words that only begin so are a question.
    inbox.proceed(&thread, "more trending tracks").await;
    assert_eq!(inbox.server.asked().len(), 3);
}
