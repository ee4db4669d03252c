//! Calls that may be repeated, and effects that must not be.

use crate::support::TestInbox;
use crate::support::test_inbox::{deed, eager, edit, holding};
use sayso::engine::graph::{Decision, EffectError, EffectTrace, ThreadId};
use sayso::inbox::Status;
use serde_json::{Value, json};

/// Asks for `a`, then does `line`.
fn after_approval(line: Value) -> Value {
    json!([deed()[0], line])
}

/// A thread that was approved and ran `line` as far as it goes.
async fn run_approved(inbox: &TestInbox, line: Value) -> ThreadId {
    inbox.run_accepted(after_approval(line)).await
}

async fn states(inbox: &TestInbox, thread: &ThreadId) -> Vec<(String, String)> {
    inbox.view(thread).await.effects.into_iter().map(|effect| (effect.name, effect.state)).collect()
}

/// The code and text of a trouble, or the name and state of an effect.
pub fn pair(name: &str, state: &str) -> (String, String) {
    (name.to_owned(), state.to_owned())
}

#[tokio::test]
async fn a_call_is_not_paid_twice_when_its_step_is_tried_again() {
    let inbox = TestInbox::new();
    let thread =
        inbox.run_program(json!([[{"call": "x"}, {"call": "y"}, {"flaky": 2}], [{"call": "x"}]])).await;
    assert_eq!(inbox.log(&thread).await, json!([{"x": 1}, {"y": 1}, {"x": 2}]), "a new step calls anew");
    assert_eq!(inbox.world.runs().len(), 5);
    let rows: i64 = inbox.sql().query_row("SELECT count(*) FROM calls", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 0, "a commit clears them");
}

#[tokio::test]
async fn a_call_is_not_paid_twice_across_trouble_and_restart() {
    let (inbox, thread) = TestInbox::new().playing(json!([[{"call": "x"}, {"flaky": 3}]])).await;
    assert_eq!(inbox.trouble(&thread).await.0, "failed");
    let inbox = inbox.restart(eager());
    inbox.accept_and_drive(&thread).await;
    assert_eq!(inbox.log(&thread).await, json!([{"x": 1}]));
}

/// Calls that were made knowing what has come are kept; older ones may rest on less, and are made again.
#[tokio::test]
async fn what_comes_makes_only_earlier_calls_old() {
    let inbox = TestInbox::new();
    let before = inbox.start_program(json!([[{"call": "x"}, {"flaky": 2}]])).await;
    inbox.news(&before, "mail").await;
    inbox.drive().await;
    assert_eq!(inbox.log(&before).await, json!([{"arrived": "mail"}, {"x": 1}]));

    let inbox = TestInbox::new();
    let between =
        inbox.start_program(json!([[{"call": "x"}, {"gate": "g"}, {"call": "y"}, {"flaky": 2}]])).await;
    let driver = inbox.drive_to("g").await;
    inbox.news(&between, "mail").await;
    (0..3).for_each(|_| inbox.world.open("g"));
    inbox.wait_for(&between, Status::Done).await;
    driver.stop().await;
    assert_eq!(inbox.log(&between).await, json!([{"arrived": "mail"}, {"x": 2}, {"y": 2}]));
}

#[tokio::test]
async fn one_name_twice_in_a_step_is_an_error() {
    let inbox = TestInbox::new();
    let once = || json!({"once": {"name": "x"}});
    for line in
        [json!([{"call": "x"}, {"call": "x"}]), json!([{"call": "x"}, once()]), json!([once(), once()])]
    {
        let thread = inbox.run_program(json!([line])).await;
        let (code, text) = inbox.trouble(&thread).await;
        assert_eq!(
            (code.as_str(), text.as_str()),
            ("failed", "the effect name `x` was used twice in one step")
        );
    }
}

#[tokio::test]
async fn an_effect_is_done_once_however_often_its_step_is_tried() {
    let inbox = TestInbox::new();
    let thread = run_approved(&inbox, json!([{"once": {"name": "go", "key": "a"}}, {"flaky": 3}])).await;
    assert_eq!(inbox.trouble(&thread).await.0, "failed");
    assert_eq!(inbox.accept_and_drive(&thread).await, Status::Done);
    assert_eq!(inbox.world.performed(), ["go 1"]);
    assert_eq!(inbox.world.counted("finds"), 0, "what is known to be done is not looked for");
    let view = inbox.view(&thread).await;
    assert_eq!(view.decisions[0].executed, Some(json!({"key": "a", "n": 1})));
    assert_eq!(view.effects[0].outcome, json!("performed"));
}

/// What surely failed is tried again with the bytes of the first attempt, what was refused is not, and what may have
/// happened is looked for.
#[tokio::test]
async fn a_failed_effect_is_repeated_only_where_it_surely_did_not_happen() {
    use EffectTrace::{Done, NotDone, Unknown};
    let closed = || EffectError::NotDone("closed".to_owned());
    let refused = || EffectError::Refused("no such street".to_owned());
    let cut_off = || EffectError::Unknown("cut off".to_owned());
    for (faults, found, status, state, attempts, performed) in [
        (vec![closed(), closed()], None, Status::Done, "done", 3, 1),
        (vec![refused()], None, Status::Trouble, "not_done", 1, 0),
        (vec![cut_off()], Some(Done(json!("seen"))), Status::Done, "done", 1, 0),
        (vec![cut_off()], Some(NotDone), Status::Done, "done", 2, 1),
        (vec![cut_off()], Some(Unknown("dark".to_owned())), Status::Trouble, "in_doubt", 1, 0),
    ] {
        let inbox = TestInbox::new();
        let what = format!("{faults:?} {found:?}");
        *inbox.world.found.lock().unwrap() = found;
        faults.into_iter().for_each(|fault| inbox.world.fault(fault));
        let thread = inbox.run_accepted(deed()).await;
        assert_eq!(inbox.status(&thread).await, status, "{what}");
        assert_eq!(states(&inbox, &thread).await, [pair("go", state)], "{what}");
        assert_eq!(inbox.world.counted("attempts"), attempts, "{what}");
        assert_eq!(inbox.world.performed(), vec!["go 1"; performed], "{what}");
        if state == "not_done" {
            assert_eq!(inbox.trouble(&thread).await, pair("failed", "no such street"));
        }
    }
}

/// The four ends of an effect in doubt.
#[tokio::test]
async fn a_person_settles_what_is_in_doubt() {
    let end = |outcome: &str| edit(json!({"effect": "go", "outcome": outcome}));
    let table = [
        (Decision::Accept, Status::Done, "settled", vec![]),
        (end("done"), Status::Done, "settled", vec![]),
        (end("not_done"), Status::Done, "done", vec!["go 1".to_owned()]),
        (Decision::Ignore, Status::Abandoned, "in_doubt", vec![]),
    ];
    for (decision, status, state, performed) in table {
        let inbox = TestInbox::new();
        inbox.leave_in_doubt();
        let thread = inbox.run_accepted(deed()).await;
        let trouble = inbox.open_question(&thread).await;
        let item = inbox.item(&trouble).await;
        assert_eq!(item.args, json!({"effect": "go", "outcome": "done"}));
        assert!(!item.allow.respond && item.irreversible);
        let bad = edit(json!({"effect": "stay", "outcome": "not_done"}));
        assert!(inbox.decide(&trouble, bad).await.unwrap_err().to_string().contains("`effect`"));
        let text = format!("{decision:?}");
        inbox.decide(&trouble, decision).await.unwrap();
        inbox.drive().await;
        assert_eq!(inbox.status(&thread).await, status, "{text}");
        assert_eq!(states(&inbox, &thread).await, [pair("go", state)], "{text}");
        assert_eq!(inbox.world.performed(), performed, "{text}");
    }
}

#[tokio::test]
async fn settling_what_is_in_doubt_is_held_and_can_be_undone() {
    let inbox = TestInbox::new();
    inbox.leave_in_doubt();
    let thread = inbox.run_accepted(deed()).await;
    let inbox = inbox.restart(holding());
    let trouble = inbox.open_question(&thread).await;
    let again = edit(json!({"effect": "go", "outcome": "not_done"}));
    assert_eq!(inbox.decide(&trouble, again).await.unwrap().status, Status::Held);
    assert_eq!(inbox.undo(&trouble).await.unwrap().status, Status::Trouble);
    assert_eq!(inbox.open_question(&thread).await, trouble);
    assert_eq!(inbox.world.performed().len(), 0);
}

#[tokio::test]
async fn nothing_is_done_that_was_not_approved() {
    let other = json!({"key": "a", "n": 2});
    let table = [
        (Decision::Accept, json!({"name": "go", "key": "z"}), "nobody approved this effect"),
        (Decision::Accept, json!({"name": "go", "key": "a", "args": other}), "is not what was approved"),
        (
            edit(other.clone()),
            json!({"name": "go", "key": "a", "args": {"key": "a", "n": 1}}),
            "is not what was approved",
        ),
        (
            Decision::Accept,
            json!({"name": "go", "key": "a", "args": {"key": "a", "n": 1.0}}),
            "is not what was approved",
        ),
        (Decision::Ignore, json!({"name": "go", "key": "a"}), "was not approved"),
        (Decision::Respond { text: "no".into() }, json!({"name": "go", "key": "a"}), "was not approved"),
    ];
    for (decision, once, why) in table {
        let (inbox, thread) = TestInbox::new().playing(after_approval(json!([{"once": once}]))).await;
        inbox.answer(&thread, decision).await;
        let (code, text) = inbox.trouble(&thread).await;
        assert!(code == "failed" && text.contains(why), "{code}: {text}");
        assert_eq!(inbox.world.counted("attempts"), 0);
        assert_eq!(states(&inbox, &thread).await, [], "no intent was kept");
    }
}

#[tokio::test]
async fn an_approval_does_not_last_beyond_the_step_it_was_asked_for() {
    let inbox = TestInbox::new();
    let program = json!([[{"ask": [{"key": "a"}]}], [], [{"once": {"name": "go", "key": "a"}}]]);
    let thread = inbox.run_program(program).await;
    inbox.accept_and_drive(&thread).await;
    assert_eq!(inbox.trouble(&thread).await, pair("failed", "nobody approved this effect"));
}

#[tokio::test]
async fn edited_arguments_are_the_ones_carried_out() {
    let (inbox, thread) = TestInbox::new().playing(deed()).await;
    inbox.answer(&thread, edit(json!({"n": 3, "key": "b"}))).await;
    let decision = inbox.view(&thread).await.decisions.remove(0);
    assert_eq!(decision.proposed, json!({"key": "a", "n": 1}));
    assert_eq!(decision.args, json!({"key": "b", "n": 3}));
    assert_eq!(decision.executed, Some(json!({"key": "b", "n": 3})));
}

#[tokio::test]
async fn a_row_changed_between_the_answer_and_the_effect_is_trouble() {
    let inbox = TestInbox::new();
    let thread =
        inbox.run_program(after_approval(json!([{"gate": "g"}, {"once": {"name": "go", "key": "a"}}]))).await;
    inbox.accept(&thread).await;
    let driver = inbox.drive_to("g").await;
    let forge = "UPDATE log SET body = replace(body, '\"n\":1', '\"n\":7') WHERE kind = 'asked'";
    assert_eq!(inbox.sql().execute(forge, []).unwrap(), 1);
    inbox.world.open("g");
    // The trouble cannot be put to a person either while the row is not to be trusted; nothing is done.
    driver.stop().await;
    assert_eq!(inbox.world.counted("attempts"), 0);
    assert!(!inbox.store().audit().verify().unwrap().damaged.is_empty());
}

/// What another driver finds begun may have happened, so it is looked for first.
#[tokio::test]
async fn an_effect_found_begun_is_looked_for_first() {
    for (found, performed) in [(EffectTrace::Done(json!("seen")), 0), (EffectTrace::NotDone, 1)] {
        let inbox = TestInbox::new();
        *inbox.world.found.lock().unwrap() = Some(found);
        let thread = inbox.run_program(deed()).await;
        inbox.accept(&thread).await;
        // As a process leaves it that dies between intent and outcome.
        let store = inbox.store();
        let have = store.threads().load(&thread, None).unwrap();
        let basis = sayso::engine::graph::Authorization::Decision {
            key: "a".to_owned(),
            args: json!({"key": "a", "n": 1}),
        };
        let intent = sayso::engine::graph::Intent { name: "go".to_owned(), basis, frozen: b"early".to_vec() };
        let step = have.at.steps;
        let effect = sayso::engine::store::EffectIntent {
            thread: thread.clone(),
            version: have.row.version,
            step,
            policies: Vec::new(),
            intent,
        };
        store.effects().begin(effect).await.unwrap();
        let inbox = inbox.restart(eager());
        inbox.drive().await;
        assert_eq!(inbox.status(&thread).await, Status::Done);
        assert_eq!(inbox.world.counted("finds"), 1);
        assert_eq!(inbox.world.performed(), vec!["early"; performed], "the frozen bytes and no others");
    }
}

/// Nobody else may drive while an effect that was begun here is still under way.
#[tokio::test]
async fn the_lock_is_kept_until_effects_under_way_have_ended() {
    let inbox = TestInbox::new();
    let once = json!({"name": "go", "key": "a", "gate": "out"});
    let thread = inbox.run_program(after_approval(json!([{"once": once}]))).await;
    inbox.accept(&thread).await;
    let driver = inbox.drive_to("out").await;
    driver.abort().await;
    let other = inbox.other_process(eager());
    let taken = sayso::app::Driver::take(other.engine().clone()).await.unwrap();
    assert!(taken.is_err(), "the effect is still under way");
    inbox.world.open("out");
    let mut changes = inbox.store().changes();
    loop {
        changes.borrow_and_update();
        if states(&inbox, &thread).await == [pair("go", "done")] {
            break;
        }
        changes.changed().await.unwrap();
    }
    // The lock goes with the last thing that was under way.
    let mut worker = loop {
        match sayso::app::Driver::take(other.engine().clone()).await.unwrap() {
            Ok(worker) => break worker,
            Err(_) => tokio::task::yield_now().await,
        }
    };
    worker.run(&sayso::app::Scope::All, sayso::app::Until::Idle, std::future::pending()).await.unwrap();
    assert_eq!(inbox.status(&thread).await, Status::Done);
    assert_eq!(inbox.world.performed().len(), 1);
}
