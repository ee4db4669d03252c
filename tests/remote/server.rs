//! A LangGraph server on loopback, as far as sayso speaks with one: its threads ask what a test says, every resume is
//! written down as it came, and the next answers can go wrong in a named way.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, Response, StatusCode, Uri};
use futures_util::stream::{self, StreamExt};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

/// How a request for a run goes wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wrong {
    /// It is done, and the answer breaks off.
    CutAfter,
    /// Nothing is done, and the answer breaks off.
    CutBefore,
    /// It is done, and a gateway says 502.
    GatewayAfter,
    /// Nothing is done, and the server says 500.
    ErrorBefore,
    /// It is done, and a page for browsers comes back.
    PageAfter,
    /// Another run is under way.
    Busy,
    /// The request is refused.
    Refused,
    /// It is done, the answer breaks off, and the server is gone.
    GoneAfter,
}

/// An interrupt: its id, the text of its value, the text of its response schema.
pub type Asked = (String, String, Option<String>);

pub struct Thread {
    pub id: String,
    pub graph: String,
    pub title: String,
    pub asks: Vec<Asked>,
    /// What it asks after the next resumes.
    pub then: VecDeque<Vec<Asked>>,
    pub runs: Vec<Value>,
    pub ended: bool,
}

#[derive(Default)]
pub struct House {
    pub threads: Vec<Thread>,
    /// The bodies of requests for runs that were carried out.
    pub resumes: Vec<String>,
    /// How many requests for runs came at all.
    pub asked_for: usize,
    pub wrong: VecDeque<Wrong>,
    pub gone: bool,
    /// It lists its threads, and reading one of them takes forever.
    pub stuck: bool,
    /// In place of every search's answer.
    pub page: Option<String>,
    pub headers: HeaderMap,
}

#[derive(Clone, Default)]
pub struct LangGraph(Arc<Mutex<House>>);

/// The server, which can go and come back.
pub struct Server {
    pub at: SocketAddr,
    pub house: LangGraph,
    task: tokio::task::JoinHandle<()>,
}

impl Server {
    pub async fn open() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let at = listener.local_addr().unwrap();
        let house = LangGraph::default();
        let task = serve(listener, house.clone());
        Self { at, house, task }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.at)
    }

    /// Nobody answers from now on.
    pub async fn go(&mut self) {
        self.house.lock().gone = true;
        self.task.abort();
        let _ = (&mut self.task).await;
    }

    pub async fn come_back(&mut self) {
        self.house.lock().gone = false;
        let listener = tokio::net::TcpListener::bind(self.at).await.unwrap();
        self.task = serve(listener, self.house.clone());
    }
}

fn serve(listener: tokio::net::TcpListener, house: LangGraph) -> tokio::task::JoinHandle<()> {
    let router = Router::new().fallback(answer).with_state(house);
    tokio::spawn(async move {
        let _ = axum::serve(listener, router).await;
    })
}

impl LangGraph {
    pub fn lock(&self) -> MutexGuard<'_, House> {
        self.0.lock().unwrap()
    }

    /// A thread of `graph` that asks these, and later those.
    pub fn thread(&self, graph: &str, asks: Vec<Asked>, then: Vec<Vec<Asked>>) -> String {
        let mut house = self.lock();
        let id = format!("00000000-0000-4000-8000-{:012}", house.threads.len());
        let title = format!("thread {}", house.threads.len());
        let thread = Thread {
            id: id.clone(),
            graph: graph.to_owned(),
            title,
            asks,
            then: then.into(),
            runs: vec![json!({"run_id": "first", "status": "success", "metadata": {}})],
            ended: false,
        };
        house.threads.push(thread);
        id
    }

    /// One interrupt.
    pub fn asks(&self, graph: &str, value: &Value) -> String {
        self.thread(graph, vec![("int1".to_owned(), value.to_string(), None)], Vec::new())
    }

    /// Somebody else answers.
    pub fn settle(&self, id: &str) {
        let mut house = self.lock();
        let thread = house.threads.iter_mut().find(|thread| thread.id == id).unwrap();
        thread.asks = thread.then.pop_front().unwrap_or_default();
    }

    pub fn resumes(&self) -> Vec<String> {
        self.lock().resumes.clone()
    }

    /// What was sent as the resume of the only run, as text.
    pub fn resume(&self) -> String {
        let resumes = self.resumes();
        assert_eq!(resumes.len(), 1, "{resumes:?}");
        let body = &resumes[0];
        let from = body.find("\"resume\":").unwrap() + "\"resume\":".len();
        let to = body.find("},\"metadata\":").unwrap();
        body[from..to].to_owned()
    }
}

/// A connection that breaks in the middle of its answer.
fn cut() -> Response<Body> {
    let begun = stream::iter([Ok::<_, io::Error>(Bytes::from_static(b"{\"run_"))]);
    let broken = stream::once(async {
        tokio::task::yield_now().await;
        Err(io::Error::other("cut"))
    });
    Response::new(Body::from_stream(begun.chain(broken)))
}

fn reply(code: u16, text: String) -> Response<Body> {
    let status = StatusCode::from_u16(code).unwrap();
    Response::builder()
        .status(status)
        .header("content-type", "application/json")
        .body(Body::from(text))
        .unwrap()
}

fn missing() -> Response<Body> {
    reply(404, json!({"detail": "Thread not found"}).to_string())
}

async fn answer(
    State(house): State<LangGraph>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    if house.lock().stuck && method == Method::GET && uri.path().starts_with("/threads/") {
        std::future::pending::<()>().await;
    }
    let mut house = house.lock();
    house.headers = headers;
    // A connection that outlived its server.
    if house.gone {
        return cut();
    }
    let body = String::from_utf8(body.to_vec()).unwrap();
    let path: Vec<&str> = uri.path().trim_matches('/').split('/').collect();
    match (method.as_str(), path.as_slice()) {
        ("GET", ["info"]) => reply(200, json!({"version": "0.16.7"}).to_string()),
        ("POST", ["assistants", "search"]) => {
            let one = json!({"assistant_id": "a1", "graph_id": "agent", "name": "agent"});
            reply(200, json!([one]).to_string())
        }
        ("GET", ["assistants", _, "schemas"]) => {
            let schema = json!({"type": "object", "properties": {"task": {"type": "string"}, "n": {"type": "number"}}});
            reply(200, json!({ "input_schema": schema }).to_string())
        }
        ("POST", ["threads", "search"]) => search(&house, &serde_json::from_str(&body).unwrap()),
        ("POST", ["threads"]) => {
            let asked: Value = serde_json::from_str(&body).unwrap();
            let id = asked["thread_id"].as_str().unwrap().to_owned();
            if !house.threads.iter().any(|thread| thread.id == id) {
                let asks = vec![("int1".to_owned(), "\"How old are you?\"".to_owned(), None)];
                house.threads.push(Thread {
                    id,
                    graph: "agent".to_owned(),
                    title: "started".to_owned(),
                    asks: Vec::new(),
                    then: VecDeque::from([asks]),
                    runs: Vec::new(),
                    ended: false,
                });
            }
            reply(200, "{}".to_owned())
        }
        (_, ["threads", id, rest @ ..]) => {
            let (id, rest) = ((*id).to_owned(), rest.join("/"));
            thread(&mut house, method.as_str(), &id, &rest, body)
        }
        _ => reply(404, "{}".to_owned()),
    }
}

fn search(house: &House, asked: &Value) -> Response<Body> {
    if let Some(page) = &house.page {
        return reply(200, page.clone());
    }
    let number = |key: &str| asked[key].as_u64().unwrap() as usize;
    let waiting = asked["status"] == "interrupted";
    let all = house.threads.iter().rev().filter(|thread| !waiting || !thread.asks.is_empty());
    let page: Vec<String> = all.skip(number("offset")).take(number("limit")).map(written).collect();
    reply(200, format!("[{}]", page.join(",")))
}

fn written(thread: &Thread) -> String {
    let status = if thread.asks.is_empty() { "idle" } else { "interrupted" };
    let each = thread.asks.iter().map(|(id, value, schema)| {
        let schema = schema.as_deref().unwrap_or("null");
        format!(
            "{}:[{{\"id\":{},\"value\":{value},\"response_schema\":{schema}}}]",
            json!(format!("task-{id}")),
            json!(id)
        )
    });
    let interrupts = each.collect::<Vec<_>>().join(",");
    let metadata = json!({"graph_id": thread.graph, "assistant_id": "a1", "title": thread.title});
    let number: usize = thread.id[24..].parse().unwrap_or(0);
    format!(
        "{{\"thread_id\":{},\"status\":\"{status}\",\"metadata\":{metadata},\"interrupts\":{{{interrupts}}},\
         \"values\":{{\"messages\":[{{\"type\":\"human\",\"content\":\"please\"}}]}},\
         \"created_at\":\"2026-01-01T00:{:02}:00Z\",\"updated_at\":\"2026-01-01T00:00:00Z\"}}",
        json!(thread.id),
        number % 60,
    )
}

fn thread(house: &mut House, method: &str, id: &str, rest: &str, body: String) -> Response<Body> {
    let Some(at) = house.threads.iter().position(|thread| thread.id == id) else { return missing() };
    match (method, rest) {
        ("GET", "") => reply(200, written(&house.threads[at])),
        ("GET", "runs") => reply(200, json!(house.threads[at].runs).to_string()),
        ("GET", run) if run.starts_with("runs/") => {
            let runs = &house.threads[at].runs;
            let found = runs.iter().find(|known| run.ends_with(known["run_id"].as_str().unwrap()));
            found.map_or_else(missing, |run| reply(200, run.to_string()))
        }
        ("POST", "history") => {
            let first = json!({"values": {"task": "x"}, "next": ["ask"], "metadata": {"source": "input", "step": -1}});
            let last = json!({"values": {"task": "x", "n": 1}, "next": [], "metadata": {"source": "loop", "step": 0}});
            reply(200, json!([last, first]).to_string())
        }
        ("POST", "state") => {
            let thread = &mut house.threads[at];
            (thread.asks, thread.ended) = (Vec::new(), true);
            reply(200, "{}".to_owned())
        }
        ("POST", "runs") => run(house, at, body),
        _ => missing(),
    }
}

fn run(house: &mut House, at: usize, body: String) -> Response<Body> {
    house.asked_for += 1;
    let wrong = house.wrong.pop_front();
    match wrong {
        Some(Wrong::CutBefore) => return cut(),
        Some(Wrong::ErrorBefore) => return reply(500, "oops".to_owned()),
        Some(Wrong::Busy) => return reply(409, json!({"detail": "Thread is already running"}).to_string()),
        Some(Wrong::Refused) => {
            return reply(422, json!({"detail": "no such \u{1b}[2Jassistant"}).to_string());
        }
        Some(Wrong::CutAfter | Wrong::GatewayAfter | Wrong::PageAfter | Wrong::GoneAfter) | None => {}
    }
    let asked: Value = serde_json::from_str(&body).unwrap();
    let run = json!({"run_id": format!("run-{}", house.asked_for), "status": "success", "metadata": asked["metadata"]});
    house.resumes.push(body);
    let thread = &mut house.threads[at];
    thread.runs.insert(0, run.clone());
    thread.asks = thread.then.pop_front().unwrap_or_default();
    match wrong {
        Some(Wrong::CutAfter) => cut(),
        Some(Wrong::GoneAfter) => {
            house.gone = true;
            cut()
        }
        Some(Wrong::GatewayAfter) => reply(502, "<html>Bad gateway</html>".to_owned()),
        Some(Wrong::PageAfter) => reply(200, "<html>Welcome</html>".to_owned()),
        _ => reply(200, run.to_string()),
    }
}
