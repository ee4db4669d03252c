//! M06 and M07 at Google: numbers that become void, tokens that expired, and servers that ask for a pause.

use crate::report;
use crate::support::gmail::Gmail;
use crate::support::google::{Fault, Google};
use crate::support::mail_script::patience;
use crate::support::mail_server::Fault as MailFault;
use crate::support::person::{Person, proposal, question};
use futures_util::future::join_all;
use jiff::tz::TimeZone;
use sayso::calendar::{Calendar, GoogleCalendar};
use sayso::mail::imap::Imap;
use sayso::mail::smtp::Smtp;
use sayso::mail::{Copies, MailError, Mailbox, Outgoing};
use sayso::tools::web::WebTimeouts;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

const WAIT: WebTimeouts = WebTimeouts {
    connect: Duration::from_secs(20),
    reply: Duration::from_secs(20),
    again: Duration::from_millis(1),
    longest: Duration::from_secs(5),
};

fn mailbox(gmail: &Gmail, login: &sayso::config::Google) -> Imap {
    Imap::with_timeouts(&gmail.account(login), patience()).unwrap()
}

fn calendar(login: &sayso::config::Google) -> GoogleCalendar {
    GoogleCalendar::with_timeouts(login, "primary", TimeZone::UTC, WAIT)
}

#[test]
fn m06_numbers_that_become_void_triage_nothing_twice() {
    let person = Person::new("");
    person.log_in();
    person.json(&["mail", "sync"]);
    let mut came = 0_u32;
    let rounds = 6;
    for round in 0..rounds {
        for _ in 0..=round {
            came += 1;
            person.gmail.deliver(&question(came));
        }
        if round % 2 == 1 {
            person.gmail.renumber();
        }
        came += 1;
        person.gmail.deliver(&question(came));
        // Some of it fails on the way and is looked at again.
        if round % 3 == 2 {
            person.gmail.mailbox.fault("BODY", MailFault::Cut);
        }
        for _ in 0..2 {
            person.sayso(&["mail", "sync"]);
        }
    }
    let mails = person.json(&["mail"]);
    let mails = mails.as_array().unwrap();
    assert_eq!(mails.len(), came as usize, "nothing is lost");
    let threads: BTreeSet<&str> = mails.iter().filter_map(|mail| mail["thread"].as_str()).collect();
    assert_eq!(threads.len(), came as usize, "each has one thread of its own");
    let all = person.json(&["threads"]);
    assert_eq!(all.as_array().unwrap().len(), came as usize, "and there is no other");
    report("M06", "UIDVALIDITY changed under the real program, and cut connections", rounds);
}

#[tokio::test]
async fn m07_many_refused_tokens_are_one_refresh() {
    let rounds = 5;
    for _ in 0..rounds {
        let (google, folder) = (Google::start(), tempfile::tempdir().unwrap());
        let gmail = Gmail::start(&google);
        let login = google.login(folder.path());
        gmail.deliver(&question(1));
        // Several doors of one account, as in one process, and as in several.
        let doors: Vec<Imap> = (0..3).map(|_| mailbox(&gmail, &login)).collect();
        let out = Smtp::new(gmail.smtp_server(&login), Copies::Nowhere).with_timeouts(patience());
        let calendar = calendar(&login);
        google.world().access.clear();
        let (fetched, sending, calendar) = tokio::join!(
            join_all(doors.iter().map(|door| door.fetch(None, 50))),
            out.check(),
            calendar.check()
        );
        sending.unwrap();
        calendar.unwrap();
        for fetched in fetched {
            assert_eq!(fetched.unwrap().mails.len(), 1);
        }
        assert_eq!(google.world().refreshes, 1);
    }
    report("M07", "refused tokens at IMAP, SMTP and a calendar: one refresh", rounds);
}

#[tokio::test]
async fn m07_a_login_that_is_over_is_said_and_not_asked_again_and_again() {
    let (google, folder) = (Google::start(), tempfile::tempdir().unwrap());
    let gmail = Gmail::start(&google);
    let login = google.login(folder.path());
    let door = mailbox(&gmail, &login);
    {
        let mut world = google.world();
        world.access.clear();
        world.refresh = "another".to_owned();
    }
    for _ in 0..4 {
        match door.fetch(None, 10).await {
            Err(MailError::Login(text)) => {
                assert!(text.contains("run `sayso auth google --account home`"), "{text}");
                assert!(!text.contains("canary"), "{text}");
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(google.world().refreshes, 1);
    // Another process logs in, and this one goes on.
    google.login(folder.path());
    door.fetch(None, 10).await.unwrap();
    report("M07", "invalid_grant: asked once, and said", 4);
}

#[tokio::test]
async fn m07_a_wish_to_be_left_alone_is_kept() {
    let (google, folder) = (Google::start(), tempfile::tempdir().unwrap());
    let calendar = calendar(&google.login(folder.path()));
    let limit = r#"{"error": {"errors": [{"reason": "userRateLimitExceeded"}]}}"#;
    let cases = [
        Fault::Reply(429, vec![("retry-after", "1".into())], "{}".into()),
        Fault::Reply(403, vec![("retry-after", "1".into())], limit.into()),
    ];
    let trials = cases.len();
    for fault in cases {
        google.world().fault("POST /calendar/v3/freeBusy", fault);
        let began = Instant::now();
        calendar.check().await.unwrap();
        assert!(began.elapsed() >= Duration::from_millis(900), "{:?}", began.elapsed());
    }
    report("M07", "429 and 403 with Retry-After: waited for", trials);
}

#[test]
fn m07_a_login_that_is_over_is_one_card_that_goes_by_itself() {
    let person = Person::new("");
    person.log_in();
    person.json(&["mail", "sync"]);
    let rounds = 2;
    for round in 0..rounds {
        {
            let mut world = person.google.world();
            world.access.clear();
            world.refresh = format!("canary-refresh-{round}");
        }
        for _ in 0..3 {
            assert_eq!(person.sayso(&["mail", "sync"]).0, 1);
            person.json(&["run"]);
        }
        let list = person.json(&["list"]);
        assert_eq!(list.as_array().unwrap().len(), 1, "{list}");
        assert_eq!((&list[0]["kind"], &list[0]["action"]), (&"trouble".into(), &"login".into()));
        let (_, view, _) = person.sayso(&["view", list[0]["id"].as_str().unwrap()]);
        assert!(view.contains("run `sayso auth google --account home`"), "{view}");
        assert!(!view.contains("canary"), "{view}");
        person.log_in();
        person.gmail.deliver(&question(round));
        person.json(&["mail", "sync"]);
        person.json(&["run"]);
        let list = person.json(&["list"]);
        let cards: Vec<_> =
            list.as_array().unwrap().iter().filter(|item| item["action"] == "login").collect();
        assert!(cards.is_empty(), "{list}");
        for item in list.as_array().unwrap() {
            person.json(&["ignore", item["id"].as_str().unwrap()]);
        }
        person.json(&["run"]);
    }
    assert_eq!(
        person.json(&["mail"]).as_array().unwrap().len(),
        rounds as usize,
        "nothing was lost meanwhile"
    );
    report("M07", "invalid_grant at a look: one card, gone once the login works", rounds as usize);
}

#[test]
fn m07_a_reply_that_met_a_login_that_is_over_waits_for_the_next() {
    let person = Person::new("");
    person.log_in();
    person.gmail.deliver(&question(1));
    person.json(&["mail", "sync"]);
    let item = proposal(&person);
    {
        let mut world = person.google.world();
        world.access.clear();
        world.refresh = "canary-refresh-second".to_owned();
    }
    person.json(&["accept", item["id"].as_str().unwrap()]);
    person.json(&["run"]);
    let list = person.json(&["list"]);
    let card = list
        .as_array()
        .unwrap()
        .iter()
        .find(|item| item["kind"] == "trouble" && item["action"] != "login")
        .expect("a card");
    let (_, view, _) = person.sayso(&["view", card["id"].as_str().unwrap()]);
    assert!(view.contains("sayso auth google --account home"), "{view}");
    assert_eq!(person.gmail.sent().len(), 0);
    person.log_in();
    person.json(&["accept", card["id"].as_str().unwrap()]);
    person.json(&["run"]);
    assert_eq!(person.gmail.sent().len(), 1);
    report("M07", "a re-login card, and the reply sent once after it", 1);
}
