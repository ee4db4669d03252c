//! What becomes of handled mail: labels put on and taken off, made once.

use crate::fake::Fault;
use crate::{Desk, letter};
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
        let desk = Desk::with(after.clone(), &[]);
        let id = desk.google.deliver(&letter(1));
        for _ in 0..2 {
            desk.mailbox.mark(&id, handled).await.unwrap();
        }
        let now: Vec<String> = desk.google.world().mail(&id).unwrap().labels.iter().cloned().collect();
        assert_eq!(now.join(" "), labels, "{after:?} {handled:?}");
    }
}

#[tokio::test]
async fn a_label_of_our_own_is_made_once() {
    let desk = Desk::with(AfterHandling::Label("sayso".into()), &[]);
    let ids: Vec<String> = (0..8).map(|n| desk.google.deliver(&letter(n))).collect();
    // The answer to making it is lost; what is there is found.
    desk.google.world().fault("POST /gmail/v1/users/me/labels", Fault::CutAfter);
    let marks = ids.iter().map(|id| desk.mailbox.mark(id, Handled::Done));
    for marked in futures_util::future::join_all(marks).await {
        marked.unwrap();
    }
    let made: Vec<String> = {
        let world = desk.google.world();
        world.labels.iter().filter(|(_, name)| name == "sayso").map(|(id, _)| id.clone()).collect()
    };
    assert_eq!(made.len(), 1);
    assert!(ids.iter().all(|id| desk.google.world().mail(id).unwrap().labels.contains(&made[0])));
    // Taken away by somebody, it is made again.
    desk.google.world().labels.retain(|(_, name)| name != "sayso");
    desk.mailbox.mark(&ids[0], Handled::Done).await.unwrap();
    assert!(desk.google.world().labels.iter().any(|(_, name)| name == "sayso"));
}

#[tokio::test]
async fn a_mail_that_is_gone_is_no_error() {
    let desk = Desk::usual();
    for odd in ["18f", "../profile", ""] {
        desk.mailbox.mark(odd, Handled::Done).await.unwrap();
    }
    assert_eq!(desk.google.world().count("profile"), 0);
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
        let desk = Desk::usual();
        let id = desk.google.deliver(&letter(1));
        let now = || -> String {
            let labels: Vec<String> = desk.google.world().mail(&id).unwrap().labels.iter().cloned().collect();
            labels.join(" ")
        };
        let before = now();
        let way = desk.mailbox.put_away(&id, &to).await.unwrap();
        assert_eq!(desk.mailbox.put_away(&id, &to).await.unwrap(), way, "once more is once");
        assert_eq!(now(), labels, "{to:?}");
        for _ in 0..2 {
            desk.mailbox.put_back(&way).await.unwrap();
        }
        assert_eq!(now(), before, "{to:?}");
    }
    let desk = Desk::usual();
    let id = desk.google.deliver(&letter(1));
    let nowhere = desk.mailbox.put_away(&id, &Destination::Folder("Nowhere".into())).await;
    assert!(nowhere.unwrap_err().to_string().contains("Gmail has no label Nowhere"));
    assert!(desk.mailbox.put_away("../profile", &Destination::Archive).await.is_err());
}
