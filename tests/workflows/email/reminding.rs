//! "Remind me if nobody answered": asked in time, closed by an answer, and never twice.

use super::*;
use jiff::{SignedDuration, Timestamp};
use sayso::engine::store::Store;
use sayso::inbox::{ItemQuery, Question};
use std::sync::Arc;

fn after(time: &str) -> Decision {
    edit(write(), "remind_after", json!(time))
}

/// An inbox in which a mail was sent that is to be answered within three days.
async fn sent() -> (EmailInbox, ThreadId) {
    let (inbox, thread) = EmailInbox::proposing(write()).await;
    inbox.answer(&thread, after("3d")).await;
    assert_eq!(inbox.sent().len(), 1);
    assert_eq!(inbox.status(&thread).await, Status::Waiting);
    (inbox, thread)
}

/// What is in sight by a clock so many hours ahead.
fn seen(inbox: &EmailInbox, hours: i64) -> Vec<Question> {
    let clock = Arc::new(move || Timestamp::now() + SignedDuration::from_hours(hours));
    let store = Store::open_with(&inbox.data(), clock).unwrap();
    store.inbox().questions(&ItemQuery { limit: 9, ..ItemQuery::default() }).unwrap().rows
}

#[tokio::test]
async fn where_nobody_answers_the_person_is_asked_once_the_time_has_passed() {
    let (inbox, thread) = sent().await;
    let sent_text = inbox.sent()[0].clone();
    let written = sent_text.split_once("\n\n").or_else(|| sent_text.split_once("\r\n\r\n")).unwrap().1;
    // Ids in the head may hold those letters by chance.
    assert!(!written.contains("3d") && !sent_text.contains("remind"), "it is no part of the mail");
    assert!(inbox.learned().is_empty(), "a reminder says nothing about how to write");
    assert_eq!(inbox.ledger(&thread).1, Some("replied".to_owned()));
    let item = inbox.open_item(&thread).await;
    assert_eq!(item.action, "remind");
    assert_eq!(item.title, "Waiting for an answer: Re: The report");
    assert!(item.gist.ends_with("not answered yet"), "{}", item.gist);
    let due = item.snoozed_until.unwrap();
    let from_now = due.duration_since(Timestamp::now());
    assert!(from_now <= SignedDuration::from_hours(72) && from_now > SignedDuration::from_hours(71));
    assert!(item.text.contains("To: bob@client.example") && item.text.contains("Reminds: "), "{}", item.text);
    assert!(seen(&inbox, 0).is_empty() && seen(&inbox, 71).is_empty());
    assert_eq!(seen(&inbox, 73).len(), 1);
    assert_eq!(seen(&inbox, 73)[0].id, item.id);
    // Whoever wants to wait longer puts it off.
    let later = Timestamp::now() + SignedDuration::from_hours(200);
    inbox.decisions().snooze(item.id.clone(), Some(later)).await.unwrap();
    assert!(seen(&inbox, 190).is_empty() && seen(&inbox, 201).len() == 1);
    inbox.answer(&thread, Decision::Ignore).await;
    assert_eq!(inbox.status(&thread).await, Status::Done);
    assert_eq!(inbox.ended(&thread).await, "replied");
    assert!(inbox.learned().is_empty() && inbox.sent().len() == 1);
}

#[tokio::test]
async fn an_answer_closes_it_and_is_triaged_like_any_mail() {
    for decided in [false, true] {
        let (inbox, thread) = sent().await;
        let id = inbox.open_question(&thread).await;
        inbox.classify_as("notify");
        if decided {
            // An answer that nobody has acted on yet does not hide what came.
            inbox.decide(&id, Decision::Accept).await.unwrap();
        }
        inbox.receive_news(&thread, &second()).await;
        inbox.drive().await;
        let item = inbox.open_item(&thread).await;
        assert_eq!(item.action, "notify", "decided {decided}");
        assert!(item.text.contains("No hurry any more."));
        assert_eq!(seen(&inbox, 1000).len(), 1, "of the reminder nothing is left");
        assert!(inbox.decisions().card(id.clone()).await.unwrap().0.closed.is_some());
        assert_eq!(inbox.sent().len(), 1);
        inbox.answer(&thread, Decision::Accept).await;
        assert_eq!(inbox.status(&thread).await, Status::Done);
    }
}

#[tokio::test]
async fn a_note_of_absence_is_no_answer() {
    for class in ["ignore", "notify"] {
        let (inbox, thread) = sent().await;
        let due = inbox.open_item(&thread).await.snoozed_until;
        inbox.classify_as(class);
        let absent = second().replace("Date: ", "Auto-Submitted: auto-replied\r\nDate: ");
        inbox.receive_news(&thread, &absent).await;
        inbox.drive().await;
        if class == "notify" {
            assert_eq!(inbox.action(&thread).await, "notify");
            inbox.answer(&thread, Decision::Accept).await;
        }
        let item = inbox.open_item(&thread).await;
        assert_eq!((item.action.as_str(), item.snoozed_until), ("remind", due), "{class}");
        // An answer that a person wrote ends it.
        inbox.classify_as("notify");
        inbox.receive_news(&thread, &second().replace("two@", "three@")).await;
        inbox.drive().await;
        assert_eq!(inbox.action(&thread).await, "notify");
        inbox.answer(&thread, Decision::Accept).await;
        assert_eq!(inbox.status(&thread).await, Status::Done, "{class}");
    }
}

#[tokio::test]
async fn writing_again_is_one_more_proposal() {
    for (answer, expected) in [
        (Decision::Accept, "did you have a chance to look at my mail of"),
        (respond("Tell him it is urgent now"), "Tell him it is urgent now"),
    ] {
        let (inbox, thread) = sent().await;
        inbox.model.queue("email.reply", [calls([write()])]);
        let asked = inbox.replies_asked();
        inbox.answer(&thread, answer).await;
        assert_contains(&inbox.prompt(asked), [expected]);
        assert_eq!(inbox.action(&thread).await, "write_email");
        inbox.answer(&thread, Decision::Accept).await;
        assert_eq!((inbox.sent().len(), inbox.status(&thread).await), (2, Status::Done));
    }
}

#[tokio::test]
async fn the_config_may_want_it_for_every_mail_and_a_mail_may_not() {
    let proposed = async || {
        let config = "[user]\naddress = \"ada@example.org\"\nremind_after = \"2w\"\n".to_owned();
        let setup = EmailSetup { config, ..EmailSetup::default() };
        let inbox = EmailInbox::with(setup, "respond", [calls([write()])]);
        let thread = inbox.receive_mail().await;
        (inbox, thread)
    };
    let (inbox, thread) = proposed().await;
    assert!(inbox.text(&thread).await.contains("unless an answer has come"));
    inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(inbox.action(&thread).await, "remind");
    assert!(seen(&inbox, 24 * 14 - 1).is_empty() && seen(&inbox, 24 * 14 + 1).len() == 1);
    // What is not sent is not waited for.
    for answer in [after("never"), Decision::Draft, Decision::Ignore] {
        let (inbox, thread) = proposed().await;
        inbox.answer(&thread, answer).await;
        assert_eq!(inbox.status(&thread).await, Status::Done);
    }
}

#[tokio::test]
async fn a_mail_that_was_moved_away_does_not_end_it_and_an_answer_from_elsewhere_does() {
    let (inbox, thread) = sent().await;
    let waiting = inbox.store().mail().waiting("work").unwrap();
    assert!(waiting.is_empty(), "its mail is handled, wherever it lies");
    inbox.settle(&thread).await;
    inbox.drive().await;
    assert_eq!(inbox.status(&thread).await, Status::Done);
    assert!(seen(&inbox, 1000).is_empty());
    assert_eq!(inbox.store().audit().verify().unwrap().problems(), Vec::<String>::new());
}
