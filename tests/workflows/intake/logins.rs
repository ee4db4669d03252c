//! Expired logins: one card for each account, which closes by itself.

use super::folder_mailbox::FolderMailbox;
use super::post::Post;
use sayso::engine::graph::Decision;
use sayso::inbox::Question;
use std::sync::atomic::Ordering;

fn refuse(post: &Post, refuses: bool) {
    post.mailbox.refuses.store(refuses, Ordering::SeqCst);
}

async fn logins(post: &Post) -> Vec<Question> {
    post.items().await.into_iter().filter(|item| item.action == "login").collect()
}

#[tokio::test]
async fn an_expired_login_is_one_card_until_it_works() {
    let post = Post::new("");
    post.sync_and_drive().await;
    refuse(&post, true);
    for _ in 0..3 {
        let synced = post.sync_and_drive().await;
        assert!(synced.error.unwrap().contains("run `locksmith`"));
    }
    let items = logins(&post).await;
    assert_eq!(items.len(), 1, "{items:?}");
    let item = &items[0];
    assert_eq!((item.kind.word(), item.source.as_deref()), ("trouble", Some("home")));
    let card = post.inbox.decisions().card(item.id.clone()).await.unwrap().0;
    assert!(card.text.contains("run `locksmith`"), "{}", card.text);
    // It cannot be ignored: it stays for as long as the login is expired.
    let interrupt = item.id.clone();
    assert!(post.inbox.decide(&interrupt, Decision::Ignore).await.is_err());
    // A failed attempt asks again; another kind of failure says nothing about the login.
    post.decide(&item.id, Decision::Accept).await;
    assert_eq!(logins(&post).await.len(), 0);
    post.sync_and_drive().await;
    let again = logins(&post).await;
    assert_eq!(again.len(), 1);
    refuse(&post, false);
    post.mailbox.fails.store(true, Ordering::SeqCst);
    post.sync_and_drive().await;
    assert_eq!(logins(&post).await.len(), 1);
    post.mailbox.fails.store(false, Ordering::SeqCst);
    post.put(1, "One", "");
    let synced = post.sync_and_drive().await;
    assert_eq!((synced.new, synced.error), (1, None));
    assert_eq!(logins(&post).await.len(), 0, "it went by itself");
    let late = post.inbox.decide(&again[0].id, Decision::Accept).await;
    assert!(late.unwrap_err().to_string().contains("the login works again"));
    // When it expires again, it is asked again; if it works again before anybody drives, no card appears.
    refuse(&post, true);
    post.sync_and_drive().await;
    assert_eq!(logins(&post).await.len(), 1);
    refuse(&post, false);
    post.sync_and_drive().await;
    refuse(&post, true);
    post.sync().await;
    refuse(&post, false);
    post.sync_and_drive().await;
    assert_eq!(logins(&post).await.len(), 0);
    assert_eq!(post.threads("intake").await.len(), 4, "two cards at first, then two times one");
    post.assert_whole();
}

#[tokio::test]
async fn each_account_has_a_card_of_its_own() {
    let post = Post::new("");
    let other = FolderMailbox::new(post.folder().join("other"));
    let intake = post.intake_of(vec![post.mailbox.account("home"), other.account("work")]);
    refuse(&post, true);
    other.refuses.store(true, Ordering::SeqCst);
    intake.sync(&|_| ()).await;
    post.drive().await;
    assert_eq!(logins(&post).await.len(), 2);
    other.refuses.store(false, Ordering::SeqCst);
    intake.sync(&|_| ()).await;
    post.drive().await;
    let left = logins(&post).await;
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].source.as_deref(), Some("home"));
}

#[tokio::test]
async fn an_answer_triggers_the_next_sync() {
    // The next sync is not due for a day.
    let post = Post::new("[intake]\nevery_seconds = 86400\n");
    refuse(&post, true);
    let driver = post.drive_in_background().await;
    let wait_until = async |cards: usize, mails: usize| {
        let is = async || logins(&post).await.len() == cards && post.mails().await.len() == mails;
        post.wait_for_write(is).await;
    };
    wait_until(1, 0).await;
    post.put(1, "One", "");
    refuse(&post, false);
    let interrupt = logins(&post).await[0].id.clone();
    post.inbox.decide(&interrupt, Decision::Accept).await.unwrap();
    wait_until(0, 1).await;
    driver.stop().await;
}
