//! D09 and D12: several processes over one folder.

use crate::child::{Away, errand, open_items, run};
use crate::home::{Home, PARCELS};
use crate::report;
use crate::support::test_inbox::decide;
use rustix::process::{Pid, Signal, kill_process};
use sayso::engine::graph::Decision;
use sayso::inbox::NextView;
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Duration;

/// A driver stopped in the middle of a write keeps others waiting. After this long it goes on.
const PATIENCE: Duration = Duration::from_millis(200);
/// Starting a process takes longer, and more so on a busy machine.
const PATIENCE_WITH_A_PROCESS: Duration = Duration::from_secs(3);

fn signal(away: &Away, signal: Signal) {
    let pid = Pid::from_child(&away.child);
    kill_process(pid, signal).unwrap();
    if signal == Signal::STOP {
        // Stopped is a state, not a moment: wait until the kernel says so.
        let stat = format!("/proc/{}/stat", away.child.id());
        while !std::fs::read_to_string(&stat).unwrap().contains(") T ") {
            std::thread::yield_now();
        }
    }
}

/// What comes of `work` beside a stopped driver, which is continued if it holds a lock that `work` needs.
async fn beside<T>(driver: &Away, patience: Duration, work: impl Future<Output = T>) -> T {
    tokio::pin!(work);
    if let Ok(done) = tokio::time::timeout(patience, &mut work).await {
        return done;
    }
    signal(driver, Signal::CONT);
    work.await
}

#[tokio::test]
async fn d09_a_driver_that_is_stopped_and_continued_is_still_the_only_one() {
    let (mut random, mut trials) = (crate::damage::Random(0xd9), 0);
    for round in 0..6 {
        let (home, threads) = (Home::new(), 4);
        let inbox = home.inbox();
        for _ in 0..threads {
            inbox.threads().start("courier".to_owned(), json!({"parcels": PARCELS})).await.unwrap();
        }
        let mut driver = Away::start(errand(&home, "drive"));
        assert_eq!(driver.hear().as_deref(), Some("driving"));
        let mut decided = 0;
        while decided < threads * PARCELS.len() {
            // Stop it wherever it happens to be, and do everything a person does meanwhile.
            for _ in 0..random.below(2000) {
                std::hint::spin_loop();
            }
            signal(&driver, Signal::STOP);
            let command = errand(&home, "try");
            let second = tokio::task::spawn_blocking(|| run(command));
            let printed = beside(&driver, PATIENCE_WITH_A_PROCESS, second).await.unwrap();
            assert_eq!(printed, [format!("theirs {}", driver.child.id())], "round {round}");
            for item in beside(&driver, PATIENCE, open_items(&inbox)).await {
                let id = item.id.clone();
                beside(&driver, PATIENCE, decide(&inbox, &id, Decision::Accept)).await.unwrap();
                decided += 1;
            }
            signal(&driver, Signal::CONT);
            trials += 1;
        }
        assert_eq!(driver.rest(), ["done"], "round {round}");
        drop(inbox);
        home.check_end(threads, &format!("round {round}")).await;
    }
    report("D09", "the driver stopped and continued", trials);
}

#[tokio::test]
async fn d12_of_two_processes_that_decide_one_wins_and_the_other_is_told() {
    let mut trials = 0;
    for round in 0..3 {
        let (home, threads) = (Home::new(), 8);
        let inbox = home.inbox();
        for _ in 0..threads {
            inbox.threads().start("courier".to_owned(), json!({"parcels": PARCELS})).await.unwrap();
        }
        let mut worker = sayso::app::Driver::take(inbox.engine().clone()).await.unwrap().unwrap();
        let idle = sayso::app::Until::Idle;
        worker.run(&sayso::app::Scope::All, idle, std::future::pending()).await.unwrap();
        let mut racers = [Away::start(errand(&home, "accept")), Away::start(errand(&home, "ignore"))];
        for racer in &mut racers {
            assert_eq!(racer.hear().as_deref(), Some("ready"));
        }
        racers.iter_mut().for_each(Away::nudge);
        let printed = racers.map(Away::rest);
        let mut winners: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for (printed, word) in printed.iter().zip(["accept", "ignore"]) {
            for line in printed {
                let (verdict, rest) = line.split_once(' ').unwrap();
                let (id, why) = rest.split_once(' ').unwrap_or((rest, ""));
                match verdict {
                    "won" => winners.entry(id.to_owned()).or_default().push(word),
                    _ => assert!(why.contains("is no longer open: it was "), "round {round}: {line}"),
                }
            }
        }
        assert_eq!(winners.len(), threads * PARCELS.len(), "round {round}");
        worker.run(&sayso::app::Scope::All, idle, std::future::pending()).await.unwrap();
        let accepted = winners.values().filter(|won| won[..] == ["accept"]).count();
        assert!(winners.values().all(|won| won.len() == 1), "round {round}: {winners:?}");
        assert_eq!(
            home.delivery_log().deliveries().len(),
            accepted,
            "round {round}: the thread heard the winner"
        );
        for view in inbox.views().await {
            let asked = view.steps.iter().filter(|step| matches!(step.next, NextView::Ask { .. })).count();
            assert_eq!((view.decisions.len(), asked), (PARCELS.len(), 1));
        }
        trials += winners.len();
    }
    report("D12", "the same interrupt decided from two processes", trials);
}
