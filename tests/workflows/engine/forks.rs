//! Forks.

use crate::support::TestInbox;
use crate::support::test_inbox::deed;
use sayso::engine::graph::{Decision, ThreadId};
use sayso::inbox::Status;
use serde_json::json;

/// START, play (asks), ANSWERS, play (delivers), play (spawns), JOIN, play, play (ends).
async fn run_thread(inbox: &TestInbox) -> ThreadId {
    let kid = json!({"key": "k", "program": [[{"note": "kid"}]]});
    let program = json!([
        [{"ask": [{"key": "a", "irreversible": true}]}],
        [{"once": {"name": "go", "key": "a"}}],
        [{"spawn": [kid]}],
        [{"note": "after"}]
    ]);
    let thread = inbox.run_program(program).await;
    assert_eq!(inbox.accept_and_drive(&thread).await, Status::Done);
    thread
}

#[tokio::test]
async fn a_fork_at_every_step_ends_like_the_original_and_repeats_no_effect_of_its_beginning() {
    let inbox = TestInbox::new();
    let thread = run_thread(&inbox).await;
    let original = inbox.view(&thread).await;
    let nodes: Vec<&str> = original.steps.iter().map(|step| step.node.as_str()).collect();
    assert_eq!(nodes, ["START", "play", "ANSWERS", "play", "play", "JOIN", "play", "play"]);
    for step in 0..original.steps.len() as u64 {
        let before = inbox.world.performed().len();
        let copy = inbox.fork(&thread, step).await;
        let shared = inbox.view(&copy).await;
        assert_eq!(shared.steps, original.steps[..=usize::try_from(step).unwrap()], "shared by reference");
        assert_eq!(shared.forked_from.map(|from| (from.thread, from.step)), Some((thread.clone(), step)));
        inbox.drive().await;
        if inbox.status(&copy).await == Status::Waiting {
            let id = inbox.open_question(&copy).await;
            let item = inbox.item(&id).await;
            assert_eq!(item.warnings[0].code, "done_in_original", "from step {step}");
            inbox.decide(&id, Decision::Accept).await.unwrap();
            inbox.drive().await;
        }
        let after = inbox.world.performed().len();
        if step == 2 {
            // Forked between the answer and the deed: nobody has approved anything on the fork.
            assert_eq!(inbox.trouble(&copy).await.1, "nobody approved this effect");
            assert_eq!(after, before);
            continue;
        }
        assert_eq!(inbox.status(&copy).await, Status::Done, "from step {step}");
        assert_eq!(inbox.log(&copy).await, original.state["log"], "from step {step}");
        assert_eq!(after - before, usize::from(step < 2), "from step {step}");
        let own: Vec<_> = inbox.store().threads().family(&copy).unwrap();
        assert_eq!(own.len(), if step < 5 { 2 } else { 1 }, "children are started anew, from step {step}");
    }
    assert_eq!(inbox.view(&thread).await, original, "the original is as it was");
}

#[tokio::test]
async fn a_fork_where_several_were_asked_asks_them_anew() {
    let inbox = TestInbox::new();
    let thread = inbox.run_program(json!([[{"ask": [{"key": "a"}, {"key": "b"}]}], []])).await;
    let asked = inbox.outcome(&thread).await.interrupts;
    inbox.decide(&asked[0], Decision::Accept).await.unwrap();
    let copy = inbox.fork(&thread, 1).await;
    let anew = inbox.outcome(&copy).await.interrupts;
    assert_eq!(anew.len(), 2);
    assert!(anew.iter().all(|id| !asked.contains(id)));
    assert_eq!(inbox.item(&anew[0]).await.args_hash, inbox.item(&asked[0]).await.args_hash);
    for id in anew.iter().rev() {
        inbox.decide(id, Decision::Ignore).await.unwrap();
    }
    inbox.drive().await;
    assert_eq!(inbox.log(&copy).await, json!([{"answers": [["a", "ignore"], ["b", "ignore"]]}]));
    assert_eq!(inbox.outcome(&thread).await.interrupts, asked[1..], "the original still waits for the other");
}

#[tokio::test]
async fn a_fork_where_nothing_was_asked_or_started_goes_on() {
    let (inbox, thread) = TestInbox::new().playing(json!([[{"ask": []}], [{"spawn": []}], []])).await;
    for step in [1, 3] {
        let copy = inbox.fork(&thread, step).await;
        inbox.drive().await;
        assert_eq!(inbox.status(&copy).await, Status::Done, "from step {step}");
    }
}

/// What the original, or the original's original, did after the point of departure is said on the card.
#[tokio::test]
async fn forks_of_forks_know_what_was_done_before_them() {
    let inbox = TestInbox::new();
    let thread = run_thread(&inbox).await;
    let late = inbox.fork(&thread, 4).await;
    inbox.drive().await;
    let early = inbox.fork(&late, 1).await;
    let id = inbox.open_question(&early).await;
    let item = inbox.item(&id).await;
    let codes: Vec<&str> = item.warnings.iter().map(|warning| warning.code.as_str()).collect();
    assert_eq!(codes, ["done_in_original"]);
    assert!(item.warnings[0].text.contains(thread.as_str()), "{:?}", item.warnings);
    inbox.decide(&id, Decision::Accept).await.unwrap();
    inbox.drive().await;
    let third = inbox.fork(&early, 5).await;
    inbox.drive().await;
    for (copy, steps) in [(&late, 8), (&early, 8), (&third, 8)] {
        assert_eq!(inbox.view(copy).await.steps.len(), steps);
        assert_eq!(inbox.status(copy).await, Status::Done);
    }
    inbox.assert_whole();
}

/// Whichever acts first: the other, which waits or is approved already, is asked once more with a warning.
#[tokio::test]
async fn what_a_fork_or_its_original_did_meanwhile_is_not_done_again_unasked() {
    for original_first in [true, false] {
        let (inbox, thread) = TestInbox::new().playing(deed()).await;
        let copy = inbox.fork(&thread, 1).await;
        let (first, second) = if original_first { (&thread, &copy) } else { (&copy, &thread) };
        inbox.accept_and_drive(first).await;
        assert_eq!((inbox.status(first).await, inbox.world.performed().len()), (Status::Done, 1));
        let id = inbox.open_question(second).await;
        inbox.decide(&id, Decision::Accept).await.unwrap();
        inbox.drive().await;
        assert_eq!(inbox.status(second).await, Status::Waiting);
        assert_eq!(inbox.world.performed().len(), 1);
        assert_eq!(inbox.open_question(second).await, id);
        let warnings = inbox.item(&id).await.warnings;
        assert!(warnings.len() == 1 && warnings[0].text.contains(first.as_str()), "{warnings:?}");
        inbox.decide(&id, Decision::Accept).await.unwrap();
        inbox.drive().await;
        assert_eq!((inbox.status(second).await, inbox.world.performed().len()), (Status::Done, 2));
        inbox.assert_whole();
    }
}

#[tokio::test]
async fn a_fork_of_a_step_that_is_not_there_says_which_are() {
    let (inbox, thread) = TestInbox::new().playing(json!([])).await;
    let error = inbox.threads().fork(thread.clone(), 2).await.unwrap_err().to_string();
    assert_eq!(error, format!("thread `{thread}` has steps 0 to 1, no step 2"));
    assert!(inbox.threads().fork(ThreadId::parse("tzzzzzzzz").unwrap(), 0).await.is_err());
    assert!(inbox.threads().fork(thread, u64::MAX).await.is_err());
}

#[tokio::test]
async fn the_card_of_a_decided_question_is_drawn_from_the_state_then() {
    let inbox = TestInbox::new();
    let thread =
        inbox.run_program(json!([[{"note": "early"}, {"ask": [{"key": "a"}]}], [{"note": "late"}]])).await;
    let id = inbox.open_question(&thread).await;
    let before = inbox.item(&id).await.text;
    assert!(before.contains("early"));
    inbox.decide(&id, Decision::Accept).await.unwrap();
    inbox.drive().await;
    assert_eq!(inbox.item(&id).await.text, before);
}
