//! CalDAV against a server that follows a script: discovery, and replies that make no sense.

use super::WAIT;
use super::calendars::{ADA, at, meeting, news};
use crate::support::dav::{Dav, PASSWORD, calendar_data, multistatus, response};
use jiff::tz::TimeZone;
use sayso::calendar::{CalDav, Calendar, CalendarError, Revision};
use sayso::config::{CalDavServer, Secret};

fn calendar(dav: &Dav, path: &str, name: Option<&str>) -> CalDav {
    let server = CalDavServer {
        url: format!("{}{path}", dav.address),
        user: "ada".to_owned(),
        password: Secret::Command(format!("echo {PASSWORD}")),
        calendar: name.map(str::to_owned),
        ca_file: None,
    };
    CalDav::with_timeouts(&server, TimeZone::get("Europe/Paris").unwrap(), WAIT)
}

/// A server with one calendar that answers every report like this.
fn work(reports: &str) -> (Dav, CalDav) {
    let dav = Dav::start();
    dav.serve_calendars(&[("/home/ada/work/", "Work", "VEVENT")]);
    dav.reply("REPORT /home/ada/work/", 207, &multistatus(reports));
    let calendar = calendar(&dav, "/", None);
    (dav, calendar)
}

#[track_caller]
fn refused<T: std::fmt::Debug>(outcome: Result<T, CalendarError>, words: &str) {
    let error = outcome.unwrap_err();
    assert!(matches!(&error, CalendarError::Permanent(text) if text.contains(words)), "{error:?}");
}

#[tokio::test]
async fn a_calendar_is_found_from_anywhere() {
    let dav = Dav::start();
    dav.serve_calendars(&[("/home/ada/work/", "Work", "VEVENT"), ("/home/ada/todo", "Todo", "VTODO")]);
    dav.reply("PROPFIND /y/", 403, "");
    dav.reply("REPORT /home/ada/work/", 207, &multistatus(""));
    dav.reply(
        "PROPFIND /home/ada/work/",
        207,
        &multistatus(&response("/home/ada/work/", "<D:resourcetype><C:calendar/></D:resourcetype>")),
    );
    for (path, name) in [
        ("/", None),
        ("/dav/", None),
        ("/people/ada/", Some("Work")),
        ("/x/", Some("work")),
        ("/y/", None),
        ("/home/ada/work/", None),
    ] {
        let report = calendar(&dav, path, name).check().await.unwrap();
        assert!(report.contains("can be read and written"), "{path}: {report}");
    }
    let error = calendar(&dav, "/", Some("Home")).check().await.unwrap_err().to_string();
    assert!(error.contains("no calendar Home") && error.contains("there are Work"), "{error}");
    dav.serve_calendars(&[("/home/ada/a/", "A", "VEVENT"), ("/home/ada/b/", "B", "VEVENT")]);
    let error = calendar(&dav, "/", None).check().await.unwrap_err().to_string();
    assert!(error.contains("name one with calendar: A, B"), "{error}");
}

#[tokio::test]
async fn the_password_goes_to_no_other_server() {
    let (dav, other) = (Dav::start(), Dav::start());
    dav.redirect("PROPFIND /", &format!("{}/", other.address));
    let error = calendar(&dav, "/", None).check().await.unwrap_err().to_string();
    assert!(error.contains("on another server"), "{error}");
    dav.serve_calendars(&[]);
    let home = format!("<C:calendar-home-set><D:href>{}/home/</D:href></C:calendar-home-set>", other.address);
    dav.reply("PROPFIND /", 207, &multistatus(&response("/", &home)));
    let error = calendar(&dav, "/", None).check().await.unwrap_err().to_string();
    assert!(error.contains("on another server"), "{error}");
    assert!(other.state().requests.is_empty());
    let wrong = CalDavServer {
        url: dav.address.clone(),
        user: "eve".to_owned(),
        password: Secret::Command(format!("echo {PASSWORD}")),
        calendar: None,
        ca_file: None,
    };
    let error = CalDav::with_timeouts(&wrong, TimeZone::UTC, WAIT).check().await.unwrap_err().to_string();
    assert!(error.contains("refused the password of eve") && !error.contains("canary"), "{error}");
}

#[tokio::test]
async fn recurrences_and_time_zones_are_expanded_here() {
    let weekly = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:w\r\nSUMMARY:Weekly & more\r\n\
        DTSTART;TZID=America/New_York:20260302T090000\r\nDTEND;TZID=America/New_York:20260302T100000\r\n\
        RRULE:FREQ=WEEKLY\r\nEXDATE;TZID=America/New_York:20260316T090000\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
    let floating = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:f\r\nSUMMARY:Lunch\r\n\
        DTSTART:20260309T120000\r\nDURATION:PT1H\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
    let (_dav, calendar) = work(&(calendar_data("/w.ics", weekly) + &calendar_data("/f.ics", floating)));
    let busy = calendar.busy(at("2026-03-09T00:00:00Z"), at("2026-03-24T00:00:00Z")).await.unwrap();
    let times: Vec<String> = busy.iter().map(|one| format!("{} {}", one.start, one.title)).collect();
    // New York has summer time on the 8th, Paris not before the 29th.
    let expected = [
        "2026-03-09T11:00:00Z Lunch",
        "2026-03-09T13:00:00Z Weekly & more",
        "2026-03-23T13:00:00Z Weekly & more",
    ];
    assert_eq!(times, expected);
}

#[tokio::test]
async fn replies_that_make_no_sense_are_errors_and_never_free_time() {
    let (dav, calendar) = work("");
    let unseen = "<D:response><D:href>/a.ics</D:href><D:propstat><D:prop><C:calendar-data/></D:prop>\
        <D:status>HTTP/1.1 403 Forbidden</D:status></D:propstat></D:response>";
    let undated = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:a\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
    let bomb = "<!DOCTYPE a [<!ENTITY a \"aaaa\">]><D:multistatus xmlns:D=\"DAV:\">&a;</D:multistatus>";
    let odd = [
        (200, "<html>".to_owned()),
        (207, "<html>".to_owned()),
        (207, bomb.to_owned()),
        (207, multistatus("<D:response>")),
        (207, multistatus(unseen)),
        (207, multistatus(&calendar_data("/a.ics", "no calendar"))),
        (207, multistatus(&calendar_data("/a.ics", undated))),
        (404, String::new()),
        (500, String::new()),
        (301, String::new()),
    ];
    for (status, body) in odd {
        dav.reply("REPORT /home/ada/work/", status, &body);
        let busy = calendar.busy(at("2026-03-09T00:00:00Z"), at("2026-03-24T00:00:00Z")).await;
        assert!(busy.is_err(), "{status} {body}: {busy:?}");
    }
    dav.reply("REPORT /home/ada/work/", 207, &multistatus(""));
    assert_eq!(calendar.busy(at("2026-03-09T00:00:00Z"), at("2026-03-24T00:00:00Z")).await.unwrap(), []);
}

#[tokio::test]
async fn an_event_is_added_once_and_found_by_its_uid() {
    let (dav, calendar) = work("");
    let (event, uid) = (meeting("t1-c1@sayso"), "t1-c1@sayso");
    dav.state().cut = Some(false);
    assert!(matches!(calendar.add(&event).await, Err(CalendarError::Unknown(_))));
    assert!(!calendar.holds(uid).await.unwrap());
    dav.state().cut = Some(true);
    assert!(matches!(calendar.add(&event).await, Err(CalendarError::Unknown(_))));
    assert!(calendar.holds(uid).await.unwrap());
    calendar.add(&event).await.unwrap();
    assert_eq!(dav.state().objects.len(), 1);
    assert_eq!(dav.state().objects["/home/ada/work/t1-c1@sayso.ics"], event, "byte for byte");
    assert!(String::from_utf8_lossy(&event).replace("\r\n ", "").contains("SCHEDULE-AGENT=CLIENT"));
    // Somebody else's event in its place is left alone; ours under another name is found.
    dav.state().objects.insert("/home/ada/work/x@sayso.ics".to_owned(), meeting("other"));
    assert!(matches!(calendar.add(&meeting("x@sayso")).await, Err(CalendarError::Permanent(_))));
    let moved = String::from_utf8(meeting("y@sayso")).unwrap();
    dav.reply("REPORT /home/ada/work/", 207, &multistatus(&calendar_data("/elsewhere.ics", &moved)));
    assert!(calendar.holds("y@sayso").await.unwrap());
    assert!(!calendar.holds("z@sayso").await.unwrap());
}

#[tokio::test]
async fn an_event_is_changed_and_taken_out_as_the_version_that_was_read() {
    let (dav, calendar) = work("");
    let (uid, path) = ("t1-c1@sayso", "/home/ada/work/t1-c1@sayso.ics");
    calendar.add(&meeting(uid)).await.unwrap();
    let puts = || dav.state().requests.iter().filter(|call| call.starts_with("PUT")).count();
    let moved = |sequence| news(uid, sequence, "20260331T090000Z", "");

    // Another client changes the event right before: the new version is read and changed.
    let louder = String::from_utf8(meeting(uid)).unwrap().replace("SUMMARY:Offer", "SUMMARY:OFFER");
    dav.state().meanwhile = Some(Some(louder.into_bytes()));
    let before = puts();
    calendar.revise(&moved(1), ADA, Revision::Change).await.unwrap();
    assert_eq!(puts() - before, 2, "refused once, then taken");
    calendar.revise(&moved(1), ADA, Revision::Change).await.unwrap();
    assert_eq!(puts() - before, 2, "told twice, done once");
    let held = calendar.events_of(uid).await.unwrap();
    assert_eq!((held.len(), held[0].sequence, held[0].start), (1, 1, at("2026-03-31T09:00:00Z")));

    // Another client stored a newer version, or deleted it.
    dav.state().meanwhile = Some(Some(moved(5)));
    refused(calendar.revise(&moved(2), ADA, Revision::Change).await, "a newer version");
    dav.state().meanwhile = Some(None);
    refused(calendar.revise(&moved(6), ADA, Revision::Change).await, "no longer in the");
    dav.state().objects.insert(path.to_owned(), moved(6));
    refused(calendar.revise(&moved(7), "eve@example.com", Revision::Remove).await, "not the organizer");

    for kept in [false, true] {
        dav.state().cut = Some(kept);
        assert!(matches!(
            calendar.revise(&moved(7), ADA, Revision::Remove).await,
            Err(CalendarError::Unknown(_))
        ));
        assert_eq!(calendar.holds(uid).await.unwrap(), !kept);
    }
    calendar.revise(&moved(7), ADA, Revision::Remove).await.unwrap();
    assert!(dav.state().objects.is_empty());
}

#[tokio::test]
async fn an_object_without_an_etag_is_not_overwritten() {
    let text = String::from_utf8(meeting("x@sayso")).unwrap();
    let (dav, calendar) = work(&calendar_data("/home/ada/work/else.ics", &text));
    let moved = news("x@sayso", 1, "20260331T090000Z", "");
    let error = calendar.revise(&moved, ADA, Revision::Change).await.unwrap_err().to_string();
    assert!(error.contains("which version"), "{error}");
    assert!(!dav.state().requests.iter().any(|call| call.starts_with("PUT")));
}
