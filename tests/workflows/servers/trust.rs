//! Certificates: always checked, with errors that say what to do.

use crate::support::mail_script::{CANARY, Heard, account, patience, play, server};
use crate::support::mail_server::Fake;
use sayso::config::{MailServer, MailTls};
use sayso::mail::imap::Imap;
use sayso::mail::{MailError, Mailbox};

async fn check(server: MailServer) -> Result<String, MailError> {
    Imap::with_timeouts(&account(server), patience()).unwrap().check().await
}

async fn with(certificate: &'static str) -> (u16, Heard) {
    let fake = Fake::new();
    play(MailTls::Tls, certificate, move |talk| fake.clone().serve(talk)).await
}

#[track_caller]
fn refused(outcome: Result<String, MailError>, expected: &str, heard: &Heard) {
    match outcome {
        Err(MailError::Permanent(text)) => assert!(text.contains(expected), "{text}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(heard.lines(), [""; 0], "not a word was said");
}

#[tokio::test]
async fn certificates_are_checked() {
    let (port, heard) = with("localhost").await;
    check(server(port)).await.unwrap();
    assert!(heard.count("AUTHENTICATE PLAIN") == 1 && heard.count(CANARY) == 0);

    let (port, heard) = with("elsewhere").await;
    refused(check(server(port)).await, "certificate of localhost is for", &heard);
    let (port, heard) = with("expired").await;
    refused(check(server(port)).await, "has expired", &heard);
    let (port, heard) = with("localhost").await;
    let unknown = MailServer { ca_file: Some("tests/fixtures/tls/elsewhere.pem".into()), ..server(port) };
    refused(check(unknown).await, "set ca_file to the certificate of who issued it", &heard);
}

#[tokio::test]
async fn a_pin_trusts_one_certificate_and_no_other() {
    // The machine knows nobody who issued it, and its name is another one.
    let (port, heard) = with("elsewhere").await;
    let pinned = |pin: &str| MailServer { tls_pin: Some(pin.to_owned()), ca_file: None, ..server(port) };
    let outcome = check(pinned("00ff")).await;
    let text = outcome.as_ref().unwrap_err().to_string();
    refused(outcome, "is not the one of tls_pin: its SHA-256 is ", &heard);
    let found = text.rsplit(' ').next().unwrap().to_owned();
    assert_eq!(found.len(), 64);
    check(pinned(&found)).await.unwrap();
    let colons: Vec<String> =
        found.as_bytes().chunks(2).map(|two| String::from_utf8(two.to_vec()).unwrap()).collect();
    check(pinned(&colons.join(":").to_uppercase())).await.unwrap();
}

#[tokio::test]
async fn an_invalid_ca_file_is_reported() {
    for (file, expected) in [("no/such.pem", "cannot be read"), ("Cargo.toml", "holds no certificate")] {
        let (port, heard) = with("localhost").await;
        let server = MailServer { ca_file: Some(file.into()), ..server(port) };
        refused(check(server).await, expected, &heard);
    }
}

#[tokio::test]
async fn nothing_is_sent_unencrypted() {
    let starttls = |port| MailServer { tls: MailTls::Starttls, ..server(port) };
    let (port, heard) = play(MailTls::Starttls, "localhost", |mut talk| async move {
        talk.say("* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] ready\r\n").await;
        talk.hear().await;
    })
    .await;
    refused(check(starttls(port)).await, "offers no STARTTLS", &heard);

    // What somebody slips in before the connection is safe is not taken for the server's.
    let (port, heard) = play(MailTls::Starttls, "localhost", |mut talk| async move {
        talk.say("* OK [CAPABILITY IMAP4rev1 STARTTLS] ready\r\n").await;
        talk.command().await;
        let line = format!("{} OK go\r\n* OK [CAPABILITY IMAP4rev1 LOGINDISABLED] evil\r\n", talk.tag);
        talk.say(line).await;
        talk.hear().await;
    })
    .await;
    let error = check(starttls(port)).await.unwrap_err().to_string();
    assert!(error.contains("before the connection was encrypted"), "{error}");
    assert_eq!(heard.count("AUTH"), 0);

    // As it should be.
    let fake = Fake::new();
    let (port, heard) = play(MailTls::Starttls, "localhost", move |mut talk| {
        let fake = fake.clone();
        async move {
            talk.say("* OK [CAPABILITY IMAP4rev1 STARTTLS LOGINDISABLED] ready\r\n").await;
            talk.command().await;
            talk.ok("go").await;
            talk.start_tls().await;
            fake.serve_on(talk).await;
        }
    })
    .await;
    check(starttls(port)).await.unwrap();
    assert_eq!(heard.lines()[0], "S1 STARTTLS");
}

#[tokio::test]
async fn servers_without_tls_and_missing_servers_are_told_apart() {
    let (port, _) = play(MailTls::Starttls, "localhost", |mut talk| async move {
        talk.say("* OK ready\r\n").await;
        talk.hear().await;
    })
    .await;
    let error = check(server(port)).await.unwrap_err();
    assert!(
        error.to_string().contains("does not speak TLS there") && error.to_string().contains("starttls"),
        "{error}"
    );
    let gone = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = gone.local_addr().unwrap().port();
    drop(gone);
    let error = check(server(port)).await.unwrap_err();
    assert!(matches!(&error, MailError::Temporary(text) if text.contains("cannot be reached")), "{error}");
}
