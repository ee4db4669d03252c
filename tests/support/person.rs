//! A person who uses the real program with a fake Google and its mail servers.

use super::gmail::Gmail;
use super::google::Google;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

pub struct Person {
    pub google: Google,
    pub gmail: Gmail,
    home: tempfile::TempDir,
}

impl Person {
    pub fn new(more: &str) -> Self {
        let google = Google::start();
        let person = Self { gmail: Gmail::start(&google), google, home: tempfile::tempdir().unwrap() };
        std::fs::DirBuilder::new().mode(0o700).create(person.data()).unwrap();
        let config = format!(
            "[user]\naddress = \"ada@gmail.example\"\n[approvals]\nhold_seconds = 0\n[engine]\nretries = 0\n\
             [learning]\ndelay_seconds = 0\n{}{}{more}",
            person.google.config(),
            person.gmail.config()
        );
        std::fs::write(person.data().join("config.toml"), config).unwrap();
        person
    }

    pub fn data(&self) -> PathBuf {
        self.home.path().join("data")
    }

    pub fn command(&self, args: &[&str]) -> Command {
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

    /// The exit code, stdout and stderr of a call.
    pub fn sayso(&self, args: &[&str]) -> (i32, String, String) {
        let out = self.command(args).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (out.status.code().unwrap(), text(out.stdout), text(out.stderr))
    }

    #[track_caller]
    pub fn json(&self, args: &[&str]) -> Value {
        let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        let (code, out, err) = self.sayso(&args);
        assert_eq!(code, 0, "{args:?}: {out} {err}");
        serde_json::from_str(&out).unwrap()
    }

    /// Logs in, playing the browser's part.
    pub fn log_in(&self) -> Value {
        let child = self.command(&["auth", "google", "--no-browser", "--json"]).spawn().unwrap();
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

    /// Every file in the data folder with its bytes.
    pub fn everything(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        let mut folders = vec![self.data()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path)
                } else {
                    files.push((path.clone(), std::fs::read(&path).unwrap()))
                }
            }
        }
        files
    }
}

/// Reads the address that a login prints; the login goes on waiting.
fn address_of(mut child: Child) -> (Child, String) {
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let address = lines.map_while(Result::ok).find(|line| line.starts_with("http://127.0.0.1"));
    (child, address.expect("an address to open"))
}

pub fn question(n: u32) -> String {
    format!(
        "Message-ID: <{n}@example.com>\nFrom: Bob <bob@example.com>\nTo: ada@gmail.example\nSubject: Offer {n}\n\n\
         Could you please tell me by Friday whether the offer still stands? Question {n}\n"
    )
}

/// Drives and answers until a reply is proposed, and gives its item.
pub fn proposal(person: &Person) -> Value {
    proposed(person, "write_email")
}

/// Drives and answers until `action` is proposed, and gives its item.
pub fn proposed(person: &Person, action: &str) -> Value {
    for _ in 0..5 {
        person.json(&["run"]);
        let list = person.json(&["list"]);
        let item = list.as_array().unwrap().first().cloned().unwrap_or_default();
        let id = item["id"].as_str().unwrap_or_default().to_owned();
        match item["action"].as_str() {
            Some(asked) if asked == action => return item,
            Some("question" | "notify") => drop(person.json(&["respond", &id, "Yes, it still stands."])),
            other => panic!("{other:?} and no {action}: {list}"),
        }
    }
    panic!("no {action} is proposed")
}
