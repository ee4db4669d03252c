//! Servers that are almost compatible.

use sayso::agent::llm::{OutputSchema, Provider, quiet, structured};
use serde_json::{Value, json};

use crate::support::asking::{Class, Triage, propose, request, required};
use crate::support::model_server::{Play, Server};
use crate::support::wire;

fn delta(delta: Value) -> Value {
    json!({"choices": [{"delta": delta}]})
}

/// What a server with these tool call deltas makes of them.
async fn calls(deltas: Vec<Value>) -> Vec<(String, String, Value)> {
    let mut frames: Vec<Value> = deltas.into_iter().map(delta).collect();
    frames.extend(wire::closing(Provider::Openai, "tool_calls"));
    let server = Server::play([wire::as_play(Provider::Openai, &frames)]).await;
    let reply = propose(&*server.model(Provider::Openai), &required(), &quiet).await.unwrap();
    assert_eq!(server.count(), 1);
    reply.calls.into_iter().map(|call| (call.id, call.name, call.args["to"][0].clone())).collect()
}

#[tokio::test]
async fn calls_of_sloppy_servers_are_read() {
    let args = |to: &str| json!({"to": [to], "content": "Hi"});
    let text = |to: &str| args(to).to_string();
    let name = "write_email";
    let want = |ids: [&str; 2]| {
        vec![
            (ids[0].to_owned(), name.to_owned(), json!("a")),
            (ids[1].to_owned(), name.to_owned(), json!("b")),
        ]
    };
    // No index and no id, arguments as an object.
    let bare = |to: &str| json!({"tool_calls": [{"function": {"name": name, "arguments": args(to)}}]});
    assert_eq!(calls(vec![bare("a"), bare("b")]).await, want(["call_0", "call_1"]));
    // Both in one frame.
    let both = json!({"tool_calls": [
        {"id": "x", "function": {"name": name, "arguments": text("a")}},
        {"id": "y", "function": {"name": name, "arguments": text("b")}},
    ]});
    assert_eq!(calls(vec![both]).await, want(["x", "y"]));
    // Every call has the index 0, and all have the same id.
    let same = |id: &str, to: &str| json!({"tool_calls": [{"index": 0, "id": id, "function": {"name": name, "arguments": text(to)}}]});
    assert_eq!(calls(vec![same("x", "a"), same("y", "b")]).await, want(["x", "y"]));
    // Indexes that are garbage.
    for garbage in [json!(-1), json!("0"), json!(1e30), json!(u64::MAX), json!(null), json!([])] {
        let first = json!({"tool_calls": [{"index": garbage, "id": "x", "function": {"name": name, "arguments": "{\"to\": [\"a\"],"}}]});
        let rest =
            json!({"tool_calls": [{"index": garbage, "function": {"arguments": "\"content\": \"Hi\"}"}}]});
        assert_eq!(calls(vec![first, rest]).await.len(), 1, "{garbage}");
    }
}

#[tokio::test]
async fn data_falls_back_to_a_tool_then_to_words_and_remembers() {
    let answer = json!({"reasoning": "r", "classification": "ignore"});
    let no = |why: &str| wire::error(Provider::Openai, 400, why);
    let server = Server::play([
        no("'response_format' of type json_schema is not supported"),
        wire::calls(Provider::Openai, &[("triage", answer.clone())]),
        wire::calls(Provider::Openai, &[("triage", answer.clone())]),
        no("this model does not support tools"),
        wire::text(Provider::Openai, &["Sure!\n```json\n", &answer.to_string(), "\n```"]),
    ])
    .await;
    let model = server.model(Provider::Openai);
    for _ in 0..3 {
        let got = structured::<Triage>(&*model, &request(), OutputSchema::of::<Triage>()).await.unwrap();
        assert_eq!((got.value.classification, got.answers), (Class::Ignore, 1));
    }
    let bodies: Vec<Value> = server.seen().into_iter().map(|seen| seen.body).collect();
    let ways: Vec<(bool, bool)> =
        bodies.iter().map(|b| (b.get("response_format").is_some(), b.get("tool_choice").is_some())).collect();
    assert_eq!(ways, [(true, false), (false, true), (false, true), (false, true), (false, false)]);
    assert!(bodies[4].to_string().contains("JSON schema"));
}

#[tokio::test]
async fn ollama_falls_back_too() {
    let answer = json!({"reasoning": "r", "classification": "ignore"});
    let server = Server::play([
        wire::error(Provider::Ollama, 500, "failed to load model vocabulary required for format"),
        wire::text(Provider::Ollama, &["<think>hm {}</think>", &answer.to_string()]),
    ])
    .await;
    structured::<Triage>(&*server.model(Provider::Ollama), &request(), OutputSchema::of::<Triage>())
        .await
        .unwrap();
    assert!(server.seen()[1].body.get("format").is_none());
}

#[tokio::test]
async fn parameters_a_server_does_not_know_are_left_out_from_then_on() {
    let good = || wire::calls(Provider::Openai, &[("write_email", json!({"to": ["a"], "content": "Hi"}))]);
    let no = |why: &str| wire::error(Provider::Openai, 400, why);
    let server = Server::play([
        no("Unrecognized request argument: stream_options"),
        no("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."),
        no("Unsupported value: 'temperature' does not support 0.2"),
        no("tool_choice is not supported"),
        good(),
    ])
    .await;
    let mut settings = server.settings(Provider::Openai);
    settings.temperature = Some(0.2);
    let model = sayso::agent::llm::open(&settings, &[]).unwrap();
    for _ in 0..2 {
        propose(&*model, &required(), &quiet).await.unwrap();
    }
    // Five for the first, one for the second.
    assert_eq!(server.count(), 6);
    let last = &server.seen()[5].body;
    for gone in ["stream_options", "max_tokens", "temperature", "tool_choice"] {
        assert!(last.get(gone).is_none(), "{gone}");
    }
    assert!(last.get("max_completion_tokens").is_some());
}

#[tokio::test]
async fn a_server_that_ignores_the_schema_is_told_it_in_words() {
    let server = Server::play([
        wire::text(Provider::Openai, &["I would ignore this one."]),
        wire::text(Provider::Openai, &["{\"reasoning\": \"r\", \"classification\": \"ignore\"}"]),
    ])
    .await;
    let got =
        structured::<Triage>(&*server.model(Provider::Openai), &request(), OutputSchema::of::<Triage>())
            .await
            .unwrap();
    assert_eq!((got.answers, got.usage.input), (2, 22));
    assert!(server.seen()[1].body["messages"].to_string().contains("JSON schema"));
}

#[tokio::test]
async fn a_local_server_needs_no_key_and_may_leave_out_its_last_line() {
    let mut play = wire::text(Provider::Openai, &["Hi"]);
    play.chunks.pop();
    if let Some(last) = play.chunks.last_mut() {
        let text = String::from_utf8_lossy(last).trim_end().to_owned();
        *last = text.into_bytes();
    }
    let server = Server::play([play]).await;
    let mut settings = server.settings(Provider::Openai);
    settings.key = None;
    let model = sayso::agent::llm::open(&settings, &[]).unwrap();
    assert_eq!(propose(&*model, &request(), &quiet).await.unwrap().text, "Hi");
    assert!(server.seen()[0].headers.get("authorization").is_none());
}

#[tokio::test]
async fn frames_without_blank_lines_are_split() {
    let text = "data: {\"choices\":[{\"delta\":{\"content\":\"He\"}}]}\ndata: {\"choices\":[{\"delta\":{\"content\":\"llo\"},\"finish_reason\":\"stop\"}]}\n";
    let server = Server::play([Play::stream(vec![text.into()])]).await;
    assert_eq!(propose(&*server.model(Provider::Openai), &request(), &quiet).await.unwrap().text, "Hello");
}
