//! D01: a thread from start to end, killed at every instant that could matter.
//!
//! With a courier; `mails` does the same with the workflow `email`. Deliveries and started nodes are counted in files
//! of their own, which no transaction can take back.

use crate::child::{Away, deaths, errand, has_strace, run, traced};
use crate::home::Home;
use crate::{report, side_by_side, skipped};
use std::collections::HashSet;
use std::process::Command;
use std::time::Duration;

/// Lets an errand die, then another process finish the work; `true` where it died.
pub fn dies_and_recovers(home: &Home, what: &str, env: &[(&str, &str)], doomed: Command) -> bool {
    let done = run(doomed).last().is_some_and(|last| last == "done");
    tokio::runtime::Runtime::new().unwrap().block_on(recovers(home, 1, what, env));
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

#[test]
fn d01_killed_at_every_named_point() {
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
    let of_point = |(point, passes)| (1..=passes).map(move |count| format!("{point}:{count}"));
    let deaths: Vec<String> = points.into_iter().flat_map(of_point).collect();
    // Where nobody can look for a delivery, a person is asked; even so it is made once.
    for blind in [false, true] {
        side_by_side(&deaths, |death| {
            let (home, what) = (Home::new(), format!("{death} blind {blind}"));
            let mut doomed = errand(&home, "life");
            doomed.env("SAYSO_FAIL_POINT", death).envs(blind.then_some(("SAYSO_BLIND", "1")));
            assert!(dies_and_recovers(&home, &what, &[], doomed), "{what}: it was to die");
        });
    }
    report("D01", "SIGKILL at each named point", 2 * deaths.len());
}

#[test]
fn d01_killed_at_every_sync() {
    if !has_strace() {
        return skipped("D01", "no strace, so no SIGKILL at each sync");
    }
    let trials = deaths(|n| {
        let home = Home::new();
        let doomed = traced(&home, "life", &format!("fsync,fdatasync:signal=SIGKILL:when={n}"));
        dies_and_recovers(&home, &format!("sync {n}"), &[], doomed)
    });
    assert!(trials >= 10, "a life has more than {trials} syncs");
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
