//! Intake that runs by itself, beside a driver.

use crate::CONFIG;
use crate::folder_mailbox::letter;
use crate::post::Post;
use sayso::app::Driver;
use sayso::graph::Decision;
use std::future::Future;
use std::time::Duration;

/// Waits until something holds that only writes can bring about.
async fn until<F: Future<Output = bool>>(post: &Post, so: impl Fn() -> F) {
    let _watcher = post.store().watch_others().unwrap();
    let mut changes = post.store().changes();
    while !so().await {
        let changed = tokio::time::timeout(Duration::from_secs(20), changes.changed()).await;
        changed.expect("it came about").unwrap();
    }
}

#[tokio::test]
async fn it_follows_carries_out_answers_and_looks_when_told() {
    let folder = tempfile::tempdir().unwrap();
    // No clock brings the next look about.
    let config = format!("{CONFIG}[intake]\nevery_seconds = 86400\nask_over = 1\n");
    let post = Post::open(folder.path(), &config);
    post.hole.put(&letter(1, "bob@b.example", "One", ""));
    post.hole.put(&letter(2, "eve@e.example", "Two", ""));
    let (stop, driver) = post.tended();
    until(&post, async || post.items().await.iter().any(|item| item.action == "first_sync")).await;
    let asked = post.items().await.remove(0).interrupt().unwrap();
    let decide = sayso::inbox::DecisionRequest {
        interrupt: asked,
        decision: Decision::Accept,
        shown: None,
        learn: true,
        by: sayso::inbox::By::Cli,
    };
    post.inbox.decisions().decide(decide).await.unwrap();
    until(&post, async || post.items().await.len() == 2).await;

    // Another process asks for a look, and is told what it brought.
    post.hole.put(&letter(3, "joe@j.example", "Three", ""));
    let other = Post::open(folder.path(), &config);
    let synced = other.intake().sync_anywhere(&|_| (), Duration::from_secs(20)).await.unwrap().unwrap();
    assert_eq!((synced[0].new, synced[0].started, synced[0].error.as_deref()), (1, 1, None));
    post.hole.put(&letter(4, "joe@j.example", "Four", ""));
    other.inbox.mail().fetch().await.unwrap();
    until(&post, async || post.mails().await.len() == 4).await;
    stop.send(()).unwrap();
    driver.await.unwrap();

    // Now that nobody drives, it looks itself.
    let synced = other.intake().sync_anywhere(&|_| (), Duration::ZERO).await.unwrap().unwrap();
    assert_eq!((synced[0].new, synced[0].error.as_deref()), (0, None));
}

#[tokio::test]
async fn changed_rows_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let post = Post::open(folder.path(), CONFIG);
    post.hole.put(&letter(1, "bob@b.example", "One", ""));
    post.hole.put(&letter(2, "eve@e.example", "Two", ""));
    post.sync().await;
    post.check();
    let sql = rusqlite::Connection::open(folder.path().join("data/sayso.db")).unwrap();
    for (change, back, named) in [
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
        ("UPDATE sources SET cursor = '9999'", "UPDATE sources SET cursor = '0002'", "mailbox number 1"),
        ("DELETE FROM mails WHERE seq = 2", "", "records of mails are missing"),
        ("DELETE FROM sources", "", "records of mailboxes are missing"),
    ] {
        sql.execute_batch(change).unwrap();
        let damaged = post.store().audit().verify().unwrap().damaged;
        assert!(damaged.iter().any(|what| what.contains(named)), "{change}: {damaged:?}");
        sql.execute_batch(back).unwrap();
    }
}

#[tokio::test]
async fn a_look_asked_of_a_driver_that_ends_is_had_here() {
    let folder = tempfile::tempdir().unwrap();
    let post = Post::open(folder.path(), CONFIG);
    post.hole.put(&letter(1, "bob@b.example", "One", ""));
    let driver = Driver::take(post.inbox.engine().clone()).await.unwrap().expect("the lock is free");
    let other = Post::open(folder.path(), CONFIG);
    let intake = other.intake();
    let asked = tokio::spawn(async move { intake.sync_anywhere(&|_| (), Duration::from_secs(20)).await });
    until(&post, async || post.store().mail().sync_wanted().unwrap() > 0).await;
    drop(driver);
    let synced = asked.await.unwrap().unwrap().expect("nobody drives any more");
    assert_eq!((synced[0].new, synced[0].error.as_deref()), (1, None));
}
