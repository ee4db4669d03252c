//! Retries, time limits, panics, step limits, stopping and pausing.

use super::effects::pair;
use crate::support::fake_world::FakeWorld;
use crate::support::test_inbox::{deed, eager, holding};
use crate::support::{FakeModel, TestInbox, player};
use sayso::app::{Driver, Ended, Scope, Settings, Until};
use sayso::engine::graph::ThreadId;
use sayso::engine::graph::{Decision, Progress};
use sayso::engine::store::{DriverLock, LockAttempt};
use sayso::inbox::Status;
use sayso::inbox::door::{DriveReport, NewRequest, drive_or_wait, family_outcome};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

#[tokio::test]
async fn a_passing_fault_is_retried_and_a_lasting_one_is_trouble() {
    let inbox = TestInbox::new();
    let passes = inbox.run_program(json!([[{"flaky": 2}, {"note": "ok"}]])).await;
    assert_eq!(inbox.log(&passes).await, json!(["ok"]));
    let stays = inbox.run_program(json!([[{"flaky": 9}]])).await;
    assert_eq!(inbox.trouble(&stays).await, pair("failed", "a passing fault (tried 3 times)"));
    let fails = inbox.run_program(json!([[{"fail": "a lasting fault"}]])).await;
    assert_eq!(inbox.trouble(&fails).await, pair("failed", "a lasting fault"));
    let runs = inbox.world.runs().iter().filter(|run| run.starts_with(fails.as_str())).count();
    assert_eq!(runs, 1, "not retried");
}

#[tokio::test]
async fn backoff_grows_and_is_waited_out() {
    let inbox = TestInbox::with_settings(Settings { retry_wait: Duration::from_millis(10), ..eager() });
    let began = std::time::Instant::now();
    inbox.run_program(json!([[{"flaky": 2}]])).await;
    assert!(began.elapsed() >= Duration::from_millis(10 + 40), "{:?}", began.elapsed());
}

/// The other side may ask for any wait; one that no clock can hold must not take the driver down.
#[tokio::test]
async fn an_absurd_wait_is_cut_short() {
    let inbox = TestInbox::new();
    let absurd = inbox.start_program(json!([[{"retry_after": u64::MAX}]])).await;
    let other = inbox.start_program(json!([[{"note": "fine"}]])).await;
    let driver = inbox.drive_in_background().await;
    inbox.wait_for(&other, Status::Done).await;
    // The driver still lives, and takes up what comes.
    let third = inbox.start_program(json!([])).await;
    inbox.wait_for(&third, Status::Done).await;
    driver.stop().await;
    assert_eq!(inbox.status(&absurd).await, Status::Ready);
}

#[tokio::test]
async fn a_node_that_takes_too_long_is_retried_then_trouble() {
    let inbox =
        TestInbox::with_settings(Settings { node_timeout: Duration::from_millis(5), retries: 1, ..eager() });
    let thread = inbox.run_program(json!([["hang"]])).await;
    let why = "node `play` took longer than 0.005 s; raise engine.node_timeout_seconds if it needs longer (tried 2 times)";
    assert_eq!(inbox.trouble(&thread).await, pair("failed", why));
}

#[tokio::test]
async fn a_panic_is_the_trouble_of_that_thread_only() {
    let inbox = TestInbox::new();
    let calm = inbox.start_program(json!([[{"note": "a"}], [{"note": "b"}]])).await;
    let wild = inbox.run_program(json!([[{"panic": "out of tea"}]])).await;
    assert_eq!(inbox.trouble(&wild).await, pair("failed", "node `play` broke: out of tea"));
    assert_eq!(inbox.status(&calm).await, Status::Done);
}

#[tokio::test]
async fn the_step_limit_is_a_question() {
    let (inbox, thread) = TestInbox::new().playing(json!([["repeat"]])).await;
    assert_eq!(inbox.trouble(&thread).await.0, "step_limit");
    assert_eq!(inbox.view(&thread).await.steps.len(), 1 + 20);
    inbox.accept_and_drive(&thread).await;
    assert_eq!(inbox.trouble(&thread).await.0, "step_limit");
    assert_eq!(inbox.view(&thread).await.steps.len(), 1 + 40, "as much again");
    let trouble = inbox.open_item(&thread).await;
    assert_eq!(trouble.labels.ignore.as_deref(), Some("abandon"));
    assert_eq!(inbox.answer(&thread, Decision::Ignore).await.status, Status::Abandoned);
    assert_eq!(inbox.past_outcomes().await[0], "abandoned");
}

#[tokio::test]
async fn a_child_that_may_take_no_more_steps_is_not_done() {
    let inbox = TestInbox::new();
    let kid = json!({"key": "k", "program": [["repeat"]]});
    let thread = inbox.run_program(json!([[{"spawn": [kid]}]])).await;
    let kid = inbox.lines().await.into_iter().find(|line| line.parent.is_some()).unwrap().id;
    inbox.answer(&kid, Decision::Ignore).await;
    assert_eq!(inbox.log(&thread).await, json!([{"joined": [["k", false]]}]));
}

#[tokio::test]
async fn a_word_from_a_person_starts_the_count_anew() {
    let inbox = TestInbox::new();
    let mut program = vec![json!([{"ask": [{"key": "a"}]}])];
    program.extend((0..15).map(|_| json!([])));
    let program: Vec<_> = program.iter().cycle().take(32).cloned().collect();
    let thread = inbox.run_program(json!(program)).await;
    inbox.accept_and_drive(&thread).await;
    assert_eq!(inbox.accept_and_drive(&thread).await, Status::Done);
}

#[tokio::test]
async fn a_budget_is_granted_by_accepting() {
    let (inbox, thread) = TestInbox::new().playing(json!([[{"budget": "$0.25 for a thread"}]])).await;
    assert_eq!(inbox.trouble(&thread).await, pair("budget", "$0.25 for a thread"));
    assert_eq!(inbox.accept_and_drive(&thread).await, Status::Done);
}

#[tokio::test]
async fn a_stopped_thread_drops_its_node_and_waits() {
    let inbox = TestInbox::new();
    let thread = inbox.start_program(json!([[{"call": "x"}, {"gate": "g"}, {"note": "first"}]])).await;
    let driver = inbox.drive_to("g").await;
    assert_eq!(inbox.stop(&thread).await.status, Status::Trouble);
    inbox.stop(&thread).await;
    assert_eq!(inbox.trouble(&thread).await.0, "stopped");
    let trouble = inbox.open_question(&thread).await;
    inbox.world.open("g");
    inbox.world.open("g");
    inbox.decide(&trouble, Decision::Accept).await.unwrap();
    inbox.wait_for(&thread, Status::Done).await;
    driver.stop().await;
    assert_eq!(
        inbox.log(&thread).await,
        json!([{"x": 1}, "first"]),
        "what it had paid for is not paid again"
    );
    assert_eq!(inbox.nodes(&thread).await, ["START", "play", "play"]);
    assert!(inbox.threads().stop(thread).await.is_err(), "it has ended");
}

#[tokio::test]
async fn every_answer_to_a_stop_is_carried_out_wherever_it_was_stopped() {
    let kid = json!({"key": "k", "program": [[{"ask": [{"key": "x"}]}]]});
    for program in [json!([[{"ask": [{"key": "a"}]}]]), json!([[{"spawn": [kid]}]])] {
        let (inbox, thread) = TestInbox::new().playing(program.clone()).await;
        let before = inbox.outcome(&thread).await;
        let trouble = inbox.stop(&thread).await.interrupts.pop().unwrap();
        inbox.decide(&trouble, Decision::Accept).await.unwrap();
        inbox.drive().await;
        assert_eq!(inbox.outcome(&thread).await, before, "as if nothing had been: {program}");
        let trouble = inbox.stop(&thread).await.interrupts.pop().unwrap();
        inbox.decide(&trouble, Decision::Ignore).await.unwrap();
        inbox.drive().await;
        assert_eq!(inbox.status(&thread).await, Status::Abandoned, "{program}");
    }
}

#[tokio::test]
async fn stopping_takes_held_decisions_back() {
    let inbox = TestInbox::holding();
    let thread = inbox.run_program(json!([[{"ask": [{"key": "a", "irreversible": true}]}]])).await;
    inbox.accept(&thread).await;
    assert_eq!(inbox.status(&thread).await, Status::Held);
    inbox.stop(&thread).await;
    assert_eq!(inbox.outcome(&thread).await.interrupts.len(), 2, "the question and the trouble");
    assert!(inbox.view(&thread).await.decisions[0].undone_at.is_some());
}

/// A thread in trouble has one card, whether or not somebody stops it as well.
#[tokio::test]
async fn stopping_a_thread_in_trouble_asks_nothing_more() {
    let (inbox, thread, trouble) = TestInbox::new().asking(json!([[{"fail": "broken"}]])).await;
    inbox.stop(&thread).await;
    assert_eq!(inbox.open_question(&thread).await, trouble);
    // A retry that has not begun is taken back.
    inbox.decide(&trouble, Decision::Accept).await.unwrap();
    inbox.stop(&thread).await;
    assert_eq!(inbox.open_question(&thread).await, trouble);
    assert_eq!(inbox.status(&thread).await, Status::Trouble);
    inbox.decide(&trouble, Decision::Ignore).await.unwrap();
    inbox.drive().await;
    assert_eq!(inbox.status(&thread).await, Status::Abandoned);
    inbox.assert_whole();
}

#[tokio::test]
async fn a_pause_holds_in_every_process_and_across_restarts() {
    let inbox = TestInbox::new();
    let thread = inbox.start_program(json!([[{"gate": "g"}], []])).await;
    let driver = inbox.drive_to("g").await;
    inbox.other_process(eager()).pause(true).await.unwrap();
    inbox.world.open("g");
    inbox.wait_until(|| inbox.store().threads().line(&thread).unwrap().steps == 2).await;
    driver.stop().await;
    let inbox = inbox.restart(eager());
    let late = inbox.start_program(json!([])).await;
    let mut worker = Driver::take(inbox.engine().clone()).await.unwrap().unwrap();
    let ended = worker.run(&Scope::All, Until::Idle, std::future::pending()).await.unwrap();
    assert_eq!(ended, Ended::Paused);
    drop(worker);
    assert_eq!(inbox.status(&late).await, Status::Ready);
    assert!(inbox.statistics().overview().await.unwrap().paused);
    inbox.pause(false).await.unwrap();
    inbox.drive().await;
    assert_eq!((inbox.status(&thread).await, inbox.status(&late).await), (Status::Done, Status::Done));
}

#[tokio::test]
async fn a_program_does_not_wait_until_a_thread_has_room() {
    let settings = Settings { concurrency: 1, ..eager() };
    let world = Arc::<FakeWorld>::default();
    let builder = TestInbox::builder().settings(settings).with_model(FakeModel::default());
    let inbox = builder.with_workflow(player::spec("player", world.clone())).open();
    let input = json!({"source": "claude", "title": "$ ls", "action": "Bash", "args": {"command": "ls"}});
    let asked = inbox.requests().ask(NewRequest { input, key: None }).await.unwrap().thread;
    let busy = inbox.start_program(json!([[{"gate": "g"}]])).await;
    let waits = inbox.start_program(json!([])).await;
    let driver = inbox.drive_in_background().await;
    world.reached("g").await;
    inbox.accept(&asked).await;
    inbox.wait_for(&asked, Status::Done).await;
    assert_eq!(inbox.status(&waits).await, Status::Ready, "the limit still holds");
    world.open("g");
    inbox.wait_for(&busy, Status::Done).await;
    inbox.wait_for(&waits, Status::Done).await;
    driver.stop().await;
}

#[tokio::test]
async fn one_driver_at_a_time() {
    let inbox = TestInbox::new();
    let worker = Driver::take(inbox.engine().clone()).await.unwrap().unwrap();
    let other = inbox.other_process(eager());
    let theirs = Driver::take(other.engine().clone()).await.unwrap().err().unwrap();
    assert_eq!(theirs, Some(std::process::id()));
    assert_eq!(inbox.statistics().overview().await.unwrap().driver, Some(std::process::id()));
    drop(worker);
    assert_eq!(inbox.statistics().overview().await.unwrap().driver, None);
    assert!(Driver::take(other.engine().clone()).await.unwrap().is_ok());
}

/// Asking who drives must not keep anybody from driving.
#[tokio::test]
async fn looking_for_the_driver_does_not_disturb_it() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let inbox = TestInbox::new();
    drop(Driver::take(inbox.engine().clone()).await.unwrap().unwrap());
    let (data, enough) = (inbox.data(), std::sync::Arc::new(AtomicBool::new(false)));
    let stop = enough.clone();
    let curious = std::thread::spawn(move || {
        while !stop.load(Ordering::SeqCst) {
            DriverLock::holder(&data);
        }
    });
    let taken =
        (0..300).filter(|_| matches!(DriverLock::take(&inbox.data()), Ok(LockAttempt::Ours(_)))).count();
    enough.store(true, Ordering::SeqCst);
    curious.join().unwrap();
    assert!(taken >= 290, "{taken} of 300");
}

async fn wait(inbox: &TestInbox, thread: &ThreadId, stop: impl Future<Output = ()>) -> DriveReport {
    drive_or_wait(inbox.engine(), &Scope::WithChildren(thread.clone()), Until::Idle, stop, |_| {})
        .await
        .unwrap()
}

#[tokio::test]
async fn whoever_waits_for_a_damaged_thread_is_told() {
    let inbox = TestInbox::new();
    let sound = inbox.start_program(json!([])).await;
    let thread = inbox.start_program(json!([[{"note": "x"}]])).await;
    let forge = "UPDATE log SET body = '{' WHERE seq = (SELECT seq FROM threads WHERE id = ?)";
    inbox.sql().execute(forge, [thread.as_str()]).unwrap();
    let report = wait(&inbox, &thread, std::future::pending()).await;
    let (failed, why) = &report.failed[0];
    assert!(*failed == thread && why.contains("of the log is not readable"), "{why}");
    inbox.drive().await;
    assert_eq!(inbox.status(&sound).await, Status::Done, "the others are driven all the same");
    let mut worker = Driver::take(inbox.engine().clone()).await.unwrap().unwrap();
    worker.run(&Scope::All, Until::Idle, std::future::pending()).await.unwrap();
    assert_eq!(worker.failed().keys().collect::<Vec<_>>(), [&thread]);
}

/// Each holds up nothing but itself, at every start.
#[tokio::test]
async fn one_unreadable_row_does_not_stop_the_others() {
    for (forge, is_failed) in [
        ("UPDATE log SET body = '{' WHERE kind = 'decided'", true),
        ("UPDATE threads SET id = 'x' WHERE status = 'held'", false),
        ("INSERT INTO taught (seq, key, last, asks, row) VALUES (9999, 'x', 9999, 1, '{')", false),
        ("INSERT INTO lessons (namespace, cause, thread, key, at) VALUES ('a', '{}', 9999, 'k', 0)", false),
    ] {
        let world = Arc::<FakeWorld>::default();
        let builder = TestInbox::builder().settings(holding()).with_model(FakeModel::default());
        let inbox = builder.with_workflow(player::spec("player", world.clone())).open();
        let (inbox, held, id) = inbox.asking(deed()).await;
        inbox.decide(&id, Decision::Accept).await.unwrap();
        inbox.sql().execute_batch(&format!("PRAGMA foreign_keys = OFF; {forge}")).unwrap();
        let sound = inbox.start_program(json!([[{"note": "x"}]])).await;
        let clock = Arc::new(|| jiff::Timestamp::now() + jiff::SignedDuration::from_hours(1));
        let later = inbox.other_process_at(eager(), clock);
        let mut worker = Driver::take(later.engine().clone()).await.unwrap().unwrap();
        worker.run(&Scope::All, Until::Idle, std::future::pending()).await.unwrap();
        assert_eq!(inbox.status(&sound).await, Status::Done, "{forge}");
        assert_eq!(worker.failed().contains_key(&held), is_failed, "{forge}");
        assert_eq!(world.performed().len(), 0, "{forge}");
    }
}

#[tokio::test]
async fn waiting_drives_only_the_family_and_reports_all_it_asks() {
    let inbox = TestInbox::new();
    let stranger = inbox.start_program(json!([])).await;
    let kid = json!({"key": "k", "program": [[{"ask": [{"key": "x"}]}]]});
    let thread = inbox.start_program(json!([[{"spawn": [kid]}]])).await;
    assert_eq!(wait(&inbox, &thread, std::future::pending()).await.ended, Ended::Idle);
    let outcome = family_outcome(inbox.engine(), &thread).unwrap();
    assert_eq!((outcome.status, outcome.interrupts.len()), (Status::Joining, 1));
    assert_eq!(inbox.status(&stranger).await, Status::Ready);
    let stuck = inbox.start_program(json!([["hang"]])).await;
    let report = wait(&inbox, &stuck, tokio::time::sleep(Duration::from_millis(20))).await;
    assert_eq!((report.ended, report.driver), (Ended::Stopped, None));
}

#[tokio::test]
async fn progress_is_shown_where_the_thread_is_driven() {
    let inbox = TestInbox::new();
    let mut seen = inbox.engine().progress();
    let thread = inbox.run_program(json!([[{"say": "hello"}]])).await;
    let mut events = Vec::new();
    while let Ok(event) = seen.try_recv() {
        events.push(event);
    }
    let (started, finished) = (
        Progress::Started { thread: thread.clone(), node: "play".to_owned() },
        Progress::Finished { thread: thread.clone() },
    );
    let text = Progress::Text { thread: thread.clone(), delta: "hello".to_owned() };
    let bar = Progress::Bar { thread, what: "hello".to_owned(), done: 1, total: 2 };
    assert_eq!(events, [started.clone(), text, bar, finished.clone(), started, finished]);
}

#[tokio::test]
async fn whoever_waits_while_paused_waits_for_the_node_that_is_running() {
    let inbox = TestInbox::new();
    let thread = inbox.start_program(json!([[{"gate": "g"}], []])).await;
    let driver = inbox.drive_to("g").await;
    inbox.wait_until(|| inbox.store().threads().outcome(&thread).unwrap().status == Status::Running).await;
    inbox.pause(true).await.unwrap();
    let (report, ()) =
        tokio::join!(wait(&inbox, &thread, std::future::pending()), async { inbox.world.open("g") });
    assert_eq!(report.ended, Ended::Paused);
    assert_eq!(inbox.store().threads().line(&thread).unwrap().steps, 2);
    driver.stop().await;
}

/// A pause is lifted by nobody who takes its entry, or the row that leads to it, away.
#[tokio::test]
async fn nothing_leaves_if_a_pause_is_not_on_record_as_listed() {
    for forge in [
        "DELETE FROM log WHERE kind = 'paused'",
        "DELETE FROM pauses",
        "UPDATE log SET stream = 1 WHERE kind = 'paused'",
    ] {
        let inbox = TestInbox::new();
        let thread = inbox.start_program(json!([[{"once": {"name": "x"}}]])).await;
        inbox.pause(true).await.unwrap();
        // Not at the end of the log, where it would be missed at once.
        inbox.start_program(json!([[{"note": "y"}]])).await;
        assert!(inbox.sql().execute(forge, []).unwrap() > 0);
        let mut driver = Driver::take(inbox.engine().clone()).await.unwrap().unwrap();
        driver.run(&Scope::All, Until::Idle, std::future::pending()).await.unwrap();
        assert!(inbox.view(&thread).await.effects.is_empty(), "{forge}");
        assert_ne!(inbox.store().audit().verify().unwrap().problems(), Vec::<String>::new(), "{forge}");
    }
}

/// Changes what the log says of everything of a kind, drives, and checks that the change is named.
async fn drive_what_was_changed(inbox: &TestInbox, kind: &str) {
    inbox.sql().execute("UPDATE log SET at = at + 1 WHERE kind = ?", [kind]).unwrap();
    inbox.drive().await;
    let damaged = inbox.store().audit().verify().unwrap().damaged;
    assert!(damaged.iter().any(|what| what.contains("not as it was written")), "{kind}: {damaged:?}");
}

/// What was changed in the log is neither done nor told to a program that waits.
#[tokio::test]
async fn what_was_changed_in_the_log_does_not_leave() {
    for kind in ["asked", "decided"] {
        let inbox = TestInbox::new();
        let once = json!([{"once": {"name": "x", "key": "a"}}]);
        let thread = inbox.run_program(json!([[{"ask": [{"key": "a", "irreversible": true}]}], once])).await;
        inbox.accept(&thread).await;
        drive_what_was_changed(&inbox, kind).await;
        assert!(inbox.view(&thread).await.effects.is_empty(), "{kind}");

        let inbox = TestInbox::builder().settings(eager()).with_model(FakeModel::default()).open();
        let input = json!({"source": "claude", "title": "$ ls", "action": "Bash", "args": {"command": "ls"}});
        let thread = inbox.requests().ask(NewRequest { input, key: None }).await.unwrap().thread;
        inbox.accept(&thread).await;
        drive_what_was_changed(&inbox, kind).await;
        assert_eq!(inbox.view(&thread).await.output, None, "{kind}");
    }
}

/// The same for what was changed after it was answered.
#[tokio::test]
async fn an_answer_that_was_changed_is_not_told() {
    for kind in ["started", "asked", "decided", "stepped"] {
        let inbox = TestInbox::builder().settings(eager()).with_model(FakeModel::default()).open();
        let input = json!({"source": "claude", "title": "$ ls", "action": "Bash", "args": {"command": "ls"}});
        let thread = inbox.requests().ask(NewRequest { input, key: None }).await.unwrap().thread;
        inbox.accept(&thread).await;
        inbox.drive().await;
        assert!(inbox.requests().answer_in(&thread).await.unwrap().r#type.is_some());
        inbox.sql().execute("UPDATE log SET at = at + 1 WHERE kind = ?", [kind]).unwrap();
        let error = inbox.requests().answer_in(&thread).await.unwrap_err().to_string();
        assert!(error.contains("not as it was written"), "{kind}: {error}");
    }
}

/// The same for lists that say it was answered.
#[tokio::test]
async fn a_forged_list_tells_a_program_nothing() {
    for forged in [
        "UPDATE threads SET status = 'ready', version = version + 1",
        "UPDATE interrupts SET status = 'decided', answer = seq; UPDATE threads SET status = 'ready'",
        "DELETE FROM interrupts; UPDATE threads SET status = 'ready', awaits = 'nothing'",
    ] {
        let inbox = TestInbox::builder().settings(eager()).with_model(FakeModel::default()).open();
        let input = json!({"source": "claude", "title": "$ ls", "action": "Bash", "args": {"command": "ls"}});
        let thread = inbox.requests().ask(NewRequest { input, key: None }).await.unwrap().thread;
        inbox.sql().execute_batch(forged).unwrap();
        let mut driver = Driver::take(inbox.engine().clone()).await;
        if let Ok(Ok(driver)) = &mut driver {
            let _ = driver.run(&Scope::All, Until::Idle, std::future::pending()).await;
        }
        let told = inbox.requests().answer_in(&thread).await;
        assert!(told.is_err() || told.is_ok_and(|told| told.r#type.is_none()), "{forged}");
    }
}

#[tokio::test]
async fn a_lost_question_is_named_before_anything_is_driven() {
    let inbox = TestInbox::new();
    let thread = inbox.run_program(json!([[{"ask": [{"key": "a"}]}]])).await;
    let question = inbox.open_question(&thread).await;
    inbox.sql().execute("DELETE FROM interrupts", []).unwrap();
    let refused = Driver::take(inbox.engine().clone()).await.err().unwrap().to_string();
    assert!(refused.contains("`sayso doctor --repair`"), "{refused}");
    inbox.store().audit().repair().await.unwrap();
    assert_eq!(inbox.open_question(&thread).await, question);
    // A damaged thread does not stop the others.
    inbox.sql().execute("UPDATE log SET at = at + 1 WHERE kind = 'asked'", []).unwrap();
    let other = inbox.run_program(json!([[{"note": "x"}]])).await;
    assert_eq!(inbox.status(&other).await, Status::Done);
}

/// Two that start a thread under one key at once: one is there, the other is told.
#[tokio::test]
async fn a_second_thread_of_a_key_is_refused() {
    let inbox = TestInbox::new();
    let new = player::new_thread;
    let first = inbox.store().threads().start(new("k"), 20).await.unwrap();
    assert!(inbox.store().threads().start(new("k"), 20).await.is_err());
    assert_eq!(inbox.store().threads().newest_with_key("player", "k").unwrap().unwrap().0, first);
    inbox.assert_whole();
}
