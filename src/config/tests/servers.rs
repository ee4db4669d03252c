//! `[[server]]`: what it means, and what is refused.

use super::*;

#[test]
fn servers_are_meant_as_written() {
    let text = r#"
[[server]]
name = "prod"
url = "https://agents.example.org/"
api_key_env = "LANGGRAPH_API_KEY"
token_command = "print-token --canary"
headers = ["X-Tenant: acme", "X-Gate: $GATE_PASS"]
graphs = ["email_agent"]
[[server]]
name = "desk"
url = "http://[::1]:2024"
every_seconds = 1
"#;
    let config = resolve(text);
    let [prod, desk] = config.servers.as_slice() else { panic!("{:?}", config.servers) };
    assert_eq!(prod.url, "https://agents.example.org");
    let secret = |name: &str| Header::Secret(Secret::Env(name.into()));
    let headers = [
        ("x-tenant", Header::Text("acme".into())),
        ("x-gate", secret("GATE_PASS")),
        ("x-api-key", secret("LANGGRAPH_API_KEY")),
        ("authorization", Header::Bearer(Secret::Command("print-token --canary".into()))),
    ];
    assert_eq!(prod.headers, headers.map(|(name, value)| (name.to_owned(), value)));
    assert_eq!(prod.every, Duration::from_secs(5));
    assert_eq!((desk.headers.is_empty(), desk.every), (true, Duration::from_secs(1)));
    assert_eq!(shown(text, &inputs(), "server.1.token_command"), "command print-token …");
}

#[track_caller]
fn refused(keys: &str, expected: &str) {
    let text = format!("[[server]]\nname = \"prod\"\n{keys}");
    let error = resolve_with(&text, &inputs()).unwrap_err().to_string();
    assert!(error.contains(expected), "{error}");
    assert!(!error.contains("canary"), "{error}");
}

#[test]
fn what_cannot_be_meant_is_refused() {
    refused("", "url");
    refused("url = \"agents.example.org\"", "must begin with https:// or http://");
    refused("url = \"https://ada:canary@agents.example.org\"", "must not hold a user or password");
    for far in [
        "http://agents.example.org",
        "http://10.0.0.8",
        "http://127.0.0.1.example.org",
        "http://localhost.org",
    ] {
        refused(&format!("url = \"{far}\""), "must begin with https://, because");
    }
    refused("url = \"https://x\"\napi_key_env = \"canary-key\"", "not the secret itself");
    refused(
        "url = \"https://x\"\nheaders = [\"Authorization: Bearer canary\"]",
        "must not hold authorization",
    );
    refused("url = \"https://x\"\nheaders = [\"canary\"]", "must be a header such as");
    refused("url = \"https://x\"\nheaders = [\"X-Gate: $canary\"]", "not followed by a variable's name");
    refused("url = \"https://x\"\ngraph = \"x\"", "graphs");
    refused("url = \"https://x\"\napi_key = \"canary\"", "api_key");
    refused("url = \"https://x\"\n[[server]]\nname = \"prod\"\nurl = \"https://y\"", "is taken already");
    let error = resolve_with("[[server]]\nname = \"a/b\"\nurl = \"https://x\"", &inputs()).unwrap_err();
    assert!(error.to_string().contains("one short word"), "{error}");
}
