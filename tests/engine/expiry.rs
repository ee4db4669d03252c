//! Questions that nobody answers, ended by the config's policy: in time, never early, and never into an effect.

use crate::support::house::{eager, respond};
use crate::support::{House, house};
use sayso::app::Settings;
use sayso::config::Expiry;
use sayso::graph::{Decision, InterruptId};
use sayso::inbox::{ActivityQuery, InboxError, ItemQuery, Status};
use sayso::store::StoreError;
use sayso::tools::moment::{Machine, Moment};
use serde_json::json;
use std::time::Duration;

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;
const YEARS: i64 = 3650 * DAY;

fn weekly() -> Settings {
    let expiry = Expiry {
        all: Some(Duration::from_secs(7 * 86_400)),
        kinds: vec!["approval".to_owned()],
        ..Expiry::default()
    };
    Settings { expiry, ..eager() }
}

/// A moment `ms` into a run of the machine, by a wall clock that says `wall`.
fn at(run: &str, ms: i64, wall: i64) -> Moment {
    Moment { wall_ms: wall, machine: Some(Machine { run: run.to_owned(), ms }) }
}

/// A moment of the one run most tests have.
fn day(days: i64) -> Moment {
    at("a", days * DAY, days * DAY)
}

async fn expire(house: &House, now: &Moment) -> usize {
    house.inbox.expire_now(now).await.unwrap()
}

fn deliver() -> serde_json::Value {
    json!([[{"ask": [{"key": "a", "irreversible": true}]}], [{"note": "went on"}]])
}

/// The types of a thread's decisions and who took them.
async fn decisions(house: &House, thread: &sayso::graph::ThreadId) -> Vec<(String, String)> {
    let view = house.view(thread).await;
    view.decisions.into_iter().map(|decision| (decision.r#type, decision.by.to_string())).collect()
}

#[tokio::test]
async fn what_nobody_answers_is_ignored_by_the_policy_and_leaves_its_trace() {
    let house = House::with(weekly(), Vec::new());
    let thread = house.played(deliver()).await;
    let id = house.asked(&thread).await;
    for days in [0, 1, 6] {
        assert_eq!(expire(&house, &day(days)).await, 0, "{days} days");
    }
    assert_eq!(expire(&house, &day(7)).await, 1);
    assert_eq!(expire(&house, &day(9)).await, 0, "once");
    let open =
        house.inbox.decisions().items(ItemQuery { limit: 9, ..Default::default() }).await.unwrap().items;
    assert!(open.is_empty(), "its card is gone");
    house.settle().await;
    assert_eq!(house.log(&thread).await, json!([{"answers": [["a", "ignore"]]}, "went on"]));
    assert_eq!(decisions(&house, &thread).await, [("ignore".to_owned(), "policy:expire".to_owned())]);
    assert!(house.world.performed().is_empty());
    match house.decide(&id, Decision::Accept).await.unwrap_err() {
        InboxError::NotOpen { why, .. } => assert!(why.starts_with("nobody answered in time"), "{why}"),
        other => panic!("{other:?}"),
    }
    assert!(house.inbox.decisions().undo(id).await.is_err());
    let mut audit = String::new();
    let lines = house.store().audit().export(None, &mut |line| {
        audit.push_str(line);
        Ok(())
    });
    assert!(lines.unwrap() > 0 && audit.contains(r#""by":"policy:expire""#), "{audit}");
    assert_eq!(house.store().audit().check_links().unwrap().problems, Vec::<String>::new());
    assert_eq!(house.store().audit().verify().unwrap().problems(), Vec::<String>::new());
    // Nobody decided it, so it is no decision of a person.
    assert!(house.store().inbox().past_decisions(None, 9).unwrap().is_empty());
    let now = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(1);
    let query = ActivityQuery { days: vec![jiff::Timestamp::UNIX_EPOCH, now] };
    assert!(house.inbox.figures().activity(query).await.unwrap().tools.is_empty());
}

#[tokio::test]
async fn no_clock_that_is_set_and_no_restart_ends_anything_early() {
    let house = House::with(weekly(), Vec::new());
    let thread = house.played(deliver()).await;
    expire(&house, &at("a", 0, 0)).await;
    for (run, ms, wall) in [
        ("a", HOUR, YEARS),
        ("a", 2 * HOUR, -YEARS),
        ("b", 0, YEARS),
        ("b", HOUR, -YEARS),
        ("c", 30 * DAY, 2 * YEARS),
        ("c", 36 * DAY, 0),
    ] {
        assert_eq!(expire(&house, &at(run, ms, wall)).await, 0, "{run} {ms} {wall}");
    }
    // Two hours of the first run, one of the second, six days of the third.
    assert_eq!(expire(&house, &at("c", 36 * DAY + 20 * HOUR, -YEARS)).await, 0);
    assert_eq!(expire(&house, &at("c", 36 * DAY + 21 * HOUR, -YEARS)).await, 1);
    assert_eq!(decisions(&house, &thread).await.len(), 1);

    // Where the machine has no clock of its own, only what passes between two looks counts.
    let house = House::with(weekly(), Vec::new());
    house.played(deliver()).await;
    let plain = |wall_ms| Moment { wall_ms, machine: None };
    for wall in [0, YEARS, 2 * YEARS, -YEARS, 3 * YEARS] {
        assert_eq!(expire(&house, &plain(wall)).await, 0, "{wall}");
    }
}

#[tokio::test]
async fn by_default_nothing_expires_and_nothing_is_written() {
    let house = House::new();
    house.played(deliver()).await;
    for days in [0, 7, 3650] {
        assert_eq!(expire(&house, &day(days)).await, 0);
    }
    assert_eq!(house.store().inbox().policy_clock().unwrap(), None);
}

#[tokio::test]
async fn tools_and_workflows_have_times_of_their_own() {
    let week = Some(Duration::from_secs(7 * 86_400));
    let named = |name: &str, lasts| [(name.to_owned(), lasts)].into_iter().collect();
    let kinds = vec!["question".to_owned()];
    for (expiry, ends) in [
        (Expiry { all: week, kinds: kinds.clone(), ..Expiry::default() }, 0),
        (Expiry { tools: named("do", week), ..Expiry::default() }, 1),
        (Expiry { workflows: named("player", week), ..Expiry::default() }, 1),
        (Expiry { workflows: named("player", week), tools: named("do", None), ..Expiry::default() }, 0),
        (Expiry { workflows: named("chat", week), ..Expiry::default() }, 0),
    ] {
        let house = House::with(Settings { expiry: expiry.clone(), ..eager() }, Vec::new());
        house.played(deliver()).await;
        assert_eq!(expire(&house, &day(0)).await, 0);
        assert_eq!(expire(&house, &day(8)).await, ends, "{expiry:?}");
    }
}

#[tokio::test]
async fn nothing_that_was_allowed_goes_on_because_its_neighbour_expired() {
    let program = || {
        json!([[{"ask": [{"key": "a", "irreversible": true}, {"key": "b"}]}],
               [{"once": {"name": "go", "key": "a"}}]])
    };
    for first in [Decision::Accept, respond("why?")] {
        let house = House::with(weekly(), Vec::new());
        let thread = house.played(program()).await;
        let asked = house.outcome(&thread).await.interrupts;
        house.decide(&asked[0], first).await.unwrap();
        for days in [0, 8, 80] {
            assert_eq!(expire(&house, &day(days)).await, 0);
        }
        house.settle().await;
        assert_eq!((house.status(&thread).await, house.world.performed().len()), (Status::Waiting, 0));
    }
    // Of what nobody answered at all, everything ends, and so it does beside what was refused.
    for refused in [0, 1] {
        let house = House::with(weekly(), Vec::new());
        let thread = house.played(json!([[{"ask": [{"key": "a"}, {"key": "b"}]}]])).await;
        let asked = house.outcome(&thread).await.interrupts;
        for id in &asked[..refused] {
            house.decide(id, Decision::Ignore).await.unwrap();
        }
        expire(&house, &day(0)).await;
        assert_eq!(expire(&house, &day(8)).await, 2 - refused);
        house.settle().await;
        assert_eq!(house.status(&thread).await, Status::Done);
    }
}

#[tokio::test]
async fn what_is_held_snoozed_paused_or_new_does_not_expire() {
    let settings = Settings { hold: Duration::from_secs(3600), ..weekly() };
    let house = House::with(settings, Vec::new());
    let thread = house.played(deliver()).await;
    let id = house.asked(&thread).await;
    expire(&house, &day(0)).await;
    // Another thread asks the same; its time is its own.
    let fork = house.inbox.threads().fork(thread.clone(), 1).await.unwrap().thread;
    assert_eq!(house.store().audit().verify().unwrap().problems(), Vec::<String>::new());
    let asked_anew = house.asked(&fork).await;
    house.decide(&asked_anew, Decision::Ignore).await.unwrap();
    house.decide(&id, Decision::Accept).await.unwrap();
    assert_eq!(expire(&house, &day(8)).await, 0);
    assert_eq!(house.status(&thread).await, Status::Held);
    // Taken back, it is a question again, and its time begins anew.
    house.inbox.decisions().undo(id.clone()).await.unwrap();
    assert_eq!(expire(&house, &day(9)).await, 0);
    assert_eq!(expire(&house, &day(15)).await, 0);
    // New mail makes it another question.
    house.news(&thread, "mail").await;
    assert_eq!(expire(&house, &day(17)).await, 0);
    // Whoever puts it off has seen it.
    let later = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(1);
    house.inbox.decisions().snooze(id.clone(), Some(later)).await.unwrap();
    assert_eq!(expire(&house, &day(40)).await, 0);
    house.inbox.decisions().snooze(id.clone(), None).await.unwrap();
    assert_eq!(expire(&house, &day(41)).await, 0);
    house.inbox.pause(true).await.unwrap();
    assert_eq!(expire(&house, &day(60)).await, 0);
    house.inbox.pause(false).await.unwrap();
    assert_eq!(expire(&house, &day(60)).await, 1);
}

#[tokio::test]
async fn trouble_never_expires() {
    let expiry = Expiry {
        workflows: [("player".to_owned(), Some(Duration::from_secs(60)))].into(),
        ..Default::default()
    };
    let house = House::with(Settings { expiry, ..eager() }, Vec::new());
    let thread = house.played(json!([[{"fail": "broken"}]])).await;
    for days in [0, 80] {
        assert_eq!(expire(&house, &day(days)).await, 0);
    }
    assert_eq!(house.trouble(&thread).await.0, "failed");
}

#[tokio::test]
async fn of_an_answer_and_an_expiry_at_once_exactly_one_stands() {
    let house = House::with(weekly(), Vec::new());
    let (mut answered, mut expired) = (0, 0);
    for round in 0..40 {
        let thread = house.played(deliver()).await;
        let id: InterruptId = house.asked(&thread).await;
        expire(&house, &day(round * 10)).await;
        let other = house.other(weekly());
        let (now, wanted) = (day(round * 10 + 8), id.clone());
        let ends = tokio::spawn(async move { other.expire_now(&now).await.unwrap() });
        let answers = house::decide(&house.inbox, &wanted, Decision::Accept);
        let (answer, ended) = tokio::join!(answers, ends);
        let ended = ended.unwrap();
        assert_eq!(usize::from(answer.is_ok()) + ended, 1, "round {round}: {answer:?}");
        answered += usize::from(answer.is_ok());
        expired += ended;
        house.settle().await;
        let kind = if ended == 1 { "ignore" } else { "accept" };
        assert_eq!(house.log(&thread).await[0], json!({"answers": [["a", kind]]}));
        assert_eq!(decisions(&house, &thread).await.len(), 1);
    }
    assert_eq!(answered + expired, 40);
}

#[tokio::test]
async fn a_forged_clock_or_question_is_told_and_ends_nothing() {
    let house = House::with(weekly(), Vec::new());
    let thread = house.played(deliver()).await;
    expire(&house, &day(0)).await;
    let forge = |sql: &str| assert_eq!(house.sql().execute(sql, []).unwrap(), 1, "{sql}");
    forge("UPDATE interrupts SET waits = waits - 99999999999");
    assert_eq!(expire(&house, &day(1)).await, 0);
    assert!(!house.store().audit().verify().unwrap().differing.is_empty());
    forge("UPDATE interrupts SET waits = waits + 99999999999");
    forge(
        "UPDATE settings SET value = replace(value, ' 86400000 ', ' 96400000 ') WHERE name = 'policy_clock'",
    );
    assert!(matches!(house.store().inbox().policy_clock(), Err(StoreError::Damaged(_))));
    assert!(house.inbox.expire_now(&day(9)).await.is_err());
    assert_eq!(house.status(&thread).await, Status::Waiting);
}
