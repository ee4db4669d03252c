//! What the person settles in another program.

use crate::CONFIG;
use crate::folder_mailbox::letter;
use crate::post::Post;
use sayso::graph::Decision;
use sayso::inbox::{By, DecisionRequest, Status};

async fn waiting(post: &Post) -> sayso::inbox::Item {
    post.hole.put(&letter(1, "bob@b.example", "Lunch", ""));
    post.sync_and_drive().await;
    post.items().await.remove(0)
}

/// Closed as answered elsewhere, and a racing accept is told so.
async fn closed(post: &Post, item: &sayso::inbox::Item, reason: &str) {
    post.sync().await;
    let interrupt = item.interrupt().unwrap();
    let decide =
        DecisionRequest { interrupt, decision: Decision::Accept, shown: None, learn: true, by: By::Cli };
    let error = post.inbox.decisions().decide(decide).await.unwrap_err().to_string();
    assert!(error.contains(reason), "{error}");
    post.drive().await;
    let thread = &post.threads("email").await[0];
    assert_eq!(thread.status, Status::Done);
    assert_eq!(thread.state["settled"], reason);
    assert!(post.items().await.is_empty());
    post.check();
}

#[tokio::test]
async fn an_answered_mail_closes_its_question() {
    let folder = tempfile::tempdir().unwrap();
    let post = Post::open(folder.path(), CONFIG);
    let item = waiting(&post).await;
    post.hole.flag("0001", "seen");
    post.sync().await;
    assert_eq!(post.items().await.len(), 1, "reading it settles nothing");
    post.hole.flag("0001", "answered");
    closed(&post, &item, "you have answered it elsewhere").await;
}

#[tokio::test]
async fn a_deleted_mail_closes_its_question() {
    let folder = tempfile::tempdir().unwrap();
    let post = Post::open(folder.path(), CONFIG);
    let item = waiting(&post).await;
    post.hole.remove("0001");
    closed(&post, &item, "the mail is no longer in its mailbox").await;
}

#[tokio::test]
async fn a_reply_among_the_sent_mail_closes_its_question() {
    let folder = tempfile::tempdir().unwrap();
    let post = Post::open(folder.path(), CONFIG);
    let item = waiting(&post).await;
    post.hole.replied("1@post.example");
    closed(&post, &item, "you have answered it elsewhere").await;
}

#[tokio::test]
async fn the_persons_own_mail_closes_its_question_and_is_not_triaged() {
    let folder = tempfile::tempdir().unwrap();
    let post = Post::open(folder.path(), CONFIG);
    let item = waiting(&post).await;
    let reply = letter(2, "Ada <Ada@Example.org>", "Re: Lunch", "In-Reply-To: <1@post.example>\r\n");
    post.hole.sent("2@post.example");
    post.hole.put(&reply.replace("To: ada@", "To: carol@"));
    closed(&post, &item, "you have answered it elsewhere").await;
    let own = post.mails().await.remove(1);
    assert_eq!((own.state.as_str(), own.reason.as_deref(), own.thread), ("left", Some("you wrote it"), None));
    assert!(post.store().mail().knows("carol@example.org").unwrap());
}

#[tokio::test]
async fn mail_that_was_answered_before_it_was_seen_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let post = Post::open(folder.path(), CONFIG);
    post.sync().await;
    let place = post.hole.put(&letter(1, "bob@b.example", "Lunch", ""));
    post.hole.flag(&place, "answered");
    let synced = post.sync().await;
    assert_eq!((synced.new, synced.started), (1, 0));
    assert_eq!(post.mails().await[0].state, "left");
}

#[tokio::test]
async fn whoever_claims_to_be_the_person_settles_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let post = Post::open(folder.path(), CONFIG);
    let item = waiting(&post).await;
    let forged = letter(2, "Ada <ada@example.org>", "Re: Lunch", "In-Reply-To: <1@post.example>\r\n");
    post.hole.put(&forged.replace("To: ada@", "To: mallory@"));
    post.sync_and_drive().await;
    let now = post.items().await.remove(0);
    assert_eq!(now.id, item.id, "the question is still open");
    assert!(now.warnings.iter().any(|warning| warning.code == "new_mail"), "{:?}", now.warnings);
    assert_eq!(post.mails().await[1].state, "thread");
    assert!(!post.store().mail().knows("mallory@example.org").unwrap());
}

#[tokio::test]
async fn the_persons_older_mail_does_not_close_a_newer_question() {
    let folder = tempfile::tempdir().unwrap();
    let post = Post::open(folder.path(), CONFIG);
    post.hole.put(&letter(1, "bob@b.example", "Lunch", "References: <0@post.example>\r\n"));
    post.sync_and_drive().await;
    let own = |n: usize, date: &str| {
        post.hole.sent(&format!("{n}@post.example"));
        let own = letter(n, "ada@example.org", "Lunch", "References: <0@post.example>\r\n");
        post.hole.put(&own.replace("02 Nov", date));
    };
    own(2, "01 Nov");
    post.sync_and_drive().await;
    assert_eq!(post.items().await.len(), 1, "it was written before the question came");
    own(3, "03 Nov");
    post.sync_and_drive().await;
    assert!(post.items().await.is_empty());
}

#[tokio::test]
async fn a_copy_that_is_deleted_closes_nothing_while_the_other_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let post = Post::open(folder.path(), CONFIG);
    waiting(&post).await;
    let copy = post.hole.put(&letter(1, "bob@b.example", "Lunch", ""));
    post.sync().await;
    post.hole.remove(&copy);
    post.sync().await;
    assert_eq!(post.items().await.len(), 1);
    // Moved, it is known by its new place.
    post.hole.put(&letter(1, "bob@b.example", "Lunch", ""));
    post.hole.remove("0001");
    post.sync().await;
    assert_eq!(post.items().await.len(), 1);
}

#[tokio::test]
async fn however_many_wait_each_is_compared_with_its_mailbox() {
    let folder = tempfile::tempdir().unwrap();
    let post = Post::open(folder.path(), &format!("{CONFIG}[intake]\nask_over = 1000\n"));
    for n in 1..=120 {
        post.hole.put(&letter(n, "bob@b.example", "Lunch", ""));
    }
    post.sync_and_drive().await;
    assert_eq!(post.items().await.len(), 120);
    post.hole.flag("0001", "answered");
    post.sync().await;
    assert_eq!(post.items().await.len(), 119);
}
