//! What the person does in another mail program.

use super::folder_mailbox::{FolderMailbox, letter};
use super::post::Post;
use crate::support::mail_server::Fake;
use jiff::Timestamp;
use sayso::config::MailSource;
use sayso::engine::graph::Decision;
use sayso::engine::store::KeptMail;
use sayso::inbox::Status;
use sayso::mail::Account;
use std::sync::Arc;

async fn open_question(post: &Post) -> sayso::inbox::Question {
    post.put(1, "Lunch", "");
    post.sync_and_drive().await;
    post.items().await.remove(0)
}

/// Checks that the question is closed, and that an accept that comes too late is told why.
async fn assert_closed(post: &Post, item: &sayso::inbox::Question, reason: &str) {
    post.sync().await;
    let interrupt = item.id.clone();
    let late = post.inbox.decide(&interrupt, Decision::Accept).await;
    let error = late.unwrap_err().to_string();
    assert!(error.contains(reason), "{error}");
    post.drive().await;
    assert_eq!(post.threads("email").await[0].status, Status::Done);
    assert!(post.items().await.is_empty());
    post.assert_whole();
}

#[tokio::test]
async fn a_mail_that_was_answered_or_deleted_closes_its_question() {
    type Deed = fn(&FolderMailbox);
    let deeds: [(Deed, &str); 3] = [
        (|mailbox| mailbox.flag("0001", "answered"), "you have answered it elsewhere"),
        (|mailbox| mailbox.replied("1@post.example"), "you have answered it elsewhere"),
        (|mailbox| mailbox.remove("0001"), "the mail is no longer in its mailbox"),
    ];
    for (deed, reason) in deeds {
        let post = Post::new("");
        let item = open_question(&post).await;
        post.mailbox.flag("0001", "seen");
        post.sync().await;
        assert_eq!(post.items().await.len(), 1, "reading it settles nothing");
        deed(&post.mailbox);
        assert_closed(&post, &item, reason).await;
    }
}

#[tokio::test]
async fn the_persons_own_mail_closes_its_question_and_is_not_triaged() {
    let post = Post::new("");
    let item = open_question(&post).await;
    let reply = letter(2, "Ada <Ada@Example.org>", "Re: Lunch", "In-Reply-To: <1@post.example>\r\n");
    post.mailbox.sent("2@post.example");
    post.mailbox.put(&reply.replace("To: ada@", "To: carol@"));
    assert_closed(&post, &item, "you have answered it elsewhere").await;
    let own = post.mails().await.remove(1);
    assert_eq!((own.state.as_str(), own.reason.as_deref(), own.thread), ("sent", None, None));
    assert!(post.store().mail().knows("carol@example.org").unwrap());
}

#[tokio::test]
async fn mail_answered_before_the_first_sync_is_left_alone() {
    let post = Post::new("");
    post.sync().await;
    let place = post.put(1, "Lunch", "");
    post.mailbox.flag(&place, "answered");
    let synced = post.sync().await;
    assert_eq!((synced.new, synced.started), (1, 0));
    assert_eq!(post.mails().await[0].state, "left");
}

#[tokio::test]
async fn a_forged_mail_from_the_person_settles_nothing() {
    let post = Post::new("");
    let item = open_question(&post).await;
    let forged = letter(2, "Ada <ada@example.org>", "Re: Lunch", "In-Reply-To: <1@post.example>\r\n");
    post.mailbox.put(&forged.replace("To: ada@", "To: mallory@"));
    post.sync_and_drive().await;
    let now = post.items().await.remove(0);
    assert_eq!(now.id, item.id, "the question is still open");
    assert!(now.warnings.iter().any(|warning| warning.code == "new_mail"), "{:?}", now.warnings);
    assert_eq!(post.mails().await[1].state, "thread");
    assert!(!post.store().mail().knows("mallory@example.org").unwrap());
}

/// Whoever was sent a mail knows its Message-ID.
#[tokio::test]
async fn a_forged_mail_with_the_id_of_one_that_was_sent_settles_nothing() {
    let post = Post::new("");
    let item = open_question(&post).await;
    let written = sayso::mail::parse(letter(1, "bob@b.example", "Lunch", "").as_bytes()).unwrap();
    let sent = KeptMail {
        identity: "sent".to_owned(),
        account: post.mails().await[0].account.clone(),
        message_id: Some("2@post.example".to_owned()),
        conversation: "2@post.example".to_owned(),
        sender: "ada@example.org".to_owned(),
        subject: "Lunch".to_owned(),
        sent_at: None,
        raw: sayso::text::digest_from_hex(&written.raw).unwrap(),
    };
    post.store().mail().record_sent(item.thread.clone(), sent).await.unwrap();
    let forged = letter(2, "Ada <ada@example.org>", "Re: Lunch", "In-Reply-To: <1@post.example>\r\n");
    let copy = forged.replace("letter 2", "letter 1");
    post.mailbox.put(&forged.replace("To: ada@", "To: mallory@"));
    post.sync_and_drive().await;
    assert_eq!(post.items().await[0].id, item.id, "the question is still open");
    assert!(!post.store().mail().knows("mallory@example.org").unwrap());
    // A copy with the same words is the person's own.
    post.mailbox.put(&copy.replace("Date: Mon, 02", "Date: Tue, 03"));
    post.sync_and_drive().await;
    assert!(post.items().await.is_empty());
}

#[tokio::test]
async fn the_persons_older_mail_does_not_close_a_newer_question() {
    let post = Post::new("");
    post.put(1, "Lunch", "References: <0@post.example>\r\n");
    post.sync_and_drive().await;
    let own = |n: usize, date: &str| {
        post.mailbox.sent(&format!("{n}@post.example"));
        let own = letter(n, "ada@example.org", "Lunch", "References: <0@post.example>\r\n");
        post.mailbox.put(&own.replace("02 Nov", date));
    };
    own(2, "01 Nov");
    post.sync_and_drive().await;
    assert_eq!(post.items().await.len(), 1, "it was written before the question came");
    own(3, "03 Nov");
    post.sync_and_drive().await;
    assert!(post.items().await.is_empty());
}

#[tokio::test]
async fn deleting_one_of_two_copies_closes_nothing() {
    let post = Post::new("");
    open_question(&post).await;
    let copy = post.put(1, "Lunch", "");
    post.sync().await;
    post.mailbox.remove(&copy);
    post.sync().await;
    assert_eq!(post.items().await.len(), 1);
    // A moved mail is known by its new place.
    post.put(1, "Lunch", "");
    post.mailbox.remove("0001");
    post.sync().await;
    assert_eq!(post.items().await.len(), 1);
}

#[tokio::test]
async fn every_waiting_mail_is_compared_with_its_mailbox() {
    let post = Post::new("[intake]\nask_over = 1000\n");
    for n in 1..=120 {
        post.put(n, "Lunch", "");
    }
    post.sync_and_drive().await;
    assert_eq!(post.items().await.len(), 120);
    post.mailbox.flag("0001", "answered");
    post.sync().await;
    assert_eq!(post.items().await.len(), 119);
}

#[tokio::test]
async fn a_question_about_mail_in_a_renamed_folder_stays_and_other_mail_comes() {
    let (post, fake) = (Post::new(""), Fake::new());
    fake.put("Archive", &letter(1, "bob@b.example", "Lunch", ""), &[]);
    fake.state().arrived = Timestamp::now().strftime("%d-%b-%Y %H:%M:%S %z").to_string();
    let synced = async |folders: &[&str]| {
        let (imap, _) = fake
            .open_as(|mail| {
                let MailSource::Imap { folders: read, .. } = &mut mail.source else { panic!() };
                *read = folders.iter().map(|name| (*name).to_owned()).collect();
            })
            .await;
        let account = Account { mailbox: Arc::new(imap), ..post.mailbox.account("home") };
        let synced = post.intake_of(vec![account]).sync(&|_| ()).await.remove(0);
        post.drive().await;
        (synced.new, synced.error)
    };
    assert_eq!(synced(&["INBOX", "Archive"]).await, (1, None));
    assert_eq!(post.items().await.len(), 1);
    let archive = fake.state().folders.remove("Archive").unwrap();
    fake.state().folders.insert("Old".to_owned(), archive);
    fake.put("INBOX", &letter(2, "eve@e.example", "Dinner", ""), &[]);
    // Found again where it is now, it is the same mail.
    assert_eq!(synced(&["INBOX", "Old"]).await, (1, None));
    assert_eq!(synced(&["INBOX"]).await, (0, None));
    assert_eq!(post.items().await.len(), 2);
    post.assert_whole();
}
