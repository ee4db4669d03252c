//! A server that behaves like the API, and misbehaves on demand.

use super::*;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use futures_util::stream;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How long an answer is waited for.
pub const PATIENCE: Duration = Duration::from_secs(3);

/// What is answered in place of the usual.
#[derive(Clone)]
pub enum Reply {
    Json(u16, Value),
    /// A text that is said to be JSON.
    Raw(String),
    /// JSON with a `Link` header.
    Linked(String, Value),
    Later(u64),
    Html,
    Never,
    Endless,
    To(String),
    Cut,
}

#[derive(Default)]
struct Shared {
    requests: Mutex<Vec<(String, String)>>,
    replies: Mutex<Vec<(String, VecDeque<Reply>)>>,
    hosts: Mutex<Vec<String>>,
}

pub struct Server {
    shared: Arc<Shared>,
    pub port: u16,
}

impl Server {
    pub async fn start() -> Self {
        let shared = Arc::new(Shared::default());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        shared.hosts.lock().unwrap().push(format!("http://127.0.0.1:{port}"));
        let app = axum::Router::new().fallback(answer).with_state(shared.clone());
        tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { shared, port }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Has the next requests whose path begins so answered otherwise; the last answer stays.
    pub fn tell(&self, path: &str, replies: impl IntoIterator<Item = Reply>) {
        self.shared.replies.lock().unwrap().insert(0, (path.to_owned(), replies.into_iter().collect()));
    }

    /// The servers its list names.
    pub fn lists(&self, hosts: &[String]) {
        *self.shared.hosts.lock().unwrap() = hosts.to_vec();
    }

    /// What was asked, as `GET /path?query`, without looks at lists and health.
    pub fn asked(&self) -> Vec<String> {
        let seen = self.shared.requests.lock().unwrap();
        let lines =
            seen.iter().map(|(line, _)| line.replace("&app_name=sayso", "").replace("?app_name=sayso", ""));
        lines.filter(|line| line.contains("/v1/")).collect()
    }

    /// Everything that was asked, as `GET /path?query`.
    pub fn lines(&self) -> Vec<String> {
        self.shared.requests.lock().unwrap().iter().map(|(line, _)| line.clone()).collect()
    }

    /// How often this was asked.
    pub fn count(&self, begins: &str) -> usize {
        self.shared.requests.lock().unwrap().iter().filter(|(line, _)| line.starts_with(begins)).count()
    }

    /// What went along with the last request, and its header.
    pub fn last_body(&self) -> String {
        self.shared.requests.lock().unwrap().last().unwrap().1.clone()
    }
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    let line = format!("{} {}", request.method(), request.uri());
    let header = format!("{:?}", request.headers());
    let query = request.uri().query().unwrap_or_default().to_owned();
    let body = axum::body::to_bytes(request.into_body(), 1 << 20).await.unwrap();
    let body = String::from_utf8(body.to_vec()).unwrap();
    shared.requests.lock().unwrap().push((line, format!("{header}\n{body}")));
    let odd_reply = {
        let mut all = shared.replies.lock().unwrap();
        let found =
            all.iter_mut().find(|(prefix, replies)| path.starts_with(prefix.as_str()) && !replies.is_empty());
        found.and_then(
            |(_, replies)| if replies.len() > 1 { replies.pop_front() } else { replies.front().cloned() },
        )
    };
    match odd_reply {
        Some(reply) => odd(reply).await,
        None => {
            let hosts = shared.hosts.lock().unwrap().clone();
            match usual(&path, &query, &hosts) {
                Some(value) => json_reply(200, &value),
                None => json_reply(404, &json!({"code": 404, "message": "there is no such thing"})),
            }
        }
    }
}

fn json_reply(status: u16, value: &Value) -> Response {
    let builder = Response::builder().status(status).header("content-type", "application/json");
    builder.body(Body::from(value.to_string())).unwrap()
}

async fn odd(reply: Reply) -> Response {
    let endless = || stream::repeat_with(|| Ok::<_, std::io::Error>(Bytes::from(vec![b' '; 64 << 10])));
    match reply {
        Reply::Json(status, value) => json_reply(status, &value),
        Reply::Linked(link, value) => {
            let mut reply = json_reply(200, &value);
            reply.headers_mut().insert("link", link.parse().unwrap());
            reply
        }
        Reply::Raw(text) => {
            Response::builder().header("content-type", "application/json").body(Body::from(text)).unwrap()
        }
        Reply::Later(seconds) => Response::builder()
            .status(429)
            .header("retry-after", seconds.to_string())
            .body(Body::from("slow down"))
            .unwrap(),
        Reply::Html => Response::builder()
            .header("content-type", "text/html")
            .body(Body::from("<html><b>Welcome</b></html>"))
            .unwrap(),
        Reply::Never => {
            // Whoever waits for it has waited long enough.
            tokio::time::pause();
            tokio::time::advance(PATIENCE).await;
            tokio::time::resume();
            std::future::pending().await
        }
        Reply::Endless => Response::builder().body(Body::from_stream(endless())).unwrap(),
        Reply::To(place) => {
            Response::builder().status(302).header("location", place).body(Body::empty()).unwrap()
        }
        Reply::Cut => {
            let first = Ok::<_, std::io::Error>(Bytes::from("{\"ok\":"));
            let broken = Err(std::io::Error::other("gone"));
            Response::builder().body(Body::from_stream(stream::iter([first, broken]))).unwrap()
        }
    }
}

fn user(id: &str, name: &str, handle: &str, followers: u64) -> Value {
    json!({"id": id, "name": name, "handle": handle, "follower_count": followers, "track_count": 12, "bio": "Makes music"})
}

fn track(id: &str, title: &str, plays: u64) -> Value {
    json!({"id": id, "title": title, "play_count": plays, "genre": "Electronic", "duration": 180,
        "user": user("U1", "Example Artist", "example_artist", 4321)})
}

fn playlist(id: &str, name: &str, plays: u64) -> Value {
    json!({"id": id, "playlist_name": name, "total_play_count": plays,
        "user": user("U1", "Example Artist", "example_artist", 4321)})
}

fn said(query: &str, name: &str) -> String {
    let pair = query.split('&').find_map(|pair| pair.strip_prefix(&format!("{name}=")));
    pair.unwrap_or_default().replace('+', " ").replace("%20", " ").to_lowercase()
}

fn usual(path: &str, query: &str, hosts: &[String]) -> Option<Value> {
    let tracks = [
        track("D7KyD", "Example Track", 1234),
        track("T2", "Second Song", 987_654),
        track("T3", "Night Drive", 7),
    ];
    let playlists = [playlist("P1", "Night Drive", 5000), playlist("P2", "Morning", 10)];
    let users = [
        user("U1", "Example Artist", "example_artist", 4321),
        user("U2", "Skrillex", "skrillex", 1_000_000),
        user("U3", "Skrillex Fans", "fans_of_skrillex", 3),
    ];
    let holds = |value: &Value, fields: &[&str]| {
        let wanted = said(query, "query");
        fields
            .iter()
            .any(|field| value[field].as_str().is_some_and(|text| text.to_lowercase().contains(&wanted)))
    };
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    let data = match parts.as_slice() {
        [""] => json!(hosts),
        ["health_check"] => json!({"discovery_provider_healthy": true}),
        ["v1", "tracks", "trending"] | ["v1", "tracks", "trending", "underground"] => json!(tracks),
        ["v1", "tracks", "search"] => tracks.iter().filter(|one| holds(one, &["title"])).cloned().collect(),
        ["v1", "tracks", id] => tracks.iter().find(|one| one["id"] == *id)?.clone(),
        ["v1", "tracks", _, "favorites" | "reposts"] => json!([users[2]]),
        ["v1", "playlists", "trending"] => json!(playlists),
        ["v1", "playlists", "search"] => {
            playlists.iter().filter(|one| holds(one, &["playlist_name"])).cloned().collect()
        }
        ["v1", "playlists", id] => playlists.iter().find(|one| one["id"] == *id)?.clone(),
        ["v1", "playlists", _, "tracks"] => json!(tracks[1..]),
        ["v1", "users", "search"] => {
            users.iter().filter(|one| holds(one, &["name", "handle"])).cloned().collect()
        }
        ["v1", "users", "handle", handle] => users.iter().find(|one| one["handle"] == *handle)?.clone(),
        ["v1", "users", id] => users.iter().find(|one| one["id"] == *id)?.clone(),
        ["v1", "users", _, "tracks"] => json!(tracks),
        ["v1", "users", _, "playlists"] => json!(playlists),
        ["v1", "users", _, "followers" | "following" | "related" | "subscribers"] => json!(users),
        ["v1", "users", _, "supporters"] => json!([{"rank": 1, "amount": "5", "sender": users[0]}]),
        ["v1", "users", _, "tags"] => json!(["house", "techno"]),
        ["v1", "metrics", "genres"] => json!([{"name": "Electronic", "count": 4200}]),
        ["v1", "tips"] => json!([{"amount": "1000", "sender": users[2], "receiver": users[1]}]),
        _ => return None,
    };
    Some(json!({"data": data}))
}
