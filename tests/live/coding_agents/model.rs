//! A model on loopback that calls one tool of each agent and then says that it is done. It speaks Anthropic Messages,
//! OpenAI Responses, Chat Completions and Gemini.

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::Uri;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// A tool and its arguments.
pub struct ToolCall {
    pub tool: &'static str,
    pub input: Value,
}

struct Script {
    /// The first of these that an agent offers is called.
    calls: Vec<ToolCall>,
    results: Mutex<Vec<String>>,
    /// The bodies of all requests.
    requests: Mutex<Vec<Bytes>>,
}

/// The server, which ends with its runtime.
pub struct Model {
    pub port: u16,
    script: Arc<Script>,
    _runtime: tokio::runtime::Runtime,
}

impl Model {
    pub fn calling(call: ToolCall) -> Self {
        Self::calling_each(vec![call])
    }

    pub fn calling_each(calls: Vec<ToolCall>) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let script = Arc::new(Script { calls, results: Mutex::default(), requests: Mutex::default() });
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let port = listener.local_addr().unwrap().port();
        let router = Router::new().fallback(answer).with_state(script.clone());
        runtime.spawn(async move { axum::serve(listener, router).await });
        Self { port, script, _runtime: runtime }
    }

    /// Whether these words reached the model.
    pub fn heard(&self, words: &str) -> bool {
        let requests = self.script.requests.lock().unwrap();
        assert!(!requests.is_empty(), "nothing reached the model");
        requests.iter().any(|body| String::from_utf8_lossy(body).contains(words))
    }

    /// The results of the calls, as the model got them.
    pub fn results(&self) -> Vec<String> {
        self.script.results.lock().unwrap().clone()
    }
}

impl Script {
    /// The call for an agent that offers tools of these names.
    fn call<'a>(&self, offered: impl IntoIterator<Item = &'a Value>) -> Option<&ToolCall> {
        let names: Vec<&str> = offered.into_iter().filter_map(Value::as_str).collect();
        self.calls.iter().find(|call| names.contains(&call.tool))
    }
}

async fn answer(State(script): State<Arc<Script>>, uri: Uri, body: Bytes) -> Response {
    let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
    script.requests.lock().unwrap().push(body);
    let path = uri.path();
    if path.ends_with("/responses") {
        return stream(&responses(&script, &asked));
    }
    if path.ends_with("/messages") && asked["system"].to_string().contains("You are a security monitor") {
        return axum::Json(severity(&asked)).into_response();
    }
    if path.ends_with("/messages") {
        return stream(&messages(&script, &asked));
    }
    if path.ends_with("/chat/completions") {
        return completions(&script, &asked);
    }
    if path.contains("enerateContent") {
        return gemini(&script, &asked, path.contains("stream"));
    }
    // Side questions: which models there are, how many tokens a text has.
    axum::Json(json!({"data": [], "models": [], "input_tokens": 10})).into_response()
}

fn stream(events: &[Value]) -> Response {
    let lines =
        events.iter().map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap()));
    ([("content-type", "text/event-stream")], lines.collect::<String>()).into_response()
}

/// The wire that Codex speaks.
fn responses(script: &Script, asked: &Value) -> Vec<Value> {
    let items = asked["input"].as_array().cloned().unwrap_or_default();
    let result = items.iter().rev().find(|item| item["type"] == "function_call_output");
    let tools = asked["tools"].as_array().cloned().unwrap_or_default();
    let call = script.call(tools.iter().map(|tool| &tool["name"]));
    let item = match (result, call) {
        (None, Some(call)) => {
            json!({"type": "function_call", "id": "f1", "call_id": "call_1", "name": call.tool,
            "arguments": call.input.to_string()})
        }
        _ => {
            script.results.lock().unwrap().extend(result.map(|result| result["output"].to_string()));
            json!({"type": "message", "role": "assistant", "id": "m1", "content": [{"type": "output_text", "text": "Done."}]})
        }
    };
    let usage = json!({"input_tokens": 1, "input_tokens_details": null, "output_tokens": 1,
        "output_tokens_details": null, "total_tokens": 2});
    vec![
        json!({"type": "response.created", "response": {"id": "r1"}}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed", "response": {"id": "r1", "usage": usage}}),
    ]
}

/// What the model of Claude Code's auto mode says about every call: a harm from 0 to 100.
fn severity(asked: &Value) -> Value {
    json!({"id": "msg_1", "type": "message", "role": "assistant", "model": asked["model"], "stop_reason": "end_turn",
        "content": [{"type": "text", "text": "<severity>95</severity>"}],
        "usage": {"input_tokens": 1, "output_tokens": 1}})
}

/// The wire that Claude Code speaks.
fn messages(script: &Script, asked: &Value) -> Vec<Value> {
    let turns = asked["messages"].as_array().cloned().unwrap_or_default();
    let parts = turns.iter().rev().filter_map(|turn| turn["content"].as_array()).flatten();
    let result = parts.clone().find(|part| part["type"] == "tool_result");
    let tools = asked["tools"].as_array().cloned().unwrap_or_default();
    let call = script.call(tools.iter().map(|tool| &tool["name"]));
    // A call that was refused is made again if it may be.
    let results = parts.clone().filter(|part| part["type"] == "tool_result").count();
    let again = results == 1 && asked["messages"].to_string().contains("you may retry this tool call");
    let result = result.filter(|_| !again);
    let (block, delta, stop) = match (result, call) {
        (None, Some(call)) => (
            json!({"type": "tool_use", "id": format!("toolu_{}", results + 1), "name": call.tool, "input": {}}),
            json!({"type": "input_json_delta", "partial_json": call.input.to_string()}),
            "tool_use",
        ),
        _ => {
            script.results.lock().unwrap().extend(result.map(|result| result["content"].to_string()));
            (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": "Done."}), "end_turn")
        }
    };
    let message = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": asked["model"], "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1}});
    vec![
        json!({"type": "message_start", "message": message}),
        json!({"type": "content_block_start", "index": 0, "content_block": block}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null}, "usage": {"output_tokens": 1}}),
        json!({"type": "message_stop"}),
    ]
}

/// The wire that opencode speaks.
fn completions(script: &Script, asked: &Value) -> Response {
    let turns = asked["messages"].as_array().cloned().unwrap_or_default();
    let result = turns.iter().rev().find(|turn| turn["role"] == "tool");
    let tools = asked["tools"].as_array().cloned().unwrap_or_default();
    let call = script.call(tools.iter().map(|tool| &tool["function"]["name"]));
    let (delta, finish) = match (result, call) {
        (None, Some(call)) => {
            let function = json!({"name": call.tool, "arguments": call.input.to_string()});
            let call = json!({"index": 0, "id": "call_1", "type": "function", "function": function});
            (json!({"role": "assistant", "tool_calls": [call]}), "tool_calls")
        }
        _ => {
            script.results.lock().unwrap().extend(result.map(|result| result["content"].to_string()));
            (json!({"role": "assistant", "content": "Done."}), "stop")
        }
    };
    let chunk = |delta: Value, finish: Value| {
        json!({"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": asked["model"],
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
    };
    let lines = [chunk(delta, Value::Null), chunk(json!({}), json!(finish))]
        .map(|chunk| format!("data: {chunk}\n\n"));
    let body = lines.concat() + "data: [DONE]\n\n";
    ([("content-type", "text/event-stream")], body).into_response()
}

/// The wire that Gemini CLI speaks.
fn gemini(script: &Script, asked: &Value, streams: bool) -> Response {
    let turns = asked["contents"].as_array().cloned().unwrap_or_default();
    let parts = turns.iter().rev().filter_map(|turn| turn["parts"].as_array()).flatten();
    let result = parts.filter_map(|part| part.get("functionResponse")).next();
    let tools = asked["tools"].as_array().cloned().unwrap_or_default();
    let named = tools.iter().filter_map(|tool| tool["functionDeclarations"].as_array()).flatten();
    let call = script.call(named.map(|function| &function["name"]));
    let wants_json = asked["generationConfig"]["responseMimeType"] == "application/json";
    let part = match (result, call) {
        // Which model is fit for the task.
        _ if wants_json => {
            let choice = json!({"reasoning": "x", "model_choice": "flash", "complexity_reasoning": "x",
                "complexity_score": 1});
            json!({"text": choice.to_string()})
        }
        (None, Some(call)) => json!({"functionCall": {"name": call.tool, "args": call.input}}),
        _ => {
            script.results.lock().unwrap().extend(result.map(|result| result["response"].to_string()));
            json!({"text": "Done."})
        }
    };
    let answer = json!({
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
    });
    if streams {
        ([("content-type", "text/event-stream")], format!("data: {answer}\n\n")).into_response()
    } else {
        axum::Json(answer).into_response()
    }
}
