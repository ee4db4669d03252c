//! From answers to memory: batches, conflicts, and updates that wait for the person.

use super::*;
use crate::support::test_inbox::eager;
use sayso::app::{Scope, Settings, Until};
use sayso::inbox::door::drive_or_wait;
use sayso::inbox::{
    MemoryCause, MemoryVersion, RowAnswer, RowCause, RowChange, RowDecision, RowKey, RowState, ThreadLine,
    ThreadQuery,
};
use std::time::Duration;

const RESPONSE: &str = "email_assistant/response_preferences";

/// What the scripted model learns from an edit.
const LEARNED: &str = "- Keep replies short\n";

/// The newest version of what replies go by.
fn newest(inbox: &EmailInbox) -> MemoryVersion {
    inbox.store().memory().newest(RESPONSE).unwrap().unwrap()
}

/// A mail of Bob's whose proposed answer the person may edit.
async fn proposing() -> (EmailInbox, ThreadId) {
    EmailInbox::proposing(write()).await
}

fn shorter() -> Decision {
    edit(write(), "content", json!("Tomorrow."))
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

#[tokio::test]
async fn a_batch_is_one_update_after_the_delay() {
    let delay = Duration::from_millis(200);
    let settings = Settings { learning_delay: delay, ..eager() };
    let proposals = [(); 3].map(|()| calls([write()]));
    let inbox = EmailInbox::with(EmailSetup { settings, ..EmailSetup::default() }, "respond", proposals);
    let mut threads = Vec::new();
    for n in 0..3 {
        threads.push(inbox.take_in(&numbered(n), json!({})).await.unwrap());
    }
    inbox.drive().await;
    for thread in &threads {
        let id = inbox.open_question(thread).await;
        inbox.decide(&id, shorter()).await.unwrap();
        // Driven alone, it is not learned from yet.
        let (scope, never) = (Scope::WithChildren(thread.clone()), std::future::pending());
        drive_or_wait(inbox.engine(), &scope, Until::Idle, never, |_| {}).await.unwrap();
    }
    let before = tokio::time::Instant::now();
    inbox.drive().await;
    assert!(before.elapsed() >= delay, "it waits for more answers");
    assert_eq!(inbox.model.requests_for("email.memory").len(), 1);
    assert_eq!(inbox.lessons().len(), 3);
    let newest = newest(&inbox);
    assert_eq!(newest.version, 2);
    assert!(newest.profile.ends_with(LEARNED), "{}", newest.profile);
    assert_eq!(newest.cause.kind, "answer");
    assert_eq!(newest.cause.thread.as_ref(), Some(&threads[2]));
    assert!(newest.cause.interrupt.is_some());
    assert!(inbox.store().memory().open_lessons().unwrap().is_empty());
    let kept = "SELECT count(*) FROM lessons WHERE cause <> ''";
    let kept: i64 = inbox.sql().query_row(kept, [], |row| row.get(0)).unwrap();
    assert_eq!(kept, 0, "the thread that learned has them");
}

#[tokio::test]
async fn an_account_with_its_own_model_learns_for_itself_alone() {
    let setup = EmailSetup { model: Some("main"), ..EmailSetup::default() };
    let inbox = EmailInbox::with(setup, "respond", [calls([write()])]);
    let thread = inbox.receive_mail().await;
    inbox.answer(&thread, shorter()).await;
    assert_eq!(inbox.learned(), ["response_preferences@work proposal_edited"]);
    assert_eq!(inbox.versions(), [("response_preferences@work".to_owned(), 2)]);
    let own = inbox.memory().show("response_preferences@work".to_owned()).await.unwrap().newest.profile;
    let shared = inbox.memory().show("response_preferences".to_owned()).await.unwrap().newest.profile;
    assert!(own.contains("Keep replies short") && !shared.contains("Keep replies short"), "{own}\n{shared}");
    // The account's model reads both.
    let edited = format!("{own}- Begin with a joke\n");
    remember(&inbox, &format!("{RESPONSE}@work"), 2, edited).await;
    inbox.receive(&numbered(2)).await;
    let asked = inbox.model.requests_for("email.reply").pop().unwrap();
    assert_contains(
        &format!("{:?}{}", asked.messages, asked.facts),
        ["Begin with a joke", "Friendly, plain and brief"],
    );
}

#[tokio::test]
async fn an_update_that_drops_much_waits_for_the_person() {
    let mine = json!({"namespace": RESPONSE, "profile": "- my own words\n"});
    for (decision, version, kept) in [
        (Decision::Accept, 2, Some("- only this\n")),
        (Decision::Edit { args: mine }, 2, Some("- my own words\n")),
        (Decision::Ignore, 1, None),
    ] {
        let (inbox, thread) = proposing().await;
        learn(&inbox, "- only this");
        let before = newest(&inbox).profile;
        inbox.answer(&thread, shorter()).await;
        let waiting = waiting(&inbox).await;
        assert_eq!(newest(&inbox).version, 1);
        assert_eq!(inbox.action(&waiting).await, "update_memory");
        assert!(inbox.warnings(&waiting).await.contains(&"much_dropped".to_owned()));
        assert_contains(
            &inbox.text(&waiting).await,
            ["+- only this", "-- Answer in the language of the mail"],
        );
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
    let (inbox, thread) = proposing().await;
    let line = "Answer in the language of the mail";
    inbox.store().memory().pin(RESPONSE.to_owned(), line.to_owned(), true).await.unwrap();
    learn(&inbox, &newest(&inbox).profile.replace(&format!("- {line}\n"), ""));
    inbox.answer(&thread, shorter()).await;
    assert_eq!(inbox.warnings(&waiting(&inbox).await).await[0], "pinned_line");
    let facts = &inbox.model.requests_for("email.memory")[0].facts;
    assert_eq!(facts["pinned"], json!([format!("- {line}")]));
}

#[tokio::test]
async fn the_model_judges_what_lasts_of_words_about_a_proposal() {
    let (inbox, thread) = proposing().await;
    learn(&inbox, &newest(&inbox).profile);
    inbox.answer(&thread, respond("shorter, propose Tuesday")).await;
    assert_eq!(inbox.learned(), ["response_preferences proposal_answered"]);
    let request = inbox.model.requests_for("email.memory").remove(0);
    assert_contains(&format!("{:?}", request.messages), ["Their words: shorter, propose Tuesday"]);
    assert_contains(&request.system, ["a wish for this one mail"]);
    assert!(inbox.versions().is_empty(), "it saw nothing in them that lasts");
}

#[tokio::test]
async fn somebody_quicker_is_not_overwritten() {
    let (inbox, thread) = proposing().await;
    learn(&inbox, "- only this");
    inbox.answer(&thread, shorter()).await;
    let waiting = waiting(&inbox).await;
    // While it waits, the person writes a version of their own.
    remember(&inbox, RESPONSE, 1, newest(&inbox).profile + "- mine\n").await;
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
        cause: "{\"kind\":\"proposal_edited\"}".to_owned(),
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

#[tokio::test]
async fn a_row_shows_mail_first_and_takes_no_model_call() {
    let inbox = EmailInbox::new("notify", [calls([done()]), calls([write()])]);
    let thread = inbox.receive_mail().await;
    inbox.answer(&thread, respond("Tell him tomorrow")).await;
    assert_eq!(inbox.learned(), ["first bob@client.example"]);
    inbox.classify_as("ignore");
    let next = inbox.receive(&numbered(2)).await;
    assert_eq!(inbox.ledger(&next).0, "respond");
    assert_eq!(inbox.state(&next).await["triaged_by"], "row");
    assert_contains(
        &inbox.state(&next).await["triage_reasoning"].to_string(),
        ["show mail from bob@client.example first"],
    );
    assert!(inbox.model.requests_for("email.memory").is_empty());
    let row = inbox.memory().row("bob@client.example".parse().unwrap()).await.unwrap();
    assert_eq!((row.line.applied, row.mails[0].subject.as_str()), (1, "Report 2"));
}

#[tokio::test]
async fn direct_mail_is_lowered_after_the_second_ignore_and_never_skipped() {
    let inbox = EmailInbox::new("notify", []);
    for n in 0..3 {
        let thread = inbox.receive(&numbered(n)).await;
        assert_eq!(inbox.action(&thread).await, "notify");
        inbox.answer(&thread, Decision::Ignore).await;
    }
    assert_eq!(
        (inbox.learned(), inbox.items().await.len()),
        (vec!["lower bob@client.example".to_owned()], 0)
    );
    inbox.classify_as("respond");
    let thread = inbox.receive(&numbered(4)).await;
    assert_eq!(inbox.action(&thread).await, "notify", "it would have been answered");
    // Whatever a person sets, direct mail is not skipped.
    let skip = RowChange::Set { answer: RowAnswer::Skip };
    inbox.memory().change_row("bob@client.example".parse().unwrap(), skip).await.unwrap();
    inbox.classify_as("notify");
    let thread = inbox.receive(&numbered(5)).await;
    assert_eq!(inbox.action(&thread).await, "notify");
}

#[tokio::test]
async fn reclassifying_corrects_the_row_and_two_corrections_ask_whether_to_drop_it() {
    let inbox = EmailInbox::new("notify", []);
    let key: RowKey = BOB.parse().unwrap();
    let set = RowChange::Set { answer: RowAnswer::Lower };
    inbox.memory().change_row(key.clone(), set).await.unwrap();
    for (n, class, answer) in [(0, "respond", RowAnswer::First), (1, "ignore", RowAnswer::Lower)] {
        let thread = inbox.receive(&numbered(n)).await;
        inbox.correct(&thread, class).await;
        assert_eq!(inbox.rows()[0].row.answer, answer, "{class}");
    }
    let card = row_card(&inbox).await.unwrap();
    assert_eq!(inbox.action(&card).await, "drop_row");
    inbox.answer(&card, Decision::Accept).await;
    assert!(inbox.rows().is_empty());
}

/// The person sets a row by hand and corrects it twice, so that they are to be asked whether to drop it.
async fn correct_twice(inbox: &EmailInbox, thread: &ThreadId) {
    let (memory, key) = (inbox.store().memory(), BOB.parse::<RowKey>().unwrap());
    let decided = |step| {
        let decision =
            RowDecision { thread: thread.clone(), step, interrupt: None, cause: RowCause::Ignored };
        RowChange::Decided { answer: RowAnswer::Lower, decision }
    };
    for change in [RowChange::Set { answer: RowAnswer::Show }, decided(1), decided(2)] {
        memory.change_row(key.clone(), change).await.unwrap();
    }
}

#[tokio::test]
async fn a_row_to_ask_about_is_something_to_do() {
    let inbox = EmailInbox::new("ignore", []);
    let thread = inbox.receive_mail().await;
    correct_twice(&inbox, &thread).await;
    drive_or_wait(inbox.engine(), &Scope::All, Until::Idle, std::future::pending(), |_| {}).await.unwrap();
    assert_eq!(inbox.action(&row_card(&inbox).await.unwrap()).await, "drop_row");
}

#[tokio::test]
async fn a_running_driver_is_told_of_a_row_to_ask_about() {
    let inbox = EmailInbox::new("ignore", []);
    let driver = inbox.drive_in_background().await;
    let thread = inbox.take_in(&numbered(1), json!({})).await.unwrap();
    inbox.wait_for(&thread, Status::Done).await;
    correct_twice(&inbox, &thread).await;
    let mut changes = inbox.store().changes();
    let card = loop {
        changes.borrow_and_update();
        if let Some(card) = row_card(&inbox).await {
            break card;
        }
        tokio::time::timeout(Duration::from_secs(20), changes.changed()).await.unwrap().unwrap();
    };
    assert_eq!(inbox.action(&card).await, "drop_row");
    driver.stop().await;
}

#[tokio::test]
async fn a_paused_row_does_nothing_and_a_rebuilt_list_has_it() {
    let inbox = EmailInbox::new("ignore", []);
    let key: RowKey = BOB.parse().unwrap();
    let memory = || inbox.memory();
    memory().change_row(key.clone(), RowChange::Set { answer: RowAnswer::Show }).await.unwrap();
    let thread = inbox.receive(&numbered(1)).await;
    assert_eq!(inbox.action(&thread).await, "notify");
    memory().change_row(key.clone(), RowChange::Paused).await.unwrap();
    let thread = inbox.receive(&numbered(2)).await;
    assert_eq!(inbox.status(&thread).await, Status::Done, "the model says ignore");
    let before = inbox.rows();
    inbox.sql().execute("DELETE FROM taught", []).unwrap();
    assert!(inbox.store().audit().verify().unwrap().problems()[0].contains("taught"));
    inbox.store().audit().repair().await.unwrap();
    assert_eq!(inbox.rows(), before);
    memory().change_row(key.clone(), RowChange::Deleted).await.unwrap();
    assert!(inbox.rows().is_empty() && memory().change_row(key, RowChange::Paused).await.is_err());
}

#[tokio::test]
async fn a_row_set_by_hand_stays_after_one_ignore() {
    let inbox = EmailInbox::new("notify", []);
    let set = RowChange::Set { answer: RowAnswer::Show };
    inbox.memory().change_row(BOB.parse().unwrap(), set).await.unwrap();
    for (n, decision) in [(1, Decision::Accept), (2, Decision::Ignore)] {
        let thread = inbox.receive(&numbered(n)).await;
        inbox.answer(&thread, decision).await;
    }
    let row = &inbox.rows()[0].row;
    assert_eq!((row.answer, row.by_hand, row.corrected), (RowAnswer::Show, true, 1));
}

#[tokio::test]
async fn an_ignore_that_is_taken_back_later_no_longer_counts() {
    let inbox = EmailInbox::new("notify", []);
    let mut threads = Vec::new();
    for n in 0..2 {
        let thread = inbox.receive(&numbered(n)).await;
        inbox.answer(&thread, Decision::Ignore).await;
        threads.push(thread);
    }
    assert_eq!(inbox.rows()[0].row.state, RowState::Given);
    inbox.correct(&threads[1], "notify").await;
    let row = inbox.rows()[0].row.clone();
    assert_eq!((row.state, row.confirmed), (RowState::Noticed, 1));
    inbox.correct(&threads[0], "notify").await;
    assert!(inbox.rows().is_empty());
    assert_eq!(inbox.action(&threads[0]).await, "notify", "it is shown again");
}

/// The card that asks about a row.
async fn row_card(inbox: &EmailInbox) -> Option<ThreadId> {
    let page = inbox.threads().list(ThreadQuery { limit: 100, ..ThreadQuery::default() }).await.unwrap();
    let is_card = |line: &ThreadLine| line.workflow == "row" && line.status == Status::Waiting;
    page.rows.into_iter().find(is_card).map(|line| line.id)
}
