//! Requests in a data folder whose clock jumps, and what else the workflow refuses.

use crate::support::test_inbox::eager;
use crate::support::{FakeModel, TestInbox, assert_contains, merged};
use jiff::{SignedDuration, Timestamp};
use sayso::app::Settings;
use sayso::config::Expiry;
use sayso::engine::graph::{Decision, InterruptId, ThreadId};
use sayso::inbox::door::{NewRequest, WaitResult};
use sayso::inbox::{DecidedBy, DecisionRequest, Ending, RequestAnswer, Status};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

/// A folder whose clock is set so many years ahead.
fn wild() -> (TestInbox, Arc<AtomicI64>) {
    with(Settings::default())
}

fn with(settings: Settings) -> (TestInbox, Arc<AtomicI64>) {
    let years = Arc::new(AtomicI64::new(0));
    let set = years.clone();
    let ahead = move || Timestamp::now() + SignedDuration::from_hours(24 * 365 * set.load(Ordering::SeqCst));
    let model = FakeModel::default();
    let inbox = TestInbox::builder().settings(settings).clock(Arc::new(ahead)).with_model(model).open();
    (inbox, years)
}

/// What the person decides at the screen.
fn at_screen(interrupt: &InterruptId, decision: Decision) -> DecisionRequest {
    let interrupt = interrupt.clone();
    DecisionRequest { interrupt, decision, shown: None, learn: false, by: DecidedBy::Tui }
}

/// How a request that is waited for ends.
async fn waited_for(inbox: &TestInbox, thread: &ThreadId) -> RequestAnswer {
    match inbox.requests().wait(thread, std::future::pending()).await.unwrap() {
        WaitResult::Answered(answer) => answer,
        other => panic!("{other:?}"),
    }
}

fn asking(title: &str, expires_in: u64) -> NewRequest {
    NewRequest { input: json!({"title": title, "expires_in": expires_in}), key: None }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn d13_a_wild_clock_ends_no_request_and_loses_no_answer() {
    let (inbox, years) = wild();
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
    let over = waited_for(&inbox, &short.thread).await;
    assert_eq!((over.r#type, over.status), (Some(Ending::Expired), Status::Done));
    // An answer that was given wins over an expiry that comes later, though nobody has taken it up.
    let given = inbox.requests().ask(asking("Still?", 1)).await.unwrap();
    let decide = at_screen(&given.id, Decision::Accept);
    assert_eq!(inbox.decisions().decide(decide).await.unwrap().status, Status::Held);
    // A second after that one has passed, a second after this one has too.
    let later = inbox.requests().ask(asking("By then?", 1)).await.unwrap();
    waited_for(&inbox, &later.thread).await;
    inbox.requests().close_expired().await.unwrap();
    assert_eq!(inbox.threads().outcome(given.thread.clone()).await.unwrap().status, Status::Held);
    // Taken back after its time, it is over.
    inbox.decisions().undo(given.id.clone()).await.unwrap();
    inbox.requests().close_expired().await.unwrap();
    assert_eq!(inbox.requests().answer(&given.id).await.unwrap().r#type, Some(Ending::Expired));
}

#[tokio::test]
async fn an_answer_is_told_once_it_cannot_be_taken_back() {
    // Longer than the moment for which whoever reads an answer helps its thread along.
    let (inbox, _) = with(Settings { soft_hold: Duration::from_millis(1500), ..Settings::default() });
    let asked = inbox.requests().ask(asking("Go?", 3600)).await.unwrap();
    inbox.decisions().decide(at_screen(&asked.id, Decision::Accept)).await.unwrap();
    // At the screen there are some seconds to think again.
    assert_eq!(inbox.requests().answer(&asked.id).await.unwrap().r#type, None);
    inbox.decisions().undo(asked.id.clone()).await.unwrap();
    inbox.decisions().decide(at_screen(&asked.id, Decision::Ignore)).await.unwrap();
    let answer = waited_for(&inbox, &asked.thread).await;
    assert_eq!((answer.r#type, answer.by.as_deref()), (Some(Ending::Ignore), Some("tui")));
}

/// `w` on a request says who asked, from where, by which rule it was asked and when it is over.
#[tokio::test]
async fn why_a_program_asks_is_told_by_the_rule_that_applied() {
    let (inbox, _) = wild();
    let command = |line: &str| json!({"title": "Run", "action": "Bash", "args": {"command": line}});
    let named = json!({"source": "claude-code", "folder": "/home/a/app"});
    let cases = [
        (json!({"title": "Which?", "source": "ci"}), "It needs an answer in your words"),
        (json!({"title": "Built", "notice": true}), "that is always shown"),
        (merged(command("rm -r build"), named.clone()), "It has a warning (deletes)"),
        (
            merged(command("cargo test --lib"), named.clone()),
            "no grant allowed `cargo test --lib` in /home/a/app by claude-code",
        ),
        (merged(command("sh -s"), named.clone()), "this runs what it reads"),
        (merged(command("cargo test"), json!({"source": "builder"})), "named no folder"),
        (merged(command("cargo test"), json!({"folder": "/home/a/app"})), "gave no name"),
        (json!({"title": "Push?", "action": "push", "args": {"to": "main"}}), "named no folder"),
    ];
    for (input, rule) in cases {
        let asked = inbox.requests().ask(NewRequest { input: input.clone(), key: None }).await.unwrap();
        let source = input["source"].as_str();
        let by = source.map_or("gave no name".to_owned(), |name| format!("calls itself {name}"));
        let folder = input["folder"].as_str().unwrap_or_default();
        let why = inbox.why(&asked.id).await;
        assert_contains(&why, [rule, "asked at", "the asker set no time limit", &by, folder]);
    }
    let asked = inbox.requests().ask(asking("Quick?", 90)).await.unwrap();
    let why = inbox.why(asked.id).await;
    assert!(why.contains("1m 30s after it was asked, at "), "{why}");
}

#[tokio::test]
async fn a_request_that_the_policy_ends_has_expired_for_its_asker() {
    let week = Some(Duration::from_secs(7 * 86_400));
    let expiry = Expiry { workflows: [("request".to_owned(), week)].into(), ..Expiry::default() };
    let (inbox, _) = with(Settings { expiry, ..Settings::default() });
    let input = json!({"title": "Pay?", "action": "pay", "args": {"amount": 120}});
    let asked = inbox.requests().ask(NewRequest { input, key: None }).await.unwrap();
    assert_eq!(inbox.expire_after(7).await, 1);
    let over = waited_for(&inbox, &asked.thread).await;
    assert_eq!((over.r#type, over.args, over.by), (Some(Ending::Expired), json!(null), None));
}

/// A request that nobody answered still shows what was asked, and how it ended.
#[tokio::test]
async fn an_unanswered_request_shows_what_was_asked() {
    let (inbox, _) = wild();
    let input = json!({"title": "Pay?", "action": "pay", "args": {"amount": 120}});
    let asked = inbox.requests().ask(NewRequest { input, key: None }).await.unwrap();
    inbox.requests().withdraw(&asked.thread).await.unwrap();
    let card = inbox.threads().conversation(asked.thread).await.unwrap().text();
    assert!(card.contains("amount") && card.contains("120"), "{card}");
    assert!(!card.contains("null") && !card.contains("withdrawn"), "{card}");
}

fn call(command: &str, by_tool: bool, folder: &std::path::Path) -> NewRequest {
    let input = json!({"title": "Run", "action": "Bash", "args": {"command": command}, "source": "claude-code",
        "folder": folder, "session": {"id": "s1"}, "by_tool": by_tool});
    NewRequest { input, key: None }
}

/// A hook and the tool of `--permission-prompt-tool` ask about one call; two calls that look the same are two.
#[tokio::test]
async fn a_hook_and_a_tool_that_ask_about_one_call_share_a_card() {
    let folder = tempfile::tempdir().unwrap();
    for hook_first in [true, false] {
        let (inbox, _) = with(eager());
        let ask =
            async |by_tool| inbox.requests().ask(call("cargo test", by_tool, folder.path())).await.unwrap();
        let first = ask(!hook_first).await;
        assert_eq!(ask(hook_first).await.id, first.id);
        assert_ne!(ask(!hook_first).await.id, first.id, "another call");
        let other = inbox.requests().ask(call("cargo build", hook_first, folder.path())).await.unwrap();
        assert_ne!(other.id, first.id);
    }
}

/// What changes nothing is not held; an edit of it, and everything else, is.
#[tokio::test]
async fn only_what_is_harmless_reaches_an_agent_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let hold = Duration::from_secs(3600);
    let (inbox, _) = with(Settings { agents_hold: hold, hold, ..eager() });
    let edit = || Decision::Edit { args: json!({"command": "cargo test"}) };
    for (command, decision, expected) in [
        ("cat a.rs | head -5", Decision::Accept, Status::Ready),
        ("cat a.rs | head -5", edit(), Status::Held),
        ("cat /etc/passwd", Decision::Accept, Status::Held),
        ("cargo test --lib", Decision::Accept, Status::Held),
    ] {
        let asked = inbox.requests().ask(call(command, false, folder.path())).await.unwrap();
        let status = inbox.decisions().decide(at_screen(&asked.id, decision)).await.unwrap().status;
        assert_eq!(status, expected, "{command}");
    }
}

/// What an edit makes of a command decides how long it is held, and what it is called.
#[tokio::test]
async fn an_edited_command_is_judged_and_named_as_it_runs() {
    let folder = tempfile::tempdir().unwrap();
    let (inbox, _) = with(Settings { hold: Duration::from_secs(3600), ..eager() });
    let long = format!("cargo test {}", "x".repeat(300));
    for (title, command, edited, named, warned) in [
        ("$ cargo test", "cargo test", "git push --force", "$ git push --force", true),
        ("$ rm -rf a", "rm -rf a", "ls a\nls b", "$ ls a", false),
        ("Test it?", "cargo test", "cargo test --lib", "Test it?", false),
        (&format!("$ {}…", &long[..100]), &long, "make", "$ make", false),
    ] {
        let mut request = call(command, false, folder.path());
        request.input["title"] = json!(title);
        let asked = inbox.requests().ask(request).await.unwrap();
        let args = json!({"command": edited});
        let seen = inbox.decisions().edited(asked.id.clone(), args.clone()).await.unwrap();
        assert_eq!((seen.title.as_str(), !seen.warnings.is_empty()), (named, warned), "{title}");
        let decide = at_screen(&asked.id, Decision::Edit { args });
        let status = inbox.decisions().decide(decide).await.unwrap().status;
        assert_eq!(status, if warned { Status::Held } else { Status::Ready }, "{title}");
    }
}
