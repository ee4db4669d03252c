//! D02 for questions that expire: a process killed at any instant ends each question once and sends nothing.

use crate::child::{errand, has_strace, run, say, traced};
use crate::home::{Home, PARCELS};
use crate::support::test_inbox::{TestInbox, eager};
use crate::{report, skipped};
use sayso::app::Settings;
use sayso::config::Expiry;
use sayso::inbox::Status;
use serde_json::json;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The errand: a courier asks, nobody answers, and a week passes. It can be begun again at any time.
pub async fn expire(home: &Path) {
    let week = Some(Duration::from_secs(7 * 86_400));
    let expiry = Expiry { all: week, kinds: vec!["approval".to_owned()], ..Expiry::default() };
    let settings = Settings { expiry, ..eager() };
    let delivery_log = crate::post::delivery_log(home);
    let inbox = TestInbox::builder().in_folder(home).settings(settings).delivery_log(delivery_log).open();
    if inbox.lines().await.is_empty() {
        inbox.start("courier", json!({"parcels": PARCELS})).await;
    }
    inbox.drive().await;
    inbox.expire_after(8).await;
    inbox.drive().await;
    say("done");
}

async fn dies_and_recovers(home: &Home, what: &str, doomed: Command) -> bool {
    let done = run(doomed).last().is_some_and(|last| last == "done");
    assert_eq!(run(errand(home, "expire")), ["done"], "{what}");
    let inbox = home.inbox();
    let views = inbox.views().await;
    assert_eq!(views.len(), 1, "{what}");
    assert_eq!(views[0].status, Status::Done, "{what}");
    let by: Vec<String> = views[0].decisions.iter().map(|decision| decision.by.to_string()).collect();
    assert_eq!(by, vec!["policy:expire"; PARCELS.len()], "{what}: each question ended once");
    assert!(
        views[0].effects.is_empty() && home.delivery_log().deliveries().is_empty(),
        "{what}: nothing left"
    );
    inbox.assert_intact(what);
    assert_eq!(inbox.store().audit().check_links().unwrap().problems, Vec::<String>::new(), "{what}");
    !done
}

#[tokio::test]
async fn d02_killed_while_questions_expire() {
    let mut trials = 0;
    for point in ["before_node", "before_commit", "after_commit"] {
        for nth in 1..=2 {
            let (home, what) = (Home::new(), format!("{point}:{nth}"));
            let mut doomed = errand(&home, "expire");
            doomed.env("SAYSO_FAIL_POINT", &what);
            assert!(dies_and_recovers(&home, &what, doomed).await, "{what}: it was to die");
            trials += 1;
        }
    }
    report("D02", "SIGKILL at each named point while questions expire", trials);
}

#[tokio::test]
async fn d02_killed_at_every_sync_while_questions_expire() {
    if !has_strace() {
        return skipped("D02", "no strace, so no SIGKILL at each sync");
    }
    let mut trials = 0;
    for n in 1.. {
        let home = Home::new();
        let doomed = traced(&home, "expire", &format!("fsync,fdatasync:signal=SIGKILL:when={n}"));
        if !dies_and_recovers(&home, &format!("sync {n}"), doomed).await {
            break;
        }
        trials += 1;
    }
    assert!(trials > 5, "an expiry has more than {trials} syncs");
    report("D02", "SIGKILL at each sync while questions expire", trials);
}
