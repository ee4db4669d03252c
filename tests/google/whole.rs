//! Whole roads with the real program: a login, a mail, its triage, the reply accepted, sent once and labelled.

use crate::fake::{Fault, Google, SECRET};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

struct Person {
    google: Google,
    home: tempfile::TempDir,
}

impl Person {
    fn new(more: &str) -> Self {
        let person = Self { google: Google::start(), home: tempfile::tempdir().unwrap() };
        std::fs::DirBuilder::new().mode(0o700).create(person.data()).unwrap();
        let config = format!(
            "[user]\naddress = \"ada@gmail.example\"\n[approvals]\nhold_seconds = 0\n[engine]\nretries = 0\n{}\
             [[mail]]\nname = \"home\"\nkind = \"gmail\"\nhandled.done = \"label:sayso\"\n\
             outgoing = {{ kind = \"gmail\" }}\n{more}",
            person.google.config()
        );
        std::fs::write(person.data().join("config.toml"), config).unwrap();
        person
    }

    fn data(&self) -> PathBuf {
        self.home.path().join("data")
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sayso"));
        let path = std::env::var_os("PATH").unwrap_or_default();
        command.env_clear().env("PATH", path).env("HOME", self.home.path()).env("SAYSO_DATA", self.data());
        command
            .env("TZ", "UTC")
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// What a call printed, and how it ended.
    fn sayso(&self, args: &[&str]) -> (i32, String, String) {
        let out = self.command(args).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (out.status.code().unwrap(), text(out.stdout), text(out.stderr))
    }

    #[track_caller]
    fn json(&self, args: &[&str]) -> Value {
        let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        let (code, out, err) = self.sayso(&args);
        assert_eq!(code, 0, "{args:?}: {out} {err}");
        serde_json::from_str(&out).unwrap()
    }

    /// The browser's part of a login.
    fn log_in(&self) -> Value {
        let child = self.command(&["auth", "gmail", "--no-browser", "--json"]).spawn().unwrap();
        let (mut child, address) = address_of(child);
        let (back, _) = self.google.consent(&address);
        let host = format!("127.0.0.1:{}", back.port().unwrap());
        let mut browser = std::net::TcpStream::connect(&host).unwrap();
        let target = format!("{}?{}", back.path(), back.query().unwrap());
        browser.write_all(format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes()).unwrap();
        let mut page = String::new();
        browser.read_to_string(&mut page).unwrap();
        assert!(page.contains("sayso is logged in"), "{page}");
        let mut out = String::new();
        child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        assert!(child.wait().unwrap().success());
        serde_json::from_str(&out).unwrap()
    }

    /// Everything that lies in the data folder, as text.
    fn everything(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        let mut folders = vec![self.data()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => folders.push(path),
                    false => files.push((path.clone(), std::fs::read(&path).unwrap())),
                }
            }
        }
        files
    }
}

/// The address that a login prints; it goes on waiting.
fn address_of(mut child: Child) -> (Child, String) {
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let address = lines.map_while(Result::ok).find(|line| line.starts_with("http://127.0.0.1"));
    (child, address.expect("an address to open"))
}

fn question(n: u32) -> String {
    format!(
        "Message-ID: <{n}@example.com>\nFrom: Bob <bob@example.com>\nTo: ada@gmail.example\nSubject: Offer {n}\n\n\
         Could you please tell me by Friday whether the offer still stands? Question {n}\n"
    )
}

/// Answers questions until a reply is proposed, and gives it.
fn proposal(person: &Person) -> Value {
    for _ in 0..5 {
        person.json(&["run", "--until-idle"]);
        let list = person.json(&["list"]);
        let item = list.as_array().unwrap().first().cloned().unwrap_or_default();
        let id = item["id"].as_str().unwrap_or_default().to_owned();
        match item["action"].as_str() {
            Some("write_email") => return item,
            Some("question") => drop(person.json(&["respond", &id, "Yes, it still stands."])),
            Some("notify") => drop(person.json(&["respond", &id, "Yes, it still stands."])),
            other => panic!("{other:?}: {list}"),
        }
    }
    panic!("no reply is proposed")
}

#[test]
fn from_the_login_to_the_reply_in_its_conversation() {
    let person = Person::new("");
    let (code, _, err) = person.sayso(&["mail", "sync"]);
    assert_eq!(code, 1);
    let (_, doctor, _) = person.sayso(&["doctor"]);
    assert!(doctor.contains("run `sayso auth gmail --account home`"), "{doctor} {err}");

    let login = person.log_in();
    assert_eq!(login["address"], "ada@gmail.example");
    let mode = |path: &str| std::fs::metadata(person.data().join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("google"), mode("google/home.json")), (0o700, 0o600));
    let (code, doctor, _) = person.sayso(&["doctor"]);
    assert_eq!(code, 0, "{doctor}");
    assert!(doctor.contains("INBOX is read as ada@gmail.example"), "{doctor}");

    let mail = person.google.deliver(&question(1));
    let synced = person.json(&["mail", "sync"]);
    assert_eq!((&synced[0]["new"], &synced[0]["started"]), (&Value::from(1), &Value::from(1)), "{synced}");
    let item = proposal(&person);
    assert_eq!(item["args"]["to"][0], "bob@example.com", "{item}");
    assert_eq!(person.google.world().sent().len(), 0, "nothing leaves without a say-so");
    person.json(&["accept", item["id"].as_str().unwrap()]);
    person.json(&["run", "--until-idle"]);

    let world = person.google.world();
    let sent = world.sent();
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0].thread, world.mail(&mail).unwrap().thread);
    assert_eq!(sent[0].header("In-Reply-To").as_deref(), Some("<1@example.com>"));
    assert_eq!(sent[0].header("To").as_deref(), Some("bob@example.com"), "{:?}", sent[0].header("To"));
    let label = world.labels.iter().find(|(_, name)| name == "sayso").unwrap().0.clone();
    let labels = &world.mail(&mail).unwrap().labels;
    assert!(labels.contains(&label) && !labels.contains("UNREAD"), "{labels:?}");
    drop(world);

    // Looked at again, nothing is new, and nothing is sent twice.
    let synced = person.json(&["mail", "sync"]);
    assert_eq!(synced[0]["new"], 0);
    person.json(&["run", "--until-idle"]);
    assert_eq!(person.google.world().sent().len(), 1);
    // Secrets are in the file of tokens and nowhere else.
    for (path, bytes) in person.everything() {
        let has = |what: &str| bytes.windows(what.len()).any(|part| part == what.as_bytes());
        let is_theirs = path.ends_with("google/home.json") || path.ends_with("config.toml");
        assert!(is_theirs || !(has("canary-access") || has("canary-refresh") || has(SECRET)), "{path:?}");
    }
}

#[test]
fn a_reply_whose_sending_was_cut_off_is_found_and_not_sent_again() {
    let person = Person::new("");
    person.log_in();
    person.google.deliver(&question(1));
    person.json(&["mail", "sync"]);
    let item = proposal(&person);
    person.google.world().fault("POST /upload/gmail/v1/users/me/messages/send", Fault::CutAfter);
    person.json(&["accept", item["id"].as_str().unwrap()]);
    person.json(&["run", "--until-idle"]);
    // Whoever retries, by hand or by itself, finds it.
    for _ in 0..3 {
        for item in person.json(&["list"]).as_array().unwrap() {
            person.json(&["accept", item["id"].as_str().unwrap()]);
        }
        person.json(&["run", "--until-idle"]);
    }
    assert_eq!(person.google.world().sent().len(), 1);
    let mails = person.json(&["mail"]);
    assert_eq!(mails[0]["status"], "done", "{mails}");
}
