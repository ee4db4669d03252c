//! Mail that was not shown: newest first, page by page, with the reason.

use crate::support::TestInbox;
use crate::support::test_inbox::hand_in;
use sayso::inbox::{SkippedCount, SkippedQuery};
use serde_json::json;

#[tokio::test]
async fn ignored_mail_is_listed_with_its_reason_and_its_thread() {
    let inbox = TestInbox::new();
    let mut threads = Vec::new();
    let old = jiff::Timestamp::UNIX_EPOCH;
    let dates = [Some(old), Some(old), Some(jiff::Timestamp::MAX), None];
    for (n, class) in ["ignore", "notify", "ignore", "ignore"].into_iter().enumerate() {
        let thread = inbox.run_program(json!([[{"note": "triaged"}]])).await;
        let raw = format!(
            "From: The News <news@list.test>\r\nSubject: Offer {n}\r\n\r\nOnly today: {n} for two.\r\n"
        );
        let raw = inbox.store().put_blob(raw.into_bytes()).await.unwrap();
        let subject = format!("Offer {n}");
        hand_in(&inbox, &thread, &subject, |mail| {
            mail.sender = "news@list.test".to_owned();
            (mail.sent_at, mail.raw) = (dates[n], raw);
        })
        .await;
        inbox
            .store()
            .mail()
            .record_triage(thread.clone(), class.to_owned(), format!("rule {n}"), None)
            .await
            .unwrap();
        threads.push(thread);
    }
    let read = |after, limit| inbox.mail().skipped(SkippedQuery { after, limit });
    let first = read(None, 2).await.unwrap();
    let titles: Vec<&str> = first.rows.iter().map(|mail| mail.title.as_str()).collect();
    assert_eq!(titles, ["Offer 3", "Offer 2"]);
    let newest = &first.rows[0];
    assert_eq!((newest.reason.as_str(), newest.sender.as_str()), ("rule 3", "The News <news@list.test>"));
    assert_eq!(newest.thread.as_ref(), Some(&threads[3]));
    assert_eq!(newest.text, "Only today: 3 for two.");
    let second = read(first.next, 2).await.unwrap();
    assert_eq!((second.rows.len(), second.rows[0].title.as_str(), second.next), (1, "Offer 0", None));
    assert_eq!(second.rows[0].at, old, "when it was sent");
    let now = jiff::Timestamp::now();
    assert!(first.rows.iter().all(|mail| old < mail.at && mail.at <= now), "when they came: {first:?}");
    let since = |at| inbox.mail().skipped_since(at);
    assert_eq!(since(jiff::Timestamp::UNIX_EPOCH).await.unwrap(), SkippedCount { mails: 3, unsure: 0 });
    let an_hour_ago = now - jiff::SignedDuration::from_hours(1);
    assert_eq!(since(an_hour_ago).await.unwrap().mails, 3, "counted by when they came");
    assert_eq!(since(jiff::Timestamp::MAX).await.unwrap(), SkippedCount::default());
    for (since, count) in [(jiff::Timestamp::UNIX_EPOCH, 3), (an_hour_ago, 3), (jiff::Timestamp::MAX, 0)] {
        assert_eq!(inbox.mail().count_skipped(since).await.unwrap(), count);
    }
    // One that was reclassified is no longer among them.
    inbox
        .store()
        .mail()
        .record_triage(threads[3].clone(), "respond".to_owned(), "corrected".to_owned(), None)
        .await
        .unwrap();
    assert_eq!(read(None, 9).await.unwrap().rows.len(), 2);
}
