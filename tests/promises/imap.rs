//! M06 for IMAP: the server changes its UIDVALIDITY.

use crate::report;
use crate::support::mail_server::{Fake, letter};
use sayso::mail::{Handled, MailPresence, Mailbox};

#[tokio::test]
async fn m06_numbers_that_become_void_lose_nothing() {
    let fake = Fake::new();
    for n in 1..=3 {
        fake.put("INBOX", &letter(n), &[]);
    }
    let (imap, _) = fake.open().await;
    let fetched = imap.fetch(None, 10).await.unwrap();
    let places: Vec<String> = fetched.mails.iter().map(|mail| mail.place.clone()).collect();
    {
        let mut state = fake.state();
        let inbox = state.folders.get_mut("INBOX").unwrap();
        inbox.validity = 99;
        inbox.next = 200;
        inbox.letters.remove(1);
        for (at, letter) in inbox.letters.iter_mut().enumerate() {
            letter.uid = 100 + at as u64;
        }
        inbox.letters[1].flags.push("\\Answered".to_owned());
    }
    // Everything is shown again; that a mail is known is decided by what it says.
    let again = imap.fetch(fetched.cursor.as_ref(), 10).await.unwrap();
    let shown: Vec<Vec<u8>> = again.mails.iter().map(|mail| mail.raw.clone()).collect();
    assert_eq!(shown, [1, 3].map(|n| letter(n).into_bytes()));
    // Places are found by Message-ID: none is called gone because of a number.
    let there = |answered| MailPresence::There { seen: false, answered };
    assert_eq!(imap.presence(&places).await.unwrap(), [there(false), MailPresence::Gone, there(true)]);
    imap.mark(&places[2], Handled::Done).await.unwrap();
    assert!(fake.letters("INBOX")[1].flags.contains(&"\\Seen".to_owned()));
    report("M06", "UIDVALIDITY changed, with mails removed and answered meanwhile", 3);
}
