//! Row S11 of the catalogue, for every provider.

use std::time::Duration;

use sayso::llm::{Choice, Delta, ModelError, Provider, Reply, Request, open, propose, quiet};
use serde_json::{Value, json};

use crate::report;
use crate::support::asking::{request, tool};
use crate::support::model_server::{End, Play, Server};
use crate::support::wire::{self, PROVIDERS};

fn asking() -> Request {
    request().tool(tool()).choice(Choice::Required)
}

async fn ask(server: &Server, provider: Provider) -> Result<Reply, ModelError> {
    propose(&*server.model(provider), &asking(), &quiet).await
}

fn good(provider: Provider) -> Play {
    wire::calls(provider, &[("write_email", json!({"to": ["a"], "content": "Hi"}))])
}

/// The stream of a call, ending before its end does.
fn cut(provider: Provider, end: End) -> Play {
    let frames = wire::call_frames(provider, 0, "write_email", "{\"to\": [\"a\"], \"content\": \"Hi\"}");
    wire::as_play(provider, &frames).end(end)
}

#[tokio::test]
async fn s11_a_cut_stream_is_an_error_and_yields_no_call() {
    for provider in PROVIDERS {
        for end in [End::Clean, End::Broken] {
            let server = Server::play([cut(provider, end)]).await;
            let error = ask(&server, provider).await.unwrap_err();
            assert_eq!(error.code(), "cut", "{provider:?} {end:?}: {error}");
            assert!(error.is_transient());
            // Once and two retries.
            assert_eq!(server.count(), 3, "{provider:?} {end:?}");

            let server = Server::play([cut(provider, end), good(provider)]).await;
            assert_eq!(ask(&server, provider).await.unwrap().calls.len(), 1);
            assert_eq!(server.count(), 2);
        }
    }
    report("S11", "a stream cut between frames", 4 * PROVIDERS.len());
}

#[tokio::test]
async fn s11_a_cut_inside_a_frame_is_a_cut() {
    for provider in PROVIDERS {
        let mut play = cut(provider, End::Clean);
        if let Some(last) = play.chunks.last_mut() {
            last.truncate(last.len() / 2);
        }
        let server = Server::play([play]).await;
        assert_eq!(ask(&server, provider).await.unwrap_err().code(), "cut", "{provider:?}");
    }
    report("S11", "a stream cut inside a frame", PROVIDERS.len());
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
async fn s11_bad_json_in_the_stream() {
    for provider in PROVIDERS {
        let mut play = good(provider);
        play.chunks.insert(
            0,
            if provider == Provider::Ollama { b"{oops\n".to_vec() } else { b"data: {oops\n\n".to_vec() },
        );
        let server = Server::play([play]).await;
        let error = ask(&server, provider).await.unwrap_err();
        assert_eq!((error.code(), server.count()), ("unreadable", 3), "{provider:?}");
    }
    report("S11", "bad JSON in the stream", PROVIDERS.len());
}

#[tokio::test]
async fn s11_bad_json_in_the_arguments_is_told_and_asked_again() {
    for provider in PROVIDERS {
        let bad = wire::raw_call(provider, "write_email", "{\"to\": [\"a\"], \"content\": ");
        let server = Server::play([bad.clone(), good(provider)]).await;
        assert_eq!(ask(&server, provider).await.unwrap().calls.len(), 1, "{provider:?}");
        assert_eq!(server.count(), 2);
        assert!(server.seen()[1].body.to_string().contains("cannot be used"));

        let server = Server::play([bad]).await;
        let error = ask(&server, provider).await.unwrap_err();
        assert_eq!((error.code(), server.count()), ("unreadable", 2), "{provider:?}");
        assert!(!error.is_transient());
    }
    report("S11", "bad JSON in arguments", 2 * PROVIDERS.len());
}

#[tokio::test]
async fn s11_an_unknown_tool_is_told_and_asked_again() {
    for provider in PROVIDERS {
        let bad = wire::calls(provider, &[("transfer_money", json!({"amount": 5}))]);
        let server = Server::play([bad]).await;
        let error = ask(&server, provider).await.unwrap_err();
        assert_eq!((error.code(), server.count()), ("unreadable", 2), "{provider:?}");
        assert!(server.seen()[1].body.to_string().contains("transfer_money"));
    }
    report("S11", "an unknown tool", PROVIDERS.len());
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
async fn s11_ten_megabytes_of_arguments_are_refused() {
    for provider in PROVIDERS {
        let args = json!({"to": ["a"], "content": "x".repeat(10 << 20)}).to_string();
        let server = Server::play([wire::raw_call(provider, "write_email", &args)]).await;
        let error = ask(&server, provider).await.unwrap_err();
        // Not tried again: it would be as large, and it is paid for.
        assert_eq!((error.code(), server.count()), ("unreadable", 1), "{provider:?}: {error}");
        assert!(error.to_string().len() < 400);
    }
    report("S11", "10 MB of arguments", PROVIDERS.len());
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
async fn s11_rate_limits_are_waited_out_or_handed_on() {
    for provider in PROVIDERS {
        let limited = || wire::error(provider, 429, "slow down");
        let server = Server::play([limited().header("retry-after", "0"), good(provider)]).await;
        ask(&server, provider).await.unwrap();
        assert_eq!(server.count(), 2, "{provider:?}");

        // Longer than we wait here: at once, with the time for whoever waits longer.
        let server = Server::play([limited().header("retry-after", "120")]).await;
        let error = ask(&server, provider).await.unwrap_err();
        assert_eq!((error.code(), server.count()), ("rate_limited", 1), "{provider:?}");
        assert_eq!(error.retry_after(), Some(Duration::from_secs(120)));
        assert!(error.is_transient());

        let server = Server::play([limited()]).await;
        assert_eq!(ask(&server, provider).await.unwrap_err().code(), "rate_limited");
        assert_eq!(server.count(), 3, "{provider:?}");
    }
    report("S11", "429, with and without Retry-After", 3 * PROVIDERS.len());
}

#[tokio::test]
async fn s11_failing_servers_are_tried_a_bounded_number_of_times() {
    for provider in PROVIDERS {
        for status in [500, 502, 503, 529] {
            let server = Server::play([wire::error(provider, status, "boom")]).await;
            let error = ask(&server, provider).await.unwrap_err();
            assert_eq!((error.code(), server.count()), ("overloaded", 3), "{provider:?} {status}");
        }
        let server =
            Server::play([wire::as_play(provider, &[wire::error_frame(provider)]), good(provider)]).await;
        ask(&server, provider).await.unwrap();
        assert_eq!(server.count(), 2, "an error inside the stream, {provider:?}");
    }
    report("S11", "500, 502, 503, 529 and errors in the stream", 5 * PROVIDERS.len());
}

#[tokio::test]
async fn s11_silence_ends_in_an_error() {
    for provider in PROVIDERS {
        let server = Server::play([cut(provider, End::Silent)]).await;
        let mut settings = server.settings(provider);
        settings.idle_timeout = Duration::from_millis(200);
        settings.retries = 1;
        let error = propose(&*open(&settings, &[]).unwrap(), &asking(), &quiet).await.unwrap_err();
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
        let error = propose(&*open(&settings, &[]).unwrap(), &asking(), &quiet).await.unwrap_err();
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
    settings.idle_timeout = Duration::from_millis(40);
    let reply = propose(&*open(&settings, &[]).unwrap(), &asking(), &quiet).await.unwrap();
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
        let error = propose(&*open(&settings, &[]).unwrap(), &asking(), &quiet).await.unwrap_err();
        assert_eq!(error.code(), "unreachable");
        assert!(error.is_transient() && error.explain().contains("base_url"), "{error}");
    }
    report("S11", "nobody there", PROVIDERS.len());
}

#[tokio::test]
async fn s11_an_answer_that_runs_out_of_tokens_yields_no_half_call() {
    for provider in PROVIDERS {
        let mut frames = wire::call_frames(provider, 0, "write_email", "{\"to\": [\"a");
        frames.extend(wire::closing(provider, "length"));
        let server = Server::play([wire::as_play(provider, &frames)]).await;
        let error = ask(&server, provider).await.unwrap_err();
        // It is asked once more, for less.
        assert_eq!((error.code(), server.count()), ("answer_too_long", 2), "{provider:?}");
    }
    report("S11", "an answer cut off by its length", PROVIDERS.len());
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
