//! S09: keys and prompts appear in no error, in no cassette, and in nothing that the program prints or stores.

use std::path::Path;
use std::sync::Arc;

use sayso::agent::llm::{Model, Provider, Recorder, Replayer, open, quiet};
use secrecy::SecretString;
use serde_json::{Value, json};

use crate::program::{Program, asked};
use crate::report;
use crate::support::asking::{propose, request};
use crate::support::model_server::{KEY, Play, Server};
use crate::support::wire::{self, PROVIDERS};

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
    report("S09", "a server that repeats key and prompt in its errors", 7 * PROVIDERS.len());
}

#[tokio::test]
async fn s09_settings_show_no_key() {
    let server = Server::play([]).await;
    let settings = server.settings(Provider::Openai);
    assert!(!format!("{settings:?}").contains(KEY));
    report("S09", "settings printed", 1);
}

#[tokio::test]
async fn s09_cassettes_hold_no_secret_and_play_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tape.jsonl");
    let answer = format!("Your key is {KEY}, and the other is sk-canary0123456789abcdef.");
    let server = Server::play([
        wire::text(Provider::Openai, &[&answer]),
        wire::error(Provider::Openai, 401, &format!("bad key {KEY}")),
    ])
    .await;
    let secrets = vec![SecretString::from(KEY)];
    let inner: Arc<dyn Model> = open(&server.settings(Provider::Openai), &[]).unwrap();
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
    report("S09", "calls recorded, with secrets in both directions", 2);
}

const TOKEN: &str = "canarytoken0123456789abcdefABCDEF";

/// Every file beneath a folder that holds one of the canaries.
fn holding(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            holding(&path, found);
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        for canary in [KEY, TOKEN] {
            if bytes.windows(canary.len()).any(|window| window == canary.as_bytes()) {
                found.push(format!("{canary} in {}", path.display()));
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn s09_keys_are_nowhere_but_with_the_server() {
    let echo = format!("Incorrect API key provided: {KEY}. Authorization: Bearer {TOKEN}");
    let error = |status| wire::error(Provider::Openai, status, &echo);
    let say = wire::text(Provider::Openai, &["Since ", "when?"]);
    // Refused, rejected and overloaded, each put to the person and retried; then it answers.
    let plays = [error(401), error(400), error(500), error(500), error(500), error(500), say, error(404)];
    let printed = futures_util::future::join_all([false, true].map(async |from_command| {
        let server = Server::play(plays.clone()).await;
        let mut program = Program::new();
        let key = program.path("key");
        std::fs::write(&key, format!("{KEY}\n")).unwrap();
        let place = if from_command {
            format!("api_key_command = \"cat {}\"", key.display())
        } else {
            program.env.push(("MY_KEY", KEY.to_owned()));
            "api_key_env = \"MY_KEY\"".to_owned()
        };
        program.env.push(("SAYSO_RECORD", program.path("tape.jsonl").display().to_string()));
        program.configure(&format!(
            "[model]\nprovider = \"openai\"\nname = \"tiny-1\"\nbase_url = \"{}/v1\"\n{place}\n\
             [engine]\nretries = 0\n[prices.\"tiny-1\"]\ninput = 1.0\noutput = 2.0\n",
            server.address
        ));
        let (program, printed) = tokio::task::spawn_blocking(move || conversation(program)).await.unwrap();
        let (commands, printed) = (printed.len(), printed.concat());
        let sent = server.seen();
        assert!(sent.len() >= 8, "{}: {printed}", sent.len());
        assert!(sent.iter().all(|request| request.headers["authorization"] == format!("Bearer {KEY}")));
        assert!(!printed.contains(KEY) && !printed.contains(TOKEN), "{printed}");
        std::fs::remove_file(program.path("key")).unwrap();
        let mut found = Vec::new();
        holding(&program.path("."), &mut found);
        assert_eq!(found, Vec::<String>::new());
        // The search would have found them: the tape and the log are there.
        assert!(std::fs::read_to_string(program.path("tape.jsonl")).unwrap().contains("[redacted]"));
        assert!(program.path("data/log").exists());
        commands
    }));
    let commands = printed.await.into_iter().sum();
    report("S09", "keys in the database, log, tape, exports and all that is printed", commands);
}

/// A conversation with whoever answers, and then everything that prints something about it.
fn conversation(program: Program) -> (Program, Vec<String>) {
    let mut printed = Vec::new();
    let mut run = |args: &[&str]| {
        let (out, err) = program.run(&[args, &["-vv"]].concat());
        printed.push(format!("{args:?}\n{out}\n{err}\n"));
        out
    };
    let mut outcome = run(&["analyze", "--query", "Why?", "--inputs", "notes", "--wait", "--json"]);
    for _ in 0..3 {
        let id = asked(&outcome);
        run(&["view", &id]);
        outcome = run(&["accept", &id, "--wait", "--json"]);
    }
    run(&["respond", &asked(&outcome), "DONE", "--wait"]);
    let threads: Value = serde_json::from_str(&run(&["threads", "--json"])).unwrap();
    let thread = threads[0]["id"].as_str().unwrap();
    for args in [&["show", thread][..], &["export", thread], &["export", "--audit"], &["doctor"], &["config"]]
    {
        run(args);
        run(&[args, &["--json"]].concat());
    }
    run(&["list", "--json"]);
    (program, printed)
}
