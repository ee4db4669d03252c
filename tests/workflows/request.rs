//! Requests in a data folder whose clock goes wild, and what the workflow refuses besides.

use jiff::{SignedDuration, Timestamp};
use sayso::app::{Engine, Settings, services};
use sayso::config::{Env, Expiry};
use sayso::graph::Decision;
use sayso::inbox::{By, Decide, Ending, Registry, Status};
use sayso::service::{Asking, Inbox, Waited};
use sayso::store::Store;
use sayso::tools::moment::{Machine, Moment};
use sayso::workflows::request;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

/// A folder whose clock is set so many years ahead.
fn wild(folder: &tempfile::TempDir) -> (Inbox, Arc<AtomicI64>) {
    with(folder, Settings::default())
}

fn with(folder: &tempfile::TempDir, settings: Settings) -> (Inbox, Arc<AtomicI64>) {
    let years = Arc::new(AtomicI64::new(0));
    let set = years.clone();
    let ahead = move || Timestamp::now() + SignedDuration::from_hours(24 * 365 * set.load(Ordering::SeqCst));
    let data = folder.path().join("data");
    let store = Store::open_with(&data, Arc::new(ahead)).unwrap();
    let config = crate::support::config::load(&data, &Env::default());
    let services = Arc::new(services(&config, Env::default(), &store));
    let registry = Registry::new([request::spec(services).unwrap()]);
    (Inbox::new(Engine::new(store, registry, settings)), years)
}

fn asking(title: &str, expires_in: u64) -> Asking {
    Asking { input: json!({"title": title, "expires_in": expires_in}), key: None }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn d13_a_wild_clock_ends_no_request_and_loses_no_answer() {
    let folder = tempfile::tempdir().unwrap();
    let (inbox, years) = wild(&folder);
    let asked = inbox.requests().ask(asking("An hour?", 3600)).await.unwrap();
    for jump in [10, -10, 5, 0] {
        years.store(jump, Ordering::SeqCst);
        inbox.requests().close_expired().await.unwrap();
        let now = inbox.requests().answer(&asked.id).await.unwrap();
        assert_eq!((now.r#type, now.status), (None, Status::Waiting), "{jump} years");
    }
    // Nor does a jump keep one open.
    years.store(10, Ordering::SeqCst);
    let short = inbox.requests().ask(asking("A second?", 1)).await.unwrap();
    years.store(-10, Ordering::SeqCst);
    let waited = inbox.requests().wait(&short.thread, std::future::pending()).await.unwrap();
    let Waited::Answered(over) = waited else { panic!("{waited:?}") };
    assert_eq!((over.r#type, over.status), (Some(Ending::Expired), Status::Done));
    // An answer that was given wins over an expiry that comes later, though nobody has taken it up.
    let given = inbox.requests().ask(asking("Still?", 1)).await.unwrap();
    let decide = Decide {
        interrupt: given.id.clone(),
        decision: Decision::Accept,
        shown: None,
        learn: false,
        by: By::Tui,
    };
    assert_eq!(inbox.decisions().decide(decide).await.unwrap().status, Status::Held);
    // A second after that one has passed, a second after this one has too.
    let later = inbox.requests().ask(asking("By then?", 1)).await.unwrap();
    inbox.requests().wait(&later.thread, std::future::pending()).await.unwrap();
    inbox.requests().close_expired().await.unwrap();
    assert_eq!(inbox.threads().outcome(given.thread.clone()).await.unwrap().status, Status::Held);
    // Taken back after its time, it is over.
    inbox.decisions().undo(given.id.clone()).await.unwrap();
    inbox.requests().close_expired().await.unwrap();
    assert_eq!(inbox.requests().answer(&given.id).await.unwrap().r#type, Some(Ending::Expired));
}

#[tokio::test]
async fn an_answer_is_told_once_it_cannot_be_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    // Longer than the moment for which whoever reads an answer helps its thread along.
    let (inbox, _) = with(&folder, Settings { soft_hold: Duration::from_secs(2), ..Settings::default() });
    let asked = inbox.requests().ask(asking("Go?", 3600)).await.unwrap();
    let decide =
        |decision| Decide { interrupt: asked.id.clone(), decision, shown: None, learn: false, by: By::Tui };
    inbox.decisions().decide(decide(Decision::Accept)).await.unwrap();
    // At the screen there are some seconds to think again.
    assert_eq!(inbox.requests().answer(&asked.id).await.unwrap().r#type, None);
    inbox.decisions().undo(asked.id.clone()).await.unwrap();
    inbox.decisions().decide(decide(Decision::Ignore)).await.unwrap();
    let waited = inbox.requests().wait(&asked.thread, std::future::pending()).await.unwrap();
    let Waited::Answered(told) = waited else { panic!("{waited:?}") };
    assert_eq!((told.r#type, told.by.as_deref()), (Some(Ending::Ignore), Some("tui")));
}

/// `w` on a request says who asked, from where, by which rule it was asked and when it is over.
#[tokio::test]
async fn why_a_program_asks_is_told_by_the_rule_that_applied() {
    let folder = tempfile::tempdir().unwrap();
    let (inbox, _) = wild(&folder);
    let command = |line: &str| json!({"title": "Run", "action": "Bash", "args": {"command": line}});
    let with = |mut input: serde_json::Value, more: serde_json::Value| {
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        input
    };
    let named = json!({"source": "builder", "folder": "/home/a/app"});
    let cases = [
        (json!({"title": "Which?", "source": "ci"}), "It asks for your words"),
        (json!({"title": "Built", "notice": true}), "that is always shown"),
        (with(command("rm -r build"), named.clone()), "It carries a warning (deletes)"),
        (
            with(command("cargo test --lib"), named.clone()),
            "no grant allowed `cargo test --lib`, nor every `cargo test …` in /home/a/app by builder",
        ),
        (with(command("echo 'a b'"), named.clone()), "more than plain words"),
        (with(command("cargo test"), json!({"source": "builder"})), "named no folder"),
        (with(command("cargo test"), json!({"folder": "/home/a/app"})), "gave no name"),
        (json!({"title": "Push?", "action": "push", "args": {"to": "main"}}), "this is no command"),
    ];
    for (input, rule) in cases {
        let asked = inbox.requests().ask(Asking { input: input.clone(), key: None }).await.unwrap();
        let why = inbox.decisions().why(asked.id.to_string()).await.unwrap().text();
        assert!(why.contains(rule), "{input}: {why}");
        assert!(why.contains("asked at") && why.contains("the asker set no time"), "{why}");
        let by =
            input["source"].as_str().map_or("gave no name".to_owned(), |name| format!("calls itself {name}"));
        assert!(why.contains(&by), "{why}");
        assert!(input["folder"].as_str().is_none_or(|folder| why.contains(folder)), "{why}");
    }
    let asked = inbox.requests().ask(asking("Quick?", 90)).await.unwrap();
    let why = inbox.decisions().why(asked.id.to_string()).await.unwrap().text();
    assert!(why.contains("1m 30s after it was asked, at "), "{why}");
}

#[tokio::test]
async fn a_request_that_the_policy_ends_has_expired_for_its_asker() {
    let folder = tempfile::tempdir().unwrap();
    let week = Some(Duration::from_secs(7 * 86_400));
    let expiry = Expiry { workflows: [("request".to_owned(), week)].into(), ..Expiry::default() };
    let (inbox, _) = with(&folder, Settings { expiry, ..Settings::default() });
    let input = json!({"title": "Pay?", "action": "pay", "args": {"amount": 120}});
    let asked = inbox.requests().ask(Asking { input, key: None }).await.unwrap();
    for ms in [0, 7 * 86_400_000] {
        let machine = Some(Machine { run: "a".to_owned(), ms });
        inbox.expire_now(&Moment { wall_ms: 0, machine }).await.unwrap();
    }
    let waited = inbox.requests().wait(&asked.thread, std::future::pending()).await.unwrap();
    let Waited::Answered(over) = waited else { panic!("{waited:?}") };
    assert_eq!((over.r#type, over.args, over.by), (Some(Ending::Expired), json!(null), None));
}
