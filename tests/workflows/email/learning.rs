//! From answers to memory: batches, conflicts, and updates that wait for the person.

use super::office::{Office, Plan, calls, done, edit, mail, write};
use crate::support::house::eager;
use sayso::app::{Scope, Settings, Until};
use sayso::graph::Decision;
use sayso::inbox::{MemoryCause, Status};
use sayso::service::attend;
use serde_json::json;
use std::time::Duration;

const TRIAGE: &str = "email_assistant/triage_preferences";

/// What the scripted model learns from a mail of Bob's that was ignored.
const LEARNED: &str = "- ignore mail from bob@client.example about report\n";

/// Another mail of the same sender.
fn numbered(n: usize) -> String {
    mail().replace("one@client", &format!("n{n}@client")).replace("The report", &format!("Report {n}"))
}

#[tokio::test(start_paused = true)]
async fn a_batch_is_one_update_after_the_delay() {
    let settings = Settings { learning_delay: Duration::from_secs(20), ..eager() };
    let office = Office::with(Plan { settings, ..Plan::default() }, "notify", []);
    let mut threads = Vec::new();
    for n in 0..3 {
        threads.push(office.receive(&numbered(n), json!({})).await.unwrap());
    }
    office.settle().await;
    for thread in &threads {
        let id = office.asked(thread).await;
        office.decide(&id, Decision::Ignore).await.unwrap();
        // Driven alone, it is not learned from yet: the clock of this test runs ahead while the disk is busy.
        let (scope, never) = (Scope::Family(thread.clone()), std::future::pending());
        attend(office.engine(), &scope, Until::Idle, never, |_| {}).await.unwrap();
    }
    let before = tokio::time::Instant::now();
    office.settle().await;
    assert!(before.elapsed() >= Duration::from_secs(20), "it waits for more answers");
    assert_eq!(office.requests("email.memory").len(), 1);
    assert_eq!(office.lessons().len(), 3);
    let newest = office.store().memory().newest(TRIAGE).unwrap().unwrap();
    assert_eq!(newest.version, 2);
    assert!(newest.profile.ends_with(LEARNED), "{}", newest.profile);
    assert_eq!(newest.cause.kind, "answer");
    assert_eq!(newest.cause.thread.as_ref(), Some(&threads[2]));
    assert!(newest.cause.interrupt.is_some());
    assert!(office.store().memory().open_lessons().unwrap().is_empty());
}

#[tokio::test]
async fn the_first_read_writes_the_default_and_later_mail_is_read_with_what_was_learned() {
    let office = Office::new("notify", []);
    let thread = office.got().await;
    let first = office.store().memory().newest(TRIAGE).unwrap().unwrap();
    assert_eq!((first.version, first.cause.kind.as_str()), (1, "default"));
    assert!(first.profile.contains("Ignore newsletters"));
    office.decides(&thread, Decision::Ignore).await;
    office.receive(&numbered(2), json!({})).await.unwrap();
    office.settle().await;
    let request = office.requests("email.triage").remove(1);
    assert!(request.facts["profile"].as_str().unwrap().ends_with(LEARNED));
}

#[tokio::test]
async fn an_update_that_drops_much_waits_for_the_person() {
    for (decision, version, kept) in [
        (Decision::Accept, 2, "- only this\n"),
        (
            Decision::Edit { args: json!({"namespace": TRIAGE, "profile": "- my own words\n"}) },
            2,
            "- my own words\n",
        ),
        (Decision::Ignore, 1, ""),
    ] {
        let office = Office::new("notify", []);
        let update = json!({"reasoning": "All of it was wrong.", "profile": "- only this"});
        office.script.memory.lock().unwrap().push_back(update);
        let thread = office.got().await;
        let before = office.store().memory().newest(TRIAGE).unwrap().unwrap().profile;
        office.decides(&thread, Decision::Ignore).await;
        let waiting = waiting(&office).await;
        assert_eq!(office.store().memory().newest(TRIAGE).unwrap().unwrap().version, 1);
        let item = office.open(&waiting).await;
        assert_eq!(item.action, "update_memory");
        assert!(item.warnings.iter().any(|warning| warning.code == "much_dropped"), "{:?}", item.warnings);
        assert!(
            item.text.contains("+- only this") && item.text.contains("-- Ignore newsletters"),
            "{}",
            item.text
        );
        office.decides(&waiting, decision).await;
        assert_eq!(office.status(&waiting).await, Status::Done);
        let newest = office.store().memory().newest(TRIAGE).unwrap().unwrap();
        assert_eq!(newest.version, version);
        assert_eq!(newest.profile, if kept.is_empty() { &before } else { kept });
    }
}

async fn waiting(office: &Office) -> sayso::graph::ThreadId {
    use sayso::inbox::ThreadQuery;
    let page =
        office.inbox.threads().list(ThreadQuery { limit: 100, ..ThreadQuery::default() }).await.unwrap();
    let found: Vec<_> = page.threads.into_iter().filter(|line| line.workflow == "memory").collect();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].status, Status::Waiting);
    found[0].id.clone()
}

#[tokio::test]
async fn a_pinned_line_is_not_dropped_unasked() {
    let office = Office::new("notify", []);
    let thread = office.got().await;
    let profile = office.store().memory().newest(TRIAGE).unwrap().unwrap().profile;
    office.store().memory().pin(TRIAGE.to_owned(), "Ignore newsletters".to_owned(), true).await.unwrap();
    let without = profile.replace("- Ignore newsletters\n", "");
    office.script.memory.lock().unwrap().push_back(json!({"reasoning": "So.", "profile": without}));
    office.decides(&thread, Decision::Ignore).await;
    let item = office.open(&waiting(&office).await).await;
    assert_eq!(item.warnings[0].code, "pinned_line");
    let facts = &office.requests("email.memory")[0].facts;
    assert_eq!(facts["pinned"], json!(["- Ignore newsletters"]));
}

#[tokio::test]
async fn somebody_quicker_is_not_overwritten() {
    let office = Office::new("notify", []);
    let update = json!({"reasoning": "All of it was wrong.", "profile": "- only this"});
    office.script.memory.lock().unwrap().push_back(update);
    let thread = office.got().await;
    office.decides(&thread, Decision::Ignore).await;
    let waiting = waiting(&office).await;
    // While it waits, the person writes a version of their own.
    let profile = office.store().memory().newest(TRIAGE).unwrap().unwrap().profile + "- mine\n";
    let cause = MemoryCause { kind: "edit".to_owned(), thread: None, interrupt: None };
    office.store().memory().remember(TRIAGE.to_owned(), 1, profile, cause).await.unwrap();
    office.decides(&waiting, Decision::Accept).await;
    let newest = office.store().memory().newest(TRIAGE).unwrap().unwrap();
    assert_eq!(newest.version, 3);
    assert!(newest.profile.contains("- mine\n") && newest.profile.ends_with(LEARNED));
}

#[tokio::test]
async fn an_update_that_changes_nothing_writes_no_version() {
    let office = Office::new("respond", [calls([write()]), calls([done()])]);
    let thread = office.got().await;
    let same =
        office.store().memory().newest("email_assistant/response_preferences").unwrap().unwrap().profile;
    office.script.memory.lock().unwrap().push_back(json!({"reasoning": "A typo.", "profile": same}));
    office.decides(&thread, edit(write(), "content", json!("It comes tomorow."))).await;
    assert!(office.versions().is_empty());
    assert_eq!(office.requests("email.memory").len(), 1);
}

#[tokio::test]
async fn a_step_tried_twice_teaches_once() {
    let office = Office::new("notify", []);
    let thread = office.got().await;
    let id = office.asked(&thread).await;
    let lesson = |namespace: &str| sayso::store::NewLesson {
        namespace: namespace.to_owned(),
        cause: "{\"kind\":\"notify_ignored\"}".to_owned(),
        interrupt: Some(id.clone()),
    };
    for step in [5, 5, 6] {
        office
            .store()
            .memory()
            .keep_lessons(thread.clone(), step, vec![lesson("a"), lesson("b")])
            .await
            .unwrap();
    }
    let open = office.store().memory().open_lessons().unwrap();
    let names: Vec<&str> = open.iter().map(|lesson| lesson.namespace.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    office.sql().execute("UPDATE lessons SET cause = '{}' WHERE namespace = 'a'", []).unwrap();
    assert!(office.store().memory().open_lessons().unwrap_err().to_string().contains("lesson number 1"));
    assert!(office.store().audit().verify().unwrap().damaged[0].contains("lesson number 1"));
}
