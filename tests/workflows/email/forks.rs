//! Forks of a real conversation: what was sent is not sent again, and nothing is handled twice.

use crate::support::email_inbox::{EmailInbox, EmailSetup, calls, done, mail, write};
use crate::support::test_inbox::respond;
use sayso::engine::graph::Decision;
use sayso::inbox::{MemoryCause, NextView, Status};
use serde_json::json;

/// From every step of a thread that has sent a mail, another one begins; none of them sends anything by itself.
#[tokio::test]
async fn a_fork_after_a_sent_mail_sends_nothing() {
    let (inbox, thread) = EmailInbox::proposing(write()).await;
    inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(inbox.outcome(&thread).await.status, Status::Done);
    let original = inbox.view(&thread).await;
    let (sent, marks) = (inbox.sent(), inbox.marks());
    assert_eq!(sent.len(), 1);
    let asked = original.steps.iter().position(|step| matches!(step.next, NextView::Ask { .. })).unwrap();
    for step in &original.steps {
        let fork = inbox.threads().fork(thread.clone(), step.n).await.unwrap().thread;
        inbox.drive().await;
        assert_eq!(inbox.sent(), sent, "forked after step {}", step.n);
        assert_eq!(inbox.marks(), marks, "a fork marks nothing handled, after step {}", step.n);
        let outcome = inbox.outcome(&fork).await;
        if step.n < asked as u64 {
            // The models are asked anew, and may say something else; what they propose waits for the person.
            assert!(outcome.status == Status::Waiting || outcome.status == Status::Done, "{outcome:?}");
        }
        if step.n == asked as u64 {
            assert!(inbox.warnings(&fork).await.contains(&"done_in_original".to_owned()));
            assert!(inbox.text(&fork).await.contains("It comes tomorrow."));
        }
    }
    assert_eq!(inbox.view(&thread).await, original, "the original is as it was");
}

/// Another answer on a fork does what it says there, once, and leaves the original alone.
#[tokio::test]
async fn another_answer_on_a_fork_goes_its_own_way() {
    let inbox =
        EmailInbox::new("respond", [calls([write()]), calls([done()]), calls([write()]), calls([done()])]);
    let thread = inbox.receive_mail().await;
    inbox.answer(&thread, Decision::Accept).await;
    let original = inbox.view(&thread).await;
    let asked = original.steps.iter().find(|step| matches!(step.next, NextView::Ask { .. })).unwrap().n;
    let fork = inbox.threads().fork(thread.clone(), asked).await.unwrap().thread;
    inbox.answer(&fork, respond("Shorter, please")).await;
    assert_eq!(inbox.sent().len(), 1, "words send nothing");
    let item = inbox.open_item(&fork).await;
    assert!(item.text.contains("you: Shorter, please"), "{}", item.text);
    inbox.answer(&fork, Decision::Accept).await;
    assert_eq!(inbox.sent().len(), 2, "what was approved on the fork is sent there, once");
    assert_eq!(inbox.view(&thread).await, original);
}

/// `w` says what was known: the class and its reason, and the profile as it stood when the mail was triaged.
#[tokio::test]
async fn why_tells_the_memory_it_went_by() {
    let inbox = EmailInbox::new("respond", [calls([write()]), calls([write()]), calls([done()])]);
    let thread = inbox.receive_mail().await;
    let asked = inbox.open_item(&thread).await.id;
    let why = inbox.decisions().why(asked.to_string()).await.unwrap().text();
    assert!(why.contains("class: respond") && why.contains("because: It says so."), "{why}");
    assert!(why.contains("## Memory it could use"), "{why}");
    assert!(why.contains("triage preferences:\n  version 1") && why.contains("Ignore newsletters"), "{why}");
    inbox.answer(&thread, respond("Always keep replies short")).await;
    inbox.drive().await;
    // What is asked once it was learned could go by it.
    let later = inbox.take_in(&mail().replace("one@client", "later@client"), json!({})).await.unwrap();
    inbox.drive().await;
    let again = inbox.open_item(&later).await.id;
    let why = inbox.decisions().why(again.to_string()).await.unwrap().text();
    assert!(why.contains("response preferences:\n  version 2"), "{why}");
    assert!(why.contains("Keep replies short") && why.contains("## Cost"), "{why}");
    assert_eq!(
        inbox.decisions().why(asked.to_string()).await.unwrap().text().matches("Keep replies short").count(),
        0,
        "not by then"
    );
}

/// An account with a model of its own goes by its own lines too, and by those of no other account.
#[tokio::test]
async fn why_tells_the_memory_of_the_account() {
    let setup = EmailSetup { model: Some("main"), ..EmailSetup::default() };
    let inbox = EmailInbox::with(setup, "respond", [calls([write()])]);
    for account in ["work", "home"] {
        let namespace = format!("email_assistant/triage_preferences@{account}");
        let line = format!("- Ignore mail from the {account} office\n");
        let cause = MemoryCause { kind: "edit".to_owned(), thread: None, interrupt: None };
        inbox.store().memory().remember(namespace, 0, line, cause).await.unwrap();
    }
    let thread = inbox.receive_mail().await;
    let why = inbox.decisions().why(inbox.open_item(&thread).await.id.to_string()).await.unwrap().text();
    assert!(
        why.contains("triage preferences for work:\n  version 1") && why.contains("the work office"),
        "{why}"
    );
    assert!(why.contains("triage preferences:\n  version 1") && !why.contains("home"), "{why}");
}
