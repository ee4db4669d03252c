//! From answers to memory: batches, conflicts, and updates that wait for the person.

use super::*;
use crate::support::test_inbox::eager;
use sayso::app::{Scope, Settings, Until};
use sayso::inbox::door::drive_or_wait;
use sayso::inbox::{MemoryCause, MemoryVersion, ThreadLine, ThreadQuery};
use std::time::Duration;

const TRIAGE: &str = "email_assistant/triage_preferences";

/// What the scripted model learns from a mail of Bob's that was ignored.
const LEARNED: &str = "- ignore mail from bob@client.example about report\n";

/// The newest version of what triage goes by.
fn newest(inbox: &EmailInbox) -> MemoryVersion {
    inbox.store().memory().newest(TRIAGE).unwrap().unwrap()
}

/// The person writes the version after this one.
async fn remember(inbox: &EmailInbox, namespace: &str, version: u64, profile: String) {
    let cause = MemoryCause { kind: "edit".to_owned(), thread: None, interrupt: None };
    inbox.store().memory().remember(namespace.to_owned(), version, profile, cause).await.unwrap();
}

/// The model says this about what was learned, next.
fn learn(inbox: &EmailInbox, profile: &str) {
    let update = json!({"reasoning": "So it is.", "profile": profile});
    inbox.model.queue("email.memory", [Scripted::json(&update)]);
}

/// Another mail of the same sender.
fn numbered(n: usize) -> String {
    mail().replace("one@client", &format!("n{n}@client")).replace("The report", &format!("Report {n}"))
}

#[tokio::test(start_paused = true)]
async fn a_batch_is_one_update_after_the_delay() {
    let settings = Settings { learning_delay: Duration::from_secs(20), ..eager() };
    let inbox = EmailInbox::with(EmailSetup { settings, ..EmailSetup::default() }, "notify", []);
    let mut threads = Vec::new();
    for n in 0..3 {
        threads.push(inbox.take_in(&numbered(n), json!({})).await.unwrap());
    }
    inbox.drive().await;
    for thread in &threads {
        let id = inbox.open_question(thread).await;
        inbox.decide(&id, Decision::Ignore).await.unwrap();
        // Driven alone, it is not learned from yet: the clock of this test runs ahead while the disk is busy.
        let (scope, never) = (Scope::WithChildren(thread.clone()), std::future::pending());
        drive_or_wait(inbox.engine(), &scope, Until::Idle, never, |_| {}).await.unwrap();
    }
    let before = tokio::time::Instant::now();
    inbox.drive().await;
    assert!(before.elapsed() >= Duration::from_secs(20), "it waits for more answers");
    assert_eq!(inbox.model.requests_for("email.memory").len(), 1);
    assert_eq!(inbox.lessons().len(), 3);
    let newest = newest(&inbox);
    assert_eq!(newest.version, 2);
    assert!(newest.profile.ends_with(LEARNED), "{}", newest.profile);
    assert_eq!(newest.cause.kind, "answer");
    assert_eq!(newest.cause.thread.as_ref(), Some(&threads[2]));
    assert!(newest.cause.interrupt.is_some());
    assert!(inbox.store().memory().open_lessons().unwrap().is_empty());
}

#[tokio::test]
async fn an_account_with_its_own_model_learns_for_itself_alone() {
    let setup = EmailSetup { model: Some("main"), ..EmailSetup::default() };
    let inbox = EmailInbox::with(setup, "notify", []);
    let thread = inbox.receive_mail().await;
    inbox.answer(&thread, Decision::Ignore).await;
    assert_eq!(inbox.learned(), ["triage_preferences@work notify_ignored"]);
    assert_eq!(inbox.versions(), [("triage_preferences@work".to_owned(), 2)]);
    let own = inbox.memory().show("triage_preferences@work".to_owned()).await.unwrap().newest.profile;
    let shared = inbox.memory().show("triage_preferences".to_owned()).await.unwrap().newest.profile;
    assert!(own.contains("bob@client.example") && !shared.contains("bob@client.example"), "{own}\n{shared}");
    assert!(!own.contains("Ignore newsletters") && shared.contains("Ignore newsletters"), "{own}");
    // The account's model reads both.
    let edited = format!("{own}- notify about mail from zoe@client.example\n");
    remember(&inbox, &format!("{TRIAGE}@work"), 2, edited).await;
    let next = inbox.receive(&numbered(2)).await;
    let asked = inbox.model.requests_for("email.triage").pop().unwrap();
    let profile = asked.facts["profile"].as_str().unwrap().to_owned();
    assert!(profile.contains("zoe@client.example") && profile.contains("Ignore newsletters"), "{profile}");
    assert!(inbox.outcome(&next).await.output.is_none());
}

#[tokio::test]
async fn the_first_read_writes_the_default_and_later_mail_is_read_with_what_was_learned() {
    let (inbox, thread) = EmailInbox::proposing(write()).await;
    let first = newest(&inbox);
    assert_eq!((first.version, first.cause.kind.as_str()), (1, "default"));
    assert!(first.profile.contains("Ignore newsletters"));
    inbox.answer(&thread, Decision::Ignore).await;
    inbox.receive(&numbered(2)).await;
    let request = inbox.model.requests_for("email.triage").remove(1);
    let profile = request.facts["profile"].as_str().unwrap().to_owned();
    assert!(profile.ends_with("- notify about mail from bob@client.example about report\n"), "{profile}");
}

#[tokio::test]
async fn a_learned_ignore_lowers_and_no_model_reads_it() {
    let (inbox, thread) = EmailInbox::classifying("notify").await;
    inbox.answer(&thread, Decision::Ignore).await;
    assert!(newest(&inbox).profile.ends_with(LEARNED));
    inbox.classify_as("respond");
    let next = inbox.receive(&numbered(2)).await;
    let asked = inbox.model.requests_for("email.triage").pop().unwrap();
    let profile = asked.facts["profile"].as_str().unwrap();
    assert!(profile.contains("Ignore newsletters") && !profile.contains("bob@client.example"), "{profile}");
    let item = inbox.open_item(&next).await;
    assert_eq!(item.action, "notify", "it would have been answered");
    assert_eq!(inbox.ledger(&next), ("notify".to_owned(), None));
}

#[tokio::test]
async fn an_update_that_drops_much_waits_for_the_person() {
    let mine = json!({"namespace": TRIAGE, "profile": "- my own words\n"});
    for (decision, version, kept) in [
        (Decision::Accept, 2, Some("- only this\n")),
        (Decision::Edit { args: mine }, 2, Some("- my own words\n")),
        (Decision::Ignore, 1, None),
    ] {
        let (inbox, thread) = EmailInbox::classifying("notify").await;
        learn(&inbox, "- only this");
        let before = newest(&inbox).profile;
        inbox.answer(&thread, Decision::Ignore).await;
        let waiting = waiting(&inbox).await;
        assert_eq!(newest(&inbox).version, 1);
        assert_eq!(inbox.action(&waiting).await, "update_memory");
        assert!(inbox.warnings(&waiting).await.contains(&"much_dropped".to_owned()));
        assert_contains(&inbox.text(&waiting).await, ["+- only this", "-- Ignore newsletters"]);
        inbox.answer(&waiting, decision).await;
        assert_eq!(inbox.status(&waiting).await, Status::Done);
        let newest = newest(&inbox);
        assert_eq!((newest.version, newest.profile.as_str()), (version, kept.unwrap_or(&before)));
    }
}

/// The one update of the memory that waits for the person.
async fn waiting(inbox: &EmailInbox) -> ThreadId {
    let page = inbox.threads().list(ThreadQuery { limit: 100, ..ThreadQuery::default() }).await.unwrap();
    let is_update = |line: &ThreadLine| line.workflow == "memory" && line.status == Status::Waiting;
    let found: Vec<_> = page.rows.into_iter().filter(is_update).collect();
    assert_eq!(found.len(), 1);
    found[0].id.clone()
}

#[tokio::test]
async fn a_pinned_line_is_not_dropped_unasked() {
    let (inbox, thread) = EmailInbox::classifying("notify").await;
    inbox.store().memory().pin(TRIAGE.to_owned(), "Ignore newsletters".to_owned(), true).await.unwrap();
    learn(&inbox, &newest(&inbox).profile.replace("- Ignore newsletters\n", ""));
    inbox.answer(&thread, Decision::Ignore).await;
    assert_eq!(inbox.warnings(&waiting(&inbox).await).await[0], "pinned_line");
    let facts = &inbox.model.requests_for("email.memory")[0].facts;
    assert_eq!(facts["pinned"], json!(["- Ignore newsletters"]));
}

/// A mail of Bob's with a subject of its own.
fn about(subject: &str, text: &str) -> String {
    let id = subject.replace(' ', "-").to_lowercase();
    mail()
        .replace("one@client", &format!("{id}@client"))
        .replace("The report", subject)
        .replace("When does the report come?", text)
}

#[tokio::test]
async fn after_three_topics_of_a_sender_a_wider_line_is_proposed_with_what_it_would_have_covered() {
    let inbox = EmailInbox::new("notify", []);
    let subjects = ["Garden report", "Kitchen report", "Office report"];
    for (n, subject) in subjects.iter().enumerate() {
        let thread = inbox.receive(&about(subject, "The report is on its way.")).await;
        inbox.answer(&thread, Decision::Ignore).await;
        let open = inbox.items().await;
        assert_eq!(open.len(), usize::from(n == 2), "{subject}: {open:?}");
    }
    let asks = waiting(&inbox).await;
    let text = inbox.text(&asks).await;
    // The last of them may still be on its way to being marked as ignored.
    let covered = ["- Garden report (ignored)", "- Kitchen report (ignored)", "- Office report ("];
    assert_contains(&text, ["+- ignore mail from bob@client.example\n"]);
    assert_contains(&text, covered);
    let before = newest(&inbox).profile;
    assert!(before.ends_with(LEARNED), "the narrow line is learned already: {before}");
    inbox.answer(&asks, Decision::Accept).await;
    let after = newest(&inbox).profile;
    assert_eq!(after, format!("{before}- ignore mail from bob@client.example\n"));
}

#[tokio::test]
async fn a_learned_line_hides_nothing_that_must_be_seen_whatever_the_model_says() {
    let inbox = EmailInbox::new("ignore", []);
    remember(&inbox, TRIAGE, 0, "- ignore mail from bob@client.example\n".to_owned()).await;
    for (subject, text, shown) in [
        ("Plants", "They were watered.", false),
        ("Report overdue", "Your invoice 12 is overdue.", true),
        ("New login", "If this was not you, call us.", true),
        ("Forms", "They are due by Friday.", true),
        ("Boat", "Ada, do you want the boat?", true),
    ] {
        let thread = inbox.receive(&about(subject, text)).await;
        let expected = if shown { Status::Waiting } else { Status::Done };
        assert_eq!(inbox.status(&thread).await, expected, "{subject}");
    }
}

#[tokio::test]
async fn a_wish_for_one_mail_is_not_learned_and_a_lasting_one_is() {
    for (words, lessons) in [("shorter, propose Tuesday", 0), ("From now on keep it short", 1)] {
        let (inbox, thread) = EmailInbox::proposing(write()).await;
        inbox.answer(&thread, respond(words)).await;
        assert_eq!(inbox.lessons().len(), lessons, "{words}");
    }
}

#[tokio::test]
async fn somebody_quicker_is_not_overwritten() {
    let (inbox, thread) = EmailInbox::classifying("notify").await;
    learn(&inbox, "- only this");
    inbox.answer(&thread, Decision::Ignore).await;
    let waiting = waiting(&inbox).await;
    // While it waits, the person writes a version of their own.
    remember(&inbox, TRIAGE, 1, newest(&inbox).profile + "- mine\n").await;
    inbox.answer(&waiting, Decision::Accept).await;
    let newest = newest(&inbox);
    assert_eq!(newest.version, 3);
    assert!(newest.profile.contains("- mine\n") && newest.profile.ends_with(LEARNED));
}

#[tokio::test]
async fn an_update_that_changes_nothing_writes_no_version() {
    let (inbox, thread) = EmailInbox::proposing(write()).await;
    let same = inbox.store().memory().newest("email_assistant/response_preferences").unwrap().unwrap();
    learn(&inbox, &same.profile);
    inbox.answer(&thread, edit(write(), "content", json!("It comes tomorow."))).await;
    assert!(inbox.versions().is_empty());
    assert_eq!(inbox.model.requests_for("email.memory").len(), 1);
}

#[tokio::test]
async fn a_step_tried_twice_teaches_once() {
    let (inbox, thread) = EmailInbox::classifying("notify").await;
    let id = inbox.open_question(&thread).await;
    let lesson = |namespace: &str| sayso::engine::store::NewLesson {
        namespace: namespace.to_owned(),
        cause: "{\"kind\":\"notify_ignored\"}".to_owned(),
        interrupt: Some(id.clone()),
    };
    let store = inbox.store();
    let memory = store.memory();
    for step in [5, 5, 6] {
        memory.save_lessons(thread.clone(), step, vec![lesson("a"), lesson("b")]).await.unwrap();
    }
    let open = memory.open_lessons().unwrap();
    let names: Vec<&str> = open.iter().map(|lesson| lesson.namespace.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
}
