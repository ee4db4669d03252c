//! Fills a store quickly: threads go through the store's own writes, hundreds to a transaction.

use futures_util::future::join_all;
use sayso::app::{Engine, Settings};
use sayso::engine::graph::{
    Answer, Command, Ctx, Graph, Kind, NodeError, State, ThreadId, Warning, Workflow, ask, end,
};
use sayso::engine::store::{Commit, NewStep, NewThread, NextStep, Store};
use sayso::inbox::door::Inbox;
use sayso::inbox::{Block, Card, Registry, Spec, proposal};
use sayso::text::Visible;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

const BATCH: usize = 512;

#[derive(Default, Clone, Serialize, Deserialize)]
pub struct Note {
    text: String,
}

#[derive(Deserialize, JsonSchema)]
pub struct NoteInput {
    text: String,
}

impl State for Note {
    type Input = NoteInput;
    type Update = String;

    fn started(input: NoteInput) -> String {
        input.text
    }

    fn answered(_: Vec<Answer>) -> String {
        String::new()
    }

    fn apply(&mut self, update: String) {
        self.text.push_str(&update);
    }

    fn title(&self) -> String {
        self.text.chars().take(40).collect()
    }

    fn output(&self) -> Option<Value> {
        None
    }
}

async fn think(_: Ctx<()>, _: Arc<Note>) -> Result<Command<Note>, NodeError> {
    Ok(Command::end())
}

fn spec() -> Spec {
    let graph = Graph::builder("note", "think").node("think", think, [ask("think"), end()]).build().unwrap();
    Spec::new(Workflow::new("note", graph, Arc::new(())), "notes", |state, item| {
        let text = state.get::<Note>().map(|note| note.text.clone()).unwrap_or_default();
        Card {
            blocks: vec![
                Block::Text(Visible::new(item.map_or("", |item| &item.gist))),
                Block::Text(Visible::new(&text)),
            ],
        }
    })
    .without_results()
}

pub fn open(folder: &Path) -> Inbox {
    Inbox::new(Engine::new(Store::open(folder).unwrap(), Registry::new([spec()]), Settings::default()))
}

pub fn fill(folder: &Path, threads: usize, asks: usize) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let store = Store::open(folder).unwrap();
    let fingerprint = spec().workflow.fingerprint().to_owned();
    // Open ones stand among the others, as they would.
    let every = threads.checked_div(asks).unwrap_or(1).max(1);
    for batch in (0..threads).collect::<Vec<_>>().chunks(BATCH) {
        let all = batch.iter().map(|n| one(&store, &fingerprint, *n, n.is_multiple_of(every)));
        runtime.block_on(join_all(all));
    }
}

async fn one(store: &Store, fingerprint: &str, n: usize, asks: bool) {
    let text =
        format!("Note {n}: the figures of week {} want another look before they leave the house.", n % 52);
    let new = NewThread {
        id: ThreadId::random(),
        workflow: "note".to_owned(),
        fingerprint: fingerprint.to_owned(),
        entry: "think".to_owned(),
        updates: json!([text]).to_string(),
        title: format!("Note {n}"),
        key: String::new(),
    };
    let thread = store.threads().start(new, 100).await.unwrap();
    let version = store.threads().version(&thread).unwrap();
    let next =
        if asks { NextStep::Ask(vec![interrupt(n, &text)], "think".to_owned()) } else { NextStep::End };
    let step = NewStep { node: "think".to_owned(), updates: "[]".to_owned(), took_ms: Some(0) };
    let commit = Commit {
        thread,
        version,
        steps: vec![step],
        next,
        title: format!("Note {n}"),
        output: None,
        fingerprint: fingerprint.to_owned(),
        snapshot: None,
        snapshot_bytes: 0,
        repeats: Default::default(),
        has_calls: false,
        last_event: None,
        has_result: false,
        hold_ms: 0,
        step_limit: 100,
    };
    store.threads().commit(commit).await.unwrap();
}

fn interrupt(n: usize, text: &str) -> sayso::engine::graph::Interrupt {
    let kinds = [Kind::Approval, Kind::Triage, Kind::Question];
    let args = json!({"to": [format!("person{}@example.org", n % 300)], "subject": format!("Note {n}"), "body": text});
    let title = format!("Note {n} for person {}", n % 300);
    let mut asked = proposal("ask", kinds[n % kinds.len()], "write_email", &args, &title);
    asked.schema = json!({"type": "object", "properties": {
        "to": {"type": "array", "items": {"type": "string"}}, "subject": {"type": "string"}, "body": {"type": "string"}
    }});
    asked.gist = text.to_owned();
    asked.source = Some(format!("Person {} <person{}@example.org>", n % 300, n % 300));
    if n.is_multiple_of(37) {
        asked.warnings.push(Warning::caution("first_contact", "you never wrote to them"));
    }
    asked
}
