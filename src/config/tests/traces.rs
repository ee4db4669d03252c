//! `[traces]`: what it means, and what is refused.

use super::*;

#[test]
fn traces_are_meant_as_written() {
    assert_eq!(resolve("").traces, None);
    let text = r#"
[traces]
endpoint = "https://cloud.langfuse.com/api/public/otel/"
headers = ["Authorization: $(pass show canary | head -1)", "x-api-key: $LANGSMITH_API_KEY", "X-Gate: $(< ~/.gate)", "Langsmith-Project: desk"]
"#;
    let traces = resolve(text).traces.unwrap();
    assert_eq!(traces.url, "https://cloud.langfuse.com/api/public/otel/v1/traces");
    let secret = |name: &str, secret| (name.to_owned(), Header::Secret(secret));
    assert_eq!(
        traces.headers,
        [
            secret("authorization", Secret::Command("pass show canary | head -1".to_owned())),
            secret("x-api-key", Secret::Env("LANGSMITH_API_KEY".to_owned())),
            secret("x-gate", Secret::File("/home/ada/.gate".into())),
            ("langsmith-project".to_owned(), Header::Text("desk".to_owned())),
        ]
    );
    let shown = shown(text, &inputs(), "traces.headers");
    assert_eq!(shown, "Authorization, x-api-key, X-Gate, Langsmith-Project");
    let written = resolve("[traces]\nendpoint = \"http://127.0.0.1:4318/v1/traces\"").traces.unwrap();
    assert_eq!(written.url, "http://127.0.0.1:4318/v1/traces");
}

#[track_caller]
fn refused(keys: &str, expected: &str) {
    let error = resolve_with(&format!("[traces]\n{keys}"), &inputs()).unwrap_err().to_string();
    assert!(error.contains(expected), "{error}");
    assert!(!error.contains("canary"), "{error}");
}

#[test]
fn what_cannot_be_meant_is_refused() {
    refused(
        "endpoint = \"http://traces.example.org\"",
        "must begin with https://, because secrets are sent there",
    );
    refused("endpoint = \"traces.example.org\"", "must begin with https:// or http://");
    refused("endpoint = \"https://x/?key=canary\"", "without ? or #");
    refused("headers = [\"X-Team: ops\"]", "endpoint");
    for header in
        ["Authorization: Basic canary", "x-api-key: canary", "X-Auth-Token: canary", "Cookie: canary"]
    {
        refused(&format!("endpoint = \"https://x\"\nheaders = [\"{header}\"]"), "itself; write $NAME");
    }
    for header in ["x-api-key: $canary", "x-api-key: $()", "x-api-key: $(<)", "x-api-key: $(canary"] {
        refused(&format!("endpoint = \"https://x\"\nheaders = [\"{header}\"]"), "is not followed by");
    }
    refused("endpoints = \"https://x\"", "endpoint");
}
