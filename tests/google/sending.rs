//! Sending: once, found again, and in doubt where nobody can know.

use crate::google::Fault;
use crate::{TestGmail, letter};
use sayso::mail::{Mailbox, Outgoing, SendError, SentLookup};

const SEND: &str = "POST /upload/gmail/v1/users/me/messages/send";

fn reply(n: usize) -> Vec<u8> {
    format!(
        "From: Ada <ada@gmail.example>\r\nTo: bob@example.com\r\nBcc: eve@example.com\r\nSubject: Re: Letter {n}\r\n\
         Message-ID: <reply-{n}@sayso>\r\nIn-Reply-To: <letter-{n}@example.com>\r\nReferences: <letter-{n}@example.com>\r\n\
         Date: Mon, 02 Mar 2026 11:00:00 +0000\r\n\r\nYes.\r\n--not a boundary\r\n"
    )
    .into_bytes()
}

#[tokio::test]
async fn a_reply_lands_in_its_conversation_once_under_gmails_own_id() {
    let gmail = TestGmail::start();
    let asked = gmail.google.deliver(&letter(1));
    let out = gmail.outgoing();
    assert!(matches!(out.find(&reply(1)).await, SentLookup::Unknown(_)), "it may be on its way");
    let sent = out.send(&reply(1)).await.unwrap();
    assert!(sent.message_id.ends_with("@mail.gmail.example"), "{sent:?}");
    let (world_sent, thread) = {
        let world = gmail.google.world();
        (world.sent(), world.mail(&asked).unwrap().thread.clone())
    };
    assert_eq!(world_sent.len(), 1);
    assert_eq!(world_sent[0].thread, thread);
    assert_eq!(Some(&world_sent[0].id), sent.place.as_ref());
    let text = String::from_utf8(world_sent[0].raw.clone()).unwrap();
    assert!(text.starts_with("X-Sayso-Message-ID: reply-1@sayso\r\n"), "{text}");
    assert!(text.contains("Bcc: eve@example.com\r\n"), "Gmail takes it out itself");
    assert!(text.ends_with("Yes.\r\n--not a boundary\r\n"), "{text}");
    assert_eq!(out.find(&reply(1)).await, SentLookup::Sent(sent.clone()));
    assert!(gmail.mailbox.is_sent(&sent.message_id).await.unwrap());
    assert!(!gmail.mailbox.is_sent("letter-1@example.com").await.unwrap());
}

#[tokio::test]
async fn a_send_that_was_cut_off_is_found_or_in_doubt() {
    for fault in [Fault::CutAfter, Fault::Reply(200, vec![], "<html>".into())] {
        let gmail = TestGmail::start();
        let out = gmail.outgoing();
        let was_done = matches!(fault, Fault::CutAfter);
        gmail.google.world().fault(SEND, fault);
        let error = out.send(&reply(1)).await.unwrap_err();
        assert!(matches!(error, SendError::Unknown(_)), "{error:?}");
        assert_eq!(gmail.google.world().count(SEND), 1, "it was not tried again");
        match out.find(&reply(1)).await {
            SentLookup::Sent(sent) if was_done => assert!(sent.message_id.ends_with("@mail.gmail.example")),
            SentLookup::Unknown(_) if !was_done => {}
            other => panic!("{other:?}"),
        }
        assert_eq!(gmail.google.world().sent().len(), usize::from(was_done));
    }
    for fault in [Fault::Cut, Fault::Reply(503, vec![], "{}".into())] {
        let gmail = TestGmail::start();
        gmail.google.world().fault(SEND, fault);
        assert!(matches!(gmail.outgoing().send(&reply(1)).await, Err(SendError::Unknown(_))));
        assert!(matches!(gmail.outgoing().find(&reply(1)).await, SentLookup::Unknown(_)));
        assert_eq!(gmail.google.world().sent().len(), 0);
    }
}

#[tokio::test]
async fn not_sent_and_refused_are_told_apart() {
    let limit = r#"{"error": {"errors": [{"reason": "rateLimitExceeded"}], "message": "Too many"}}"#;
    let gmail = TestGmail::start();
    // A limit is waited out, and the mail sent then.
    gmail.google.world().fault(SEND, Fault::Reply(403, vec![], limit.into()));
    gmail.google.world().fault(SEND, Fault::Reply(429, vec![("retry-after", "0".into())], "{}".into()));
    gmail.outgoing().send(&reply(1)).await.unwrap();
    assert_eq!(gmail.google.world().sent().len(), 1);
    assert_eq!(gmail.google.world().count(SEND), 3);
    // A longer one is an error that can be tried again.
    gmail.google.world().fault(SEND, Fault::Reply(429, vec![("retry-after", "4000".into())], "{}".into()));
    let out = gmail.outgoing();
    let error = out.send(&reply(2)).await.unwrap_err();
    assert!(matches!(&error, SendError::NotSent(text) if text.contains("asks sayso to wait")), "{error:?}");
    let before = gmail.google.world().requests.len();
    assert!(matches!(out.send(&reply(2)).await, Err(SendError::NotSent(_))));
    assert_eq!(gmail.google.world().requests.len(), before, "and it is left alone");
    // What is refused is refused.
    let no = r#"{"error": {"message": "Invalid To header\u001b[2J"}}"#;
    gmail.google.world().fault(SEND, Fault::Reply(400, vec![], no.into()));
    let error = gmail.outgoing().send(&reply(2)).await.unwrap_err();
    assert!(
        matches!(&error, SendError::Refused(text) if text.contains("Invalid To header") && !text.contains('\u{1b}'))
    );
    assert!(matches!(gmail.outgoing().send(b"Subject: x\r\n\r\n").await, Err(SendError::Refused(_))));
    assert_eq!(gmail.google.world().sent().len(), 1);
    // Nothing listens at the address.
    let mut login = gmail.login.clone();
    login.gmail_url = "http://127.0.0.1:9".to_owned();
    let nobody = sayso::mail::gmail::GmailOutgoing::with_timeouts(&login, crate::WAIT).unwrap();
    assert!(matches!(nobody.send(&reply(2)).await, Err(SendError::NotSent(_))));
}

#[tokio::test]
async fn a_reply_is_sent_even_if_its_conversation_is_gone() {
    let gmail = TestGmail::start();
    gmail.google.deliver(&letter(1));
    let search = "GET /gmail/v1/users/me/messages?q=rfc822msgid";
    let stale = r#"{"messages": [{"id": "a", "threadId": "gone"}]}"#;
    gmail.google.world().fault(search, Fault::Reply(200, vec![], stale.into()));
    gmail.outgoing().send(&reply(1)).await.unwrap();
    assert_eq!(gmail.google.world().sent().len(), 1);
}

#[tokio::test]
async fn a_draft_is_kept_once() {
    let gmail = TestGmail::start();
    let asked = gmail.google.deliver(&letter(1));
    gmail.google.world().fault("POST /upload/gmail/v1/users/me/drafts", Fault::CutAfter);
    assert!(gmail.mailbox.save_draft(&reply(1)).await.is_err());
    gmail.mailbox.save_draft(&reply(1)).await.unwrap();
    gmail.mailbox.save_draft(&reply(1)).await.unwrap();
    gmail.mailbox.save_draft(&reply(2)).await.unwrap();
    let world = gmail.google.world();
    assert_eq!(world.drafts.len(), 2);
    assert_eq!(world.mail(&world.drafts[0].1).unwrap().thread, world.mail(&asked).unwrap().thread);
    assert_eq!(world.sent().len(), 0);
}
