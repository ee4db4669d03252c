//! Intake that runs by itself, beside a driver.

use super::CONFIG;
use super::folder_mailbox::letter;
use super::post::Post;
use crate::support::test_inbox;
use sayso::app::Driver;
use sayso::graph::Decision;
use std::future::Future;
use std::time::Duration;

/// Waits for a condition that only a write can make true.
async fn wait_until<F: Future<Output = bool>>(post: &Post, condition: impl Fn() -> F) {
    let _watcher = post.store().watch_others().unwrap();
    let mut changes = post.store().changes();
    while !condition().await {
        let changed = tokio::time::timeout(Duration::from_secs(20), changes.changed()).await;
        changed.expect("the condition came true").unwrap();
    }
}

#[tokio::test]
async fn intake_follows_the_mailbox_acts_on_answers_and_fetches_on_request() {
    let folder = tempfile::tempdir().unwrap();
    // The next sync is not due for a day.
    let config = format!("{CONFIG}[intake]\nevery_seconds = 86400\nask_over = 1\n");
    let post = Post::open(folder.path(), &config);
    post.mailbox.put(&letter(1, "bob@b.example", "One", ""));
    post.mailbox.put(&letter(2, "eve@e.example", "Two", ""));
    let driver = post.drive_in_background().await;
    wait_until(&post, async || post.items().await.iter().any(|item| item.action == "first_sync")).await;
    let asked = post.items().await.remove(0).interrupt().unwrap();
    test_inbox::decide(&post.inbox, &asked, Decision::Accept).await.unwrap();
    wait_until(&post, async || post.items().await.len() == 2).await;

    // Another process asks for a sync, and is told what it brought.
    post.mailbox.put(&letter(3, "joe@j.example", "Three", ""));
    let other = Post::open(folder.path(), &config);
    let synced =
        other.intake().sync_here_or_in_driver(&|_| (), Duration::from_secs(20)).await.unwrap().unwrap();
    assert_eq!((synced[0].new, synced[0].started, synced[0].error.as_deref()), (1, 1, None));
    post.mailbox.put(&letter(4, "joe@j.example", "Four", ""));
    other.inbox.mail().fetch().await.unwrap();
    wait_until(&post, async || post.mails().await.len() == 4).await;
    driver.stop().await;

    // Now that nobody drives, it syncs itself.
    let synced = other.intake().sync_here_or_in_driver(&|_| (), Duration::ZERO).await.unwrap().unwrap();
    assert_eq!((synced[0].new, synced[0].error.as_deref()), (0, None));
}

#[tokio::test]
async fn changed_rows_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let post = Post::open(folder.path(), CONFIG);
    post.mailbox.put(&letter(1, "bob@b.example", "One", ""));
    post.mailbox.put(&letter(2, "eve@e.example", "Two", ""));
    post.sync().await;
    post.verify_store();
    let sql = rusqlite::Connection::open(folder.path().join("data/sayso.db")).unwrap();
    for (change, restore, name) in [
        (
            "UPDATE mails SET subject = 'x' WHERE seq = 1",
            "UPDATE mails SET subject = 'One' WHERE seq = 1",
            "mail number 1",
        ),
        (
            "UPDATE mails SET state = 'left' WHERE seq = 2",
            "UPDATE mails SET state = 'thread' WHERE seq = 2",
            "mail number 2",
        ),
        ("UPDATE sources SET error = 'x'", "UPDATE sources SET error = NULL", "mailbox number 1"),
        (
            "UPDATE cursors SET cursor = '9999'",
            "UPDATE cursors SET cursor = '0002'",
            "cursor of mailbox number 1",
        ),
        ("DELETE FROM cursors", "INSERT INTO cursors VALUES (1, '0002')", "cursor of mailbox number 1"),
        ("DELETE FROM mails WHERE seq = 2", "", "records of mails are missing"),
        ("DELETE FROM sources", "", "records of mailboxes are missing"),
    ] {
        sql.execute_batch(change).unwrap();
        let damaged = post.store().audit().verify().unwrap().damaged;
        assert!(damaged.iter().any(|what| what.contains(name)), "{change}: {damaged:?}");
        sql.execute_batch(restore).unwrap();
    }
}

#[tokio::test]
async fn a_sync_asked_of_a_driver_that_ends_is_done_here() {
    let folder = tempfile::tempdir().unwrap();
    let post = Post::open(folder.path(), CONFIG);
    post.mailbox.put(&letter(1, "bob@b.example", "One", ""));
    let driver = Driver::take(post.inbox.engine().clone()).await.unwrap().expect("the lock is free");
    let other = Post::open(folder.path(), CONFIG);
    let intake = other.intake();
    let asked =
        tokio::spawn(async move { intake.sync_here_or_in_driver(&|_| (), Duration::from_secs(20)).await });
    wait_until(&post, async || post.store().mail().sync_wanted().unwrap() > 0).await;
    drop(driver);
    let synced = asked.await.unwrap().unwrap().expect("nobody drives any more");
    assert_eq!((synced[0].new, synced[0].error.as_deref()), (1, None));
}
