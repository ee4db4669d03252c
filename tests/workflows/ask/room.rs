//! A data folder whose APIs are served here.

use super::server::Server;
use crate::support::House;
use crate::support::courier::Street;
use crate::support::house::eager;
use sayso::app::{Engine, Settings, services};
use sayso::config::Env;
use sayso::graph::{Decision, ThreadId};
use sayso::inbox::{Item, Outcome};
use sayso::llm::{Builtin, Model, ModelError, Reply, Request, Scripted};
use sayso::service::Inbox;
use sayso::store::Store;
use sayso::tools::catalogue::Shelf;
use sayso::tools::http::{Http, Limits, Resolve};
use sayso::workflows::{self, Models, Picked};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::ops::Deref;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

pub struct Room {
    house: House,
    pub server: Server,
    script: Arc<Scripted>,
}

struct Cast(Arc<dyn Model>);

impl Models for Cast {
    fn pick(&self, _: &str, _: &str, _: Option<&str>) -> Result<Picked, ModelError> {
        Ok(Picked { model: self.0.clone(), name: "test".to_owned(), builtin: true, window: None })
    }

    fn known(&self, name: &str) -> Result<(), String> {
        if name == "test" { Ok(()) } else { Err("there is test".to_owned()) }
    }
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

impl Room {
    /// With the built-in rules.
    pub async fn new() -> Self {
        Self::with(None, eager()).await
    }

    /// With a model that says what a test wants.
    pub async fn scripted(answers: impl Fn(&Request) -> Value + Send + Sync + 'static) -> Self {
        let script = Scripted::by(move |request| Ok::<Reply, ModelError>(Scripted::json(&answers(request))));
        Self::with(Some(Arc::new(script)), eager()).await
    }

    pub async fn with(script: Option<Arc<Scripted>>, settings: Settings) -> Self {
        Self::configured(script, settings, |_| String::new()).await
    }

    /// With the built-in rules, and APIs that have servers at these ports of this machine, in this order.
    pub async fn reaching(ports: impl FnOnce(u16) -> Vec<u16>) -> Self {
        Self::furnished(None, eager(), |port| {
            let ports = ports(port);
            let quoted = |begin: &str| {
                let each: Vec<String> =
                    ports.iter().map(|port| format!("\"{begin}127.0.0.1:{port}\"")).collect();
                each.join(", ")
            };
            let (hosts, private) = (quoted("http://"), quoted(""));
            format!(
                "[apis.audius]\nhosts = [{hosts}]\nprivate = [{private}]\n\
                 [apis.tasks]\nhosts = [{hosts}]\nprivate = [{private}]\napi_key_env = \"TASKS_KEY\"\n"
            )
        })
        .await
    }

    /// With more in its config; `more` is told where the server listens.
    pub async fn configured(
        script: Option<Arc<Scripted>>,
        settings: Settings,
        more: impl FnOnce(u16) -> String,
    ) -> Self {
        Self::furnished(script, settings, |port| {
            format!(
                "[apis.audius]\nhost_list = \"http://127.0.0.1:{port}/\"\n\
                 private = [\"127.0.0.1:{port}\", \"127.0.0.1:1\"]\n\
                 [apis.tasks]\nprivate = [\"127.0.0.1:{port}\"]\napi_key_env = \"TASKS_KEY\"\n{}",
                more(port)
            )
        })
        .await
    }

    /// With this config; `config` is told where the server listens.
    async fn furnished(
        script: Option<Arc<Scripted>>,
        settings: Settings,
        config: impl FnOnce(u16) -> String,
    ) -> Self {
        let server = Server::start().await;
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let store = Store::open(&data).unwrap();
        let url = server.url();
        let config = config(server.port);
        std::fs::write(data.join("config.toml"), config).unwrap();
        std::fs::create_dir(data.join("apis")).unwrap();
        std::fs::write(data.join("apis/tasks.json"), tasks(&url).to_string()).unwrap();
        let env = Env::from_iter([("TASKS_KEY", "canary-key"), ("DEPOT_KEY", "canary-depot")]);
        let config = crate::support::config::load(&data, &env);
        let mut services = services(&config, env, &store);
        let limits = Limits { time: Duration::from_secs(3), bytes: 1 << 20, ..Limits::default() };
        services.http = Http::new(Arc::new(Nobody), limits);
        let script_or_rules: Arc<dyn Model> = match &script {
            Some(script) => script.clone(),
            None => Arc::new(Builtin::new("builtin", sayso::workflows::RULES)),
        };
        services.models = Arc::new(Cast(script_or_rules));
        let registry = workflows::all(&Arc::new(services)).unwrap();
        let inbox = Inbox::new(Engine::new(store, registry, settings));
        let street = Street::new(folder.path().join("street"));
        let house = House { folder, inbox, street, world: Default::default() };
        Self { house, server, script: script.unwrap_or_else(|| Arc::new(Scripted::texts([]))) }
    }

    /// Adds the API of a document.
    pub fn adds(&self, document: &str) {
        let folder = self.folder.path().join("data/apis");
        let shelf = Shelf::new(folder, BTreeMap::new(), Env::default());
        let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/openapi").join(document);
        shelf.add(&file, None).unwrap();
    }

    /// A question, driven until it rests.
    pub async fn ask(&self, query: &str) -> ThreadId {
        self.ask_with(query, json!({})).await
    }

    pub async fn ask_with(&self, query: &str, more: Value) -> ThreadId {
        let mut input = json!({"query": query});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let thread = self.start("ask", input).await;
        self.settle().await;
        thread
    }

    /// The answer to a question that needs nothing more.
    pub async fn answer(&self, query: &str) -> String {
        let thread = self.ask(query).await;
        self.answered(&thread).await
    }

    pub async fn answered(&self, thread: &ThreadId) -> String {
        let outcome = self.outcome(thread).await;
        let Some(output) = outcome.output else {
            panic!("no answer: {:?} {:?}", outcome.status, outcome.error)
        };
        output["answer"].as_str().unwrap().to_owned()
    }

    /// Decides the one open question, and drives on.
    pub async fn decides(&self, thread: &ThreadId, decision: Decision) -> Outcome {
        let id = self.asked(thread).await;
        self.decide(&id, decision).await.unwrap();
        self.settle().await;
        self.outcome(thread).await
    }

    pub async fn says(&self, thread: &ThreadId, text: &str) -> Outcome {
        self.decides(thread, Decision::Respond { text: text.to_owned() }).await
    }

    /// Goes on after an answer.
    pub async fn proceeds(&self, thread: &ThreadId, words: &str) {
        self.inbox.threads().proceed(thread.clone(), words.to_owned()).await.unwrap();
        self.settle().await;
    }

    pub async fn open(&self, thread: &ThreadId) -> Item {
        self.item(&self.asked(thread).await).await
    }

    pub async fn state(&self, thread: &ThreadId) -> Value {
        self.view(thread).await.state
    }

    /// Everything the model was asked.
    pub fn requests(&self) -> Vec<Request> {
        self.script.requests()
    }

    pub async fn revoke(&self, grant: &str) {
        self.inbox.grants().revoke(grant.to_owned()).await.unwrap();
    }
}

impl Deref for Room {
    type Target = House;

    fn deref(&self) -> &House {
        &self.house
    }
}
