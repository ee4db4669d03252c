//! What happens to handled mail: labels are added, removed, and created once.

use crate::google::Fault;
use crate::{TestGmail, letter};
use sayso::config::AfterHandling;
use sayso::mail::{Destination, Handled, Mailbox};

#[tokio::test]
async fn labels_come_and_go_as_the_config_says() {
    let cases = [
        (AfterHandling::None, Handled::Done, "INBOX UNREAD"),
        (AfterHandling::Seen, Handled::Done, "INBOX"),
        (AfterHandling::Seen, Handled::Ignored, "INBOX UNREAD"),
        (AfterHandling::Label("Work".into()), Handled::Done, "INBOX Label_1 UNREAD"),
        (AfterHandling::Label("work".into()), Handled::Answered, "INBOX Label_1"),
        (AfterHandling::Folder("Work".into()), Handled::Done, "Label_1 UNREAD"),
        (AfterHandling::Folder("Archive".into()), Handled::Answered, ""),
    ];
    for (after, handled, labels) in cases {
        let gmail = TestGmail::with(after.clone(), &[]);
        let id = gmail.google.deliver(&letter(1));
        for _ in 0..2 {
            gmail.mailbox.mark(&id, handled).await.unwrap();
        }
        let now: Vec<String> = gmail.google.world().mail(&id).unwrap().labels.iter().cloned().collect();
        assert_eq!(now.join(" "), labels, "{after:?} {handled:?}");
    }
}

#[tokio::test]
async fn a_missing_label_is_created_once() {
    let gmail = TestGmail::with(AfterHandling::Label("sayso".into()), &[]);
    let ids: Vec<String> = (0..8).map(|n| gmail.google.deliver(&letter(n))).collect();
    // The reply to its creation is lost; the label is found afterwards.
    gmail.google.world().fault("POST /gmail/v1/users/me/labels", Fault::CutAfter);
    let marks = ids.iter().map(|id| gmail.mailbox.mark(id, Handled::Done));
    for marked in futures_util::future::join_all(marks).await {
        marked.unwrap();
    }
    let made: Vec<String> = {
        let world = gmail.google.world();
        world.labels.iter().filter(|(_, name)| name == "sayso").map(|(id, _)| id.clone()).collect()
    };
    assert_eq!(made.len(), 1);
    assert!(ids.iter().all(|id| gmail.google.world().mail(id).unwrap().labels.contains(&made[0])));
    // Somebody deletes it, and it is created again.
    gmail.google.world().labels.retain(|(_, name)| name != "sayso");
    gmail.mailbox.mark(&ids[0], Handled::Done).await.unwrap();
    assert!(gmail.google.world().labels.iter().any(|(_, name)| name == "sayso"));
}

#[tokio::test]
async fn marking_a_deleted_mail_is_no_error() {
    let gmail = TestGmail::start();
    for odd in ["18f", "../profile", ""] {
        gmail.mailbox.mark(odd, Handled::Done).await.unwrap();
    }
    assert_eq!(gmail.google.world().count("profile"), 0);
}

#[tokio::test]
async fn mail_is_put_away_once_and_comes_back() {
    let cases = [
        (Destination::Archive, "UNREAD"),
        (Destination::Trash, "TRASH UNREAD"),
        (Destination::Spam, "SPAM UNREAD"),
        (Destination::Folder("Work".into()), "Label_1 UNREAD"),
    ];
    for (to, labels) in cases {
        let gmail = TestGmail::start();
        let id = gmail.google.deliver(&letter(1));
        let now = || -> String {
            let labels: Vec<String> =
                gmail.google.world().mail(&id).unwrap().labels.iter().cloned().collect();
            labels.join(" ")
        };
        let before = now();
        let undo = gmail.mailbox.put_away(&id, &to).await.unwrap();
        assert_eq!(gmail.mailbox.put_away(&id, &to).await.unwrap(), undo, "once more is once");
        assert_eq!(now(), labels, "{to:?}");
        for _ in 0..2 {
            gmail.mailbox.put_back(&undo).await.unwrap();
        }
        assert_eq!(now(), before, "{to:?}");
    }
    let gmail = TestGmail::start();
    let id = gmail.google.deliver(&letter(1));
    let nowhere = gmail.mailbox.put_away(&id, &Destination::Folder("Nowhere".into())).await;
    assert!(nowhere.unwrap_err().to_string().contains("Gmail has no label Nowhere"));
    assert!(gmail.mailbox.put_away("../profile", &Destination::Archive).await.is_err());
}
