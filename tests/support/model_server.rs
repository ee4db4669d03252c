//! A server on loopback that plays a script: one response for each request, then the last one again and again.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Response, StatusCode, Uri};
use futures_util::stream::{self, StreamExt};
use sayso::agent::llm::{Model, ModelSettings, Provider};
use secrecy::SecretString;
use serde_json::Value;

/// The key every model of these tests has.
pub const KEY: &str = "canary-key-7f3a";

/// What comes back.
#[derive(Clone, Debug)]
pub struct Play {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub chunks: Vec<Vec<u8>>,
    pub end: End,
}

/// How a body ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    /// As it should.
    Clean,
    /// The connection breaks.
    Broken,
    /// Nothing more comes, for ever.
    Silent,
}

impl Play {
    pub fn stream(chunks: Vec<String>) -> Self {
        Self {
            status: 200,
            headers: vec![("content-type", "text/event-stream".into())],
            chunks: chunks.into_iter().map(String::into_bytes).collect(),
            end: End::Clean,
        }
    }

    pub fn json(status: u16, body: &Value) -> Self {
        Self {
            status,
            headers: vec![("content-type", "application/json".into())],
            chunks: vec![body.to_string().into_bytes()],
            end: End::Clean,
        }
    }

    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    pub fn end(mut self, end: End) -> Self {
        self.end = end;
        self
    }
}

/// A request as it arrived.
#[derive(Clone, Debug)]
pub struct Seen {
    pub path: String,
    pub headers: HeaderMap,
    pub body: Value,
}

#[derive(Default)]
struct Script {
    plays: Mutex<VecDeque<Play>>,
    seen: Mutex<Vec<Seen>>,
}

/// The server; it ends with the test's runtime.
pub struct Server {
    pub address: String,
    script: Arc<Script>,
}

impl Server {
    pub async fn play(plays: impl IntoIterator<Item = Play>) -> Self {
        let script = Arc::new(Script { plays: Mutex::new(plays.into_iter().collect()), ..Script::default() });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().fallback(answer).with_state(script.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { address, script }
    }

    /// What comes back from now on.
    pub fn next(&self, play: Play) {
        *self.script.plays.lock().unwrap() = VecDeque::from([play]);
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.script.seen.lock().unwrap().clone()
    }

    pub fn count(&self) -> usize {
        self.script.seen.lock().unwrap().len()
    }

    /// Settings for this server, with pauses too short to notice.
    pub fn settings(&self, provider: Provider) -> ModelSettings {
        let mut settings = ModelSettings::new("test", provider, "tiny-1");
        settings.base_url = Some(self.address.clone());
        settings.key = Some(SecretString::from(KEY));
        settings.backoff = Duration::from_millis(1);
        settings.longest_pause = Duration::from_millis(5);
        settings.retries = 2;
        settings.idle_timeout = Duration::from_secs(20);
        settings
    }

    pub fn model(&self, provider: Provider) -> Arc<dyn Model> {
        sayso::agent::llm::open(&self.settings(provider), &[]).unwrap()
    }
}

async fn answer(
    State(script): State<Arc<Script>>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response<Body>, Infallible> {
    script.seen.lock().unwrap().push(Seen {
        path: uri.to_string(),
        headers,
        body: serde_json::from_slice(&body).unwrap_or(Value::Null),
    });
    let play = {
        let mut plays = script.plays.lock().unwrap();
        if plays.len() > 1 { plays.pop_front() } else { plays.front().cloned() }
    };
    let Some(play) = play else {
        return Ok(Response::builder().status(StatusCode::IM_A_TEAPOT).body(Body::empty()).unwrap());
    };
    let chunks = stream::iter(play.chunks.into_iter().map(|chunk| Ok::<_, io::Error>(Bytes::from(chunk))));
    let body = match play.end {
        End::Clean => Body::from_stream(chunks),
        End::Broken => {
            // A pending moment lets the chunks before the break go out.
            let broken = stream::once(async {
                tokio::task::yield_now().await;
                Err(io::Error::from(io::ErrorKind::ConnectionReset))
            });
            Body::from_stream(chunks.chain(broken))
        }
        End::Silent => Body::from_stream(chunks.chain(stream::pending())),
    };
    let mut response = Response::builder().status(play.status);
    for (name, value) in play.headers {
        response = response.header(name, value);
    }
    Ok(response.body(body).unwrap())
}
