//! Mailboxes with more than a page of mail: the next page is fetched while the last one is written.

use crate::CONFIG;
use crate::folder_mailbox::letter;
use crate::post::Post;
use std::path::Path;
use std::sync::atomic::Ordering::SeqCst;

/// Two whole pages and a little.
const MANY: usize = 1_050;

/// A mailbox that has been looked at while it was empty, so that whatever comes starts threads.
async fn followed(folder: &Path) -> Post {
    let post = Post::open(folder, CONFIG);
    assert_eq!(post.sync().await.error, None);
    post.hole.fetches.store(0, SeqCst);
    post
}

/// Where the next look begins.
async fn cursor(post: &Post) -> Option<String> {
    post.store().mail().source("home".to_owned(), jiff::Timestamp::now()).await.unwrap().cursor
}

/// Each letter is there once, in its order.
async fn complete(post: &Post, many: usize) {
    let subjects: Vec<String> = post.mails().await.into_iter().map(|mail| mail.subject).collect();
    let all: Vec<String> = (1..=many).map(|n| format!("Letter {n}")).collect();
    assert_eq!(subjects.len(), many);
    // Mails of one page are taken in side by side; those of the next come after them.
    let page_of = |subject: &String| (subject[7..].parse::<usize>().unwrap() - 1) / 500;
    assert!(subjects.is_sorted_by_key(page_of), "{subjects:?}");
    let (mut sorted, mut wanted) = (subjects, all);
    sorted.sort();
    wanted.sort();
    assert_eq!(sorted, wanted);
    post.check();
}

#[tokio::test]
async fn every_page_is_fetched_once_and_every_mail_taken_once() {
    let folder = tempfile::tempdir().unwrap();
    let post = followed(folder.path()).await;
    post.hole.fill(1..=MANY);
    post.hole.lossy_fetch.store(1, SeqCst);
    let synced = post.sync().await;
    assert_eq!((synced.new, synced.started), (MANY as u64, MANY as u64));
    assert_eq!(
        synced.error.as_deref(),
        Some("a letter is stuck"),
        "what the first page missed is told at the end"
    );
    assert_eq!(post.hole.fetches.load(SeqCst), 3);
    complete(&post, MANY).await;
    let again = post.sync().await;
    assert_eq!((again.new, again.error), (0, None));
}

#[tokio::test]
async fn a_page_that_cannot_be_had_does_not_hurt_the_one_before() {
    let folder = tempfile::tempdir().unwrap();
    let post = followed(folder.path()).await;
    post.hole.fill(1..=MANY);
    post.hole.broken_fetch.store(2, SeqCst);
    let synced = post.sync().await;
    assert_eq!((synced.new, synced.error.as_deref()), (500, Some("the pigeonhole is locked")));
    assert_eq!(cursor(&post).await.as_deref(), Some("0500"), "the next look begins behind it");
    assert_eq!(post.sync().await.new, (MANY - 500) as u64);
    complete(&post, MANY).await;
}

#[tokio::test]
async fn a_page_that_cannot_be_taken_in_is_not_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let post = followed(folder.path()).await;
    post.hole.fill(1..=MANY);
    let own = letter(600, "ada@example.org", "Letter 600", "");
    std::fs::write(post.hole.folder.join("0600"), own).unwrap();
    post.hole.forgets.store(true, SeqCst);
    let synced = post.sync().await;
    assert_eq!(synced.error.as_deref(), Some("the copies are locked away"));
    assert_eq!(cursor(&post).await.as_deref(), Some("0500"));
    post.hole.forgets.store(false, SeqCst);
    assert_eq!(post.sync().await.error, None);
    complete(&post, MANY).await;
}
