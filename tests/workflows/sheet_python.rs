//! Which Python `sheet` uses, and that the person and the model are told.

use crate::support::{FakeModel, TestInbox};
use sayso::agent::llm::Scripted;
use sayso::engine::graph::{Decision, ThreadId};
use sayso::tools::cage::PythonFinder;
use serde_json::json;

async fn begun(python: &'static str) -> (TestInbox, ThreadId) {
    let mut first = Scripted::calls([("python", json!({"code": "print('North 120')\nprint('South 60')"}))]);
    first.text = "A look.".to_owned();
    let finish = Scripted::calls([("finish", json!({"answer": "North leads."}))]);
    let inbox = TestInbox::builder()
        .with_model(FakeModel::new([Ok(first), Ok(finish)]))
        .with_services(move |services| services.pythons = PythonFinder::new(python, services.sandbox.clone()))
        .open();
    inbox.write_input("sales.csv", "Region,Amount\nNorth,120\nSouth,60\n");
    let input = json!({"workbook": inbox.inputs().join("sales.csv"), "instruction": "Who leads?"});
    let thread = inbox.run("sheet", input).await;
    (inbox, thread)
}

#[tokio::test]
async fn where_the_wanted_python_cannot_be_had_the_embedded_one_is_used_and_the_card_says_so() {
    let (inbox, thread) = begun("/nowhere/bin/python").await;
    let card = inbox.text(&thread).await;
    assert!(card.contains("the embedded one: /nowhere/bin/python cannot be started"), "{card}");
    let outcome = inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(outcome.output.unwrap()["answer"], "North leads.");
}

#[tokio::test]
async fn the_model_is_told_which_python_and_what_day() {
    let (inbox, thread) = begun("embedded").await;
    let card = inbox.text(&thread).await;
    assert!(!card.contains("embedded"), "what the config wants is not told: {card}");
    let system = inbox.model.requests()[0].system.clone();
    assert!(system.contains("there is no pandas") && system.contains("Today is "), "{system}");
}
