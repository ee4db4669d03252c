//! `mail`, `mail sync`, `watch` and what `doctor` says of mail: the real program over a real Maildir.

use crate::desk::{Background, Desk, Said, keys, said, text, until};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::process::Stdio;

/// A desk with a Maildir, and an account that reads it.
fn desk() -> Desk {
    let desk = Desk::new();
    for part in ["cur", "new", "tmp"] {
        std::fs::create_dir_all(desk.path("mail").join(part)).unwrap();
    }
    configure(&desk, "");
    desk
}

fn configure(desk: &Desk, more: &str) {
    let path = desk.path("mail");
    desk.configure(&format!(
        "[user]\naddress = \"ada@example.org\"\n[[mail]]\nname = \"home\"\npath = \"{}\"\n{more}",
        path.display()
    ));
}

fn deliver(desk: &Desk, n: u32) {
    deliver_from(desk, n, "Bob <bob@b.example>");
}

fn deliver_from(desk: &Desk, n: u32, from: &str) {
    let now = jiff::Timestamp::now();
    let raw = format!(
        "Message-ID: <{n}@post.example>\r\nFrom: {from}\r\nTo: ada@example.org\r\nSubject: Lunch {n}?\r\n\
         Date: Mon, 02 Nov 2026 10:00:00 +0000\r\n\r\nShall we have lunch on Friday?\r\n"
    );
    std::fs::write(desk.path("mail/new").join(format!("{}.{n}.host", now.as_second())), raw).unwrap();
}

fn real(desk: &Desk, args: &[&str]) -> Said {
    said(desk.real().args(args).output().unwrap())
}

#[track_caller]
fn real_json(desk: &Desk, args: &[&str]) -> Value {
    let said = real(desk, args);
    serde_json::from_str(said.done()).unwrap()
}

#[test]
fn what_is_fetched_is_listed_with_its_thread() {
    let desk = desk();
    assert!(real(&desk, &["mail"]).done().contains("No mail has come yet"));
    deliver(&desk, 1);
    deliver(&desk, 2);
    let synced = real_json(&desk, &["mail", "sync", "--json"]);
    assert_eq!(synced, json!([{"source": "home", "new": 2, "started": 2, "error": null}]));
    // What came waits for the person right away.
    let listed = real_json(&desk, &["list", "--json"]);
    let mut titles: Vec<String> =
        listed.as_array().unwrap().iter().map(|item| text(&item["title"])).collect();
    titles.sort();
    assert_eq!(titles, ["Lunch 1?", "Lunch 2?"]);
    assert_eq!(real(&desk, &["mail", "sync"]).done(), "home: 0 mails new, 0 threads started\n");
    let mails = real_json(&desk, &["mail", "--json"]);
    assert_eq!(mails.as_array().unwrap().len(), 2);
    let expected = [
        "identity",
        "account",
        "from",
        "subject",
        "came_at",
        "state",
        "thread",
        "status",
        "class",
        "reason",
        "outcome",
        "handled_at",
    ];
    keys(&mails[0], &expected);
    assert_eq!((&mails[0]["from"], &mails[0]["subject"]), (&json!("bob@b.example"), &json!("Lunch 2?")));
    assert!(mails[0]["thread"].is_string() && mails[0]["status"] == "waiting", "{mails}");
    assert_eq!(real_json(&desk, &["mail", "--limit", "1", "--json"]).as_array().unwrap().len(), 1);
    let text = real(&desk, &["mail"]);
    assert!(text.done().contains("Lunch 1?") && text.out.contains("home"), "{text:?}");
}

#[test]
fn senders_as_the_world_writes_them_are_listed_and_shown() {
    let desk = desk();
    deliver_from(&desk, 1, "Microsoft account team , <x@evil.example>");
    deliver_from(&desk, 2, "\"service@paypal.com\" <x@evil.example>");
    deliver_from(&desk, 3, "Bob Ray");
    real_json(&desk, &["mail", "sync", "--json"]);
    let mails = real_json(&desk, &["mail", "--json"]);
    let from: Vec<&Value> = mails.as_array().unwrap().iter().map(|mail| &mail["from"]).collect();
    assert_eq!(from, [&json!(""), &json!("x@evil.example"), &json!("x@evil.example")]);
    assert!(real(&desk, &["mail"]).done().contains("(no address)"));
    real(&desk, &["run", "--until-idle"]).done();
    let items = real_json(&desk, &["list", "--json"]);
    for (title, source, code, shown) in [
        (
            "Lunch 1?",
            "Microsoft account team",
            "unusual_header",
            "From: Microsoft account team <x@evil.example>",
        ),
        ("Lunch 2?", "x@evil.example", "name_holds_address", "From: service@paypal.com <x@evil.example>"),
        ("Lunch 3?", "Bob Ray", "unreadable_header", "This mail has no address that a reply can be sent to"),
    ] {
        let item = items.as_array().unwrap().iter().find(|item| item["title"] == title).unwrap();
        assert_eq!(item["source"], source, "{item}");
        let view = real(&desk, &["view", item["id"].as_str().unwrap()]);
        assert!(view.done().contains(&format!("[{code}]")) && view.out.contains(shown), "{view:?}");
    }
}

#[test]
fn a_mailbox_that_fails_is_named_and_the_other_is_read() {
    let desk = desk();
    let gone = "[[mail]]\nname = \"gone\"\npath = \"/nowhere/at/all\"\n";
    configure(&desk, gone);
    deliver(&desk, 1);
    let said = real(&desk, &["mail", "sync", "--json"]);
    assert_eq!(said.code, 1, "{said:?}");
    let synced: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((&synced[0]["new"], &synced[0]["error"]), (&json!(1), &Value::Null));
    assert!(synced[1]["error"].as_str().unwrap().contains("/nowhere/at/all"), "{synced}");
    let doctor = real(&desk, &["doctor", "--json"]);
    assert_eq!(doctor.code, 1);
    let checks: Value = serde_json::from_str(&doctor.out).unwrap();
    let mail: Vec<&Value> = checks.as_array().unwrap().iter().filter(|c| c["check"] == "mail").collect();
    assert_eq!((mail.len(), &mail[0]["ok"], &mail[1]["ok"]), (2, &json!(true), &json!(false)), "{checks}");
}

#[test]
fn without_an_account_there_is_nothing_to_fetch() {
    let desk = Desk::new();
    real(&desk, &["mail", "sync"]).refused(2, "names no mail account; add a [[mail]]");
    assert!(real(&desk, &["mail"]).done().contains("names no mail account"));
    real(&desk, &["mail", "sink"]).refused(2, "sink");
    real(&desk, &["mail", "--limit", "0"]).refused(2, "0");
}

#[test]
fn watch_takes_mail_in_as_it_comes_and_ends_when_told() {
    let desk = desk();
    let mut command = desk.real();
    command.arg("watch").stdout(Stdio::piped()).stderr(Stdio::piped());
    let watch = Background::of(command.spawn().unwrap());
    until(|| real_json(&desk, &["status", "--json"])["driver"] == json!(watch.pid()));
    deliver(&desk, 1);
    // Somebody who asks beside it is answered by it.
    until(|| {
        real(&desk, &["mail", "sync"]).done();
        real_json(&desk, &["mail", "--json"]).as_array().unwrap().len() == 1
    });
    until(|| real_json(&desk, &["mail", "--json"])[0]["class"].is_string());
    watch.signal(Signal::TERM);
    let said = watch.wait();
    assert_eq!(said.code, 0, "{said:?}");
}

#[test]
fn what_an_answer_teaches_is_learned_before_driving_is_idle() {
    let desk = desk();
    configure(&desk, "[learning]\ndelay_seconds = 0\n");
    deliver(&desk, 1);
    real_json(&desk, &["mail", "sync", "--json"]);
    real(&desk, &["run", "--until-idle"]).done();
    let items = real_json(&desk, &["list", "--json"]);
    let id = items[0]["id"].as_str().unwrap();
    real(&desk, &["ignore", id, "--wait"]).done();
    let learned = || real_json(&desk, &["memory", "show", "triage_preferences", "--json"]);
    assert_eq!(learned()["version"], 1, "whoever waits for one thread does not wait for this");
    real(&desk, &["run", "--until-idle"]).done();
    let learned = learned();
    assert_eq!((&learned["version"], &learned["cause"]["kind"]), (&json!(2), &json!("answer")), "{learned}");
}

#[test]
fn a_mail_that_was_moved_meanwhile_is_marked_where_it_lies_now() {
    let desk = desk();
    for part in ["cur", "new", "tmp"] {
        std::fs::create_dir_all(desk.path("mail/.later").join(part)).unwrap();
    }
    configure(&desk, "folders = [\"later\"]\nhandled.done = \"seen\"\n");
    deliver(&desk, 1);
    real(&desk, &["mail", "sync"]).done();
    real(&desk, &["run", "--until-idle"]).done();
    let asked = real_json(&desk, &["list", "--json"]);
    let moved = std::fs::read_dir(desk.path("mail/new")).unwrap().next().unwrap().unwrap().path();
    std::fs::rename(&moved, desk.path("mail/.later/new").join(moved.file_name().unwrap())).unwrap();
    real(&desk, &["mail", "sync"]).done();
    real(&desk, &["ignore", asked[0]["id"].as_str().unwrap(), "--wait"]).done();
    let cur: Vec<_> = std::fs::read_dir(desk.path("mail/.later/cur")).unwrap().collect();
    assert_eq!(cur.len(), 1, "it is seen, where it was moved to");
}
