//! Reading mail: pages, history, and servers that answer with anything at all.

use crate::google::Fault;
use crate::{TestGmail, letter};
use sayso::config::AfterHandling;
use sayso::mail::{Cursor, FetchedMail, MailError, MailPresence, Mailbox};
use std::collections::BTreeSet;

/// Everything from a cursor on, in pages of `limit`, and where it ends.
async fn all(gmail: &TestGmail, mut cursor: Option<Cursor>, limit: usize) -> (Vec<FetchedMail>, Cursor) {
    let mut mails = Vec::new();
    loop {
        let fetched = gmail.mailbox.fetch(cursor.as_ref(), limit).await.unwrap();
        mails.extend(fetched.mails);
        cursor = fetched.cursor;
        if fetched.remaining == 0 {
            return (mails, cursor.unwrap());
        }
    }
}

fn subjects(mails: &[FetchedMail]) -> Vec<String> {
    let subject = |mail: &FetchedMail| sayso::mail::parse(&mail.raw).unwrap().subject;
    mails.iter().map(subject).collect()
}

#[tokio::test]
async fn existing_mail_is_fetched_and_then_what_is_new() {
    let gmail = TestGmail::start();
    let ids: Vec<String> = (0..23).map(|n| gmail.google.deliver(&letter(n))).collect();
    gmail.google.world().put(b"Subject: draft\r\n\r\n", &["DRAFT"], None);
    gmail.google.world().put(b"Subject: archived\r\n\r\n", &[], None);
    let (mails, cursor) = all(&gmail, None, 5).await;
    let expected: Vec<String> = (0..23).map(|n| format!("Letter {n}")).collect();
    assert_eq!(subjects(&mails), expected, "oldest first");
    assert_eq!(mails.iter().map(|mail| mail.place.clone()).collect::<Vec<_>>(), ids);
    assert!(mails.iter().all(|mail| !mail.seen && !mail.answered));

    // Nothing new is nothing.
    assert_eq!(all(&gmail, Some(cursor.clone()), 5).await.0.len(), 0);
    for n in 23..40 {
        gmail.google.deliver(&letter(n));
    }
    gmail.google.world().relabel(&ids[3], &[], &["UNREAD"]);
    // One that was archived comes back; one that is deleted before it is asked for is not missed.
    let archived = gmail.google.world().put(letter(40).as_bytes(), &[], None);
    gmail.google.world().relabel(&archived, &["INBOX"], &[]);
    let gone = gmail.google.deliver(&letter(41));
    gmail.google.world().delete(&gone);
    let away = gmail.google.deliver(&letter(42));
    gmail.google.world().relabel(&away, &["TRASH"], &["INBOX"]);
    let (mails, cursor) = all(&gmail, Some(cursor), 4).await;
    let expected: Vec<String> = (23..41).map(|n| format!("Letter {n}")).collect();
    assert_eq!(subjects(&mails), expected);
    assert_eq!(all(&gmail, Some(cursor), 4).await.0.len(), 0);
    assert!(gmail.google.world().mail(&ids[0]).unwrap().labels.contains("UNREAD"), "reading marks nothing");
}

#[tokio::test]
async fn the_first_fetch_begins_at_the_given_time() {
    let gmail = TestGmail::start();
    let old = gmail.google.deliver(&letter(1));
    gmail.google.world().mails.iter_mut().find(|mail| mail.id == old).unwrap().date = 1_000_000_000_000;
    gmail.google.deliver(&letter(2));
    let yesterday = jiff::Timestamp::now() - jiff::SignedDuration::from_hours(24);
    let cursor = gmail.mailbox.start(yesterday).await.unwrap();
    let (mails, _) = all(&gmail, cursor, 10).await;
    assert_eq!(subjects(&mails), ["Letter 2"]);
}

#[tokio::test]
async fn an_interrupted_listing_goes_on_in_another_process() {
    let gmail = TestGmail::start();
    let ids: Vec<String> = (0..20).map(|n| gmail.google.deliver(&letter(n))).collect();
    let mut cursor = None;
    let mut met: BTreeSet<String> = BTreeSet::new();
    for round in 0.. {
        // Each time as a new process would: nothing is remembered but the cursor.
        let other = TestGmail::reopened(&gmail);
        let fetched = other.fetch(cursor.as_ref(), 3).await.unwrap();
        met.extend(fetched.mails.iter().map(|mail| mail.place.clone()));
        if round == 2 {
            // The very mail that was the last is deleted, and another comes.
            let last = fetched.mails.last().unwrap().place.clone();
            gmail.google.world().delete(&last);
            gmail.google.deliver(&letter(99));
        }
        cursor = fetched.cursor;
        if fetched.remaining == 0 {
            break;
        }
        assert!(round < 100);
    }
    let (news, _) = all(&gmail, cursor, 10).await;
    met.extend(news.into_iter().map(|mail| mail.place));
    assert!(ids.iter().all(|id| met.contains(id)), "{met:?}");
    assert_eq!(met.len(), 21);
}

#[tokio::test]
async fn one_failing_mail_loses_no_other() {
    let gmail = TestGmail::start();
    let (_, cursor) = all(&gmail, None, 10).await;
    let ids: Vec<String> = (0..9).map(|n| gmail.google.deliver(&letter(n))).collect();
    for _ in 0..4 {
        let call = format!("GET /gmail/v1/users/me/messages/{}", ids[4]);
        gmail.google.world().fault(&call, Fault::Reply(500, vec![], "{}".into()));
    }
    let fetched = gmail.mailbox.fetch(Some(&cursor), 50).await.unwrap();
    assert_eq!(subjects(&fetched.mails), ["Letter 0", "Letter 1", "Letter 2", "Letter 3"]);
    assert_eq!(fetched.remaining, 5);
    let (rest, _) = all(&gmail, fetched.cursor, 50).await;
    assert_eq!(subjects(&rest), ["Letter 4", "Letter 5", "Letter 6", "Letter 7", "Letter 8"]);
}

#[tokio::test]
async fn a_list_ends_with_its_last_page_and_nowhere_else() {
    let gmail = TestGmail::start();
    for n in 0..5 {
        gmail.google.deliver(&letter(n));
    }
    let page = |token: &str| Fault::Reply(200, vec![], format!(r#"{{"nextPageToken": "{token}"}}"#));
    let list = "GET /gmail/v1/users/me/messages?";
    // A page may be empty without being the last.
    gmail.google.world().fault(list, page("0"));
    let (mails, _) = all(&gmail, None, 10).await;
    assert_eq!(mails.len(), 5);
    for _ in 0..2 {
        gmail.google.world().fault(list, page("again"));
    }
    let error = gmail.mailbox.fetch(None, 10).await.unwrap_err();
    assert!(matches!(error, MailError::Temporary(_)), "{error:?}");
    assert!(error.to_string().contains("a list that does not end"), "{error}");
}

#[tokio::test]
async fn malformed_replies_are_errors_and_lose_nothing() {
    let gmail = TestGmail::start();
    let (_, cursor) = all(&gmail, None, 10).await;
    gmail.google.deliver(&letter(1));
    let odd = [
        ("GET /gmail/v1/users/me/history", r#"{"historyId": []}"#),
        ("GET /gmail/v1/users/me/history", r#"{"history": 7, "historyId": "1"}"#),
        ("GET /gmail/v1/users/me/history", "canary <html>"),
        (
            "GET /gmail/v1/users/me/history",
            r#"{"historyId": "9", "history": [{"id": "2", "messagesAdded": [{"message": {"id": "../../x"}}]}]}"#,
        ),
    ];
    for (call, body) in odd {
        gmail.google.world().fault(call, Fault::Reply(200, vec![], body.to_owned()));
        let error = gmail.mailbox.fetch(Some(&cursor), 10).await.unwrap_err().to_string();
        assert!(error.contains("answers with"), "{body}: {error}");
        TestGmail::assert_no_canary(&error);
    }
    gmail.google.world().fault("GET /gmail/v1/users/me/history", Fault::Endless);
    let error = gmail.mailbox.fetch(Some(&cursor), 10).await.unwrap_err().to_string();
    assert!(error.contains("more than was asked for"), "{error}");
    let (mails, _) = all(&gmail, Some(cursor), 10).await;
    assert_eq!(subjects(&mails), ["Letter 1"], "nothing was lost meanwhile");
}

#[tokio::test]
async fn a_mail_with_a_malformed_reply_is_not_lost_and_blocks_no_other() {
    let odd = [
        (200, r#"{"id": "a", "raw": 7}"#),
        (200, r#"{"id": "a", "raw": "%%%"}"#),
        (200, r#"{"id": "a"}"#),
        (200, "[]"),
        (200, "canary <html>"),
        (400, "{}"),
    ];
    for (status, body) in odd {
        let gmail = TestGmail::start();
        let (_, cursor) = all(&gmail, None, 10).await;
        let ids: Vec<String> = (0..4).map(|n| gmail.google.deliver(&letter(n))).collect();
        let fault = || {
            let call = format!("GET /gmail/v1/users/me/messages/{}", ids[0]);
            gmail.google.world().fault(&call, Fault::Reply(status, vec![], body.to_owned()));
        };
        fault();
        let fetched = gmail.mailbox.fetch(Some(&cursor), 50).await.unwrap();
        assert_eq!(subjects(&fetched.mails), ["Letter 1", "Letter 2", "Letter 3"], "{body}");
        let missed = fetched.missed.unwrap();
        assert!(missed.contains("asked for again"), "{body}: {missed}");
        TestGmail::assert_no_canary(&missed);
        // It still makes none, for another process too, and mail goes on coming.
        fault();
        gmail.google.deliver(&letter(4));
        let fetched = gmail.reopened().fetch(fetched.cursor.as_ref(), 50).await.unwrap();
        assert_eq!((subjects(&fetched.mails), fetched.missed.is_some()), (vec!["Letter 4".to_owned()], true));
        let fetched = gmail.reopened().fetch(fetched.cursor.as_ref(), 50).await.unwrap();
        assert_eq!((subjects(&fetched.mails), fetched.missed), (vec!["Letter 0".to_owned()], None));
        assert_eq!(all(&gmail, fetched.cursor, 50).await.0.len(), 0, "{body}: each came once");
    }
}

#[tokio::test]
async fn a_malformed_mail_is_retried_and_many_are_an_error() {
    let gmail = TestGmail::start();
    let ids: Vec<String> = (0..9).map(|n| gmail.google.deliver(&letter(n))).collect();
    let call = format!("GET /gmail/v1/users/me/messages/{}", ids[2]);
    gmail.google.world().fault(&call, Fault::Reply(200, vec![], "[]".to_owned()));
    let (mails, cursor) = all(&gmail, None, 4).await;
    assert_eq!(mails.len(), 8, "a malformed mail blocks no other");
    let (mails, cursor) = all(&gmail, Some(cursor), 4).await;
    assert_eq!(subjects(&mails), ["Letter 2"]);
    // Every reply is malformed, so nothing is skipped.
    for n in 10..70 {
        gmail.google.deliver(&letter(n));
        gmail.google.world().fault("format=raw", Fault::Reply(200, vec![], "<html>".to_owned()));
    }
    let error = gmail.mailbox.fetch(Some(&cursor), 200).await.unwrap_err().to_string();
    assert!(error.contains("make no sense"), "{error}");
    assert_eq!(all(&gmail, Some(cursor), 200).await.0.len(), 60);
}

#[tokio::test]
async fn known_people_are_read_from_a_few_fields() {
    let gmail = TestGmail::start();
    for n in 0..12 {
        let raw = format!(
            "From: ada@gmail.example\r\nTo: \"Doe, {n}\" <Doe{n}@example.com>\r\nCc: team@example.com\r\n\r\nx\r\n"
        );
        gmail.google.world().put(raw.as_bytes(), &["SENT"], None);
    }
    gmail.google.deliver(&letter(1));
    let call = format!("GET /gmail/v1/users/me/messages/{}", gmail.google.world().mails[3].id);
    gmail.google.world().fault(&call, Fault::Reply(200, vec![], "[]".to_owned()));
    let future = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(48);
    let people = gmail.mailbox.people(future).await.unwrap();
    let known = |address: &str| people.wrote_to.iter().any(|known| known == address);
    assert!(
        known("doe0@example.com") && known("doe11@example.com") && known("team@example.com"),
        "{people:?}"
    );
    assert_eq!(people.wrote_to.len(), 12, "one tells nothing, for its reply makes no sense: {people:?}");
    assert_eq!(people.heard_from, ["bob@example.com"]);
    let people = gmail.mailbox.people(jiff::Timestamp::UNIX_EPOCH).await.unwrap();
    assert_eq!(
        (people.wrote_to.len(), people.heard_from.len()),
        (13, 0),
        "what is yet to be read is no contact"
    );
    assert_eq!(gmail.google.world().count("format=raw"), 0, "no mail is read for it");
}

#[tokio::test]
async fn newest_says_when_the_nth_newest_mail_came() {
    let gmail = TestGmail::start();
    assert_eq!(gmail.mailbox.newest(5).await.unwrap(), None);
    let ids: Vec<String> = (0..12).map(|n| gmail.google.deliver(&letter(n))).collect();
    for (count, oldest) in [(1, 11), (5, 7), (12, 0), (100, 0)] {
        let came = gmail.mailbox.newest(count).await.unwrap().unwrap();
        let date = gmail.google.world().mail(&ids[oldest]).unwrap().date;
        assert_eq!(came.as_millisecond(), date, "{count}");
    }
}

#[tokio::test]
async fn a_mail_that_is_too_large_is_unreadable() {
    let gmail = TestGmail::start();
    let mut raw = letter(1).into_bytes();
    raw.resize((64 << 20) + 500_000, b'x');
    let large = gmail.google.world().put(&raw, &["INBOX"], None);
    let mut raw = letter(2).into_bytes();
    raw.resize(12 << 20, b'x');
    let fair = gmail.google.world().put(&raw, &["INBOX"], None);
    let (mails, _) = all(&gmail, None, 10).await;
    assert_eq!(mails.iter().map(|mail| mail.place.as_str()).collect::<Vec<_>>(), [large, fair]);
    let error = sayso::mail::parse(&mails[0].raw).unwrap_err().to_string();
    assert!(error.contains("reads mails of up to 64 MB"), "{error}");
    assert_eq!(mails[1].raw.len(), 12 << 20);
}

#[tokio::test]
async fn labels_are_read_by_name() {
    let gmail = TestGmail::with(AfterHandling::Seen, &["work", "INBOX"]);
    let a = gmail.google.world().put(letter(1).as_bytes(), &["Label_1"], None);
    let b = gmail.google.deliver(&letter(2));
    let (mails, cursor) = all(&gmail, None, 10).await;
    assert_eq!(mails.iter().map(|mail| mail.place.as_str()).collect::<Vec<_>>(), [&a, &b]);
    let c = gmail.google.world().put(letter(3).as_bytes(), &["Label_1"], None);
    let (mails, _) = all(&gmail, Some(cursor), 10).await;
    assert_eq!(mails.iter().map(|mail| mail.place.as_str()).collect::<Vec<_>>(), [&c]);
    let gmail = TestGmail::with(AfterHandling::Seen, &["Nowhere"]);
    let error = gmail.mailbox.fetch(None, 10).await.unwrap_err().to_string();
    assert!(error.contains("no label Nowhere; there are INBOX, Work"), "{error}");
}

#[tokio::test]
async fn presence_is_asked_again_only_after_a_change() {
    let gmail = TestGmail::start();
    let places: Vec<String> = (0..4).map(|n| gmail.google.deliver(&letter(n))).collect();
    gmail.google.world().relabel(&places[1], &[], &["UNREAD"]);
    gmail.google.world().relabel(&places[2], &[], &["INBOX"]);
    gmail.google.world().delete(&places[3]);
    let odd: Vec<String> = places.iter().cloned().chain(["../x".to_owned()]).collect();
    let present = |seen| MailPresence::There { seen, answered: false };
    let expected =
        [present(false), present(true), MailPresence::Gone, MailPresence::Gone, MailPresence::Gone];
    assert_eq!(gmail.mailbox.presence(&odd).await.unwrap(), expected);
    let asked = gmail.google.world().count("format=minimal");
    assert_eq!(gmail.mailbox.presence(&odd).await.unwrap(), expected);
    assert_eq!(gmail.google.world().count("format=minimal"), asked, "nothing has happened");
    gmail.google.world().relabel(&places[0], &["TRASH"], &["INBOX"]);
    assert_eq!(gmail.mailbox.presence(&odd).await.unwrap()[0], MailPresence::Gone);
}

#[tokio::test]
async fn the_persons_own_answer_is_seen() {
    let gmail = TestGmail::start();
    let asked = gmail.google.deliver(&letter(1));
    let other = gmail.google.deliver(&letter(2));
    let thread = gmail.google.world().mail(&asked).unwrap().thread.clone();
    gmail.mailbox.presence(&[asked, other]).await.unwrap();
    assert!(!gmail.mailbox.answered_elsewhere(&["letter-1@example.com".to_owned()]).await.unwrap()[0]);
    let calls = gmail.google.world().requests.len();
    assert!(!gmail.mailbox.answered_elsewhere(&["letter-1@example.com".to_owned()]).await.unwrap()[0]);
    assert_eq!(gmail.google.world().requests.len(), calls, "nothing has happened since");
    // A draft is no answer, and neither is one to another mail.
    let reply = |to: &str| format!("From: ada@gmail.example\r\nIn-Reply-To: <{to}>\r\n\r\nYes.\r\n");
    gmail.google.world().put(
        reply("letter-1@example.com").as_bytes(),
        &["DRAFT", "SENT"],
        Some(thread.clone()),
    );
    gmail.google.world().put(reply("letter-2@example.com").as_bytes(), &["SENT"], Some(thread.clone()));
    gmail.mailbox.presence(&[]).await.unwrap();
    assert!(!gmail.mailbox.answered_elsewhere(&["letter-1@example.com".to_owned()]).await.unwrap()[0]);
    gmail.google.world().put(reply("letter-1@example.com").as_bytes(), &["SENT"], Some(thread));
    gmail.mailbox.presence(&[]).await.unwrap();
    assert!(gmail.mailbox.answered_elsewhere(&["letter-1@example.com".to_owned()]).await.unwrap()[0]);
    assert!(!gmail.mailbox.answered_elsewhere(&["letter-2@example.com".to_owned()]).await.unwrap()[0]);
    assert!(!gmail.mailbox.answered_elsewhere(&["no such@id".to_owned()]).await.unwrap()[0]);
}
