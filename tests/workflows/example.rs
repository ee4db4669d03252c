//! The example of docs/workflows.md: minutes are made of notes, shown, and written to a file once.
//!
//! The page quotes this file, and the last test holds it to that.

use crate::support::TestInbox;
use sayso::engine::graph::{
    Answer, Authorization, BoxFuture, BuildError, Command, Ctx, Decision, Effect, EffectError, EffectTrace,
    Graph, Kind, NodeError, State, Workflow, ask, end, goto,
};
use sayso::inbox::{Block, Card, Spec, Status, proposal};
use sayso::text::Visible;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What `sayso start minutes notes=… file=…` takes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MinutesInput {
    notes: String,
    file: String,
}

#[derive(Default, Clone, Serialize, Deserialize)]
pub struct Minutes {
    notes: String,
    file: String,
    wishes: Vec<String>,
    answer: Option<Answer>,
    written: bool,
}

/// Everything that can happen to a thread.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MinutesUpdate {
    Started { notes: String, file: String },
    Answered(Vec<Answer>),
    Written,
}

impl State for Minutes {
    type Input = MinutesInput;
    type Update = MinutesUpdate;

    fn started(input: MinutesInput) -> MinutesUpdate {
        MinutesUpdate::Started { notes: input.notes, file: input.file }
    }

    fn answered(answers: Vec<Answer>) -> MinutesUpdate {
        MinutesUpdate::Answered(answers)
    }

    fn apply(&mut self, update: MinutesUpdate) {
        match update {
            MinutesUpdate::Started { notes, file } => (self.notes, self.file) = (notes, file),
            MinutesUpdate::Answered(answers) => {
                self.answer = answers.into_iter().next();
                if let Some(Answer { decision: Decision::Respond { text }, .. }) = &self.answer {
                    self.wishes.push(text.clone());
                }
            }
            MinutesUpdate::Written => self.written = true,
        }
    }

    fn title(&self) -> String {
        format!("Minutes for {}", self.file)
    }

    fn output(&self) -> Option<Value> {
        self.written.then(|| json!({ "file": self.file }))
    }
}

/// Makes minutes of the notes, and asks before anything is written.
async fn draft(ctx: Ctx<Services>, state: Arc<Minutes>) -> Result<Command<Minutes>, NodeError> {
    let content = ctx.call("compose", compose(&state)).await?;
    let args = json!({ "file": state.file, "content": content });
    let mut asked = proposal("minutes", Kind::Approval, "write_minutes", &args, &state.title());
    asked.schema = json!({
        "type": "object", "additionalProperties": false, "required": ["file", "content"],
        "properties": {"file": {"type": "string", "minLength": 1}, "content": {"type": "string"}}
    });
    asked.irreversible = true; // held for a while, so that it can be taken back
    Ok(Command::ask(vec![asked], "decided"))
}

/// Takes the answer: writes, drafts again or ends.
async fn decided(ctx: Ctx<Services>, state: Arc<Minutes>) -> Result<Command<Minutes>, NodeError> {
    let Some(answer) = &state.answer else { return Ok(Command::abandon()) };
    let args = match &answer.decision {
        Decision::Accept => answer.proposed.clone(),
        Decision::Edit { args } => args.clone(),
        Decision::Respond { .. } => return Ok(Command::goto("draft")),
        Decision::Ignore | Decision::Draft => return Ok(Command::abandon()),
    };
    let text = |key: &str| args[key].as_str().unwrap_or_default().to_owned();
    let path = ctx.services().folder.join(text("file"));
    let basis = Authorization::Decision { key: answer.key.clone(), args: args.clone() };
    ctx.once("write", basis, text("content").into_bytes(), Arc::new(NewFile(path))).await?;
    Ok(Command::end().update(MinutesUpdate::Written))
}

/// A model would be asked here, by `ask_for_text`; whatever may be repeated after a crash will do.
async fn compose(state: &Minutes) -> Result<String, NodeError> {
    let points = state.notes.split(';').chain(state.wishes.iter().map(String::as_str));
    Ok(points.map(|point| format!("- {}\n", point.trim())).collect())
}

/// Writes a file that was not there before.
pub struct NewFile(pub PathBuf);

impl Effect for NewFile {
    fn perform<'a>(&'a self, frozen: &'a [u8]) -> BoxFuture<'a, Result<Value, EffectError>> {
        Box::pin(async move {
            let whole = self.0.with_extension("part");
            std::fs::write(&whole, frozen).map_err(|why| EffectError::NotDone(why.to_string()))?;
            // A link and not a rename: what is there already stays, and half a file is never seen.
            let linked = std::fs::hard_link(&whole, &self.0);
            let _ = std::fs::remove_file(&whole);
            linked.map_err(|why| EffectError::Refused(why.to_string()))?;
            Ok(json!({ "bytes": frozen.len() }))
        })
    }

    fn find<'a>(&'a self, frozen: &'a [u8]) -> BoxFuture<'a, EffectTrace> {
        Box::pin(async move {
            match std::fs::read(&self.0) {
                Ok(found) if found == frozen => EffectTrace::Done(json!({ "bytes": found.len() })),
                _ => EffectTrace::NotDone,
            }
        })
    }
}

/// What nodes may use.
struct Services {
    folder: PathBuf,
}

fn spec(services: Services) -> Result<Spec, BuildError> {
    let graph: Graph<Minutes, Services> = Graph::builder("minutes", "draft")
        .node("draft", draft, [ask("decided")])
        .node("decided", decided, [goto("draft"), end()])
        .build()?;
    let workflow = Workflow::new("minutes", graph, Arc::new(services));
    Ok(Spec::new(workflow, "minutes from notes", |_, question| {
        let content = question.and_then(|question| question.args["content"].as_str()).unwrap_or_default();
        Card { blocks: vec![Block::Markdown(Visible::new(content))] }
    }))
}

fn open(folder: &Path) -> TestInbox {
    TestInbox::builder().with_workflow(spec(Services { folder: folder.to_owned() }).unwrap()).open()
}

#[tokio::test]
async fn words_change_the_draft_and_what_is_accepted_is_written_once() {
    let folder = tempfile::tempdir().unwrap();
    let inbox = open(folder.path());
    let thread = inbox.start("minutes", json!({"notes": "hubs; spokes", "file": "may.md"})).await;
    inbox.drive().await;
    inbox.respond(&thread, "the fair").await;
    inbox.drive().await;
    assert_eq!(
        inbox.item(&inbox.open_question(&thread).await).await.args["content"],
        "- hubs\n- spokes\n- the fair\n"
    );
    inbox.accept(&thread).await;
    inbox.drive().await;
    assert_eq!(inbox.status(&thread).await, Status::Done);
    assert_eq!(
        std::fs::read_to_string(folder.path().join("may.md")).unwrap(),
        "- hubs\n- spokes\n- the fair\n"
    );
}

#[tokio::test]
async fn what_is_ignored_is_not_written_and_what_is_there_stays() {
    let folder = tempfile::tempdir().unwrap();
    let inbox = open(folder.path());
    let ignored = inbox.start("minutes", json!({"notes": "hubs", "file": "may.md"})).await;
    inbox.drive().await;
    inbox.decide(&inbox.open_question(&ignored).await, Decision::Ignore).await.unwrap();
    inbox.drive().await;
    assert_eq!(inbox.status(&ignored).await, Status::Abandoned);
    assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none());
    std::fs::write(folder.path().join("may.md"), "mine").unwrap();
    let refused = inbox.start("minutes", json!({"notes": "hubs", "file": "may.md"})).await;
    inbox.drive().await;
    inbox.accept(&refused).await;
    inbox.drive().await;
    assert_eq!(inbox.trouble(&refused).await.0, "failed");
    assert_eq!(std::fs::read_to_string(folder.path().join("may.md")).unwrap(), "mine");
}

#[test]
fn the_page_quotes_this_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/workflows.md")).unwrap();
    let source = |name: &str| std::fs::read_to_string(root.join("tests/workflows").join(name)).unwrap();
    let source = source("example.rs") + &source("example_agent.rs");
    let quoted: Vec<&str> =
        page.split("```rust\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert!(quoted.len() >= 5, "{}", quoted.len());
    for block in quoted {
        assert!(source.contains(block), "docs/workflows.md quotes what is not in the example:\n{block}");
    }
}
