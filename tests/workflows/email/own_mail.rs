//! Mail the person writes themselves: in place of a proposal, or at the start of a conversation.

use crate::support::assert_contains;
use crate::support::email_inbox::{BOB, EmailInbox, ask, calls, edit, mail_with};
use crate::support::test_inbox::respond;
use sayso::engine::graph::Decision;
use sayso::inbox::door::new_mail;
use sayso::inbox::{OWN_MAIL, Status};
use serde_json::{Value, json};

fn letter(change: Value) -> Value {
    let mut args = json!({"to": ["zoe@far.example"], "subject": "Lunch", "content": "How about Friday?"});
    args.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
    args
}

async fn compose(inbox: &EmailInbox, args: Value) -> sayso::engine::graph::ThreadId {
    let mut letter = new_mail();
    letter.args = args;
    let thread = inbox.mail().send(letter).await.unwrap().thread;
    inbox.drive().await;
    thread
}

#[tokio::test]
async fn every_card_of_a_mail_lets_the_person_write_it_and_asks_no_more() {
    for (class, replies) in [("notify", vec![]), ("respond", vec![calls([ask("When does it come?")])])] {
        let asked = replies.len();
        let inbox = EmailInbox::new(class, replies);
        let thread = inbox.receive_mail().await;
        let item = inbox.open_item(&thread).await;
        assert!(item.allow.edit, "{class}");
        assert_eq!(item.labels.edit.as_deref(), Some("write it myself"), "{class}");
        let start = item.edit_from.unwrap();
        assert_eq!((&start["to"], &start["subject"]), (&json!([BOB]), &json!("Re: The report")));
        inbox.answer(&thread, edit(("", start), "content", json!("It comes on Friday.\n\nAda"))).await;
        assert!(inbox.sent()[0].contains("It comes on Friday."), "{class}");
        assert_eq!(inbox.status(&thread).await, Status::Done, "{class}");
        assert_eq!(inbox.past_outcomes().await, ["sent", "drafted"], "{class}");
        assert_eq!(inbox.replies_asked(), asked, "{class}: the person has said what they want");
    }
}

#[tokio::test]
async fn a_new_mail_is_a_thread_and_sent_without_a_card() {
    let inbox = EmailInbox::new("notify", []);
    let thread = compose(&inbox, letter(json!({"cc": ["Sam <sam@far.example>"]}))).await;
    assert_contains(
        &inbox.sent()[0],
        ["To: <zoe@far.example>", "Cc: \"Sam\" <sam@far.example>", "How about Friday?"],
    );
    let view = inbox.threads().view(thread).await.unwrap();
    assert_eq!((view.status, view.title.as_str()), (Status::Done, "Lunch"));
    inbox.assert_intact("the lists");
}

#[tokio::test]
async fn a_warning_makes_a_card_of_it_and_so_does_the_person_who_wants_one() {
    let inbox = EmailInbox::new("notify", []);
    inbox.know_bob().await;
    let thread = compose(&inbox, letter(json!({"to": ["bob@cllent.example"]}))).await;
    let warnings = inbox.warnings(&thread).await;
    assert!(warnings.contains(&"look_alike".to_owned()), "{warnings:?}");
    assert!(inbox.sent().is_empty());
    let item = inbox.open_item(&thread).await;
    assert!(!item.allow.respond, "no model reads along");
    inbox.answer(&thread, Decision::Accept).await;
    assert_eq!((inbox.sent().len(), inbox.status(&thread).await), (1, Status::Done));

    inbox.grants().revoke(OWN_MAIL.to_owned()).await.unwrap();
    let thread = compose(&inbox, letter(json!({}))).await;
    assert_eq!(inbox.action(&thread).await, "write_email");
    inbox.answer(&thread, Decision::Ignore).await;
    assert_eq!((inbox.sent().len(), inbox.status(&thread).await), (1, Status::Done));
}

#[tokio::test]
async fn nobody_but_the_person_writes_again_where_they_began() {
    let inbox = EmailInbox::new("notify", []);
    let thread = compose(&inbox, letter(json!({"remind_after": "3d"}))).await;
    let item = inbox.open_item(&thread).await;
    assert_eq!((item.action.as_str(), item.labels.edit.as_deref()), ("remind", Some("write again")));
    assert!(!item.allow.accept && !item.allow.respond && item.allow.ignore);
    for refused in [
        inbox.threads().proceed(thread.clone(), "Ask again.".to_owned()).await,
        inbox.mail().reclassify(thread.clone(), "respond".to_owned()).await,
    ] {
        let why = refused.unwrap_err().to_string();
        assert!(why.contains("began with your own mail, and nobody has answered it yet"), "{why}");
    }
    let start = item.edit_from.unwrap();
    inbox.answer(&thread, edit(("", start), "content", json!("Or on Monday?"))).await;
    assert_eq!((inbox.sent().len(), inbox.status(&thread).await), (2, Status::Done));
    assert_eq!(inbox.replies_asked(), 0);
}

#[tokio::test]
async fn what_cannot_be_sent_starts_nothing() {
    let inbox = EmailInbox::new("notify", []);
    for (change, why) in [
        (json!({"to": ["nobody"]}), "like an address"),
        (json!({"to": []}), "to"),
        (json!({"content": ""}), "content"),
        (json!({"attachments": ["/no/such/file"]}), "there is no file /no/such/file"),
        (json!({"attachments": ["plan.pdf"]}), "is not a full path"),
    ] {
        let mut wrong = new_mail();
        wrong.args = letter(change);
        let refused = inbox.mail().send(wrong).await.unwrap_err().to_string();
        assert!(refused.contains(why), "{refused}");
    }
}

#[tokio::test]
async fn a_forwarded_mail_stands_below_with_its_attachments() {
    let attached = "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n";
    let parts = "--b\r\n\r\nHere is the plan.\r\n--b\r\nContent-Type: application/pdf\r\n\
                 Content-Disposition: attachment; filename=plan.pdf\r\n\r\nPDF\r\n--b--\r\n";
    let inbox = EmailInbox::new("notify", []);
    let original = inbox.receive(&mail_with(attached, parts)).await;
    let mut forward = inbox.mail().forward(original).await.unwrap();
    assert_eq!(forward.args["subject"], "Fwd: The report");
    assert_eq!(forward.args["attachments"], json!(["mail:1/plan.pdf"]));
    forward.args["to"] = json!(["zoe@far.example"]);
    inbox.mail().send(forward).await.unwrap();
    inbox.drive().await;
    let sent = inbox.sent();
    assert_contains(&sent[0], ["Forwarded message", "Here is the plan.", "filename=\"plan.pdf\""]);
}

#[tokio::test]
async fn words_to_nobody_become_the_letter() {
    let inbox = EmailInbox::new("notify", []);
    let thread = inbox.receive_mail().await;
    inbox.threads().hand(thread.clone(), true).await.unwrap();
    inbox.answer(&thread, respond("It comes on Friday.")).await;
    let item = inbox.open_item(&thread).await;
    assert_eq!(item.action, "write_email");
    assert!(item.args["content"].as_str().unwrap().contains("It comes on Friday."), "{}", item.args);
    assert!(inbox.sent().is_empty(), "the greeting was not the person's");
    inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(inbox.sent().len(), 1);
}

#[tokio::test]
async fn a_hold_can_be_ended_early() {
    let inbox = EmailInbox::new("notify", []);
    let refused = compose(&inbox, letter(json!({}))).await;
    let decided = inbox.threads().answers(refused).await.unwrap();
    let by = sayso::inbox::DecidedBy::Tui;
    let error = inbox.decisions().act_now(decided[0].interrupt.clone(), by).await.unwrap_err();
    assert!(error.to_string().contains("is not held"), "{error}");
}
