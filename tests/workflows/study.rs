//! A folder to analyse, and models with a script.

use crate::support::House;
use crate::support::courier::Street;
use crate::support::house::eager;
use sayso::app::{Engine, services};
use sayso::config::Env;
use sayso::graph::{Decision, ThreadId};
use sayso::inbox::{Outcome, ThreadView};
use sayso::llm::{Message, ModelError, Reply, Request, Scripted, Usage};
use sayso::service::Inbox;
use sayso::store::Store;
use sayso::tools::sandbox::Sandbox;
use sayso::workflows::{self, Models, Picked};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;

/// A house with the real workflows, whose models are scripted.
pub struct Study {
    house: House,
    cast: Arc<Cast>,
}

struct Cast(BTreeMap<&'static str, Arc<Scripted>>);

impl Models for Cast {
    fn pick(&self, _: &str, _: &str, wanted: Option<&str>) -> Result<Picked, ModelError> {
        let model = self.0[wanted.unwrap_or("main")].clone();
        Ok(Picked { model, name: "scripted".to_owned(), builtin: false, window: None })
    }

    fn known(&self, name: &str) -> Result<(), String> {
        let names: Vec<&str> = self.0.keys().copied().collect();
        self.0.get(name).map(|_| ()).ok_or_else(|| format!("there are {}", names.join(", ")))
    }
}

/// A reply that cost something.
pub fn paid(text: &str) -> Result<Reply, ModelError> {
    let usage = Usage { input: 1000, output: 100, cached: 0 };
    Ok(Reply { usage, ..Scripted::text(text) })
}

pub fn refused() -> Result<Reply, ModelError> {
    Err(ModelError::Refused { model: "main".into(), why: "it would rather not".into() })
}

pub fn unreachable() -> Result<Reply, ModelError> {
    Err(ModelError::Unreachable { model: "main".into(), why: "nobody answers".into() })
}

impl Study {
    /// A study whose main model gives these answers.
    pub fn new(answers: impl IntoIterator<Item = Result<Reply, ModelError>>) -> Self {
        Self::with("", answers)
    }

    /// The same, with a config.
    pub fn with(config: &str, answers: impl IntoIterator<Item = Result<Reply, ModelError>>) -> Self {
        Self::played(config, Scripted::new(answers))
    }

    /// A study with this main model.
    pub fn played(config: &str, main: Scripted) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let store = Store::open(&data).unwrap();
        std::fs::write(data.join("config.toml"), config).unwrap();
        let config = crate::support::config::load(&data, &Env::default());
        let main = Arc::new(main);
        let cast = Arc::new(Cast(BTreeMap::from([
            ("main", main),
            (
                "other",
                Arc::new(Scripted::by(|request| Ok(Scripted::text(&format!("Other: {}", request.task))))),
            ),
        ])));
        let mut services = services(&config, Env::default(), &store);
        services.models = cast.clone();
        // The program itself answers to the sandbox's hidden verb; this test does not.
        services.sandbox = Sandbox::of(env!("CARGO_BIN_EXE_sayso").into());
        let registry = workflows::all(&Arc::new(services)).unwrap();
        let inbox = Inbox::new(Engine::new(store, registry, eager()));
        let street = Street::new(folder.path().join("street"));
        let house = House { folder, inbox, street, world: Default::default() };
        let study = Self { house, cast };
        study.write("notes.md", "The launch slipped by three weeks.");
        study
    }

    pub fn inputs(&self) -> PathBuf {
        self.house.folder.path().join("inputs")
    }

    /// Puts a file into the folder.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.inputs().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// The files of the folder, by name.
    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.inputs()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.inputs().join(name)).unwrap()
    }

    pub fn input(&self) -> Value {
        json!({"query": "Why did the launch slip?", "inputs": self.inputs()})
    }

    /// An analysis, driven to its first question.
    pub async fn begun(&self) -> ThreadId {
        self.begun_with(json!({})).await
    }

    pub async fn begun_with(&self, more: Value) -> ThreadId {
        let mut input = self.input();
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let thread = self.start("analyze", input).await;
        self.settle().await;
        thread
    }

    /// Answers, and drives on.
    pub async fn says(&self, thread: &ThreadId, text: &str) -> Outcome {
        self.respond(thread, text).await;
        self.settle().await;
        self.outcome(thread).await
    }

    /// Decides the one open question, and drives on.
    pub async fn decides(&self, thread: &ThreadId, decision: Decision) -> Outcome {
        let id = self.asked(thread).await;
        self.decide(&id, decision).await.unwrap();
        self.settle().await;
        self.outcome(thread).await
    }

    /// The open card as text.
    pub async fn card(&self, thread: &ThreadId) -> String {
        let id = self.asked(thread).await;
        self.item(&id).await.text
    }

    /// Everything the main model was asked.
    pub fn requests(&self) -> Vec<Request> {
        self.cast.0["main"].requests()
    }

    pub fn tasks(&self) -> Vec<String> {
        self.requests().into_iter().map(|request| request.task).collect()
    }

    /// How often another model was asked.
    pub fn others(&self) -> usize {
        self.cast.0["other"].requests().len()
    }

    /// The last words the main model was given.
    pub fn last_words(&self) -> String {
        match self.requests().pop().unwrap().messages.pop().unwrap() {
            Message::User { text } => text,
            other => panic!("{other:?}"),
        }
    }
}

impl Deref for Study {
    type Target = House;

    fn deref(&self) -> &House {
        &self.house
    }
}

/// Who said what, as `U:` and `A:` lines.
pub fn said(view: &ThreadView) -> Vec<String> {
    let turns = view.state["analysis_history"].as_array().unwrap();
    let line = |turn: &Value| {
        let who = if turn["role"] == "user" { "U" } else { "A" };
        format!("{who}:{}", turn["text"].as_str().unwrap())
    };
    turns.iter().map(line).collect()
}

/// What happened, step by step.
pub fn happened(view: &ThreadView) -> Vec<String> {
    let step = |step: &sayso::inbox::StepView| {
        let updates = step.updates.as_array().unwrap().iter().map(|u| u["what"].as_str().unwrap());
        format!("{}: {}", step.node, updates.collect::<Vec<_>>().join(" ")).trim_end().to_owned()
    };
    view.steps.iter().map(step).collect()
}
