//! A real radicale: found, read with recurrences and zones, written once, changed, taken out, killed in the middle.

use super::dovecot::{end, free_port, wait_for};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use sayso::calendar::{CalDav, Calendar, CalendarError, Event, Revision, event_text};
use sayso::config::{CalDavServer, Secret};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

const PASSWORD: &str = "canary-radicale";

struct Radicale {
    folder: tempfile::TempDir,
    port: u16,
    child: Child,
}

/// The Python that `.ci/run` has installed it for; `None` where that could not be.
fn python() -> Option<PathBuf> {
    let python = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/radicale/bin/python");
    let there = Command::new(&python).args(["-c", "import radicale"]).stderr(Stdio::null()).status();
    if there.is_ok_and(|status| status.success()) {
        return Some(python);
    }
    eprintln!("radicale cannot be had here, so this was not tried");
    None
}

impl Radicale {
    fn start(python: &std::path::Path) -> Self {
        let (folder, port) = (tempfile::tempdir().unwrap(), free_port());
        std::fs::write(folder.path().join("users"), format!("ada:{PASSWORD}\n")).unwrap();
        let child = Self::run(python, folder.path(), port);
        Self { folder, port, child }
    }

    fn run(python: &std::path::Path, folder: &std::path::Path, port: u16) -> Child {
        let mut command = Command::new(python);
        let option = |name: &str, value: String| format!("--{name}={value}");
        command.args(["-m", "radicale", "--config", ""]);
        command.arg(option("server-hosts", format!("127.0.0.1:{port}")));
        command.arg(option("auth-type", "htpasswd".to_owned()));
        command.arg(option("auth-htpasswd-filename", folder.join("users").display().to_string()));
        command.arg(option("auth-htpasswd-encryption", "plain".to_owned()));
        command.arg(option("storage-filesystem-folder", folder.join("data").display().to_string()));
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait_for(port);
        child
    }

    /// Kills it in the middle of what it is told, and starts it again; how that ended for the one who told it.
    async fn killed_during(
        &mut self,
        python: &std::path::Path,
        after: std::time::Duration,
        telling: impl AsyncFnOnce(CalDav) -> Result<(), CalendarError>,
    ) -> Result<(), CalendarError> {
        let calendar = self.calendar("/ada/work/", None);
        calendar.check().await.unwrap();
        let killing = async {
            tokio::time::sleep(after).await;
            self.child.kill().unwrap();
            self.child.wait().unwrap();
        };
        let (told, ()) = tokio::join!(telling(calendar), killing);
        self.child = Self::run(python, self.folder.path(), self.port);
        told
    }

    fn server(&self, path: &str, name: Option<&str>) -> CalDavServer {
        CalDavServer {
            url: format!("http://127.0.0.1:{}{path}", self.port),
            user: "ada".to_owned(),
            password: Secret::Command(format!("echo {PASSWORD}")),
            calendar: name.map(str::to_owned),
            ca_file: None,
        }
    }

    fn calendar(&self, path: &str, name: Option<&str>) -> CalDav {
        CalDav::new(&self.server(path, name), TimeZone::get("Europe/Paris").unwrap())
    }

    /// As another client does it.
    async fn other(&self, method: &str, path: &str, body: &str) {
        use base64::Engine as _;
        let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
        let url = format!("http://127.0.0.1:{}{path}", self.port);
        let shown = base64::prelude::BASE64_STANDARD.encode(format!("ada:{PASSWORD}"));
        let request = crate::http().request(method, url).header("authorization", format!("Basic {shown}"));
        let reply = request.body(body.to_owned()).send().await.unwrap();
        assert!(reply.status().is_success(), "{path}: {}", reply.status());
    }

    async fn make(&self, name: &str) {
        let body = format!(
            "<C:mkcalendar xmlns:D=\"DAV:\" xmlns:C=\"urn:ietf:params:xml:ns:caldav\"><D:set><D:prop>\
             <D:displayname>{name}</D:displayname></D:prop></D:set></C:mkcalendar>"
        );
        self.other("MKCALENDAR", &format!("/ada/{}/", name.to_lowercase()), &body).await;
    }

    fn objects(&self) -> usize {
        let folder = self.folder.path().join("data/collection-root/ada/work");
        let is_event = |name: &std::ffi::OsString| name.to_string_lossy().ends_with(".ics");
        std::fs::read_dir(folder)
            .unwrap()
            .filter(|entry| is_event(&entry.as_ref().unwrap().file_name()))
            .count()
    }
}

impl Drop for Radicale {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn meeting(n: u32) -> (String, Vec<u8>) {
    let uid = format!("t{n}-c1@sayso");
    let start = at("2026-06-01T08:00:00Z") + jiff::SignedDuration::from_hours(i64::from(n));
    let event = Event {
        uid: uid.clone(),
        stamp: at("2026-03-01T00:00:00Z"),
        title: format!("Meeting {n}"),
        start,
        end: start + jiff::SignedDuration::from_mins(30),
        zone: Some("Europe/Paris".to_owned()),
        location: String::new(),
        organizer: None,
        attendees: Vec::new(),
    };
    (uid, event_text(&event))
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs radicale; run by .ci/run"]
async fn a_calendar_is_found_read_and_written_once() {
    let Some(python) = python() else { return };
    let radicale = Radicale::start(&python);
    radicale.make("Work").await;
    for (path, name) in [("/", None), ("/ada/", None), ("/ada/work/", None), ("/nowhere/", Some("Work"))] {
        let report = radicale.calendar(path, name).check().await.unwrap();
        assert!(report.contains("Work at 127.0.0.1"), "{path}: {report}");
    }
    let weekly = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\nBEGIN:VEVENT\r\nUID:w\r\nDTSTAMP:20260101T000000Z\r\n\
        SUMMARY:Weekly\r\nDTSTART;TZID=America/New_York:20260302T090000\r\nDTEND;TZID=America/New_York:20260302T100000\r\n\
        RRULE:FREQ=WEEKLY\r\nEXDATE;TZID=America/New_York:20260316T090000\r\nEND:VEVENT\r\n\
        BEGIN:VEVENT\r\nUID:w\r\nDTSTAMP:20260101T000000Z\r\nSUMMARY:Weekly moved\r\nRECURRENCE-ID;TZID=America/New_York:20260323T090000\r\n\
        DTSTART;TZID=America/New_York:20260323T150000\r\nDTEND;TZID=America/New_York:20260323T160000\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
    radicale.other("PUT", "/ada/work/w.ics", weekly).await;
    let calendar = radicale.calendar("/", None);
    let busy = calendar.busy(at("2026-03-08T00:00:00Z"), at("2026-03-25T00:00:00Z")).await.unwrap();
    let times: Vec<String> = busy.iter().map(|one| format!("{} {}", one.start, one.title)).collect();
    // Summer time begins in New York on the 8th; the 16th is left out, and the 23rd is later.
    assert_eq!(times, ["2026-03-09T13:00:00Z Weekly", "2026-03-23T19:00:00Z Weekly moved"]);

    let (uid, event) = meeting(1);
    assert!(!calendar.holds(&uid).await.unwrap());
    for _ in 0..3 {
        calendar.add(&event).await.unwrap();
    }
    assert!(calendar.holds(&uid).await.unwrap());
    assert_eq!(radicale.objects(), 2);
    let busy = calendar.busy(at("2026-06-01T00:00:00Z"), at("2026-06-02T00:00:00Z")).await.unwrap();
    assert!(
        busy.iter().any(|one| one.start == at("2026-06-01T09:00:00Z") && one.title == "Meeting 1"),
        "{busy:?}"
    );
    // Another client's event of the same UID, under a name of its own, is the same event.
    let (uid, event) = meeting(2);
    radicale.other("PUT", "/ada/work/else.ics", &String::from_utf8(event.clone()).unwrap()).await;
    assert!(calendar.holds(&uid).await.unwrap());
    let refused =
        CalDavServer { password: Secret::Command("echo wrong".to_owned()), ..radicale.server("/", None) };
    let error = CalDav::new(&refused, TimeZone::UTC).check().await.unwrap_err().to_string();
    assert!(error.contains("refused the password of ada"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs radicale; run by .ci/run"]
async fn a_server_killed_in_the_middle_has_each_event_at_most_once() {
    let Some(python) = python() else { return };
    let mut radicale = Radicale::start(&python);
    radicale.make("Work").await;
    let rounds = 12;
    let mut tally = Tally::default();
    for n in 1..=rounds {
        let (uid, event) = meeting(n);
        let told = event.clone();
        let added =
            radicale.killed_during(&python, moment(n), async move |calendar| calendar.add(&told).await);
        let added = added.await;
        let calendar = radicale.calendar("/ada/work/", None);
        tally.count(n, &added, calendar.holds(&uid).await.unwrap());
        // Whatever it was, putting it in again leaves one.
        calendar.add(&event).await.unwrap();
        assert_eq!(radicale.objects(), n as usize);
    }
    eprintln!("{rounds} kills: {tally:?}, each there once");
}

/// How many kills left no doubt, and how many did.
#[derive(Debug, Default)]
struct Tally {
    confirmed: usize,
    in_doubt: usize,
}

impl Tally {
    /// What is said to be done is done, and what is said not to be is not.
    fn count(&mut self, n: u32, told: &Result<(), CalendarError>, is_done: bool) {
        match told {
            Ok(()) => {
                assert!(is_done, "{n}: what was said to be done is");
                self.confirmed += 1;
            }
            Err(CalendarError::Temporary(_) | CalendarError::Permanent(_)) => {
                assert!(!is_done, "{n}: it surely was not")
            }
            Err(CalendarError::Unknown(_)) => self.in_doubt += 1,
        }
    }
}

/// A later moment in each round.
fn moment(n: u32) -> std::time::Duration {
    std::time::Duration::from_micros(u64::from(n * n) * 900)
}

const INES: &str = "ines@lumen.example";

/// Ines's event in this version: on the day of its number, and more.
fn version(uid: &str, sequence: u32, more: &str) -> Vec<u8> {
    format!(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\nBEGIN:VEVENT\r\nUID:{uid}\r\nSEQUENCE:{sequence}\r\n\
         DTSTAMP:202606{:02}T000000Z\r\nSUMMARY:Kickoff\r\nORGANIZER:mailto:{INES}\r\n{more}END:VEVENT\r\nEND:VCALENDAR\r\n",
        sequence + 1
    )
    .into_bytes()
}

fn on(day: u32) -> String {
    format!("DTSTART:202607{day:02}T080000Z\r\nDTEND:202607{day:02}T090000Z\r\n")
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs radicale; run by .ci/run"]
async fn an_event_is_changed_and_taken_out_by_who_invited() {
    let Some(python) = python() else { return };
    let radicale = Radicale::start(&python);
    radicale.make("Work").await;
    let calendar = radicale.calendar("/", None);
    let busy = async || {
        let busy = calendar.busy(at("2026-07-01T00:00:00Z"), at("2026-07-31T00:00:00Z")).await.unwrap();
        busy.iter().map(|one| one.start.to_string()).collect::<Vec<_>>()
    };
    // One lies where sayso puts events, the other where another client did.
    calendar.add(&version("ours@lumen", 1, &on(1))).await.unwrap();
    let theirs = String::from_utf8(version("theirs@lumen", 1, &on(2))).unwrap();
    radicale.other("PUT", "/ada/work/else.ics", &theirs).await;
    for (uid, day) in [("ours@lumen", 11), ("theirs@lumen", 12)] {
        for _ in 0..2 {
            calendar.revise(&version(uid, 2, &on(day)), INES, Revision::Change).await.unwrap();
        }
        for (sequence, who, expected) in
            [(3, "eve@lumen.example", "is not the organizer"), (1, INES, "a newer version")]
        {
            let error =
                calendar.revise(&version(uid, sequence, &on(20)), who, Revision::Change).await.unwrap_err();
            assert!(matches!(&error, CalendarError::Permanent(text) if text.contains(expected)), "{error}");
            assert!(calendar.revise(&version(uid, sequence, &on(20)), who, Revision::Remove).await.is_err());
        }
    }
    assert_eq!(busy().await, ["2026-07-11T08:00:00Z", "2026-07-12T08:00:00Z"]);
    assert_eq!(radicale.objects(), 2);
    let absent = calendar
        .revise(&version("gone@lumen", 2, &on(3)), INES, Revision::Change)
        .await
        .unwrap_err()
        .to_string();
    assert!(absent.contains("no longer in the calendar"), "{absent}");

    // A series: one of it moves, one is cancelled, the place of all changes.
    let weekly = |more: &str| format!("{}RRULE:FREQ=WEEKLY;COUNT=3\r\n{more}", on(6));
    calendar.revise(&version("ours@lumen", 3, &weekly("")), INES, Revision::Change).await.unwrap();
    let once = format!("RECURRENCE-ID:20260713T080000Z\r\n{}", on(14));
    calendar.revise(&version("ours@lumen", 3, &once), INES, Revision::Change).await.unwrap();
    let gone = format!("RECURRENCE-ID:20260720T080000Z\r\nSTATUS:CANCELLED\r\n{}", on(20));
    calendar.revise(&version("ours@lumen", 3, &gone), INES, Revision::Remove).await.unwrap();
    calendar
        .revise(&version("ours@lumen", 4, &weekly("LOCATION:Room 2\r\n")), INES, Revision::Change)
        .await
        .unwrap();
    assert_eq!(busy().await, ["2026-07-06T08:00:00Z", "2026-07-12T08:00:00Z", "2026-07-14T08:00:00Z"]);

    for uid in ["ours@lumen", "theirs@lumen"] {
        for _ in 0..2 {
            calendar.revise(&version(uid, 5, &on(1)), INES, Revision::Remove).await.unwrap();
        }
        assert!(!calendar.holds(uid).await.unwrap());
    }
    assert_eq!(radicale.objects(), 0);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs radicale; run by .ci/run"]
async fn a_server_killed_in_the_middle_has_each_change_once() {
    let Some(python) = python() else { return };
    let mut radicale = Radicale::start(&python);
    radicale.make("Work").await;
    radicale.calendar("/ada/work/", None).add(&version("kick@lumen", 0, &on(1))).await.unwrap();
    let rounds = 10;
    let mut tally = Tally::default();
    for n in 1..=rounds {
        let event = version("kick@lumen", n, &on(n + 1));
        let revision = || if n == rounds { Revision::Remove } else { Revision::Change };
        let (told, how) = (event.clone(), revision());
        let telling = async move |calendar: CalDav| calendar.revise(&told, INES, how).await;
        let told = radicale.killed_during(&python, moment(n), telling).await;
        let calendar = radicale.calendar("/ada/work/", None);
        let held = calendar.events_of("kick@lumen").await.unwrap();
        let is_done = if n == rounds { held.is_empty() } else { held[0].sequence == i64::from(n) };
        tally.count(n, &told, is_done);
        // Whatever it was, told again it is there once.
        calendar.revise(&event, INES, revision()).await.unwrap();
        assert_eq!(radicale.objects(), usize::from(n != rounds));
    }
    eprintln!("{rounds} kills: {tally:?}, none doubled or lost");
}
