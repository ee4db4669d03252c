//! The child process: this binary again, told what to do by its environment.

use crate::home::{Home, PARCELS};
use crate::side_by_side;
use crate::support::delivery::DeliveryLog;
use crate::support::test_inbox::{TestInbox, decide};
use sayso::app::{Driver, Scope, Until};
use sayso::engine::graph::{Decision, InterruptId};
use sayso::engine::store::{Mode, Store};
use sayso::inbox::door::Inbox;
use sayso::inbox::{ItemQuery, Question, Status, ThreadQuery};
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

/// This binary, about to run an errand in `home`.
pub fn errand(home: &Home, errand: &str) -> Command {
    // By this name another user, too, can start it, who may not look into the folder where it was built.
    let here = PathBuf::from("/proc/self/exe");
    let program = if here.exists() { here } else { std::env::current_exe().unwrap() };
    let mut command = Command::new(program);
    prepare(&mut command, home, errand);
    command
}

/// The same under strace, with this fault injected.
pub fn traced(home: &Home, errand: &str, inject: &str) -> Command {
    let mut command = strace(inject);
    prepare(&mut command, home, errand);
    command
}

/// This binary under strace, with this fault injected.
pub fn strace(inject: &str) -> Command {
    let calls = inject.split(':').next().unwrap();
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={calls}")]);
    command.args(["-e", &format!("inject={inject}")]).arg(std::env::current_exe().unwrap());
    command
}

fn prepare(command: &mut Command, home: &Home, errand: &str) {
    command
        .args(["child::entry", "--exact", "--nocapture", "--test-threads=1"])
        .env("SAYSO_ERRAND", errand)
        .env("SAYSO_HOME", home.folder.path())
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
}

/// How many times it dies: of the first of something, of the second, and so on until it lives.
pub fn deaths(dies: impl Fn(usize) -> bool + Sync) -> usize {
    let mut deaths = 0;
    loop {
        let next: Vec<usize> = (deaths + 1..=deaths + 4).collect();
        let died = side_by_side(&next, |n| dies(*n)).into_iter().filter(|died| *died).count();
        deaths += died;
        if died < next.len() {
            return deaths;
        }
    }
}

/// Whether strace is there and may trace.
pub fn has_strace() -> bool {
    let tried = Command::new("strace").args(["-o", "/dev/null", "true"]).stderr(Stdio::null()).status();
    tried.is_ok_and(|status| status.success())
}

/// What an errand said.
pub fn said(output: &Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().filter_map(|line| Some(line.split_once("> ")?.1.to_owned())).collect()
}

/// Runs an errand to its end.
pub fn run(mut command: Command) -> Vec<String> {
    said(&command.output().unwrap())
}

/// An errand under way, read line by line.
pub struct Away {
    pub child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Away {
    pub fn start(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    /// The next thing it says; `None` when it has ended.
    pub fn hear(&mut self) -> Option<String> {
        loop {
            let line = self.lines.next()?.ok()?;
            if let Some((_, said)) = line.split_once("> ") {
                return Some(said.to_owned());
            }
        }
    }

    /// Lets it go on past its next [`wait_for_word`].
    pub fn nudge(&mut self) {
        use std::io::Write;
        self.child.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
    }

    /// Everything it still says.
    pub fn rest(mut self) -> Vec<String> {
        let rest = std::iter::from_fn(|| self.hear()).collect();
        self.child.wait().unwrap();
        rest
    }
}

pub fn say(text: impl std::fmt::Display) {
    println!("> {text}");
}

pub fn wait_for_word() {
    let _ = std::io::stdin().lock().read_line(&mut String::new());
}

#[test]
fn entry() {
    let Ok(errand) = std::env::var("SAYSO_ERRAND") else { return };
    let home = PathBuf::from(std::env::var("SAYSO_HOME").unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        if errand == "look" {
            return look(&home).await;
        }
        if errand == "deliver" {
            return crate::maildirs::deliver(&home);
        }
        if errand == "expire" {
            return crate::expiries::expire(&home).await;
        }
        let delivery_log = crate::post::delivery_log(&home);
        delivery_log.blind.store(std::env::var("SAYSO_BLIND").is_ok(), std::sync::atomic::Ordering::SeqCst);
        if Store::open(&home.join("data")).map_err(say).is_err() {
            return;
        }
        let inbox = TestInbox::builder().in_folder(home.as_path()).delivery_log(delivery_log.clone()).open();
        match errand.as_str() {
            "life" => life(&inbox, &delivery_log).await,
            "full" => full(&inbox, &delivery_log).await,
            "drive" => drive(&inbox).await,
            "prune" => crate::prunes::prune(&inbox).await,
            "try" => match Driver::take(inbox.engine().clone()).await.unwrap() {
                Ok(_) => say("ours"),
                Err(pid) => say(format!("theirs {}", pid.unwrap_or_default())),
            },
            "accept" => race(&inbox, Decision::Accept).await,
            "ignore" => race(&inbox, Decision::Ignore).await,
            other => panic!("{other}"),
        }
    });
    // No destructor runs, as in a process that dies.
    std::process::exit(0);
}

fn wanted() -> usize {
    std::env::var("SAYSO_THREADS").map_or(1, |n| n.parse().unwrap())
}

pub async fn open_items(inbox: &Inbox) -> Vec<Question> {
    inbox.decisions().questions(ItemQuery { limit: 999, ..Default::default() }).await.unwrap().rows
}

/// What a person answers: yes to deliveries, and the truth where something is in doubt.
fn answer(item: &Question, delivery_log: &DeliveryLog) -> Decision {
    if item.action != "in_doubt" {
        return Decision::Accept;
    }
    let effect = item.args["effect"].as_str().unwrap();
    let parcel = effect.trim_start_matches("deliver:");
    if delivery_log.deliveries().contains(&format!("{parcel} for {}", item.thread)) {
        Decision::Accept
    } else {
        Decision::Edit { args: json!({"effect": effect, "outcome": "not_done"}) }
    }
}

/// Everything left to do: start, drive, answer, until every thread is done. It can be begun again at any time.
async fn live(inbox: &Inbox, delivery_log: &DeliveryLog) -> Result<(), String> {
    let query = ThreadQuery { limit: 999, ..Default::default() };
    let started = inbox.threads().list(query).await.map_err(|e| e.to_string())?.rows.len();
    for _ in started..wanted() {
        let input = json!({"parcels": PARCELS});
        inbox.threads().start("courier".to_owned(), input).await.map_err(|e| e.to_string())?;
    }
    loop {
        let mut worker = Driver::take(inbox.engine().clone()).await.map_err(|e| e.to_string())?.unwrap();
        let run = worker.run(&Scope::All, Until::Idle, std::future::pending()).await;
        run.map_err(|e| e.to_string())?;
        if let Some(error) = worker.failed().values().next() {
            return Err(error.to_string());
        }
        let items = open_items(inbox).await;
        if items.is_empty() {
            return Ok(());
        }
        for item in items {
            let id = item.id.clone();
            decide(inbox, &id, answer(&item, delivery_log)).await.map_err(|e| e.to_string())?;
        }
    }
}

/// Lives as long as it can; when something fails it tries on, and says what it could still do.
async fn life(inbox: &Inbox, delivery_log: &DeliveryLog) {
    let Err(error) = live(inbox, delivery_log).await else { return say("done") };
    let before = delivery_log.deliveries().len();
    say(format!("error {error}"));
    for _ in 0..2 {
        let _ = live(inbox, delivery_log).await;
    }
    let after = delivery_log.deliveries().len() - before;
    let mode = match inbox.engine().store().mode() {
        Mode::ReadWrite => "read-write".to_owned(),
        Mode::ViewOnly(why) => format!("view-only {why}"),
    };
    say(format!("after {after}"));
    say(format!("mode {mode}"));
}

/// The disk fills up and is freed again: whatever is refused is tried again, and nothing is lost.
async fn full(inbox: &Inbox, delivery_log: &DeliveryLog) {
    for _ in 0..60 {
        match live(inbox, delivery_log).await {
            Ok(()) => return say("done"),
            Err(error) => say(format!("error {error}")),
        }
    }
}

/// Drives until every thread is done.
async fn drive(inbox: &Inbox) {
    let mut worker = Driver::take(inbox.engine().clone()).await.unwrap().unwrap();
    say("driving");
    let store = inbox.engine().store().clone();
    let all_done = async {
        let mut changes = store.changes();
        loop {
            changes.borrow_and_update();
            let counts = store.inbox().counts().unwrap().threads;
            let done = Status::ALL.iter().position(|status| *status == Status::Done).unwrap();
            if counts.iter().sum::<u64>() == counts[done] {
                return;
            }
            changes.changed().await.unwrap();
        }
    };
    worker.run(&Scope::All, Until::Stopped, all_done).await.unwrap();
    say("done");
}

/// Decides everything that is open, at the same time as somebody else.
async fn race(inbox: &Inbox, decision: Decision) {
    let mut ids: Vec<InterruptId> = open_items(inbox).await.into_iter().map(|question| question.id).collect();
    if decision == Decision::Ignore {
        // From the other end, so that both have a part in it.
        ids.reverse();
    }
    say("ready");
    wait_for_word();
    for id in ids {
        match decide(inbox, &id, decision.clone()).await {
            Ok(_) => say(format!("won {id}")),
            Err(error) => say(format!("told {id} {error}")),
        }
    }
}

/// Looks at a folder that may not be writable, and tries to write.
async fn look(home: &std::path::Path) {
    let store = match Store::open(&home.join("data")) {
        Ok(store) => store,
        Err(error) => return say(format!("refused {error}")),
    };
    say(format!("mode {:?}", store.mode()));
    drop(store);
    let inbox = TestInbox::builder().in_folder(home).open();
    for item in open_items(&inbox).await {
        let id = item.id.clone();
        say(format!("item {} {}", item.id, inbox.decisions().card(id.clone()).await.is_ok()));
        match decide(&inbox, &id, Decision::Accept).await {
            Ok(_) => say("decided"),
            Err(error) => say(format!("no {error}")),
        }
    }
    match Driver::take(inbox.engine().clone()).await {
        Ok(_) => say("driving"),
        Err(error) => say(format!("no driver {error}")),
    }
    say("end");
}
