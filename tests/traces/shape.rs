//! What a trace contains, and what it must not.

use crate::server::{Play, Server};
use crate::traced_inbox::{TracedInbox, accepted, all_spans, attribute, config, endpoint, named, spans};
use sayso::app::check_traces;
use sayso::config::Env;
use sayso::inbox::{Status, TraceView};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;

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
    let project = folder.path().join("bicycles");
    std::fs::create_dir(&project).unwrap();
    std::fs::write(project.join("README.md"), "# Velocipede\n\nIt counts laudanum drops.\n").unwrap();
    let server = Server::play([accepted()]).await;
    let headers = format!("headers = [\"x-api-key: $(<{})\", \"Langsmith-Project: desk\"]\n", key.display());
    let traced = TracedInbox::open(folder.path(), &format!("{}{headers}", endpoint(&server)));
    let thread = traced.start("docs", json!({ "dir": project })).await;
    traced.settle().await;
    assert_eq!(traced.inbox.threads().outcome(thread.clone()).await.unwrap().status, Status::Done);

    for request in server.seen() {
        assert_eq!(request.path, "/api/otel/v1/traces");
        assert_eq!(request.headers["content-type"], "application/json");
        assert_eq!(request.headers["x-api-key"], "canary-traces-key");
        assert_eq!(request.headers["langsmith-project"], "desk");
        let resource = &request.body["resourceSpans"][0];
        assert_eq!(attribute(&resource["resource"], "service.name"), Some(json!("sayso")));
        assert_eq!(resource["scopeSpans"][0]["scope"]["name"], "sayso");
        // Names and numbers, and nothing of what was read or written.
        let bytes = request.body.to_string();
        for word in ["canary", "laudanum", "Velocipede", "bicycles", "gen_ai.input.messages"] {
            assert!(!bytes.contains(word), "{word}: {bytes}");
        }
    }
    let spans = all_spans(&server);
    let tools: Vec<&Value> =
        spans.values().filter(|span| attribute(span, "gen_ai.tool.name").is_some()).collect();
    assert!(!tools.is_empty());
    for tool in &tools {
        assert_eq!(tool["name"], "execute_tool write");
        assert_eq!(attribute(tool, "gen_ai.operation.name"), Some(json!("execute_tool")));
    }
    let is_tool = |span: &Value| attribute(span, "gen_ai.tool.name").is_some();
    let mut sent: Vec<String> =
        spans.values().filter(|span| !is_tool(span)).map(|span| span_path(span, &spans)).collect();
    let mut expected = Vec::new();
    view_paths(&traced.inbox.threads().view(thread.clone()).await.unwrap().trace, "", &mut expected);
    sent.sort();
    expected.sort();
    assert_eq!(sent, expected);
    let agent = "/DocumentationGeneration-Complete/ExecuteAgents/Agent-file-structure";
    let first = format!("{agent}/file-structure-InitialAnalysis");
    assert!(sent.contains(&first), "{sent:#?}");

    let root = &named(&spans, "DocumentationGeneration-Complete")[0];
    assert_eq!(attribute(root, "gen_ai.operation.name"), Some(json!("invoke_agent")));
    assert_eq!(attribute(root, "gen_ai.agent.name"), Some(json!("docs")));
    assert_eq!(attribute(root, "gen_ai.conversation.id"), Some(json!(thread.as_str())));
    assert_eq!(root["parentSpanId"], Value::Null);
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
        assert_eq!(attribute(call, "gen_ai.provider.name"), Some(json!("sayso")));
        assert_eq!(attribute(call, "gen_ai.system"), Some(json!("sayso")));
        assert_eq!(attribute(call, "gen_ai.request.model"), Some(json!("builtin")));
        let tokens = attribute(call, "gen_ai.usage.input_tokens").unwrap();
        assert!(tokens.as_str().unwrap().parse::<u64>().is_ok(), "{call}");
    }
    let line = traced.line().await.unwrap();
    assert!(line.error.is_none() && line.ok_at.is_some(), "{line:?}");
}

/// Row S09 for traces: contents are sent only if the config says so, and keys never.
#[tokio::test]
async fn s09_contents_are_sent_on_request_and_secrets_never() {
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().join("notes");
    std::fs::create_dir(&notes).unwrap();
    let text = "The launch slipped because the supplier was late.\npassword: canary-pass-1\nmodel canary-model-key-3\n\
                gate canary gate words\nAuthorization: Bearer canary-bearer-2\nsk-canary0123456789abcdefgh\n";
    std::fs::write(notes.join("launch.md"), text).unwrap();
    let server = Server::play([accepted()]).await;
    let text = format!(
        "{}headers = [\"authorization: $GATE\"]\ncontents = \"on\"\n\
         [models.other]\nprovider = \"openai\"\nname = \"x\"\napi_key_env = \"MODEL_KEY\"\n",
        endpoint(&server)
    );
    let env = Env::from_iter([("GATE", "canary gate words"), ("MODEL_KEY", "canary-model-key-3")]);
    let traced = TracedInbox::with(folder.path(), &text, env);
    let query = "Why did the launch slip? My key is canary-model-key-3.";
    traced.start("analyze", json!({ "query": query, "inputs": notes })).await;
    traced.settle().await;
    let spans = all_spans(&server);
    let inputs = spans.values().filter_map(|span| attribute(span, "gen_ai.input.messages"));
    let inputs: Vec<String> = inputs.map(|input| input.as_str().unwrap().to_owned()).collect();
    assert!(inputs.iter().any(|input| input.contains("Why did the launch slip?")), "{inputs:?}");
    for input in &inputs {
        let messages: Value = serde_json::from_str(input).unwrap();
        assert_eq!(messages[0]["parts"][0]["type"], "text", "{input}");
    }
    assert!(spans.values().any(|span| attribute(span, "gen_ai.output.messages").is_some()));
    for request in server.seen() {
        let bytes = request.body.to_string();
        assert!(!bytes.contains("canary"), "{bytes}");
    }
    assert!(server.seen().iter().all(|request| request.headers["authorization"] == "canary gate words"));
}

#[tokio::test]
async fn doctor_says_whether_the_endpoint_accepts_traces() {
    let folder = tempfile::tempdir().unwrap();
    let check = async |text: &str| {
        let env = Env::default();
        check_traces(&config(folder.path(), text, &env), &env).await
    };
    assert_eq!(check("").await, None);
    let page = Play::json(200, &json!("<html>")).header("content-type", "text/html");
    let page = Play {
        chunks: vec![b"<html>".to_vec()],
        headers: vec![("content-type", "text/html".into())],
        ..page
    };
    for (play, expected) in [
        (accepted(), Ok("takes them, names and numbers alone")),
        (
            Play::json(404, &json!({})),
            Err("takes no traces at that address (404); check `endpoint` in [traces]"),
        ),
        (Play::json(401, &json!({})), Err("does not let us in (401); check `headers` in [traces]")),
        (Play::json(307, &json!({})).header("location", "http://127.0.0.1:1/"), Err("check `endpoint`")),
        (page, Err("answers with a page for browsers; check `endpoint`")),
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
    assert!(why.contains("cannot be reached") && why.contains("check the address"), "{why}");
    let unset = "[traces]\nendpoint = \"http://127.0.0.1:1\"\nheaders = [\"x-api-key: $NOT_THERE\"]\n";
    let why = check(unset).await.unwrap().unwrap_err();
    assert!(why.contains("the environment variable NOT_THERE is not set"), "{why}");
}
