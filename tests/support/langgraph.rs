//! A LangGraph server on loopback, as much of it as sayso uses. Its threads ask what a test says, every resume is
//! recorded as it came, and the next replies can fail in a chosen way.

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
use tokio::net::TcpSocket;

/// What goes wrong with a request for a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
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
    /// The key is refused, and repeated.
    Unauthorized,
    /// It is done, the answer breaks off, and the server is gone.
    GoneAfter,
}

/// An interrupt: its id, the text of its value, the text of its response schema.
pub type Interrupt = (String, String, Option<String>);

pub struct Thread {
    pub id: String,
    pub graph: String,
    pub title: String,
    pub interrupts: Vec<Interrupt>,
    /// What it asks after each of the next resumes.
    pub next_interrupts: VecDeque<Vec<Interrupt>>,
    pub runs: Vec<Value>,
    pub ended: bool,
    /// How often it is still read as busy after a resume.
    pub busy_reads: usize,
    /// Why its run fails after the next resume.
    pub error: Option<String>,
}

#[derive(Default)]
pub struct ServerState {
    pub threads: Vec<Thread>,
    /// The bodies of requests for runs that were carried out.
    pub resumes: Vec<String>,
    /// How many requests for runs came, carried out or not.
    pub run_requests: usize,
    pub faults: VecDeque<Fault>,
    pub gone: bool,
    /// It lists its threads, and reading one of them takes forever.
    pub stuck: bool,
    /// Replaces the reply to every search.
    pub page: Option<String>,
    pub headers: HeaderMap,
}

#[derive(Clone, Default)]
pub struct LangGraph(Arc<Mutex<ServerState>>);

/// The server, which can be shut down and started again.
pub struct Server {
    pub address: SocketAddr,
    pub langgraph: LangGraph,
    task: tokio::task::JoinHandle<()>,
    /// Keeps the port for a restart. It doesn't listen, so nobody is answered while the server is down.
    _port: TcpSocket,
}

/// A socket at this address beside others of ours.
fn bound(address: SocketAddr) -> TcpSocket {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_reuseaddr(true).unwrap();
    socket.set_reuseport(true).unwrap();
    socket.bind(address).unwrap();
    socket
}

impl Server {
    pub async fn open() -> Self {
        let port = bound(SocketAddr::from(([127, 0, 0, 1], 0)));
        let address = port.local_addr().unwrap();
        let langgraph = LangGraph::default();
        let task = serve(address, langgraph.clone());
        Self { address, langgraph, task, _port: port }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Nobody answers from now on.
    pub async fn shut_down(&mut self) {
        self.langgraph.lock().gone = true;
        self.task.abort();
        let _ = (&mut self.task).await;
    }

    pub async fn restart(&mut self) {
        self.langgraph.lock().gone = false;
        self.task = serve(self.address, self.langgraph.clone());
    }
}

fn serve(address: SocketAddr, langgraph: LangGraph) -> tokio::task::JoinHandle<()> {
    let listener = bound(address).listen(1024).unwrap();
    let router = Router::new().fallback(answer).with_state(langgraph);
    tokio::spawn(async move {
        let _ = axum::serve(listener, router).await;
    })
}

impl LangGraph {
    pub fn lock(&self) -> MutexGuard<'_, ServerState> {
        self.0.lock().unwrap()
    }

    /// A thread of `graph` with these interrupts, and others after each resume.
    pub fn thread(&self, graph: &str, interrupts: Vec<Interrupt>, next: Vec<Vec<Interrupt>>) -> String {
        let mut state = self.lock();
        let id = format!("00000000-0000-4000-8000-{:012}", state.threads.len());
        let title = format!("thread {}", state.threads.len());
        let thread = Thread {
            id: id.clone(),
            graph: graph.to_owned(),
            title,
            interrupts,
            next_interrupts: next.into(),
            runs: vec![json!({"run_id": "first", "status": "success", "metadata": {}})],
            ended: false,
            busy_reads: 0,
            error: None,
        };
        state.threads.push(thread);
        id
    }

    /// A thread of `graph` with one interrupt.
    pub fn ask(&self, graph: &str, value: &Value) -> String {
        self.thread(graph, vec![("int1".to_owned(), value.to_string(), None)], Vec::new())
    }

    /// Somebody else answers.
    pub fn settle(&self, id: &str) {
        let mut state = self.lock();
        let thread = state.threads.iter_mut().find(|thread| thread.id == id).unwrap();
        thread.interrupts = thread.next_interrupts.pop_front().unwrap_or_default();
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
fn broken_reply() -> Response<Body> {
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
    State(langgraph): State<LangGraph>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    if langgraph.lock().stuck && method == Method::GET && uri.path().starts_with("/threads/") {
        std::future::pending::<()>().await;
    }
    let mut state = langgraph.lock();
    state.headers = headers;
    // A connection that outlived its server.
    if state.gone {
        return broken_reply();
    }
    let body = String::from_utf8(body.to_vec()).unwrap();
    let path: Vec<&str> = uri.path().trim_matches('/').split('/').collect();
    match (method.as_str(), path.as_slice()) {
        ("GET", ["info"]) => reply(200, json!({"version": "0.16.7"}).to_string()),
        ("POST", ["threads", "search"]) => search(&state, &serde_json::from_str(&body).unwrap()),
        (_, ["threads", id, rest @ ..]) => {
            let (id, rest) = ((*id).to_owned(), rest.join("/"));
            thread(&mut state, method.as_str(), &id, &rest, body)
        }
        _ => reply(404, "{}".to_owned()),
    }
}

fn search(state: &ServerState, request: &Value) -> Response<Body> {
    if let Some(page) = &state.page {
        return reply(200, page.clone());
    }
    let number = |key: &str| request[key].as_u64().unwrap() as usize;
    let waiting = request["status"] == "interrupted";
    let all = state.threads.iter().rev().filter(|thread| !waiting || !thread.interrupts.is_empty());
    let page: Vec<String> = all.skip(number("offset")).take(number("limit")).map(thread_json).collect();
    reply(200, format!("[{}]", page.join(",")))
}

fn thread_json(thread: &Thread) -> String {
    let status = match () {
        () if !thread.interrupts.is_empty() => "interrupted",
        () if thread.busy_reads > 0 => "busy",
        () if thread.error.is_some() => "error",
        () => "idle",
    };
    let error = json!({"error": "Exception", "message": thread.error});
    let each = thread.interrupts.iter().map(|(id, value, schema)| {
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
         \"error\":{error},\"created_at\":\"2026-01-01T00:{:02}:00Z\",\"updated_at\":\"2026-01-01T00:00:00Z\"}}",
        json!(thread.id),
        number % 60,
    )
}

fn thread(state: &mut ServerState, method: &str, id: &str, rest: &str, body: String) -> Response<Body> {
    let Some(index) = state.threads.iter().position(|thread| thread.id == id) else { return missing() };
    match (method, rest) {
        ("GET", "") => {
            let thread = &mut state.threads[index];
            let shown = thread_json(thread);
            if thread.interrupts.is_empty() {
                thread.busy_reads = thread.busy_reads.saturating_sub(1);
            }
            reply(200, shown)
        }
        ("GET", "runs") => reply(200, json!(state.threads[index].runs).to_string()),
        ("POST", "state") => {
            let thread = &mut state.threads[index];
            (thread.interrupts, thread.ended) = (Vec::new(), true);
            reply(200, "{}".to_owned())
        }
        ("POST", "runs") => run(state, index, body),
        _ => missing(),
    }
}

fn run(state: &mut ServerState, index: usize, body: String) -> Response<Body> {
    state.run_requests += 1;
    let fault = state.faults.pop_front();
    match fault {
        Some(Fault::CutBefore) => return broken_reply(),
        Some(Fault::ErrorBefore) => return reply(500, "oops".to_owned()),
        Some(Fault::Busy) => return reply(409, json!({"detail": "Thread is already running"}).to_string()),
        Some(Fault::Unauthorized) => {
            return reply(401, json!({"detail": "Invalid API key canary-key-7f3a"}).to_string());
        }
        Some(Fault::Refused) => {
            return reply(
                422,
                json!({"detail": "no such \u{1b}[2Jassistant for canary-key-7f3a"}).to_string(),
            );
        }
        Some(Fault::CutAfter | Fault::GatewayAfter | Fault::PageAfter | Fault::GoneAfter) | None => {}
    }
    let request: Value = serde_json::from_str(&body).unwrap();
    let run = json!({"run_id": format!("run-{}", state.run_requests), "status": "success", "metadata": request["metadata"]});
    state.resumes.push(body);
    let thread = &mut state.threads[index];
    thread.runs.insert(0, run.clone());
    thread.interrupts = thread.next_interrupts.pop_front().unwrap_or_default();
    match fault {
        Some(Fault::CutAfter) => broken_reply(),
        Some(Fault::GoneAfter) => {
            state.gone = true;
            broken_reply()
        }
        Some(Fault::GatewayAfter) => reply(502, "<html>Bad gateway</html>".to_owned()),
        Some(Fault::PageAfter) => reply(200, "<html>Welcome</html>".to_owned()),
        _ => reply(200, run.to_string()),
    }
}
