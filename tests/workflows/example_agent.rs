//! The agent of docs/workflows.md: it looks into a folder, asks before it writes a file, and answers.
//!
//! The page quotes this file; a test of the other example holds it to that.

use crate::example::NewFile;
use crate::support::{FakeModel, TestInbox};
use sayso::agent::agent_loop::{
    Accepted, Asked, Dialog, LoopState, LoopUpdate, ModelTurn, Names, Options, Outcome, Tool, agent_loop,
    card,
};
use sayso::agent::llm::{Message, Request, Scripted, ToolSpec};
use sayso::agent::{Services, pick_model};
use sayso::engine::graph::{Answer, BuildError, Ctx, Decision, Graph, Interrupt, NodeError, State, Workflow};
use sayso::inbox::{Card, Spec, Status, YOUR_TURN};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Deserialize, JsonSchema)]
pub struct ClerkInput {
    wish: String,
}

#[derive(Default, Clone, Serialize, Deserialize)]
pub struct Clerk {
    #[serde(flatten)]
    dialog: Dialog,
}

impl State for Clerk {
    type Input = ClerkInput;
    type Update = LoopUpdate;

    fn started(input: ClerkInput) -> LoopUpdate {
        LoopUpdate::Told { text: input.wish }
    }

    fn answered(answers: Vec<Answer>) -> LoopUpdate {
        LoopUpdate::Answered { answers }
    }

    fn apply(&mut self, update: LoopUpdate) {
        self.dialog.apply(update);
    }

    fn title(&self) -> String {
        "The clerk".to_owned()
    }

    fn output(&self) -> Option<Value> {
        self.dialog.answer.as_ref().map(|answer| json!({ "answer": answer }))
    }
}

impl LoopState for Clerk {
    fn dialog(&self) -> &Dialog {
        &self.dialog
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Note {
    name: String,
    text: String,
}

async fn turn(ctx: Ctx<Services>, _: Arc<Clerk>) -> Result<ModelTurn<Clerk>, NodeError> {
    let model = pick_model(&ctx, "turn", None).await?;
    let request = Request::new("clerk.turn", Value::Null).system("You keep a folder of notes for a person.");
    Ok(ModelTurn { model, request, updates: Vec::new() })
}

fn tools(folder: &Path) -> Vec<Tool<Clerk>> {
    let (list, write) = (folder.to_owned(), folder.to_owned());
    let looks = move |_: Ctx<Services>, _: Arc<Clerk>, _: Accepted| {
        let names = std::fs::read_dir(&list).into_iter().flatten().flatten().map(|file| file.file_name());
        let names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
        async move { Ok(Outcome::done(names.join("\n"))) }
    };
    let asks = |_: Ctx<Services>, _: Arc<Clerk>, mut question: Interrupt| async move {
        question.irreversible = true; // held for a while, so that it can be taken back
        Ok(Asked::from(question))
    };
    let writes = move |ctx: Ctx<Services>, _: Arc<Clerk>, accepted: Accepted| {
        let path = write.join(accepted.text("name"));
        async move {
            let (name, bytes) =
                (format!("write:{}", accepted.call.id), accepted.text("text").as_bytes().to_vec());
            ctx.once(&name, accepted.basis(), bytes, Arc::new(NewFile(path))).await?;
            Ok(Outcome::done("It was written."))
        }
    };
    let names = ToolSpec::of::<()>("list", "Lists the notes.");
    let note = ToolSpec::of::<Note>("write", "Writes a new note.");
    vec![Tool::free(names, looks), Tool::asks(note, asks, writes)]
}

fn spec(services: Arc<Services>, folder: PathBuf) -> Result<Spec, BuildError> {
    let graph = Graph::builder("clerk", "llm_call");
    let options = Options::new(turn).wanting("an answer to a wish");
    let graph = agent_loop(graph, Names::default(), move |_, _| Ok(tools(&folder)), options);
    let workflow = Workflow::new("clerk", graph.build()?, services);
    Ok(Spec::new(workflow, "keeps notes", |state, question| {
        let dialog = state.get::<Clerk>().map(|clerk| clerk.dialog.clone()).unwrap_or_default();
        Card { blocks: question.and_then(|question| card(&dialog, question)).unwrap_or_default() }
    }))
}

fn open(folder: &tempfile::TempDir, model: FakeModel) -> TestInbox {
    let folder = folder.path().to_owned();
    TestInbox::builder().with_model(model).with_agent(|services| spec(services, folder).unwrap()).open()
}

#[tokio::test]
async fn an_agent_looks_asks_writes_and_answers() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("may.md"), "hubs").unwrap();
    let list = Scripted::calls([("list", json!(null))]);
    let write = Scripted::calls([("write", json!({"name": "june.md", "text": "rims"}))]);
    let inbox = open(&folder, FakeModel::new([Ok(list), Ok(write), Ok(Scripted::text("june.md is there."))]));
    let thread = inbox.run("clerk", json!({"wish": "A note on rims, please"})).await;
    let told = inbox.model.requests()[1].messages.last().cloned();
    assert!(matches!(told, Some(Message::Tool { text, .. }) if text == "may.md"));
    let outcome = inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(
        (outcome.status, outcome.output),
        (Status::Done, Some(json!({"answer": "june.md is there."})))
    );
    assert_eq!(std::fs::read_to_string(folder.path().join("june.md")).unwrap(), "rims");
}

#[tokio::test]
async fn a_person_takes_the_models_place() {
    let folder = tempfile::tempdir().unwrap();
    let inbox = open(&folder, FakeModel::person());
    let thread = inbox.run("clerk", json!({"wish": "A note on rims, please"})).await;
    let item = inbox.open_item(&thread).await;
    assert_eq!((item.action.as_str(), item.kind.word()), (YOUR_TURN, "question"));
    // The form holds the person to the schema of the tool they choose.
    for args in [json!({"do": "write", "name": "x"}), json!({"do": "fly"}), json!({"name": "x", "text": "y"})]
    {
        let question = inbox.open_question(&thread).await;
        let refused = inbox.decide(&question, Decision::Edit { args: args.clone() });
        assert!(refused.await.is_err(), "{args}");
    }
    inbox.answer(&thread, Decision::Edit { args: json!({"do": "list"}) }).await;
    // What leaves is asked about like a model's proposal.
    let args = json!({"do": "write", "name": "june.md", "text": "rims"});
    inbox.answer(&thread, Decision::Edit { args }).await;
    assert_eq!(inbox.action(&thread).await, "write");
    assert!(!folder.path().join("june.md").exists());
    inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(std::fs::read_to_string(folder.path().join("june.md")).unwrap(), "rims");
    let outcome = inbox.answer(&thread, crate::support::test_inbox::respond("It is there.")).await;
    assert_eq!(outcome.output, Some(json!({"answer": "It is there."})));
    assert!(inbox.model.requests().is_empty());

    let thread = inbox.run("clerk", json!({"wish": "Never mind"})).await;
    assert_eq!(inbox.answer(&thread, Decision::Ignore).await.status, Status::Done);
}

#[tokio::test]
async fn all_calls_of_a_message_are_decided_together_and_words_go_back() {
    let folder = tempfile::tempdir().unwrap();
    let both = || {
        let note = |name: &str| ("write", json!({"name": name, "text": "x"}));
        Ok(Scripted::calls([note("a.md"), note("b.md")]))
    };
    let inbox = open(&folder, FakeModel::new([both(), Ok(Scripted::text("So."))]));
    let thread = inbox.run("clerk", json!({"wish": "Two notes"})).await;
    let questions = inbox.outcome(&thread).await.interrupts;
    let [first, second] = questions.as_slice() else { panic!("{questions:?}") };
    inbox.decide(first, Decision::Ignore).await.unwrap();
    inbox.drive().await;
    assert_eq!(inbox.model.requests().len(), 1, "the other is not decided yet");
    inbox.decide(second, crate::support::test_inbox::respond("call it c.md")).await.unwrap();
    inbox.drive().await;
    let told = inbox.model.requests()[1].messages.clone();
    let [.., Message::Tool { text: no, .. }, Message::Tool { text: words, .. }] = told.as_slice() else {
        panic!("{told:?}")
    };
    assert_eq!(no, "Not done. The person refused this.");
    assert_eq!(words, "Not done. The person says: call it c.md");
    assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none());
}
