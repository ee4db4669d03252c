//! Sending by a real Exim, with the copy in a real Dovecot's Sent.

use super::dovecot::{Dovecot, available, server};
use super::exim::Exim;
use sayso::config::{FiledBy, MailLogin, MailTls, Secret};
use sayso::mail::imap::Imap;
use sayso::mail::smtp::Smtp;
use sayso::mail::{Copies, MailError, Mailbox, Outgoing, SendError, SentLookup};

fn mail(id: &str, to: &str) -> String {
    format!(
        "Message-ID: <{id}@sayso>\r\nDate: Sun, 15 Nov 2026 10:00:00 +0000\r\nFrom: Ada <ada@example.org>\r\nTo: {to}\r\n\
         Bcc: unseen@example.com\r\nIn-Reply-To: <7@example.com>\r\nSubject: Hi\r\n\r\n.\r\n..dots\r\nGrüße\r\n"
    )
}

#[tokio::test]
#[ignore = "needs Dovecot and Exim; run by .ci/run"]
async fn mail_is_sent_once_and_filed_once() {
    if !available(&["dovecot", "exim4"]) {
        return;
    }
    let (dovecot, exim) = (Dovecot::start(), Exim::start());
    let mailbox = Imap::open(&dovecot.account()).unwrap();
    let copies = || Copies::Server(Imap::open(&dovecot.account()).unwrap(), FiledBy::Auto);
    let smtp = |port, tls| Smtp::new(server(port, tls), copies());
    let out = smtp(exim.smtps, MailTls::Tls);
    out.check().await.unwrap();

    let first = mail("1", "bob@example.com, eve@refused.example");
    assert!(matches!(out.find(first.as_bytes()).await, SentLookup::Unknown(_)));
    let sent = out.send(first.as_bytes()).await.unwrap();
    assert_eq!((sent.message_id.as_str(), sent.place.as_deref()), ("1@sayso", Some("Sent")));
    assert_eq!(sent.refused.len(), 1);
    assert_eq!(sent.refused[0].0, "eve@refused.example");
    assert!(sent.refused[0].1.starts_with("550"), "{:?}", sent.refused);
    // Also after a word in the clear.
    smtp(exim.submission, MailTls::Starttls).send(mail("2", "bob@example.com").as_bytes()).await.unwrap();

    // A mail with several recipients may arrive in several envelopes; each recipient gets it once.
    let arrived = exim.wait_for(2).concat();
    assert!(!arrived.contains("Bcc:"), "{arrived}");
    assert!(arrived.contains("\n..\n...dots\nGrüße\n"), "{arrived}");
    let SentLookup::Sent(found) = out.find(first.as_bytes()).await else { panic!() };
    assert_eq!(found.message_id, "1@sayso");
    assert_eq!(dovecot.count("Gesendete Post"), 2);
    assert!(mailbox.answered_elsewhere(&["7@example.com".to_owned()]).await.unwrap()[0]);

    // All refused: nothing is sent or filed.
    let third = mail("3", "eve@refused.example").replace("unseen@example.com", "x@refused.example");
    let error = out.send(third.as_bytes()).await.unwrap_err();
    assert!(matches!(&error, SendError::Refused(text) if text.contains("eve@refused.example")), "{error:?}");
    assert_eq!(dovecot.count("Gesendete Post"), 2);

    let mut wrong = server(exim.smtps, MailTls::Tls);
    wrong.login = MailLogin::Password(Secret::Command("echo guessed".to_owned()));
    let error = Smtp::new(wrong, Copies::Nowhere).check().await.unwrap_err();
    assert!(
        matches!(&error, MailError::Permanent(text) if text.contains("refused the password of ada")),
        "{error}"
    );
}
