//! Intake that runs by itself, beside a driver.

use super::folder_mailbox::letter;
use super::post::Post;
use sayso::app::Driver;
use sayso::engine::graph::Decision;
use std::time::Duration;

#[tokio::test]
async fn intake_follows_the_mailbox_acts_on_answers_and_fetches_on_request() {
    // The next sync is not due for a day.
    let post = Post::new("[intake]\nevery_seconds = 86400\nask_over = 1\n");
    post.put(1, "One", "");
    post.mailbox.put(&letter(2, "eve@e.example", "Two", ""));
    let driver = post.drive_in_background().await;
    post.wait_for_write(async || post.items().await.iter().any(|item| item.action == "first_sync")).await;
    let asked = post.items().await.remove(0).id.clone();
    post.inbox.decide(&asked, Decision::Accept).await.unwrap();
    post.wait_for_write(async || post.items().await.len() == 2).await;

    // Another process asks for a sync, and is told what it brought.
    post.mailbox.put(&letter(3, "joe@j.example", "Three", ""));
    let other = post.other_process();
    let synced =
        other.intake().sync_here_or_in_driver(&|_| (), Duration::from_secs(20)).await.unwrap().unwrap();
    assert_eq!((synced[0].new, synced[0].started, synced[0].error.as_deref()), (1, 1, None));
    post.mailbox.put(&letter(4, "joe@j.example", "Four", ""));
    other.inbox.mail().fetch().await.unwrap();
    post.wait_for_write(async || post.mails().await.len() == 4).await;
    driver.stop().await;

    // Now that nobody drives, it syncs itself.
    let synced = other.intake().sync_here_or_in_driver(&|_| (), Duration::ZERO).await.unwrap().unwrap();
    assert_eq!((synced[0].new, synced[0].error.as_deref()), (0, None));
}

#[tokio::test]
async fn what_is_missing_is_said_and_the_rest_is_followed_as_usual() {
    let post = Post::new("[intake]\nevery_seconds = 86400\n");
    *post.mailbox.missing.lock().unwrap() = Some("it has no folder Work".to_owned());
    post.put(1, "One", "");
    let driver = post.drive_in_background().await;
    post.wait_for_write(async || post.store().mail().sources().unwrap().iter().any(|line| line.is_partial()))
        .await;
    post.put(2, "Two", "");
    post.mailbox.rings.notify_one();
    post.wait_for_write(async || post.mails().await.len() == 2).await;
    driver.stop().await;
    let synced = post.sync().await;
    assert_eq!(synced.error.as_deref(), Some("it has no folder Work"));
}

#[tokio::test]
async fn a_sync_asked_of_a_driver_that_ends_is_done_here() {
    let post = Post::new("");
    post.put(1, "One", "");
    let driver = Driver::take(post.inbox.engine().clone()).await.unwrap().expect("the lock is free");
    let other = post.other_process();
    let intake = other.intake();
    let asked =
        tokio::spawn(async move { intake.sync_here_or_in_driver(&|_| (), Duration::from_secs(20)).await });
    post.wait_for_write(async || post.store().mail().sync_wanted().unwrap() > 0).await;
    drop(driver);
    let synced = asked.await.unwrap().unwrap().expect("nobody drives any more");
    assert_eq!((synced[0].new, synced[0].error.as_deref()), (1, None));
}
