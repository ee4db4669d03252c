//! D02 at clouds: the real program killed around a mail that Gmail's server takes, and around an event put into Google
//! Calendar or a CalDAV server, changed or taken out there, at each named point and in the middle of the request
//! itself. What counts is what the server holds.

use crate::support::dav::{Dav, PASSWORD, multistatus};
use crate::support::gmail;
use crate::support::google::{Fault, Moment};
use crate::support::person::{Person, proposed, question};
use crate::{report, side_by_side};
use serde_json::Value;
use std::os::unix::process::ExitStatusExt;

const INSERT: &str = "POST /calendar/v3/calendars/primary/events";

/// Where the process dies.
#[derive(Clone, Copy, Debug)]
enum Death {
    /// At a named point, the so-manieth time.
    At(&'static str),
    /// While the server has its mail.
    Sending(Moment),
    /// While the server has its event.
    Inserting(Moment),
}

/// What is approved.
#[derive(Clone, Copy, Debug, PartialEq)]
enum What {
    Reply,
    /// An invitation is accepted, with a calendar at Google.
    Google,
    /// The same with a CalDAV server.
    CalDav,
    /// An event at the CalDAV server is moved by who invited.
    Moved,
    /// It is cancelled.
    Cancelled,
}

/// Where the event lies that is moved or cancelled.
const HELD: &str = "/home/ada/work/kick@client.ics";

/// Bob's event in this version, with its method where it is a mail's.
fn event(method: &str, sequence: u32) -> String {
    format!(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\n{method}BEGIN:VEVENT\r\nUID:kick@client\r\nSEQUENCE:{sequence}\r\n\
         DTSTAMP:2036010{sequence}T000000Z\r\nDTSTART:2036050{sequence}T120000Z\r\nDTEND:2036050{sequence}T130000Z\r\n\
         SUMMARY:Kickoff\r\nORGANIZER:mailto:bob@example.com\r\nATTENDEE:mailto:ada@gmail.example\r\nEND:VEVENT\r\n\
         END:VCALENDAR\r\n"
    )
}

/// Bob's mail about it.
fn news(method: &str) -> String {
    format!(
        "Message-ID: <1@example.com>\nFrom: Bob <bob@example.com>\nTo: ada@gmail.example\nSubject: Kickoff\nMIME-Version: 1.0\n\
         Content-Type: text/calendar; method={method}\n\n{}",
        event(&format!("METHOD:{method}\r\n"), 2)
    )
}

fn trial(what: What, death: Death) {
    let case = format!("{what:?}, {death:?}");
    let dav = Dav::start();
    let more = match what {
        What::Reply => String::new(),
        What::Google => "[calendar]\nkind = \"google\"\naccount = \"home\"\n".to_owned(),
        What::CalDav | What::Moved | What::Cancelled => format!(
            "[calendar]\nkind = \"caldav\"\nurl = \"{}/\"\nuser = \"ada\"\npassword_command = \"echo {PASSWORD}\"\n",
            dav.address
        ),
    };
    dav.serve_calendars(&[("/home/ada/work/", "Work", "VEVENT")]);
    dav.reply("REPORT /home/ada/work/", 207, &multistatus(""));
    if matches!(what, What::Moved | What::Cancelled) {
        dav.state().objects.insert(HELD.to_owned(), event("", 1).into_bytes());
    }
    let person = Person::new(&more);
    person.log_in();
    let (mail, action) = match what {
        What::Reply => (question(1), "write_email"),
        What::Google | What::CalDav | What::Moved => (news("REQUEST"), "answer_invitation"),
        What::Cancelled => (news("CANCEL"), "remove_event"),
    };
    person.gmail.deliver(&mail);
    person.json(&["mail", "sync"]);
    let item = proposed(&person, action);
    person.json(&["accept", item["id"].as_str().unwrap()]);

    let mut doomed = person.command(&["run"]);
    match (death, what) {
        (Death::At(point), _) => drop(doomed.env("SAYSO_FAIL_POINT", point)),
        (Death::Sending(moment), _) => person.gmail.fault(gmail::Fault::Kill(moment)),
        (Death::Inserting(moment), What::Google) => {
            person.google.world().fault(INSERT, Fault::Kill(moment));
        }
        (Death::Inserting(moment), _) => dav.state().kills = Some(moment),
    }
    let child = doomed.spawn().unwrap();
    person.google.world().victim = Some(child.id());
    dav.state().victim = Some(child.id());
    let died = child.wait_with_output().unwrap().status;
    assert_eq!(died.signal(), Some(9), "{case}: it was to die");

    let sent = || person.gmail.sent().len();
    let events = || match what {
        What::Reply => 0,
        What::Google => person.google.world().events.len(),
        What::CalDav | What::Moved | What::Cancelled => dav.state().objects.len(),
    };
    let told_calendar = || match what {
        What::Reply | What::Google | What::CalDav => events() == 1,
        What::Moved => String::from_utf8_lossy(&dav.state().objects[HELD]).contains("SEQUENCE:2"),
        What::Cancelled => events() == 0,
    };
    // Another process goes on, and where something is in doubt the person looks and says how it is.
    for _ in 0..4 {
        person.json(&["run"]);
        assert!(sent() <= 1 && events() <= 1, "{case}: {} sent, {} events", sent(), events());
        let list = person.json(&["list"]);
        let open = list.as_array().unwrap();
        if open.is_empty() {
            break;
        }
        for item in open {
            settle(&person, item, sent() == 1, told_calendar(), &case);
        }
    }
    let expected = match what {
        What::Reply => (1, 0),
        What::Google | What::CalDav | What::Moved => (1, 1),
        What::Cancelled => (0, 0),
    };
    assert_eq!((sent(), events()), expected, "{case}");
    assert!(what == What::Reply || told_calendar(), "{case}");
    let mails = person.json(&["mail"]);
    assert_eq!(mails[0]["status"], "done", "{case}: {mails}");
}

fn settle(person: &Person, item: &Value, sent: bool, put_in: bool, case: &str) {
    assert_eq!(item["action"], "in_doubt", "{case}: nothing else is asked: {item}");
    let (id, effect) = (item["id"].as_str().unwrap(), item["args"]["effect"].as_str().unwrap());
    let done = if effect.starts_with("send:") { sent } else { put_in };
    if done {
        person.json(&["accept", id]);
    } else {
        person.json(&["edit", id, "--set", "outcome=not_done"]);
    }
}

#[test]
fn d02_killed_around_what_a_cloud_is_told() {
    use Death::{At, Inserting, Sending};
    use Moment::{After, Before};
    let trials = [
        (What::Reply, At("before_intent")),
        (What::Reply, At("after_intent")),
        (What::Reply, Sending(Before)),
        (What::Reply, Sending(After)),
        (What::Reply, At("before_outcome")),
        (What::Reply, At("after_outcome")),
        (What::Google, At("after_intent")),
        (What::Google, Inserting(Before)),
        (What::Google, Inserting(After)),
        (What::Google, At("before_outcome")),
        (What::Google, At("after_intent:2")),
        (What::CalDav, Inserting(Before)),
        (What::CalDav, Inserting(After)),
        (What::CalDav, At("before_outcome")),
        (What::Moved, At("after_intent")),
        (What::Moved, Inserting(Before)),
        (What::Moved, Inserting(After)),
        (What::Moved, At("before_outcome")),
        (What::Moved, Sending(Before)),
        (What::Cancelled, Inserting(Before)),
        (What::Cancelled, Inserting(After)),
        (What::Cancelled, At("before_outcome")),
    ];
    side_by_side(&trials, |(what, death)| trial(*what, *death));
    report(
        "D02",
        "SIGKILL around a mail at Gmail and an event put in, changed or taken out at Google or by CalDAV",
        trials.len(),
    );
}
