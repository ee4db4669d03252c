//! CalDAV against a server that follows a script: discovery, and replies that make no sense.

use crate::WAIT;
use crate::calendars::{at, meeting};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, Response, Uri};
use jiff::tz::TimeZone;
use sayso::calendar::{CalDav, Calendar, CalendarError};
use sayso::config::{CalDavServer, Secret};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard};

const PASSWORD: &str = "canary-dav-password";

/// Status, headers, body.
type Reply = (u16, Vec<(&'static str, String)>, String);

#[derive(Default)]
struct Said {
    /// By method and path; without one there is nothing.
    replies: BTreeMap<String, Reply>,
    objects: BTreeMap<String, Vec<u8>>,
    asked: Vec<String>,
    /// The next PUT is kept, or not, and then the connection breaks.
    cut: Option<bool>,
}

struct Dav {
    address: String,
    said: Arc<Mutex<Said>>,
}

impl Dav {
    async fn start() -> Self {
        let said = Arc::<Mutex<Said>>::default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().fallback(answer).with_state(said.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { address, said }
    }

    fn said(&self) -> MutexGuard<'_, Said> {
        self.said.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn reply(&self, call: &str, status: u16, body: &str) {
        self.said().replies.insert(call.to_owned(), (status, Vec::new(), body.to_owned()));
    }

    fn redirect(&self, call: &str, to: &str) {
        self.said().replies.insert(call.to_owned(), (301, vec![("location", to.to_owned())], String::new()));
    }

    /// A whole server: well-known, principal, home, and these calendars in it.
    fn furnish(&self, calendars: &[(&str, &str, &str)]) {
        self.redirect("PROPFIND /.well-known/caldav", "/dav/");
        let href = |name: &str, to: &str| format!("<{name}><D:href>{to}</D:href></{name}>");
        self.reply(
            "PROPFIND /dav/",
            207,
            &multi(&one("/dav/", &href("D:current-user-principal", "/people/ada/"))),
        );
        self.reply(
            "PROPFIND /people/ada/",
            207,
            &multi(&one("/people/ada/", &href("C:calendar-home-set", "/home/ada/"))),
        );
        let mut inside = one("/home/ada/", "<D:resourcetype><D:collection/></D:resourcetype>");
        for (path, name, kind) in calendars {
            inside += &one(
                path,
                &format!(
                    "<D:resourcetype><D:collection/><C:calendar/></D:resourcetype><D:displayname>{name}</D:displayname>\
                     <C:supported-calendar-component-set><C:comp name=\"{kind}\"/></C:supported-calendar-component-set>"
                ),
            );
        }
        self.reply("PROPFIND /home/ada/", 207, &multi(&inside));
    }

    fn calendar(&self, path: &str, name: Option<&str>) -> CalDav {
        let server = CalDavServer {
            url: format!("{}{path}", self.address),
            user: "ada".to_owned(),
            password: Secret::Command(format!("echo {PASSWORD}")),
            calendar: name.map(str::to_owned),
            ca_file: None,
        };
        CalDav::patient(&server, TimeZone::get("Europe/Paris").unwrap(), WAIT)
    }
}

fn one(href: &str, props: &str) -> String {
    format!(
        "<D:response><D:href>{href}</D:href><D:propstat><D:prop>{props}</D:prop>\
         <D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>"
    )
}

fn multi(inside: &str) -> String {
    format!(
        "<D:multistatus xmlns:D=\"DAV:\" xmlns:C=\"urn:ietf:params:xml:ns:caldav\">{inside}</D:multistatus>"
    )
}

fn data(href: &str, event: &str) -> String {
    let event = event.replace('&', "&amp;").replace('<', "&lt;");
    one(href, &format!("<C:calendar-data>{event}</C:calendar-data>"))
}

async fn answer(
    State(said): State<Arc<Mutex<Said>>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response<Body>, Infallible> {
    let mut said = said.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let call = format!("{method} {}", uri.path());
    said.asked.push(call.clone());
    let plain = |status: u16| Ok(Response::builder().status(status).body(Body::empty()).unwrap());
    if headers.get("authorization").is_none_or(|it| it != "Basic YWRhOmNhbmFyeS1kYXYtcGFzc3dvcmQ=") {
        return plain(401);
    }
    let path = uri.path().to_owned();
    match method.as_str() {
        "PUT" => {
            assert_eq!(headers["if-none-match"], "*");
            let cut = said.cut.take();
            if said.objects.contains_key(&path) {
                return plain(412);
            }
            if cut != Some(false) {
                said.objects.insert(path, body.to_vec());
            }
            if cut.is_some() {
                drop(said);
                std::panic::resume_unwind(Box::new(()));
            }
            return plain(201);
        }
        "GET" => {
            return match said.objects.get(&path) {
                Some(object) => Ok(Response::new(Body::from(object.clone()))),
                None => plain(404),
            };
        }
        _ => {}
    }
    let Some((status, headers, body)) = said.replies.get(&call).cloned() else { return plain(404) };
    let mut response = Response::builder().status(status);
    for (name, value) in headers {
        response = response.header(name, value);
    }
    Ok(response.body(Body::from(body)).unwrap())
}

#[tokio::test]
async fn a_calendar_is_found_from_anywhere() {
    let dav = Dav::start().await;
    dav.furnish(&[("/home/ada/work/", "Work", "VEVENT"), ("/home/ada/todo", "Todo", "VTODO")]);
    dav.reply("PROPFIND /y/", 403, "");
    dav.reply("REPORT /home/ada/work/", 207, &multi(""));
    dav.reply(
        "PROPFIND /home/ada/work/",
        207,
        &multi(&one("/home/ada/work/", "<D:resourcetype><C:calendar/></D:resourcetype>")),
    );
    for (path, name) in [
        ("/", None),
        ("/dav/", None),
        ("/people/ada/", Some("Work")),
        ("/x/", Some("work")),
        ("/y/", None),
        ("/home/ada/work/", None),
    ] {
        let said = dav.calendar(path, name).check().await.unwrap();
        assert!(said.contains("can be read and written"), "{path}: {said}");
    }
    let error = dav.calendar("/", Some("Home")).check().await.unwrap_err().to_string();
    assert!(error.contains("no calendar Home") && error.contains("there are Work"), "{error}");
    dav.furnish(&[("/home/ada/a/", "A", "VEVENT"), ("/home/ada/b/", "B", "VEVENT")]);
    let error = dav.calendar("/", None).check().await.unwrap_err().to_string();
    assert!(error.contains("name one with calendar: A, B"), "{error}");
}

#[tokio::test]
async fn the_password_goes_to_no_other_server() {
    let (dav, other) = (Dav::start().await, Dav::start().await);
    dav.redirect("PROPFIND /", &format!("{}/", other.address));
    let error = dav.calendar("/", None).check().await.unwrap_err().to_string();
    assert!(error.contains("on another server"), "{error}");
    dav.furnish(&[]);
    let home = format!("<C:calendar-home-set><D:href>{}/home/</D:href></C:calendar-home-set>", other.address);
    dav.reply("PROPFIND /", 207, &multi(&one("/", &home)));
    let error = dav.calendar("/", None).check().await.unwrap_err().to_string();
    assert!(error.contains("on another server"), "{error}");
    assert!(other.said().asked.is_empty());
    let wrong = CalDavServer {
        url: dav.address.clone(),
        user: "eve".to_owned(),
        password: Secret::Command(format!("echo {PASSWORD}")),
        calendar: None,
        ca_file: None,
    };
    let error = CalDav::patient(&wrong, TimeZone::UTC, WAIT).check().await.unwrap_err().to_string();
    assert!(error.contains("refused the password of eve") && !error.contains("canary"), "{error}");
}

#[tokio::test]
async fn recurrences_and_zones_are_followed_here() {
    let dav = Dav::start().await;
    dav.furnish(&[("/home/ada/work/", "Work", "VEVENT")]);
    let weekly = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:w\r\nSUMMARY:Weekly & more\r\n\
        DTSTART;TZID=America/New_York:20260302T090000\r\nDTEND;TZID=America/New_York:20260302T100000\r\n\
        RRULE:FREQ=WEEKLY\r\nEXDATE;TZID=America/New_York:20260316T090000\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
    let floating = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:f\r\nSUMMARY:Lunch\r\n\
        DTSTART:20260309T120000\r\nDURATION:PT1H\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
    dav.reply("REPORT /home/ada/work/", 207, &multi(&(data("/w.ics", weekly) + &data("/f.ics", floating))));
    let calendar = dav.calendar("/", None);
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
    let dav = Dav::start().await;
    dav.furnish(&[("/home/ada/work/", "Work", "VEVENT")]);
    let calendar = dav.calendar("/", None);
    let unseen = "<D:response><D:href>/a.ics</D:href><D:propstat><D:prop><C:calendar-data/></D:prop>\
        <D:status>HTTP/1.1 403 Forbidden</D:status></D:propstat></D:response>";
    let bomb = "<!DOCTYPE a [<!ENTITY a \"aaaa\">]><D:multistatus xmlns:D=\"DAV:\">&a;</D:multistatus>";
    let odd = [
        (200, "<html>".to_owned()),
        (207, "<html>".to_owned()),
        (207, bomb.to_owned()),
        (207, multi("<D:response>")),
        (207, multi(unseen)),
        (207, multi(&data("/a.ics", "no calendar"))),
        (
            207,
            multi(&data(
                "/a.ics",
                "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:a\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
            )),
        ),
        (404, String::new()),
        (500, String::new()),
        (301, String::new()),
    ];
    for (status, body) in odd {
        dav.reply("REPORT /home/ada/work/", status, &body);
        let busy = calendar.busy(at("2026-03-09T00:00:00Z"), at("2026-03-24T00:00:00Z")).await;
        assert!(busy.is_err(), "{status} {body}: {busy:?}");
    }
    dav.reply("REPORT /home/ada/work/", 207, &multi(""));
    assert_eq!(calendar.busy(at("2026-03-09T00:00:00Z"), at("2026-03-24T00:00:00Z")).await.unwrap(), []);
}

#[tokio::test]
async fn an_event_is_put_in_once_and_found_by_its_uid() {
    let dav = Dav::start().await;
    dav.furnish(&[("/home/ada/work/", "Work", "VEVENT")]);
    dav.reply("REPORT /home/ada/work/", 207, &multi(""));
    let calendar = dav.calendar("/", None);
    let (event, uid) = (meeting("t1-c1@sayso"), "t1-c1@sayso");
    dav.said().cut = Some(false);
    assert!(matches!(calendar.add(&event).await, Err(CalendarError::Unknown(_))));
    assert!(!calendar.holds(uid).await.unwrap());
    dav.said().cut = Some(true);
    assert!(matches!(calendar.add(&event).await, Err(CalendarError::Unknown(_))));
    assert!(calendar.holds(uid).await.unwrap());
    calendar.add(&event).await.unwrap();
    assert_eq!(dav.said().objects.len(), 1);
    assert_eq!(dav.said().objects["/home/ada/work/t1-c1@sayso.ics"], event, "byte for byte");
    assert!(String::from_utf8_lossy(&event).replace("\r\n ", "").contains("SCHEDULE-AGENT=CLIENT"));
    // Somebody else's event in its place is left alone; ours under another name is found.
    dav.said().objects.insert("/home/ada/work/x@sayso.ics".to_owned(), meeting("other"));
    assert!(matches!(calendar.add(&meeting("x@sayso")).await, Err(CalendarError::Lasting(_))));
    let moved = String::from_utf8(meeting("y@sayso")).unwrap();
    dav.reply("REPORT /home/ada/work/", 207, &multi(&data("/elsewhere.ics", &moved)));
    assert!(calendar.holds("y@sayso").await.unwrap());
    assert!(!calendar.holds("z@sayso").await.unwrap());
}
