//! Mail for threads that are in trouble.

use super::folder_mailbox::letter;
use super::post::Post;
use sayso::engine::graph::{Decision, Kind};
use sayso::inbox::{Question, Status};

/// A thread in trouble: before it asked anything, or after it was answered.
async fn in_trouble(post: &Post, subject: &str) -> Question {
    post.mailbox.put(&letter(1, "bob@b.example", subject, ""));
    post.sync_and_drive().await;
    if subject.starts_with("Unanswerable") {
        post.answer(Decision::Accept).await;
    }
    the_trouble(post).await
}

async fn the_trouble(post: &Post) -> Question {
    let mut items = post.items().await;
    items.retain(|item| item.kind == Kind::Trouble);
    assert_eq!(items.len(), 1, "{items:?}");
    items.remove(0)
}

#[tokio::test]
async fn mail_that_joins_a_thread_in_trouble_is_shown_and_outlives_it() {
    for subject in ["Unshowable", "Unanswerable"] {
        let post = Post::new("");
        let before = in_trouble(&post, subject).await;
        post.mailbox.put(&letter(2, "eve@e.example", "Re: it", "In-Reply-To: <1@post.example>\r\n"));
        let synced = post.sync_and_drive().await;
        assert_eq!((synced.new, synced.started), (1, 0));
        let now = the_trouble(&post).await;
        assert!(now.warnings.iter().any(|warning| warning.code == "new_mail"), "{:?}", now.warnings);
        assert_ne!(now.args_hash, before.args_hash, "whoever saw the old card has to look again");
        post.decide(&now.id, Decision::Ignore).await;
        assert_eq!(post.threads("email").await[0].status, Status::Abandoned);
        let synced = post.sync_and_drive().await;
        assert_eq!((synced.new, synced.started, synced.error), (0, 1, None), "{subject}");
        let threads = post.threads("email").await;
        assert_eq!(threads.len(), 2);
        assert_eq!((threads[1].status, &threads[1].title[..]), (Status::Waiting, "Re: it"));
        assert_eq!(threads[1].state["earlier"]["thread"], threads[0].id.as_str());
        let mails = post.mails().await;
        assert_eq!(mails[0].thread.as_ref(), Some(&threads[0].id));
        assert_eq!(mails[0].outcome.as_deref(), Some("abandoned"));
        assert!(mails[0].handled_at.is_some());
        assert_eq!(mails[1].thread.as_ref(), Some(&threads[1].id));
        assert_eq!(post.sync().await.started, 0);
        post.assert_whole();
    }
}

#[tokio::test]
async fn an_answer_elsewhere_ends_the_trouble() {
    for subject in ["Unshowable", "Unanswerable"] {
        let post = Post::new("");
        let trouble = in_trouble(&post, subject).await;
        post.mailbox.flag("0001", "answered");
        post.sync().await;
        post.sync().await;
        assert!(!post.items().await.iter().any(|item| item.id == trouble.id), "{subject}");
        post.drive().await;
        let thread = post.threads("email").await.remove(0);
        assert_eq!(thread.state["settled"], "you have answered it elsewhere");
        let arrivals = thread.steps.iter().filter(|step| step.node == "ARRIVED").count();
        assert_eq!(arrivals, 1, "it is told once");
        post.assert_whole();
    }
}

#[tokio::test]
async fn a_thread_about_to_act_is_told_of_an_answer_elsewhere() {
    let post = Post::new("");
    post.put(1, "Lunch", "");
    post.sync_and_drive().await;
    let asked = post.items().await.remove(0).id.clone();
    post.inbox.decide(&asked, Decision::Accept).await.unwrap();
    post.mailbox.flag("0001", "answered");
    post.sync().await;
    post.drive().await;
    let thread = post.threads("email").await.remove(0);
    assert_eq!(thread.state["settled"], "you have answered it elsewhere");
    post.assert_whole();
}
