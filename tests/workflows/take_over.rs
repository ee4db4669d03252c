//! A person takes the model's place in a running thread, and gives it back.

use crate::inputs::{self, analysis, analyze, analyze_with, paid, refused, unreachable};
use crate::support::fake_model::FakeModel;
use crate::support::test_inbox::{TestInbox, eager, respond};
use sayso::agent::llm::Scripted;
use sayso::engine::driver::Settings;
use sayso::engine::graph::{Decision, ThreadId};
use sayso::inbox::{Status, YOUR_TURN};
use serde_json::json;
use std::time::Duration;

async fn hand(inbox: &TestInbox, thread: &ThreadId, to_person: bool) {
    inbox.threads().hand(thread.clone(), to_person).await.unwrap();
    inbox.drive().await;
}

#[tokio::test]
async fn the_next_step_is_the_persons_until_they_give_it_back() {
    let inbox = inputs::with_answers([paid("Since when?"), paid("In which year?")]);
    let thread = analyze(&inbox).await;
    hand(&inbox, &thread, true).await;
    assert_eq!(inbox.action(&thread).await, "analysis_question", "what was asked stays");
    let inbox = inbox.restart(eager());
    inbox.answer(&thread, respond("Since May")).await;
    assert_eq!(inbox.action(&thread).await, YOUR_TURN);
    inbox.answer(&thread, respond("And why then?")).await;
    assert_eq!(
        (inbox.action(&thread).await.as_str(), inbox.model.requests().len()),
        ("analysis_question", 1)
    );
    inbox.answer(&thread, respond("The parts were late")).await;
    assert_eq!(inbox.action(&thread).await, YOUR_TURN);
    hand(&inbox, &thread, false).await;
    assert_eq!(inbox.action(&thread).await, "analysis_question");
    assert_eq!(inbox.model.requests().len(), 2, "the open step was the model's");
    let words = serde_json::to_string(&inbox.model.requests()[1].messages).unwrap();
    assert!(words.contains("And why then?") && words.contains("The parts were late"), "{words}");
    inbox.assert_intact("the lists");
}

#[tokio::test]
async fn trouble_is_over_for_whoever_takes_over() {
    let inbox = inputs::with_answers([refused(), paid("Since when?")]);
    let thread = analyze(&inbox).await;
    assert_eq!(inbox.status(&thread).await, Status::Trouble);
    hand(&inbox, &thread, true).await;
    assert_eq!(inbox.action(&thread).await, YOUR_TURN);
    hand(&inbox, &thread, false).await;
    assert_eq!(inbox.action(&thread).await, "analysis_question");
    inbox.assert_intact("the lists");
}

#[tokio::test]
async fn nobody_waits_for_a_server_once_a_person_has_taken_over() {
    let model = FakeModel::by(|_| unreachable()).at("http://127.0.0.1:11434");
    let inbox = inputs::with_model("", model);
    // Only a test that fails would wait that long.
    let inbox = inbox.restart(Settings { retry_wait: Duration::from_secs(3600), ..eager() });
    let thread = inbox.start("analyze", analysis(&inbox)).await;
    let driver = inbox.drive_in_background().await;
    inbox.wait_until(|| !inbox.model.requests().is_empty()).await;
    inbox.threads().hand(thread.clone(), true).await.unwrap();
    inbox.wait_for(&thread, Status::Waiting).await;
    assert_eq!(inbox.action(&thread).await, YOUR_TURN);
    driver.stop().await;
}

#[tokio::test]
async fn only_a_living_thread_with_a_model_can_be_taken_over() {
    async fn refusal(inbox: &TestInbox, thread: &ThreadId) -> String {
        inbox.threads().hand(thread.clone(), true).await.unwrap_err().to_string()
    }
    let inbox = TestInbox::new();
    let program = inbox.run_program(json!([[{"ask": [{"key": "a"}]}]])).await;
    let said = refusal(&inbox, &program).await;
    assert!(said.contains("ask no model"), "{said}");
    let inbox = inputs::with_answers([]);
    let thread = inbox.start("analyze", analysis(&inbox)).await;
    inbox.threads().stop(thread.clone()).await.unwrap();
    inbox.answer(&thread, Decision::Ignore).await;
    let said = refusal(&inbox, &thread).await;
    assert!(said.contains("abandoned"), "{said}");
}

#[tokio::test]
async fn giving_a_stopped_thread_back_leaves_it_stopped() {
    let inbox = inputs::with_answers([paid("Since when?")]);
    let thread = inbox.start("analyze", analysis(&inbox)).await;
    hand(&inbox, &thread, true).await;
    assert_eq!(inbox.action(&thread).await, YOUR_TURN);
    inbox.threads().stop(thread.clone()).await.unwrap();
    hand(&inbox, &thread, false).await;
    assert_eq!(inbox.status(&thread).await, Status::Trouble);
    assert!(inbox.model.requests().is_empty());
    inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(inbox.action(&thread).await, "analysis_question");
    inbox.assert_intact("the lists");
}

#[tokio::test]
async fn a_thread_without_a_model_cannot_be_given_to_one() {
    let inbox = inputs::with_me();
    for more in [json!({}), json!({"model": "me"})] {
        let thread = analyze_with(&inbox, more).await;
        assert!(inbox.threads().is_taken_over(thread.clone()).await.unwrap());
        assert!(!inbox.open_item(&thread).await.give_back, "it is not offered");
        let said = inbox.threads().hand(thread.clone(), false).await.unwrap_err().to_string();
        assert!(said.contains("no model to give it to"), "{said}");
        assert_eq!(inbox.action(&thread).await, YOUR_TURN);
    }
}

#[tokio::test]
async fn a_thread_that_a_person_began_can_be_given_to_the_model_of_the_config() {
    let inbox = inputs::with_answers([paid("Since when?")]);
    let thread = analyze_with(&inbox, json!({"model": "me"})).await;
    assert!(inbox.open_item(&thread).await.give_back && inbox.model.requests().is_empty());
    hand(&inbox, &thread, false).await;
    assert_eq!(inbox.open_item(&thread).await.args["question"], "Since when?");
    assert!(!inbox.threads().is_taken_over(thread.clone()).await.unwrap());
    inbox.assert_intact("the lists");
}

#[tokio::test]
async fn a_fork_of_a_thread_that_was_taken_over_can_be_given_back() {
    let inbox = inputs::with_answers([paid("Since when?")]);
    let thread = inbox.start("analyze", analysis(&inbox)).await;
    hand(&inbox, &thread, true).await;
    let last = inbox.view(&thread).await.steps.len() as u64 - 1;
    let fork = inbox.fork(&thread, last).await;
    assert_eq!(inbox.action(&fork).await, YOUR_TURN);
    hand(&inbox, &fork, false).await;
    assert_eq!(inbox.action(&fork).await, "analysis_question");
    assert_eq!(inbox.action(&thread).await, YOUR_TURN);
    inbox.assert_intact("the lists");
}

#[tokio::test]
async fn the_result_of_an_analysis_is_the_persons_to_write() {
    let inbox = inputs::with_answers([paid("Since when?")]);
    let thread = analyze(&inbox).await;
    hand(&inbox, &thread, true).await;
    inbox.answer(&thread, respond("DONE")).await;
    let item = inbox.open_item(&thread).await;
    assert_eq!((item.action.as_str(), &item.args["result"]), (YOUR_TURN, &json!("Since when?")));
    let inbox = inbox.restart(eager());
    let outcome = inbox.answer(&thread, respond("The parts were late.")).await;
    assert_eq!(outcome.status, Status::Done);
    assert_eq!(inbox.read_input("analysis_result.md"), "The parts were late.\n");
}

#[tokio::test]
async fn the_limit_of_steps_counts_anew_for_whoever_takes_over() {
    let model = FakeModel::by(|request| {
        let text = format!("launch {}", request.messages.len());
        Ok(Scripted::calls([("search", json!({ "text": text }))]))
    });
    let inbox = inputs::with_model("", model).restart(Settings { step_limit: 4, ..eager() });
    let thread = inbox.run("analyze", analysis(&inbox)).await;
    assert_eq!(inbox.trouble(&thread).await.0, "step_limit");
    hand(&inbox, &thread, true).await;
    assert_eq!(inbox.action(&thread).await, YOUR_TURN);
}
