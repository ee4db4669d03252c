//! `sayso mcp` over plain lines of JSON.

use crate::runner::{Cli, CliOutput, captured, each, json, open, read, run, text, the_one, until};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// A client that sends lines and reads lines.
struct Client {
    child: Option<Child>,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    sent: u64,
}

impl Client {
    fn bare(cli: &Cli) -> Self {
        let mut command = cli.real();
        command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child: Some(child), stdin, stdout, sent: 0 }
    }

    fn new(cli: &Cli) -> Self {
        let mut client = Self::bare(cli);
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "tester", "version": "1"}});
        let reply = client.ask("initialize", hello);
        assert_eq!(reply["result"]["protocolVersion"], "2025-06-18");
        assert_eq!(reply["result"]["serverInfo"]["name"], "sayso");
        assert!(reply["result"]["capabilities"]["tools"].is_object());
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn raw(&mut self, line: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(line).unwrap();
        stdin.write_all(b"\n").unwrap();
        stdin.flush().unwrap();
    }

    fn send(&mut self, message: &Value) {
        self.raw(message.to_string().as_bytes());
    }

    /// The next message; everything on stdout is one.
    #[track_caller]
    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line:?}"));
        assert_eq!(message["jsonrpc"], "2.0");
        message
    }

    fn begin(&mut self, method: &str, params: Value) -> u64 {
        self.sent += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.sent, "method": method, "params": params}));
        self.sent
    }

    #[track_caller]
    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        let reply = self.next();
        assert_eq!(reply["id"], json!(id), "{reply}");
        reply
    }

    fn call(&mut self, tool: &str, arguments: Value) -> u64 {
        self.begin("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// The structured result of a call that worked.
    #[track_caller]
    fn result(&mut self, id: u64) -> Value {
        let reply = self.next();
        assert_eq!((&reply["id"], &reply["result"]["isError"]), (&json!(id), &json!(false)), "{reply}");
        let structured = reply["result"]["structuredContent"].clone();
        let again: Value =
            serde_json::from_str(reply["result"]["content"][1]["text"].as_str().unwrap()).unwrap();
        assert_eq!(structured, again, "the same for clients that know only text");
        structured
    }

    /// Closes its end and waits for the server to end.
    fn close(mut self) -> CliOutput {
        self.stdin = None;
        let mut rest = String::new();
        while self.stdout.read_line(&mut rest).unwrap() > 0 {}
        let mut output = captured(self.child.take().unwrap().wait_with_output().unwrap());
        output.out = rest;
        output
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[test]
fn the_tools_are_listed_and_the_rest_is_refused() {
    let cli = Cli::new();
    let mut client = Client::new(&cli);
    assert_eq!(client.ask("ping", json!({}))["result"], json!({}));
    let tools = client.ask("tools/list", json!({}))["result"]["tools"].clone();
    let names = ["ask_person", "request_approval", "notify_person", "approve_tool_call", "check_answer"];
    assert_eq!(each(&tools, "name"), names);
    assert!(tools.as_array().unwrap().iter().all(|tool| tool["inputSchema"]["type"] == "object"));
    assert_eq!(client.ask("resources/list", json!({}))["error"]["code"], -32601);
    assert_eq!(client.ask("tools/call", json!({"name": "rm"}))["error"]["code"], -32602);
    for (tool, arguments, expected) in [
        ("ask_person", json!({}), "question"),
        ("ask_person", json!({"question": "  "}), "one line"),
        (
            "ask_person",
            json!({"question": "x", "nonsense": 1}),
            "The person was not asked: 'nonsense' was unexpected",
        ),
        ("ask_person", json!({"question": "x", "nonsense": 1}), "takes `question` (required), `details`"),
        (
            "notify_person",
            json!({"title": "x", "text": "y"}),
            "The person was not told: 'text' was unexpected",
        ),
        ("notify_person", json!({"text": "y"}), "notify_person takes `title` (required), `details`, `key`"),
        ("request_approval", json!({"title": "x", "action": "a b"}), "action"),
        ("request_approval", json!({"title": "x", "action": "a", "arguments": [1]}), "arguments"),
        ("check_answer", json!({"ticket": "t00000000"}), "No answer was looked up: `t00000000` is no ticket"),
        ("check_answer", json!({"ticket": "i00000000"}), "there is no interrupt"),
    ] {
        let reply = client.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_eq!(reply["result"]["isError"], true, "{reply}");
        let output = text(&reply["result"]["content"][0]["text"]);
        assert!(output.contains(expected), "{expected}: {output}");
    }
    for (line, code) in [(&b"{"[..], -32700), (b"3", -32600), (b"\xff", -32700)] {
        client.raw(line);
        assert_eq!(client.next()["error"]["code"], code);
    }
    client.raw(b"");
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}}));
    assert_eq!(client.ask("ping", Value::Null)["result"], json!({}));
    assert_eq!(open(&cli).len(), 0);
    let output = client.close();
    assert_eq!((output.code, output.out.as_str(), output.err.as_str()), (0, "", ""));
    // Somebody who speaks something newer is told what is spoken here.
    let mut client = Client::bare(&cli);
    let reply = client.ask("initialize", json!({"protocolVersion": "2031-01-01", "capabilities": {}}));
    assert_eq!(reply["result"]["protocolVersion"], "2025-11-25");
}

#[test]
fn an_agent_asks_is_answered_and_does_as_it_is_told() {
    let cli = Cli::new();
    let mut client = Client::new(&cli);
    let call = client.call("ask_person", json!({"question": "Which region?", "details": "eu or us"}));
    let item = the_one(&cli);
    assert_eq!((&item["source"], &item["kind"]), (&json!("request: tester (mcp)"), &json!("question")));
    assert_eq!(item["allow"]["accept"], false, "it asks for words");
    json(&cli, &["respond", &text(&item["id"]), "eu"]);
    let reply = client.result(call);
    assert_eq!((&reply["answered"], &reply["type"]), (&json!(true), &json!("respond")));
    assert_eq!(reply["args"], "eu");
    let asked =
        json!({"title": "Deploy", "action": "deploy", "arguments": {"env": "prod"}, "folder": "/srv"});
    let call = client.call("request_approval", asked);
    let item = the_one(&cli);
    assert_eq!(item["action"], "request/deploy");
    json(&cli, &["edit", &text(&item["id"]), "--set", "env=stage"]);
    let reply = client.result(call);
    assert_eq!((&reply["type"], &reply["args"]), (&json!("edit"), &json!({"env": "stage"})));
    let call = client.call("notify_person", json!({"title": "The build is done"}));
    let reply = client.result(call);
    assert_eq!(reply["answered"], false);
    let told = "It is in the person's inbox. Go on; there is nothing to wait for.";
    assert_eq!(reply["message"], told, "nothing to come back for");
    let item = the_one(&cli);
    assert!(run(&cli, &["view", &text(&item["id"])]).out.contains("told by"), "{item}");
    assert_eq!((&item["kind"], &item["action"]), (&json!("triage"), &json!("request/notice")));
    json(&cli, &["accept", &text(&item["id"])]);
    let call = client.call("check_answer", json!({"ticket": reply["ticket"]}));
    assert_eq!(client.result(call)["type"], "accept");
}

#[test]
fn who_cannot_wait_gets_a_ticket() {
    let cli = Cli::new();
    let mut client = Client::new(&cli);
    let call = client.call("ask_person", json!({"question": "Well?", "wait_seconds": 0.1}));
    let reply = client.result(call);
    assert_eq!((&reply["answered"], &reply["type"]), (&json!(false), &Value::Null));
    let ticket = text(&reply["ticket"]);
    // Also after the server has gone, and from another one.
    assert_eq!(client.close().code, 0);
    assert_eq!(open(&cli).len(), 1, "a ticket was given");
    let mut client = Client::new(&cli);
    let call = client.call("check_answer", json!({"ticket": ticket, "wait_seconds": 0.1}));
    assert_eq!(client.result(call)["answered"], false);
    let call = client.call("check_answer", json!({"ticket": ticket}));
    json(&cli, &["ignore", &ticket]);
    let reply = client.result(call);
    assert_eq!(reply["type"], "ignore");
    assert_eq!(reply["message"], "The person said no. Do not do it.", "some models see nothing else");
}

#[test]
fn a_signal_takes_the_open_question_back() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let cli = Cli::new();
        let mut client = Client::new(&cli);
        client.call("request_approval", json!({"title": "Deploy", "action": "deploy"}));
        let id = text(&the_one(&cli)["id"]);
        // The client keeps its end open, as one does that is stopped together with its server.
        let mut child = client.child.take().unwrap();
        rustix::process::kill_process(rustix::process::Pid::from_child(&child), signal).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{signal:?}");
        assert_eq!(open(&cli), Vec::<Value>::new(), "{signal:?}");
        assert_eq!(read(&run(&cli, &["request", "--answer", &id]), 5)["type"], "withdrawn", "{signal:?}");
    }
}

#[test]
fn several_wait_at_once_report_and_are_cancelled_apart() {
    let cli = Cli::new();
    let mut client = Client::new(&cli);
    let ask = |client: &mut Client, question: &str, key: Option<&str>| {
        let mut arguments = json!({ "question": question });
        arguments.as_object_mut().unwrap().extend(key.map(|key| ("key".to_owned(), json!(key))));
        let params =
            json!({"name": "ask_person", "arguments": arguments, "_meta": {"progressToken": question}});
        let id = client.begin("tools/call", params);
        let progress = client.next();
        assert_eq!(progress["method"], "notifications/progress");
        let told = &progress["params"];
        assert_eq!((&told["progressToken"], &told["progress"]), (&json!(question), &json!(1)));
        assert!(text(&told["message"]).contains("ticket i"));
        id
    };
    let one = ask(&mut client, "One?", None);
    let two = ask(&mut client, "Two?", None);
    let kept = ask(&mut client, "Kept?", Some("k"));
    assert_eq!(open(&cli).len(), 3);
    let cancel = |client: &mut Client, id: u64| {
        let params = json!({"requestId": id, "reason": "enough"});
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
    };
    cancel(&mut client, one);
    cancel(&mut client, kept);
    until(|| open(&cli).len() == 2);
    let items = open(&cli);
    assert_eq!(each(&json(&cli, &["list"]), "title"), ["Two?", "Kept?"]);
    json(&cli, &["respond", &text(&items[0]["id"]), "two"]);
    // Nothing is said of those that were cancelled; progress may come in between.
    let reply = loop {
        let reply = client.next();
        if reply["method"] != "notifications/progress" {
            break reply;
        }
    };
    assert_eq!((&reply["id"], &reply["result"]["structuredContent"]["args"]), (&json!(two), &json!("two")));
    // Asked again with its key, it is the same question.
    json(&cli, &["respond", &text(&items[1]["id"]), "kept"]);
    let call = client.call("ask_person", json!({"question": "Kept?", "key": "k"}));
    assert_eq!(client.result(call)["args"], "kept");
    // A client that goes takes its open question with it.
    ask(&mut client, "Gone?", None);
    assert_eq!(client.close().code, 0);
    assert_eq!(open(&cli).len(), 0);
    let last = json(&cli, &["threads"])[0].clone();
    assert_eq!((&last["status"], &last["outcome"]), (&json!("done"), &json!("withdrawn")));
    assert_eq!(read(&run(&cli, &["request", "--answer", &text(&last["id"])]), 5)["type"], "withdrawn");
}

#[test]
fn a_line_without_end_is_not_read_for_ever() {
    let cli = Cli::new();
    let mut client = Client::new(&cli);
    let stdin = client.stdin.as_mut().unwrap();
    let _ = stdin.write_all(&vec![b'x'; 5 * 1024 * 1024]);
    let _ = stdin.flush();
    assert_eq!(client.next()["error"]["code"], -32700);
    let mut rest = String::new();
    assert_eq!(client.stdout.read_line(&mut rest).unwrap(), 0, "{rest}");
}
