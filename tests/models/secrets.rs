//! Row S09 for models: the key and the prompt stand in no error and no cassette.

use std::sync::Arc;

use sayso::llm::{Model, Provider, Recorder, Replayer, open, propose, quiet};
use secrecy::SecretString;
use serde_json::json;

use crate::server::{KEY, Play, Server};
use crate::speak::request;
use crate::wire::{self, PROVIDERS};

const PROMPT: &str = "The patient Ada Lovelace has been given eleven drops of laudanum.";

#[tokio::test]
async fn s09_a_server_that_repeats_what_it_got_does_not_put_it_into_errors() {
    let echo = format!("invalid key {KEY} in request: {PROMPT}");
    for provider in PROVIDERS {
        let mut page = Play::json(400, &json!(null));
        page.chunks = vec![echo.clone().into_bytes()];
        let plays = [
            wire::error(provider, 400, &echo),
            wire::error(provider, 401, &echo),
            wire::error(provider, 429, &echo).header("retry-after", "120"),
            wire::error(provider, 500, &echo),
            wire::error(provider, 404, &format!("no model for Bearer {KEY}")),
            wire::error(provider, 404, PROMPT),
            page,
        ];
        for play in plays {
            let server = Server::play([play]).await;
            let asked = request().user(PROMPT);
            let error = propose(&*server.model(provider), &asked, &quiet).await.unwrap_err();
            let all = format!("{error} {error:?} {}", serde_json::to_string(&error).unwrap());
            assert!(!all.contains(KEY), "{provider:?}: {all}");
            assert!(!all.contains("laudanum") && !all.contains("Lovelace"), "{provider:?}: {all}");
        }
    }
}

#[tokio::test]
async fn s09_settings_show_no_key() {
    let server = Server::play([]).await;
    let settings = server.settings(Provider::Openai);
    assert!(!format!("{settings:?}").contains(KEY));
}

#[tokio::test]
async fn s09_cassettes_hold_no_secret_and_play_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tape.jsonl");
    let said = format!("Your key is {KEY}, and the other is sk-canary0123456789abcdef.");
    let server = Server::play([
        wire::text(Provider::Openai, &[&said]),
        wire::error(Provider::Openai, 401, &format!("bad key {KEY}")),
    ])
    .await;
    let secrets = vec![SecretString::from(KEY)];
    let inner: Arc<dyn Model> = open(&server.settings(Provider::Openai)).unwrap();
    let recorder = Recorder::wrap(inner, &path, secrets).unwrap();
    let asked = request().user(format!("password: canary-pass, key {KEY}"));
    recorder.complete(&asked, &quiet).await.unwrap();
    recorder.complete(&asked, &quiet).await.unwrap_err();

    let tape = std::fs::read_to_string(&path).unwrap();
    assert!(!tape.contains("canary"), "{tape}");
    let replayer = Replayer::open(&path).unwrap();
    let reply = propose(&replayer, &asked, &quiet).await.unwrap();
    assert!(reply.text.starts_with("Your key is [redacted]"), "{}", reply.text);
    assert_eq!(replayer.complete(&asked, &quiet).await.unwrap_err().code(), "unauthorised");
    assert_eq!(server.count(), 2);
}
