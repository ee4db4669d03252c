//! D01: a thread from start to end, killed at every instant that could matter.
//!
//! With a courier; `mails` does the same with the workflow `email`. Deliveries and started nodes are counted in files of their
//! own, which no transaction can take back.

use crate::child::{Away, errand, has_strace, run, traced};
use crate::home::Home;
use crate::{report, skipped};
use std::collections::HashSet;
use std::process::Command;
use std::time::Duration;

/// Lets an errand die, then another process finish the work; `true` where it died.
pub async fn dies_and_recovers(
    home: &Home,
    threads: usize,
    what: &str,
    env: &[(&str, &str)],
    doomed: Command,
) -> bool {
    let done = run(doomed).last().is_some_and(|last| last == "done");
    recovers(home, threads, what, env).await;
    !done
}

async fn recovers(home: &Home, threads: usize, what: &str, env: &[(&str, &str)]) {
    let completed = home.completed().await;
    let ran = home.delivery_log().runs().len();
    let mut fresh = errand(home, "life");
    fresh.env("SAYSO_THREADS", threads.to_string()).envs(env.iter().copied());
    let printed = run(fresh);
    assert_eq!(printed, ["done"], "{what}: recovery");
    let again: HashSet<String> = home.delivery_log().runs().split_off(ran).into_iter().collect();
    assert_eq!(again.intersection(&completed).count(), 0, "{what}: no completed step runs again");
    home.check_end(threads, what).await;
}

#[tokio::test]
async fn d01_killed_at_every_named_point() {
    let points = [
        ("before_node", 3),
        ("before_intent", 2),
        ("after_intent", 2),
        ("before_delivery", 2),
        ("after_delivery", 2),
        ("before_outcome", 2),
        ("after_outcome", 2),
        ("before_commit", 3),
        ("after_commit", 3),
    ];
    let mut trials = 0;
    for (point, passes) in points {
        for count in 1..=passes {
            for blind in [false, true] {
                let (home, what) = (Home::new(), format!("{point}:{count} blind {blind}"));
                let mut doomed = errand(&home, "life");
                doomed.env("SAYSO_FAIL_POINT", format!("{point}:{count}"));
                if blind {
                    // Nobody can look for a delivery, so a person is asked; even so it is made once.
                    doomed.env("SAYSO_BLIND", "1");
                }
                assert!(dies_and_recovers(&home, 1, &what, &[], doomed).await, "{what}: it was to die");
                trials += 1;
            }
        }
    }
    report("D01", "SIGKILL at each named point", trials);
}

#[tokio::test]
async fn d01_killed_at_every_sync() {
    if !has_strace() {
        return skipped("D01", "no strace, so no SIGKILL at each sync");
    }
    let mut trials = 0;
    for n in 1.. {
        let home = Home::new();
        let doomed = traced(&home, "life", &format!("fsync,fdatasync:signal=SIGKILL:when={n}"));
        let died = dies_and_recovers(&home, 1, &format!("sync {n}"), &[], doomed).await;
        trials += 1;
        if !died {
            break;
        }
    }
    assert!(trials > 10, "a life has more than {trials} syncs");
    report("D01", "SIGKILL at each fsync and fdatasync", trials);
}

#[tokio::test]
async fn d01_killed_at_random() {
    let (mut random, mut trials) = (crate::damage::Random(0x5eed), 0);
    for round in 0..6 {
        let home = Home::new();
        // Several deaths in the same folder, then the end of the story.
        for death in 0..6 {
            let mut doomed = errand(&home, "life");
            doomed.env("SAYSO_THREADS", "4");
            let completed = home.completed().await;
            let ran = home.delivery_log().runs().len();
            let mut away = Away::start(doomed);
            let (dead, alive) = std::sync::mpsc::channel::<()>();
            // Whichever comes first: its end, or its hour.
            let _ = alive.recv_timeout(Duration::from_micros(random.below(120_000)));
            drop(dead);
            let _ = away.child.kill();
            away.rest();
            let again: HashSet<String> = home.delivery_log().runs().split_off(ran).into_iter().collect();
            let what = format!("round {round}, death {death}");
            assert_eq!(again.intersection(&completed).count(), 0, "{what}: no completed step runs again");
            trials += 1;
        }
        recovers(&home, 4, &format!("round {round}"), &[]).await;
    }
    report("D01", "SIGKILL at random, 4 threads at once", trials);
}
