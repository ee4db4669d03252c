//! A CalDAV server on loopback that follows a script. It runs in a thread of its own, so that real processes can be let
//! loose on it.
#![allow(dead_code)]

use super::google::{Moment, kill};
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
pub struct Said {
    /// By method and path; without one there is nothing.
    replies: BTreeMap<String, Reply>,
    pub objects: BTreeMap<String, Vec<u8>>,
    pub asked: Vec<String>,
    /// The next PUT or DELETE is carried out, or not, and then the connection breaks.
    pub cut: Option<bool>,
    /// The next PUT or DELETE kills whoever asks.
    pub kills: Option<Moment>,
    /// What another client makes of the object right before the next PUT or DELETE.
    pub meanwhile: Option<Option<Vec<u8>>>,
    pub victim: Option<u32>,
}

pub struct Dav {
    pub address: String,
    said: Arc<Mutex<Said>>,
}

impl Dav {
    pub fn start() -> Self {
        let said = Arc::<Mutex<Said>>::default();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().fallback(answer).with_state(said.clone());
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async move {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                axum::serve(listener, router).await.unwrap();
            });
        });
        Self { address, said }
    }

    pub fn said(&self) -> MutexGuard<'_, Said> {
        self.said.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub fn reply(&self, call: &str, status: u16, body: &str) {
        self.said().replies.insert(call.to_owned(), (status, Vec::new(), body.to_owned()));
    }

    pub fn redirect(&self, call: &str, to: &str) {
        self.said().replies.insert(call.to_owned(), (301, vec![("location", to.to_owned())], String::new()));
    }

    /// A whole server: well-known, principal, home, and these calendars in it.
    pub fn furnish(&self, calendars: &[(&str, &str, &str)]) {
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
}

pub fn one(href: &str, props: &str) -> String {
    format!(
        "<D:response><D:href>{href}</D:href><D:propstat><D:prop>{props}</D:prop>\
         <D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>"
    )
}

pub fn multi(inside: &str) -> String {
    format!(
        "<D:multistatus xmlns:D=\"DAV:\" xmlns:C=\"urn:ietf:params:xml:ns:caldav\">{inside}</D:multistatus>"
    )
}

pub fn data(href: &str, event: &str) -> String {
    let event = event.replace('&', "&amp;").replace('<', "&lt;");
    one(href, &format!("<C:calendar-data>{event}</C:calendar-data>"))
}

/// The version of an object: an ETag that follows from what it says.
fn version(object: &[u8]) -> String {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    object.hash(&mut hasher);
    format!("\"{:x}\"", hasher.finish())
}

/// What comes of a request.
enum Told {
    Says(Response<Body>),
    Breaks,
    Kills,
}

async fn answer(
    State(said): State<Arc<Mutex<Said>>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response<Body>, Infallible> {
    let said = || said.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let told = answered(&mut said(), &method, &uri, &headers, &body);
    match told {
        Told::Says(response) => return Ok(response),
        Told::Breaks => {}
        Told::Kills => kill(|| said().victim).await,
    }
    // The connection ends without a word, and without noise in the test's output.
    std::panic::resume_unwind(Box::new(()))
}

fn answered(said: &mut Said, method: &Method, uri: &Uri, headers: &HeaderMap, body: &Bytes) -> Told {
    let call = format!("{method} {}", uri.path());
    said.asked.push(call.clone());
    let plain = |status: u16| Told::Says(Response::builder().status(status).body(Body::empty()).unwrap());
    if headers.get("authorization").is_none_or(|it| it != "Basic YWRhOmNhbmFyeS1kYXYtcGFzc3dvcmQ=") {
        return plain(401);
    }
    let path = uri.path().to_owned();
    match method.as_str() {
        "PUT" | "DELETE" => {
            if let Some(meanwhile) = said.meanwhile.take() {
                match meanwhile {
                    Some(object) => drop(said.objects.insert(path.clone(), object)),
                    None => drop(said.objects.remove(&path)),
                }
            }
            let version = said.objects.get(&path).map(|object| version(object));
            let fits = match headers.get("if-match") {
                Some(wanted) => version.is_some_and(|version| version == *wanted),
                None => headers["if-none-match"] == "*" && version.is_none(),
            };
            if !fits {
                return plain(412);
            }
            let (cut, kills) = (said.cut.take(), said.kills.take());
            if cut != Some(false) && kills != Some(Moment::Before) {
                match method.as_str() {
                    "PUT" => drop(said.objects.insert(path, body.to_vec())),
                    _ => {
                        assert_eq!(headers["schedule-reply"], "F");
                        said.objects.remove(&path);
                    }
                }
            }
            return match (kills, cut) {
                (Some(_), _) => Told::Kills,
                (None, Some(_)) => Told::Breaks,
                (None, None) => plain(201),
            };
        }
        "GET" => {
            return match said.objects.get(&path) {
                Some(object) => {
                    let reply = Response::builder().header("etag", version(object));
                    Told::Says(reply.body(Body::from(object.clone())).unwrap())
                }
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
    Told::Says(response.body(Body::from(body)).unwrap())
}
