//! Mail that nobody decided about in time: nothing is sent, marked or learned.

use super::office::{Office, Plan, calls, write};
use crate::support::house::eager;
use sayso::app::Settings;
use sayso::config::Expiry;
use sayso::inbox::Status;
use sayso::tools::moment::{Machine, Moment};
use std::time::Duration;

fn day(days: i64) -> Moment {
    let ms = days * 86_400_000;
    Moment { wall_ms: ms, machine: Some(Machine { run: "a".to_owned(), ms }) }
}

#[tokio::test]
async fn what_expires_is_neither_sent_nor_marked_nor_learned_from() {
    for class in ["respond", "notify"] {
        let expiry = Expiry {
            all: Some(Duration::from_secs(7 * 86_400)),
            kinds: vec!["approval".to_owned(), "triage".to_owned()],
            ..Expiry::default()
        };
        let plan = Plan { settings: Settings { expiry, ..eager() }, ..Plan::default() };
        let office = Office::with(plan, class, [calls([write()])]);
        let thread = office.got().await;
        let before = office.requests("email.reply").len();
        office.inbox.expire_now(&day(0)).await.unwrap();
        assert_eq!(office.inbox.expire_now(&day(7)).await.unwrap(), 1, "{class}");
        office.settle().await;
        let outcome = office.outcome(&thread).await;
        assert_eq!(outcome.status, Status::Done, "{class}");
        let output = outcome.output.unwrap();
        assert_eq!(output["outcome"], "expired", "{class}");
        assert!(output["summary"].as_str().unwrap().contains("Nobody answered in time."), "{output}");
        assert_eq!(office.ledger(&thread).1, Some("expired".to_owned()));
        assert!(office.sent().is_empty() && office.learned().is_empty(), "{class}");
        assert!(office.mailbox.marks.lock().unwrap().is_empty(), "nobody has read it");
        assert!(office.view(&thread).await.effects.is_empty());
        assert_eq!(office.requests("email.reply").len(), before, "no model is asked what to do next");
    }
}
