//! A mailbox on a real Dovecot.

use super::dovecot::{Dovecot, available, server};
use sayso::config::{AfterHandling, MailLogin, MailSource, MailTls, Secret};
use sayso::mail::imap::Imap;
use sayso::mail::{Cursor, Destination, FetchedMail, Handled, MailError, MailPresence, Mailbox};
use std::time::Duration;

async fn all(imap: &Imap, mut cursor: Option<Cursor>) -> (Vec<FetchedMail>, Option<Cursor>) {
    let mut mails = Vec::new();
    loop {
        let fetched = imap.fetch(cursor.as_ref(), 50).await.unwrap();
        mails.extend(fetched.mails);
        cursor = fetched.cursor;
        if fetched.remaining == 0 {
            return (mails, cursor);
        }
    }
}

fn number(mail: &FetchedMail) -> u64 {
    let text = String::from_utf8_lossy(&mail.raw).into_owned();
    text.lines().find_map(|line| line.strip_prefix("Subject: ")).unwrap().parse().unwrap()
}

#[tokio::test]
#[ignore = "needs Dovecot; run by .ci/run"]
async fn mail_is_read_marked_and_kept() {
    if !available(&["dovecot"]) {
        return;
    }
    let dovecot = Dovecot::start();
    (1..=120).for_each(|n| dovecot.deliver(n));
    let mut account = dovecot.account();
    let imap = Imap::open(&account).unwrap();
    assert_eq!(imap.check().await.unwrap(), format!("120 mails in INBOX at localhost:{}", dovecot.imaps));

    let (mails, cursor) = all(&imap, None).await;
    let mut numbers: Vec<u64> = mails.iter().map(number).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=120).collect::<Vec<_>>());
    assert!(mails.iter().all(|mail| !mail.seen && mail.raw.ends_with(b"\r\n")));
    let (more, cursor) = all(&imap, cursor).await;
    assert!(more.is_empty());
    dovecot.deliver(121);
    let (more, cursor) = all(&imap, cursor).await;
    assert_eq!(more.iter().map(number).collect::<Vec<_>>(), [121]);

    // Marked: seen, a label, answered, moved; each again without harm.
    imap.mark(&mails[0].place, Handled::Done).await.unwrap();
    imap.mark(&mails[1].place, Handled::Answered).await.unwrap();
    account.handled_done = AfterHandling::Label("sayso".to_owned());
    Imap::open(&account).unwrap().mark(&mails[2].place, Handled::Done).await.unwrap();
    account.handled_done = AfterHandling::Folder("Archive".to_owned());
    let mover = Imap::open(&account).unwrap();
    for _ in 0..2 {
        mover.mark(&mails[3].place, Handled::Done).await.unwrap();
    }
    assert_eq!((dovecot.count("Archive"), dovecot.count("")), (1, 120));
    let places: Vec<String> = mails[..5].iter().map(|mail| mail.place.clone()).collect();
    let present = |seen, answered| MailPresence::There { seen, answered };
    let expected = [
        present(true, false),
        present(true, true),
        present(false, false),
        MailPresence::Gone,
        present(false, false),
    ];
    assert_eq!(imap.presence(&places).await.unwrap(), expected);

    // Drafts once; answers from elsewhere found in Sent, whatever that is called.
    let draft = b"Message-ID: <draft@sayso>\nTo: bob@example.com\n\nDear Bob\n";
    for _ in 0..2 {
        imap.save_draft(draft).await.unwrap();
    }
    assert_eq!(dovecot.count("Drafts"), 1);
    assert!(!imap.answered_elsewhere(&["5@example.com".to_owned()]).await.unwrap()[0]);

    // Void numbers (ids that are parts of others included): everything again, nothing lost, and places still found.
    imap.leave().await;
    mover.leave().await;
    // Dovecot makes them of the time, in seconds.
    tokio::time::sleep(Duration::from_millis(1500)).await;
    dovecot.forget_numbers();
    let (again, _) = all(&imap, cursor).await;
    assert_eq!(again.len(), 120);
    assert_eq!(imap.presence(&places).await.unwrap(), expected);
}

#[tokio::test]
#[ignore = "needs Dovecot; run by .ci/run"]
async fn new_mail_is_noticed() {
    if !available(&["dovecot"]) {
        return;
    }
    let dovecot = Dovecot::start();
    let imap = Imap::open(&dovecot.account()).unwrap();
    let (_, cursor) = all(&imap, None).await;
    let mut found = Vec::new();
    let mut cursor = cursor;
    for n in 1..=3 {
        // It listens from the first wait on; what comes before is found by looking.
        let _ = tokio::time::timeout(Duration::from_millis(300), imap.changed()).await;
        dovecot.deliver(n);
        tokio::time::timeout(Duration::from_secs(120), imap.changed()).await.expect("news");
        let (mails, next) = all(&imap, cursor).await;
        found.extend(mails.iter().map(number));
        cursor = next;
    }
    assert_eq!(found, [1, 2, 3]);
}

#[tokio::test]
#[ignore = "needs Dovecot; run by .ci/run"]
async fn what_is_wrong_is_said() {
    if !available(&["dovecot"]) {
        return;
    }
    let dovecot = Dovecot::start();
    let mut account = dovecot.account();
    let with = |account: &mut sayso::config::Mail, server| {
        let folders = vec!["INBOX".to_owned()];
        account.source = MailSource::Imap { server, folders, drafts: None, sent: None };
        Imap::open(account).unwrap()
    };
    // STARTTLS, as it should be.
    let imap = with(&mut account, server(dovecot.imap, MailTls::Starttls));
    assert!(imap.check().await.unwrap().starts_with("0 mails"));
    let mut wrong = server(dovecot.imaps, MailTls::Tls);
    wrong.login = MailLogin::Password(Secret::Command("echo guessed".to_owned()));
    let error = with(&mut account, wrong).check().await.unwrap_err();
    assert!(
        matches!(&error, MailError::Login(text) if text.contains("refused the password of ada")),
        "{error}"
    );
    let mut strange = server(dovecot.imaps, MailTls::Tls);
    strange.ca_file = None;
    let error = with(&mut account, strange).check().await.unwrap_err();
    assert!(
        matches!(&error, MailError::Permanent(text) if text.contains("ca_file") || text.contains("certificates")),
        "{error}"
    );
    let error = with(&mut account, server(dovecot.imap, MailTls::Tls)).check().await.unwrap_err();
    assert!(error.to_string().contains("does not speak TLS there"), "{error}");
    account.source = MailSource::Imap {
        server: server(dovecot.imaps, MailTls::Tls),
        folders: vec!["Wörk".to_owned()],
        drafts: None,
        sent: None,
    };
    let error = Imap::open(&account).unwrap().check().await.unwrap_err().to_string();
    assert!(error.contains("has no folder Wörk; there are") && error.contains("Gesendete Post"), "{error}");
}

#[tokio::test]
#[ignore = "needs Dovecot; run by .ci/run"]
async fn mail_is_put_away_and_comes_back() {
    if !available(&["dovecot"]) {
        return;
    }
    let dovecot = Dovecot::start();
    for (n, (to, folder)) in
        [(Destination::Archive, "Archive"), (Destination::Trash, "Trash"), (Destination::Spam, "Junk")]
            .into_iter()
            .enumerate()
    {
        let n = n as u64 + 1;
        dovecot.deliver(n);
        let imap = Imap::open(&dovecot.account()).unwrap();
        let (mails, _) = all(&imap, None).await;
        let place = mails.last().unwrap().place.clone();
        let undo = imap.put_away(&place, &to).await.unwrap();
        assert_eq!(imap.put_away(&place, &to).await.unwrap(), undo);
        assert_eq!(dovecot.count(folder), 1, "{to:?}");
        imap.put_back(&undo).await.unwrap();
        assert_eq!(dovecot.count(folder), 0, "{to:?}");
        imap.leave().await;
    }
}

#[tokio::test]
#[ignore = "needs Dovecot; run by .ci/run"]
async fn a_renamed_folder_holds_up_nothing_else() {
    if !available(&["dovecot"]) {
        return;
    }
    let dovecot = Dovecot::start();
    dovecot.deliver(1);
    let imap = Imap::open(&dovecot.account()).unwrap();
    let (mails, _) = all(&imap, None).await;
    imap.put_away(&mails[0].place, &Destination::Archive).await.unwrap();
    imap.leave().await;
    // Dovecot makes the folders that it has a use for again.
    dovecot.rename("Archive", "Plans");
    let mut account = dovecot.account();
    let MailSource::Imap { folders, .. } = &mut account.source else { panic!() };
    folders.push("Plans".to_owned());
    dovecot.deliver(2);
    let both = Imap::open(&account).unwrap();
    let (mails, cursor) = all(&both, None).await;
    let places: Vec<String> = mails.iter().map(|mail| mail.place.clone()).collect();
    let there = MailPresence::There { seen: false, answered: false };
    assert_eq!(both.presence(&places).await.unwrap(), [there, there]);
    both.leave().await;

    dovecot.rename("Plans", "Old");
    assert_eq!(both.presence(&places).await.unwrap(), [there, MailPresence::Unknown]);
    both.mark(&places[1], Handled::Done).await.unwrap();
    dovecot.deliver(3);
    let fetched = both.fetch(cursor.as_ref(), 50).await.unwrap();
    assert_eq!(fetched.mails.iter().map(number).collect::<Vec<_>>(), [3]);
    let missing = fetched.missing.unwrap();
    assert!(missing.contains("has no folder Plans; there are"), "{missing}");
}
