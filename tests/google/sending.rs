//! Sending: once, found again, and honest about what nobody knows.

use crate::fake::Fault;
use crate::{Desk, letter};
use sayso::mail::{Found, Mailbox, Outgoing, SendError};

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
    let desk = Desk::usual();
    let asked = desk.google.deliver(&letter(1));
    let out = desk.outgoing();
    assert!(matches!(out.find(&reply(1)).await, Found::Unknown(_)), "it may be on its way");
    let sent = out.send(&reply(1)).await.unwrap();
    assert!(sent.message_id.ends_with("@mail.gmail.example"), "{sent:?}");
    let (world_sent, thread) = {
        let world = desk.google.world();
        (world.sent(), world.mail(&asked).unwrap().thread.clone())
    };
    assert_eq!(world_sent.len(), 1);
    assert_eq!(world_sent[0].thread, thread);
    assert_eq!(Some(&world_sent[0].id), sent.place.as_ref());
    let text = String::from_utf8(world_sent[0].raw.clone()).unwrap();
    assert!(text.starts_with("X-Sayso-Message-ID: reply-1@sayso\r\n"), "{text}");
    assert!(text.contains("Bcc: eve@example.com\r\n"), "Gmail takes it out itself");
    assert!(text.ends_with("Yes.\r\n--not a boundary\r\n"), "{text}");
    assert_eq!(out.find(&reply(1)).await, Found::Sent(sent.clone()));
    assert!(desk.mailbox.is_sent(&sent.message_id).await.unwrap());
    assert!(!desk.mailbox.is_sent("letter-1@example.com").await.unwrap());
}

#[tokio::test]
async fn what_was_cut_off_after_it_was_sent_is_found_and_what_was_not_is_in_doubt() {
    for fault in [Fault::CutAfter, Fault::Says(200, vec![], "<html>".into())] {
        let desk = Desk::usual();
        let out = desk.outgoing();
        let was_done = matches!(fault, Fault::CutAfter);
        desk.google.world().fault(SEND, fault);
        let error = out.send(&reply(1)).await.unwrap_err();
        assert!(matches!(error, SendError::Unknown(_)), "{error:?}");
        assert_eq!(desk.google.world().count(SEND), 1, "it was not tried again");
        match out.find(&reply(1)).await {
            Found::Sent(sent) if was_done => assert!(sent.message_id.ends_with("@mail.gmail.example")),
            Found::Unknown(_) if !was_done => {}
            other => panic!("{other:?}"),
        }
        assert_eq!(desk.google.world().sent().len(), usize::from(was_done));
    }
    for fault in [Fault::Cut, Fault::Says(503, vec![], "{}".into())] {
        let desk = Desk::usual();
        desk.google.world().fault(SEND, fault);
        assert!(matches!(desk.outgoing().send(&reply(1)).await, Err(SendError::Unknown(_))));
        assert!(matches!(desk.outgoing().find(&reply(1)).await, Found::Unknown(_)));
        assert_eq!(desk.google.world().sent().len(), 0);
    }
}

#[tokio::test]
async fn what_surely_was_not_sent_is_told_from_what_never_will() {
    let limit = r#"{"error": {"errors": [{"reason": "rateLimitExceeded"}], "message": "Too many"}}"#;
    let desk = Desk::usual();
    // A limit is waited out, and the mail sent then.
    desk.google.world().fault(SEND, Fault::Says(403, vec![], limit.into()));
    desk.google.world().fault(SEND, Fault::Says(429, vec![("retry-after", "0".into())], "{}".into()));
    desk.outgoing().send(&reply(1)).await.unwrap();
    assert_eq!(desk.google.world().sent().len(), 1);
    assert_eq!(desk.google.world().count(SEND), 3);
    // A longer one is an error that can be tried again.
    desk.google.world().fault(SEND, Fault::Says(429, vec![("retry-after", "4000".into())], "{}".into()));
    let out = desk.outgoing();
    let error = out.send(&reply(2)).await.unwrap_err();
    assert!(matches!(&error, SendError::NotSent(text) if text.contains("asks sayso to wait")), "{error:?}");
    let before = desk.google.world().asked.len();
    assert!(matches!(out.send(&reply(2)).await, Err(SendError::NotSent(_))));
    assert_eq!(desk.google.world().asked.len(), before, "and it is left alone");
    // What is refused is refused.
    let no = r#"{"error": {"message": "Invalid To header\u001b[2J"}}"#;
    desk.google.world().fault(SEND, Fault::Says(400, vec![], no.into()));
    let error = desk.outgoing().send(&reply(2)).await.unwrap_err();
    assert!(
        matches!(&error, SendError::Refused(text) if text.contains("Invalid To header") && !text.contains('\u{1b}'))
    );
    assert!(matches!(desk.outgoing().send(b"Subject: x\r\n\r\n").await, Err(SendError::Refused(_))));
    assert_eq!(desk.google.world().sent().len(), 1);
    // Nobody is there.
    let mut login = desk.login.clone();
    login.gmail_url = "http://127.0.0.1:9".to_owned();
    let nobody = sayso::mail::gmail::GmailOutgoing::patient(&login, crate::WAIT).unwrap();
    assert!(matches!(nobody.send(&reply(2)).await, Err(SendError::NotSent(_))));
}

#[tokio::test]
async fn a_conversation_that_is_gone_keeps_no_reply_from_being_sent() {
    let desk = Desk::usual();
    desk.google.deliver(&letter(1));
    let search = "GET /gmail/v1/users/me/messages?q=rfc822msgid";
    let stale = r#"{"messages": [{"id": "a", "threadId": "gone"}]}"#;
    desk.google.world().fault(search, Fault::Says(200, vec![], stale.into()));
    desk.outgoing().send(&reply(1)).await.unwrap();
    assert_eq!(desk.google.world().sent().len(), 1);
}

#[tokio::test]
async fn a_draft_is_kept_once() {
    let desk = Desk::usual();
    let asked = desk.google.deliver(&letter(1));
    desk.google.world().fault("POST /upload/gmail/v1/users/me/drafts", Fault::CutAfter);
    assert!(desk.mailbox.save_draft(&reply(1)).await.is_err());
    desk.mailbox.save_draft(&reply(1)).await.unwrap();
    desk.mailbox.save_draft(&reply(1)).await.unwrap();
    desk.mailbox.save_draft(&reply(2)).await.unwrap();
    let world = desk.google.world();
    assert_eq!(world.drafts.len(), 2);
    assert_eq!(world.mail(&world.drafts[0].1).unwrap().thread, world.mail(&asked).unwrap().thread);
    assert_eq!(world.sent().len(), 0);
}
