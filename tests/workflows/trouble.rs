//! `analyze`, when something fails: what is tried again, what is asked, and what is never done twice.

use crate::study::{Study, paid, refused, said, unreachable};
use sayso::graph::Decision;
use sayso::inbox::Status;
use serde_json::json;

fn respond(text: &str) -> Decision {
    Decision::Respond { text: text.to_owned() }
}

#[tokio::test]
async fn a_result_that_cannot_be_written_waits_and_is_written_once() {
    let study = Study::new([paid("Since when?"), paid("# Result")]);
    // Also whoever may write everywhere cannot put a file where a folder is.
    std::fs::create_dir(study.inputs().join("analysis_result.md")).unwrap();
    let thread = study.begun().await;
    study.says(&thread, "DONE").await;
    let (code, text) = study.trouble(&thread).await;
    assert_eq!(code, "failed");
    assert!(text.contains("could not be written: a folder has that name"), "{text}");
    assert_eq!(study.view(&thread).await.effects[0].state, "not_done");
    // Retried in vain, nothing changes.
    assert_eq!(study.decides(&thread, Decision::Accept).await.status, Status::Trouble);
    std::fs::remove_dir(study.inputs().join("analysis_result.md")).unwrap();
    assert_eq!(study.decides(&thread, Decision::Accept).await.status, Status::Done);
    assert_eq!(study.read("analysis_result.md"), "# Result\n");
    assert_eq!(study.files(), ["analysis_result.md", "notes.md"]);
    let view = study.view(&thread).await;
    assert_eq!((view.effects.len(), view.effects[0].state.as_str()), (1, "done"));
    assert_eq!(study.requests().len(), 2, "the summary was paid once");
}

#[tokio::test]
async fn words_on_that_retry_do_not_lose_the_result() {
    let study = Study::new([paid("Since when?"), paid("# Result")]);
    std::fs::create_dir(study.inputs().join("analysis_result.md")).unwrap();
    let thread = study.begun().await;
    study.says(&thread, "DONE").await;
    std::fs::remove_dir(study.inputs().join("analysis_result.md")).unwrap();
    let outcome = study.decides(&thread, respond("I have made room")).await;
    assert_eq!(outcome.status, Status::Done);
    assert_eq!(outcome.output.unwrap()["answer"], "# Result");
    assert_eq!(study.read("analysis_result.md"), "# Result\n");
}

#[tokio::test]
async fn a_model_that_fails_in_passing_is_tried_again() {
    let study = Study::new([unreachable(), unreachable(), paid("Since when?")]);
    let thread = study.begun().await;
    assert_eq!(study.status(&thread).await, Status::Waiting);
    assert_eq!(study.view(&thread).await.usage.calls, 3);
    assert_eq!(said(&study.view(&thread).await), ["A:Since when?"]);

    let study = Study::new([unreachable(), unreachable(), unreachable(), paid("Since when?")]);
    let thread = study.begun().await;
    let (code, text) = study.trouble(&thread).await;
    assert_eq!(code, "failed");
    assert!(
        text.contains("nobody answers. Is the server running") && text.ends_with("(tried 3 times)"),
        "{text}"
    );
    assert_eq!(study.decides(&thread, Decision::Accept).await.status, Status::Waiting);
}

#[tokio::test]
async fn a_refusal_is_put_to_the_person_and_a_hint_reaches_the_model() {
    let study = Study::new([refused(), paid("Since when?"), refused(), paid("# Result")]);
    let thread = study.begun().await;
    let (code, text) = study.trouble(&thread).await;
    assert_eq!(code, "failed");
    assert!(text.contains("refused to answer: it would rather not. Answer this one yourself"), "{text}");
    assert_eq!(study.requests().len(), 1, "a refusal is not tried again by itself");
    let card = study.card(&thread).await;
    assert!(card.contains("respond: retry with a hint") && card.contains("ignore: abandon"), "{card}");
    study.decides(&thread, respond("It is about a rocket, not a weapon")).await;
    assert!(study.last_words().ends_with("It is about a rocket, not a weapon"), "{}", study.last_words());
    assert_eq!(study.tasks(), ["analyze.initial", "analyze.initial"]);
    assert_eq!(study.status(&thread).await, Status::Waiting);

    // A hint on the summary does not take the approval back.
    study.says(&thread, "DONE").await;
    study.trouble(&thread).await;
    assert_eq!(study.decides(&thread, respond("Leave the names out")).await.status, Status::Done);
    assert_eq!(study.tasks().last().unwrap(), "analyze.final");
    assert!(study.last_words().contains("Leave the names out"), "{}", study.last_words());
    assert_eq!(study.read("analysis_result.md"), "# Result\n");
}

#[tokio::test]
async fn an_abandoned_failure_stays_abandoned() {
    let study = Study::new([refused()]);
    let thread = study.begun().await;
    assert_eq!(study.decides(&thread, Decision::Ignore).await.status, Status::Abandoned);
    assert_eq!(study.files(), ["notes.md"]);
}

#[tokio::test]
async fn a_budget_asks_before_it_is_passed() {
    let calls = "[budget]\ncalls_per_thread = 2\n";
    let cost = "[budget]\nthread = 0.0035\n[prices.scripted]\ninput = 1.0\noutput = 10.0\n";
    let day = "[budget]\nday = 0.0035\n[prices.scripted]\ninput = 1.0\noutput = 10.0\n";
    for (config, named) in [(calls, "calls_per_thread"), (cost, "budget.thread"), (day, "budget.day")] {
        let study =
            Study::with(config, [paid("One?"), paid("Two?"), paid("Three?"), paid("Four?"), paid("# R")]);
        let thread = study.begun().await;
        study.says(&thread, "one").await;
        study.says(&thread, "two").await;
        let (code, text) = study.trouble(&thread).await;
        assert_eq!(code, "budget", "{named}");
        assert!(text.contains(named), "{text}");
        assert_eq!(study.requests().len(), 2, "{named}: nothing was called past it");
        // As much again, and then it asks again.
        assert_eq!(study.decides(&thread, Decision::Accept).await.status, Status::Waiting, "{named}");
        study.says(&thread, "three").await;
        assert_eq!(study.requests().len(), 4, "{named}");
        study.says(&thread, "DONE").await;
        assert_eq!(study.trouble(&thread).await.0, "budget", "{named}");
        assert_eq!(study.decides(&thread, Decision::Accept).await.status, Status::Done, "{named}");
        assert_eq!(said(&study.view(&thread).await).last().unwrap(), "A:# R", "{named}");
    }
}

#[tokio::test]
async fn a_budget_that_is_not_raised_ends_the_thread() {
    let study = Study::with("[budget]\ncalls_per_thread = 1\n", [paid("One?")]);
    let thread = study.begun().await;
    study.says(&thread, "one").await;
    study.trouble(&thread).await;
    assert_eq!(study.decides(&thread, Decision::Ignore).await.status, Status::Done);
    assert_eq!(study.outcome(&thread).await.output, None);
    assert_eq!(study.files(), ["notes.md"]);
}

#[tokio::test]
async fn a_folder_that_vanishes_before_it_is_read_is_trouble_until_it_is_back() {
    let study = Study::new([paid("Since when?")]);
    let input = study.input();
    let thread = study.start("analyze", input).await;
    let away = study.folder.path().join("away");
    std::fs::rename(study.inputs(), &away).unwrap();
    study.settle().await;
    assert!(study.trouble(&thread).await.1.contains("it does not exist"));
    std::fs::rename(&away, study.inputs()).unwrap();
    assert_eq!(study.decides(&thread, Decision::Accept).await.status, Status::Waiting);
    assert_eq!(study.view(&thread).await.state["file_contents"][0]["name"], json!("notes.md"));
}
