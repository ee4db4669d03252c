//! A code base to document, and a script all agents follow.

use crate::study::Study;
use sayso::graph::{InterruptId, ThreadId};
use sayso::inbox::{Item, Outcome, ThreadQuery, ThreadView};
use sayso::llm::{Message, ModelError, Reply, Request, Scripted, Usage};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Mutex;

pub const AGENTS: [&str; 6] =
    ["file-structure", "dependency-analyzer", "architecture", "patterns", "data-flow", "testing"];

/// What the model answers to one request, where a test wants something special.
pub type Special = Box<dyn Fn(&str, &Request) -> Option<Result<Reply, ModelError>> + Send + Sync>;

/// What agents are told: scores by evaluation, the last one from then on.
pub struct Script {
    pub scores: Vec<f64>,
    pub for_person: bool,
    pub special: Special,
}

impl Default for Script {
    fn default() -> Self {
        Self { scores: vec![90.0], for_person: false, special: Box::new(|_, _| None) }
    }
}

pub struct Bureau(Study);

impl Deref for Bureau {
    type Target = Study;

    fn deref(&self) -> &Study {
        &self.0
    }
}

/// The agent a request is made for.
pub fn agent(request: &Request) -> String {
    request.facts["agent"].as_str().unwrap_or_default().to_owned()
}

/// The words of a request's last message.
pub fn words(request: &Request) -> String {
    match request.messages.last().unwrap() {
        Message::User { text } | Message::Tool { text, .. } => text.clone(),
        Message::Assistant { text, .. } => text.clone(),
    }
}

fn used(reply: Reply) -> Result<Reply, ModelError> {
    Ok(Reply { usage: Usage { input: 100, output: 10, cached: 0 }, ..reply })
}

pub fn scores(each: [f64; 4]) -> Value {
    json!({
        "completeness": each[0], "clarity": each[1], "depth": each[2], "accuracy": each[3],
        "missing_information": ["why it is so"],
    })
}

impl Bureau {
    pub fn new(script: Script) -> Self {
        Self::with("", script)
    }

    pub fn with(config: &str, script: Script) -> Self {
        let counts: Mutex<HashMap<String, usize>> = Mutex::default();
        let count = move |what: String| {
            let mut counts = counts.lock().unwrap();
            let count = counts.entry(what).or_default();
            *count += 1;
            *count - 1
        };
        let model = Scripted::by(move |request| {
            let agent = agent(request);
            if let Some(special) = (script.special)(&agent, request) {
                return special;
            }
            let nth = count(format!("{agent} {}", request.task));
            match request.task.as_str() {
                "docs.analyze" => used(Scripted::text(&format!("## Overview\n\nFirst of {agent}."))),
                "docs.evaluate" => {
                    let score = script.scores.get(nth).or(script.scores.last()).copied().unwrap();
                    used(Scripted::json(&scores([score; 4])))
                }
                "docs.questions" => {
                    let one = |n: usize| {
                        let person = script.for_person && n == 0;
                        json!({"question": format!("{agent} {nth}-{n}?"), "files": ["src/lib.rs"], "for_person": person})
                    };
                    used(Scripted::json(&json!({"questions": (0..4).map(one).collect::<Vec<_>>()})))
                }
                "docs.answer" => used(Scripted::text("It is so.")),
                "docs.refine" => {
                    used(Scripted::text(&format!("## Overview\n\nRefined {} of {agent}.", nth + 1)))
                }
                other => panic!("{other}"),
            }
        });
        let bureau = Self(Study::played(config, model));
        bureau
            .write("Cargo.toml", "[package]\nname = 'box'\nversion = '1.0.0'\n[dependencies]\nserde = '1'\n");
        bureau.write("src/lib.rs", "//! Keeps boxes.\nuse serde::Serialize;\npub struct Box;\n");
        bureau.write("src/store/mod.rs", "//! Keeps rows.\nuse crate::Box;\n");
        bureau.write(".gitignore", "secret.txt\n");
        bureau.write("secret.txt", "canary\n");
        bureau
    }

    pub fn out(&self) -> PathBuf {
        self.inputs().join("docs-sayso")
    }

    pub fn page(&self, name: &str) -> String {
        std::fs::read_to_string(self.out().join(name)).unwrap()
    }

    /// The names of the pages on the disk.
    pub fn pages(&self) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.out()) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// A run, driven as far as it goes.
    pub async fn run(&self, more: Value) -> (ThreadId, Outcome) {
        let mut input = json!({"dir": self.inputs()});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let thread = self.start("docs", input).await;
        self.settle().await;
        let outcome = self.outcome(&thread).await;
        (thread, outcome)
    }

    /// Everything the agents of a run ask.
    pub async fn open(&self) -> Vec<(InterruptId, Item)> {
        let query = sayso::inbox::ItemQuery { limit: 99, ..Default::default() };
        let mut found = Vec::new();
        for item in self.inbox.decisions().items(query).await.unwrap().items {
            if let Some(id) = item.interrupt() {
                let (item, _) = self.inbox.decisions().card(id.clone()).await.unwrap();
                found.push((id, item));
            }
        }
        found
    }

    /// The thread of an agent.
    pub async fn agent(&self, name: &str) -> ThreadView {
        let query = ThreadQuery { limit: 99, ..Default::default() };
        let lines = self.inbox.threads().list(query).await.unwrap().threads;
        for line in lines.into_iter().filter(|line| line.workflow == "docs/agent") {
            let view = self.view(&line.id).await;
            if view.state["context"]["agent"] == name {
                return view;
            }
        }
        panic!("no agent {name}");
    }

    /// How often a task was asked for an agent.
    pub fn asked_for(&self, name: &str, task: &str) -> usize {
        self.requests().iter().filter(|request| request.task == task && agent(request) == name).count()
    }
}

/// The result of an agent in a run's output.
pub fn result<'a>(outcome: &'a Outcome, name: &str) -> &'a Value {
    let agents = outcome.output.as_ref().unwrap()["agents"].as_array().unwrap();
    agents.iter().find(|one| one["agent_name"] == name).unwrap()
}
