//! Row S11 of the catalogue, for every provider.

use std::time::Duration;

use sayso::agent::llm::{Choice, Delta, ModelError, ModelSettings, Provider, Reply, Request, open, quiet};
use serde_json::{Value, json};

use crate::report;
use crate::support::asking::{propose, request, tool};
use crate::support::model_server::{End, Play, Server};
use crate::support::wire::{self, PROVIDERS};

fn asking() -> Request {
    request().tool(tool()).choice(Choice::Required)
}

async fn ask(server: &Server, provider: Provider) -> Result<Reply, ModelError> {
    propose(&*server.model(provider), &asking(), &quiet).await
}

/// The same with settings of its own.
async fn ask_with(settings: &ModelSettings) -> Result<Reply, ModelError> {
    propose(&*open(settings, &[]).unwrap(), &asking(), &quiet).await
}

fn good(provider: Provider) -> Play {
    wire::calls(provider, &[("write_email", json!({"to": ["a"], "content": "Hi"}))])
}

/// The stream of a call, ending before its end does.
fn cut(provider: Provider, end: End) -> Play {
    let frames = wire::call_frames(provider, 0, "write_email", "{\"to\": [\"a\"], \"content\": \"Hi\"}");
    wire::as_play(provider, &frames).end(end)
}

/// Every answer that is none: the error it ends in, and after how many requests.
#[tokio::test]
async fn s11_bad_answers_are_asked_for_again_a_bounded_number_of_times() {
    let mut trials = 0;
    for provider in PROVIDERS {
        let mut halved = cut(provider, End::Clean);
        let last = halved.chunks.last_mut().unwrap();
        last.truncate(last.len() / 2);
        let mut oops = good(provider);
        let frame = if provider == Provider::Ollama { "{oops\n" } else { "data: {oops\n\n" };
        oops.chunks.insert(0, frame.into());
        let arguments = |text: &str| wire::raw_call(provider, "write_email", text);
        let huge = json!({"to": ["a"], "content": "x".repeat(10 << 20)}).to_string();
        let mut short = wire::call_frames(provider, 0, "write_email", "{\"to\": [\"a");
        short.extend(wire::closing(provider, "length"));
        let status = |status| wire::error(provider, status, "boom");
        for (what, play, code, count) in [
            ("cut between frames", cut(provider, End::Clean), "cut", 3),
            ("broken off between frames", cut(provider, End::Broken), "cut", 3),
            ("cut inside a frame", halved, "cut", 3),
            ("bad JSON in the stream", oops, "unreadable", 3),
            ("bad JSON in the arguments", arguments("{\"to\": [\"a\"], \"content\": "), "unreadable", 2),
            ("an unknown tool", wire::calls(provider, &[("transfer_money", json!({}))]), "unreadable", 2),
            // Not asked for again: it would be as large, and it is paid for.
            ("10 MB of arguments", arguments(&huge), "unreadable", 1),
            // Asked for once more, for less.
            ("cut off by its length", wire::as_play(provider, &short), "answer_too_long", 2),
            ("429", status(429), "rate_limited", 3),
            ("500", status(500), "overloaded", 3),
            ("502", status(502), "overloaded", 3),
            ("503", status(503), "overloaded", 3),
            ("529", status(529), "overloaded", 3),
        ] {
            let server = Server::play([play]).await;
            let error = ask(&server, provider).await.unwrap_err();
            assert_eq!((error.code(), server.count()), (code, count), "{provider:?}, {what}: {error}");
            assert!(error.to_string().len() < 400, "{provider:?}, {what}");
            let passes = ["cut", "rate_limited", "overloaded"].contains(&code);
            assert_eq!(error.is_transient(), passes, "{provider:?}, {what}");
            trials += 1;
        }
    }
    report("S11", "cut, unreadable, unusable, too long and failing, again and again", trials);
}

/// Every answer that is none, followed by a good one; what could not be used is told.
#[tokio::test]
async fn s11_a_good_answer_after_a_bad_one_counts() {
    let mut trials = 0;
    for provider in PROVIDERS {
        let failed = wire::as_play(provider, &[wire::error_frame(provider)]);
        let limited = wire::error(provider, 429, "slow down").header("retry-after", "0");
        let halved = wire::raw_call(provider, "write_email", "{\"to\": [\"a\"], \"content\": ");
        let unknown = wire::calls(provider, &[("transfer_money", json!({"amount": 5}))]);
        for (what, bad, told) in [
            ("cut between frames", cut(provider, End::Clean), ""),
            ("broken off between frames", cut(provider, End::Broken), ""),
            ("an error in the stream", failed, ""),
            ("429 with Retry-After", limited, ""),
            ("bad JSON in the arguments", halved, "cannot be used"),
            ("an unknown tool", unknown, "transfer_money"),
        ] {
            let server = Server::play([bad, good(provider)]).await;
            let reply = ask(&server, provider).await.unwrap();
            assert_eq!((reply.calls.len(), server.count()), (1, 2), "{provider:?}, {what}");
            assert!(server.seen()[1].body.to_string().contains(told), "{provider:?}, {what}");
            trials += 1;
        }
    }
    report("S11", "a bad answer, then a good one", trials);
}

#[tokio::test]
async fn s11_what_was_streamed_before_a_retry_is_declared_void() {
    let half = wire::as_play(Provider::Openai, &[json!({"choices": [{"delta": {"content": "Hal"}}]})]);
    let server = Server::play([half, wire::text(Provider::Openai, &["Hello"])]).await;
    let shown = std::sync::Mutex::new(String::new());
    let reply = propose(&*server.model(Provider::Openai), &request(), &|delta| {
        let mut shown = shown.lock().unwrap();
        match delta {
            Delta::Text(text) => shown.push_str(text),
            Delta::Restart => shown.clear(),
        }
    })
    .await
    .unwrap();
    assert_eq!((reply.text.as_str(), shown.lock().unwrap().as_str()), ("Hello", "Hello"));
    report("S11", "a cut after words were shown", 1);
}

#[tokio::test]
async fn s11_an_empty_answer_is_asked_again() {
    for provider in PROVIDERS {
        let server = Server::play([wire::text(provider, &[])]).await;
        let error = propose(&*server.model(provider), &request(), &quiet).await.unwrap_err();
        assert_eq!((error.code(), server.count()), ("unreadable", 2), "{provider:?}");
        let server = Server::play([wire::text(provider, &[]), wire::text(provider, &["Hi"])]).await;
        assert_eq!(propose(&*server.model(provider), &request(), &quiet).await.unwrap().text, "Hi");
    }
    report("S11", "an empty answer", 2 * PROVIDERS.len());
}

#[tokio::test]
async fn s11_endless_bodies_and_endless_calls_end() {
    let many: Vec<Value> =
        (0..100).flat_map(|n| wire::call_frames(Provider::Openai, n, "write_email", "{}")).collect();
    let server = Server::play([wire::as_play(Provider::Openai, &many)]).await;
    assert_eq!(ask(&server, Provider::Openai).await.unwrap_err().code(), "unreadable");

    let mut comments = Play::stream(Vec::new());
    comments.chunks = vec![b": still here\n".repeat(1 << 14); 140];
    let server = Server::play([comments]).await;
    assert_eq!(ask(&server, Provider::Openai).await.unwrap_err().code(), "unreadable");

    let page = Play { chunks: vec![vec![b'x'; 1 << 20]; 30], ..Play::json(500, &json!(null)) };
    let server = Server::play([page]).await;
    assert_eq!(ask(&server, Provider::Openai).await.unwrap_err().code(), "overloaded");
    report("S11", "endless bodies and calls", 3);
}

#[tokio::test]
async fn s11_a_longer_wait_is_handed_on() {
    for provider in PROVIDERS {
        let limited = wire::error(provider, 429, "slow down").header("retry-after", "120");
        let server = Server::play([limited]).await;
        let error = ask(&server, provider).await.unwrap_err();
        assert_eq!((error.code(), server.count()), ("rate_limited", 1), "{provider:?}");
        assert_eq!(error.retry_after(), Some(Duration::from_secs(120)));
        assert!(error.is_transient());
    }
    report("S11", "429 with a long Retry-After", PROVIDERS.len());
}

#[tokio::test]
async fn s11_silence_ends_in_an_error() {
    for provider in PROVIDERS {
        let server = Server::play([cut(provider, End::Silent)]).await;
        let mut settings = server.settings(provider);
        settings.idle_timeout = Duration::from_millis(200);
        settings.retries = 1;
        let error = ask_with(&settings).await.unwrap_err();
        // A busy server may hear of the second request only after its asker gave up.
        let heard = async {
            while server.count() < 2 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), heard).await.unwrap();
        assert_eq!((error.code(), server.count()), ("cut", 2), "{provider:?}");

        settings.idle_timeout = Duration::from_secs(20);
        settings.total_timeout = Duration::from_millis(40);
        let error = ask_with(&settings).await.unwrap_err();
        assert_eq!(error.code(), "cut", "{provider:?}");
    }
    report("S11", "silence", 2 * PROVIDERS.len());
}

#[tokio::test]
async fn s11_a_finished_answer_survives_a_server_that_never_hangs_up() {
    let mut play = good(Provider::Openai).end(End::Silent);
    play.chunks.pop();
    let server = Server::play([play]).await;
    let mut settings = server.settings(Provider::Openai);
    // Far longer than the answer takes on a busy machine.
    settings.idle_timeout = Duration::from_secs(5);
    let reply = ask_with(&settings).await.unwrap();
    assert_eq!((reply.calls.len(), server.count()), (1, 1));
    report("S11", "a server that never hangs up", 1);
}

#[tokio::test]
async fn s11_nobody_there_is_unreachable() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    for provider in PROVIDERS {
        let server = Server::play([]).await;
        let mut settings = server.settings(provider);
        settings.base_url = Some(address.clone());
        let error = ask_with(&settings).await.unwrap_err();
        assert_eq!(error.code(), "unreachable");
        assert!(error.is_transient() && error.explain().contains("base_url"), "{error}");
    }
    report("S11", "nobody there", PROVIDERS.len());
}

#[tokio::test]
async fn refusals_and_overlong_prompts_are_told_apart_and_not_retried() {
    let refusals = [
        (Provider::Openai, json!({"choices": [{"delta": {}, "finish_reason": "content_filter"}]})),
        (Provider::Openai, json!({"choices": [{"delta": {"refusal": "I cannot"}}]})),
        (Provider::Anthropic, json!({"type": "message_delta", "delta": {"stop_reason": "refusal"}})),
    ];
    for (provider, frame) in refusals {
        let server = Server::play([wire::as_play(provider, &[frame])]).await;
        let error = ask(&server, provider).await.unwrap_err();
        assert_eq!((error.code(), server.count()), ("refused", 1), "{provider:?}");
    }
    for provider in PROVIDERS {
        let server = Server::play([wire::error(provider, 400, "prompt is too long: 9000 tokens")]).await;
        assert_eq!(ask(&server, provider).await.unwrap_err().code(), "context_too_long");
        assert_eq!(server.count(), 1);
        let server = Server::play([wire::error(provider, 404, "model 'tiny-1' not found")]).await;
        let error = ask(&server, provider).await.unwrap_err();
        assert_eq!((error.code(), server.count()), ("rejected", 1));
        assert!(error.explain().contains("name"));
    }
}

#[tokio::test]
async fn redirects_are_not_followed_and_the_key_stays() {
    for provider in PROVIDERS {
        let other = Server::play([good(provider)]).await;
        let server = Server::play([Play::json(307, &json!(null)).header("location", &other.address)]).await;
        let error = ask(&server, provider).await.unwrap_err();
        assert_eq!((error.code(), other.count()), ("rejected", 0), "{provider:?}");
    }
}

#[tokio::test]
async fn dropping_the_call_ends_it_and_frees_its_place() {
    let server = Server::play([cut(Provider::Openai, End::Silent), good(Provider::Openai)]).await;
    let mut settings = server.settings(Provider::Openai);
    settings.max_concurrent = 1;
    let model = open(&settings, &[]).unwrap();
    let dropped = tokio::time::timeout(Duration::from_millis(40), propose(&*model, &asking(), &quiet)).await;
    assert!(dropped.is_err());
    assert_eq!(propose(&*model, &asking(), &quiet).await.unwrap().calls.len(), 1);
}

#[tokio::test]
async fn no_more_calls_at_once_than_allowed() {
    let server = Server::play([cut(Provider::Openai, End::Silent)]).await;
    let mut settings = server.settings(Provider::Openai);
    settings.max_concurrent = 2;
    let model = open(&settings, &[]).unwrap();
    let asked = asking();
    let one = || propose(&*model, &asked, &quiet);
    let all = futures_util::future::join_all([one(), one(), one(), one()]);
    assert!(tokio::time::timeout(Duration::from_millis(100), all).await.is_err());
    // The others never got a place, as the first two never ended.
    assert_eq!(server.count(), 2);
}
