//! `analyze`, when something fails: what is tried again, what is asked, and what is never done twice.

use crate::inputs::{self, analysis, analyze, dialogue, paid, refused, unreachable};
use crate::support::assert_contains;
use crate::support::fake_model::FakeModel;
use crate::support::test_inbox::{TestInbox, respond};
use sayso::agent::llm::Reply;
use sayso::engine::graph::{Decision, Progress, ThreadId};
use sayso::inbox::Status;
use serde_json::json;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// An approved result that cannot be written where it belongs, and what is in its way.
async fn unwritten() -> (TestInbox, ThreadId, PathBuf) {
    let inbox = inputs::with_answers([paid("Since when?"), paid("# Result")]);
    // Also whoever may write everywhere cannot put a file where a folder is.
    let in_the_way = inbox.inputs().join("analysis_result.md");
    std::fs::create_dir(&in_the_way).unwrap();
    let thread = analyze(&inbox).await;
    inbox.answer(&thread, respond("DONE")).await;
    (inbox, thread, in_the_way)
}

#[tokio::test]
async fn a_result_that_cannot_be_written_waits_and_is_written_once() {
    let (inbox, thread, in_the_way) = unwritten().await;
    let (code, text) = inbox.trouble(&thread).await;
    assert_eq!(code, "failed");
    assert!(text.contains("could not be written: a folder has that name"), "{text}");
    assert_eq!(inbox.view(&thread).await.effects[0].state, "not_done");
    // Retried in vain, nothing changes.
    assert_eq!(inbox.answer(&thread, Decision::Accept).await.status, Status::Trouble);
    std::fs::remove_dir(in_the_way).unwrap();
    assert_eq!(inbox.answer(&thread, Decision::Accept).await.status, Status::Done);
    assert_eq!(inbox.read_input("analysis_result.md"), "# Result\n");
    assert_eq!(inbox.input_files(), ["analysis_result.md", "notes.md"]);
    let view = inbox.view(&thread).await;
    assert_eq!((view.effects.len(), view.effects[0].state.as_str()), (1, "done"));
    assert_eq!(inbox.model.requests().len(), 2, "the summary was paid once");
}

#[tokio::test]
async fn words_on_that_retry_do_not_lose_the_result() {
    let (inbox, thread, in_the_way) = unwritten().await;
    std::fs::remove_dir(in_the_way).unwrap();
    let outcome = inbox.answer(&thread, respond("I have made room")).await;
    assert_eq!(outcome.status, Status::Done);
    assert_eq!(outcome.output.unwrap()["answer"], "# Result");
    assert_eq!(inbox.read_input("analysis_result.md"), "# Result\n");
}

#[tokio::test]
async fn a_model_that_fails_in_passing_is_tried_again() {
    let inbox = inputs::with_answers([unreachable(), unreachable(), paid("Since when?")]);
    let thread = analyze(&inbox).await;
    assert_eq!(inbox.status(&thread).await, Status::Waiting);
    assert_eq!(inbox.view(&thread).await.usage.calls, 3);
    assert_eq!(dialogue(&inbox.view(&thread).await), ["A:Since when?"]);
}

#[tokio::test]
async fn a_server_out_of_reach_is_one_card_however_many_threads_need_it() {
    let away = Arc::new(AtomicBool::new(true));
    let there = away.clone();
    let model = FakeModel::by(
        move |_| if there.load(Ordering::SeqCst) { unreachable() } else { paid("Since when?") },
    );
    let inbox = inputs::with_model("", model.at("http://127.0.0.1:11434"));
    let mut threads = Vec::new();
    for _ in 0..3 {
        threads.push(inbox.start("analyze", analysis(&inbox)).await);
    }
    let mut progress = inbox.engine().progress();
    inbox.drive().await;
    // From the first try on, the screen is told whom each of them waits for.
    let mut told = BTreeSet::new();
    while let Ok(progress) = progress.try_recv() {
        if let Progress::Unreachable { thread, server } = progress {
            assert_eq!(server, "http://127.0.0.1:11434");
            told.insert(thread);
        }
    }
    assert_eq!(told, threads.iter().cloned().collect());
    let items = inbox.items().await;
    assert_eq!(items.len(), 1, "{items:?}");
    assert_eq!((items[0].kind.word(), items[0].action.as_str()), ("trouble", "unreachable"));
    assert_eq!(items[0].title, "The model at http://127.0.0.1:11434 cannot be reached");
    let card = inbox.item(&items[0].id).await.text;
    assert_contains(&card, ["nobody answers. Is the server running", "waiting: 3 threads"]);
    assert_eq!(inbox.statistics().overview().await.unwrap().waiting_for_model, 3);
    for thread in &threads {
        assert_eq!(inbox.status(thread).await, Status::Ready);
    }
    // Trying in vain says it again, once.
    inbox.decide(&items[0].id, Decision::Accept).await.unwrap();
    inbox.drive().await;
    let again = inbox.items().await;
    assert_eq!(again.len(), 1, "{again:?}");
    assert_ne!(again[0].id, items[0].id);
    // It is tried by itself, and the card goes.
    away.store(false, Ordering::SeqCst);
    inbox.drive().await;
    for thread in &threads {
        assert_eq!(inbox.status(thread).await, Status::Waiting);
    }
    assert!(inbox.items().await.iter().all(|item| item.action != "unreachable"));
    assert_eq!(inbox.statistics().overview().await.unwrap().waiting_for_model, 0);
}

#[tokio::test]
async fn one_thread_that_is_come_back_to_brings_the_others_with_it() {
    let tries = Arc::new(AtomicUsize::new(0));
    let counted = tries.clone();
    // Both threads fail as often as they are tried, and then the server is back.
    let model = FakeModel::by(move |_| match counted.fetch_add(1, Ordering::SeqCst) {
        0..6 => unreachable(),
        _ => paid("Since when?"),
    });
    let inbox = inputs::with_model("", model.at("http://10.0.0.7:8080/v1"));
    let threads =
        [inbox.start("analyze", analysis(&inbox)).await, inbox.start("analyze", analysis(&inbox)).await];
    inbox.drive().await;
    assert_eq!(tries.load(Ordering::SeqCst), 6, "three times each, and no more in a run that ends when idle");
    let card = inbox.items().await.remove(0);
    inbox.decide(&card.id, Decision::Accept).await.unwrap();
    inbox.drive().await;
    for thread in &threads {
        assert_eq!(inbox.status(thread).await, Status::Waiting);
    }
    assert_eq!(tries.load(Ordering::SeqCst), 8);
}

#[tokio::test]
async fn a_refusal_is_put_to_the_person_and_a_hint_reaches_the_model() {
    let inbox = inputs::with_answers([refused(), paid("Since when?"), refused(), paid("# Result")]);
    let thread = analyze(&inbox).await;
    let (code, text) = inbox.trouble(&thread).await;
    assert_eq!(code, "failed");
    assert!(text.contains("refused to answer: it would rather not. Answer this one yourself"), "{text}");
    assert_eq!(inbox.model.requests().len(), 1, "a refusal is not tried again by itself");
    let labels = inbox.open_item(&thread).await.labels;
    let labels = (labels.respond.as_deref(), labels.ignore.as_deref());
    assert_eq!(labels, (Some("retry with a hint"), Some("abandon")));
    inbox.answer(&thread, respond("It is about a rocket, not a weapon")).await;
    assert!(
        inbox.model.last_words().ends_with("It is about a rocket, not a weapon"),
        "{}",
        inbox.model.last_words()
    );
    assert_eq!(inbox.model.tasks(), ["analyze.initial", "analyze.initial"]);
    assert_eq!(inbox.status(&thread).await, Status::Waiting);

    // A hint on the summary does not take the approval back.
    inbox.answer(&thread, respond("DONE")).await;
    inbox.trouble(&thread).await;
    assert_eq!(inbox.answer(&thread, respond("Leave the names out")).await.status, Status::Done);
    assert_eq!(inbox.model.tasks().last().unwrap(), "analyze.final");
    assert!(inbox.model.last_words().contains("Leave the names out"), "{}", inbox.model.last_words());
    assert_eq!(inbox.read_input("analysis_result.md"), "# Result\n");
}

#[tokio::test]
async fn a_budget_asks_before_it_is_passed() {
    let calls = "[budget]\ncalls_per_thread = 2\n";
    let cost = "[budget]\nthread = 0.0035\n[prices.scripted]\ninput = 1.0\noutput = 10.0\n";
    let day = cost.replace("thread", "day");
    for (config, named) in [(calls, "calls_per_thread"), (cost, "budget.thread"), (&day, "budget.day")] {
        let answers = ["One?", "Two?", "Three?", "Four?", "# R"].map(paid);
        let inbox = inputs::with_config(config, answers);
        let thread = analyze(&inbox).await;
        inbox.answer(&thread, respond("one")).await;
        inbox.answer(&thread, respond("two")).await;
        let (code, text) = inbox.trouble(&thread).await;
        assert_eq!(code, "budget", "{named}");
        assert!(text.contains(named), "{text}");
        assert_eq!(inbox.model.requests().len(), 2, "{named}: nothing was called past it");
        // As much again, and then it asks again.
        assert_eq!(inbox.answer(&thread, Decision::Accept).await.status, Status::Waiting, "{named}");
        inbox.answer(&thread, respond("three")).await;
        assert_eq!(inbox.model.requests().len(), 4, "{named}");
        inbox.answer(&thread, respond("DONE")).await;
        assert_eq!(inbox.trouble(&thread).await.0, "budget", "{named}");
        assert_eq!(inbox.answer(&thread, Decision::Accept).await.status, Status::Done, "{named}");
        assert_eq!(dialogue(&inbox.view(&thread).await).last().unwrap(), "A:# R", "{named}");
    }
}

#[tokio::test]
async fn a_call_without_a_price_does_not_switch_the_budget_off() {
    let config = "[budget]\nthread = 0.0035\n[prices.priced]\ninput = 1.0\noutput = 10.0\n";
    let by = |model: &str, text| paid(text).map(|reply| Reply { model: model.to_owned(), ..reply });
    let answers =
        [by("unheard of", "One?"), by("priced", "Two?"), by("priced", "Three?"), by("priced", "Four?")];
    let inbox = inputs::with_config(config, answers);
    let thread = analyze(&inbox).await;
    for words in ["one", "two", "three"] {
        inbox.answer(&thread, respond(words)).await;
    }
    assert_eq!(inbox.trouble(&thread).await.0, "budget");
    assert_eq!(inbox.model.requests().len(), 3, "two with a price, and nothing was called past it");
}

#[tokio::test]
async fn what_is_given_up_after_trouble_ends_without_a_result() {
    let inbox = inputs::with_answers([refused()]);
    let thread = analyze(&inbox).await;
    assert_eq!(inbox.answer(&thread, Decision::Ignore).await.status, Status::Abandoned);
    assert_eq!(inbox.input_files(), ["notes.md"]);

    // A budget that is not raised.
    let inbox = inputs::with_config("[budget]\ncalls_per_thread = 1\n", [paid("One?")]);
    let thread = analyze(&inbox).await;
    inbox.answer(&thread, respond("one")).await;
    inbox.trouble(&thread).await;
    let outcome = inbox.answer(&thread, Decision::Ignore).await;
    assert_eq!((outcome.status, outcome.output), (Status::Abandoned, None));
    assert_eq!(inbox.input_files(), ["notes.md"]);
}

#[tokio::test]
async fn a_folder_that_vanishes_before_it_is_read_is_trouble_until_it_is_back() {
    let inbox = inputs::with_answers([paid("Since when?")]);
    let input = analysis(&inbox);
    let thread = inbox.start("analyze", input).await;
    let away = inbox.folder().join("away");
    std::fs::rename(inbox.inputs(), &away).unwrap();
    inbox.drive().await;
    assert!(inbox.trouble(&thread).await.1.contains("it does not exist"));
    std::fs::rename(&away, inbox.inputs()).unwrap();
    assert_eq!(inbox.answer(&thread, Decision::Accept).await.status, Status::Waiting);
    assert_eq!(inbox.view(&thread).await.state["file_contents"][0], json!("notes.md"));
}
