//! D02 for questions that expire: a process killed at any instant ends each question once and sends nothing.

use crate::child::{errand, has_strace, run, say, traced};
use crate::home::{Home, PARCELS};
use crate::support::test_inbox::{TestInbox, eager};
use crate::{report, skipped};
use sayso::app::Settings;
use sayso::config::Expiry;
use sayso::inbox::{Status, ThreadQuery};
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
    let query = ThreadQuery { limit: 9, ..Default::default() };
    if inbox.threads().list(query).await.unwrap().rows.is_empty() {
        inbox.start("courier", json!({"parcels": PARCELS})).await;
    }
    inbox.drive().await;
    inbox.expire_after(8).await;
    inbox.drive().await;
    say("done");
}

async fn dies_and_recovers(doomed: impl Fn(&Home) -> Command, what: &str) -> bool {
    let home = Home::new();
    let done = run(doomed(&home)).last().is_some_and(|last| last == "done");
    assert_eq!(run(errand(&home, "expire")), ["done"], "{what}");
    let inbox = home.inbox();
    let views = home.threads(&inbox).await;
    assert_eq!(views.len(), 1, "{what}");
    assert_eq!(views[0].status, Status::Done, "{what}");
    let by: Vec<String> = views[0].decisions.iter().map(|decision| decision.by.to_string()).collect();
    assert_eq!(by, vec!["policy:expire"; PARCELS.len()], "{what}: each question ended once");
    assert!(
        views[0].effects.is_empty() && home.delivery_log().deliveries().is_empty(),
        "{what}: nothing left"
    );
    let store = inbox.engine().store();
    assert_eq!(store.audit().verify().unwrap().problems(), Vec::<String>::new(), "{what}");
    assert_eq!(store.audit().check_links().unwrap().problems, Vec::<String>::new(), "{what}");
    !done
}

#[tokio::test]
async fn d02_killed_while_questions_expire() {
    let mut trials = 0;
    for point in ["before_node", "before_commit", "after_commit"] {
        for nth in 1..=2 {
            let what = format!("{point}:{nth}");
            let doomed = |home: &Home| {
                let mut command = errand(home, "expire");
                command.env("SAYSO_FAIL_POINT", &what);
                command
            };
            assert!(dies_and_recovers(doomed, &what).await, "{what}: it was to die");
            trials += 1;
        }
    }
    report("D02", "SIGKILL at each named point while questions expire", trials);
    if !has_strace() {
        return skipped("D02", "no strace, so no SIGKILL at each sync");
    }
    for n in 1.. {
        let doomed =
            |home: &Home| traced(home, "expire", &format!("fsync,fdatasync:signal=SIGKILL:when={n}"));
        let died = dies_and_recovers(doomed, &format!("sync {n}")).await;
        trials += 1;
        if !died {
            assert!(n > 6, "an expiry has more than {n} syncs");
            break;
        }
    }
    report("D02", "SIGKILL at each sync while questions expire", trials);
}
