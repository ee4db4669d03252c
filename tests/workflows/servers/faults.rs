//! IMAP when something goes wrong.

use super::imap::all;
use crate::support::mail_script::{CANARY, Talk, account, patience, play, server};
use crate::support::mail_server::{Fake, Fault, client, first_place, letter};
use sayso::config::{AfterHandling, MailLogin, MailTls, Secret};
use sayso::mail::imap::Imap;
use sayso::mail::{Handled, MailError, Mailbox};
use std::time::Duration;

#[tokio::test]
async fn a_connection_cut_anywhere_loses_nothing() {
    let steps = ["EXAMINE", "UID SEARCH", "RFC822.SIZE", "BODY.PEEK", "CAPABILITY", "AUTHENTICATE"];
    for step in steps {
        let fake = Fake::with_letters(5);
        let (imap, _) = fake.open().await;
        let first = imap.fetch(None, 2).await.unwrap();
        fake.fault(step, Fault::Cut);
        // On a conversation that goes on, it is begun anew at once; one that cannot begin is tried the next time.
        if step == "CAPABILITY" || step == "AUTHENTICATE" {
            imap.leave().await;
            let error = imap.fetch(first.cursor.as_ref(), 2).await.unwrap_err();
            assert!(matches!(error, MailError::Temporary(_)), "{step}: {error}");
        }
        assert_eq!(all(&imap, first.cursor, 2).await.0, ["3", "4", "5"], "{step}");
    }
}

#[tokio::test]
async fn what_was_done_before_a_cut_is_not_repeated() {
    for (capabilities, step) in
        [("IMAP4rev1 AUTH=PLAIN SASL-IR MOVE", "UID MOVE"), ("IMAP4rev1 UIDPLUS", "UID COPY")]
    {
        let fake = Fake::with_letters(1).able_to(capabilities);
        let archive = AfterHandling::Folder("Archive".into());
        let (imap, _) = fake.open_as(|mail| mail.handled_done = archive).await;
        let place = first_place(&imap).await;
        fake.fault(step, Fault::CutAfter);
        imap.mark(&place, Handled::Done).await.unwrap();
        assert_eq!((fake.letters("Archive").len(), fake.letters("INBOX").len()), (1, 0), "{step}");
        fake.fault("APPEND", Fault::CutAfter);
        imap.save_draft(b"Message-ID: <d@x>\r\n\r\nDear Bob\r\n").await.unwrap();
        assert_eq!(fake.letters("Entw&APw-rfe").len(), 1, "{step}");
    }
}

#[tokio::test]
async fn mails_that_vanish_meanwhile_are_left_out_and_the_others_come() {
    for step in ["RFC822.SIZE", "BODY.PEEK", "UID SEARCH"] {
        let fake = Fake::with_letters(3);
        let (imap, _) = fake.open().await;
        fake.fault(step, Fault::Remove(2));
        assert_eq!(all(&imap, None, 10).await.0, ["1", "3"], "{step}");
    }
}

#[tokio::test]
async fn mails_that_the_server_does_not_give_come_empty_and_the_others_whole() {
    let fake = Fake::with_letters(5);
    fake.state().refused = vec![2];
    fake.state().textless = vec![4];
    let (imap, _) = fake.open().await;
    let fetched = imap.fetch(None, 10).await.unwrap();
    let empty: Vec<bool> = fetched.mails.iter().map(|mail| mail.raw.is_empty()).collect();
    assert_eq!(empty, [false, true, false, true, false]);
    let arrived: Vec<_> = fetched.mails.iter().map(|mail| mail.arrived).collect();
    assert!(arrived.iter().all(|at| *at == "2026-11-17T08:00:00Z".parse().unwrap()), "{arrived:?}");
    assert_eq!(all(&imap, fetched.cursor.clone(), 10).await.0, [""; 0], "they are told of once");
    // A server that gives nothing has a trouble of its own.
    let uid = fake.put("INBOX", &letter(6), &[]);
    fake.state().refused.push(uid);
    let error = imap.fetch(fetched.cursor.as_ref(), 10).await.unwrap_err();
    assert!(matches!(&error, MailError::Temporary(text) if text.contains("Internal error")), "{error}");
    fake.put("INBOX", &letter(7), &[]);
    let fetched = imap.fetch(fetched.cursor.as_ref(), 10).await.unwrap();
    assert_eq!(fetched.mails.iter().filter(|mail| mail.raw.is_empty()).count(), 1);
    assert_eq!(fetched.mails.len(), 2);
}

#[tokio::test]
async fn a_server_that_stops_giving_mails_loses_none() {
    let fake = Fake::with_letters(4);
    fake.state().refused = vec![2, 3, 4];
    let (imap, _) = fake.open().await;
    let fetched = imap.fetch(None, 10).await.unwrap();
    assert_eq!((fetched.mails.len(), fetched.remaining), (1, 0));
    fake.state().refused = vec![2];
    let fetched = imap.fetch(fetched.cursor.as_ref(), 10).await.unwrap();
    let empty: Vec<bool> = fetched.mails.iter().map(|mail| mail.raw.is_empty()).collect();
    assert_eq!(empty, [true, false, false]);
    // A refusal that says it will pass is about no mail.
    for step in ["RFC822.SIZE", "BODY.PEEK"] {
        fake.fault(step, Fault::No("[THROTTLED] slow down".to_owned()));
        let error = imap.fetch(None, 10).await.unwrap_err();
        assert!(matches!(&error, MailError::Temporary(text) if text.contains("slow down")), "{error}");
    }
}

#[tokio::test]
async fn what_other_clients_do_is_not_taken_for_a_reply() {
    let fake = Fake::with_letters(1);
    let (imap, _) = fake.open().await;
    let noise = "* 3 EXISTS\r\n* 0 RECENT\r\n* 1 FETCH (FLAGS (\\Seen))\r\n* 1 FETCH (FLAGS () UID 77)\r\n\
                 * OK [ALERT] (odd \"text\r\n* VANISHED 3:5\r\n* NO disk nearly full\r\n* ENABLED X\r\n";
    fake.fault("BODY.PEEK", Fault::Say(noise.to_owned()));
    fake.fault("UID SEARCH", Fault::Say(noise.to_owned()));
    assert_eq!(all(&imap, None, 10).await.0, ["1"]);
}

#[tokio::test]
async fn a_huge_text_is_refused_before_it_is_kept() {
    for many in ["67108866", "99999999999", "99999999999999999999999999"] {
        let fake = Fake::with_letters(1);
        let (imap, _) = fake.open().await;
        imap.fetch(None, 1).await.unwrap();
        for _ in 0..2 {
            fake.fault("UID SEARCH", Fault::Say(format!("* 1 FETCH (UID 1 BODY[] {{{many}}}\r\n")));
        }
        let error = imap.fetch(None, 1).await.unwrap_err();
        assert!(
            matches!(&error, MailError::Temporary(text) if text.contains("more than was asked for")),
            "{error}"
        );
        // The next time all is well.
        assert_eq!(all(&imap, None, 1).await.0, ["1"]);
    }
}

#[tokio::test]
async fn a_line_without_end_is_refused() {
    let fake = Fake::new();
    let (imap, _) = fake.open().await;
    fake.fault("EXAMINE", Fault::Say("x".repeat(17 << 20)));
    let error = imap.fetch(None, 1).await.unwrap_err();
    assert!(error.to_string().contains("more than was asked for"), "{error}");
}

#[tokio::test]
async fn a_mail_over_the_limit_is_asked_for_in_part_and_alone() {
    let fake = Fake::with_letters(2);
    fake.state().claims = 1 << 30;
    let (imap, heard) = fake.open().await;
    assert_eq!(all(&imap, None, 10).await.0, ["1", "2"]);
    assert_eq!(heard.count("BODY.PEEK[]<0.67108865>"), 2, "{:?}", heard.lines());
    // What fits is asked for whole, as much at once as fits.
    fake.state().claims = 3 << 20;
    assert_eq!(all(&imap, None, 10).await.0, ["1", "2"]);
    assert_eq!(heard.count("UID FETCH 1:2 (UID FLAGS INTERNALDATE BODY.PEEK[])"), 1);
}

#[tokio::test]
async fn a_server_that_falls_silent_is_given_up_on() {
    let fake = Fake::new();
    let (port, _) = fake.start().await;
    let short = sayso::mail::Timeouts { answer: Duration::from_millis(50), ..patience() };
    let imap = Imap::with_timeouts(&account(server(port)), short).unwrap();
    for _ in 0..2 {
        fake.fault("EXAMINE", Fault::Hang);
    }
    let error = imap.fetch(None, 1).await.unwrap_err();
    assert!(
        matches!(&error, MailError::Temporary(text) if text.contains("did not answer within")),
        "{error}"
    );
}

async fn greeted(
    part: impl Fn(Talk) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send>> + Send + 'static,
) -> MailError {
    let (port, _) = play(MailTls::Tls, "localhost", part).await;
    client(port).check().await.unwrap_err()
}

#[tokio::test]
async fn odd_greetings_are_told_apart() {
    for (greeting, expected, passing) in [
        ("* BYE too many connections\r\n", "ended the connection (too many connections)", true),
        ("220 mail.example.org ESMTP\r\n", "does not speak IMAP; check host and port", false),
        ("HTTP/1.1 400 Bad Request\r\n\r\n", "does not speak IMAP; check host and port", false),
        ("\r\n", "does not speak IMAP", false),
        ("", "broke off (the server hung up)", true),
        ("* OK \u{1b}[2J", "broke off", true),
        ("* BYE \u{1b}[2J\u{202e}\r\n", "⟨U+001B⟩[2J⟨U+202E⟩", true),
    ] {
        let error = greeted(move |mut talk| Box::pin(async move { talk.say(greeting).await })).await;
        assert!(error.to_string().contains(expected), "{greeting:?}: {error}");
        assert_eq!(matches!(error, MailError::Temporary(_)), passing, "{greeting:?}");
        assert!(!error.to_string().contains('\u{1b}'));
    }
}

#[tokio::test]
async fn a_server_that_knows_us_already_is_not_told_the_password() {
    let (port, heard) = play(MailTls::Tls, "localhost", |mut talk| async move {
        talk.say("* PREAUTH welcome\r\n").await;
        while let Some(_command) = talk.command().await {
            talk.ok("fine").await;
        }
    })
    .await;
    let imap = client(port);
    let _ = imap.check().await;
    assert_eq!((heard.count("AUTHENTICATE"), heard.count("LOGIN")), (0, 0));
}

#[tokio::test]
async fn a_bye_in_the_middle_leads_to_a_new_connection() {
    let fake = Fake::with_letters(1);
    let (imap, heard) = fake.open().await;
    imap.check().await.unwrap();
    fake.fault("UID SEARCH", Fault::Say("* BYE restarting\r\n".to_owned()));
    assert_eq!(all(&imap, None, 10).await.0, ["1"]);
    assert_eq!(heard.count("AUTHENTICATE"), 2);
}

#[tokio::test]
async fn a_wrong_password_is_reported_without_repeating_it() {
    for (capabilities, way) in [("AUTH=PLAIN SASL-IR", "AUTHENTICATE"), ("IMAP4rev1", "LOGIN")] {
        let fake = Fake::new().able_to(capabilities);
        let (imap, _) = fake.open().await;
        // A careless server repeats what it was sent.
        fake.fault(way, Fault::No(format!("[AUTHENTICATIONFAILED] bad {CANARY}")));
        let error = imap.check().await.unwrap_err();
        assert!(matches!(error, MailError::Login(_)));
        let text = format!("{error} {error:?}");
        assert!(text.contains("refused the password of ada@example.org") && !text.contains(CANARY), "{text}");
        // Not now is not never.
        fake.fault(way, Fault::No("[UNAVAILABLE] later".to_owned()));
        assert!(matches!(imap.check().await, Err(MailError::Temporary(_))));
    }
    let fake = Fake::new();
    let (port, _) = fake.start().await;
    let mut place = server(port);
    place.login = MailLogin::Password(Secret::Command(format!("echo {CANARY}; exit 3")));
    let error =
        Imap::with_timeouts(&account(place), patience()).unwrap().check().await.unwrap_err().to_string();
    assert!(error.contains("its command failed (exit status: 3)") && !error.contains(CANARY), "{error}");
}

#[tokio::test]
async fn tokens_are_sent_as_the_standard_says() {
    use base64::Engine;
    let expected = base64::engine::general_purpose::STANDARD
        .encode(format!("user=ada@example.org\x01auth=Bearer {CANARY}\x01\x01"));
    for capabilities in ["IMAP4rev1 AUTH=XOAUTH2 SASL-IR", "IMAP4rev1 AUTH=XOAUTH2"] {
        let wanted = expected.clone();
        let (port, heard) = play(MailTls::Tls, "localhost", move |mut talk| async move {
            talk.say(format!("* OK [CAPABILITY {capabilities}] ready\r\n")).await;
            let _ = talk.command().await;
            if !capabilities.contains("SASL-IR") {
                talk.say("+ \r\n").await;
                talk.hear().await;
            }
            // The reason, and then the end.
            talk.say("+ eyJzdGF0dXMiOiI0MDEifQ==\r\n").await;
            talk.hear().await;
            let line = format!("{} NO invalid\r\n", talk.tag);
            talk.say(line).await;
        })
        .await;
        let mut place = server(port);
        place.login = MailLogin::Token(Secret::Command(format!("echo {CANARY}")));
        let error =
            Imap::with_timeouts(&account(place), patience()).unwrap().check().await.unwrap_err().to_string();
        assert!(error.contains("refused the token of ada@example.org; renew it"), "{error}");
        assert_eq!(heard.count(&wanted), 1, "{:?}", heard.lines());
    }
}
