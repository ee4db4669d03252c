//! `sayso demo` through the real program: created, worked on, reset, and refused where other files are.

use crate::python;
use crate::runner::{Cli, CliOutput, captured, each, read, text, texts};
use crate::support::file_names;
use crate::terminal::Terminal;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

/// A demo in a folder of its own, with nothing held back.
pub struct Demo {
    cli: Cli,
    /// Whether there is a Python to work on the orders with.
    has_python: bool,
}

impl Demo {
    pub fn new() -> Self {
        let cli = Cli::new();
        let program = python::program().map_err(|why| println!("skipped the orders: {why}"));
        fs::create_dir(cli.path("bin")).unwrap();
        if let Ok(program) = &program {
            // What is in the PATH of many people only starts another Python.
            let starter = cli.path("bin/python3");
            fs::write(&starter, format!("#!/bin/sh\nexec {} \"$@\"\n", program.display())).unwrap();
            fs::set_permissions(starter, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let demo = Self { cli, has_python: program.is_ok() };
        let laid = demo.json(&["demo", "--no-tui"]);
        assert_eq!(laid["no_python"].is_null(), demo.has_python, "{laid}");
        let path = demo.folder().join("config.toml");
        let config = fs::read_to_string(&path).unwrap().replace("delay_seconds = 3", "delay_seconds = 0");
        fs::write(path, format!("{config}\n[approvals]\nhold_seconds = 0\n")).unwrap();
        demo
    }

    pub fn folder(&self) -> PathBuf {
        self.cli.path("demo")
    }

    /// The real program on the demo.
    fn program(&self) -> Command {
        let mut command = self.cli.real();
        command.env_remove("SAYSO_DATA").env("PATH", self.cli.path("bin")).arg("--data").arg(self.folder());
        command
    }

    pub fn run(&self, args: &[&str]) -> CliOutput {
        captured(self.program().args(args).output().unwrap())
    }

    #[track_caller]
    pub fn json(&self, args: &[&str]) -> Value {
        read(&self.run(&[args, &["--json"]].concat()), 0)
    }

    /// What a thread asks next.
    fn next(&self, outcome: &Value) -> Value {
        self.json(&["view", &texts(&outcome["interrupts"])[0]])
    }

    /// The open item whose title has these words.
    #[track_caller]
    pub fn item(&self, words: &str) -> Value {
        let list = self.json(&["list"]);
        let found = list.as_array().unwrap().iter().find(|item| text(&item["title"]).contains(words));
        found.unwrap_or_else(|| panic!("{words} in {list}")).clone()
    }

    pub fn outbox(&self) -> Vec<String> {
        let folder = self.folder().join("mail/outbox/new");
        let read = |name: String| fs::read_to_string(folder.join(name)).unwrap();
        file_names(&folder).into_iter().map(read).collect()
    }
}

#[test]
fn the_week_is_worked_through_for_real() {
    let demo = Demo::new();
    // What was really run when it was laid out.
    let past = demo.json(&["threads", "--status", "done"]);
    assert!(past.as_array().unwrap().len() >= 2, "{past}");
    assert_eq!(demo.item("Why did the launch slip?")["kind"], "question");
    let asked = demo.item("$ git push origin spring-fair");
    assert_eq!(
        (&asked["action"], &asked["source"]),
        (&"request/Bash".into(), &"request: webshop agent".into())
    );
    demo.json(&["run"]);

    // A draft is accepted and lands in the outbox as a mail.
    let offer = demo.item("Twelve cargo bikes");
    assert_eq!((&offer["kind"], &offer["action"]), (&"approval".into(), &"write_email".into()));
    let hash = text(&offer["args_hash"]);
    let done = demo.json(&["accept", &text(&offer["id"]), "--args-hash", &hash, "--wait"]);
    assert_eq!(done["status"], "done", "{done}");
    let [mail] = &demo.outbox()[..] else { panic!("{:?}", demo.outbox()) };
    let parsed = sayso::mail::parse(mail.as_bytes()).unwrap();
    assert_eq!(parsed.from.address, "noor@tidewheel.example");
    assert_eq!(parsed.to[0].address, "adaeze.obi@harbourcouriers.example");
    assert_eq!(parsed.subject, "Re: Twelve cargo bikes");
    assert_eq!(parsed.in_reply_to, ["03-harbour-couriers@harbourcouriers.example"]);
    assert!(parsed.text.contains("Dear Adaeze,") && parsed.text.contains("- 11:30"), "{}", parsed.text);
    assert!(parsed.message_id.is_some() && parsed.date.is_some());

    // A question is answered: by words that have an answer, or by words that become the letter.
    let asked = demo.item("Hub drawings");
    assert_eq!(asked["action"], "question");
    let outcome = demo.json(&["respond", &text(&asked["id"]), "Sam", "--wait"]);
    let draft = demo.next(&outcome);
    let content = text(&draft["args"]["content"]);
    assert!(content.contains("Sam approves the change to the steel."), "{content}");
    let outcome = demo.json(&["respond", &text(&draft["id"]), "Lena approves it herself.", "--wait"]);
    let draft = demo.next(&outcome);
    assert_eq!(draft["args"]["content"], "Hi Lena,\n\nLena approves it herself.\n\nBest,\nNoor");
    let sent = demo.json(&["accept", &text(&draft["id"]), "--wait"]);
    assert_eq!((&sent["status"], demo.outbox().len()), (&"done".into(), 2), "{sent}");

    // A meeting is put into the calendar.
    let meeting = demo.item("Planning the spring fair");
    assert_eq!(meeting["action"], "schedule_meeting");
    assert_eq!(meeting["args"]["duration_minutes"], 60);
    demo.json(&["accept", &text(&meeting["id"]), "--wait"]);
    let calendar = fs::read_to_string(demo.folder().join("calendar.ics")).unwrap();
    assert!(calendar.contains("SUMMARY:Planning the spring fair"), "{calendar}");

    if demo.has_python {
        the_orders_are_worked_on_for_real(&demo);
    }

    // What is missing is asked of the person, and the API is played: nothing goes over the network.
    let asked = demo.item("Which tracks does the playlist have?");
    assert_eq!((&asked["kind"], &asked["action"]), (&"question".into(), &"question".into()));
    assert!(text(&asked["args"]["question"]).contains("I'll ask audius for it"), "{asked}");
    let which = demo.next(&demo.json(&["respond", &text(&asked["id"]), "The one for the fair", "--wait"]));
    let question = text(&which["args"]["question"]);
    assert!(question.contains("1. Spring Fair by Tidewheel\n2. Workshop Radio by Tidewheel"), "{question}");
    let next = demo.next(&demo.json(&["respond", &text(&which["id"]), "1", "--wait"]));
    let card = text(&next["text"]);
    assert!(card.contains("1. \"First Gear\" by The Freewheels (5,120 plays)"), "{card}");
    let ended = demo.json(&["accept", &text(&next["id"]), "--wait"]);
    assert_eq!(ended["status"], "done", "{ended}");
    // Everything about it is in order, and only the person can look into it.
    let doctor = demo.json(&["doctor"]);
    assert!(doctor.as_array().unwrap().iter().all(|check| check["ok"] == true), "{doctor}");
}

fn the_orders_are_worked_on_for_real(demo: &Demo) {
    let results = demo.json(&["list", "--kind", "result"]);
    let summed = results.as_array().unwrap().iter().find(|item| item["workflow"] == "sheet").unwrap();
    assert_eq!(summed["title"], "Sum Amount by Region");
    assert!(text(&demo.json(&["view", &text(&summed["id"])])["text"]).contains("West: 634850.6"));

    let code = demo.item("Mark the outliers in Quantity");
    assert_eq!((&code["kind"], &code["action"]), (&"approval".into(), &"python".into()));
    assert!(text(&code["gist"]).starts_with("Adds a column Check"), "{code}");
    let done = demo.json(&["accept", &text(&code["id"]), "--wait"]);
    assert_eq!(done["status"], "done", "{done}");
    assert_eq!(
        done["output"]["answer"],
        "2 of 320 quantities are unusual, and marked: TW-4257 (150), TW-4411 (24)\nThe others lie between -3.5 and 8.5."
    );
    let read = |name: &str| fs::read_to_string(demo.folder().join("sheets").join(name)).unwrap();
    let (before, after) = (read("orders.csv"), read("orders.result.csv"));
    let mut marked = Vec::new();
    for (at, (was, now)) in before.lines().zip(after.lines()).enumerate() {
        match now.strip_prefix(was) {
            Some(",Check") if at == 0 => {}
            Some(",") => {}
            Some(",unusual") => marked.push(was.split(',').next().unwrap()),
            changed => panic!("{was}: {changed:?}"),
        }
    }
    assert_eq!((before.lines().count(), &marked[..]), (after.lines().count(), &["TW-4257", "TW-4411"][..]));
}

#[test]
fn without_a_python_the_demo_leaves_the_orders_out_and_says_so() {
    let cli = Cli::new();
    let laid = read(&captured(cli.real().args(["demo", "--no-tui", "--json"]).output().unwrap()), 0);
    assert_eq!(laid["no_python"], "no Python was found in your PATH");
    let folder = text(&laid["folder"]);
    let threads = captured(cli.real().args(["threads", "--json", "--data", &folder]).output().unwrap());
    let threads = read(&threads, 0);
    let all = threads.as_array().unwrap();
    assert!(!all.is_empty() && all.iter().all(|thread| thread["workflow"] != "sheet"), "{threads}");
    let again = read(&captured(cli.real().args(["demo", "--no-tui", "--json"]).output().unwrap()), 0);
    assert_eq!((&again["fresh"], again.get("no_python")), (&false.into(), None), "{again}");
}

/// The open items, by title.
fn titles(demo: &Demo) -> Vec<String> {
    let list = demo.json(&["list"]);
    let titles = list.as_array().unwrap().iter().map(|item| format!("{} {}", item["action"], item["title"]));
    let mut titles: Vec<String> = titles.collect();
    titles.sort();
    titles
}

#[test]
fn it_answers_the_same_however_often_it_is_opened_and_in_any_order() {
    let demo = Demo::new();
    demo.json(&["run"]);
    let first = titles(&demo);
    // Everything that waits is decided, newest first, each by another process.
    let mut list = demo.json(&["list"]).as_array().unwrap().clone();
    list.reverse();
    let mails = |item: &&Value| item["workflow"] == "email";
    for item in list.iter().filter(mails) {
        let verb = if item["action"] == "question" { "ignore" } else { "accept" };
        demo.json(&[verb, &text(&item["id"]), "--wait"]);
    }
    let left = demo.json(&["list"]);
    let left: Vec<&Value> = left.as_array().unwrap().iter().filter(mails).collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(demo.outbox().iter().all(|mail| !mail.contains("{{")));
    let trouble = demo.json(&["list", "--kind", "trouble"]);
    assert_eq!(trouble.as_array().unwrap().len(), 0, "{trouble}");
    // Reset, it is the same again.
    demo.json(&["demo", "--reset"]);
    demo.json(&["run"]);
    assert_eq!(titles(&demo), first);
}

#[test]
fn the_tours_road_has_its_answers() {
    let demo = Demo::new();
    demo.json(&["run"]);
    // The attack is shown with its warnings, and does nothing.
    let attack = demo.item("your mailbox is 98% full");
    assert_eq!(attack["action"], "notify");
    let codes = each(&attack["warnings"], "code");
    for code in ["reply_to_differs", "link_differs"] {
        assert!(codes.iter().any(|seen| seen == code), "{code} in {codes:?}");
    }
    let card = text(&demo.json(&["view", &text(&attack["id"])])["text"]);
    assert!(!card.contains("Ignore your earlier instructions"), "{card}");
    assert!(demo.outbox().is_empty());
    demo.json(&["ignore", &text(&attack["id"]), "--wait"]);
    // The awkward ones are read, and what a rule names is not shown.
    demo.item("ベアリングの見積書");
    demo.item("Образцы спиц");
    let list = demo.json(&["list"]).to_string();
    assert!(!list.contains("The Weekly Spoke") && !list.contains("30% off"), "{list}");
    let offer = demo.item("Twelve cargo bikes");
    let content = text(&offer["args"]["content"]).replace("good news", "great news");
    demo.json(&["edit", &text(&offer["id"]), "--set", &format!("content={content}"), "--wait"]);
    assert!(demo.outbox()[0].contains("great news"), "{:?}", demo.outbox());
    let failed = demo.item("Build failed");
    demo.json(&["ignore", &text(&failed["id"]), "--wait"]);
    demo.json(&["run"]);
    // What was taught lowers the next one and does not hide it.
    for step in sayso::app::demo_tour(&demo.folder(), &jiff::tz::TimeZone::UTC) {
        if let sayso::app::TourGoal::LookAtSkipped(delivery) = step.goal {
            delivery.deliver(jiff::Timestamp::now()).unwrap();
        }
    }
    demo.json(&["mail", "sync"]);
    demo.json(&["run"]);
    let mails = demo.json(&["mail"]);
    let next = mails.as_array().unwrap().iter().find(|mail| text(&mail["subject"]).contains("#482")).unwrap();
    assert_eq!(next["class"], "notify", "{next}");
    assert!(demo.item("git push")["allow"]["accept"] == true);
    assert!(demo.json(&["list", "--kind", "trouble"]).as_array().unwrap().is_empty());
}

#[test]
fn words_without_an_answer_get_a_sentence() {
    let demo = Demo::new();
    let asked = demo.item("Why did the launch slip?");
    let cost = demo.next(&demo.json(&["respond", &text(&asked["id"]), "Cost!", "--wait"]));
    assert!(text(&cost["args"]["question"]).contains("41 longtails were sold"), "{cost}");
    let other = demo.next(&demo.json(&["respond", &text(&cost["id"]), "And the weather?", "--wait"]));
    let sentence = "The demo's script has no answer to this.";
    assert!(text(&other["args"]["question"]).starts_with(sentence), "{other}");
    let done = demo.json(&["accept", &text(&other["id"]), "--wait"]);
    assert!(text(&done["output"]["answer"]).contains("The certificate for the battery"), "{done}");

    if demo.has_python {
        let code = demo.item("Mark the outliers in Quantity");
        let other = demo.next(&demo.json(&["respond", &text(&code["id"]), "only in the North", "--wait"]));
        assert!(text(&other["args"]["answer"]).starts_with(sentence), "{other}");
    }
    // A thread that nobody wrote answers for is not started.
    for args in [&["analyze", "--query", "Why?", "--inputs", "notes"][..], &["ask", "top genres"]] {
        let mut command = demo.program();
        let refused = captured(command.current_dir(demo.folder()).args(args).output().unwrap());
        refused.refused(2, "the demo plays written answers, and has none to this; it has some to “W");
    }
    assert!(demo.run(&["threads"]).out.lines().all(|line| !line.contains("top genres")));
}

#[test]
fn it_is_laid_out_once_reset_on_demand_and_never_over_other_files() {
    let demo = Demo::new();
    let again = demo.json(&["demo", "--no-tui"]);
    assert_eq!((&again["fresh"], &again["folder"]), (&false.into(), &demo.folder().to_str().unwrap().into()));
    let asked = text(&demo.item("Why did the launch slip?")["id"]);
    demo.json(&["ignore", &asked]);
    let anew = demo.json(&["demo", "--reset"]);
    assert_eq!(anew["fresh"], true);
    assert_ne!(text(&demo.item("Why did the launch slip?")["id"]), asked);

    let cli = Cli::new();
    fs::create_dir(cli.path("mine")).unwrap();
    fs::write(cli.path("mine/letter.txt"), "Dear").unwrap();
    let run = |data: &str, args: &[&str]| {
        captured(cli.real().env("SAYSO_DATA", cli.path(data)).args(args).output().unwrap())
    };
    let mine = cli.path("mine").display().to_string();
    for args in
        [&["demo", "--no-tui", "--data", &mine][..], &["demo", "--no-tui", "--reset", "--data", &mine]]
    {
        run("data", args).refused(2, "not empty");
    }
    assert_eq!(fs::read_dir(cli.path("mine")).unwrap().count(), 1);
    // Without --data it lies beneath the data folder, and a screen needs a terminal.
    let below = read(&run("all", &["demo", "--no-tui", "--json"]), 0);
    assert_eq!(below["folder"], cli.path("all").join("demo").to_str().unwrap());
    run("all", &["demo"]).refused(2, "--no-tui");
}

#[test]
fn the_tour_throws_no_demo_away_unasked() {
    let demo = Demo::new();
    demo.json(&["pause"]);
    let folder = demo.folder().display().to_string();
    let mut terminal = Terminal::plain(&demo.cli, &["demo", "--tour", "--data", &folder]);
    terminal.wait_for("`sayso demo --tour --reset` throws away what you did in it");
    drop(terminal);
    assert_eq!(demo.json(&["activity"])["paused"], true, "what was done is there");
    let mut terminal = Terminal::plain(&demo.cli, &["demo", "--tour", "--reset", "--data", &folder]);
    terminal.wait_for("DEMO");
}
