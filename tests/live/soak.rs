//! A day in the life of one folder: 24 hours on a clock that jumps, with mail, an agent that asks, a driver that is
//! killed and a disk that fills up. At the end every reply that was accepted was sent once, nothing is damaged, and the
//! driver needs no more memory than in the middle of the day.

use crate::support::file_names;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const HOURS: u64 = 24;
/// From this hour on the same driver lives to the end, and its memory is measured.
const CALM_FROM: u64 = 14;
const MAILS_AN_HOUR: u64 = 3;
/// Hours in which the disk is full for a while.
const FULL: [u64; 3] = [4, 10, 19];
/// How long an hour may take, and the clearing up at the end.
const PATIENCE: Duration = Duration::from_secs(60);
/// How many KiB more the driver may need at the end; half a day took under 1 MiB.
const MORE_MEMORY: u64 = 6 * 1024;

/// The hour that the wall clock shows: it is set back and forth, and once a whole day ahead.
fn wall_clock(hour: u64) -> i64 {
    let jump = match hour {
        6 | 7 => -5,
        12 => 30,
        21 | 22 => -2,
        _ => 0,
    };
    i64::try_from(hour).unwrap() + jump
}

struct Day {
    home: tempfile::TempDir,
    /// The library that changes the clock, where it is installed.
    clock: Option<PathBuf>,
    has_small_disk: bool,
}

impl Day {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let libraries = fs::read_dir("/usr/lib").into_iter().flatten().flatten();
        let clock = libraries
            .map(|folder| folder.path().join("faketime/libfaketimeMT.so.1"))
            .find(|library| library.exists());
        let mut day = Self { home, clock, has_small_disk: false };
        for folder in ["mail/new", "mail/cur", "mail/tmp", "outbox/new", "outbox/cur", "outbox/tmp"] {
            fs::create_dir_all(day.path(folder)).unwrap();
        }
        fs::DirBuilder::new().mode(0o700).create(day.path("data")).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=48m,mode=700", "none"]).arg(day.path("data"));
        day.has_small_disk = mount.stderr(Stdio::null()).status().is_ok_and(|status| status.success());
        let config = format!(
            "[user]\naddress = \"ada@example.org\"\n[approvals]\nhold_seconds = 1\nhold_agents = 1\n\
             [intake]\nevery_seconds = 5\nunread_only = \"off\"\n\
             [[mail]]\nname = \"home\"\npath = \"{}\"\nmode = \"act\"\n\
             outgoing = {{ kind = \"maildir\", path = \"{}\" }}\n",
            day.path("mail").display(),
            day.path("outbox").display(),
        );
        fs::write(day.path("data/config.toml"), config).unwrap();
        day.set_clock(0);
        day
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn set_clock(&self, hour: u64) {
        fs::write(self.path("clock.new"), format!("{:+}h", wall_clock(hour))).unwrap();
        fs::rename(self.path("clock.new"), self.path("clock")).unwrap();
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sayso"));
        let path = std::env::var_os("PATH").unwrap_or_default();
        command.env_clear().env("PATH", path).env("HOME", self.home.path()).env("TZ", "UTC");
        command.env("SAYSO_DATA", self.path("data")).args(args);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if let Some(library) = &self.clock {
            command.env("LD_PRELOAD", library).env("FAKETIME_TIMESTAMP_FILE", self.path("clock"));
            command.env("FAKETIME_NO_CACHE", "1").env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        }
        command
    }

    fn json(&self, args: &[&str]) -> Value {
        let out = self.command(args).arg("--json").stdout(Stdio::piped()).output().unwrap().stdout;
        serde_json::from_slice(&out).unwrap_or_default()
    }

    fn each(&self, args: &[&str]) -> Vec<Value> {
        self.json(args).as_array().cloned().unwrap_or_default()
    }

    fn watch(&self) -> Child {
        self.command(&["watch"]).spawn().unwrap()
    }

    fn deliver(&self, n: u64) {
        let mail = format!(
            "From: Bob {n} <bob{n}@b.example>\r\nMessage-ID: <{n}@post.example>\r\nTo: ada@example.org\r\n\
             Subject: Lunch {n}?\r\nDate: Mon, 02 Nov 2026 10:00:00 +0000\r\n\r\nShall we have lunch on Friday?\r\n"
        );
        fs::write(self.path(&format!("mail/new/{n}.host")), mail).unwrap();
    }

    /// An agent that waits for its answer, through kills and everything.
    fn ask(&self, hour: u64) -> Child {
        let title = format!("Deploy {hour}?");
        let args = ["request", "--title", &title, "--allow", "accept,ignore", "--wait", "--timeout", "600"];
        self.command(&args).spawn().unwrap()
    }

    /// Answers whatever is open: mails with words, every fifth not at all; what follows is accepted. A refusal is no
    /// failure, because the driver or the disk may be gone: the next round decides it.
    fn decide(&self) {
        for item in self.each(&["list"]) {
            let text = |name: &str| item[name].as_str().unwrap_or_default();
            let id = text("id");
            let number = text("title").split(|c: char| !c.is_ascii_digit()).find(|part| !part.is_empty());
            let number: u64 = number.and_then(|number| number.parse().ok()).unwrap_or(1);
            let args = match (text("workflow"), text("action")) {
                ("email", "question") if number.is_multiple_of(5) => vec!["ignore", id],
                ("email", "question") => vec!["respond", id, "Yes, Friday at noon."],
                _ => vec!["accept", id],
            };
            self.command(&args).status().unwrap();
        }
    }

    fn done(&self) -> usize {
        self.each(&["mail"]).iter().filter(|mail| mail["status"] == "done").count()
    }

    /// Decides until so many mails are done.
    fn settle(&self, mails: u64, what: &str) {
        let deadline = Instant::now() + PATIENCE;
        while self.done() < mails as usize {
            self.decide();
            assert!(Instant::now() < deadline, "{what}: {}\n{}", self.json(&["mail"]), self.json(&["list"]));
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    /// Leaves no byte of the disk free.
    fn fill(&self) -> PathBuf {
        let filler = self.path("data/filler");
        let mut size = 1 << 20;
        while size > 0 {
            let mut file = OpenOptions::new().create(true).append(true).open(&filler).unwrap();
            if file.write_all(&vec![0; size]).is_err() {
                size /= 2;
            }
        }
        filler
    }
}

impl Drop for Day {
    fn drop(&mut self) {
        if self.has_small_disk {
            let _ = Command::new("umount").arg("--lazy").arg(self.path("data")).status();
        }
    }
}

/// The memory that a process has in use, in KiB.
fn memory(process: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|size| size.parse().ok()).unwrap_or_default()
}

fn kill(process: &mut Child) {
    process.kill().unwrap();
    process.wait().unwrap();
}

/// How many replies went to each mail.
fn replies(outbox: &Path) -> BTreeMap<u64, usize> {
    let mut replies = BTreeMap::new();
    for name in file_names(outbox) {
        let mail = fs::read_to_string(outbox.join(name)).unwrap();
        let answered = mail.split("In-Reply-To: <").nth(1).and_then(|rest| rest.split('@').next());
        *replies.entry(answered.unwrap().parse().unwrap()).or_default() += 1;
    }
    replies
}

#[test]
#[ignore = "takes minutes; run by .ci/run"]
fn a_day_with_kills_full_disks_and_a_clock_that_jumps() {
    let day = Day::new();
    if day.clock.is_none() {
        eprintln!("skipped: libfaketime is not installed, so the clock stays as it is");
    }
    if !day.has_small_disk {
        eprintln!("skipped: a small disk cannot be mounted here, so it never fills up");
    }
    let (mut watch, mut kills, mut calm_memory) = (day.watch(), 0, 0);
    let mut agents = Vec::new();
    for hour in 0..HOURS {
        day.set_clock(hour);
        let first = hour * MAILS_AN_HOUR + 1;
        (first..first + MAILS_AN_HOUR).for_each(|n| day.deliver(n));
        if day.has_small_disk && FULL.contains(&hour) {
            let filler = day.fill();
            day.decide();
            fs::remove_file(filler).unwrap();
        }
        // What cannot be written is not asked, and the asker is told so at once: that is no part of this day.
        agents.push(day.ask(hour));
        if hour < CALM_FROM {
            // At one moment or another: while mail is taken in, while replies are sent, during a hold.
            std::thread::sleep(Duration::from_millis(hour * 97 % 500));
            day.decide();
            std::thread::sleep(Duration::from_millis(hour * 61 % 300));
            kill(&mut watch);
            kills += 1;
            watch = day.watch();
        } else {
            day.settle(first + MAILS_AN_HOUR - 1, &format!("hour {hour}"));
        }
        if hour == CALM_FROM + 1 {
            calm_memory = memory(&watch);
        }
    }
    let mails = HOURS * MAILS_AN_HOUR;
    day.settle(mails, "the end of the day");
    for (hour, agent) in agents.iter_mut().enumerate() {
        let deadline = Instant::now() + PATIENCE;
        while agent.try_wait().unwrap().is_none() {
            day.decide();
            assert!(Instant::now() < deadline, "the agent of hour {hour} waits");
            std::thread::sleep(Duration::from_millis(100));
        }
        assert!(agent.wait().unwrap().success(), "the agent of hour {hour} was told no");
    }
    let end_memory = memory(&watch);
    kill(&mut watch);
    let sent = replies(&day.path("outbox/new"));
    let expected: BTreeMap<u64, usize> = (1..=mails).filter(|n| n % 5 != 0).map(|n| (n, 1)).collect();
    assert_eq!(sent, expected, "each accepted reply exactly once, and no other");
    let checks = day.each(&["doctor"]);
    assert!(!checks.is_empty(), "doctor said nothing");
    for check in checks {
        assert_eq!(check["ok"], true, "{check}");
    }
    assert!(
        calm_memory > 0 && end_memory <= calm_memory + MORE_MEMORY,
        "{calm_memory} KiB in the middle of the day, {end_memory} KiB at its end"
    );
    eprintln!(
        "{HOURS} hours, {mails} mails, {} replies, {kills} kills; {calm_memory} KiB, at the end {end_memory} KiB",
        sent.len()
    );
}
