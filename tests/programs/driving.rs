//! `run`, `--wait` and `--timeout`, alone and beside another driver; `pause` and `resume` across processes.

use crate::runner::{Background, Cli, each, keys, text, texts, until};
use crate::support::test_inbox::{TestInbox, eager};
use rustix::process::Signal;
use sayso::app::Settings;
use sayso::engine::graph::{Decision, InterruptId};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// A process that drives.
fn watch(cli: &Cli) -> Background {
    let driver = cli.spawn(&["watch"]);
    until(|| cli.driver() == Some(driver.pid().into()));
    driver
}

/// The input of a player that runs for as long as a file is missing.
fn waiting_for(key: &Path) -> String {
    format!("program={}", json!([[{ "file": key }]]))
}

#[test]
fn a_run_ends_when_nothing_is_left_to_do() {
    let cli = Cli::new();
    // Older scripts say what it does anyway.
    assert_eq!(cli.json(&["run", "--until-idle"]), json!({"threads": [], "interrupts": []}));
    let one = text(&cli.json(&["start", "chat", "topic=a"])["thread"]);
    let two = text(&cli.json(&["start", "chat", "topic=b"])["thread"]);
    let driven = cli.json(&["run"]);
    keys(&driven, "threads interrupts");
    let threads = BTreeSet::from_iter(texts(&driven["threads"]));
    assert_eq!(threads, BTreeSet::from([one, two]));
    assert_eq!(texts(&driven["interrupts"]).len(), 2);
    assert_eq!(cli.sayso(&["run"]).done(), "There was nothing to run.\n");
    // Whoever waits for one thread leaves the others alone.
    let other = text(&cli.json(&["start", "chat", "topic=other"])["thread"]);
    cli.chat("tea");
    assert_eq!(each(&cli.json(&["threads", "--status", "ready"]), "id"), [other]);
}

/// How long something is held is the decider's affair, so a short hold can be written by another one.
#[tokio::test]
async fn a_run_waits_out_holds() {
    let cli = Cli::new();
    let (thread, asked) = cli.parcel("book");
    let settings = Settings { hold: Duration::from_millis(300), ..eager() };
    let inbox = TestInbox::builder().in_folder(cli.data().parent().unwrap()).settings(settings).open();
    let question = InterruptId::parse(&asked).unwrap();
    let outcome = inbox.decide(&question, Decision::Accept).await.unwrap();
    assert_eq!(outcome.status.word(), "held");
    assert_eq!(cli.json(&["run"])["threads"], json!([thread]));
    assert_eq!(cli.deliveries(), 1);
}

#[test]
fn beside_a_driver_a_wait_lets_it_work() {
    let cli = Cli::new();
    let mut driver = watch(&cli);
    let (_, asked) = cli.chat("tea");
    assert_eq!(cli.json(&["respond", &asked, "done", "--wait"])["status"], "done");
    assert_eq!(cli.json(&["run"])["interrupts"], json!([]));
    assert!(driver.is_running());
    // A second driver takes over.
    let second = cli.spawn(&["watch"]);
    driver.signal(Signal::TERM);
    let output = driver.wait();
    assert_eq!((output.code, output.out.as_str()), (0, ""), "{output:?}");
    until(|| cli.driver() == Some(second.pid().into()));
    second.signal(Signal::TERM);
    assert_eq!(second.wait().code, 0);
    assert_eq!(cli.driver(), None);
}

#[test]
fn patience_has_an_end_that_names_the_driver() {
    let cli = Cli::new();
    let key = cli.path("key");
    let mut driver = watch(&cli);
    let pid = driver.pid();
    let input = waiting_for(&key);
    let expected = format!(
        "gave up after 0.1 s: process {pid} is running the threads and has not finished; `sayso show t"
    );
    cli.refused(&["start", "player", &input, "--wait", "--timeout", "0.1"], 1, &expected);
    let output = cli.sayso(&["run", "--timeout", "0.1", "--json"]);
    assert_eq!((output.code, output.out.as_str()), (1, ""), "{output:?}");
    let note = format!("note: process {pid} is already running the threads; waiting for it\nerror: gave up");
    let (_, why) = output.err.split_once(&note).unwrap();
    assert!(why.contains(&format!("process {pid}")), "{output:?}");
    // A second driver waits for the first one to end, and then takes over.
    let second = cli.spawn(&["run"]);
    std::fs::write(&key, "").unwrap();
    let output = second.wait();
    assert_eq!(output.code, 0, "{output:?}");
    assert!(driver.is_running());
    assert_eq!(cli.json(&["threads", "--status", "done"]).as_array().unwrap().len(), 2);
    driver.signal(Signal::INT);
    assert_eq!(driver.wait().code, 0);
}

#[test]
fn a_wait_that_ends_early_says_so_and_loses_nothing() {
    let cli = Cli::new();
    let input = waiting_for(&cli.path("key"));
    let start = ["start", "player", &input, "--wait"];
    let hasty = cli.sayso(&[&start[..], &["--timeout", "0.1"]].concat());
    hasty.refused(1, "no process is running threads;");
    let waiting = cli.spawn(&start);
    until(|| cli.driver() == Some(waiting.pid().into()));
    until(|| cli.json(&["activity"])["threads"]["running"] == 1);
    waiting.signal(Signal::INT);
    waiting.wait().refused(1, "interrupted while waiting; nothing is lost");
    std::fs::write(cli.path("key"), "").unwrap();
    assert_eq!(texts(&cli.json(&["run"])["threads"]).len(), 2);
    cli.refused(&["start", "player", &input, "--timeout", "1"], 2, "--wait");
    cli.refused(&[&start[..], &["--timeout", "soon"]].concat(), 2, "not a number of seconds");
}

#[test]
fn pause_holds_every_process_until_resume() {
    let cli = Cli::new();
    let driver = watch(&cli);
    assert_eq!(cli.json(&["pause"])["paused"], true);
    let output = cli.sayso(&["start", "chat", "topic=tea", "--wait", "--json"]);
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.err.contains("note: everything is paused; `sayso pause --off`"), "{output:?}");
    let outcome: Value = serde_json::from_str(&output.out).unwrap();
    assert_eq!(outcome["status"], "ready");
    assert!(cli.sayso(&["activity", "--short"]).done().ends_with("paused\n"));
    assert!(cli.sayso(&["activity"]).done().contains("paused; `sayso pause --off`"));
    let resumed = cli.sayso(&["pause", "--off"]);
    assert_eq!(resumed.done(), format!("Resumed: process {} is running threads again.\n", driver.pid()));
    until(|| cli.json(&["activity"])["open"]["question"] == 1);
    driver.signal(Signal::TERM);
    assert_eq!(driver.wait().code, 0);
    // It outlives the processes, too.
    cli.json(&["pause"]);
    cli.json(&["start", "chat", "topic=milk"]);
    let output = cli.sayso(&["run", "--json"]);
    assert_eq!((output.code, output.out.as_str()), (0, "{\"threads\":[],\"interrupts\":[]}\n"), "{output:?}");
    assert_eq!(cli.json(&["pause", "--off"])["paused"], false);
    assert_eq!(texts(&cli.json(&["run"])["interrupts"]).len(), 1);
}
