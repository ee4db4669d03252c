//! Mail that cannot be read.

use super::folder_mailbox::letter;
use super::post::Post;
use sayso::engine::graph::Decision;
use std::sync::Arc;

#[tokio::test]
async fn an_unreadable_mail_is_one_question_and_the_others_come_in() {
    let mut post = Post::new("");
    post.sync().await;
    post.mailbox.put("BROKEN \u{1b}[2J");
    post.put(2, "Fine", "");
    let synced = post.sync_and_drive().await;
    assert_eq!((synced.new, synced.started, synced.error), (2, 2, None));
    let items = post.items().await;
    let item = items.iter().find(|item| item.action == "unreadable_mail").unwrap();
    assert_eq!(item.kind.word(), "trouble");
    assert_eq!((item.allow.accept, item.allow.ignore, item.allow.edit), (true, true, false));
    let (_, card) = post.inbox.decisions().card(item.id.clone()).await.unwrap();
    assert!(card.text().contains("it is broken"), "{}", card.text());
    assert_eq!(post.sync_and_drive().await.started, 0, "it is asked once");

    // Trying again asks again as long as nothing has changed …
    post.decide(&item.id, Decision::Accept).await;
    assert_eq!(post.sync_and_drive().await.started, 1);
    let again = post.items().await;
    let again = again.iter().find(|item| item.action == "unreadable_mail").unwrap();
    assert_ne!(again.id, item.id);
    // … and takes the mail in once it can be read.
    let raw = letter(1, "eve@e.example", "Mended", "");
    post.read = Arc::new(move |account, bytes| {
        assert!(bytes.starts_with(b"BROKEN"), "the bytes were kept");
        let mail = sayso::mail::parse(raw.as_bytes()).unwrap();
        let identity = sayso::mail::identity(account, &mail);
        Ok((mail, identity))
    });
    post.decide(&again.id, Decision::Accept).await;
    assert_eq!(post.sync_and_drive().await.started, 1);
    let mails = post.mails().await;
    assert_eq!(mails.len(), 2);
    assert_eq!((mails[0].subject.as_str(), mails[0].state.as_str()), ("Mended", "thread"));
    post.assert_whole();
}

#[tokio::test]
async fn each_mail_that_came_without_content_is_asked_about_once() {
    let post = Post::new("");
    post.sync().await;
    post.mailbox.put("");
    post.mailbox.put("");
    assert_eq!(post.sync_and_drive().await.started, 2);
    assert_eq!(post.sync_and_drive().await.started, 0);
    let items = post.items().await;
    assert_eq!(items.len(), 2);
    let item = &items[0];
    assert_eq!((item.allow.accept, item.allow.ignore), (false, true), "there is nothing to try again");
    let (_, card) = post.inbox.decisions().card(item.id.clone()).await.unwrap();
    assert!(card.text().contains("The mailbox gave nothing of it."), "{}", card.text());
}

#[tokio::test]
async fn an_unreadable_mail_can_be_ignored() {
    let post = Post::new("");
    post.sync().await;
    post.mailbox.put("BROKEN");
    post.sync_and_drive().await;
    post.answer(Decision::Ignore).await;
    assert_eq!(post.sync_and_drive().await.started, 0);
    assert_eq!(post.mails().await[0].state, "left");
    assert!(post.items().await.is_empty());
    post.mailbox.put("BROKEN");
    assert_eq!(post.sync_and_drive().await.started, 0, "it is the same mail in another place");
}

#[tokio::test]
async fn a_reader_that_panics_is_a_mail_that_cannot_be_read() {
    let mut post = Post::new("");
    post.sync().await;
    post.read = Arc::new(|_, _| panic!("a parser's mistake"));
    post.put(1, "One", "");
    let synced = post.sync_and_drive().await;
    assert_eq!((synced.started, synced.error), (1, None));
    assert_eq!(post.items().await[0].action, "unreadable_mail");
}
