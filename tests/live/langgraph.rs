//! A real LangGraph server (`langgraph dev`): graphs that ask in all four shapes, in parallel and nested, answered by
//! the real program and checked on the server.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(120);

/// A process that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

struct Lab {
    home: tempfile::TempDir,
    url: String,
    _server: Running,
    _watch: Option<Running>,
}

fn program() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let custom = std::env::var_os("SAYSO_LANGGRAPH").map(PathBuf::from);
    let program = custom.unwrap_or_else(|| root.join("target/langgraph/bin/langgraph"));
    program.exists().then_some(program)
}

async fn wait_until<T>(what: &str, condition: impl AsyncFn() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(value) = condition().await {
            return value;
        }
        assert!(Instant::now() < deadline, "{what} did not happen");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

impl Lab {
    /// The server and a data folder that is driven.
    async fn open(program: &Path) -> Self {
        let mut lab = Self::undriven(program).await;
        let watch = command(lab.home.path(), &["watch"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        lab._watch = Some(Running(watch.unwrap()));
        lab
    }

    async fn undriven(program: &Path) -> Self {
        let home = tempfile::tempdir().unwrap();
        let graphs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/live/langgraph");
        for name in ["graphs.py", "langgraph.json"] {
            std::fs::copy(graphs.join(name), home.path().join(name)).unwrap();
        }
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let log = std::fs::File::create(home.path().join("server.log")).unwrap();
        let server = Command::new(program)
            .args(["dev", "--no-browser", "--no-reload", "--host", "127.0.0.1", "--port", &port.to_string()])
            .current_dir(home.path())
            .envs([("LANGSMITH_TRACING", "false"), ("LANGGRAPH_CLI_NO_ANALYTICS", "1")])
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        let server = Running(server);
        let url = format!("http://127.0.0.1:{port}");
        let config = format!(
            "[approvals]\nhold_seconds = 0\n[[server]]\nname = \"live\"\nurl = \"{url}\"\nevery_seconds = 1\n"
        );
        std::fs::write(home.path().join("config.toml"), config).unwrap();
        wait_until("the server", async || {
            crate::http().get(format!("{url}/ok")).send().await.ok()?.error_for_status().ok()
        })
        .await;
        Self { home, url, _server: server, _watch: None }
    }

    async fn post(&self, path: &str, body: Value) -> Value {
        let request = crate::http().post(format!("{}{path}", self.url));
        let sent =
            request.header("content-type", "application/json").body(body.to_string()).send().await.unwrap();
        serde_json::from_str(&sent.text().await.unwrap()).unwrap()
    }

    async fn thread(&self, id: &str) -> Value {
        let sent = crate::http().get(format!("{}/threads/{id}", self.url)).send().await.unwrap();
        serde_json::from_str(&sent.text().await.unwrap()).unwrap()
    }

    /// A thread of the server, run until it asks.
    async fn run(&self, graph: &str) -> String {
        let thread = self.post("/threads", json!({})).await;
        let id = thread["thread_id"].as_str().unwrap().to_owned();
        let input = json!({"task": "x", "messages": [{"role": "user", "content": "go"}]});
        self.post(&format!("/threads/{id}/runs/wait"), json!({"assistant_id": graph, "input": input})).await;
        assert_eq!(self.thread(&id).await["status"], "interrupted", "{graph}");
        id
    }

    fn sayso(&self, args: &[&str]) -> Value {
        let mut args = args.to_vec();
        args.push("--json");
        let output = command(self.home.path(), &args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// The open items of a thread of the server, once there are `count` of them.
    async fn wait_for_items(&self, thread: &str, count: usize) -> Vec<Value> {
        wait_until("the question", async || {
            let all = self.sayso(&["list"]);
            let ours =
                all.as_array().unwrap().iter().filter(|item| item["text"].as_str().unwrap().contains(thread));
            let ours: Vec<Value> = ours.cloned().collect();
            (ours.len() == count).then_some(ours)
        })
        .await
    }

    async fn wait_until_idle(&self, id: &str) -> Value {
        wait_until("the end", async || {
            Some(self.thread(id).await).filter(|thread| thread["status"] == "idle")
        })
        .await
    }
}

fn command(home: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sayso"));
    command.env_clear().env("HOME", home).args(args);
    command.arg("--data").arg(home.join("data")).arg("--config").arg(home.join("config.toml"));
    command
}

fn id<'i>(items: &'i [Value], action: &str) -> &'i str {
    items.iter().find(|item| item["action"] == action).unwrap()["id"].as_str().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs `langgraph dev`, which .ci/run installs from PyPI"]
async fn every_shape_is_answered_on_a_real_server() {
    let Some(program) = program() else {
        println!("langgraph is not installed; nothing was tried");
        return;
    };
    let lab = Lab::open(&program).await;
    let args = json!({"to": "bo@example.org", "amount": 1.0, "count": 3, "big": 9007199254740993_i64, "deep": {"x": null, "y": [true]}});
    let accepted = json!({"type": "accept", "args": {"action": "send_mail", "args": args}});

    // The answer is a list for a list and for a bare object, and every type arrives as it left.
    let (listed, bare) = (lab.run("listed").await, lab.run("bare").await);
    let item = lab.wait_for_items(&listed, 1).await;
    lab.sayso(&["accept", id(&item, "send_mail")]);
    let answers = lab.wait_until_idle(&listed).await["values"]["answers"].to_string();
    assert_eq!(answers, json!([[accepted]]).to_string());
    let item = lab.wait_for_items(&bare, 1).await;
    lab.sayso(&["edit", id(&item, "send_mail"), "--set", "to=cy", "--set", "amount=2"]);
    let answer = lab.wait_until_idle(&bare).await["values"]["answers"][0][0].clone();
    assert_eq!(answer["type"], "edit");
    assert_eq!(answer["args"]["args"]["amount"].to_string(), "2.0");
    assert_eq!(answer["args"]["args"]["big"].to_string(), "9007199254740993");
    for graph in ["first_of_listed", "first_of_bare"] {
        let thread = lab.run(graph).await;
        lab.sayso(&["accept", id(&lab.wait_for_items(&thread, 1).await, "send_mail")]);
        assert_eq!(lab.wait_until_idle(&thread).await["values"]["answers"], json!(["accept"]), "{graph}");
    }

    // Words, asked twice in one node, and ended.
    let (free, twice) = (lab.run("free").await, lab.run("twice").await);
    let item = lab.wait_for_items(&free, 1).await;
    lab.sayso(&["edit", id(&item, "question"), "--args", r#"{"answer": {"colour": "blue"}}"#]);
    assert_eq!(lab.wait_until_idle(&free).await["values"]["answers"], json!([{"colour": "blue"}]));
    for (title, words) in [("first?", "one"), ("second?", "two")] {
        let item = wait_until("the question", async || {
            lab.wait_for_items(&twice, 1).await.into_iter().find(|item| item["title"] == title)
        })
        .await;
        lab.sayso(&["respond", item["id"].as_str().unwrap(), words]);
    }
    assert_eq!(lab.wait_until_idle(&twice).await["values"]["answers"], json!(["one", "two"]));

    // Side by side, resumed at once; and within another graph.
    let (parallel, nested) = (lab.run("parallel").await, lab.run("nested").await);
    let items = lab.wait_for_items(&parallel, 2).await;
    lab.sayso(&["ignore", id(&items, "send_mail")]);
    assert_eq!(lab.thread(&parallel).await["status"], "interrupted");
    lab.sayso(&["respond", id(&items, "question"), "42"]);
    let answers = lab.wait_until_idle(&parallel).await["values"]["answers"].clone();
    assert_eq!(answers, json!([{"left": [{"type": "ignore", "args": null}]}, {"right": "42"}]));
    let item = lab.wait_for_items(&nested, 1).await;
    lab.sayso(&["respond", id(&item, "send_mail"), "shorter"]);
    let answer = json!([[{"type": "response", "args": "shorter"}]]);
    assert_eq!(lab.wait_until_idle(&nested).await["values"]["answers"], answer);

    // Two questions that differ only in their words: each card shows its own, and each gets its own answer.
    let two = lab.run("two_free").await;
    let items = lab.wait_for_items(&two, 2).await;
    for (question, other, words) in
        [("Which colour?", "Which size?", "blue"), ("Which size?", "Which colour?", "large")]
    {
        let item = items.iter().find(|item| item["title"] == question).unwrap();
        let card = item["text"].as_str().unwrap();
        assert!(card.contains(question) && !card.contains(other), "{card}");
        lab.sayso(&["respond", item["id"].as_str().unwrap(), words]);
    }
    let answers = json!([{"left": "blue"}, {"right": "large"}]);
    assert_eq!(lab.wait_until_idle(&two).await["values"]["answers"], answers);

    // LangChain's middleware, batched and one a call.
    for graph in ["batched", "per_call"] {
        let thread = lab.run(graph).await;
        let items = lab.wait_for_items(&thread, 2).await;
        lab.sayso(&["edit", id(&items, "send_mail"), "--set", "to=cy@example.org"]);
        lab.sayso(&["ignore", id(&items, "delete_file")]);
        let values = lab.wait_until_idle(&thread).await["values"].to_string();
        assert!(values.contains("sent to cy@example.org with 1.0"), "{graph}: {values}");
        assert!(!values.contains("deleted /x"), "{graph}: {values}");
    }

    // Ended from here, and shown as the server has it.
    let ended = lab.run("free").await;
    let item = lab.wait_for_items(&ended, 1).await.remove(0);
    lab.sayso(&["ignore", item["id"].as_str().unwrap()]);
    assert_eq!(lab.wait_until_idle(&ended).await["values"]["task"], "x");
    let shown = lab.sayso(&["show", item["thread"].as_str().unwrap()]);
    assert_eq!((&shown["state"]["thread"], &shown["state"]["status"]), (&json!(ended), &json!("idle")));
    let threads = lab.sayso(&["threads"]);
    assert_eq!(threads.as_array().unwrap().len(), 12, "{threads:#}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs `langgraph dev`, which .ci/run installs from PyPI"]
async fn list_looks_at_a_real_server_where_nobody_drives() {
    let Some(program) = program() else {
        println!("langgraph is not installed; nothing was tried");
        return;
    };
    let lab = Lab::undriven(&program).await;
    let thread = lab.run("free").await;
    let checks = lab.sayso(&["doctor"]);
    let server = checks.as_array().unwrap().iter().find(|check| check["check"] == "server").unwrap();
    assert!(server["text"].as_str().unwrap().ends_with("1 thread is waiting"), "{server}");
    let items = lab.sayso(&["list"]);
    assert_eq!((items.as_array().unwrap().len(), &items[0]["title"]), (1, &json!("Which colour?")));
    // The driver sends what is decided; another `list` does not.
    let item = items[0]["id"].as_str().unwrap();
    lab.sayso(&["respond", item, "blue"]);
    assert_eq!(lab.sayso(&["list"]), json!([]));
    assert_eq!(lab.thread(&thread).await["status"], "interrupted");
    lab.sayso(&["run"]);
    assert_eq!(lab.wait_until_idle(&thread).await["values"]["answers"], json!(["blue"]));
}
