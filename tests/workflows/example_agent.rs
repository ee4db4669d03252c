//! The agent of docs/workflows.md: it looks into a folder, asks before it writes a file, and answers.
//!
//! The page quotes this file; a test of the other example holds it to that.

use crate::example::NewFile;
use crate::support::{FakeModel, TestInbox};
use sayso::agent::agent_loop::{Dialog, ModelTurn, Names, Options, Outcome, Tool, agent_loop, draw};
use sayso::agent::llm::{Message, Request, Scripted, ToolSpec};
use sayso::agent::{Services, pick_model};
use sayso::engine::graph::{BuildError, Ctx, Decision, Graph, Interrupt, Workflow};
use sayso::inbox::{Spec, Status, YOUR_TURN};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fs::read_dir;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Note {
    name: String,
    text: String,
}

fn tools(folder: &Arc<PathBuf>) -> Vec<Tool<Dialog>> {
    let (notes, folder) = (folder.clone(), folder.clone());
    let list = ToolSpec::of::<()>("list", "Lists the notes.");
    let list = Tool::free(list, move |_, _, _| {
        let names = read_dir(&*notes).into_iter().flatten().flatten().map(|file| file.file_name());
        let names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
        async move { Ok(Outcome::done(names.join("\n"))) }
    });
    let write = ToolSpec::of::<Note>("write", "Writes a new note.");
    // It is held for a while, so that it can be taken back.
    let held = |_, _, question| async move { Ok(Interrupt { irreversible: true, ..question }.into()) };
    let write = Tool::asks(write, held, move |ctx, _, accepted| {
        let folder = folder.clone();
        async move {
            let Note { name, text } = accepted.read()?;
            let (key, path) = (format!("write:{}", accepted.call.id), folder.join(name));
            ctx.once(&key, accepted.basis(), text.into(), Arc::new(NewFile(path))).await?;
            Ok(Outcome::done("It was written."))
        }
    });
    vec![list, write]
}

fn spec(services: Arc<Services>, folder: Arc<PathBuf>) -> Result<Spec, BuildError> {
    let turn = |ctx: Ctx<Services>, _| async move {
        let request =
            Request::new("clerk.turn", Value::Null).system("You keep a folder of notes for a person.");
        Ok(ModelTurn { model: pick_model(&ctx, "turn", None).await?, request, updates: Vec::new() })
    };
    let options = Options::new(turn).wanting("an answer to a wish");
    let graph = Graph::builder("clerk", "llm_call");
    let graph = agent_loop(graph, Names::default(), move |_, _| Ok(tools(&folder)), options).build()?;
    Ok(Spec::new(Workflow::new("clerk", graph, services), "keeps notes", draw))
}

fn open(folder: &tempfile::TempDir, model: FakeModel) -> TestInbox {
    let folder = Arc::new(folder.path().to_owned());
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
