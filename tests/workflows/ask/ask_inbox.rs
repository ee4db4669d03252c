//! An inbox whose APIs are served here.

use super::answers;
use super::server::PATIENCE;
use super::*;
use crate::support::{TestInbox, merged};
use sayso::agent::Services;
use sayso::config::Env;
use sayso::tools::catalogue::CatalogueStore;
use sayso::tools::http::{Http, Limits, Resolve};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::ops::Deref;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

pub struct AskInbox {
    inbox: TestInbox,
    pub server: Server,
}

/// Nobody has a name here.
struct Nobody;

impl Resolve for Nobody {
    fn resolve<'a>(
        &'a self,
        _: &'a str,
    ) -> Pin<Box<dyn Future<Output = std::io::Result<Vec<IpAddr>>> + Send + 'a>> {
        Box::pin(async { Err(std::io::Error::other("nobody knows that name")) })
    }
}

/// An API that changes things, besides Audius.
pub fn tasks(host: &str) -> Value {
    let text =
        |name: &str, place: &str| json!({"name": name, "description": name, "type": "string", "in": place});
    json!({
        "name": "tasks",
        "title": "Tasks",
        "hosts": [host],
        "auth": {"in": "bearer"},
        "operations": [
            {"id": "add_task", "category_name": "Tasks", "tool_name": "Add Task", "api_name": "Add Task",
             "api_description": "Adds a task to a list.", "method": "POST", "api_url": "/v1/lists/{list}/tasks",
             "required_parameters": [text("list", "path"), text("title", "body")],
             "optional_parameters": [text("note", "body")], "asks": ["add task"]},
            {"id": "list_tasks", "category_name": "Tasks", "tool_name": "List Tasks", "api_name": "List Tasks",
             "api_description": "The tasks of a list.", "method": "GET", "api_url": "/v1/lists/{list}/tasks",
             "required_parameters": [text("list", "path")], "optional_parameters": [], "asks": ["list task", "show task"]},
        ]
    })
}

/// A model that knows the questions of these tests.
pub fn knowing() -> FakeModel {
    FakeModel::by(|request| Ok(Scripted::json(&answers::answer(request))))
}

impl AskInbox {
    /// With a model that knows the questions of these tests.
    pub async fn new() -> Self {
        Self::with(knowing(), |_| String::new()).await
    }

    /// With a model that answers like this.
    pub async fn by(answer: impl Fn(&Request) -> Value + Send + Sync + 'static) -> Self {
        let model = FakeModel::by(move |request| Ok(Scripted::json(&answer(request))));
        Self::with(model, |_| String::new()).await
    }

    /// With more in its config; `more` is told where the server listens.
    pub async fn with(model: FakeModel, more: impl FnOnce(u16) -> String) -> Self {
        Self::open(model, |port| {
            format!(
                "[apis.audius]\nhost_list = \"http://127.0.0.1:{port}/\"\n\
                 private = [\"127.0.0.1:{port}\", \"127.0.0.1:1\"]\n\
                 [apis.tasks]\nprivate = [\"127.0.0.1:{port}\"]\napi_key_env = \"TASKS_KEY\"\n{}",
                more(port)
            )
        })
        .await
    }

    /// With APIs that have servers at these ports of this machine, in this order.
    pub async fn reaching(ports: impl FnOnce(u16) -> Vec<u16>) -> Self {
        Self::open(knowing(), |port| {
            let ports = ports(port);
            let quoted = |begin: &str| {
                let each = ports.iter().map(|port| format!("\"{begin}127.0.0.1:{port}\""));
                each.collect::<Vec<_>>().join(", ")
            };
            let servers = format!("hosts = [{}]\nprivate = [{}]\n", quoted("http://"), quoted(""));
            format!("[apis.audius]\n{servers}[apis.tasks]\n{servers}api_key_env = \"TASKS_KEY\"\n")
        })
        .await
    }

    /// Where no server can be found.
    pub async fn offline() -> Self {
        Self::open(knowing(), |_| String::new()).await
    }

    /// With this config; `config` is told where the server listens.
    async fn open(model: FakeModel, config: impl FnOnce(u16) -> String) -> Self {
        Self::open_with(model, config, |_| {}).await
    }

    /// With other services, too.
    pub async fn open_with(
        model: FakeModel,
        config: impl FnOnce(u16) -> String,
        change: impl FnOnce(&mut Services) + Send + 'static,
    ) -> Self {
        let server = Server::start().await;
        let limits = Limits { time: PATIENCE, bytes: 1 << 20, ..Limits::default() };
        let inbox = TestInbox::builder()
            .config(config(server.port))
            .with_file("apis/tasks.json", tasks(&server.url()).to_string())
            .env(Env::from_iter([("TASKS_KEY", "canary-key"), ("DEPOT_KEY", "canary-depot")]))
            .with_model(model)
            .with_services(move |services| {
                services.http = Http::new(Arc::new(Nobody), limits);
                change(services);
            })
            .open();
        Self { inbox, server }
    }

    /// Adds the API of a document.
    pub fn add_api(&self, document: &str) {
        let folder = self.data().join("apis");
        let shelf = CatalogueStore::new(folder, BTreeMap::new(), Env::default());
        let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/openapi").join(document);
        shelf.add(&file, None).unwrap();
    }

    /// A question, driven until it rests.
    pub async fn ask(&self, query: &str) -> ThreadId {
        self.ask_with(query, json!({})).await
    }

    pub async fn ask_with(&self, query: &str, more: Value) -> ThreadId {
        self.run("ask", merged(json!({"query": query}), more)).await
    }

    /// The answer to a question that needs nothing more.
    pub async fn answer_to(&self, query: &str) -> String {
        let thread = self.ask(query).await;
        self.answer_of(&thread).await
    }

    pub async fn answer_of(&self, thread: &ThreadId) -> String {
        let outcome = self.outcome(thread).await;
        let Some(output) = outcome.output else {
            let question = self.state(thread).await["messages"].clone();
            panic!("no answer: {:?} {:?} {question}", outcome.status, outcome.error)
        };
        output["answer"].as_str().unwrap().to_owned()
    }

    /// The first question of a conversation.
    pub async fn converse(&self, query: &str) -> ThreadId {
        self.ask_with(query, json!({"follow_up": true})).await
    }

    /// The last request to the API.
    pub fn last_asked(&self) -> String {
        self.server.asked().pop().unwrap()
    }
}

impl Deref for AskInbox {
    type Target = TestInbox;

    fn deref(&self) -> &TestInbox {
        &self.inbox
    }
}
