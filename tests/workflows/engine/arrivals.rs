//! Events that reach a thread from outside, at every moment of its life.

use crate::support::TestInbox;
use crate::support::test_inbox::{decision, deed, eager, edit, holding, respond};
use sayso::app::Settings;
use sayso::engine::graph::{Decision, EventKind, ThreadId};
use sayso::engine::store::StoreError;
use sayso::inbox::{DecidedBy, DecisionRequest, InboxError, SeenHash, Status};
use serde_json::{Value, json};
use std::time::Duration;

fn asks() -> Value {
    json!([[{"ask": [{"key": "a", "irreversible": true}, {"key": "b"}]}], [{"note": "on"}]])
}

fn settled(reason: &str) -> EventKind {
    EventKind::AnsweredElsewhere { reason: reason.to_owned(), payload: Value::Null }
}

async fn undone(inbox: &TestInbox, thread: &ThreadId) -> Vec<bool> {
    inbox.view(thread).await.decisions.iter().map(|decision| decision.undone_at.is_some()).collect()
}

#[tokio::test]
async fn news_marks_open_questions_and_makes_the_card_stale() {
    let (inbox, thread) = TestInbox::new().playing(asks()).await;
    let asked = inbox.outcome(&thread).await.interrupts;
    let before = inbox.item(&asked[0]).await;
    inbox.news(&thread, "mail1").await;
    assert_eq!(inbox.outcome(&thread).await.interrupts, asked, "the same ids");
    let after = inbox.item(&asked[0]).await;
    assert_eq!((&after.args, after.warnings[0].code.as_str()), (&before.args, "new_mail"));
    assert_ne!(after.args_hash, before.args_hash);
    assert!(after.text.contains("mail1"), "the card is drawn with the news: {}", after.text);
    let shown = Some(SeenHash::Whole(before.args_hash));
    let stale = DecisionRequest { shown, ..decision(&asked[0], Decision::Accept, DecidedBy::Tui) };
    assert!(matches!(inbox.decisions().decide(stale).await.unwrap_err(), InboxError::Stale { .. }));
    inbox.news(&thread, "mail2").await;
    let again = inbox.item(&asked[0]).await;
    assert_eq!(again.warnings.len(), 1, "one warning of a kind");
    assert_ne!(again.args_hash, after.args_hash);
    inbox.accept_and_drive(&thread).await;
    let nodes = ["START", "play", "ARRIVED", "ARRIVED", "ANSWERS", "play", "play"];
    assert_eq!(inbox.nodes(&thread).await, nodes);
}

#[tokio::test]
async fn news_takes_held_and_half_given_answers_back() {
    let (inbox, thread) = TestInbox::holding().playing(asks()).await;
    let asked = inbox.outcome(&thread).await.interrupts;
    inbox.decide(&asked[0], Decision::Accept).await.unwrap();
    inbox.news(&thread, "mail1").await;
    assert_eq!(inbox.outcome(&thread).await.interrupts, asked, "the half given answer");
    for id in &asked {
        inbox.decide(id, Decision::Accept).await.unwrap();
    }
    assert_eq!(inbox.status(&thread).await, Status::Held);
    inbox.news(&thread, "mail2").await;
    let outcome = inbox.outcome(&thread).await;
    assert_eq!((outcome.status, outcome.interrupts), (Status::Waiting, asked));
    assert_eq!(undone(&inbox, &thread).await, [true, true, true]);
}

/// Before the next node, and however many they are; they mark or close what the node asks, and outlive the last one.
#[tokio::test]
async fn what_comes_while_a_node_runs_is_heard_after_it() {
    let (news, elsewhere) = (None, Some("Done elsewhere."));
    let asks = json!({"ask": [{"key": "a"}]});
    for (program, came, status, nodes, log) in [
        (
            json!([[{"gate": "g"}], [{"note": "on"}]]),
            vec![news],
            Status::Done,
            vec!["START", "play", "ARRIVED", "play", "play"],
            json!([{"arrived": "0"}, "on"]),
        ),
        (
            json!([[{"gate": "g"}, "end"]]),
            vec![news, news],
            Status::Done,
            vec!["START", "play", "ARRIVED", "ARRIVED", "play"],
            json!([{"arrived": "0"}, {"arrived": "1"}]),
        ),
        (
            json!([[{"gate": "g"}, asks]]),
            vec![news],
            Status::Waiting,
            vec!["START", "play", "ARRIVED"],
            json!([{"arrived": "0"}]),
        ),
        (
            json!([[{"gate": "g"}, asks], [{"note": "on"}]]),
            vec![elsewhere],
            Status::Done,
            vec!["START", "play", "ARRIVED", "play", "play"],
            json!([{"arrived": "0"}, "on"]),
        ),
    ] {
        let inbox = TestInbox::new();
        let thread = inbox.start_program(program.clone()).await;
        let driver = inbox.drive_to("g").await;
        for (n, reason) in came.into_iter().enumerate() {
            match reason {
                None => inbox.news(&thread, &n.to_string()).await,
                Some(reason) => drop(inbox.arrive(&thread, &n.to_string(), settled(reason)).await.unwrap()),
            }
        }
        inbox.world.open("g");
        inbox.wait_for(&thread, status).await;
        driver.stop().await;
        inbox.drive().await;
        assert_eq!(inbox.nodes(&thread).await, nodes, "{program}");
        assert_eq!(inbox.log(&thread).await, log, "{program}");
        if status == Status::Waiting {
            assert_eq!(inbox.open_item(&thread).await.warnings[0].code, "new_mail");
        }
    }
}

/// What can be undone, or was refused, is not asked again for it.
#[tokio::test]
async fn news_after_such_answers_comes_before_the_node_that_acts() {
    for (irreversible, decision) in [(false, Decision::Accept), (true, Decision::Ignore)] {
        let inbox = TestInbox::new();
        let asked = json!({"key": "a", "irreversible": irreversible});
        let thread = inbox.run_program(json!([[{ "ask": [asked] }]])).await;
        inbox.decide(&inbox.open_question(&thread).await, decision).await.unwrap();
        inbox.news(&thread, "mail1").await;
        inbox.drive().await;
        assert_eq!(inbox.nodes(&thread).await, ["START", "play", "ANSWERS", "ARRIVED", "play"]);
    }
}

#[tokio::test]
async fn news_after_an_approval_that_nothing_was_done_about_asks_again() {
    for decision in [Decision::Accept, edit(json!({"key": "a", "n": 2}))] {
        let (inbox, thread, id) = TestInbox::new().asking(deed()).await;
        assert_eq!(inbox.decide(&id, decision.clone()).await.unwrap().status, Status::Ready);
        inbox.news(&thread, "mail1").await;
        assert_eq!(inbox.open_question(&thread).await, id, "asked again before anybody drives");
        inbox.drive().await;
        assert_eq!(inbox.world.performed().len(), 0);
        assert_eq!(undone(&inbox, &thread).await, [true]);
        assert_eq!(inbox.item(&id).await.warnings[0].code, "new_mail");
        inbox.decide(&id, decision).await.unwrap();
        inbox.drive().await;
        assert_eq!(inbox.world.performed().len(), 1);
        assert_eq!(inbox.status(&thread).await, Status::Done);
        assert_eq!(inbox.nodes(&thread).await, ["START", "play", "ARRIVED", "ANSWERS", "play", "play"]);
    }
}

/// The news waits for the node that asks, and somebody approves before it is taken in: what they saw did not show it.
#[tokio::test]
async fn news_that_an_approval_overtook_is_shown_before_anything_is_done() {
    for hold in [0, 1] {
        let inbox = TestInbox::with_settings(Settings { hold: Duration::from_millis(hold), ..eager() });
        let mut program = deed();
        program[0].as_array_mut().unwrap().insert(0, json!({"gate": "g"}));
        let thread = inbox.start_program(program).await;
        let driver = inbox.drive_to("g").await;
        inbox.news(&thread, "mail1").await;
        // Whoever drives is told to rest, and the node under way still asks.
        inbox.pause(true).await.unwrap();
        inbox.world.open("g");
        inbox.wait_for(&thread, Status::Waiting).await;
        driver.stop().await;
        let id = inbox.open_question(&thread).await;
        assert!(inbox.item(&id).await.warnings.is_empty(), "nobody has taken the news in yet");
        inbox.decide(&id, Decision::Accept).await.unwrap();
        inbox.pause(false).await.unwrap();
        inbox.drive().await;
        assert_eq!(inbox.status(&thread).await, Status::Waiting);
        assert_eq!(inbox.world.performed().len(), 0);
        assert_eq!(inbox.item(&id).await.warnings[0].code, "new_mail");
        inbox.accept_and_drive(&thread).await;
        assert_eq!(inbox.world.performed().len(), 1);
        assert_eq!(inbox.log(&thread).await[0], json!({"arrived": "mail1"}));
    }
}

/// News at the node that acts: before the intent it asks again, and after it waits for the next node.
#[tokio::test]
async fn news_while_what_was_approved_is_under_way_neither_stops_nor_doubles_it() {
    for (gate, begun) in [("before", false), ("during", true)] {
        let inbox = TestInbox::new();
        let act = json!([{"gate": "before"}, {"once": {"name": "go", "key": "a", "gate": "during"}}]);
        let thread = inbox.run_program(json!([[{"ask": [{"key": "a", "irreversible": true}]}], act])).await;
        let id = inbox.open_question(&thread).await;
        inbox.decide(&id, Decision::Accept).await.unwrap();
        let driver = inbox.drive_to("before").await;
        if begun {
            inbox.world.open("before");
            inbox.world.reached("during").await;
        }
        inbox.news(&thread, "mail1").await;
        inbox.world.open(gate);
        let stands = if begun { Status::Done } else { Status::Waiting };
        inbox.wait_for(&thread, stands).await;
        assert_eq!(inbox.world.performed().len(), usize::from(begun), "{gate}");
        if !begun {
            // Whatever the dropped node still meant to do is refused.
            inbox.world.open("before");
            inbox.decide(&id, Decision::Accept).await.unwrap();
            inbox.world.open("before");
            inbox.world.reached("during").await;
            inbox.world.open("during");
            inbox.wait_for(&thread, Status::Done).await;
        }
        driver.stop().await;
        assert_eq!(inbox.world.performed().len(), 1, "{gate}");
        assert!(
            inbox.log(&thread).await.as_array().unwrap().contains(&json!({"arrived": "mail1"})),
            "{gate}"
        );
    }
}

#[tokio::test]
async fn news_for_an_ended_thread_is_refused() {
    let (inbox, thread) = TestInbox::new().playing(json!([])).await;
    let what = EventKind::News {
        topic: String::new(),
        payload: Value::Null,
        warning: crate::support::warning("new_mail"),
    };
    assert!(matches!(inbox.arrive(&thread, "mail1", what).await, Err(StoreError::NotOpen { .. })));
}

#[tokio::test]
async fn what_was_settled_elsewhere_closes_with_the_reason() {
    let (inbox, thread) = TestInbox::holding().playing(asks()).await;
    let asked = inbox.outcome(&thread).await.interrupts;
    inbox.decide(&asked[1], Decision::Ignore).await.unwrap();
    inbox.arrive(&thread, "reply", settled("You have answered this mail yourself.")).await.unwrap();
    for id in &asked {
        match inbox.decide(id, Decision::Accept).await.unwrap_err() {
            InboxError::NotOpen { why, .. } => assert_eq!(why, "You have answered this mail yourself."),
            other => panic!("{other:?}"),
        }
        assert!(inbox.undo(id).await.is_err());
    }
    inbox.drive().await;
    assert_eq!(inbox.log(&thread).await, json!([{"arrived": "reply"}, "on"]));
    assert_eq!(inbox.status(&thread).await, Status::Done);
}

#[tokio::test]
async fn words_after_a_result_run_the_thread_again_from_its_entry() {
    let inbox = TestInbox::new();
    let thread = inbox.run("chat", json!({"topic": "tea"})).await;
    inbox.respond(&thread, "done").await;
    inbox.drive().await;
    let results = inbox.statistics().overview().await.unwrap().open;
    assert_eq!(results.last(), Some(&("result".to_owned(), 1)));
    assert!(inbox.threads().proceed(thread.clone(), " \n".to_owned()).await.is_err(), "no words");
    let outcome = inbox.threads().proceed(thread.clone(), "now by quarter".to_owned()).await.unwrap();
    assert_eq!(outcome.status, Status::Ready);
    let busy = inbox.threads().proceed(thread.clone(), "and again".to_owned()).await.unwrap_err();
    assert!(matches!(busy, InboxError::Conflict(_)), "{busy:?}");
    inbox.drive().await;
    assert_eq!(inbox.status(&thread).await, Status::Waiting);
    assert_eq!(inbox.nodes(&thread).await, ["START", "think", "ANSWERS", "think", "ARRIVED", "think"]);
    assert_eq!(inbox.statistics().overview().await.unwrap().open.last(), Some(&("result".to_owned(), 0)));
}

#[tokio::test]
async fn a_hint_enters_before_the_retry() {
    let (inbox, thread) = TestInbox::new().playing(json!([[{"flaky": 3}, {"note": "made it"}]])).await;
    inbox.answer(&thread, respond("use the back door")).await;
    let view = inbox.view(&thread).await;
    assert_eq!(view.steps[1].node, "ARRIVED");
    assert_eq!(
        view.steps[1].updates[0]["arrived"]["what"],
        json!({"kind": "hint", "text": "use the back door"})
    );
    assert_eq!(view.status, Status::Done);
}

/// An effect in doubt, decided and held, when news comes: the decision is taken back, and the effect keeps its
/// place in the journal, so that it is not done a second time.
#[tokio::test]
async fn news_during_a_held_trouble_doubles_nothing() {
    for key in [json!("a"), Value::Null] {
        let inbox = TestInbox::new();
        inbox.leave_in_doubt();
        let program = json!([[{"ask": [{"key": "a"}]}], [{"once": {"name": "go", "key": key}}]]);
        let thread = inbox.run_program(program).await;
        inbox.accept_and_drive(&thread).await;
        let inbox = inbox.restart(holding());
        let trouble = inbox.open_question(&thread).await;
        assert_eq!(inbox.decide(&trouble, Decision::Accept).await.unwrap().status, Status::Held);
        inbox.news(&thread, "mail1").await;
        assert_eq!(inbox.status(&thread).await, Status::Trouble, "asked again");
        assert_eq!(inbox.open_question(&thread).await, trouble);
        assert_eq!(undone(&inbox, &thread).await, [false, true]);
        let inbox = inbox.restart(eager());
        inbox.decide(&trouble, Decision::Accept).await.unwrap();
        inbox.drive().await;
        assert_eq!(inbox.status(&thread).await, Status::Done);
        assert_eq!(inbox.world.performed().len(), 0, "it was settled as done");
        assert_eq!(inbox.view(&thread).await.effects.len(), 1);
        assert!(inbox.nodes(&thread).await.contains(&"ARRIVED".to_owned()), "and the news was heard");
    }
}

/// A stopped thread still has its questions open; news makes them stale like any other.
#[tokio::test]
async fn news_for_a_stopped_thread_marks_its_open_questions() {
    let inbox = TestInbox::new();
    let thread = inbox.run_program(json!([[{"ask": [{"key": "a"}]}], [{"note": "on"}]])).await;
    let id = inbox.open_question(&thread).await;
    let before = inbox.item(&id).await.args_hash;
    inbox.stop(&thread).await;
    inbox.news(&thread, "mail1").await;
    assert_eq!(inbox.status(&thread).await, Status::Trouble);
    assert_ne!(inbox.item(&id).await.args_hash, before);
    assert_eq!(inbox.accept_and_drive(&thread).await, Status::Done);
    assert_eq!(inbox.log(&thread).await, json!([{"arrived": "mail1"}, {"answers": [["a", "accept"]]}, "on"]));
}

#[tokio::test]
async fn news_for_a_joining_thread_waits_for_its_children() {
    let inbox = TestInbox::new();
    let kid = json!({"key": "k", "program": [[{"ask": [{"key": "x"}]}]]});
    let thread = inbox.run_program(json!([[{"spawn": [kid]}], [{"note": "on"}]])).await;
    inbox.news(&thread, "mail1").await;
    inbox.drive().await;
    assert_eq!(inbox.status(&thread).await, Status::Joining);
    let child = inbox.store().threads().family(&thread).unwrap()[1].0.clone();
    inbox.accept_and_drive(&child).await;
    assert_eq!(inbox.log(&thread).await, json!([{"joined": [["k", true]]}, {"arrived": "mail1"}, "on"]));
}

/// A hold that has passed is over: what comes while the node is at work waits for the next one and takes nothing back.
#[tokio::test]
async fn news_after_the_hold_do_not_take_an_answer_back() {
    let inbox = TestInbox::with_settings(Settings { soft_hold: Duration::from_millis(20), ..eager() });
    let thread = inbox.run_program(json!([[{"ask": [{"key": "a"}]}], [{"gate": "g"}, {"note": "x"}]])).await;
    let answer = decision(&inbox.open_question(&thread).await, respond("go on"), DecidedBy::Tui);
    assert_eq!(inbox.decisions().decide(answer).await.unwrap().status, Status::Held);
    let driver = inbox.drive_to("g").await;
    inbox.wait_for(&thread, Status::Running).await;
    inbox.news(&thread, "mail").await;
    let decisions = inbox.view(&thread).await.decisions;
    assert!(decisions.len() == 1 && decisions[0].undone_at.is_none(), "{decisions:?}");
    inbox.world.open("g");
    inbox.wait_for(&thread, Status::Done).await;
    driver.stop().await;
    inbox.assert_whole();
}
