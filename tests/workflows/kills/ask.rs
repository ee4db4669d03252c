//! A conversation with an API: a parameter is asked for, a request that changes something is approved and made, and
//! another question follows.

use super::*;
use crate::ask::ask_inbox::tasks;
use crate::ask::server;
use crate::support::FakeModel;
use crate::support::fake_model::words;
use crate::support::test_inbox::respond;
use sayso::agent::llm::{Reply, Scripted};
use sayso::config::Env;
use sayso::engine::graph::Decision;
use sayso::inbox::Status;
use serde_json::json;

const NEXT: &str = "Which tasks are at home?";

fn answer(home: &Path, request: &Request) -> Reply {
    note(home, request);
    let said = words(request);
    let api = if said.contains(NEXT) { "tasks/list_tasks" } else { "tasks/add_task" };
    let parameters = match said.contains("Buy tea") {
        true if api == "tasks/add_task" => json!({"list": "home", "title": "Buy tea"}),
        _ => json!({"list": "home"}),
    };
    Scripted::json(&match request.task.as_str() {
        "ask.select" => json!({"api": api, "parameters": parameters}),
        _ => json!({ "parameters": parameters }),
    })
}

fn open(home: &Path) -> TestInbox {
    let folder = home.to_owned();
    let model = FakeModel::by(move |request| Ok(answer(&folder, request)));
    let address = std::fs::read_to_string(home.join("server")).unwrap();
    TestInbox::builder()
        .in_folder(home)
        .config(format!("[apis.tasks]\nprivate = [\"{address}\"]\napi_key_env = \"TASKS_KEY\"\n"))
        .with_file("apis/tasks.json", tasks(&format!("http://{address}")).to_string())
        .env(Env::from_iter([("TASKS_KEY", "canary-key")]))
        .with_model(model)
        .open()
}

pub async fn live(home: &Path) {
    let inbox = open(home);
    let input = json!({"query": "Add something to my list at home", "follow_up": true});
    let thread = begun(&inbox, "ask", input).await;
    inbox.drive().await;
    while let Some(item) = inbox.open_items(&thread).await.pop() {
        let asked = inbox.state(&thread).await["message_history"].as_array().unwrap().len();
        let decision = match (item.args["parameter"].as_str(), asked) {
            (Some("title"), _) => respond("Buy tea"),
            (_, 2) if item.action == "question" => respond(NEXT),
            _ => Decision::Accept,
        };
        inbox.answer(&thread, decision).await;
    }
}

fn dies_at(point: &str) -> bool {
    let home = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = runtime.block_on(server::Server::start());
    let lists = json!([{"id": 7, "title": "Buy tea"}]);
    server.tell("/v1/lists", [server::Reply::Json(200, lists)]);
    std::fs::write(home.path().join("server"), format!("127.0.0.1:{}", server.port)).unwrap();
    let died = dies("ask", home.path(), point);
    let requests = server.asked();
    let made = |method: &str| requests.iter().filter(|line| line.starts_with(method)).count();
    // What only reads may be asked again.
    assert!(made("POST") == 1 && (1..=2).contains(&made("GET")), "{point}: {requests:?}");
    runtime.block_on(async {
        let inbox = open(home.path());
        let view = inbox.view(&thread_of(&inbox, "ask").await.unwrap()).await;
        assert_eq!(view.status, Status::Done, "{point}");
        assert_eq!(view.state["message_history"].as_array().unwrap().len(), 4, "{point}");
        assert_eq!((view.decisions.len(), view.effects.len()), (4, 1), "{point}");
        inbox.assert_intact(point);
    });
    died
}

#[test]
fn a_conversation_with_an_api_killed_at_every_other_step() {
    at_each("ask", &COMMITS, 2, dies_at);
}
