//! Mail that is put away and comes back, while its mailbox is synced.

use crate::support::email_inbox::{EmailInbox, mail};
use sayso::graph::{EventKind, ThreadId};
use sayso::inbox::DecisionQuery;
use sayso::mail::MailError;
use sayso::service::{Destination, MailMove};
use serde_json::json;

/// Moves a thread's mail. A look at the mailbox settles the thread before the move ends, if it gives a reason.
async fn move_mail(inbox: &EmailInbox, thread: &ThreadId, way: &MailMove, look: Option<&str>) {
    let by = inbox.mail().begin_move(thread, way).await.unwrap();
    inbox.drive().await;
    if let Some(reason) = look {
        let what = EventKind::Settled { reason: reason.to_owned(), payload: json!({}) };
        inbox.arrive(thread, "settled:look", what).await.unwrap();
        inbox.drive().await;
    }
    inbox.mail().end_move(thread, way, &by).await.unwrap();
    inbox.drive().await;
}

/// How many cards are open after the mail was archived and put back.
async fn cards_after_restoring(look: Option<&str>) -> usize {
    let inbox = EmailInbox::new("notify", []);
    let thread = inbox.receive_mail().await;
    let why = "why shown: It says so.";
    assert!(inbox.open_item(&thread).await.text.contains(why));
    move_mail(&inbox, &thread, &MailMove::Away(Destination::Archive), look).await;
    assert!(inbox.open_items(&thread).await.is_empty(), "its card went with it");
    move_mail(&inbox, &thread, &MailMove::Back, None).await;
    let moved = inbox.mailbox.moved.lock().unwrap().clone();
    assert_eq!(moved, ["new/1 Archive", "new/1 back"]);
    let cards = inbox.open_items(&thread).await;
    assert!(cards.iter().all(|card| card.text.contains(why)), "it keeps its reason: {cards:?}");
    cards.len()
}

#[tokio::test]
async fn a_card_comes_back_with_its_mail_whoever_noticed_first_that_it_was_gone() {
    assert_eq!(cards_after_restoring(None).await, 1);
    assert_eq!(cards_after_restoring(Some("the mail is no longer in its mailbox")).await, 1);
}

#[tokio::test]
async fn a_card_that_was_answered_elsewhere_stays_closed_when_its_mail_comes_back() {
    assert_eq!(cards_after_restoring(Some("you have answered it elsewhere")).await, 0);
}

#[tokio::test]
async fn a_card_follows_its_mail_that_came_back_after_a_pause() {
    let inbox = EmailInbox::new("notify", []);
    let thread = inbox.receive_mail().await;
    move_mail(&inbox, &thread, &MailMove::Away(Destination::Archive), None).await;
    inbox.pause(true).await.unwrap();
    for _ in 0..2 {
        let by = inbox.mail().begin_move(&thread, &MailMove::Back).await.unwrap();
        let paused = inbox.mail().end_move(&thread, &MailMove::Back, &by).await.unwrap_err().to_string();
        assert!(paused.contains("everything is paused"), "{paused}");
    }
    inbox.pause(false).await.unwrap();
    inbox.drive().await;
    assert!(inbox.open_items(&thread).await.is_empty(), "nobody waited for the mail");
    move_mail(&inbox, &thread, &MailMove::Back, None).await;
    assert_eq!(*inbox.mailbox.moved.lock().unwrap(), ["new/1 Archive", "new/1 back"]);
    assert_eq!(inbox.open_items(&thread).await.len(), 1);
    let again = inbox.mail().begin_move(&thread, &MailMove::Back).await.unwrap_err().to_string();
    assert_eq!(again, "it is not put away, so there is nothing to put back");
}

#[tokio::test]
async fn a_mail_that_went_away_unclassified_is_classified_when_it_comes_back() {
    let inbox = EmailInbox::new("notify", []);
    let thread = inbox.take_in(&mail(), json!({})).await.unwrap();
    let away = MailMove::Away(Destination::Archive);
    inbox.mail().begin_move(&thread, &away).await.unwrap();
    // Its thread hears of it before its first step.
    inbox.mail().end_move(&thread, &away, &[]).await.unwrap();
    inbox.drive().await;
    assert!(inbox.open_items(&thread).await.is_empty());
    assert!(inbox.state(&thread).await["classification_decision"].is_null());
    move_mail(&inbox, &thread, &MailMove::Back, None).await;
    assert_eq!(inbox.state(&thread).await["classification_decision"], "notify");
    assert_eq!(inbox.open_items(&thread).await.len(), 1);
}

/// How past decisions and moves ended, newest first.
async fn outcomes(inbox: &EmailInbox) -> Vec<String> {
    let query = DecisionQuery { limit: 9, ..DecisionQuery::default() };
    let past = inbox.decisions().history(query).await.unwrap().rows;
    past.into_iter().map(|line| line.outcome).collect()
}

#[tokio::test]
async fn what_was_moved_and_reclassified_is_listed_with_what_was_decided() {
    let inbox = EmailInbox::new("notify", []);
    let thread = inbox.receive_mail().await;
    move_mail(&inbox, &thread, &MailMove::Away(Destination::Archive), None).await;
    assert_eq!(outcomes(&inbox).await, ["moved"]);
    move_mail(&inbox, &thread, &MailMove::Back, None).await;
    assert_eq!(outcomes(&inbox).await, ["moved, then put back"]);
    inbox.mail().reclassify(thread.clone(), "ignore".to_owned()).await.unwrap();
    inbox.drive().await;
    assert_eq!(outcomes(&inbox).await, ["reclassified as ignore", "moved, then put back"]);
    let query = DecisionQuery { words: vec!["archive".to_owned()], limit: 9, ..DecisionQuery::default() };
    let moved = inbox.decisions().history(query).await.unwrap().rows.remove(0);
    assert!(moved.title.starts_with("Archive: ") && moved.source.is_some(), "{moved:?}");
}

#[tokio::test]
async fn a_mail_that_could_not_be_put_back_can_be_put_away_again() {
    let inbox = EmailInbox::new("notify", []);
    let thread = inbox.receive_mail().await;
    let away = MailMove::Away(Destination::Archive);
    move_mail(&inbox, &thread, &away, None).await;
    inbox.mailbox.fails.lock().unwrap().push_back(MailError::Permanent("the mail is gone".to_owned()));
    let by = inbox.mail().begin_move(&thread, &MailMove::Back).await.unwrap();
    inbox.drive().await;
    let refused = inbox.mail().end_move(&thread, &MailMove::Back, &by).await.unwrap_err().to_string();
    assert!(refused.contains("the mail is gone"), "{refused}");
    move_mail(&inbox, &thread, &away, None).await;
    move_mail(&inbox, &thread, &MailMove::Back, None).await;
    assert_eq!(*inbox.mailbox.moved.lock().unwrap(), ["new/1 Archive", "new/1 Archive", "new/1 back"]);
    assert_eq!(inbox.open_items(&thread).await.len(), 1);
}
