//! A fake CalDAV server on loopback. It runs in a thread of its own, so that real processes can talk to it.

use super::google::{Moment, kill, serve_in_thread};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, Response, Uri};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard};

pub const PASSWORD: &str = "canary-dav-password";

/// Status, headers, body.
pub type Reply = (u16, Vec<(&'static str, String)>, String);

#[derive(Default)]
pub struct DavState {
    /// Replies by method and path; everything else is a 404.
    replies: BTreeMap<String, Reply>,
    pub objects: BTreeMap<String, Vec<u8>>,
    pub requests: Vec<String>,
    /// The connection breaks during the next PUT or DELETE, which is carried out if this is `true`.
    pub cut: Option<bool>,
    /// The next PUT or DELETE kills the client.
    pub kills: Option<Moment>,
    /// What another client does to the object right before the next PUT or DELETE: its new content, or `None` to delete
    /// it.
    pub meanwhile: Option<Option<Vec<u8>>>,
    pub victim: Option<u32>,
}

pub struct Dav {
    pub address: String,
    state: Arc<Mutex<DavState>>,
}

impl Dav {
    pub fn start() -> Self {
        let state = Arc::<Mutex<DavState>>::default();
        let address = serve_in_thread(Router::new().fallback(answer).with_state(state.clone()));
        Self { address, state }
    }

    pub fn state(&self) -> MutexGuard<'_, DavState> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub fn reply(&self, call: &str, status: u16, body: &str) {
        self.state().replies.insert(call.to_owned(), (status, Vec::new(), body.to_owned()));
    }

    pub fn redirect(&self, call: &str, to: &str) {
        self.state().replies.insert(call.to_owned(), (301, vec![("location", to.to_owned())], String::new()));
    }

    /// Sets up the well-known address, the principal and the home with these calendars.
    pub fn serve_calendars(&self, calendars: &[(&str, &str, &str)]) {
        self.redirect("PROPFIND /.well-known/caldav", "/dav/");
        let href = |name: &str, to: &str| format!("<{name}><D:href>{to}</D:href></{name}>");
        self.reply(
            "PROPFIND /dav/",
            207,
            &multistatus(&response("/dav/", &href("D:current-user-principal", "/people/ada/"))),
        );
        self.reply(
            "PROPFIND /people/ada/",
            207,
            &multistatus(&response("/people/ada/", &href("C:calendar-home-set", "/home/ada/"))),
        );
        let mut inside = response("/home/ada/", "<D:resourcetype><D:collection/></D:resourcetype>");
        for (path, name, kind) in calendars {
            inside += &response(
                path,
                &format!(
                    "<D:resourcetype><D:collection/><C:calendar/></D:resourcetype><D:displayname>{name}</D:displayname>\
                     <C:supported-calendar-component-set><C:comp name=\"{kind}\"/></C:supported-calendar-component-set>"
                ),
            );
        }
        self.reply("PROPFIND /home/ada/", 207, &multistatus(&inside));
    }
}

pub fn response(href: &str, props: &str) -> String {
    format!(
        "<D:response><D:href>{href}</D:href><D:propstat><D:prop>{props}</D:prop>\
         <D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>"
    )
}

pub fn multistatus(inside: &str) -> String {
    format!(
        "<D:multistatus xmlns:D=\"DAV:\" xmlns:C=\"urn:ietf:params:xml:ns:caldav\">{inside}</D:multistatus>"
    )
}

pub fn calendar_data(href: &str, event: &str) -> String {
    let event = event.replace('&', "&amp;").replace('<', "&lt;");
    response(href, &format!("<C:calendar-data>{event}</C:calendar-data>"))
}

/// The ETag of an object, a hash of its content.
fn version(object: &[u8]) -> String {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    object.hash(&mut hasher);
    format!("\"{:x}\"", hasher.finish())
}

enum Outcome {
    Reply(Response<Body>),
    Cut,
    Kill,
}

async fn answer(
    State(state): State<Arc<Mutex<DavState>>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response<Body>, Infallible> {
    let state = || state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let outcome = handle(&mut state(), &method, &uri, &headers, &body);
    match outcome {
        Outcome::Reply(response) => return Ok(response),
        Outcome::Cut => {}
        Outcome::Kill => kill(|| state().victim).await,
    }
    // The connection breaks, with no panic message in the test's output.
    std::panic::resume_unwind(Box::new(()))
}

fn handle(state: &mut DavState, method: &Method, uri: &Uri, headers: &HeaderMap, body: &Bytes) -> Outcome {
    let call = format!("{method} {}", uri.path());
    state.requests.push(call.clone());
    let plain = |status: u16| Outcome::Reply(Response::builder().status(status).body(Body::empty()).unwrap());
    if headers.get("authorization").is_none_or(|it| it != "Basic YWRhOmNhbmFyeS1kYXYtcGFzc3dvcmQ=") {
        return plain(401);
    }
    let path = uri.path().to_owned();
    match method.as_str() {
        "PUT" | "DELETE" => {
            if let Some(meanwhile) = state.meanwhile.take() {
                match meanwhile {
                    Some(object) => drop(state.objects.insert(path.clone(), object)),
                    None => drop(state.objects.remove(&path)),
                }
            }
            let version = state.objects.get(&path).map(|object| version(object));
            let matches = match headers.get("if-match") {
                Some(expected) => version.is_some_and(|version| version == *expected),
                None => headers["if-none-match"] == "*" && version.is_none(),
            };
            if !matches {
                return plain(412);
            }
            let (cut, kills) = (state.cut.take(), state.kills.take());
            if cut != Some(false) && kills != Some(Moment::Before) {
                match method.as_str() {
                    "PUT" => drop(state.objects.insert(path, body.to_vec())),
                    _ => {
                        assert_eq!(headers["schedule-reply"], "F");
                        state.objects.remove(&path);
                    }
                }
            }
            return match (kills, cut) {
                (Some(_), _) => Outcome::Kill,
                (None, Some(_)) => Outcome::Cut,
                (None, None) => plain(201),
            };
        }
        "GET" => {
            return match state.objects.get(&path) {
                Some(object) => {
                    let reply = Response::builder().header("etag", version(object));
                    Outcome::Reply(reply.body(Body::from(object.clone())).unwrap())
                }
                None => plain(404),
            };
        }
        _ => {}
    }
    let Some((status, headers, body)) = state.replies.get(&call).cloned() else { return plain(404) };
    let mut response = Response::builder().status(status);
    for (name, value) in headers {
        response = response.header(name, value);
    }
    Outcome::Reply(response.body(Body::from(body)).unwrap())
}
