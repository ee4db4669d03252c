//! Questions that nobody answers, ended by the config's policy: in time, never early, and never into an effect.

use crate::support::TestInbox;
use crate::support::test_inbox::{eager, respond};
use sayso::app::Settings;
use sayso::config::Expiry;
use sayso::engine::graph::{Decision, InterruptId};
use sayso::inbox::{ActivityQuery, InboxError, Status};
use serde_json::json;
use std::time::Duration;

/// In hours.
const DAY: i64 = 24;
const YEAR: i64 = 365 * DAY;

fn weekly() -> Settings {
    let expiry = Expiry {
        all: Some(Duration::from_secs(7 * 86_400)),
        kinds: vec!["approval".to_owned()],
        ..Expiry::default()
    };
    Settings { expiry, ..eager() }
}

fn deliver() -> serde_json::Value {
    json!([[{"ask": [{"key": "a", "irreversible": true}]}], [{"note": "went on"}]])
}

/// The types of a thread's decisions and who took them.
async fn decisions(inbox: &TestInbox, thread: &sayso::engine::graph::ThreadId) -> Vec<(String, String)> {
    let view = inbox.view(thread).await;
    view.decisions.into_iter().map(|decision| (decision.r#type, decision.by.to_string())).collect()
}

#[tokio::test]
async fn what_nobody_answers_is_ignored_by_the_policy_and_leaves_its_trace() {
    let (inbox, thread, id) = TestInbox::with_settings(weekly()).asking(deliver()).await;
    for days in [0, 1, 6] {
        assert_eq!(inbox.expire_after(days).await, 0, "{days} days");
    }
    assert_eq!(inbox.expire_after(7).await, 1);
    assert_eq!(inbox.expire_after(9).await, 0, "once");
    assert!(inbox.items().await.is_empty(), "its card is gone");
    inbox.drive().await;
    assert_eq!(inbox.log(&thread).await, json!([{"answers": [["a", "ignore"]]}, "went on"]));
    assert_eq!(decisions(&inbox, &thread).await, [("ignore".to_owned(), "policy:expire".to_owned())]);
    assert!(inbox.world.performed().is_empty());
    match inbox.decide(&id, Decision::Accept).await.unwrap_err() {
        InboxError::NotOpen { why, .. } => assert!(why.starts_with("nobody answered in time"), "{why}"),
        other => panic!("{other:?}"),
    }
    assert!(inbox.undo(&id).await.is_err());
    let mut audit = String::new();
    let lines = inbox.store().audit().export(None, &mut |line| {
        audit.push_str(line);
        Ok(())
    });
    assert!(lines.unwrap() > 0 && audit.contains(r#""by":"policy:expire""#), "{audit}");
    assert_eq!(inbox.store().audit().check_links().unwrap().problems, Vec::<String>::new());
    inbox.assert_whole();
    // Nobody decided it, so it is no decision of a person.
    assert!(inbox.store().inbox().past_decisions(None, 9).unwrap().is_empty());
    let now = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(1);
    let query = ActivityQuery { days: vec![jiff::Timestamp::UNIX_EPOCH, now] };
    let activity = inbox.statistics().activity(query).await.unwrap();
    assert!(activity.days.iter().all(|day| day.decisions == Default::default()));
}

#[tokio::test]
async fn a_clock_that_is_set_wrong_for_a_while_ends_nothing() {
    let (inbox, thread) = TestInbox::with_settings(weekly()).playing(deliver()).await;
    let now = jiff::Timestamp::now();
    let hours = |hours: i64| now + jiff::SignedDuration::from_hours(hours);
    for at in [0, YEAR, -YEAR, 1, 7 * DAY - 1, YEAR, 7 * DAY + 1] {
        assert_eq!(inbox.expire_now(hours(at)).await.unwrap(), 0, "{at}");
    }
    assert_eq!(inbox.status(&thread).await, Status::Waiting);
}

/// A person who comes back to a machine that was off for long can still answer.
#[tokio::test]
async fn what_is_overdue_stays_for_an_hour() {
    let inbox = TestInbox::with_settings(weekly());
    inbox.run_program(deliver()).await;
    let back = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(30 * DAY);
    for (minutes, ends) in [(0, 0), (59, 0), (60, 1)] {
        let at = back + jiff::SignedDuration::from_mins(minutes);
        assert_eq!(inbox.expire_now(at).await.unwrap(), ends, "{minutes} min");
    }
}

#[tokio::test]
async fn tools_and_workflows_have_times_of_their_own() {
    let week = Some(Duration::from_secs(7 * 86_400));
    let named = |name: &str, lasts| [(name.to_owned(), lasts)].into_iter().collect();
    let kinds = vec!["question".to_owned()];
    for (expiry, ends) in [
        (Expiry::default(), 0),
        (Expiry { all: week, kinds: kinds.clone(), ..Expiry::default() }, 0),
        (Expiry { tools: named("do", week), ..Expiry::default() }, 1),
        (Expiry { workflows: named("player", week), ..Expiry::default() }, 1),
        (Expiry { workflows: named("player", week), tools: named("do", None), ..Expiry::default() }, 0),
        (Expiry { workflows: named("chat", week), ..Expiry::default() }, 0),
    ] {
        let inbox = TestInbox::with_settings(Settings { expiry: expiry.clone(), ..eager() });
        inbox.run_program(deliver()).await;
        assert_eq!(inbox.expire_after(0).await, 0);
        assert_eq!(inbox.expire_after(8).await, ends, "{expiry:?}");
    }
}

#[tokio::test]
async fn nothing_that_was_allowed_goes_on_because_its_neighbour_expired() {
    let program = || {
        json!([[{"ask": [{"key": "a", "irreversible": true}, {"key": "b"}]}],
               [{"once": {"name": "go", "key": "a"}}]])
    };
    for first in [Decision::Accept, respond("why?")] {
        let (inbox, thread) = TestInbox::with_settings(weekly()).playing(program()).await;
        let asked = inbox.outcome(&thread).await.interrupts;
        inbox.decide(&asked[0], first).await.unwrap();
        for days in [0, 8, 80] {
            assert_eq!(inbox.expire_after(days).await, 0);
        }
        inbox.drive().await;
        assert_eq!((inbox.status(&thread).await, inbox.world.performed().len()), (Status::Waiting, 0));
    }
    // Of what nobody answered at all, everything ends, and so it does beside what was refused.
    for refused in [0, 1] {
        let inbox = TestInbox::with_settings(weekly());
        let thread = inbox.run_program(json!([[{"ask": [{"key": "a"}, {"key": "b"}]}]])).await;
        let asked = inbox.outcome(&thread).await.interrupts;
        for id in &asked[..refused] {
            inbox.decide(id, Decision::Ignore).await.unwrap();
        }
        inbox.expire_after(0).await;
        assert_eq!(inbox.expire_after(8).await, 2 - refused);
        inbox.drive().await;
        assert_eq!(inbox.status(&thread).await, Status::Done);
    }
}

#[tokio::test]
async fn what_is_held_snoozed_paused_or_new_does_not_expire() {
    let settings = Settings { hold: Duration::from_secs(3600), ..weekly() };
    let (inbox, thread, id) = TestInbox::with_settings(settings).asking(deliver()).await;
    inbox.expire_after(0).await;
    // Another thread asks the same; its time is its own.
    let fork = inbox.fork(&thread, 1).await;
    inbox.assert_whole();
    let asked_anew = inbox.open_question(&fork).await;
    inbox.decide(&asked_anew, Decision::Ignore).await.unwrap();
    inbox.decide(&id, Decision::Accept).await.unwrap();
    assert_eq!(inbox.expire_after(8).await, 0);
    assert_eq!(inbox.status(&thread).await, Status::Held);
    // Taken back, it is a question again, and stays for the grace period.
    inbox.undo(&id).await.unwrap();
    let look = async |hours: i64| {
        let at = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(8 * DAY + hours);
        inbox.expire_now(at).await.unwrap()
    };
    assert_eq!(look(0).await, 0);
    // New mail makes it another question.
    inbox.news(&thread, "mail").await;
    assert_eq!(look(2).await, 0);
    // Whoever puts it off has seen it.
    let later = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(1);
    inbox.decisions().snooze(id.clone(), Some(later)).await.unwrap();
    assert_eq!(look(4).await, 0);
    inbox.decisions().snooze(id.clone(), None).await.unwrap();
    assert_eq!(look(6).await, 0);
    inbox.pause(true).await.unwrap();
    assert_eq!(look(8).await, 0);
    inbox.pause(false).await.unwrap();
    assert_eq!(look(8).await, 1);
}

/// Nobody sees the question of a stopped thread, so it stays for the grace period when the thread goes on.
#[tokio::test]
async fn what_a_stopped_thread_asked_does_not_expire() {
    let (inbox, thread, id) = TestInbox::with_settings(weekly()).asking(deliver()).await;
    inbox.expire_after(0).await;
    inbox.stop(&thread).await;
    assert_eq!(inbox.expire_after(20).await, 0);
    let stopped = inbox.open_items(&thread).await.into_iter().find(|item| item.action == "stopped").unwrap();
    inbox.decide(&stopped.id, Decision::Accept).await.unwrap();
    inbox.drive().await;
    assert_eq!(inbox.open_question(&thread).await, id);
    assert_eq!(inbox.expire_after(21).await, 1);
    inbox.assert_whole();
}

#[tokio::test]
async fn trouble_never_expires() {
    let expiry = Expiry {
        workflows: [("player".to_owned(), Some(Duration::from_secs(60)))].into(),
        ..Default::default()
    };
    let inbox = TestInbox::with_settings(Settings { expiry, ..eager() });
    let thread = inbox.run_program(json!([[{"fail": "broken"}]])).await;
    for days in [0, 80] {
        assert_eq!(inbox.expire_after(days).await, 0);
    }
    assert_eq!(inbox.trouble(&thread).await.0, "failed");
}

#[tokio::test]
async fn of_an_answer_and_an_expiry_at_once_exactly_one_stands() {
    let inbox = TestInbox::with_settings(weekly());
    let (mut answered, mut expired) = (0, 0);
    for round in 0..40 {
        let thread = inbox.run_program(deliver()).await;
        let id: InterruptId = inbox.open_question(&thread).await;
        let later = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(8 * DAY);
        inbox.expire_now(later).await.unwrap();
        let other = inbox.other_process(weekly());
        let (now, wanted) = (later + jiff::SignedDuration::from_hours(1), id.clone());
        let ends = tokio::spawn(async move { other.expire_now(now).await.unwrap() });
        let answers = inbox.decide(&wanted, Decision::Accept);
        let (answer, ended) = tokio::join!(answers, ends);
        let ended = ended.unwrap();
        assert_eq!(usize::from(answer.is_ok()) + ended, 1, "round {round}: {answer:?}");
        answered += usize::from(answer.is_ok());
        expired += ended;
        inbox.drive().await;
        let kind = if ended == 1 { "ignore" } else { "accept" };
        assert_eq!(inbox.log(&thread).await[0], json!({"answers": [["a", kind]]}));
        assert_eq!(decisions(&inbox, &thread).await.len(), 1);
    }
    assert_eq!(answered + expired, 40);
}
