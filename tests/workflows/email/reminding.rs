//! "Remind me if nobody answered": asked in time, closed by an answer, and never twice.

use super::office::{Office, Plan, calls, done, edit, respond, second, write};
use jiff::{SignedDuration, Timestamp};
use sayso::graph::{Decision, ThreadId, What};
use sayso::inbox::{Item, ItemQuery, Status};
use sayso::store::Store;
use serde_json::json;
use std::sync::Arc;

fn after(time: &str) -> Decision {
    edit(write(), "remind_after", json!(time))
}

/// An office in which a mail was sent that is to be answered within three days.
async fn sent(class: &str) -> (Office, ThreadId) {
    let office = Office::new(class, [calls([write()]), calls([done()])]);
    let thread = office.got().await;
    office.decides(&thread, after("3d")).await;
    assert_eq!(office.sent().len(), 1);
    assert_eq!(office.status(&thread).await, Status::Waiting);
    (office, thread)
}

/// What is in sight by a clock so many hours ahead.
fn seen(office: &Office, hours: i64) -> Vec<Item> {
    let clock = Arc::new(move || Timestamp::now() + SignedDuration::from_hours(hours));
    let store = Store::open_with(&office.data(), clock).unwrap();
    store.inbox().items(&ItemQuery { limit: 9, ..ItemQuery::default() }).unwrap().items
}

#[tokio::test]
async fn where_nobody_answers_the_person_is_asked_once_the_time_has_passed() {
    let (office, thread) = sent("respond").await;
    let sent_text = office.sent()[0].clone();
    let written = sent_text.split_once("\n\n").or_else(|| sent_text.split_once("\r\n\r\n")).unwrap().1;
    // Ids in the head may hold those letters by chance.
    assert!(!written.contains("3d") && !sent_text.contains("remind"), "it is no part of the mail");
    assert!(office.learned().is_empty(), "a reminder says nothing about how to write");
    assert_eq!(office.ledger(&thread).1, Some("replied".to_owned()));
    let item = office.open(&thread).await;
    assert_eq!((item.action.as_str(), item.title.as_str()), ("remind", "No answer: Re: The report"));
    let due = item.snoozed_until.unwrap();
    let from_now = due.duration_since(Timestamp::now());
    assert!(from_now <= SignedDuration::from_hours(72) && from_now > SignedDuration::from_hours(71));
    assert!(item.text.contains("To: bob@client.example") && item.text.contains("Reminds: "), "{}", item.text);
    assert!(seen(&office, 0).is_empty() && seen(&office, 71).is_empty());
    assert_eq!(seen(&office, 73).len(), 1);
    assert_eq!(seen(&office, 73)[0].id, item.id);
    // Whoever wants to wait longer puts it off.
    let later = Timestamp::now() + SignedDuration::from_hours(200);
    office.inbox.decisions().snooze(item.interrupt().unwrap(), Some(later)).await.unwrap();
    assert!(seen(&office, 190).is_empty() && seen(&office, 201).len() == 1);
    office.decides(&thread, Decision::Ignore).await;
    assert_eq!(office.status(&thread).await, Status::Done);
    assert_eq!(office.outcome(&thread).await.output.unwrap()["outcome"], "replied");
    assert!(office.learned().is_empty() && office.sent().len() == 1);
}

#[tokio::test]
async fn an_answer_closes_it_and_is_triaged_like_any_mail() {
    for decided in [false, true] {
        let (office, thread) = sent("respond").await;
        let id = office.asked(&thread).await;
        *office.script.class.lock().unwrap() = "notify".to_owned();
        if decided {
            // An answer that nobody has acted on yet does not hide what came.
            office.decide(&id, Decision::Accept).await.unwrap();
        }
        office.news(&thread, &second()).await;
        office.settle().await;
        let item = office.open(&thread).await;
        assert_eq!(item.action, "notify", "decided {decided}");
        assert!(item.text.contains("No hurry any more."));
        assert_eq!(seen(&office, 1000).len(), 1, "of the reminder nothing is left");
        assert!(office.inbox.decisions().card(id.clone()).await.unwrap().0.closed.is_some());
        assert_eq!(office.sent().len(), 1);
        office.decides(&thread, Decision::Accept).await;
        assert_eq!(office.status(&thread).await, Status::Done);
    }
}

#[tokio::test]
async fn writing_again_is_one_more_proposal() {
    for (answer, told) in [
        (Decision::Accept, "did you have a chance to look at my mail of"),
        (respond("Tell him it is urgent now"), "Tell him it is urgent now"),
    ] {
        let (office, thread) = sent("respond").await;
        office.script.replies.lock().unwrap().extend([calls([write()]), calls([done()])]);
        let asked = office.requests("email.reply").len();
        office.decides(&thread, answer).await;
        let request = office.requests("email.reply").remove(asked);
        assert!(format!("{:?}", request.messages).contains(told), "{:?}", request.messages);
        let item = office.open(&thread).await;
        assert_eq!(item.action, "write_email");
        office.decides(&thread, Decision::Accept).await;
        assert_eq!((office.sent().len(), office.status(&thread).await), (2, Status::Done));
    }
}

#[tokio::test]
async fn the_config_may_want_it_for_every_mail_and_a_mail_may_not() {
    let plan = || Plan {
        config: "[user]\naddress = \"ada@example.org\"\nremind_after = \"2w\"\n".to_owned(),
        ..Plan::default()
    };
    let office = Office::with(plan(), "respond", [calls([write()]), calls([done()])]);
    let thread = office.got().await;
    assert!(office.open(&thread).await.text.contains("unless an answer has come"));
    office.decides(&thread, Decision::Accept).await;
    assert_eq!(office.open(&thread).await.action, "remind");
    assert!(seen(&office, 24 * 14 - 1).is_empty() && seen(&office, 24 * 14 + 1).len() == 1);
    // What is not sent is not waited for.
    for answer in [after("never"), Decision::Draft, Decision::Ignore] {
        let office = Office::with(plan(), "respond", [calls([write()]), calls([done()])]);
        let thread = office.got().await;
        office.decides(&thread, answer).await;
        assert_eq!(office.status(&thread).await, Status::Done);
    }
}

#[tokio::test]
async fn a_mail_that_was_moved_away_does_not_end_it_and_an_answer_from_elsewhere_does() {
    let (office, thread) = sent("respond").await;
    assert!(
        office.store().mail().waiting("work").unwrap().is_empty(),
        "its mail is handled, wherever it lies"
    );
    let what = What::Settled { reason: "you have answered it elsewhere".to_owned(), payload: json!({}) };
    office.arrive(&thread, "settled:answered", what).await.unwrap();
    office.settle().await;
    assert_eq!(office.status(&thread).await, Status::Done);
    assert!(seen(&office, 1000).is_empty());
    assert_eq!(office.store().audit().verify().unwrap().problems(), Vec::<String>::new());
}
