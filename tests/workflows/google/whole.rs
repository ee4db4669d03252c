//! The real program from end to end: a login, a mail, its triage, the reply accepted, sent once and marked.

use crate::support::gmail::Fault;
use crate::support::google::SECRET;
use crate::support::person::{Person, proposal, question};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;

#[test]
fn from_the_login_to_the_reply_in_its_conversation() {
    let person = Person::new("");
    let (code, _, err) = person.sayso(&["mail", "sync"]);
    assert_eq!(code, 1);
    let (_, doctor, _) = person.sayso(&["doctor"]);
    assert!(doctor.contains("run `sayso auth google --account home`"), "{doctor} {err}");

    let login = person.log_in();
    assert_eq!(login["scopes"][0], "https://mail.google.com/");
    let mode = |path: &str| std::fs::metadata(person.data().join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("google"), mode("google/home.json")), (0o700, 0o600));
    let (code, doctor, _) = person.sayso(&["doctor"]);
    assert_eq!(code, 0, "{doctor}");
    assert!(doctor.contains("0 mails in INBOX at localhost"), "{doctor}");

    person.gmail.deliver(&question(1));
    let synced = person.json(&["mail", "sync"]);
    assert_eq!((&synced[0]["new"], &synced[0]["started"]), (&Value::from(1), &Value::from(1)), "{synced}");
    let item = proposal(&person);
    assert_eq!(item["args"]["to"][0], "bob@example.com", "{item}");
    assert_eq!(person.gmail.sent().len(), 0, "nothing leaves without a say-so");
    person.json(&["accept", item["id"].as_str().unwrap()]);
    person.json(&["run"]);

    let sent = person.gmail.sent();
    assert_eq!(sent.len(), 1);
    for line in ["In-Reply-To: <1@example.com>\r\n", "To: <bob@example.com>\r\n"] {
        assert!(sent[0].contains(line), "{}", sent[0]);
    }
    let flags = &person.gmail.mailbox.letters("INBOX")[0].flags;
    assert!(["\\Seen", "\\Answered"].iter().all(|flag| flags.contains(&(*flag).to_owned())), "{flags:?}");
    assert_eq!(person.gmail.imap.1.count("APPEND"), 0, "Gmail files what it sends");

    // Another sync finds nothing new and sends nothing twice.
    let synced = person.json(&["mail", "sync"]);
    assert_eq!(synced[0]["new"], 0);
    person.json(&["run"]);
    assert_eq!(person.gmail.sent().len(), 1);
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
    person.gmail.deliver(&question(1));
    person.json(&["mail", "sync"]);
    let item = proposal(&person);
    person.gmail.fault(Fault::CutAfter);
    person.json(&["accept", item["id"].as_str().unwrap()]);
    person.json(&["run"]);
    // Every retry finds it.
    for _ in 0..3 {
        for item in person.json(&["list"]).as_array().unwrap() {
            person.json(&["accept", item["id"].as_str().unwrap()]);
        }
        person.json(&["run"]);
    }
    assert_eq!(person.gmail.sent().len(), 1);
    let mails = person.json(&["mail"]);
    assert_eq!(mails[0]["status"], "done", "{mails}");
}
