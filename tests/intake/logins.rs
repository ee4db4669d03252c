//! Logins that are over: one card an account, which goes by itself.

use crate::CONFIG;
use crate::folder_mailbox::{FolderMailbox, letter};
use crate::post::Post;
use sayso::graph::Decision;
use sayso::inbox::{By, DecisionRequest, Item};
use std::sync::atomic::Ordering;
use std::time::Duration;

fn refuse(post: &Post, refuses: bool) {
    post.hole.refuses.store(refuses, Ordering::SeqCst);
}

async fn logins(post: &Post) -> Vec<Item> {
    post.items().await.into_iter().filter(|item| item.action == "login").collect()
}

#[tokio::test]
async fn a_login_that_is_over_is_one_card_until_it_works() {
    let folder = tempfile::tempdir().unwrap();
    let post = Post::open(folder.path(), CONFIG);
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
    let card = post.inbox.decisions().card(item.interrupt().unwrap()).await.unwrap().0;
    assert!(card.text.contains("run `locksmith`"), "{}", card.text);
    // It is not to be left: it stands for as long as the login is over.
    let ignore = DecisionRequest {
        interrupt: item.interrupt().unwrap(),
        decision: Decision::Ignore,
        shown: None,
        learn: true,
        by: By::Cli,
    };
    assert!(post.inbox.decisions().decide(ignore).await.is_err());
    // Trying in vain asks again; what fails otherwise says nothing about the login.
    post.decide(&item.interrupt().unwrap(), Decision::Accept).await;
    assert_eq!(logins(&post).await.len(), 0);
    post.sync_and_drive().await;
    let again = logins(&post).await;
    assert_eq!(again.len(), 1);
    refuse(&post, false);
    post.hole.fails.store(true, Ordering::SeqCst);
    post.sync_and_drive().await;
    assert_eq!(logins(&post).await.len(), 1);
    post.hole.fails.store(false, Ordering::SeqCst);
    post.hole.put(&letter(1, "bob@b.example", "One", ""));
    let synced = post.sync_and_drive().await;
    assert_eq!((synced.new, synced.error), (1, None));
    assert_eq!(logins(&post).await.len(), 0, "it went by itself");
    let late = post.inbox.decisions().decide(DecisionRequest {
        interrupt: again[0].interrupt().unwrap(),
        decision: Decision::Accept,
        shown: None,
        learn: true,
        by: By::Cli,
    });
    assert!(late.await.unwrap_err().to_string().contains("the login works again"));
    // Over once more, it is asked once more; and gone before anybody drove, it is never seen.
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
    post.check();
}

#[tokio::test]
async fn each_account_has_a_card_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let post = Post::open(folder.path(), CONFIG);
    let other = FolderMailbox::new(folder.path().join("other"));
    let intake = post.intake_of(vec![post.hole.account("home"), other.account("work")]);
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
async fn an_answer_brings_the_next_look_about() {
    let folder = tempfile::tempdir().unwrap();
    // No clock does.
    let post = Post::open(folder.path(), &format!("{CONFIG}[intake]\nevery_seconds = 86400\n"));
    refuse(&post, true);
    let (stop, driver) = post.tended();
    let until = async |so: usize, mails: usize| {
        let _watcher = post.store().watch_others().unwrap();
        let mut changes = post.store().changes();
        while logins(&post).await.len() != so || post.mails().await.len() != mails {
            let changed = tokio::time::timeout(Duration::from_secs(20), changes.changed()).await;
            changed.expect("it came about").unwrap();
        }
    };
    until(1, 0).await;
    post.hole.put(&letter(1, "bob@b.example", "One", ""));
    refuse(&post, false);
    let interrupt = logins(&post).await[0].interrupt().unwrap();
    let accept =
        DecisionRequest { interrupt, decision: Decision::Accept, shown: None, learn: true, by: By::Cli };
    post.inbox.decisions().decide(accept).await.unwrap();
    until(0, 1).await;
    stop.send(()).unwrap();
    driver.await.unwrap();
}
