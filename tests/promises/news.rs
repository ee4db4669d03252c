//! I10 with the real program: a mail comes to a conversation whose answer is approved, while the process that would
//! send it dies at each named point. Either it was sent before, or it is asked again with the new mail shown.

use crate::report;
use crate::support::person::{Person, proposal, question};
use serde_json::Value;
use std::os::unix::process::ExitStatusExt;

const LATER: &str = "Message-ID: <later@example.com>\nIn-Reply-To: <1@example.com>\nReferences: <1@example.com>\n\
    From: Bob <bob@example.com>\nTo: ada@gmail.example\nSubject: Re: Offer 1\n\nForget it, the offer is withdrawn.\n";

/// The item of this id, where it is open.
fn open(person: &Person, id: &str) -> Option<Value> {
    person.json(&["list"]).as_array().unwrap().iter().find(|item| item["id"] == id).cloned()
}

#[test]
fn i10_a_mail_between_the_approval_and_the_sending() {
    let points = [
        ("", false),
        ("before_node", false),
        ("before_intent", false),
        ("after_intent", true),
        ("before_outcome", true),
        ("after_outcome", true),
        ("before_commit", true),
        ("after_commit", true),
    ];
    let trial = |(point, begun): (&str, bool)| {
        let person = Person::new("");
        person.log_in();
        person.gmail.deliver(&question(1));
        person.json(&["mail", "sync"]);
        let item = proposal(&person);
        let id = item["id"].as_str().unwrap();
        person.json(&["accept", id]);
        if !point.is_empty() {
            let mut doomed = person.command(&["run"]);
            let died = doomed.env("SAYSO_FAIL_POINT", point).output().unwrap().status;
            assert_eq!(died.signal(), Some(9), "{point}: it was to die");
        }
        let before = person.gmail.sent().len();
        person.gmail.deliver(LATER);
        person.json(&["mail", "sync"]);
        person.json(&["run"]);
        let sent = person.gmail.sent().len();
        let asked = open(&person, id);
        if begun {
            // What the journal knows to be begun is neither asked again nor sent again.
            assert!(asked.is_none(), "{point}: {asked:?}");
            assert_eq!(sent, before, "{point}");
            let doubt =
                person.json(&["list"]).as_array().unwrap().iter().any(|it| it["action"] == "in_doubt");
            assert_eq!(doubt, sent == 0, "{point}: sent once, or in doubt");
        } else {
            assert!(asked.is_some() && sent == 0, "{point}: {sent} were sent, {asked:?} is asked");
            let (_, view, _) = person.sayso(&["view", id]);
            assert!(view.contains("the offer is withdrawn"), "{point}: {view}");
            person.json(&["accept", id]);
            person.json(&["run"]);
            assert_eq!(person.gmail.sent().len(), 1, "{point}");
            assert!(open(&person, id).is_none(), "{point}");
        }
        let mails = person.json(&["mail"]);
        let threads: Vec<_> = mails.as_array().unwrap().iter().map(|mail| mail["thread"].as_str()).collect();
        assert!(threads.len() == 2 && threads[0].is_some() && threads[0] == threads[1], "{point}: {mails}");
    };
    std::thread::scope(|scope| {
        points.map(|point| scope.spawn(move || trial(point))).map(|it| it.join().unwrap())
    });
    report("I10", "a mail between the approval and the sending, SIGKILL at each point", points.len());
}
