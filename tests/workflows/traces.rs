//! Traces sent to a server on loopback: their shape, and what must not be in them.

use crate::support;
use crate::support::model_server::{Play, Server};
use crate::support::wire;
use sayso::agent::llm::Provider;
use sayso::app::{App, Driver, Scope, Setup, Traces, Until, check_traces};
use sayso::config::{Config, Env};
use sayso::engine::graph::ThreadId;
use sayso::inbox::door::drive_or_wait;
use sayso::inbox::{Status, TraceView};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

fn accepted() -> Play {
    Play::json(200, &json!({}))
}

fn endpoint(server: &Server) -> String {
    format!("[traces]\nendpoint = \"{}/api/otel\"\n", server.address)
}

fn config(folder: &Path, text: &str) -> Arc<Config> {
    let data = folder.join("data");
    std::fs::create_dir_all(&data).unwrap();
    std::fs::write(data.join("config.toml"), text).unwrap();
    support::config::load(&data, &Env::default())
}

/// Starts `docs` on a small project, with this config, and the server of its model.
async fn start(folder: &Path, text: &str) -> (App, ThreadId, Server) {
    let project = folder.join("bicycles");
    std::fs::create_dir_all(&project).unwrap();
    std::fs::write(project.join("README.md"), "# Velocipede\n\nIt counts laudanum drops.\n").unwrap();
    // The check of a page reads this; a page that no evaluation can be read of is taken as it is.
    let server = Server::play([wire::text(Provider::Openai, &["{\"is_wanted\": true}"])]).await;
    let model =
        format!("[model]\nprovider = \"openai\"\nname = \"written\"\nbase_url = \"{}/v1\"\n", server.address);
    let config = config(folder, &format!("{model}{text}"));
    let setup = Setup::open((*config).clone(), Env::default()).unwrap();
    let inbox = setup.inbox(setup.engine(setup.workflows().unwrap()));
    let traces = Traces::task(&inbox, &config, &Env::default());
    let app = traces.into_iter().fold(App::new(inbox.clone()), App::with);
    let started = inbox.threads().start("docs".to_owned(), json!({ "dir": project })).await.unwrap();
    (app, started.thread, server)
}

async fn drive(app: &App) {
    let never = std::future::pending();
    drive_or_wait(app.engine(), &Scope::All, Until::Idle, never, |_| {}).await.unwrap();
}

/// Runs `docs` on a small project, with this config, until it is done. Returns its thread and its trace.
async fn document(folder: &Path, text: &str) -> (ThreadId, TraceView) {
    let (app, thread, _model) = start(folder, text).await;
    app.run_with_background(drive(&app)).await;
    let view = app.inbox().threads().view(thread.clone()).await.unwrap();
    assert_eq!(view.status, Status::Done);
    (thread, view.trace)
}

/// The spans of a request.
fn spans(body: &Value) -> Vec<Value> {
    body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().clone()
}

fn attribute(span: &Value, key: &str) -> Option<Value> {
    let pair = span["attributes"].as_array()?.iter().find(|pair| pair["key"] == key)?;
    pair["value"].as_object()?.values().next().cloned()
}

/// Collects the path of names of every span in a tree.
fn view_paths(view: &TraceView, parent: &str, paths: &mut Vec<String>) {
    let path = format!("{parent}/{}", view.name);
    for child in &view.children {
        view_paths(child, &path, paths);
    }
    paths.push(path);
}

fn span_path(span: &Value, spans: &BTreeMap<String, Value>) -> String {
    let parent = span["parentSpanId"].as_str().map(|id| span_path(&spans[id], spans)).unwrap_or_default();
    format!("{parent}/{}", span["name"].as_str().unwrap())
}

#[tokio::test]
async fn a_trace_is_the_tree_a_person_sees() {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    std::fs::write(&key, "canary-traces-key\n").unwrap();
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();
    let server = Server::play([accepted()]).await;
    let headers = format!("headers = [\"x-api-key: $(<{})\", \"Langsmith-Project: desk\"]\n", key.display());
    let (thread, trace) = document(folder.path(), &format!("{}{headers}", endpoint(&server))).await;

    let seen = server.seen();
    let [request] = seen.as_slice() else { panic!("one request for one thread: {}", seen.len()) };
    assert_eq!(request.path, "/api/otel/v1/traces");
    assert_eq!(request.headers["content-type"], "application/json");
    assert_eq!(request.headers["x-api-key"], "canary-traces-key");
    assert_eq!(request.headers["langsmith-project"], "desk");
    assert_eq!(
        attribute(&request.body["resourceSpans"][0]["resource"], "service.name"),
        Some(json!("sayso"))
    );
    // Names and numbers, and nothing of what was read or written.
    let bytes = request.body.to_string();
    for word in ["canary", "laudanum", "Velocipede", "bicycles"] {
        assert!(!bytes.contains(word), "{word}: {bytes}");
    }
    let by_id = |span: Value| (span["spanId"].as_str().unwrap().to_owned(), span);
    let spans: BTreeMap<String, Value> = spans(&request.body).into_iter().map(by_id).collect();
    let mut sent: Vec<String> = spans.values().map(|span| span_path(span, &spans)).collect();
    let mut expected = Vec::new();
    view_paths(&trace, "", &mut expected);
    sent.sort();
    expected.sort();
    assert_eq!(sent, expected);
    let agent = "/DocumentationGeneration-Complete/ExecuteAgents/Agent-file-structure";
    assert!(sent.contains(&format!("{agent}/file-structure-InitialAnalysis")), "{sent:#?}");
    let root = spans.values().find(|span| span["parentSpanId"].is_null()).unwrap();
    assert_eq!(attribute(root, "gen_ai.operation.name"), Some(json!("invoke_agent")));
    assert_eq!(attribute(root, "gen_ai.agent.name"), Some(json!("docs")));
    for span in spans.values() {
        assert_eq!(span["traceId"], root["traceId"]);
        let hex = |key: &str, length: usize| {
            let id = span[key].as_str().unwrap();
            id.len() == length && id.chars().all(|c| c.is_ascii_digit() || ('a'..='f').contains(&c))
        };
        assert!(hex("traceId", 32) && hex("spanId", 16), "{span}");
        let time = |key: &str| span[key].as_str().unwrap().parse::<u64>().unwrap();
        assert!(time("startTimeUnixNano") <= time("endTimeUnixNano") && time("startTimeUnixNano") > 1 << 60);
        assert_eq!(span["status"]["code"], 1, "{span}");
        assert_eq!(attribute(span, "session.id"), Some(json!(thread.as_str())));
    }
    let calls: Vec<&Value> = spans.values().filter(|span| span["kind"] == 3).collect();
    assert!(!calls.is_empty());
    for call in calls {
        assert_eq!(attribute(call, "gen_ai.operation.name"), Some(json!("chat")));
        assert_eq!(attribute(call, "gen_ai.request.model"), Some(json!("written")));
        assert!(attribute(call, "gen_ai.usage.input_tokens").is_some(), "{call}");
    }
}

#[tokio::test]
async fn what_ended_last_is_sent_before_the_process_stops_driving() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::play([accepted()]).await;
    let (app, _, _model) = start(folder.path(), &endpoint(&server)).await;
    drive(&app).await;
    assert_eq!(server.count(), 0);
    let mut driver = Driver::take(app.engine().clone()).await.unwrap().unwrap();
    app.drive(&mut driver, async {}).await.unwrap();
    assert_eq!(server.count(), 1);
}

#[tokio::test]
async fn a_server_that_takes_nothing_and_the_demo_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::play([Play::json(500, &json!({}))]).await;
    document(folder.path(), &endpoint(&server)).await;
    assert_eq!(server.count(), 1, "it is not sent again");
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("data")).unwrap();
    std::fs::write(folder.path().join("data/.sayso-demo"), "").unwrap();
    let server = Server::play([accepted()]).await;
    document(folder.path(), &endpoint(&server)).await;
    assert_eq!(server.count(), 0);
}

#[tokio::test]
async fn doctor_says_whether_the_endpoint_accepts_traces() {
    let folder = tempfile::tempdir().unwrap();
    let check = async |text: &str| check_traces(&config(folder.path(), text), &Env::default()).await;
    assert_eq!(check("").await, None);
    let page = Play { chunks: vec![b"<html>".to_vec()], ..Play::json(200, &json!({})) };
    for (play, expected) in [
        (accepted(), Ok("takes them")),
        (Play::json(404, &json!({})), Err("does not take traces (404); check `endpoint` in [traces]")),
        (Play::json(401, &json!({})), Err("does not let us in (401); check `headers` in [traces]")),
        (Play::json(307, &json!({})).header("location", "http://127.0.0.1:1/"), Err("check `endpoint`")),
        (page, Err("answers with a page for browsers")),
    ] {
        let server = Server::play([play]).await;
        match (check(&endpoint(&server)).await.unwrap(), expected) {
            (Ok(text), Ok(expected)) | (Err(text), Err(expected)) => {
                assert!(text.contains(expected), "{text}")
            }
            (result, expected) => panic!("{result:?}, not {expected:?}"),
        }
        assert_eq!(spans(&server.seen()[0].body), Vec::<Value>::new(), "the check sends no spans");
    }
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let why = check(&format!("[traces]\nendpoint = \"http://{gone}\"\n")).await.unwrap().unwrap_err();
    assert!(why.contains("cannot be reached"), "{why}");
    let unset = "[traces]\nendpoint = \"http://127.0.0.1:1\"\nheaders = [\"x-api-key: $NOT_THERE\"]\n";
    let why = check(unset).await.unwrap().unwrap_err();
    assert!(why.contains("the environment variable NOT_THERE is not set"), "{why}");
}
