//! What is told, and what is not.

use crate::room::{Room, all, attribute, config, named, spans, taken, told_to};
use crate::server::{Play, Server};
use sayso::app::check_traces;
use sayso::config::Env;
use sayso::inbox::{Status, TraceView};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;

/// The paths of a tree of spans, by names.
fn seen(view: &TraceView, above: &str, found: &mut Vec<String>) {
    let path = format!("{above}/{}", view.name);
    for child in &view.children {
        seen(child, &path, found);
    }
    found.push(path);
}

fn told(span: &Value, spans: &BTreeMap<String, Value>) -> String {
    let above = span["parentSpanId"].as_str().map(|id| told(&spans[id], spans)).unwrap_or_default();
    format!("{above}/{}", span["name"].as_str().unwrap())
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
    let server = Server::play([taken()]).await;
    let headers = format!("headers = [\"x-api-key: $(<{})\", \"Langsmith-Project: desk\"]\n", key.display());
    let room = Room::open(folder.path(), &format!("{}{headers}", told_to(&server)));
    let thread = room.start("docs", json!({ "dir": project })).await;
    room.settle().await;
    assert_eq!(room.inbox.threads().outcome(thread.clone()).await.unwrap().status, Status::Done);

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
    let spans = all(&server);
    let tools: Vec<&Value> =
        spans.values().filter(|span| attribute(span, "gen_ai.tool.name").is_some()).collect();
    assert!(!tools.is_empty());
    for tool in &tools {
        assert_eq!(tool["name"], "execute_tool write");
        assert_eq!(attribute(tool, "gen_ai.operation.name"), Some(json!("execute_tool")));
    }
    let is_tool = |span: &Value| attribute(span, "gen_ai.tool.name").is_some();
    let mut have: Vec<String> =
        spans.values().filter(|span| !is_tool(span)).map(|span| told(span, &spans)).collect();
    let mut expected = Vec::new();
    seen(&room.inbox.threads().view(thread.clone()).await.unwrap().trace, "", &mut expected);
    have.sort();
    expected.sort();
    assert_eq!(have, expected);
    let agent = "/DocumentationGeneration-Complete/ExecuteAgents/Agent-file-structure";
    let first = format!("{agent}/file-structure-InitialAnalysis");
    assert!(have.contains(&first), "{have:#?}");

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
    let line = room.line().await.unwrap();
    assert!(line.error.is_none() && line.ok_at.is_some(), "{line:?}");
}

/// Row S09 for traces: contents leave only where they are wanted, and keys never.
#[tokio::test]
async fn s09_contents_are_told_on_request_and_secrets_never() {
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().join("notes");
    std::fs::create_dir(&notes).unwrap();
    let text = "The launch slipped because the supplier was late.\npassword: canary-pass-1\nmodel canary-model-key-3\n\
                gate canary gate words\nAuthorization: Bearer canary-bearer-2\nsk-canary0123456789abcdefgh\n";
    std::fs::write(notes.join("launch.md"), text).unwrap();
    let server = Server::play([taken()]).await;
    let text = format!(
        "{}headers = [\"authorization: $GATE\"]\ncontents = \"on\"\n\
         [models.other]\nprovider = \"openai\"\nname = \"x\"\napi_key_env = \"MODEL_KEY\"\n",
        told_to(&server)
    );
    let env = Env::from_iter([("GATE", "canary gate words"), ("MODEL_KEY", "canary-model-key-3")]);
    let room = Room::with(folder.path(), &text, env);
    let query = "Why did the launch slip? My key is canary-model-key-3.";
    room.start("analyze", json!({ "query": query, "inputs": notes })).await;
    room.settle().await;
    let spans = all(&server);
    let said = spans.values().filter_map(|span| attribute(span, "gen_ai.input.messages"));
    let said: Vec<String> = said.map(|said| said.as_str().unwrap().to_owned()).collect();
    assert!(said.iter().any(|said| said.contains("Why did the launch slip?")), "{said:?}");
    for said in &said {
        let messages: Value = serde_json::from_str(said).unwrap();
        assert_eq!(messages[0]["parts"][0]["type"], "text", "{said}");
    }
    assert!(spans.values().any(|span| attribute(span, "gen_ai.output.messages").is_some()));
    for request in server.seen() {
        let bytes = request.body.to_string();
        assert!(!bytes.contains("canary"), "{bytes}");
    }
    assert!(server.seen().iter().all(|request| request.headers["authorization"] == "canary gate words"));
}

#[tokio::test]
async fn doctor_says_whether_the_endpoint_takes_them() {
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
        (taken(), Ok("takes them, names and numbers alone")),
        (
            Play::json(404, &json!({})),
            Err("takes no traces at that address (404); check `endpoint` in [traces]"),
        ),
        (Play::json(401, &json!({})), Err("does not let us in (401); check `headers` in [traces]")),
        (Play::json(307, &json!({})).header("location", "http://127.0.0.1:1/"), Err("check `endpoint`")),
        (page, Err("answers with a page for browsers; check `endpoint`")),
    ] {
        let server = Server::play([play]).await;
        match (check(&told_to(&server)).await.unwrap(), expected) {
            (Ok(said), Ok(expected)) | (Err(said), Err(expected)) => {
                assert!(said.contains(expected), "{said}")
            }
            (said, expected) => panic!("{said:?}, not {expected:?}"),
        }
        assert_eq!(spans(&server.seen()[0].body), Vec::<Value>::new(), "nothing is told to find out");
    }
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let why = check(&format!("[traces]\nendpoint = \"http://{gone}\"\n")).await.unwrap().unwrap_err();
    assert!(why.contains("cannot be reached") && why.contains("check the address"), "{why}");
    let unset = "[traces]\nendpoint = \"http://127.0.0.1:1\"\nheaders = [\"x-api-key: $NOT_THERE\"]\n";
    let why = check(unset).await.unwrap().unwrap_err();
    assert!(why.contains("the environment variable NOT_THERE is not set"), "{why}");
}
