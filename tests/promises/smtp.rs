//! SMTP, cut and refused at every step.

use crate::report;
use crate::support::mail_script::{CANARY, Heard, Talk, account, patience, play, server};
use crate::support::mail_server::{Fake, Fault};
use sayso::config::{FiledBy, MailLogin, MailTls, Secret};
use sayso::mail::imap::Imap;
use sayso::mail::smtp::Smtp;
use sayso::mail::{Copies, MailError, Outgoing, SendError, SentLookup, Timeouts};
use std::sync::{Arc, Mutex};

const MAIL: &str = "Message-ID: <m@sayso>\nFrom: Ada <ada@example.org>\nTo: bob@example.com, eve@example.net\n\
                    Bcc: mallory@example.com\nSubject: Hi\n\nDots:\n.\n..two\nend\n";

/// How a server behaves.
#[derive(Clone)]
struct Part {
    abilities: &'static str,
    /// An answer other than the usual one to the first command that begins so.
    answers: Vec<(&'static str, &'static str)>,
    /// Hangs up at the first command that begins so; `.` is the end of a mail.
    cut: &'static str,
    taken: Arc<Mutex<Vec<String>>>,
}

impl Part {
    fn new() -> Self {
        let abilities = "SIZE 100000000\n8BITMIME\nAUTH PLAIN LOGIN\nSMTPUTF8";
        Self { abilities, answers: Vec::new(), cut: "-", taken: Arc::default() }
    }

    fn answer(&self, to: &str, usual: &str) -> String {
        let other = self.answers.iter().find(|(at, _)| to.starts_with(at));
        format!("{}\r\n", other.map_or(usual, |(_, answer)| answer))
    }

    fn taken(&self) -> Vec<String> {
        self.taken.lock().unwrap().clone()
    }
}

async fn serve(part: Part, mut talk: Talk) {
    talk.say(part.answer("greeting", "220 ready")).await;
    while let Some(line) = talk.hear().await {
        if line.starts_with(part.cut) {
            return;
        }
        let usual = match line.split(' ').next().unwrap() {
            "EHLO" => {
                let abilities: Vec<String> =
                    part.abilities.lines().map(|line| format!("250-{line}\r\n")).collect();
                talk.say(format!("250-hello\r\n{}250 OK\r\n", abilities.concat())).await;
                continue;
            }
            "AUTH" => "235 welcome",
            "DATA" => {
                let answer = part.answer("DATA", "354 go on");
                talk.say(&answer).await;
                if !answer.starts_with("354") {
                    continue;
                }
                let mut mail = String::new();
                loop {
                    let Some(line) = talk.hear().await else { return };
                    if line == "." {
                        break;
                    }
                    if part.cut == "body" {
                        return;
                    }
                    mail += line.strip_prefix('.').unwrap_or(&line);
                    mail.push('\n');
                }
                let answer = part.answer(".", "250 taken");
                if answer.starts_with("250") {
                    part.taken.lock().unwrap().push(mail);
                }
                if part.cut == "." {
                    return;
                }
                talk.say(answer).await;
                continue;
            }
            "QUIT" => return,
            _ => "250 fine",
        };
        talk.say(part.answer(&line, usual)).await;
    }
}

async fn open(part: &Part) -> (Smtp, Heard) {
    let playing = part.clone();
    let (port, heard) = play(MailTls::Tls, "localhost", move |talk| serve(playing.clone(), talk)).await;
    (Smtp::new(server(port), Copies::Nowhere).with_timeouts(patience()), heard)
}

async fn open_with_sent(part: &Part, fake: &Fake) -> (Smtp, Heard) {
    open_filed_by(FiledBy::Auto, part, fake).await
}

async fn open_filed_by(by: FiledBy, part: &Part, fake: &Fake) -> (Smtp, Heard) {
    let playing = part.clone();
    let (port, heard) = play(MailTls::Tls, "localhost", move |talk| serve(playing.clone(), talk)).await;
    let (sent, _) = fake.start().await;
    let sent = Imap::with_timeouts(&account(server(sent)), patience()).unwrap();
    (Smtp::new(server(port), Copies::Server(sent, by)), heard)
}

#[tokio::test]
async fn a_mail_is_sent_as_it_is_without_its_bcc() {
    let part = Part::new();
    let (smtp, heard) = open(&part).await;
    let sent = smtp.send(MAIL.as_bytes()).await.unwrap();
    assert_eq!((sent.message_id.as_str(), sent.refused.len()), ("m@sayso", 0));
    assert_eq!(part.taken(), [MAIL.replace("Bcc: mallory@example.com\n", "")]);
    assert_eq!(heard.count("RCPT TO:<mallory@example.com>"), 1);
    assert_eq!(heard.count("MAIL FROM:<ada@example.org> SIZE="), 1);
    assert_eq!(smtp.check().await.unwrap().split(' ').next(), Some("mail"));
}

#[tokio::test]
async fn before_the_final_dot_nothing_was_sent() {
    for cut in ["EHLO", "AUTH", "MAIL", "RCPT", "DATA", "body"] {
        let part = Part { cut, ..Part::new() };
        let (smtp, _) = open(&part).await;
        // Longer than what a connection keeps on its way.
        let more = if cut == "body" { 1_500_000 } else { 0 };
        let long = format!("{MAIL}{}", "and so on\n".repeat(more));
        let error = smtp.send(long.as_bytes()).await.unwrap_err();
        assert!(matches!(error, SendError::NotSent(_)), "{cut}: {error:?}");
        assert!(part.taken().is_empty());
    }
    report("M01", "cut at each step before the final dot", 6);
}

#[tokio::test]
async fn m01_without_an_answer_to_the_final_dot_nobody_knows() {
    for cut in [".", "odd"] {
        let mut part = Part { cut, ..Part::new() };
        if cut == "odd" {
            part.answers.push((".", "what?"));
        }
        let fake = Fake::new();
        let (smtp, heard) = open_with_sent(&part, &fake).await;
        let error = smtp.send(MAIL.as_bytes()).await.unwrap_err();
        assert!(matches!(&error, SendError::Unknown(text) if text.contains("whole mail")), "{error:?}");
        // It is looked for, and never sent again by itself.
        assert!(matches!(smtp.find(MAIL.as_bytes()).await, SentLookup::Unknown(_)));
        fake.put("Sent Things", "Message-ID: <m@sayso>\r\n\r\nfiled by the server\r\n", &[]);
        let SentLookup::Sent(sent) = smtp.find(MAIL.as_bytes()).await else { panic!() };
        assert_eq!(sent.message_id, "m@sayso");
        assert_eq!(heard.count("DATA"), 1);
    }
    let (smtp, _) = open(&Part::new()).await;
    assert!(matches!(smtp.find(MAIL.as_bytes()).await, SentLookup::Unknown(_)));
    report("M01", "cut, or answered oddly, after the final dot", 3);
}

#[tokio::test]
async fn m02_not_now_and_never_are_told_apart() {
    for at in ["greeting", "AUTH", "MAIL", "RCPT", "DATA", "."] {
        for (answer, passing) in [("451 try later", true), ("550 go away", false)] {
            let part = Part { answers: vec![(at, answer)], ..Part::new() };
            let (smtp, heard) = open(&part).await;
            let error = smtp.send(MAIL.as_bytes()).await.unwrap_err();
            assert_eq!(matches!(error, SendError::NotSent(_)), passing, "{at} {answer}: {error:?}");
            assert_eq!(matches!(error, SendError::Refused(_)), !passing, "{at} {answer}: {error:?}");
            assert!(part.taken().is_empty());
            if passing {
                // The same mail, byte for byte, is sent when the server is well again.
                let well = Part { taken: part.taken.clone(), ..Part::new() };
                let (smtp, _) = open(&well).await;
                assert_eq!(smtp.send(MAIL.as_bytes()).await.unwrap().message_id, "m@sayso");
                assert_eq!(well.taken().len(), 1);
            }
            drop(heard);
        }
    }
    report("M02", "4xx and 5xx at each step", 12);
}

#[tokio::test]
async fn m02_recipients_the_server_does_not_take_are_named() {
    let part = Part { answers: vec![("RCPT TO:<eve", "550 5.1.1 no such \u{1b}user")], ..Part::new() };
    let (smtp, _) = open(&part).await;
    let sent = smtp.send(MAIL.as_bytes()).await.unwrap();
    assert_eq!(sent.refused, [("eve@example.net".to_owned(), "550 5.1.1 no such ⟨U+001B⟩user".to_owned())]);
    assert_eq!(part.taken().len(), 1);

    let part = Part { answers: vec![("RCPT", "550 no")], ..Part::new() };
    let (smtp, heard) = open(&part).await;
    let error = smtp.send(MAIL.as_bytes()).await.unwrap_err().to_string();
    for name in ["bob@example.com (550 no)", "eve@example.net", "mallory@example.com"] {
        assert!(error.contains(name), "{error}");
    }
    assert_eq!(heard.count("DATA"), 0);
    report("M02", "one recipient refused, and all of them", 2);
}

#[tokio::test]
async fn what_a_server_cannot_take_is_not_begun() {
    for (abilities, mail, expected) in [
        ("AUTH PLAIN\nSIZE 100", MAIL.to_owned(), "takes mail up to 100 bytes"),
        ("AUTH PLAIN", MAIL.replace("end", "Ende – schön"), "takes only mail in plain ASCII"),
        (
            "AUTH PLAIN\n8BITMIME",
            MAIL.replace("Subject: Hi", "Subject: Grüße"),
            "letters beyond ASCII in such header",
        ),
        ("8BITMIME", MAIL.to_owned(), "takes no password"),
        (
            "AUTH PLAIN",
            MAIL.replace("To: bob@example.com, eve@example.net\nBcc: mallory@example.com\n", ""),
            "names nobody",
        ),
    ] {
        let part = Part { abilities, ..Part::new() };
        let (smtp, heard) = open(&part).await;
        let error = smtp.send(mail.as_bytes()).await.unwrap_err();
        assert!(matches!(&error, SendError::Refused(text) if text.contains(expected)), "{error:?}");
        assert_eq!(heard.count("MAIL FROM"), 0);
    }
    let part = Part { abilities: "AUTH PLAIN\n8BITMIME\nSMTPUTF8", ..Part::new() };
    let (smtp, heard) = open(&part).await;
    smtp.send(MAIL.replace("Hi", "Grüße").as_bytes()).await.unwrap();
    assert_eq!(heard.count("MAIL FROM:<ada@example.org> BODY=8BITMIME SMTPUTF8"), 1);
}

#[tokio::test]
async fn passwords_are_sent_by_each_method_and_never_repeated() {
    for (abilities, secret) in [("AUTH PLAIN", CANARY), ("AUTH LOGIN", CANARY), ("AUTH XOAUTH2", CANARY)] {
        let refusing =
            Part { abilities, answers: vec![("AUTH", "535 bad canary-7f3a-password")], ..Part::new() };
        let (smtp, _) = open(&refusing).await;
        let error = smtp.send(MAIL.as_bytes()).await.unwrap_err();
        let is_token = abilities.contains("XOAUTH2");
        if !is_token {
            let text = format!("{error} {error:?}");
            assert!(
                text.contains("refused the password of ada@example.org") && !text.contains(secret),
                "{text}"
            );
        }
    }
    let (port, heard) = play(MailTls::Tls, "localhost", |talk| serve(Part::new(), talk)).await;
    let mut place = server(port);
    place.login = MailLogin::Token(Secret::Command(format!("echo {CANARY}")));
    Smtp::new(place, Copies::Nowhere).with_timeouts(patience()).send(MAIL.as_bytes()).await.unwrap();
    assert_eq!(heard.count("AUTH XOAUTH2 dXNlcj1hZGFAZXhhbXBsZS5vcmcB"), 1);
}

#[tokio::test]
async fn a_copy_is_filed_once_whoever_files_it() {
    // Ours, also where the first attempt to file broke off after it was done.
    let (part, fake) = (Part::new(), Fake::new());
    fake.fault("APPEND", Fault::CutAfter);
    let (smtp, _) = open_with_sent(&part, &fake).await;
    let sent = smtp.send(MAIL.as_bytes()).await.unwrap();
    assert_eq!(part.taken().len(), 1);
    assert!(sent.refused.is_empty());
    assert_eq!(fake.letters("Sent Things").len(), 1);
    assert!(fake.letters("Sent Things")[0].raw.contains("Bcc: mallory@example.com"));

    // The server's: found by its Message-ID.
    let fake = Fake::new();
    fake.put("Sent Things", "Message-ID: <m@sayso>\r\n\r\nfiled by the server\r\n", &[]);
    let (smtp, _) = open_with_sent(&Part::new(), &fake).await;
    assert_eq!(smtp.send(MAIL.as_bytes()).await.unwrap().place.as_deref(), Some("Sent"));
    assert_eq!(fake.letters("Sent Things").len(), 1);

    // A server that always files by itself, a little later: no copy of ours.
    let fake = Fake::new();
    fake.state().capabilities += " X-GM-EXT-1";
    let (smtp, _) = open_with_sent(&Part::new(), &fake).await;
    smtp.send(MAIL.as_bytes()).await.unwrap();
    assert_eq!(fake.letters("Sent Things").len(), 0);

    // The same by the config's word, whatever the server is.
    let fake = Fake::new();
    let (smtp, _) = open_filed_by(FiledBy::Server, &Part::new(), &fake).await;
    smtp.send(MAIL.as_bytes()).await.unwrap();
    assert_eq!(fake.letters("Sent Things").len(), 0);

    // A server that is not known to file, and does so while it is looked for: one copy, and it is the server's.
    let fake = Fake::new();
    let (port, heard) = fake.start().await;
    let slowly = Timeouts { filing: std::time::Duration::from_millis(300), ..patience() };
    let part = Part::new();
    let playing = part.clone();
    let (out, _) = play(MailTls::Tls, "localhost", move |talk| serve(playing.clone(), talk)).await;
    let sent = Imap::with_timeouts(&account(server(port)), slowly).unwrap();
    let smtp = Smtp::new(server(out), Copies::Server(sent, FiledBy::Auto));
    let server = async {
        while heard.count("UID SEARCH") < 1 {
            tokio::task::yield_now().await;
        }
        fake.put("Sent Things", "Message-ID: <m@sayso>\r\n\r\nfiled by the server\r\n", &[]);
    };
    let (sent, ()) = tokio::join!(smtp.send(MAIL.as_bytes()), server);
    assert_eq!(sent.unwrap().place.as_deref(), Some("Sent"));
    assert_eq!(fake.letters("Sent Things").len(), 1);
    assert!(fake.letters("Sent Things")[0].raw.contains("filed by the server"));

    // A Sent folder that cannot be reached does not unsend the mail.
    let fake = Fake::new();
    for _ in 0..2 {
        fake.fault("AUTHENTICATE", Fault::No("no".to_owned()));
    }
    let (smtp, _) = open_with_sent(&Part::new(), &fake).await;
    assert_eq!(smtp.send(MAIL.as_bytes()).await.unwrap().place, None);
}

#[tokio::test]
async fn a_server_that_does_not_speak_smtp_is_reported() {
    let (port, _) = play(MailTls::Tls, "localhost", |mut talk| async move {
        talk.say("* OK IMAP ready\r\n").await;
        talk.hear().await;
    })
    .await;
    let smtp = Smtp::new(server(port), Copies::Nowhere).with_timeouts(patience());
    let error = smtp.check().await.unwrap_err();
    assert!(
        matches!(&error, MailError::Permanent(text) if text.contains("does not speak SMTP; check host and port")),
        "{error}"
    );
}
