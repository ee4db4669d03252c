//! A conversation that goes on: further pages, questions that cannot be answered, and words that nothing takes up.

use super::*;

const TRENDING: &str = "/v1/tracks/trending";

fn tracks(from: usize, until: usize) -> Reply {
    let tracks: Vec<Value> =
        (from..until).map(|n| json!({"title": format!("T{n}"), "play_count": n})).collect();
    Reply::Json(200, json!({ "data": tracks }))
}

/// The newest answer in a conversation, which still asks what else there is.
async fn told(inbox: &AskInbox, thread: &ThreadId, question: &str) -> String {
    inbox.answer(thread, respond(question)).await;
    said(inbox, thread).await
}

async fn said(inbox: &AskInbox, thread: &ThreadId) -> String {
    assert_eq!(inbox.action(thread).await, "question");
    let history = inbox.state(thread).await["message_history"].clone();
    history.as_array().unwrap().last().unwrap()["text"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn more_fetches_the_next_page_until_there_is_none() {
    let inbox = AskInbox::new().await;
    inbox.server.tell(TRENDING, [tracks(0, 10), tracks(10, 20), tracks(20, 23)]);
    let thread = inbox.converse("trending tracks").await;
    let why = inbox.why(inbox.open_item(&thread).await.id).await;
    assert!(why.contains("waits for your next question"), "{why}");
    let card = async || {
        let asked = inbox.open_item(&thread).await.id.clone();
        inbox.decisions().card(asked).await.unwrap().1.text()
    };
    let first = card().await;
    assert!(first.starts_with("list") && first.contains("10 are shown, and there may be more"), "{first}");
    let second = told(&inbox, &thread, "more").await;
    assert!(second.starts_with("Trending Tracks (time week):\n\n11. \"T10\""), "{second}");
    assert!(second.contains("20 are shown, and there may be more"), "{second}");
    let third = told(&inbox, &thread, "More.").await;
    assert!(third.contains("23. \"T22\"") && !third.contains("say “more”"), "{third}");
    let last = card().await;
    assert!(last.starts_with("Trending Tracks"), "nothing is left to show: {last}");
    assert_eq!(told(&inbox, &thread, "more").await, "Nothing is left to show; that was all.");
    let offsets = ["", "&offset=10", "&offset=20"];
    let asked: Vec<String> =
        offsets.iter().map(|offset| format!("GET /v1/tracks/trending?time=week&limit=10{offset}")).collect();
    assert_eq!(inbox.server.asked(), asked);
}

#[tokio::test]
async fn more_goes_where_the_link_header_leads() {
    let inbox = AskInbox::new().await;
    let Reply::Json(_, first) = tracks(0, 10) else { unreachable!() };
    let link = "<https://elsewhere.example/v1/tracks/trending?offset=40>; rel=\"next\"".to_owned();
    inbox.server.tell(TRENDING, [Reply::Linked(link, first), tracks(40, 42)]);
    let thread = inbox.converse("trending tracks").await;
    let second = told(&inbox, &thread, "more").await;
    assert!(second.contains("11. \"T40\""), "{second}");
    let asked = inbox.server.asked();
    assert!(asked.last().unwrap().ends_with("offset=40"), "the same server is asked: {asked:?}");
}

#[tokio::test]
async fn nothing_says_that_was_all_where_nobody_knows() {
    let inbox = AskInbox::new().await;
    inbox.server.tell("/v1/playlists/P1/tracks", [tracks(0, 10)]);
    let question = "Which tracks are on the playlist \"Night Drive\"?";
    let thread = inbox.converse(question).await;
    let more = told(&inbox, &thread, "more").await;
    assert!(more.contains("does not say whether there is more"), "{more}");
    let thread = inbox.converse("Who is Skrillex?").await;
    let more = told(&inbox, &thread, "more").await;
    assert!(more.contains("was not a list"), "{more}");
}

#[tokio::test]
async fn what_cannot_be_answered_is_answered_so_and_the_conversation_goes_on() {
    let inbox = AskInbox::new().await;
    let thread = inbox.converse("trending tracks").await;
    let unknown = told(&inbox, &thread, "Sing me something about sixpence and rye").await;
    assert!(unknown.starts_with("This could not be answered: no API that is known"), "{unknown}");
    let busy = || Reply::Json(503, json!({"message": "busy"}));
    inbox.server.tell("/v1/playlists/trending", [busy()]);
    let refused = told(&inbox, &thread, "trending playlists").await;
    assert_contains(&refused, ["could not be answered", "503"]);
    let back = json!({"data": [{"playlist_name": "Back"}]});
    inbox.server.tell("/v1/playlists/trending", [Reply::Json(200, back)]);
    assert!(told(&inbox, &thread, "trending playlists").await.contains("1. \"Back\""));
    let outcome = inbox.answer(&thread, Decision::Ignore).await;
    assert_eq!(outcome.status, Status::Done, "what was answered stays answered");
    // A question that stands alone is no conversation: the person decides what comes of a server's failure.
    inbox.server.tell("/v1/playlists/trending", [busy()]);
    let thread = inbox.ask("trending playlists").await;
    assert_eq!(inbox.status(&thread).await, Status::Trouble);
    for words in ["hello there", "Sing me something about sixpence and rye"] {
        let answer = inbox.answer_to(words).await;
        assert!(answer.starts_with("This could not be answered: no API that is known"), "{words}: {answer}");
    }
}

#[tokio::test]
async fn without_a_network_every_api_gives_the_same_answer() {
    let inbox = AskInbox::offline().await;
    for (question, api) in
        [("trending tracks", "audius"), ("What is the exchange rate from EUR to USD?", "frankfurter")]
    {
        let thread = inbox.converse(question).await;
        let offline = format!("This could not be answered: {api} cannot be reached; are you online?");
        assert_eq!(said(&inbox, &thread).await, offline);
    }
}
