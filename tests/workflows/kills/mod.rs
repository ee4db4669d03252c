//! SIGKILL at the steps of the agents, while they look things up and ask, and while a person takes the model's place and
//! gives it back: nothing is lost, and nothing is done or asked for twice.

mod analyze;
mod ask;
mod docs;
mod sheet;

use crate::support::test_inbox::TestInbox;
use sayso::agent::llm::Request;
use sayso::app::fail_point;
use sayso::engine::graph::ThreadId;
use serde_json::Value;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Where a driver dies, and where whoever hands a thread over does.
const COMMITS: [&str; 2] = ["before_commit", "after_commit"];
const HANDS: [&str; 2] = ["before_hand", "after_hand"];

/// Remembers beyond death what the model was asked for.
fn note(home: &Path, request: &Request) {
    let mut asked = OpenOptions::new().create(true).append(true).open(home.join("asked")).unwrap();
    writeln!(asked, "{} {}", request.task, request.facts["agent"].as_str().unwrap_or_default()).unwrap();
}

/// What the model was asked for, oldest first.
fn asked(home: &Path) -> Vec<String> {
    std::fs::read_to_string(home.join("asked")).unwrap().lines().map(str::to_owned).collect()
}

/// The thread of a workflow, if there is one.
async fn thread_of(inbox: &TestInbox, workflow: &str) -> Option<ThreadId> {
    let lines = inbox.lines().await.into_iter().filter(|line| line.workflow == workflow);
    let threads: Vec<ThreadId> = lines.map(|line| line.id).collect();
    assert!(threads.len() <= 1, "{threads:?}");
    threads.into_iter().next()
}

/// The thread of a workflow; it starts in the first life.
async fn begun(inbox: &TestInbox, workflow: &str, input: Value) -> ThreadId {
    match thread_of(inbox, workflow).await {
        Some(thread) => thread,
        None => inbox.start(workflow, input).await,
    }
}

async fn hand(inbox: &TestInbox, thread: &ThreadId, to_person: bool) {
    if inbox.threads().is_taken_over(thread.clone()).await.unwrap() != to_person {
        fail_point("before_hand");
        inbox.threads().hand(thread.clone(), to_person).await.unwrap();
        fail_point("after_hand");
    }
}

#[test]
fn entry() {
    let Ok(home) = std::env::var("SAYSO_LOOP_HOME") else { return };
    let home = Path::new(&home);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        match std::env::var("SAYSO_LOOP_STORY").unwrap().as_str() {
            "analyze" => analyze::live(home).await,
            "ask" => ask::live(home).await,
            "docs" => docs::live(home).await,
            "sheet" => sheet::live(home).await,
            other => panic!("{other}"),
        }
    });
    std::process::exit(0);
}

/// Lives in a process of its own; whether it lived to the end.
fn lives(story: &str, home: &Path, point: Option<&str>) -> bool {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["kills::entry", "--exact", "--nocapture", "--test-threads=1"]);
    child.env("SAYSO_LOOP_STORY", story).env("SAYSO_LOOP_HOME", home);
    child.stdout(Stdio::null()).stderr(Stdio::null());
    child.envs(point.map(|point| ("SAYSO_FAIL_POINT", point)));
    child.status().unwrap().success()
}

/// Dies there and lives again, if it gets there; whether it died.
fn dies(story: &str, home: &Path, point: &str) -> bool {
    let died = !lives(story, home, Some(point));
    assert!(!died || lives(story, home, None), "{story}, {point}: recovery");
    died
}

/// Tries these points one after the other as often as they are passed, each `every` time, and all of them at once.
fn at_each(story: &str, points: &[&str], every: usize, dies_at: impl Fn(&str) -> bool + Sync) {
    let deaths = std::thread::scope(|scope| {
        let try_point = |point: &str| {
            let died = (1..).step_by(every).take_while(|count| dies_at(&format!("{point}:{count}"))).count();
            assert!(died >= 2, "{story}, {point}: it died {died} times");
            died
        };
        let tries: Vec<_> = points.iter().map(|point| scope.spawn(move || try_point(point))).collect();
        tries.into_iter().map(|one| one.join().unwrap()).sum::<usize>()
    });
    println!("loop · SIGKILL at the steps of {story} · {deaths} trials · {deaths} passes");
}
