//! Listening for new mail, over connections that break.

use crate::support::mail_script::{account, patience, server};
use crate::support::mail_server::{Fake, Fault};
use sayso::mail::imap::Imap;
use sayso::mail::{Mailbox, Timeouts};
use std::time::Duration;

const LONG: Duration = Duration::from_secs(30);

#[tokio::test]
async fn news_are_noticed_after_a_waiter_has_left() {
    let fake = Fake::new();
    let (imap, heard) = fake.open().await;
    // Dropping it is fine: the listening goes on.
    assert!(tokio::time::timeout(Duration::from_millis(1), imap.changed()).await.is_err());
    fake.state().news.notify_one();
    tokio::time::timeout(LONG, imap.changed()).await.unwrap();
    assert_eq!(heard.count("AUTHENTICATE"), 1);
    fake.state().news.notify_one();
    tokio::time::timeout(LONG, imap.changed()).await.unwrap();
}

#[tokio::test]
async fn mail_that_comes_while_listening_begins_is_noticed() {
    let fake = Fake::new();
    fake.fault("IDLE", Fault::Say("* 1 EXISTS\r\n".to_owned()));
    let (imap, _) = fake.open().await;
    tokio::time::timeout(LONG, imap.changed()).await.expect("news");
}

#[tokio::test]
async fn a_dead_connection_is_noticed_and_replaced() {
    let fake = Fake::new();
    let (port, heard) = fake.start().await;
    let short =
        Timeouts { answer: Duration::from_millis(200), listen: Duration::from_millis(5), ..patience() };
    let imap = Imap::with_timeouts(&account(server(port)), short).unwrap();
    let changed = tokio::spawn(async move { imap.changed().await });
    let enough = async {
        while heard.count("IDLE") < 3 {
            tokio::task::yield_now().await;
        }
        // Half open: the server is silent for ever.
        fake.fault("IDLE", Fault::Hang);
        // What happened meanwhile was not heard, so that counts as news.
        changed.await.unwrap();
    };
    tokio::time::timeout(LONG, enough).await.unwrap();
    assert!(heard.count("AUTHENTICATE") >= 2 && heard.count("DONE") >= 2);
}

#[tokio::test]
async fn a_server_without_idle_is_polled() {
    let fake = Fake::new().able_to("IMAP4rev1 AUTH=PLAIN SASL-IR");
    let (port, heard) = fake.start().await;
    let short = Timeouts { listen: Duration::from_millis(5), ..patience() };
    let imap = Imap::with_timeouts(&account(server(port)), short).unwrap();
    tokio::time::timeout(LONG, imap.changed()).await.unwrap();
    assert!(heard.count("NOOP") >= 1);
}

#[tokio::test]
async fn the_first_folders_are_all_listened_to() {
    let fake = Fake::new();
    let names = ["INBOX", "Archive", "Sent Things", "Entwürfe"];
    let (imap, heard) = fake
        .open_as(|mail| {
            let sayso::config::MailSource::Imap { folders, .. } = &mut mail.source else { panic!() };
            *folders = names.map(str::to_owned).to_vec();
        })
        .await;
    let changed = tokio::spawn(async move { imap.changed().await });
    let enough = async {
        while heard.count("IDLE") < 3 {
            tokio::task::yield_now().await;
        }
        fake.state().news.notify_one();
        changed.await.unwrap();
    };
    tokio::time::timeout(LONG, enough).await.unwrap();
    assert_eq!(heard.count("AUTHENTICATE"), 3, "no more connections than that");
    for name in &names[..3] {
        assert_eq!(heard.count(&format!("EXAMINE \"{name}\"")), 1, "{name}");
    }
}
