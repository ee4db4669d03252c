//! An inbox beside a code base to document, and what the agents' model says.

use super::*;
use crate::inputs;
use crate::support::{FakeModel, TestInbox, file_names, merged};
use sayso::agent::llm::{Message, ModelError, Reply, Usage};
use sayso::engine::graph::{InterruptId, ThreadId};
use sayso::inbox::{Outcome, Question, ThreadQuery, ThreadView};
use std::collections::HashMap;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Mutex;

pub const AGENTS: [&str; 6] =
    ["file-structure", "dependency-analyzer", "architecture", "patterns", "data-flow", "testing"];

/// What the model answers to one request, where a test wants something special.
pub type Special = Box<dyn Fn(&str, &Request) -> Option<Result<Reply, ModelError>> + Send + Sync>;

/// What the model says: scores by evaluation, the last one from then on.
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

impl Script {
    /// Pages are refined once. `special` says what else is special about the model.
    pub fn refining(
        special: impl Fn(&str, &Request) -> Option<Result<Reply, ModelError>> + Send + Sync + 'static,
    ) -> Self {
        Self { scores: vec![50.0, 90.0], special: Box::new(special), ..Self::default() }
    }

    /// The agent `who` looks up what it asked by reading with these arguments first.
    pub fn reading(who: &'static str, reads: Vec<Value>) -> Self {
        Self::refining(move |agent, request| {
            let told = request.messages.iter().any(|message| matches!(message, Message::Tool { .. }));
            let calls = || Scripted::calls(reads.iter().map(|args| ("read_file", args.clone())));
            (request.task == "docs.refine" && agent == who && !told).then(|| Ok(calls()))
        })
    }
}

pub struct DocsInbox(TestInbox);

impl Deref for DocsInbox {
    type Target = TestInbox;

    fn deref(&self) -> &TestInbox {
        &self.0
    }
}

/// The agent a request is made for.
pub fn agent(request: &Request) -> String {
    request.facts["agent"].as_str().unwrap_or_default().to_owned()
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

impl DocsInbox {
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
        let model = FakeModel::by(move |request| {
            let agent = agent(request);
            if let Some(special) = (script.special)(&agent, request) {
                return special;
            }
            let nth = count(format!("{agent} {}", request.task));
            match request.task.as_str() {
                "docs.analyze" => {
                    used(Scripted::text(&format!("## Overview\n\nFirst of {agent}. `src/lib.rs` keeps it.")))
                }
                "docs.evaluate" => {
                    let score = script.scores.get(nth).or(script.scores.last()).copied().unwrap();
                    used(Scripted::json(&scores([score; 4])))
                }
                "docs.questions" => {
                    let one = |n: usize| {
                        let person = script.for_person && n == 0;
                        json!({"question": format!("{agent} asks number {nth}{n}?"), "files": ["src/lib.rs"], "for_person": person})
                    };
                    used(Scripted::json(&json!({"questions": (0..4).map(one).collect::<Vec<_>>()})))
                }
                "docs.refine" => {
                    let text =
                        format!("## Overview\n\nRefined {} of {agent}. `src/lib.rs` keeps it.", nth + 1);
                    used(Scripted::text(&text))
                }
                other => panic!("{other}"),
            }
        });
        let inbox = Self(inputs::with_model(config, model));
        let manifest = "[package]\nname = 'box'\nversion = '1.0.0'\n[dependencies]\nserde = '1'\n";
        inbox.write_input("Cargo.toml", manifest);
        inbox.write_input("src/lib.rs", "//! Keeps boxes.\nuse serde::Serialize;\npub struct Box;\n");
        inbox.write_input("src/store/mod.rs", "//! Keeps rows.\nuse crate::Box;\n");
        inbox.write_input(".gitignore", "secret.txt\n");
        inbox.write_input("secret.txt", "canary\n");
        inbox
    }

    pub fn out(&self) -> PathBuf {
        self.inputs().join("docs-sayso")
    }

    pub fn page(&self, name: &str) -> String {
        std::fs::read_to_string(self.out().join(name)).unwrap()
    }

    /// The names of the pages on the disk.
    pub fn pages(&self) -> Vec<String> {
        file_names(&self.out())
    }

    /// A run, driven as far as it goes.
    pub async fn document(&self, more: Value) -> (ThreadId, Outcome) {
        let thread = self.run("docs", merged(json!({"dir": self.inputs()}), more)).await;
        let outcome = self.outcome(&thread).await;
        (thread, outcome)
    }

    /// Everything the agents of a run ask.
    pub async fn questions(&self) -> Vec<(InterruptId, Question)> {
        let mut found = Vec::new();
        for id in self.items().await.into_iter().map(|question| question.id) {
            let item = self.item(&id).await;
            found.push((id, item));
        }
        found
    }

    /// The thread of an agent.
    pub async fn agent(&self, name: &str) -> ThreadView {
        let query = ThreadQuery { limit: 99, ..Default::default() };
        let lines = self.threads().list(query).await.unwrap().rows;
        for line in lines.into_iter().filter(|line| line.workflow == "docs/agent") {
            let view = self.view(&line.id).await;
            if view.state["context"]["agent"] == name {
                return view;
            }
        }
        panic!("no agent {name}");
    }

    /// What the newest analysis of an agent goes by.
    pub fn facts_for(&self, name: &str) -> String {
        let analyses = self.model.requests_for("docs.analyze");
        words(analyses.iter().rfind(|request| agent(request) == name).unwrap())
    }

    /// What tools told the model, and whether they failed.
    pub fn told(&self) -> Vec<(String, bool)> {
        let requests = self.model.requests();
        let messages = requests.iter().flat_map(|request| &request.messages);
        let told = messages.filter_map(|message| match message {
            Message::Tool { text, failed, .. } => Some((text.clone(), *failed)),
            _ => None,
        });
        told.collect()
    }

    /// How often a task was asked for an agent.
    pub fn asked_for(&self, name: &str, task: &str) -> usize {
        self.model.requests().iter().filter(|request| request.task == task && agent(request) == name).count()
    }
}

/// The result of an agent in a run's output.
pub fn result<'a>(outcome: &'a Outcome, name: &str) -> &'a Value {
    let agents = outcome.output.as_ref().unwrap()["agents"].as_array().unwrap();
    agents.iter().find(|one| one["agent_name"] == name).unwrap()
}
