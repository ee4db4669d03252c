//! A language model behind a server on this machine: a whole conversation, a driver killed while it speaks, and what
//! `doctor` says of a server that does not answer. Where keys are not is in the catalogue (row S09); habits of models
//! are in tests/workflows/habits.

use crate::analyze::{QUERY, begun, notes, with_notes};
use crate::runner::{Cli, checks_with, each, json, run, spawn, texts, until};
use crate::support::model_server::{End, Play, Server};
use crate::support::wire;
use sayso::agent::llm::Provider;
use serde_json::json;

const KEY: &str = "canary-key-4d1f0c9b2a";

fn say(text: &str) -> Play {
    let (first, rest) = text.split_at(text.len() / 2);
    wire::text(Provider::Openai, &[first, rest])
}

/// A config with this server as the model; `more` goes into its section.
fn configure(cli: &Cli, server: &Server, more: &str) {
    let address = &server.address;
    cli.configure(&format!(
        "[model]\nprovider = \"openai\"\nname = \"tiny-1\"\nbase_url = \"{address}/v1\"\n{more}\n\
         [engine]\nretries = 0\n[prices.\"tiny-1\"]\ninput = 1.0\noutput = 2.0\n"
    ));
}

/// What a model says about a text of its own that is fine.
const WANTED: &str = r#"{"is_wanted": true, "first_is_talk": false, "last_is_talk": false}"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_conversation_with_a_language_model() {
    let answers = ["Since when?", "The parts were late. Right?", "# Late parts", WANTED];
    let server = Server::play(answers.map(say)).await;
    let cli = with_notes();
    configure(&cli, &server, "");
    let (thread, asked) = begun(&cli);
    let outcome = json(&cli, &["respond", &asked, "Since Monday", "--wait"]);
    json(&cli, &["respond", &texts(&outcome["interrupts"])[0], "Done.", "--wait"]);
    assert_eq!(std::fs::read_to_string(notes(&cli, "analysis_result.md")).unwrap(), "# Late parts\n");
    let whole = json(&cli, &["show", &thread]);
    assert_eq!(whole["status"], "done");
    let usage = &whole["usage"];
    assert_eq!((&usage["calls"], &usage["input_tokens"]), (&json!(4), &json!(44)));
    assert!(usage["output_tokens"] == 20 && usage["cost"].as_f64().unwrap() > 0.0, "{usage}");
    let seen = server.seen();
    assert_eq!(seen.len(), 4);
    assert!(seen.iter().all(|request| request.path == "/v1/chat/completions"));
    let roles = |n: usize| each(&seen[n].body["messages"], "role");
    assert_eq!(roles(0), ["system", "user"]);
    assert_eq!(roles(2), ["system", "user", "assistant", "user", "assistant", "user"]);
    let first = seen[0].body.to_string();
    assert!(first.contains(QUERY) && first.contains("The launch slipped by three weeks."), "{first}");
    // The task's name is not sent.
    assert!(!first.contains("analyze.initial"), "{first}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_driver_killed_while_the_model_speaks_loses_nothing() {
    let mut broken_off = say("Since").end(End::Silent);
    broken_off.chunks.truncate(3);
    let server = Server::play([broken_off, say("Since when?")]).await;
    let cli = with_notes();
    configure(&cli, &server, "");
    let driver = spawn(&cli, &["analyze", "--query", QUERY, "--inputs", "notes", "--wait"]);
    until(|| server.count() == 1);
    drop(driver);
    let driven = json(&cli, &["run"]);
    let card = json(&cli, &["view", &texts(&driven["interrupts"])[0]]);
    assert_eq!(card["args"], json!({"question": "Since when?"}));
    assert_eq!(server.count(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_says_what_to_do_about_a_model() {
    let server = Server::play([wire::error(Provider::Openai, 401, "no such key")]).await;
    let cli = with_notes();
    configure(&cli, &server, "api_key_env = \"MY_KEY\"");
    let doctor = || {
        let [(false, text)] = &checks_with(&cli, &[("MY_KEY", KEY)], "model")[..] else {
            panic!("it is well")
        };
        text.clone()
    };
    let wrong = doctor();
    assert!(wrong.contains("does not accept the key") && wrong.contains("Set api_key_env"), "{wrong}");
    assert!(!wrong.contains(KEY));
    // Nobody listens there.
    let nobody = "[model]\nprovider = \"openai\"\nname = \"tiny-1\"\nbase_url = \"http://127.0.0.1:9/v1\"\n";
    cli.configure(nobody);
    let silent = doctor();
    assert!(silent.contains("cannot be reached") && silent.contains("Is the server running"), "{silent}");
    // A key that is not there is named by where it should be.
    cli.configure(&format!("{nobody}api_key_env = \"NO_SUCH_KEY\"\n"));
    assert!(doctor().contains("NO_SUCH_KEY"));
    assert_eq!(run(&cli, &["doctor"]).code, 1);
    // The same model is no use for an evaluation, and that is a failure with the same advice.
    run(&cli, &["eval", "triage"]).refused(1, "NO_SUCH_KEY");
}
