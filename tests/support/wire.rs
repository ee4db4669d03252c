//! Each provider's wire format: the same reply or fault in all four.

use sayso::agent::llm::Provider;
use serde_json::{Value, json};

use crate::support::model_server::Play;

pub const PROVIDERS: [Provider; 3] = [Provider::Openai, Provider::Anthropic, Provider::Ollama];

/// Frames as the provider's stream carries them.
pub fn frames(provider: Provider, frames: &[Value]) -> Vec<String> {
    frames
        .iter()
        .map(|frame| match provider {
            Provider::Ollama => format!("{frame}\n"),
            Provider::Anthropic => {
                format!("event: {}\ndata: {frame}\n\n", frame["type"].as_str().unwrap_or("x"))
            }
            _ => format!("data: {frame}\n\n"),
        })
        .collect()
}

fn play(provider: Provider, all: &[Value]) -> Play {
    let mut chunks = frames(provider, all);
    if provider == Provider::Openai {
        chunks.push("data: [DONE]\n\n".into());
    }
    let mut play = Play::stream(chunks);
    if provider == Provider::Ollama {
        play.headers = vec![("content-type", "application/x-ndjson".into())];
    }
    play
}

/// Words, in pieces, with usage 11 in, 5 out.
pub fn text(provider: Provider, pieces: &[&str]) -> Play {
    play(provider, &text_frames(provider, pieces))
}

pub fn text_frames(provider: Provider, pieces: &[&str]) -> Vec<Value> {
    let mut all = opening(provider);
    for piece in pieces {
        all.push(match provider {
            Provider::Openai => json!({"model": "tiny-1", "choices": [{"index": 0, "delta": {"content": piece}}]}),
            Provider::Anthropic => {
                json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}})
            }
            _ => json!({"model": "tiny-1", "message": {"role": "assistant", "content": piece}, "done": false}),
        });
    }
    all.extend(closing(provider, "stop"));
    all
}

fn opening(provider: Provider) -> Vec<Value> {
    match provider {
        Provider::Openai => {
            vec![json!({"model": "tiny-1", "choices": [{"delta": {"role": "assistant", "content": ""}}]})]
        }
        Provider::Anthropic => vec![
            json!({"type": "message_start", "message": {"model": "tiny-1", "usage": {"input_tokens": 8, "cache_read_input_tokens": 3, "output_tokens": 1}}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
            json!({"type": "ping"}),
        ],
        _ => Vec::new(),
    }
}

/// The end of an answer; `reason` in OpenAI's words.
pub fn closing(provider: Provider, reason: &str) -> Vec<Value> {
    match provider {
        Provider::Openai => vec![
            json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}),
            json!({"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 3}}}),
        ],
        Provider::Anthropic => {
            let reason = match reason {
                "length" => "max_tokens",
                "tool_calls" => "tool_use",
                _ => "end_turn",
            };
            vec![
                json!({"type": "content_block_stop", "index": 0}),
                json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 5}}),
                json!({"type": "message_stop"}),
            ]
        }
        _ => {
            let reason = if reason == "length" { "length" } else { "stop" };
            vec![
                json!({"model": "tiny-1", "message": {"role": "assistant", "content": ""}, "done": true, "done_reason": reason, "prompt_eval_count": 11, "eval_count": 5}),
            ]
        }
    }
}

/// Calls with whole arguments, cut into pieces where the format allows.
pub fn calls(provider: Provider, calls: &[(&str, Value)]) -> Play {
    let mut all = opening(provider);
    for (n, (name, args)) in calls.iter().enumerate() {
        all.extend(call_frames(provider, n, name, &args.to_string()));
    }
    all.extend(closing(provider, "tool_calls"));
    play(provider, &all)
}

/// One call whose arguments are this text, JSON or not.
pub fn raw_call(provider: Provider, name: &str, args: &str) -> Play {
    let mut all = opening(provider);
    all.extend(call_frames(provider, 0, name, args));
    all.extend(closing(provider, "tool_calls"));
    play(provider, &all)
}

pub fn call_frames(provider: Provider, n: usize, name: &str, args: &str) -> Vec<Value> {
    let whole = || serde_json::from_str::<Value>(args).unwrap_or_else(|_| json!(args));
    match provider {
        Provider::Openai => {
            let delta = |call: Value| json!({"choices": [{"delta": {"tool_calls": [call]}}]});
            let mut out = vec![delta(json!({
                "index": n, "id": format!("srv_{n}"), "type": "function", "function": {"name": name, "arguments": ""},
                "extra_content": {"google": {"thought_signature": "c2lnbmVk"}},
            }))];
            out.extend(
                pieces(args).into_iter().map(|p| delta(json!({"index": n, "function": {"arguments": p}}))),
            );
            out
        }
        Provider::Anthropic => {
            let index = n + 1;
            let block = json!({"type": "tool_use", "id": format!("srv_{n}"), "name": name, "input": {}});
            let mut out =
                vec![json!({"type": "content_block_start", "index": index, "content_block": block})];
            out.extend(pieces(args).into_iter().map(|piece| {
                json!({"type": "content_block_delta", "index": index, "delta": {"type": "input_json_delta", "partial_json": piece}})
            }));
            out.push(json!({"type": "content_block_stop", "index": index}));
            out
        }
        _ => vec![
            json!({"message": {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": name, "arguments": whole()}}]}, "done": false}),
        ],
    }
}

fn pieces(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    // Small arguments in small pieces, huge ones in large.
    let size = (chars.len() / 20).max(7);
    chars.chunks(size).map(|chunk| chunk.iter().collect()).collect()
}

/// An error status in the provider's own form.
pub fn error(provider: Provider, status: u16, message: &str) -> Play {
    let body = match provider {
        Provider::Openai => json!({"error": {"message": message, "type": "x", "code": null}}),
        Provider::Anthropic => json!({"type": "error", "error": {"type": "x", "message": message}}),
        _ => json!({"error": message}),
    };
    Play::json(status, &body)
}

/// An error in the middle of a stream.
pub fn error_frame(provider: Provider) -> Value {
    match provider {
        Provider::Openai => json!({"error": {"message": "boom", "code": 503}}),
        Provider::Anthropic => {
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
        }
        _ => json!({"error": "boom"}),
    }
}

pub fn as_play(provider: Provider, all: &[Value]) -> Play {
    let mut play = Play::stream(frames(provider, all));
    if provider == Provider::Ollama {
        play.headers = vec![("content-type", "application/x-ndjson".into())];
    }
    play
}
