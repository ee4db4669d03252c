//! Mail that is put away and comes back, while its mailbox is synced.

use super::*;
use sayso::inbox::door::{Destination, MailMove};
use sayso::inbox::{DecisionEnd, DecisionLine, DecisionQuery, Query, SetAside, SkippedQuery};
use sayso::mail::MailError;

/// What a look at the mailbox finds while a mail is moved.
enum Look {
    Gone,
    Answered,
}

/// Moves a thread's mail. A look at the mailbox may find something before the move ends.
async fn move_mail(inbox: &EmailInbox, thread: &ThreadId, way: &MailMove, look: Option<Look>) {
    let by = inbox.mail().begin_move(thread, way, None).await.unwrap();
    inbox.drive().await;
    match look {
        Some(Look::Gone) => {
            inbox.store().threads().set_aside(thread.clone(), SetAside::Gone).await.unwrap();
        }
        Some(Look::Answered) => inbox.settle(thread).await,
        None => {}
    }
    inbox.drive().await;
    inbox.mail().end_move(thread, way, &by, std::future::pending()).await.unwrap();
    inbox.drive().await;
}

async fn archive(inbox: &EmailInbox, thread: &ThreadId) {
    move_mail(inbox, thread, &MailMove::Away(Destination::Archive), None).await;
}

async fn put_back(inbox: &EmailInbox, thread: &ThreadId) {
    move_mail(inbox, thread, &MailMove::Back, None).await;
}

#[tokio::test]
async fn a_draft_comes_back_as_it_was_and_can_be_sent() {
    let (inbox, thread) = EmailInbox::proposing(write()).await;
    let before = inbox.open_item(&thread).await;
    assert_eq!(before.action, "write_email");
    move_mail(&inbox, &thread, &MailMove::Away(Destination::Trash), None).await;
    assert!(inbox.open_items(&thread).await.is_empty(), "its card went with it");
    assert_eq!(inbox.ledger(&thread).1.as_deref(), Some("deleted"));
    let id = before.id.clone();
    let late = inbox.decide(&id, Decision::Accept).await.unwrap_err().to_string();
    assert!(late.contains("you have deleted it"), "{late}");
    assert_eq!(inbox.store().audit().verify().unwrap().problems(), Vec::<String>::new());

    put_back(&inbox, &thread).await;
    let after = inbox.open_item(&thread).await;
    assert_eq!(after, before, "the same question, with the same draft and the same hash");
    assert_eq!(inbox.ledger(&thread).1, None);
    assert_eq!(inbox.store().audit().verify().unwrap().problems(), Vec::<String>::new());
    inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(inbox.sent().len(), 1);
}

/// How many cards are open after the mail was archived and put back.
async fn cards_after_restoring(look: Option<Look>) -> usize {
    let (inbox, thread) = EmailInbox::classifying("notify").await;
    let why = "why shown: It says so.";
    assert!(inbox.text(&thread).await.contains(why));
    move_mail(&inbox, &thread, &MailMove::Away(Destination::Archive), look).await;
    assert!(inbox.open_items(&thread).await.is_empty(), "its card went with it");
    put_back(&inbox, &thread).await;
    let moved = inbox.mailbox.moved.lock().unwrap().clone();
    assert_eq!(moved, ["new/1 Archive", "new/1 back"]);
    let cards = inbox.open_items(&thread).await;
    assert!(cards.iter().all(|card| card.text.contains(why)), "it keeps its reason: {cards:?}");
    cards.len()
}

#[tokio::test]
async fn a_card_comes_back_with_its_mail_unless_it_was_answered_elsewhere() {
    assert_eq!(cards_after_restoring(None).await, 1);
    assert_eq!(cards_after_restoring(Some(Look::Gone)).await, 1, "whoever noticed first");
    assert_eq!(cards_after_restoring(Some(Look::Answered)).await, 0);
}

#[tokio::test]
async fn a_card_follows_its_mail_that_came_back_after_a_pause() {
    let (inbox, thread) = EmailInbox::classifying("notify").await;
    archive(&inbox, &thread).await;
    inbox.pause(true).await.unwrap();
    for _ in 0..2 {
        let by = inbox.mail().begin_move(&thread, &MailMove::Back, None).await.unwrap();
        let paused = inbox
            .mail()
            .end_move(&thread, &MailMove::Back, &by, std::future::pending())
            .await
            .unwrap_err()
            .to_string();
        assert!(paused.contains("everything is paused"), "{paused}");
    }
    inbox.pause(false).await.unwrap();
    inbox.drive().await;
    assert!(inbox.open_items(&thread).await.is_empty(), "nobody waited for the mail");
    put_back(&inbox, &thread).await;
    assert_eq!(*inbox.mailbox.moved.lock().unwrap(), ["new/1 Archive", "new/1 back"]);
    assert_eq!(inbox.open_items(&thread).await.len(), 1);
    let again = inbox.mail().begin_move(&thread, &MailMove::Back, None).await.unwrap_err().to_string();
    assert_eq!(again, "it is not put away, so there is nothing to put back");
}

#[tokio::test]
async fn a_mail_that_went_away_unclassified_is_classified_when_it_comes_back() {
    let inbox = EmailInbox::new("notify", []);
    let thread = inbox.take_in(&mail(), json!({})).await.unwrap();
    let away = MailMove::Away(Destination::Archive);
    inbox.mail().begin_move(&thread, &away, None).await.unwrap();
    // Its thread hears of it before its first step.
    inbox.mail().end_move(&thread, &away, &[], std::future::pending()).await.unwrap();
    inbox.drive().await;
    assert!(inbox.open_items(&thread).await.is_empty());
    assert!(inbox.state(&thread).await["classification_decision"].is_null());
    put_back(&inbox, &thread).await;
    assert_eq!(inbox.state(&thread).await["classification_decision"], "notify");
    assert_eq!(inbox.open_items(&thread).await.len(), 1);
}

async fn past(inbox: &EmailInbox, words: &[&str]) -> Vec<DecisionLine> {
    let words = words.iter().map(|word| (*word).to_owned()).collect();
    let filter = Query { words, ..Query::default() };
    let query = DecisionQuery { filter, limit: 9, ..DecisionQuery::default() };
    inbox.decisions().history(query).await.unwrap().rows
}

#[tokio::test]
async fn what_was_moved_and_reclassified_is_listed_with_what_was_decided() {
    let (inbox, thread) = EmailInbox::classifying("notify").await;
    archive(&inbox, &thread).await;
    assert_eq!(inbox.past_outcomes().await, ["moved"]);
    let line = past(&inbox, &[]).await.remove(0);
    assert_eq!((&line.thread, line.end), (&thread, DecisionEnd::Done), "it leads to the mail");
    put_back(&inbox, &thread).await;
    assert_eq!(inbox.past_outcomes().await, ["moved, then put back"]);
    assert_eq!(past(&inbox, &[]).await[0].end, DecisionEnd::Undone);
    inbox.mail().reclassify(thread.clone(), "ignore".to_owned()).await.unwrap();
    inbox.drive().await;
    assert_eq!(inbox.past_outcomes().await, ["reclassified as ignore", "moved, then put back"]);
    let moved = past(&inbox, &["archive"]).await.remove(0);
    assert!(moved.title.starts_with("Archive: ") && moved.source.is_some(), "{moved:?}");
}

#[tokio::test]
async fn a_mail_that_could_not_be_put_back_can_be_put_away_again() {
    let (inbox, thread) = EmailInbox::classifying("notify").await;
    archive(&inbox, &thread).await;
    inbox.mailbox.fails.lock().unwrap().push_back(MailError::Permanent("the mail is gone".to_owned()));
    let by = inbox.mail().begin_move(&thread, &MailMove::Back, None).await.unwrap();
    inbox.drive().await;
    let refused = inbox
        .mail()
        .end_move(&thread, &MailMove::Back, &by, std::future::pending())
        .await
        .unwrap_err()
        .to_string();
    assert!(refused.contains("the mail is gone"), "{refused}");
    archive(&inbox, &thread).await;
    put_back(&inbox, &thread).await;
    assert_eq!(*inbox.mailbox.moved.lock().unwrap(), ["new/1 Archive", "new/1 Archive", "new/1 back"]);
    assert_eq!(inbox.open_items(&thread).await.len(), 1);
}

#[tokio::test]
async fn a_muted_conversation_is_skipped_until_that_is_undone() {
    let (inbox, first) = EmailInbox::classifying("notify").await;
    move_mail(&inbox, &first, &MailMove::Mute, None).await;
    assert!(inbox.open_items(&first).await.is_empty());
    assert_eq!(inbox.ledger(&first).1.as_deref(), Some("muted"));
    assert!(inbox.mailbox.moved.lock().unwrap().is_empty(), "its mailbox is left alone");
    let later = inbox.receive(&second()).await;
    assert_eq!(inbox.status(&later).await, Status::Done);
    let skipped = inbox.mail().skipped(SkippedQuery { after: None, limit: 5 }).await.unwrap();
    assert_eq!(skipped.rows[0].reason, "You muted this conversation.");
    let other = inbox.receive(&mail().replace("one@client", "other@client")).await;
    assert_eq!(inbox.action(&other).await, "notify", "another conversation of the same sender");
    let history = inbox.decisions().history(DecisionQuery { limit: 1, ..DecisionQuery::default() }).await;
    assert_eq!(history.unwrap().rows[0].outcome, "muted");

    put_back(&inbox, &first).await;
    assert_eq!(inbox.open_items(&first).await.len(), 1);
    assert!(inbox.rows().is_empty());
}

#[tokio::test]
async fn a_muted_conversation_hides_no_warning_and_no_money() {
    for text in ["Pay to bc1qxy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlh.", "Invoice INV-2026-10442: £12.50"] {
        let (inbox, first) = EmailInbox::classifying("notify").await;
        move_mail(&inbox, &first, &MailMove::Mute, None).await;
        let later = inbox.receive(&second().replace("No hurry any more.", text)).await;
        assert_eq!(inbox.action(&later).await, "notify", "{text}");
    }
}

#[tokio::test]
async fn a_person_who_wants_a_skipped_mail_unmutes_its_conversation() {
    let (inbox, first) = EmailInbox::classifying("notify").await;
    move_mail(&inbox, &first, &MailMove::Mute, None).await;
    let later = inbox.receive(&second()).await;
    inbox.correct(&later, "notify").await;
    assert_eq!(inbox.action(&later).await, "notify");
    assert!(inbox.learned().is_empty(), "nothing is said of the sender");
}
