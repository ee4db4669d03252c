//! Snapshots: whatever they save, the state is always the fold of all updates.

use crate::support::House;
use crate::support::house::eager;
use sayso::app::Settings;
use sayso::graph::ThreadId;
use sayso::inbox::Status;
use serde_json::{Value, json};

fn patient() -> Settings {
    Settings { step_limit: 10_000, ..eager() }
}

/// The state folded from the updates as they are shown, by nobody's snapshot.
async fn folded(house: &House, thread: &ThreadId) -> Value {
    let workflow = &house.engine().registry().get("player").unwrap().workflow;
    let steps = house.view(thread).await.steps;
    let state = steps
        .iter()
        .fold(workflow.empty(), |state, step| workflow.apply(state, &step.updates.to_string()).unwrap());
    serde_json::from_str(&workflow.write(&state).unwrap()).unwrap()
}

/// How many entries of the log lie before the newest snapshot.
fn snapshot(house: &House) -> Option<i64> {
    house.sql().query_row("SELECT max(step) FROM snapshots", [], |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn the_state_equals_the_full_fold_at_any_length() {
    for (lines, snapped) in
        [(1, false), (61, false), (62, true), (63, true), (64, true), (200, true), (500, true)]
    {
        let house = House::with(patient(), Vec::new());
        let program: Vec<Value> = (0..lines).map(|n| json!([{"note": format!("line {n}")}])).collect();
        let thread = house.played(json!(program)).await;
        let view = house.view(&thread).await;
        assert_eq!((view.status, view.steps.len()), (Status::Done, lines + 2));
        assert_eq!(view.state, folded(&house, &thread).await, "{lines} lines");
        assert_eq!(snapshot(&house).is_some(), snapped, "{lines} lines");
        let house = house.reopen(patient(), Vec::new());
        assert_eq!(house.view(&thread).await.state, view.state, "{lines} lines, opened again");
        house.sql().execute("DELETE FROM snapshots", []).unwrap();
        assert_eq!(house.view(&thread).await.state, view.state, "a snapshot only saves time");
    }
}

/// Each turn by another engine: what one has folded and the other added meets in the middle.
#[tokio::test]
async fn two_engines_take_turns() {
    let house = House::with(patient(), Vec::new());
    let program: Vec<Value> =
        (0..90).map(|n| json!([{"note": n.to_string()}, {"ask": [{"key": "a"}]}])).collect();
    let thread = house.play(json!(program)).await;
    let other = House { inbox: house.other(patient()), ..House::with(patient(), Vec::new()) };
    for turn in 0..90 {
        let one = if turn % 3 == 0 { &house } else { &other };
        one.settle().await;
        one.accept(&thread).await;
    }
    house.settle().await;
    let view = other.view(&thread).await;
    assert_eq!(view.status, Status::Done);
    assert_eq!(view.state, folded(&house, &thread).await);
    assert!(snapshot(&house).is_some_and(|steps| steps >= 128));
}

#[tokio::test]
async fn a_damaged_snapshot_is_named() {
    let house = House::with(patient(), Vec::new());
    let program: Vec<Value> = (0..70).map(|n| json!([{"note": n.to_string()}])).collect();
    let thread = house.played(json!(program)).await;
    house.sql().execute("UPDATE snapshots SET state = zeroblob(length(state))", []).unwrap();
    let damaged = house.store().audit().verify().unwrap().damaged;
    assert_eq!(damaged, [format!("the snapshot of thread {thread} is not as it was written")]);
}
