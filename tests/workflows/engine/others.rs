//! Another process acts meanwhile, or the file was put back to what it was.

use crate::support::TestInbox;
use crate::support::test_inbox::{deed, eager};
use sayso::engine::graph::Decision;
use sayso::inbox::{OUTPUT_FILES, Status};
use serde_json::json;
use std::time::Duration;

#[derive(Clone, Copy, Debug)]
enum Act {
    Undo,
    DecideAgain,
    Pause,
    Revoke,
}

/// A node is at work, before its effect begins or between the effect and the commit.
#[tokio::test]
async fn whatever_another_process_does_meanwhile_an_effect_happens_once_at_most() {
    let acts = [Act::Undo, Act::DecideAgain, Act::Pause, Act::Revoke];
    for (act, acted) in acts.into_iter().flat_map(|act| [(act, false), (act, true)]) {
        let once = match act {
            Act::Revoke => json!({"once": {"name": "go"}}),
            Act::Undo | Act::DecideAgain | Act::Pause => json!({"once": {"name": "go", "key": "a"}}),
        };
        let gate = json!({"gate": "g"});
        let line = if acted { json!([once, gate]) } else { json!([gate, once]) };
        let (inbox, thread, id) = TestInbox::new().asking(json!([[{"ask": [{"key": "a"}]}], line])).await;
        let other = inbox.other_process(eager());
        inbox.decide(&id, Decision::Accept).await.unwrap();
        let driver = inbox.drive_to("g").await;
        match act {
            Act::Undo => assert_eq!(other.undo(&id).await.is_ok(), !acted),
            Act::DecideAgain => {
                assert_eq!(other.undo(&id).await.is_ok(), !acted);
                assert_eq!(other.decide(&id, Decision::Ignore).await.is_ok(), !acted);
            }
            Act::Pause => other.pause(true).await.unwrap(),
            Act::Revoke => drop(other.grants().revoke(OUTPUT_FILES.to_owned()).await.unwrap()),
        }
        // As often as the node may be tried.
        (0..5).for_each(|_| inbox.world.open("g"));
        let done = || inbox.world.performed().len();
        let expected = match act {
            Act::Undo if !acted => Status::Waiting,
            Act::DecideAgain | Act::Revoke if !acted => Status::Trouble,
            Act::Undo | Act::DecideAgain | Act::Pause | Act::Revoke => Status::Done,
        };
        if let Act::Pause = act {
            driver.stop().await;
            assert_eq!(done(), usize::from(acted), "{act:?}");
            other.pause(false).await.unwrap();
            inbox.drive().await;
        } else {
            inbox.wait_for(&thread, expected).await;
            driver.stop().await;
        }
        assert_eq!(inbox.status(&thread).await, expected, "{act:?}, acted: {acted}");
        assert_eq!(done(), usize::from(expected == Status::Done), "{act:?}, acted: {acted}");
        inbox.assert_whole();
    }
}

/// Commits of two processes may come between two looks of the driver: each is heard.
#[tokio::test]
async fn what_two_processes_decide_at_once_is_all_driven() {
    let inbox = TestInbox::new();
    let other = inbox.other_process(eager());
    let mut asked = Vec::new();
    for _ in 0..12 {
        let thread = inbox.run_program(deed()).await;
        asked.push((inbox.open_question(&thread).await, thread));
    }
    let driver = inbox.drive_in_background().await;
    for pair in asked.chunks(2) {
        let (here, there) = tokio::join!(
            inbox.decide(&pair[0].0, Decision::Accept),
            other.decide(&pair[1].0, Decision::Accept)
        );
        here.unwrap();
        there.unwrap();
    }
    for (_, thread) in &asked {
        inbox.wait_for(thread, Status::Done).await;
    }
    driver.stop().await;
    assert_eq!(inbox.world.performed().len(), asked.len());
    inbox.assert_whole();
}

/// However many look for it: a screen that is told twice reads everything twice.
#[tokio::test]
async fn a_commit_is_told_once_whoever_made_it() {
    let inbox = TestInbox::new();
    let other = inbox.other_process(eager());
    let _watchers = [inbox.store().watch_others(), inbox.store().watch_others()];
    let mut changes = inbox.store().changes();
    for (writer, pause) in [(&inbox, true), (&other, false)] {
        let before = *changes.borrow_and_update();
        writer.pause(pause).await.unwrap();
        let mut told = async |within| tokio::time::timeout(within, changes.changed()).await.is_ok();
        assert!(told(Duration::from_secs(20)).await);
        // Longer than anybody waits who looks again and again.
        while told(Duration::from_millis(700)).await {}
        assert_eq!(*changes.borrow(), before + 1, "paused: {pause}");
    }
}

#[tokio::test]
async fn a_restored_backup_goes_on_from_where_it_was() {
    let inbox = TestInbox::new();
    let first = inbox.run_accepted(deed()).await;
    let second = inbox.run_program(deed()).await;
    let backup = inbox.folder().join("backup.db");
    inbox.sql().execute("VACUUM INTO ?", [backup.to_str().unwrap()]).unwrap();
    inbox.accept_and_drive(&second).await;
    inbox.run_accepted(deed()).await;
    assert_eq!(inbox.world.performed().len(), 3);
    let inbox = inbox.restart_after(eager(), |data| {
        std::fs::copy(&backup, data.join("sayso.db")).unwrap();
    });
    inbox.assert_whole();
    inbox.drive().await;
    let states = [inbox.status(&first).await, inbox.status(&second).await];
    assert_eq!(states, [Status::Done, Status::Waiting], "it is asked again");
    assert_eq!(inbox.world.performed().len(), 3, "and nothing is done again");
    inbox.accept_and_drive(&second).await;
    assert_eq!(inbox.status(&second).await, Status::Done);
    inbox.assert_whole();
}
