//! Mail that nobody decided about in time: nothing is sent, marked or learned.

use super::*;
use crate::support::test_inbox::eager;
use sayso::app::Settings;
use sayso::config::Expiry;
use std::time::Duration;

/// Approvals and triage expire after a week.
fn in_a_week() -> EmailSetup {
    let expiry = Expiry {
        all: Some(Duration::from_secs(7 * 86_400)),
        kinds: vec!["approval".to_owned(), "triage".to_owned()],
        ..Expiry::default()
    };
    EmailSetup { settings: Settings { expiry, ..eager() }, ..EmailSetup::default() }
}

#[tokio::test]
async fn a_mail_that_expired_is_not_ignored_with_one_that_came_later() {
    let inbox = EmailInbox::with(in_a_week(), "notify", []);
    let thread = inbox.receive_mail().await;
    assert_eq!(inbox.expire_after(7).await, 1);
    inbox.classify_as("ignore");
    inbox.receive_news(&thread, &second()).await;
    inbox.drive().await;
    let outcome = inbox.outcome(&thread).await;
    assert_ne!(outcome.output.unwrap_or_default()["outcome"], "ignored", "nobody decided about the first");
}

#[tokio::test]
async fn what_expires_is_neither_sent_nor_marked_nor_learned_from() {
    for class in ["respond", "notify"] {
        let inbox = EmailInbox::with(in_a_week(), class, [calls([write()])]);
        let thread = inbox.receive_mail().await;
        let before = inbox.replies_asked();
        assert_eq!(inbox.expire_after(7).await, 1, "{class}");
        inbox.drive().await;
        let outcome = inbox.outcome(&thread).await;
        assert_eq!(outcome.status, Status::Done, "{class}");
        let output = outcome.output.unwrap();
        assert_eq!(output["outcome"], "expired", "{class}");
        assert!(output["summary"].as_str().unwrap().contains("Nobody answered in time."), "{output}");
        assert_eq!(inbox.ledger(&thread).1, Some("expired".to_owned()));
        assert!(inbox.sent().is_empty() && inbox.learned().is_empty(), "{class}");
        assert!(inbox.mailbox.marks.lock().unwrap().is_empty(), "nobody has read it");
        assert!(inbox.view(&thread).await.effects.is_empty());
        assert_eq!(inbox.replies_asked(), before, "no model is asked what to do next");
    }
}

#[tokio::test]
async fn nobody_is_said_to_have_left_a_mail_whose_turn_expired() {
    let mut setup = in_a_week();
    setup.settings.expiry.kinds.push("question".to_owned());
    let inbox = EmailInbox::with(setup, "respond", []);
    let thread = inbox.take_in(&mail(), json!({})).await.unwrap();
    inbox.threads().hand(thread.clone(), true).await.unwrap();
    inbox.drive().await;
    assert_eq!(inbox.action(&thread).await, "your_turn");
    assert_eq!(inbox.expire_after(7).await, 1);
    inbox.drive().await;
    let item = inbox.open_item(&thread).await;
    assert_eq!(item.action, "notify");
    assert!(item.text.contains("nobody answered it in time"), "{}", item.text);
}
