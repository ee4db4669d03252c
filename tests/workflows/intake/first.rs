//! The first sync of a mailbox.

use super::folder_mailbox::letter;
use super::post::Post;
use sayso::engine::graph::Decision;
use sayso::mail::Account;
use std::sync::atomic::Ordering;

async fn states(post: &Post) -> (usize, usize, usize) {
    let mails = post.mails().await;
    let count = |state: &str| mails.iter().filter(|mail| mail.state == state).count();
    (count("asked"), count("thread"), count("left"))
}

#[tokio::test]
async fn it_takes_unread_mail_of_the_last_day() {
    let post = Post::new("");
    post.mailbox.fill(1..=5);
    post.mailbox.flag("0001", "old");
    post.mailbox.flag("0002", "seen");
    let synced = post.sync().await;
    assert_eq!((synced.new, synced.started), (4, 3));
    assert_eq!(states(&post).await, (0, 3, 1));
    // Later mail is taken in even if it was read already.
    let place = post.mailbox.put(&letter(6, "f@b.example", "Letter 6", ""));
    post.mailbox.flag(&place, "seen");
    assert_eq!(post.sync().await.started, 1);
}

#[tokio::test]
async fn a_mailbox_without_new_mail_is_begun_once() {
    let post = Post::new("");
    for _ in 0..3 {
        assert_eq!(post.sync().await.new, 0);
    }
    assert_eq!(post.mailbox.starts.load(Ordering::SeqCst), 1);
    post.mailbox.fill(1..=1);
    assert_eq!(post.sync().await.started, 1);
}

#[tokio::test]
async fn read_mail_counts_where_the_config_says_so() {
    let post = Post::new(
        "[intake]
unread_only = \"off\"
",
    );
    post.mailbox.fill(1..=2);
    post.mailbox.flag("0001", "seen");
    assert_eq!(post.sync().await.started, 2);
}

#[tokio::test]
async fn many_mails_are_asked_about_first() {
    let post = Post::new("");
    post.mailbox.fill(1..=60);
    let synced = post.sync_and_drive().await;
    assert_eq!((synced.new, synced.started), (60, 1), "one thread asks");
    assert_eq!(states(&post).await, (60, 0, 0));
    let item = post.items().await.remove(0);
    assert_eq!((item.action.as_str(), item.args["mails"].as_u64()), ("first_sync", Some(60)));
    assert_eq!(item.args["about_cost"], "nothing");
    // Nothing is asked twice, and mail that comes meanwhile is taken in.
    post.mailbox.put(&letter(61, "new@b.example", "Later", ""));
    assert_eq!(post.sync().await.started, 1);
    post.drive().await;
    assert_eq!(post.items().await.len(), 2);
    post.decide(&item.id, Decision::Accept).await;
    assert_eq!(post.sync().await.started, 60);
    assert_eq!(states(&post).await, (0, 61, 0));
    assert_eq!(post.sync().await.started, 0);
    post.assert_whole();
}

#[tokio::test]
async fn a_smaller_number_takes_the_newest_and_ignore_takes_none() {
    for (decision, expected) in [(Some(7), (0, 7, 53)), (None, (0, 0, 60))] {
        let post = Post::new("");
        post.mailbox.fill(1..=60);
        post.sync_and_drive().await;
        let mut args = post.items().await.remove(0).args;
        let decision = match decision {
            Some(mails) => {
                args["mails"] = mails.into();
                Decision::Edit { args }
            }
            None => Decision::Ignore,
        };
        post.answer(decision).await;
        post.sync().await;
        assert_eq!(states(&post).await, expected);
        if expected.1 == 7 {
            let threads = post.threads("email").await;
            assert_eq!((threads[0].title.as_str(), threads[6].title.as_str()), ("Letter 54", "Letter 60"));
        }
        post.assert_whole();
    }
}

#[tokio::test]
async fn it_takes_at_most_the_first_limit() {
    let post = Post::new(
        "[intake]
first_limit = 4
",
    );
    post.mailbox.fill(1..=10);
    assert_eq!(post.sync().await.started, 4);
    assert_eq!(states(&post).await, (0, 4, 6));
    assert_eq!(post.threads("email").await[0].title, "Letter 7");
}

#[tokio::test]
async fn an_unknown_cost_is_asked_about() {
    let far = "https://models.example/v1";
    let here = "http://127.0.0.1:9/v1";
    for (url, prices, asks, cost) in [
        (far, "", true, "not known"),
        // A model on this machine costs nothing, unless the config says what it costs.
        (here, "", false, ""),
        (here, "[intake]\nask_over = 1\n", true, "nothing"),
        (far, "[prices.big]\ninput = 1\noutput = 5\n", false, ""),
        (here, "[prices.big]\ninput = 1\noutput = 5\n[intake]\nask_over = 1\n", true, "about $0.01"),
    ] {
        let model = format!("[model]\nprovider = \"openai\"\nname = \"big\"\nbase_url = \"{url}\"\n");
        let post = Post::new(&format!("{model}{prices}"));
        post.mailbox.fill(1..=2);
        post.sync_and_drive().await;
        let item = post.items().await.remove(0);
        assert_eq!(item.action == "first_sync", asks, "{prices}");
        if asks {
            assert!(item.args["about_cost"].as_str().unwrap().contains(cost), "{}", item.args);
        }
    }
}

#[tokio::test]
async fn the_cost_is_that_of_the_account_s_own_model() {
    let post = Post::new(
        "[model]\nprovider = \"openai\"\nname = \"big\"\nbase_url = \"https://models.example/v1\"\n\
        [models.local]\nprovider = \"openai\"\nname = \"small\"\nbase_url = \"http://127.0.0.1:9/v1\"\n\
        [prices.big]\ninput = 1\noutput = 5\n[intake]\nask_over = 1\n",
    );
    post.mailbox.fill(1..=2);
    let account = Account { model: Some("local".to_owned()), ..post.mailbox.account("home") };
    post.intake_of(vec![account]).sync(&|_| ()).await;
    post.drive().await;
    assert_eq!(post.items().await[0].args["about_cost"], "nothing");
}
