//! Which thread a mail belongs to.

use super::folder_mailbox::letter;
use super::post::Post;
use sayso::engine::graph::Decision;
use sayso::inbox::Status;

#[tokio::test]
async fn each_mail_is_taken_in_once() {
    let post = Post::new("");
    post.put(1, "One", "");
    post.mailbox.put(&letter(2, "eve@e.example", "Two", ""));
    // The same mail once more, in another place, by a list as well.
    post.put(1, "One", "");
    let synced = post.sync_and_drive().await;
    assert_eq!((synced.new, synced.started, synced.error), (2, 2, None));
    let synced = post.sync().await;
    assert_eq!((synced.new, synced.started), (0, 0));
    let mails = post.mails().await;
    assert_eq!(mails.iter().map(|mail| mail.subject.as_str()).collect::<Vec<_>>(), ["One", "Two"]);
    assert_eq!(mails[0].from, "bob@b.example");
    assert!(mails.iter().all(|mail| mail.state == "thread" && mail.status == Some(Status::Waiting)));
    let threads = post.threads("email").await;
    assert_eq!(threads.len(), 2);
    let received = &threads[0].state["mails"][0];
    assert_eq!(received["account"], "home");
    assert_eq!(received["identity"], mails[0].identity.as_str());
    let raw = received["raw"].as_str().unwrap();
    assert_eq!(raw.len(), 64, "the digest its bytes are kept by");
    post.assert_whole();
}

#[tokio::test]
async fn mail_on_a_waiting_thread_joins_it() {
    let post = Post::new("");
    post.put(1, "Lunch", "");
    post.sync_and_drive().await;
    let asked = post.items().await.remove(0);
    // Only In-Reply-To, and to a mail that only In-Reply-To leads from.
    post.put(2, "Re: Lunch", "In-Reply-To: <1@post.example>\r\n");
    post.mailbox.put(&letter(3, "eve@e.example", "Re: Lunch", "In-Reply-To: <2@post.example>\r\n"));
    let synced = post.sync_and_drive().await;
    assert_eq!((synced.new, synced.started), (2, 0));
    let threads = post.threads("email").await;
    assert_eq!(threads.len(), 1);
    assert_eq!(threads[0].state["mails"].as_array().unwrap().len(), 3);
    let now = post.items().await.remove(0);
    assert_eq!(now.id, asked.id);
    assert_ne!(now.args_hash, asked.args_hash, "whoever saw the old card has to look again");
    assert!(now.warnings.iter().any(|warning| warning.code == "new_mail"), "{:?}", now.warnings);
    post.assert_whole();
}

/// A driver that runs meanwhile does not begin with the first of them.
#[tokio::test]
async fn mails_that_are_there_together_are_no_news_to_each_other() {
    let post = Post::new("");
    post.put(1, "Lunch", "");
    for n in 2..8 {
        post.put(n, "Re: Lunch", "References: <1@post.example>\r\n");
    }
    let driver = post.drive_in_background().await;
    post.wait_for_write(async || post.mails().await.len() == 7 && !post.items().await.is_empty()).await;
    driver.stop().await;
    let items = post.items().await;
    assert_eq!(items.len(), 1);
    assert!(items[0].warnings.is_empty(), "{:?}", items[0].warnings);
    let threads = post.threads("email").await;
    assert_eq!(threads[0].state["mails"].as_array().unwrap().len(), 7);
    post.assert_whole();
}

#[tokio::test]
async fn mail_on_an_ended_thread_starts_one_that_knows_of_it() {
    let post = Post::new("");
    post.put(1, "Lunch", "");
    post.sync_and_drive().await;
    post.answer(Decision::Accept).await;
    post.put(2, "Re: Lunch", "References: <1@post.example>\r\n");
    let synced = post.sync_and_drive().await;
    assert_eq!((synced.new, synced.started), (1, 1));
    let threads = post.threads("email").await;
    assert_eq!(threads.len(), 2);
    let earlier = &threads[1].state["earlier"];
    assert_eq!(earlier["thread"], threads[0].id.as_str());
    assert_eq!(earlier["summary"], "1 mails were shown");
}

#[tokio::test]
async fn accounts_do_not_mix() {
    let post = Post::new("");
    let other = super::folder_mailbox::FolderMailbox::new(post.folder().join("other"));
    post.put(1, "Lunch", "");
    other.put(&letter(1, "bob@b.example", "Lunch", ""));
    other.fails.store(true, std::sync::atomic::Ordering::SeqCst);
    let intake = post.intake_of(vec![post.mailbox.account("home"), other.account("work")]);
    let synced = intake.sync(&|_| ()).await;
    assert_eq!((synced[0].new, synced[0].error.as_deref()), (1, None));
    assert_eq!((synced[1].new, synced[1].error.as_deref()), (0, Some("the pigeonhole is locked")));
    let sources = post.store().mail().sources().unwrap();
    assert!(sources.iter().any(|s| s.source == "home" && s.ok_at.is_some() && s.error.is_none()));
    assert!(sources.iter().any(|s| s.source == "work" && s.ok_at.is_none() && s.error.is_some()));
    other.fails.store(false, std::sync::atomic::Ordering::SeqCst);
    let synced = intake.sync(&|_| ()).await;
    assert_eq!((synced[0].new, synced[1].new), (0, 1));
    assert!(post.store().mail().sources().unwrap().iter().all(|source| source.error.is_none()));
    assert_eq!(post.mails().await.len(), 2, "the same mail in two accounts is two mails");
}

#[tokio::test]
async fn a_thread_is_found_by_what_its_mail_says() {
    let post = Post::new("");
    let raw = letter(1, "bob@b.example", "Lunch", "")
        .replace("\r\n\r\n", "\r\n\r\nAlso bring the Öltank sketches. ");
    post.mailbox.put(&raw);
    post.mailbox.put(&letter(2, "eve@e.example", "Dinner", ""));
    post.sync_and_drive().await;
    for (words, found) in
        [("oltank sketch", 1), ("bob b example", 1), ("lunch oltank", 1), ("dinner oltank", 0)]
    {
        assert_eq!(post.found(words).await.len(), found, "{words}");
    }
}
