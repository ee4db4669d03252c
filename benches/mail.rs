//! What mail costs: intake compared with parsing alone, and triage compared with waiting for the model alone.
//!
//! `cargo bench --bench mail` prints a table; `-- --json` prints the same as JSON; `-- --quick` takes a tenth;
//! `-- --m1` takes mail in and leaves triage out.
//! Where notmuch is installed, it indexes the same mails in the same run.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod report;
mod setup;

use axum::Router;
use axum::routing::post;
use report::Row;
use sayso::app::{Driver, Scope, Setup, Until};
use sayso::inbox::door::Inbox;
use sayso::inbox::{Status, ThreadQuery};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long the model takes, and how many it serves at a time.
const ANSWER: Duration = Duration::from_millis(200);
const AT_ONCE: u32 = 32;

fn main() {
    let quick = report::flag("--quick");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let rows = runtime.block_on(async {
        let mut rows = taken_in(if quick { 2_000 } else { 20_000 }).await;
        if !report::flag("--m1") {
            rows.push(triaged(if quick { 200 } else { 1_000 }).await);
        }
        rows
    });
    report::print("mail", &rows);
}

/// M1: mails parsed, made Visible, indexed and stored, each with the thread it starts.
async fn taken_in(count: usize) -> Vec<Row> {
    let home = tempfile::tempdir().unwrap();
    let (inbox, setup) = open(home.path(), "").await;
    let intake = setup.intake(inbox.engine());
    // The first look, at nothing: what comes from now on is followed.
    assert_eq!(intake.sync(&|_| ()).await.remove(0).error, None);
    let maildir = home.path().join("mail");
    let mails: Vec<Vec<u8>> = (0..count).map(letter).collect();
    for (n, mail) in mails.iter().enumerate() {
        fs::write(maildir.join(format!("new/{:010}.{n}.host", 1_700_000_000 + n)), mail).unwrap();
    }
    let begun = Instant::now();
    for mail in &mails {
        std::hint::black_box(sayso::mail::parse(mail).unwrap());
    }
    let parsed = count as f64 / begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    let synced = intake.sync(&|_| ()).await.remove(0);
    assert_eq!((synced.error, synced.new), (None, count as u64));
    let stored = count as f64 / begun.elapsed().as_secs_f64();
    let mut rows = vec![Row::new(
        "M1",
        "mails a second, parsed, indexed, stored",
        stored,
        "parsing and Visible alone",
        parsed,
        stored / parsed,
        "≥ 0.3",
    )];
    if let Some(notmuch) = notmuch(home.path(), count) {
        rows.push(Row::new("M1", "the same", stored, "notmuch new", notmuch, stored / notmuch, "≥ 3"));
    }
    rows
}

/// F1: seconds for so many mails against a model server that takes its time.
async fn triaged(count: usize) -> Row {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let app = Router::new().route("/v1/chat/completions", post(answer));
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    let home = tempfile::tempdir().unwrap();
    let config = format!(
        "[model]\nprovider = \"openai\"\nname = \"slow\"\nbase_url = \"http://{address}/v1\"\n\
         max_concurrent = {AT_ONCE}\n[prices.slow]\ninput = 0\noutput = 0\n[engine]\nconcurrency = {AT_ONCE}\n"
    );
    let (inbox, setup) = open(home.path(), &config).await;
    let intake = setup.intake(inbox.engine());
    intake.sync(&|_| ()).await;
    for n in 0..count {
        fs::write(home.path().join(format!("mail/new/{n:06}.host")), letter(n)).unwrap();
    }
    assert_eq!(intake.sync(&|_| ()).await.remove(0).started, count as u64);
    let mut driver = Driver::take(inbox.engine().clone()).await.unwrap().unwrap();
    let begun = Instant::now();
    driver.run(&Scope::All, Until::Idle, std::future::pending()).await.unwrap();
    let took = begun.elapsed().as_secs_f64();
    let query = ThreadQuery {
        filter: sayso::inbox::Query { status: Some(Status::Done), ..Default::default() },
        limit: count + 1,
        ..ThreadQuery::default()
    };
    assert_eq!(inbox.threads().list(query).await.unwrap().rows.len(), count);
    let ideal = (count as f64 / f64::from(AT_ONCE)).ceil() * ANSWER.as_secs_f64();
    Row::new(
        "F1",
        "seconds to triage them, 32 at a time",
        took,
        "waiting for the model alone",
        ideal,
        took / ideal,
        "≤ 1.1",
    )
}

/// One answer of the model: everything is to be ignored.
async fn answer() -> String {
    tokio::time::sleep(ANSWER).await;
    let reply = serde_json::json!({"reasoning": "A notice.", "gist": "A notice", "classification": "ignore"});
    let chunk =
        serde_json::json!({"choices": [{"delta": {"content": reply.to_string()}, "finish_reason": "stop"}]});
    format!("data: {chunk}\n\ndata: [DONE]\n\n")
}

async fn open(home: &Path, model: &str) -> (Inbox, Setup) {
    for part in ["cur", "new", "tmp"] {
        fs::create_dir_all(home.join("mail").join(part)).unwrap();
    }
    let text = format!(
        "[user]\nname = \"Ada\"\naddress = \"ada@example.org\"\n{model}\
         [intake]\nfirst_days = 3650\n[[mail]]\nname = \"home\"\nkind = \"maildir\"\npath = \"{}\"\naddress = \"ada@example.org\"\n",
        home.join("mail").display()
    );
    setup::open(home.join("data"), &text, Arc::new(jiff::Timestamp::now))
}

/// A mail of one of the usual shapes, about 3 kB.
fn letter(n: usize) -> Vec<u8> {
    let head = format!(
        "Message-ID: <{n}@bench.example>\r\nFrom: Person {n} <p{}@bench{}.example>\r\nTo: Ada <ada@example.org>\r\n\
         Subject: =?utf-8?q?Angebot_f=C3=BCr?= item {n}\r\nDate: Mon, 02 Nov 2026 10:00:00 +0000\r\nMIME-Version: 1.0\r\n",
        n % 500,
        n % 90
    );
    let words: String = (0..220).map(|word| setup::word((n * 31 + word * 7) % 5_000)).collect();
    let lines: String =
        words.as_bytes().chunks(70).map(|line| format!("{}\r\n", String::from_utf8_lossy(line))).collect();
    let body = match n % 3 {
        0 => format!("Content-Type: text/plain; charset=utf-8\r\n\r\n{lines}"),
        1 => format!(
            "Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n\
             {lines}\r\n--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<html><body><p>{words}</p>\
             <a href=\"https://bench.example/{n}\">more</a></body></html>\r\n--b--\r\n"
        ),
        _ => format!(
            "Content-Type: text/html; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n\
             <table><tr><td>Gr=FC=DFe</td></tr></table><p>{lines}</p>"
        ),
    };
    format!("{head}{body}").into_bytes()
}

/// Mails a second by notmuch, where it is installed.
fn notmuch(home: &Path, count: usize) -> Option<f64> {
    let config = home.join("notmuch-config");
    let text = format!(
        "[database]\npath={}\n[user]\nname=Ada\nprimary_email=ada@example.org\n",
        home.join("mail").display()
    );
    fs::write(&config, text).ok()?;
    let begun = Instant::now();
    let mut command = Command::new("notmuch");
    let ran = command
        .arg("new")
        .env("NOTMUCH_CONFIG", config)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .ok()?;
    ran.success().then(|| count as f64 / begun.elapsed().as_secs_f64())
}
