//! What should work: words, calls, data, conversations, in every format.

use std::sync::Mutex;

use sayso::agent::llm::{
    Delta, Message, OutputSchema, Provider, Stop, ToolCall, Usage, check, quiet, structured,
};
use serde_json::{Value, json};

use crate::support::asking::{Class, Triage, propose, request, required, tool};
use crate::support::model_server::{KEY, Play, Server};
use crate::support::wire::{self, PROVIDERS};

#[tokio::test]
async fn words_stream_and_add_up() {
    for provider in PROVIDERS {
        let server = Server::play([wire::text(provider, &["Hel", "lo ", "Ada ✨"])]).await;
        let model = server.model(provider);
        let streamed = Mutex::new(String::new());
        let reply = propose(&*model, &request(), &|delta| match delta {
            Delta::Text(text) => streamed.lock().unwrap().push_str(text),
            Delta::Restart => panic!("restarted"),
        })
        .await
        .unwrap();
        assert_eq!(reply.text, "Hello Ada ✨", "{provider:?}");
        assert_eq!(*streamed.lock().unwrap(), reply.text);
        assert_eq!((reply.stop, reply.model.as_str()), (Stop::End, "tiny-1"));
        let cached = if provider == Provider::Ollama { 0 } else { 3 };
        assert_eq!(reply.usage, Usage { input: 11, output: 5, cached }, "{provider:?}");

        let seen = &server.seen()[0];
        assert!(!seen.body.to_string().contains("sent-facts"), "facts were sent");
        let (header, value) = match provider {
            Provider::Anthropic => ("x-api-key", KEY.to_owned()),
            _ => ("authorization", format!("Bearer {KEY}")),
        };
        assert_eq!(seen.headers[header], value.as_str());
        assert!(!seen.path.contains(KEY), "a key in an address ends up in logs");
        let path = match provider {
            Provider::Openai => "/chat/completions",
            Provider::Anthropic => "/v1/messages",
            _ => "/api/chat",
        };
        assert_eq!(seen.path, path);
    }
}

#[tokio::test]
async fn streams_may_be_cut_anywhere() {
    for provider in PROVIDERS {
        let whole = wire::calls(provider, &[("write_email", json!({"to": ["ü@x"], "content": "Grüße\n✨"}))]);
        let bytes: Vec<u8> = whole.chunks.concat();
        for size in [1, 3, 64] {
            let mut play = whole.clone();
            play.chunks = bytes.chunks(size).map(<[u8]>::to_vec).collect();
            let server = Server::play([play]).await;
            let reply = propose(&*server.model(provider), &required(), &quiet).await.unwrap();
            assert_eq!(reply.calls[0].args["content"], "Grüße\n✨", "{provider:?} {size}");
        }
    }
}

#[tokio::test]
async fn several_calls_come_in_order_with_unique_ids() {
    for provider in PROVIDERS {
        let args = |to: &str| json!({"to": [to], "content": "Hi"});
        let server =
            Server::play([wire::calls(provider, &[("write_email", args("a")), ("write_email", args("b"))])])
                .await;
        let reply = propose(&*server.model(provider), &required(), &quiet).await.unwrap();
        let to: Vec<&str> = reply.calls.iter().map(|call| call.args["to"][0].as_str().unwrap()).collect();
        assert_eq!(to, ["a", "b"], "{provider:?}");
        assert_ne!(reply.calls[0].id, reply.calls[1].id);
        assert_eq!(server.count(), 1);
    }
}

#[tokio::test]
async fn a_conversation_with_calls_is_written_as_each_server_wants_it() {
    for provider in PROVIDERS {
        let args = json!({"to": ["a"], "content": "Hi"});
        let server = Server::play([
            wire::calls(
                provider,
                &[("write_email", args.clone()), ("write_email", json!({"to": ["b"], "content": "Hi"}))],
            ),
            wire::text(provider, &["Done."]),
        ])
        .await;
        let model = server.model(provider);
        let first = propose(&*model, &required(), &quiet).await.unwrap();
        let second = request()
            .message(first.message())
            .message(Message::result(&first.calls[0], "sent"))
            .message(Message::failure(&first.calls[1], "the person refused"))
            .tool(tool());
        assert_eq!(propose(&*model, &second, &quiet).await.unwrap().text, "Done.");
        let body = &server.seen()[1].body;
        let at = |pointer: &str| body.pointer(pointer).cloned().unwrap_or(Value::Null);
        match provider {
            Provider::Openai => {
                assert_eq!(at("/messages/2/tool_calls/0/function/arguments"), json!(args.to_string()));
                // Gemini refuses a call without the token it came with.
                let signature = at("/messages/2/tool_calls/0/extra_content/google/thought_signature");
                assert_eq!(signature, "c2lnbmVk");
                assert_eq!(at("/messages/3/tool_call_id"), at("/messages/2/tool_calls/0/id"));
                assert_eq!(at("/messages/4/role"), "tool");
            }
            Provider::Anthropic => {
                assert_eq!(at("/messages/1/content/0/input"), args);
                // Both results stand in one message, or the server refuses.
                assert_eq!(at("/messages/2/content/0/tool_use_id"), at("/messages/1/content/0/id"));
                assert_eq!(at("/messages/2/content/1/is_error"), true);
                assert_eq!(at("/messages/3"), Value::Null);
            }
            _ => {
                assert_eq!(at("/messages/2/tool_calls/0/function/arguments"), args);
                assert_eq!(at("/messages/3/tool_name"), "write_email");
            }
        }
    }
}

#[tokio::test]
async fn calls_of_another_server_are_taken_by_a_strict_one() {
    let server = Server::play([wire::text(Provider::Anthropic, &["Done."])]).await;
    let call = |id: &str| ToolCall {
        id: id.to_owned(),
        name: "write_email".to_owned(),
        args: json!({"to": ["a"], "content": "Hi"}),
        signature: None,
    };
    let calls = vec![call("functions.write_email:0"), call("me_2")];
    let said = request()
        .message(Message::Assistant { text: String::new(), calls: calls.clone() })
        .message(Message::result(&calls[0], "sent"))
        .message(Message::result(&calls[1], "sent"))
        .tool(tool());
    propose(&*server.model(Provider::Anthropic), &said, &quiet).await.unwrap();
    let body = &server.seen()[0].body;
    let id = |message: usize, block: usize, key: &str| {
        body["messages"][message]["content"][block][key].as_str().unwrap().to_owned()
    };
    for block in 0..2 {
        let asked = id(1, block, "id");
        assert!(asked.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c)), "{asked}");
        assert_eq!(asked, id(2, block, "tool_use_id"));
    }
    assert_ne!(id(1, 0, "id"), id(1, 1, "id"));
}

#[tokio::test]
async fn structured_data_uses_each_providers_best_method() {
    for provider in PROVIDERS {
        let answer = json!({"reasoning": "r", "classification": "notify"});
        let play = match provider {
            Provider::Anthropic => wire::calls(provider, &[("triage", answer.clone())]),
            _ => wire::text(provider, &[&answer.to_string()]),
        };
        let server = Server::play([play]).await;
        let got = structured::<Triage>(&*server.model(provider), &request(), OutputSchema::of::<Triage>())
            .await
            .unwrap();
        assert_eq!(got.value.classification, Class::Notify, "{provider:?}");
        assert_eq!((got.answers, server.count()), (1, 1));
        let body = &server.seen()[0].body;
        let way = match provider {
            Provider::Openai => body.pointer("/response_format/json_schema/schema/properties/classification"),
            Provider::Anthropic => body.pointer("/tools/0/input_schema/properties/classification"),
            _ => body.pointer("/format/properties/classification"),
        };
        assert!(way.is_some(), "{provider:?} {body}");
    }
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_read_too() {
    let openai = json!({"model": "tiny-1", "choices": [{"message": {"content": "Hi"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 2, "completion_tokens": 1}});
    let anthropic = json!({"type": "message", "model": "tiny-1", "content": [{"type": "text", "text": "Hi"}], "stop_reason": "end_turn", "usage": {"input_tokens": 2, "output_tokens": 1}});
    let ollama = json!({"message": {"content": "Hi"}, "done": true, "prompt_eval_count": 2, "eval_count": 1});
    for (provider, body) in PROVIDERS.into_iter().zip([openai, anthropic, ollama]) {
        let server = Server::play([Play::json(200, &body)]).await;
        let reply = propose(&*server.model(provider), &request(), &quiet).await.unwrap();
        assert_eq!((reply.text.as_str(), reply.usage.input), ("Hi", 2), "{provider:?}");
    }
}

#[tokio::test]
async fn the_check_says_who_answered() {
    for provider in PROVIDERS {
        let server = Server::play([wire::text(provider, &["ready"])]).await;
        assert_eq!(check(&*server.model(provider)).await.unwrap(), "tiny-1 answered (16 tokens)");
        let server = Server::play([wire::error(provider, 401, "no such key")]).await;
        let error = check(&*server.model(provider)).await.unwrap_err();
        assert_eq!(error.code(), "unauthorised");
        assert!(error.explain().contains("api_key_env"));
        assert_eq!(server.count(), 1);
    }
}
