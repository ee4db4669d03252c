//! A connection to Codex's app-server: JSON-RPC messages, one per WebSocket frame, over a local socket.

use crate::text::exact::is_exact;
use crate::tools::process::Process;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::time::Duration;
use tokio::net::UnixStream;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

/// How long the server may take for the handshake.
const PATIENCE: Duration = Duration::from_secs(10);

/// In bytes; changes to large files come in one message.
const LONGEST: usize = 64 * 1024 * 1024;

/// Frequent notifications that we do not need.
const UNREAD: [&str; 7] = [
    "item/agentMessage/delta",
    "item/commandExecution/outputDelta",
    "item/reasoning/summaryTextDelta",
    "item/reasoning/textDelta",
    "item/plan/delta",
    "thread/tokenUsage/updated",
    "turn/diff/updated",
];

/// Why we cannot follow a server.
#[derive(Debug, thiserror::Error)]
pub(super) enum FollowError {
    #[error("{0}")]
    Socket(#[from] std::io::Error),
    #[error("{0}")]
    Frames(tungstenite::Error),
    #[error("it sent a message of more than {} MiB; Codex's own window has to answer it", LONGEST / 1024 / 1024)]
    TooLong,
    #[error("its socket belongs to another user")]
    Stranger,
    #[error("its process cannot be found out")]
    Nameless,
    #[error("it did not answer the greeting: {0}")]
    Greeting(String),
    #[error("{0}")]
    Inbox(#[from] crate::inbox::InboxError),
}

impl From<tungstenite::Error> for FollowError {
    fn from(error: tungstenite::Error) -> Self {
        match error {
            tungstenite::Error::Capacity(_) => FollowError::TooLong,
            other => FollowError::Frames(other),
        }
    }
}

/// A message from the server.
#[derive(Debug, PartialEq)]
pub(super) enum ServerMessage {
    /// A request under the server's own id; `exact` says that parsing lost nothing.
    Asks {
        id: Value,
        method: String,
        params: Value,
        exact: bool,
    },
    Tells {
        method: String,
        params: Value,
    },
    /// The response to one of our calls; `Null` if the server refused.
    Answers {
        id: u64,
        result: Value,
    },
}

pub(super) struct Connection {
    frames: WebSocketStream<UnixStream>,
    server: Process,
    last: u64,
}

impl Connection {
    /// Connects to the server behind a socket and does the handshake.
    pub(super) async fn open(socket: &Path) -> Result<Self, FollowError> {
        let greeted = async {
            let stream = UnixStream::connect(socket).await?;
            let peer = stream.peer_cred()?;
            if peer.uid() != rustix::process::getuid().as_raw() {
                return Err(FollowError::Stranger);
            }
            let pid = peer.pid().and_then(|pid| u32::try_from(pid).ok());
            let server = pid.and_then(Process::of).ok_or(FollowError::Nameless)?;
            let limits = WebSocketConfig::default();
            let limits = limits.max_message_size(Some(LONGEST)).max_frame_size(Some(LONGEST));
            let (frames, _) = client_async_with_config("ws://localhost/", stream, Some(limits)).await?;
            let mut connection = Self { frames, server, last: 0 };
            connection.greet().await?;
            Ok(connection)
        };
        let late = |_| FollowError::Greeting(format!("no answer within {} s", PATIENCE.as_secs()));
        tokio::time::timeout(PATIENCE, greeted).await.map_err(late)?
    }

    async fn greet(&mut self) -> Result<(), FollowError> {
        let client = json!({"name": "sayso", "title": "sayso", "version": env!("CARGO_PKG_VERSION")});
        // Without `experimentalApi` it would not report the items of a thread's turn.
        let capabilities = json!({"experimentalApi": true, "optOutNotificationMethods": UNREAD});
        let hello =
            self.call("initialize", json!({"clientInfo": client, "capabilities": capabilities})).await?;
        while let Some(message) = self.next().await? {
            if let ServerMessage::Answers { id, result } = message
                && id == hello
            {
                if result.is_null() {
                    return Err(FollowError::Greeting("it refused".to_owned()));
                }
                return self.send(&json!({"method": "initialized"})).await;
            }
        }
        Err(FollowError::Greeting("it hung up".to_owned()))
    }

    /// The server's process, which tells it apart from a later server.
    pub(super) fn server(&self) -> &Process {
        &self.server
    }

    /// Calls the server; the response comes with this number.
    pub(super) async fn call(&mut self, method: &str, params: Value) -> Result<u64, FollowError> {
        self.last += 1;
        self.send(&json!({"id": self.last, "method": method, "params": params})).await?;
        Ok(self.last)
    }

    /// Answers a request of the server.
    pub(super) async fn answer(&mut self, id: &Value, result: &Value) -> Result<(), FollowError> {
        self.send(&json!({"id": id, "result": result})).await
    }

    async fn send(&mut self, message: &Value) -> Result<(), FollowError> {
        Ok(self.frames.send(Message::text(message.to_string())).await?)
    }

    /// The next message; `None` if the server is gone.
    pub(super) async fn next(&mut self) -> Result<Option<ServerMessage>, FollowError> {
        while let Some(frame) = self.frames.next().await {
            if let Message::Text(text) = frame?
                && let Some(message) = read(&text)
            {
                return Ok(Some(message));
            }
        }
        Ok(None)
    }
}

/// Parses a frame; `None` if it is empty or not JSON-RPC.
fn read(text: &str) -> Option<ServerMessage> {
    let mut message: Map<String, Value> = serde_json::from_str(text).ok()?;
    let mut take = |name: &str| message.remove(name).unwrap_or_default();
    let (id, params, result) = (take("id"), take("params"), take("result"));
    match (take("method"), id) {
        (Value::String(method), Value::Null) => Some(ServerMessage::Tells { method, params }),
        (Value::String(method), id @ (Value::Number(_) | Value::String(_))) => {
            Some(ServerMessage::Asks { id, method, params, exact: is_exact(text) })
        }
        (Value::Null, id) => Some(ServerMessage::Answers { id: id.as_u64()?, result }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_is_too_long_is_named() {
        let error = tungstenite::error::CapacityError::MessageTooLong { size: 1, max_size: 0 };
        let error_text = FollowError::from(tungstenite::Error::Capacity(error)).to_string();
        assert!(error_text.starts_with("it sent a message of more than 64 MiB"), "{error_text}");
    }

    #[test]
    fn odd_frames_say_nothing() {
        let asks = read(r#"{"id": 7, "method": "m", "params": {"a": 1}}"#);
        let expected = ServerMessage::Asks {
            id: json!(7),
            method: "m".to_owned(),
            params: json!({"a": 1}),
            exact: true,
        };
        assert_eq!(asks, Some(expected));
        let named = read(r#"{"id": "seven", "method": "m"}"#);
        assert!(matches!(named, Some(ServerMessage::Asks { id, params: Value::Null, .. }) if id == "seven"));
        assert!(matches!(
            read(r#"{"id": null, "method": "m", "params": 3}"#),
            Some(ServerMessage::Tells { .. })
        ));
        let answers = Some(ServerMessage::Answers { id: 7, result: Value::Null });
        assert_eq!(read(r#"{"id": 7, "error": {"code": 1}}"#), answers);
        let deep = "[".repeat(100_000);
        for frame in [
            "",
            "null",
            "3",
            "[]",
            "\"x\"",
            "[{\"id\": 1, \"method\": \"m\"}]",
            "{}",
            "{ torn",
            &deep,
            r#"{"method": 3, "id": 1}"#,
            r#"{"method": {}, "id": 1}"#,
            r#"{"method": "m", "id": {}}"#,
            r#"{"method": "m", "id": [1]}"#,
            r#"{"method": "m", "id": true}"#,
            r#"{"id": -1}"#,
            r#"{"id": 1.5}"#,
            r#"{"id": 1e999, "method": "m"}"#,
            r#"{"id": "7", "result": {}}"#,
        ] {
            assert_eq!(read(frame), None, "{}", &frame[..frame.len().min(50)]);
        }
        // Too many digits to be written back unchanged.
        let huge = read(r#"{"id": 123456789012345678901234567890, "method": "m"}"#);
        assert!(matches!(huge, Some(ServerMessage::Asks { exact: false, .. })), "{huge:?}");
    }
}
