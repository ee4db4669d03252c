//! Mailboxes with more than a page of mail: the next page is fetched while the last one is written.

use super::folder_mailbox::letter;
use super::post::Post;
use std::sync::atomic::Ordering::SeqCst;

/// Two whole pages and a little.
const MANY: usize = 1_050;

/// A mailbox that was synced while it was empty, so that all later mail starts threads.
async fn synced_while_empty() -> Post {
    let post = Post::new("");
    assert_eq!(post.sync().await.error, None);
    post.mailbox.fetches.store(0, SeqCst);
    post
}

/// Where the next sync begins.
async fn cursor(post: &Post) -> Option<String> {
    post.store().mail().source("home".to_owned(), jiff::Timestamp::now()).await.unwrap().cursor
}

/// Checks that each letter is there once, in order.
async fn assert_complete(post: &Post, count: usize) {
    let subjects: Vec<String> = post.mails().await.into_iter().map(|mail| mail.subject).collect();
    let all: Vec<String> = (1..=count).map(|n| format!("Letter {n}")).collect();
    assert_eq!(subjects.len(), count);
    // Mails of one page are taken in side by side; those of the next come after them.
    let page_of = |subject: &String| (subject[7..].parse::<usize>().unwrap() - 1) / 500;
    assert!(subjects.is_sorted_by_key(page_of), "{subjects:?}");
    let (mut sorted, mut expected) = (subjects, all);
    sorted.sort();
    expected.sort();
    assert_eq!(sorted, expected);
    post.assert_whole();
}

#[tokio::test]
async fn every_page_is_fetched_once_and_every_mail_taken_once() {
    let post = synced_while_empty().await;
    post.mailbox.fill(1..=MANY);
    let synced = post.sync().await;
    assert_eq!((synced.new, synced.started, synced.error), (MANY as u64, MANY as u64, None));
    assert_eq!(post.mailbox.fetches.load(SeqCst), 3);
    assert_complete(&post, MANY).await;
    let again = post.sync().await;
    assert_eq!((again.new, again.error), (0, None));
}

#[tokio::test]
async fn a_page_that_cannot_be_fetched_does_not_harm_the_one_before() {
    let post = synced_while_empty().await;
    post.mailbox.fill(1..=MANY);
    post.mailbox.broken_fetch.store(2, SeqCst);
    let synced = post.sync().await;
    assert_eq!((synced.new, synced.error.as_deref()), (500, Some("the pigeonhole is locked")));
    assert_eq!(cursor(&post).await.as_deref(), Some("0500"), "the next sync begins after it");
    assert_eq!(post.sync().await.new, (MANY - 500) as u64);
    assert_complete(&post, MANY).await;
}

#[tokio::test]
async fn a_page_that_cannot_be_stored_is_not_skipped() {
    let post = synced_while_empty().await;
    post.mailbox.fill(1..=MANY);
    let own = letter(600, "ada@example.org", "Letter 600", "");
    std::fs::write(post.mailbox.folder.join("0600"), own).unwrap();
    post.mailbox.forgets.store(true, SeqCst);
    let synced = post.sync().await;
    assert_eq!(synced.error.as_deref(), Some("the copies are locked away"));
    assert_eq!(cursor(&post).await.as_deref(), Some("0500"));
    post.mailbox.forgets.store(false, SeqCst);
    assert_eq!(post.sync().await.error, None);
    assert_complete(&post, MANY).await;
}
