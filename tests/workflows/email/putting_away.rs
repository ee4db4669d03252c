//! Mail that is put away and comes back, while its mailbox is looked at.

use crate::support::email_inbox::EmailInbox;
use sayso::graph::{EventKind, ThreadId};
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
    move_mail(&inbox, &thread, &MailMove::Away(Destination::Archive), look).await;
    assert!(inbox.open_items(&thread).await.is_empty(), "its card went with it");
    move_mail(&inbox, &thread, &MailMove::Back, None).await;
    let moved = inbox.mailbox.moved.lock().unwrap().clone();
    assert_eq!(moved, ["new/1 Archive", "new/1 back"]);
    inbox.open_items(&thread).await.len()
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
