//! Checks quickly whether Ollama runs on this machine. Connects only to loopback addresses.

use crate::config::Env;
use serde_json::Value;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Time for an answer. Where nothing listens, that is known at once.
const TIMEOUT: Duration = Duration::from_secs(2);
/// Longer than any list of models, in bytes.
const MAX_RESPONSE_BYTES: u64 = 1 << 20;
/// How many models are listed.
const MAX_MODELS: usize = 8;

/// The models it has; none if it does not run.
pub(super) async fn models(env: &Env) -> Vec<String> {
    let response = tokio::time::timeout(TIMEOUT, ask(address(env))).await;
    response.ok().and_then(Result::ok).map(|response| names(&response)).unwrap_or_default()
}

/// Its URL, if not the usual one.
pub(super) fn custom_url(env: &Env) -> Option<String> {
    let address = address(env);
    (address != default_address()).then(|| format!("http://{address}"))
}

fn default_address() -> SocketAddr {
    SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 11434)
}

/// Its address: from `OLLAMA_HOST` if that is on this machine, else the usual one.
fn address(env: &Env) -> SocketAddr {
    let default = default_address();
    let host = env.get("OLLAMA_HOST").and_then(|host| host.to_str()).unwrap_or_default();
    let host = host.trim_start_matches("http://").trim_end_matches('/').replace("localhost", "127.0.0.1");
    let address = host
        .parse::<SocketAddr>()
        .ok()
        .or_else(|| host.parse::<IpAddr>().ok().map(|address| SocketAddr::new(address, default.port())));
    address.filter(|address| address.ip().is_loopback()).unwrap_or(default)
}

async fn ask(address: SocketAddr) -> std::io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(address).await?;
    // With HTTP/1.0 the answer is not chunked and ends with the connection.
    let request = format!("GET /api/tags HTTP/1.0\r\nHost: {address}\r\nAccept: application/json\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut response = Vec::new();
    stream.take(MAX_RESPONSE_BYTES).read_to_end(&mut response).await?;
    Ok(response)
}

/// The names in an answer. Anything that is not a model's name is dropped.
fn names(response: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(response);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return Vec::new() };
    if head.split_whitespace().nth(1) != Some("200") {
        return Vec::new();
    }
    let Ok(body) = serde_json::from_str::<Value>(body) else { return Vec::new() };
    let listed = body.get("models").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let name = |model: &Value| model.get("name").and_then(Value::as_str).map(str::to_owned);
    let plain = |name: &String| {
        name.len() <= 100 && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.:/".contains(c))
    };
    listed.iter().filter_map(name).filter(plain).take(MAX_MODELS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_read_and_nothing_else_is() {
        let response = b"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n\
            {\"models\":[{\"name\":\"qwen3:8b\"},{\"name\":\"bad\\u001b[2J\"},{\"size\":1}]}";
        assert_eq!(names(response), ["qwen3:8b"]);
        for odd in
            [&b""[..], b"HTTP/1.0 404 x\r\n\r\n{\"models\":[{\"name\":\"a\"}]}", b"HTTP/1.0 200 OK\r\n\r\n[]"]
        {
            assert!(names(odd).is_empty());
        }
    }

    #[test]
    fn only_this_machine_is_asked() {
        let env = |host: &str| Env::from_iter([("OLLAMA_HOST", host)]);
        assert_eq!(address(&env("http://localhost:4000")).to_string(), "127.0.0.1:4000");
        assert_eq!(address(&env("127.0.0.1")).to_string(), "127.0.0.1:11434");
        for elsewhere in ["0.0.0.0:11434", "10.1.2.3:80", "ollama.example:80", ""] {
            assert_eq!(address(&env(elsewhere)).to_string(), "127.0.0.1:11434", "{elsewhere}");
        }
    }
}
