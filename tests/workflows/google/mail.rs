//! Gmail by IMAP and SMTP with tokens of Google's: the right turn, and every wrong one.

use super::assert_no_canary;
use crate::support::gmail::{ALL, Gmail, SENT};
use crate::support::google::{Fault, Google};
use crate::support::mail_script::patience;
use sayso::config::FiledBy;
use sayso::mail::imap::Imap;
use sayso::mail::smtp::Smtp;
use sayso::mail::{Copies, Destination, MailError, Mailbox, Outgoing, SendError};
use sayso::tools::web::oauth::Tokens;

const REPLY: &str =
    "Message-ID: <reply@sayso>\nFrom: ada@gmail.example\nTo: bob@example.com\nSubject: Yes\n\nYes.\n";

struct Account {
    google: Google,
    gmail: Gmail,
    login: sayso::config::Google,
    _folder: tempfile::TempDir,
}

impl Account {
    fn new() -> Self {
        let (google, folder) = (Google::start(), tempfile::tempdir().unwrap());
        let login = google.login(folder.path());
        Self { gmail: Gmail::start(&google), google, login, _folder: folder }
    }

    fn mailbox(&self) -> Imap {
        Imap::with_timeouts(&self.gmail.account(&self.login), patience()).unwrap()
    }

    fn outgoing(&self) -> Smtp {
        let copies = Copies::Server(self.mailbox(), FiledBy::Auto);
        Smtp::new(self.gmail.smtp_server(&self.login), copies)
    }

    /// How often the servers were asked to take a token.
    fn tries(&self) -> (usize, usize) {
        (self.gmail.imap.1.count("AUTHENTICATE XOAUTH2"), self.gmail.smtp.1.count("AUTH XOAUTH2"))
    }
}

#[tokio::test]
async fn one_token_opens_both_servers() {
    let account = Account::new();
    account.mailbox().check().await.unwrap();
    account.outgoing().check().await.unwrap();
    assert_eq!(account.google.world().refreshes, 0);
    // Once for the mailbox, once for the sender, and once for Sent.
    assert_eq!(account.tries(), (2, 1));
}

#[tokio::test]
async fn an_expired_token_is_renewed_before_it_is_shown() {
    let account = Account::new();
    let mut tokens = Tokens::load(&account.login).unwrap();
    tokens.expires_at = jiff::Timestamp::UNIX_EPOCH;
    tokens.save(&account.login).unwrap();
    account.google.world().access.clear();
    let (mailbox, outgoing) = (account.mailbox(), account.outgoing());
    let (read, sent) = tokio::join!(mailbox.check(), outgoing.check());
    read.unwrap();
    sent.unwrap();
    assert_eq!((account.google.world().refreshes, account.tries()), (1, (2, 1)));
}

#[tokio::test]
async fn a_refused_token_is_renewed_once_and_then_the_person_is_asked() {
    let account = Account::new();
    account.google.world().access.clear();
    account.mailbox().check().await.unwrap();
    assert_eq!((account.google.world().refreshes, account.tries()), (1, (2, 0)));

    // The servers take no token at all: it is somebody else's.
    account.gmail.mailbox.state().tokens = Some(Box::new(|_| false));
    let MailError::Login(text) = account.mailbox().check().await.unwrap_err() else { panic!() };
    let expected =
        "refused the login of ada@gmail.example; run `sayso auth google --account home` as ada@gmail.example";
    assert!(text.contains(expected), "{text}");
    assert_no_canary(&text);
    assert_eq!((account.google.world().refreshes, account.tries()), (2, (4, 0)));
    let error = account.outgoing().send(REPLY.as_bytes()).await.unwrap_err();
    assert!(matches!(&error, SendError::NotSent(text) if text.contains(expected)), "{error:?}");
    assert!(matches!(account.outgoing().check().await, Err(MailError::Login(_))));
    assert_eq!(account.tries(), (4, 4));
    assert!(account.gmail.sent().is_empty());
}

#[tokio::test]
async fn a_login_that_is_over_or_allows_too_little_asks_for_another() {
    for is_old in [false, true] {
        let account = Account::new();
        let mut tokens = Tokens::load(&account.login).unwrap();
        if is_old {
            tokens.scopes = vec!["https://www.googleapis.com/auth/gmail.modify".to_owned()];
        } else {
            account.google.world().refresh = "another".to_owned();
            tokens.expires_at = jiff::Timestamp::UNIX_EPOCH;
        }
        tokens.save(&account.login).unwrap();
        let (mailbox, outgoing) = (account.mailbox(), account.outgoing());
        for _ in 0..3 {
            let MailError::Login(text) = mailbox.check().await.unwrap_err() else { panic!() };
            assert!(text.contains("run `sayso auth google --account home`"), "{text}");
            assert_no_canary(&text);
            assert!(matches!(outgoing.send(REPLY.as_bytes()).await, Err(SendError::NotSent(_))));
        }
        // Each of them asks Google once.
        assert_eq!(account.google.world().refreshes, if is_old { 0 } else { 2 });
        assert_eq!(account.tries(), (0, 0), "no server is shown anything");
    }
}

#[tokio::test]
async fn a_token_server_that_fails_is_tried_again_another_time() {
    let account = Account::new();
    account.google.world().access.clear();
    let mailbox = account.mailbox();
    for fault in [Fault::Cut, Fault::Reply(503, vec![], String::new())] {
        account.google.world().fault("POST /token", fault);
        assert!(matches!(mailbox.check().await, Err(MailError::Temporary(_))));
    }
    mailbox.check().await.unwrap();
}

#[tokio::test]
async fn mail_is_archived_by_taking_it_out_of_the_inbox() {
    let account = Account::new();
    account.gmail.deliver("Message-ID: <1@x>\nFrom: bob@example.com\nSubject: Hi\n\nHello\n");
    let mailbox = account.mailbox();
    let place = mailbox.fetch(None, 1).await.unwrap().mails[0].place.clone();
    let count = |folder: &str| account.gmail.mailbox.letters(folder).len();
    let undo = mailbox.put_away(&place, &Destination::Archive).await.unwrap();
    assert_eq!(mailbox.put_away(&place, &Destination::Archive).await.unwrap(), undo);
    // A label of that name is not the archive.
    assert_eq!((count("INBOX"), count(ALL), count("Archive")), (0, 1, 0));
    mailbox.put_back(&undo).await.unwrap();
    assert_eq!((count("INBOX"), count(ALL)), (1, 1));
}

#[tokio::test]
async fn what_is_sent_is_filed_by_gmail_alone() {
    let account = Account::new();
    let sent = account.outgoing().send(REPLY.as_bytes()).await.unwrap();
    assert_eq!(sent.place.as_deref(), Some("Sent"));
    assert_eq!(account.gmail.mailbox.letters(SENT).len(), 1);
    assert_eq!(account.gmail.imap.1.count("APPEND"), 0);
}
