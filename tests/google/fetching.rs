//! Reading mail: pages, history, and servers that answer with anything at all.

use crate::fake::Fault;
use crate::{Desk, letter};
use sayso::config::AfterHandling;
use sayso::mail::{Cursor, MailPresence, Mailbox, NewMail};
use std::collections::BTreeSet;

/// Everything from a cursor on, in pages of `limit`, and where it ends.
async fn all(desk: &Desk, mut cursor: Option<Cursor>, limit: usize) -> (Vec<NewMail>, Cursor) {
    let mut mails = Vec::new();
    loop {
        let fetched = desk.mailbox.fetch(cursor.as_ref(), limit).await.unwrap();
        mails.extend(fetched.mails);
        cursor = fetched.cursor;
        if fetched.left == 0 {
            return (mails, cursor.unwrap());
        }
    }
}

fn subjects(mails: &[NewMail]) -> Vec<String> {
    let subject = |mail: &NewMail| sayso::mail::parse(&mail.raw).unwrap().subject;
    mails.iter().map(subject).collect()
}

#[tokio::test]
async fn everything_that_is_there_and_then_what_comes() {
    let desk = Desk::usual();
    let ids: Vec<String> = (0..23).map(|n| desk.google.deliver(&letter(n))).collect();
    desk.google.world().put(b"Subject: draft\r\n\r\n", &["DRAFT"], None);
    desk.google.world().put(b"Subject: archived\r\n\r\n", &[], None);
    let (mails, cursor) = all(&desk, None, 5).await;
    let expected: Vec<String> = (0..23).map(|n| format!("Letter {n}")).collect();
    assert_eq!(subjects(&mails), expected, "oldest first");
    assert_eq!(mails.iter().map(|mail| mail.place.clone()).collect::<Vec<_>>(), ids);
    assert!(mails.iter().all(|mail| !mail.seen && !mail.answered));

    // Nothing new is nothing.
    assert_eq!(all(&desk, Some(cursor.clone()), 5).await.0.len(), 0);
    for n in 23..40 {
        desk.google.deliver(&letter(n));
    }
    desk.google.world().relabel(&ids[3], &[], &["UNREAD"]);
    // One that was archived comes back; one that is deleted before it is asked for is not missed.
    let archived = desk.google.world().put(letter(40).as_bytes(), &[], None);
    desk.google.world().relabel(&archived, &["INBOX"], &[]);
    let gone = desk.google.deliver(&letter(41));
    desk.google.world().delete(&gone);
    let away = desk.google.deliver(&letter(42));
    desk.google.world().relabel(&away, &["TRASH"], &["INBOX"]);
    let (mails, cursor) = all(&desk, Some(cursor), 4).await;
    let expected: Vec<String> = (23..41).map(|n| format!("Letter {n}")).collect();
    assert_eq!(subjects(&mails), expected);
    assert_eq!(all(&desk, Some(cursor), 4).await.0.len(), 0);
    assert!(desk.google.world().mail(&ids[0]).unwrap().labels.contains("UNREAD"), "reading marks nothing");
}

#[tokio::test]
async fn a_first_look_begins_where_it_is_told_to() {
    let desk = Desk::usual();
    let old = desk.google.deliver(&letter(1));
    desk.google.world().mails.iter_mut().find(|mail| mail.id == old).unwrap().date = 1_000_000_000_000;
    desk.google.deliver(&letter(2));
    let yesterday = jiff::Timestamp::now() - jiff::SignedDuration::from_hours(24);
    let cursor = desk.mailbox.start(yesterday).await.unwrap();
    let (mails, _) = all(&desk, cursor, 10).await;
    assert_eq!(subjects(&mails), ["Letter 2"]);
}

#[tokio::test]
async fn a_listing_that_was_interrupted_goes_on_also_in_another_process() {
    let desk = Desk::usual();
    let ids: Vec<String> = (0..20).map(|n| desk.google.deliver(&letter(n))).collect();
    let mut cursor = None;
    let mut met: BTreeSet<String> = BTreeSet::new();
    for round in 0.. {
        // Each time as a new process would: nothing is remembered but the cursor.
        let other = Desk::reopened(&desk);
        let fetched = other.fetch(cursor.as_ref(), 3).await.unwrap();
        met.extend(fetched.mails.iter().map(|mail| mail.place.clone()));
        if round == 2 {
            // The very mail that was the last is deleted, and another comes.
            let last = fetched.mails.last().unwrap().place.clone();
            desk.google.world().delete(&last);
            desk.google.deliver(&letter(99));
        }
        cursor = fetched.cursor;
        if fetched.left == 0 {
            break;
        }
        assert!(round < 100);
    }
    let (news, _) = all(&desk, cursor, 10).await;
    met.extend(news.into_iter().map(|mail| mail.place));
    assert!(ids.iter().all(|id| met.contains(id)), "{met:?}");
    assert_eq!(met.len(), 21);
}

#[tokio::test]
async fn one_mail_that_fails_leaves_those_before_it_and_loses_none_after_it() {
    let desk = Desk::usual();
    let (_, cursor) = all(&desk, None, 10).await;
    let ids: Vec<String> = (0..9).map(|n| desk.google.deliver(&letter(n))).collect();
    for _ in 0..4 {
        let call = format!("GET /gmail/v1/users/me/messages/{}", ids[4]);
        desk.google.world().fault(&call, Fault::Says(500, vec![], "{}".into()));
    }
    let fetched = desk.mailbox.fetch(Some(&cursor), 50).await.unwrap();
    assert_eq!(subjects(&fetched.mails), ["Letter 0", "Letter 1", "Letter 2", "Letter 3"]);
    assert_eq!(fetched.left, 5);
    let (rest, _) = all(&desk, fetched.cursor, 50).await;
    assert_eq!(subjects(&rest), ["Letter 4", "Letter 5", "Letter 6", "Letter 7", "Letter 8"]);
}

#[tokio::test]
async fn answers_that_are_none_are_errors_and_harm_nothing() {
    let desk = Desk::usual();
    let (_, cursor) = all(&desk, None, 10).await;
    desk.google.deliver(&letter(1));
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
        desk.google.world().fault(call, Fault::Says(200, vec![], body.to_owned()));
        let error = desk.mailbox.fetch(Some(&cursor), 10).await.unwrap_err().to_string();
        assert!(error.contains("answers with"), "{body}: {error}");
        Desk::no_canary(&error);
    }
    desk.google.world().fault("GET /gmail/v1/users/me/history", Fault::Endless);
    let error = desk.mailbox.fetch(Some(&cursor), 10).await.unwrap_err().to_string();
    assert!(error.contains("more than was asked for"), "{error}");
    let (mails, _) = all(&desk, Some(cursor), 10).await;
    assert_eq!(subjects(&mails), ["Letter 1"], "nothing was lost meanwhile");
}

#[tokio::test]
async fn a_mail_whose_reply_makes_no_sense_holds_up_no_other_and_is_not_lost() {
    let odd = [
        (200, r#"{"id": "a", "raw": 7}"#),
        (200, r#"{"id": "a", "raw": "%%%"}"#),
        (200, r#"{"id": "a"}"#),
        (200, "[]"),
        (200, "canary <html>"),
        (400, "{}"),
    ];
    for (status, body) in odd {
        let desk = Desk::usual();
        let (_, cursor) = all(&desk, None, 10).await;
        let ids: Vec<String> = (0..4).map(|n| desk.google.deliver(&letter(n))).collect();
        let fault = || {
            let call = format!("GET /gmail/v1/users/me/messages/{}", ids[0]);
            desk.google.world().fault(&call, Fault::Says(status, vec![], body.to_owned()));
        };
        fault();
        let fetched = desk.mailbox.fetch(Some(&cursor), 50).await.unwrap();
        assert_eq!(subjects(&fetched.mails), ["Letter 1", "Letter 2", "Letter 3"], "{body}");
        let said = fetched.missed.unwrap();
        assert!(said.contains("asked for again"), "{body}: {said}");
        Desk::no_canary(&said);
        // It still makes none, for another process too, and mail goes on coming.
        fault();
        desk.google.deliver(&letter(4));
        let fetched = desk.reopened().fetch(fetched.cursor.as_ref(), 50).await.unwrap();
        assert_eq!((subjects(&fetched.mails), fetched.missed.is_some()), (vec!["Letter 4".to_owned()], true));
        let fetched = desk.reopened().fetch(fetched.cursor.as_ref(), 50).await.unwrap();
        assert_eq!((subjects(&fetched.mails), fetched.missed), (vec!["Letter 0".to_owned()], None));
        assert_eq!(all(&desk, fetched.cursor, 50).await.0.len(), 0, "{body}: each came once");
    }
}

#[tokio::test]
async fn a_listing_passes_over_what_makes_no_sense_and_a_server_without_any_is_an_error() {
    let desk = Desk::usual();
    let ids: Vec<String> = (0..9).map(|n| desk.google.deliver(&letter(n))).collect();
    let call = format!("GET /gmail/v1/users/me/messages/{}", ids[2]);
    desk.google.world().fault(&call, Fault::Says(200, vec![], "[]".to_owned()));
    let (mails, cursor) = all(&desk, None, 4).await;
    assert_eq!(mails.len(), 8, "what makes no sense is not in the way");
    let (mails, cursor) = all(&desk, Some(cursor), 4).await;
    assert_eq!(subjects(&mails), ["Letter 2"]);
    // Not a mail but the server makes no sense: nothing is passed over.
    for n in 10..70 {
        desk.google.deliver(&letter(n));
        desk.google.world().fault("format=raw", Fault::Says(200, vec![], "<html>".to_owned()));
    }
    let error = desk.mailbox.fetch(Some(&cursor), 200).await.unwrap_err().to_string();
    assert!(error.contains("make no sense"), "{error}");
    assert_eq!(all(&desk, Some(cursor), 200).await.0.len(), 60);
}

#[tokio::test]
async fn whom_the_person_knows_is_read_from_a_few_fields() {
    let desk = Desk::usual();
    for n in 0..12 {
        let raw = format!(
            "From: ada@gmail.example\r\nTo: \"Doe, {n}\" <Doe{n}@example.com>\r\nCc: team@example.com\r\n\r\nx\r\n"
        );
        desk.google.world().put(raw.as_bytes(), &["SENT"], None);
    }
    desk.google.deliver(&letter(1));
    let call = format!("GET /gmail/v1/users/me/messages/{}", desk.google.world().mails[3].id);
    desk.google.world().fault(&call, Fault::Says(200, vec![], "[]".to_owned()));
    let future = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(48);
    let people = desk.mailbox.people(future).await.unwrap();
    let known = |address: &str| people.wrote_to.iter().any(|known| known == address);
    assert!(
        known("doe0@example.com") && known("doe11@example.com") && known("team@example.com"),
        "{people:?}"
    );
    assert_eq!(people.wrote_to.len(), 12, "one tells nothing, for its reply makes no sense: {people:?}");
    assert_eq!(people.heard_from, ["bob@example.com"]);
    let people = desk.mailbox.people(jiff::Timestamp::UNIX_EPOCH).await.unwrap();
    assert_eq!(
        (people.wrote_to.len(), people.heard_from.len()),
        (13, 0),
        "what is yet to be read is no contact"
    );
    assert_eq!(desk.google.world().count("format=raw"), 0, "no mail is read for it");
}

#[tokio::test]
async fn when_the_newest_came() {
    let desk = Desk::usual();
    assert_eq!(desk.mailbox.newest(5).await.unwrap(), None);
    let ids: Vec<String> = (0..12).map(|n| desk.google.deliver(&letter(n))).collect();
    for (count, oldest) in [(1, 11), (5, 7), (12, 0), (100, 0)] {
        let came = desk.mailbox.newest(count).await.unwrap().unwrap();
        let date = desk.google.world().mail(&ids[oldest]).unwrap().date;
        assert_eq!(came.as_millisecond(), date, "{count}");
    }
}

#[tokio::test]
async fn a_mail_that_is_too_large_is_one_that_cannot_be_read() {
    let desk = Desk::usual();
    let mut raw = letter(1).into_bytes();
    raw.resize((64 << 20) + 500_000, b'x');
    let large = desk.google.world().put(&raw, &["INBOX"], None);
    let mut raw = letter(2).into_bytes();
    raw.resize(12 << 20, b'x');
    let fair = desk.google.world().put(&raw, &["INBOX"], None);
    let (mails, _) = all(&desk, None, 10).await;
    assert_eq!(mails.iter().map(|mail| mail.place.as_str()).collect::<Vec<_>>(), [large, fair]);
    let error = sayso::mail::parse(&mails[0].raw).unwrap_err().to_string();
    assert!(error.contains("reads mails of up to 64 MB"), "{error}");
    assert_eq!(mails[1].raw.len(), 12 << 20);
}

#[tokio::test]
async fn labels_are_read_by_name() {
    let desk = Desk::with(AfterHandling::Seen, &["work", "INBOX"]);
    let a = desk.google.world().put(letter(1).as_bytes(), &["Label_1"], None);
    let b = desk.google.deliver(&letter(2));
    let (mails, cursor) = all(&desk, None, 10).await;
    assert_eq!(mails.iter().map(|mail| mail.place.as_str()).collect::<Vec<_>>(), [&a, &b]);
    let c = desk.google.world().put(letter(3).as_bytes(), &["Label_1"], None);
    let (mails, _) = all(&desk, Some(cursor), 10).await;
    assert_eq!(mails.iter().map(|mail| mail.place.as_str()).collect::<Vec<_>>(), [&c]);
    let desk = Desk::with(AfterHandling::Seen, &["Nowhere"]);
    let error = desk.mailbox.fetch(None, 10).await.unwrap_err().to_string();
    assert!(error.contains("no label Nowhere; there are INBOX, Work"), "{error}");
}

#[tokio::test]
async fn how_mails_stand_is_asked_again_only_when_something_happened() {
    let desk = Desk::usual();
    let places: Vec<String> = (0..4).map(|n| desk.google.deliver(&letter(n))).collect();
    desk.google.world().relabel(&places[1], &[], &["UNREAD"]);
    desk.google.world().relabel(&places[2], &[], &["INBOX"]);
    desk.google.world().delete(&places[3]);
    let odd: Vec<String> = places.iter().cloned().chain(["../x".to_owned()]).collect();
    let there = |seen| MailPresence::There { seen, answered: false };
    let expected = [there(false), there(true), MailPresence::Gone, MailPresence::Gone, MailPresence::Gone];
    assert_eq!(desk.mailbox.standing(&odd).await.unwrap(), expected);
    let asked = desk.google.world().count("format=minimal");
    assert_eq!(desk.mailbox.standing(&odd).await.unwrap(), expected);
    assert_eq!(desk.google.world().count("format=minimal"), asked, "nothing has happened");
    desk.google.world().relabel(&places[0], &["TRASH"], &["INBOX"]);
    assert_eq!(desk.mailbox.standing(&odd).await.unwrap()[0], MailPresence::Gone);
}

#[tokio::test]
async fn the_persons_own_answer_is_seen() {
    let desk = Desk::usual();
    let asked = desk.google.deliver(&letter(1));
    let other = desk.google.deliver(&letter(2));
    let thread = desk.google.world().mail(&asked).unwrap().thread.clone();
    desk.mailbox.standing(&[asked, other]).await.unwrap();
    assert!(!desk.mailbox.answered_elsewhere("letter-1@example.com").await.unwrap());
    let calls = desk.google.world().asked.len();
    assert!(!desk.mailbox.answered_elsewhere("letter-1@example.com").await.unwrap());
    assert_eq!(desk.google.world().asked.len(), calls, "nothing has happened since");
    // A draft is no answer, and neither is one to another mail.
    let reply = |to: &str| format!("From: ada@gmail.example\r\nIn-Reply-To: <{to}>\r\n\r\nYes.\r\n");
    desk.google.world().put(
        reply("letter-1@example.com").as_bytes(),
        &["DRAFT", "SENT"],
        Some(thread.clone()),
    );
    desk.google.world().put(reply("letter-2@example.com").as_bytes(), &["SENT"], Some(thread.clone()));
    desk.mailbox.standing(&[]).await.unwrap();
    assert!(!desk.mailbox.answered_elsewhere("letter-1@example.com").await.unwrap());
    desk.google.world().put(reply("letter-1@example.com").as_bytes(), &["SENT"], Some(thread));
    desk.mailbox.standing(&[]).await.unwrap();
    assert!(desk.mailbox.answered_elsewhere("letter-1@example.com").await.unwrap());
    assert!(!desk.mailbox.answered_elsewhere("letter-2@example.com").await.unwrap());
    assert!(!desk.mailbox.answered_elsewhere("no such@id").await.unwrap());
}
