//! Complete threads over real servers: from the delivery of a mail to the reply in Sent, killed again and again.

use super::dovecot::{Dovecot, PASSWORD, available, fixture};
use super::exim::Exim;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How many mails come, and how often the driver is killed meanwhile.
const MAILS: u64 = 6;
const KILLS: u64 = 25;
const PATIENCE: Duration = Duration::from_secs(120);

/// The program with a data folder of its own.
struct Program {
    home: tempfile::TempDir,
}

impl Program {
    fn new(dovecot: &Dovecot, exim: &Exim) -> Self {
        let home = tempfile::tempdir().unwrap();
        let program = Self { home };
        fs::DirBuilder::new().mode(0o700).create(program.data()).unwrap();
        let config = format!(
            "[user]\naddress = \"ada@example.org\"\n[approvals]\nhold_seconds = 0\n[intake]\nunread_only = \"off\"\n\
             [[mail]]\nname = \"live\"\nkind = \"imap\"\nhost = \"localhost\"\nport = {}\nuser = \"ada\"\n\
             password_command = \"echo {PASSWORD}\"\nca_file = \"{ca}\"\n\
             outgoing = {{ kind = \"smtp\", host = \"localhost\", port = {}, ca_file = \"{ca}\" }}\n",
            dovecot.imaps,
            exim.smtps,
            ca = fixture("ca.pem").display(),
        );
        fs::write(program.data().join("config.toml"), config).unwrap();
        program
    }

    fn data(&self) -> PathBuf {
        self.home.path().join("data")
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sayso"));
        let path = std::env::var_os("PATH").unwrap_or_default();
        command.env_clear().env("PATH", path).env("HOME", self.home.path()).env("SAYSO_DATA", self.data());
        command.env("TZ", "UTC").args(args).stdin(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn json(&self, args: &[&str]) -> Value {
        let out = self.command(args).arg("--json").output().unwrap().stdout;
        serde_json::from_slice(&out).unwrap_or_default()
    }

    fn watch(&self) -> Child {
        self.command(&["watch"]).stdout(Stdio::null()).spawn().unwrap()
    }

    /// Answers every question and accepts every reply. Gives the number of items in doubt, which are left to a person.
    fn decide(&self) -> usize {
        let mut in_doubt = 0;
        for item in self.json(&["list"]).as_array().cloned().unwrap_or_default() {
            let id = item["id"].as_str().unwrap_or_default();
            let words: &[&str] = match item["action"].as_str() {
                Some("write_email") => &["accept", id],
                Some("question") => &["respond", id, "Yes, it still stands."],
                _ => {
                    in_doubt += usize::from(item["kind"] == "trouble");
                    continue;
                }
            };
            // It fails if the item is gone or the program was killed; then it is decided in the next round.
            let _ = self.command(words).stdout(Stdio::null()).status();
        }
        in_doubt
    }

    fn done(&self) -> usize {
        let mails = self.json(&["mail"]).as_array().cloned().unwrap_or_default();
        mails.iter().filter(|mail| mail["status"] == "done").count()
    }
}

/// Numbers that look random and are the same in every run.
fn pseudo_random(n: u64) -> u64 {
    n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407) >> 33
}

#[test]
#[ignore = "needs Dovecot and Exim; run by .ci/run"]
fn whole_threads_killed_at_random_send_each_reply_once() {
    if !available(&["dovecot", "exim4"]) {
        return;
    }
    let (dovecot, exim) = (Dovecot::start(), Exim::start());
    let program = Program::new(&dovecot, &exim);
    for n in 1..=KILLS {
        if n <= MAILS {
            dovecot.ask(n);
        }
        let mut watch = program.watch();
        std::thread::sleep(Duration::from_millis(200 + pseudo_random(n) % 900));
        program.decide();
        std::thread::sleep(Duration::from_millis(pseudo_random(n + KILLS) % 400));
        watch.kill().unwrap();
        watch.wait().unwrap();
    }
    let mut watch = program.watch();
    let deadline = Instant::now() + PATIENCE;
    let in_doubt = loop {
        let in_doubt = program.decide();
        if program.done() + in_doubt == MAILS as usize {
            break in_doubt;
        }
        let waiting = program.json(&["list"]);
        assert!(Instant::now() < deadline, "{waiting} {}", program.json(&["mail"]));
        std::thread::sleep(Duration::from_millis(300));
    };
    watch.kill().unwrap();
    watch.wait().unwrap();
    let arrived = exim.wait_for(MAILS as usize - in_doubt);
    let count = |among: &[String], n: u64| {
        let field = format!("In-Reply-To: <{n}@example.com>");
        among.iter().filter(|mail| mail.contains(&field)).count()
    };
    let sent = dovecot.letters("Gesendete Post");
    let mut missing = 0;
    for n in 1..=MAILS {
        assert!(count(&arrived, n) <= 1 && count(&sent, n) <= 1, "{n}: {arrived:?} {sent:?}");
        missing += 1 - count(&arrived, n).min(1);
    }
    assert!(missing <= in_doubt, "{missing} replies are missing, {in_doubt} are in doubt");
    eprintln!("{KILLS} kills: {} replies arrived once, {in_doubt} in doubt", arrived.len());
}

#[test]
#[ignore = "needs Dovecot and Exim; run by .ci/run"]
fn whoever_the_server_does_not_take_a_mail_for_is_named_and_asked_about() {
    if !available(&["dovecot", "exim4"]) {
        return;
    }
    let (dovecot, exim) = (Dovecot::start(), Exim::start());
    let program = Program::new(&dovecot, &exim);
    let eve = "Eve <eve@refused.example>";
    let to = ["--to", "bob@example.com", "--to", eve, "--subject", "Hi", "Hello, you two."];
    let written = [&["mail", "compose"][..], &to].concat();
    assert!(program.command(&written).stdout(Stdio::null()).status().unwrap().success());
    let run = || program.command(&["run"]).stdout(Stdio::null()).status().unwrap();
    run();
    // Nobody has written to them yet, so it is a card.
    program.decide();
    run();
    assert_eq!(exim.wait_for(1).len(), 1);
    let items = program.json(&["list"]);
    assert_eq!(items.as_array().unwrap().len(), 1, "{items}");
    assert_eq!(items[0]["args"]["to"], serde_json::json!([eve]));
    assert_eq!(items[0]["args"]["content"], "Hello, you two.");
    assert_eq!(program.json(&["decisions"])[0]["outcome"], "sent, but eve@refused.example did not get it");
}
