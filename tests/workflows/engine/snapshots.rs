//! Snapshots: whatever they save, the state is always the fold of all updates.

use crate::support::TestInbox;
use crate::support::test_inbox::eager;
use sayso::app::Settings;
use sayso::engine::graph::ThreadId;
use sayso::inbox::Status;
use serde_json::{Value, json};

fn patient() -> Settings {
    Settings { step_limit: 10_000, ..eager() }
}

/// The state folded from the updates as they are shown, by nobody's snapshot.
async fn folded(inbox: &TestInbox, thread: &ThreadId) -> Value {
    let workflow = &inbox.engine().registry().get("player").unwrap().workflow;
    let steps = inbox.view(thread).await.steps;
    let state = steps
        .iter()
        .fold(workflow.empty(), |state, step| workflow.apply(state, &step.updates.to_string()).unwrap());
    serde_json::from_str(&workflow.write(&state).unwrap()).unwrap()
}

/// How many entries of the log lie before the newest snapshot.
fn snapshot(inbox: &TestInbox) -> Option<i64> {
    inbox.sql().query_row("SELECT max(step) FROM snapshots", [], |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn the_state_equals_the_full_fold_at_any_length() {
    for (lines, snapped) in [(1, false), (61, false), (62, true), (63, true), (64, true), (200, true)] {
        let inbox = TestInbox::with_settings(patient());
        let program: Vec<Value> = (0..lines).map(|n| json!([{"note": format!("line {n}")}])).collect();
        let thread = inbox.run_program(json!(program)).await;
        let view = inbox.view(&thread).await;
        assert_eq!((view.status, view.steps.len()), (Status::Done, lines + 2));
        assert_eq!(view.state, folded(&inbox, &thread).await, "{lines} lines");
        assert_eq!(snapshot(&inbox).is_some(), snapped, "{lines} lines");
        let inbox = inbox.restart(patient());
        assert_eq!(inbox.view(&thread).await.state, view.state, "{lines} lines, opened again");
        inbox.sql().execute("DELETE FROM snapshots", []).unwrap();
        assert_eq!(inbox.view(&thread).await.state, view.state, "a snapshot only saves time");
    }
}

/// Each turn by another engine: what one has folded and the other added meets in the middle.
#[tokio::test]
async fn two_engines_take_turns() {
    let inbox = TestInbox::with_settings(patient());
    let program: Vec<Value> =
        (0..90).map(|n| json!([{"note": n.to_string()}, {"ask": [{"key": "a"}]}])).collect();
    let thread = inbox.start_program(json!(program)).await;
    let other = inbox.other_process(patient());
    for turn in 0..90 {
        let one = if turn % 3 == 0 { &inbox } else { &other };
        one.drive().await;
        one.accept(&thread).await;
    }
    inbox.drive().await;
    let view = other.view(&thread).await;
    assert_eq!(view.status, Status::Done);
    assert_eq!(view.state, folded(&inbox, &thread).await);
    assert!(snapshot(&inbox).is_some_and(|steps| steps >= 64));
    inbox.assert_whole();
}

#[tokio::test]
async fn a_damaged_snapshot_is_named() {
    let inbox = TestInbox::with_settings(patient());
    let program: Vec<Value> = (0..70).map(|n| json!([{"note": n.to_string()}])).collect();
    let thread = inbox.run_program(json!(program)).await;
    inbox.sql().execute("UPDATE snapshots SET state = zeroblob(length(state))", []).unwrap();
    let damaged = inbox.store().audit().verify().unwrap().damaged;
    assert_eq!(damaged, [format!("the snapshot of thread {thread} is not as it was written")]);
}
