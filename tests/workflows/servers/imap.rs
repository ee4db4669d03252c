//! IMAP when everything works.

use crate::support::mail_script::CANARY;
use crate::support::mail_server::{Fake, first_place, letter};
use sayso::config::{AfterHandling, MailSource};
use sayso::mail::{Cursor, Destination, Fetched, Handled, MailError, MailPresence, Mailbox};

fn subjects(fetched: &Fetched) -> Vec<String> {
    let subject = |raw: &[u8]| {
        let text = String::from_utf8(raw.to_vec()).unwrap();
        text.lines().find_map(|line| line.strip_prefix("Subject: ").map(str::to_owned)).unwrap()
    };
    fetched.mails.iter().map(|mail| subject(&mail.raw)).collect()
}

/// Everything there is, page by page.
pub async fn all(mailbox: &dyn Mailbox, since: Option<Cursor>, page: usize) -> (Vec<String>, Option<Cursor>) {
    let (mut found, mut cursor) = (Vec::new(), since);
    loop {
        let fetched = mailbox.fetch(cursor.as_ref(), page).await.unwrap();
        found.extend(subjects(&fetched));
        cursor = fetched.cursor;
        if fetched.remaining == 0 {
            return (found, cursor);
        }
    }
}

#[tokio::test]
async fn mail_is_fetched_once_in_pages_and_nothing_is_marked() {
    let fake = Fake::new();
    for n in 1..=7 {
        fake.put("INBOX", &letter(n), if n == 2 { &["\\Seen", "\\Answered"] } else { &[] });
    }
    fake.put("INBOX", &letter(8), &["\\Deleted"]);
    fake.put("INBOX", &letter(9), &["\\Draft"]);
    let (imap, heard) = fake.open().await;
    let first = imap.fetch(None, 3).await.unwrap();
    assert_eq!((subjects(&first), first.remaining), (vec!["1".to_owned(), "2".into(), "3".into()], 4));
    assert_eq!((first.mails[1].seen, first.mails[1].answered, first.mails[0].seen), (true, true, false));
    assert_eq!(first.mails[0].arrived, "2026-11-17T08:00:00Z".parse().unwrap());
    let (found, cursor) = all(&imap, first.cursor, 3).await;
    assert_eq!(found, ["4", "5", "6", "7"]);
    let (found, cursor) = all(&imap, cursor, 3).await;
    assert_eq!(found, [""; 0]);
    fake.put("INBOX", &letter(10), &[]);
    assert_eq!(all(&imap, cursor, 3).await.0, ["10"]);
    assert!(
        fake.letters("INBOX")
            .iter()
            .all(|letter| letter.uid == 2 || !letter.flags.contains(&"\\Seen".into()))
    );
    // One conversation for all of it.
    assert_eq!(heard.count("AUTHENTICATE"), 1);
    assert_eq!(heard.count(CANARY), 0, "it went as the standard says, not in so many letters");
}

#[tokio::test]
async fn several_folders_are_read_and_names_beyond_ascii_are_understood() {
    let fake = Fake::with_letters(1);
    fake.put("Entw&APw-rfe", &letter(2), &[]);
    let (imap, _) = fake
        .open_as(|mail| {
            let MailSource::Imap { folders, .. } = &mut mail.source else { panic!() };
            *folders = vec!["inbox".to_owned(), "Entwürfe".to_owned(), "INBOX".to_owned()];
        })
        .await;
    assert_eq!(all(&imap, None, 10).await.0, ["1", "2"]);
    assert_eq!(imap.check().await.unwrap().split(" at ").next(), Some("2 mails in INBOX, Entwürfe"));
}

#[tokio::test]
async fn the_first_fetch_leaves_out_old_mail() {
    let fake = Fake::with_letters(1);
    let (imap, heard) = fake.open().await;
    let cursor = imap.start("2026-11-16T00:00:00Z".parse().unwrap()).await.unwrap();
    assert_eq!(heard.count("UID SEARCH SINCE 14-Nov-2026"), 1);
    assert_eq!(all(&imap, cursor.clone(), 10).await.0, ["1"]);
    // Where the numbers become void, that still holds.
    fake.state().folders.get_mut("INBOX").unwrap().validity = 8;
    all(&imap, cursor, 10).await;
    assert_eq!(heard.count("UNDRAFT SINCE 14-Nov-2026"), 1);
}

#[tokio::test]
async fn presence_and_flags_of_mails_are_read() {
    let fake = Fake::with_letters(4);
    let (imap, _) = fake.open().await;
    let fetched = imap.fetch(None, 10).await.unwrap();
    let mut places: Vec<String> = fetched.mails.iter().map(|mail| mail.place.clone()).collect();
    {
        let mut state = fake.state();
        let letters = &mut state.folders.get_mut("INBOX").unwrap().letters;
        letters[0].flags.push("\\Seen".to_owned());
        letters[1].flags.push("\\Answered".to_owned());
        letters[2].flags.push("\\Deleted".to_owned());
        letters.remove(3);
    }
    places.push("nonsense".to_owned());
    let there = |seen, answered| MailPresence::There { seen, answered };
    let expected =
        [there(true, false), there(false, true), MailPresence::Gone, MailPresence::Gone, MailPresence::Gone];
    assert_eq!(imap.presence(&places).await.unwrap(), expected);
}

#[tokio::test]
async fn handled_mail_is_marked() {
    for (after, handled, flags, moved) in [
        (AfterHandling::Seen, Handled::Done, vec!["\\Seen"], false),
        (AfterHandling::Seen, Handled::Answered, vec!["\\Answered", "\\Seen", "\\Seen"], false),
        (AfterHandling::Label("sayso".into()), Handled::Done, vec!["sayso"], false),
        (AfterHandling::Folder("Archive".into()), Handled::Done, vec![], true),
        (AfterHandling::None, Handled::Done, vec![], false),
        (AfterHandling::Seen, Handled::Ignored, vec![], false),
    ] {
        for capabilities in ["IMAP4rev1 AUTH=PLAIN SASL-IR MOVE", "IMAP4rev1 UIDPLUS"] {
            let fake = Fake::with_letters(1).able_to(capabilities);
            let (imap, _) = fake.open_as(|mail| mail.handled_done = after.clone()).await;
            let place = first_place(&imap).await;
            for _ in 0..2 {
                imap.mark(&place, handled).await.unwrap();
            }
            assert_eq!(fake.letters("Archive").len(), usize::from(moved), "{after:?}");
            let left = fake.letters("INBOX");
            assert_eq!(left.len(), usize::from(!moved));
            if let Some(letter) = left.first() {
                let mut twice = flags.clone();
                twice.extend(&flags);
                assert_eq!(letter.flags, twice, "{after:?} {handled:?}");
            }
        }
    }
}

#[tokio::test]
async fn known_people_are_read_from_envelopes_and_the_newest_mails_found_by_date() {
    let fake = Fake::new();
    assert_eq!(fake.open().await.0.newest(3).await.unwrap(), None);
    let from = |who: &str| letter(1).replace("bob@example.com", who);
    fake.put("INBOX", &from("Carol@Example.com"), &[]);
    fake.put("INBOX", &from("dan@example.com"), &[]);
    fake.put("Sent Things", &letter(3).replace("ada@example.org", "eve@example.com"), &[]);
    let (imap, heard) = fake.open().await;
    let later: jiff::Timestamp = "2026-12-01T00:00:00Z".parse().unwrap();
    let people = imap.people(later).await.unwrap();
    assert_eq!(people.wrote_to, ["eve@example.com"]);
    assert_eq!(people.heard_from, ["carol@example.com", "dan@example.com"]);
    // Who wrote only since then is a stranger still.
    let people = imap.people("2026-11-01T00:00:00Z".parse().unwrap()).await.unwrap();
    assert!(people.heard_from.is_empty() && people.wrote_to == ["eve@example.com"]);
    let expected: jiff::Timestamp = "2026-11-17T08:00:00Z".parse().unwrap();
    assert_eq!(imap.newest(1).await.unwrap(), Some(expected));
    assert_eq!(
        (heard.count("FETCH 2:2 (UID INTERNALDATE)"), heard.count("BODY")),
        (1, 0),
        "no mail is read for that"
    );
}

#[tokio::test]
async fn a_draft_is_kept_once_in_the_folder_for_it() {
    let fake = Fake::new();
    let (imap, _) = fake.open().await;
    let draft = "Message-ID: <d@x>\nTo: bob@example.com\n\nDear Bob\n";
    for _ in 0..3 {
        imap.save_draft(draft.as_bytes()).await.unwrap();
    }
    let drafts = fake.letters("Entw&APw-rfe");
    assert_eq!(drafts.len(), 1);
    assert_eq!(drafts[0].raw, draft.replace('\n', "\r\n"));
    assert_eq!(drafts[0].flags, ["\\Draft", "\\Seen"]);
}

#[tokio::test]
async fn answers_from_elsewhere_are_found_in_sent() {
    let fake = Fake::new();
    let (imap, heard) = fake.open().await;
    assert!(!imap.answered_elsewhere(&["1@x".to_owned()]).await.unwrap()[0]);
    assert!(!imap.answered_elsewhere(&["1@x".to_owned()]).await.unwrap()[0]);
    assert_eq!(heard.count("HEADER In-Reply-To"), 1, "nothing was sent in between");
    // An id that is part of another's is not that one.
    fake.put("Sent Things", "In-Reply-To: <11@x>\r\n\r\nYes\r\n", &[]);
    assert!(!imap.answered_elsewhere(&["1@x".to_owned()]).await.unwrap()[0]);
    fake.put("Sent Things", "In-Reply-To: <0@x> <1@x>\r\n\r\nYes\r\n", &[]);
    assert!(imap.answered_elsewhere(&["1@x".to_owned()]).await.unwrap()[0]);
    assert!(!imap.answered_elsewhere(&["2@x".to_owned()]).await.unwrap()[0]);
}

#[tokio::test]
async fn what_the_person_sent_is_found_in_sent() {
    let fake = Fake::new();
    let (imap, _) = fake.open().await;
    fake.put("INBOX", "Message-ID: <1@x>\r\n\r\nYes\r\n", &[]);
    fake.put("Sent Things", "Message-ID: <11@x>\r\nIn-Reply-To: <1@x>\r\n\r\nYes\r\n", &[]);
    assert!(!imap.is_sent("1@x").await.unwrap());
    fake.put("Sent Things", "Message-ID: <1@x>\r\n\r\nYes\r\n", &[]);
    assert!(imap.is_sent("1@x").await.unwrap());
}

#[tokio::test]
async fn a_missing_folder_is_named_with_some_that_exist() {
    let fake = Fake::new();
    let (imap, _) = fake
        .open_as(|mail| {
            let MailSource::Imap { folders, .. } = &mut mail.source else { panic!() };
            *folders = vec!["Wörk".to_owned()];
        })
        .await;
    let error = imap.check().await.unwrap_err();
    assert!(matches!(error, MailError::Permanent(_)));
    let text = error.to_string();
    assert!(text.contains("has no folder Wörk; there are Archive, Entwürfe, INBOX, Sent Things"), "{text}");

    fake.put("INBOX", &letter(1), &[]);
    let (imap, _) = fake.open_as(|mail| mail.handled_done = AfterHandling::Folder("Nowhere".into())).await;
    let place = first_place(&imap).await;
    let error = imap.mark(&place, Handled::Done).await.unwrap_err().to_string();
    assert!(error.contains("has no folder Nowhere; there are Archive"), "{error}");
}

#[tokio::test]
async fn a_folder_that_was_renamed_holds_up_nothing_else() {
    let fake = Fake::with_letters(2);
    fake.put("Archive", &letter(3), &[]);
    let (imap, _) = fake
        .open_as(|mail| {
            let MailSource::Imap { folders, .. } = &mut mail.source else { panic!() };
            *folders = vec!["Archive".to_owned(), "INBOX".to_owned()];
        })
        .await;
    let fetched = imap.fetch(None, 10).await.unwrap();
    let places: Vec<String> = fetched.mails.iter().map(|mail| mail.place.clone()).collect();
    {
        let mut state = fake.state();
        let archive = state.folders.remove("Archive").unwrap();
        state.folders.insert("Old".to_owned(), archive);
    }
    let there = MailPresence::There { seen: false, answered: false };
    assert_eq!(imap.presence(&places).await.unwrap(), [MailPresence::Unknown, there, there]);
    imap.mark(&places[0], Handled::Done).await.unwrap();
    let error = imap.put_away(&places[0], &Destination::Trash).await.unwrap_err().to_string();
    assert!(error.contains("no longer where it was"), "{error}");
    // The other folder's mail comes, and the missing one is said.
    fake.put("INBOX", &letter(4), &[]);
    let next = imap.fetch(fetched.cursor.as_ref(), 10).await.unwrap();
    assert_eq!(subjects(&next), ["4"]);
    for since in [next.cursor.as_ref(), None] {
        let said = imap.fetch(since, 10).await.unwrap().missing.unwrap();
        assert!(said.contains("has no folder Archive; there are Entwürfe"), "{said}");
    }
    // Neither does it keep a first look from beginning.
    assert!(imap.start(jiff::Timestamp::UNIX_EPOCH).await.unwrap().is_some());
    assert!(imap.newest(1).await.unwrap().is_some());
    imap.people(jiff::Timestamp::UNIX_EPOCH).await.unwrap();
    // A mailbox without any folder is no mailbox.
    fake.state().folders.remove("INBOX");
    let error = imap.fetch(next.cursor.as_ref(), 10).await.unwrap_err().to_string();
    assert!(error.contains("has no folder INBOX"), "{error}");
}

#[tokio::test]
async fn mail_is_put_away_once_and_comes_back() {
    let cases = [
        (Destination::Archive, "Archive"),
        (Destination::Trash, "Trash"),
        (Destination::Spam, "Junk"),
        (Destination::Folder("Archive".into()), "Archive"),
    ];
    for (to, folder) in cases {
        for capabilities in ["IMAP4rev1 AUTH=PLAIN SASL-IR MOVE", "IMAP4rev1 UIDPLUS"] {
            let fake = Fake::with_letters(2).able_to(capabilities);
            let (imap, _) = fake.open().await;
            let place = first_place(&imap).await;
            let way = imap.put_away(&place, &to).await.unwrap();
            assert_eq!(imap.put_away(&place, &to).await.unwrap(), way, "once more is once");
            assert_eq!((fake.letters("INBOX").len(), fake.letters(folder).len()), (1, 1), "{to:?}");
            assert_eq!(imap.presence(std::slice::from_ref(&place)).await.unwrap(), [MailPresence::Gone]);
            for _ in 0..2 {
                imap.put_back(&way).await.unwrap();
            }
            assert_eq!((fake.letters("INBOX").len(), fake.letters(folder).len()), (2, 0), "{to:?}");
            for letter in fake.letters("INBOX") {
                fake.state().folders.get_mut("INBOX").unwrap().letters.retain(|one| one.uid != letter.uid);
            }
            assert!(imap.put_back(&way).await.unwrap_err().to_string().contains("no longer where it was"));
        }
    }
}

#[tokio::test]
async fn mail_without_a_message_id_comes_back_by_the_number_the_server_told() {
    for (capabilities, expected) in
        [("IMAP4rev1 MOVE UIDPLUS", true), ("IMAP4rev1 UIDPLUS", true), ("IMAP4rev1 MOVE", false)]
    {
        let fake = Fake::new().able_to(capabilities);
        fake.put("Archive", &letter(7), &[]);
        fake.put("INBOX", "Subject: 1\r\n\r\nNo id\r\n", &[]);
        let (imap, _) = fake.open().await;
        let place = first_place(&imap).await;
        let way = imap.put_away(&place, &Destination::Archive).await.unwrap();
        assert_eq!((fake.letters("INBOX").len(), fake.letters("Archive").len()), (0, 2), "{capabilities}");
        if !expected {
            let error = imap.put_back(&way).await.unwrap_err().to_string();
            assert!(error.contains("did not say which number it has in Archive (UIDPLUS)"), "{error}");
            continue;
        }
        imap.put_back(&way).await.unwrap();
        let back = fake.letters("INBOX");
        assert!(back.len() == 1 && back[0].raw.starts_with("Subject: 1"), "{capabilities}");
        assert_eq!(fake.letters("Archive").len(), 1);
        assert!(imap.put_back(&way).await.is_err(), "it is no longer there");
        fake.state().folders.get_mut("Archive").unwrap().validity += 1;
        assert!(imap.put_back(&way).await.is_err(), "and numbers of another time name other mail");
        assert_eq!(fake.letters("Archive").len(), 1);
    }
}

#[tokio::test]
async fn mail_is_not_moved_to_a_missing_folder() {
    let fake = Fake::with_letters(1);
    let (imap, _) = fake.open().await;
    let place = first_place(&imap).await;
    let refused =
        imap.put_away(&place, &Destination::Folder("Nowhere".into())).await.unwrap_err().to_string();
    assert!(refused.contains("Nowhere") && refused.contains("Archive"), "{refused}");
    assert_eq!(fake.letters("INBOX").len(), 1);
}
