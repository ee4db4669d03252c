//! A fake Google on loopback: logins and calendars, with faults on demand.
//!
//! It records every request. It runs in a thread of its own, so that real processes can talk to it.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, Response, Uri};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use sayso::tools::web::google::{EVENTS, FREE_BUSY, MAIL};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::convert::Infallible;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

pub const CLIENT: &str = "client-7.apps.example";
pub const SECRET: &str = "canary-client-secret-5d1e";
pub const REFRESH: &str = "canary-refresh-token-9a2b";

/// What goes wrong with one request.
#[derive(Clone, Debug)]
pub enum Fault {
    /// This reply instead of the right one, and nothing is done.
    Reply(u16, Vec<(&'static str, String)>, String),
    /// The connection breaks before anything is done.
    Cut,
    /// The request is carried out, and then the connection breaks.
    CutAfter,
    /// The request is carried out, and the reply never comes.
    SilentAfter,
    /// A reply without end.
    Endless,
    /// The client is killed, before anything is done or after.
    Kill(Moment),
}

/// When the client is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    Before,
    After,
}

/// Kills a process as soon as its id is known.
pub async fn kill(victim: impl Fn() -> Option<u32>) {
    let pid = loop {
        match victim() {
            Some(pid) => break pid,
            None => tokio::task::yield_now().await,
        }
    };
    let pid = rustix::process::Pid::from_raw(pid.cast_signed()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

#[derive(Default)]
pub struct World {
    /// The challenge of each code that was given out.
    codes: BTreeMap<String, String>,
    pub access: BTreeSet<String>,
    pub refresh: String,
    pub scope: Option<String>,
    pub refreshes: usize,
    pub exchanges: usize,
    /// By method and a part of the path; the first that matches is used once.
    faults: VecDeque<(String, Fault)>,
    pub requests: Vec<String>,
    pub events: BTreeMap<String, Value>,
    pub busy: Vec<(String, String)>,
    /// The process that [`Fault::Kill`] kills.
    pub victim: Option<u32>,
    last_number: u64,
}

impl World {
    fn next_number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    pub fn fault(&mut self, call: &str, fault: Fault) {
        self.faults.push_back((call.to_owned(), fault));
    }

    pub fn count(&self, call: &str) -> usize {
        self.requests.iter().filter(|request| request.contains(call)).count()
    }
}

/// Serves in a thread of its own, which ends with the process. Returns the address.
pub fn serve_in_thread(router: Router) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            axum::serve(listener, router).await.unwrap();
        });
    });
    address
}

/// The server. It ends with the process.
#[derive(Clone)]
pub struct Google {
    pub address: String,
    world: Arc<Mutex<World>>,
}

impl Google {
    pub fn start() -> Self {
        let world = Arc::new(Mutex::new(World { refresh: REFRESH.to_owned(), ..World::default() }));
        let address = serve_in_thread(Router::new().fallback(answer).with_state(world.clone()));
        Self { address, world }
    }

    pub fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// A login with valid tokens on disk.
    pub fn login(&self, folder: &Path) -> sayso::config::Google {
        let login = self.login_without_tokens(folder);
        let access = format!("canary-access-{}", self.world().next_number());
        self.world().access.insert(access.clone());
        self.tokens(&access).save(&login).unwrap();
        login
    }

    pub fn tokens(&self, access: &str) -> sayso::tools::web::oauth::Tokens {
        let hour = jiff::SignedDuration::from_hours(1);
        sayso::tools::web::oauth::Tokens {
            client_id: CLIENT.to_owned(),
            scopes: [MAIL, EVENTS, FREE_BUSY].map(str::to_owned).to_vec(),
            refresh_token: self.world().refresh.clone(),
            access_token: access.to_owned(),
            expires_at: jiff::Timestamp::now().checked_add(hour).unwrap(),
        }
    }

    pub fn login_without_tokens(&self, folder: &Path) -> sayso::config::Google {
        let secret = folder.join("client-secret");
        std::fs::write(&secret, SECRET).unwrap();
        std::fs::set_permissions(&secret, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        sayso::config::Google {
            account: "home".to_owned(),
            client_id: CLIENT.to_owned(),
            client_secret: Some(sayso::config::Secret::File(secret)),
            auth_url: format!("{}/auth", self.address),
            token_url: format!("{}/token", self.address),
            calendar_url: format!("{}/calendar/v3", self.address),
            tokens: folder.join("google/home.json"),
        }
    }

    /// The config section that points to this server.
    pub fn config(&self) -> String {
        let at = &self.address;
        format!(
            "[google]\nclient_id = \"{CLIENT}\"\nclient_secret_command = \"echo {SECRET}\"\nauth_url = \"{at}/auth\"\n\
             token_url = \"{at}/token\"\ncalendar_url = \"{at}/calendar/v3\"\n"
        )
    }

    /// Does what a browser does when the person agrees: gives the address it is redirected to, and the code in it.
    pub fn consent(&self, address: &str) -> (reqwest::Url, String) {
        let url = reqwest::Url::parse(address).unwrap();
        let pairs: BTreeMap<String, String> = url.query_pairs().into_owned().collect();
        assert_eq!(pairs["code_challenge_method"], "S256");
        assert_eq!((pairs["response_type"].as_str(), pairs["client_id"].as_str()), ("code", CLIENT));
        let mut world = self.world();
        let code = format!("code-{}", world.next_number());
        world.codes.insert(code.clone(), pairs["code_challenge"].clone());
        world.scope = Some(pairs["scope"].clone());
        let mut back = reqwest::Url::parse(&pairs["redirect_uri"]).unwrap();
        back.query_pairs_mut().append_pair("state", &pairs["state"]).append_pair("code", &code);
        (back, code)
    }
}

type HttpResult = Result<Response<Body>, Infallible>;

fn reply(status: u16, body: &Value) -> HttpResult {
    let response = Response::builder().status(status).header("content-type", "application/json");
    Ok(response.body(Body::from(body.to_string())).unwrap())
}

fn error(status: u16, reason: &str, message: &str) -> HttpResult {
    reply(status, &json!({"error": {"code": status, "message": message, "errors": [{"reason": reason}]}}))
}

async fn answer(
    State(world): State<Arc<Mutex<World>>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> HttpResult {
    let call = format!("{method} {uri}");
    let fault = {
        let mut world = world.lock().unwrap();
        world.requests.push(call.clone());
        let at = world.faults.iter().position(|(part, _)| call.contains(part.as_str()));
        at.and_then(|at| world.faults.remove(at)).map(|(_, fault)| fault)
    };
    // The connection breaks, with no panic message in the test's output.
    let cut = || -> HttpResult { std::panic::resume_unwind(Box::new(())) };
    match fault {
        Some(Fault::Reply(status, headers, body)) => {
            let mut response = Response::builder().status(status);
            for (name, value) in headers {
                response = response.header(name, value);
            }
            return Ok(response.body(Body::from(body)).unwrap());
        }
        Some(Fault::Cut) => return cut(),
        Some(Fault::Endless) => {
            let chunk = Bytes::from(vec![b'x'; 1 << 20]);
            let endless = futures_util::stream::repeat(Ok::<_, Infallible>(chunk));
            return Ok(Response::new(Body::from_stream(endless)));
        }
        Some(Fault::CutAfter) => {
            let _ = handle(&mut world.lock().unwrap(), &method, &uri, &headers, &body);
            return cut();
        }
        Some(Fault::Kill(moment)) => {
            if moment == Moment::After {
                let _ = handle(&mut world.lock().unwrap(), &method, &uri, &headers, &body);
            }
            kill(|| world.lock().unwrap().victim).await;
            return cut();
        }
        Some(Fault::SilentAfter) => {
            let _ = handle(&mut world.lock().unwrap(), &method, &uri, &headers, &body);
            tokio::time::sleep(Duration::from_secs(3600)).await;
        }
        None => {}
    }
    let mut world = world.lock().unwrap();
    handle(&mut world, &method, &uri, &headers, &body)
}

fn pairs(query: &str) -> Vec<(String, String)> {
    let url = reqwest::Url::parse(&format!("http://x/?{query}")).unwrap();
    url.query_pairs().into_owned().collect()
}

fn handle(world: &mut World, method: &Method, uri: &Uri, headers: &HeaderMap, body: &Bytes) -> HttpResult {
    let path: Vec<&str> = uri.path().split('/').filter(|part| !part.is_empty()).collect();
    if path == ["token"] {
        return token(world, &pairs(&String::from_utf8_lossy(body)));
    }
    let authorization =
        headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !authorization.strip_prefix("Bearer ").is_some_and(|token| world.access.contains(token)) {
        return error(401, "authError", "Invalid Credentials");
    }
    let query = pairs(uri.query().unwrap_or_default());
    let json: Value = serde_json::from_slice(body).unwrap_or_default();
    match (method.as_str(), path.as_slice()) {
        (_, ["calendar", "v3", rest @ ..]) => calendar(world, method.as_str(), rest, &query, headers, &json),
        _ => error(404, "notFound", "Not Found"),
    }
}

fn token(world: &mut World, form: &[(String, String)]) -> HttpResult {
    let get = |name: &str| {
        form.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str()).unwrap_or_default()
    };
    if get("client_id") != CLIENT || get("client_secret") != SECRET {
        return reply(401, &json!({"error": "invalid_client"}));
    }
    let invalid = || reply(400, &json!({"error": "invalid_grant", "error_description": "Bad Request"}));
    let is_new = get("grant_type") == "authorization_code";
    if is_new {
        world.exchanges += 1;
        let digest = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(get("code_verifier")));
        // A code works once, and only with the verifier of its challenge.
        if world.codes.remove(get("code")) != Some(digest)
            || !get("redirect_uri").starts_with("http://127.0.0.1:")
        {
            return invalid();
        }
    } else {
        world.refreshes += 1;
        if get("refresh_token") != world.refresh {
            return invalid();
        }
    }
    let access = format!("canary-access-{}", world.next_number());
    world.access.insert(access.clone());
    let mut granted = json!({"access_token": access, "expires_in": 3599, "token_type": "Bearer"});
    if is_new {
        granted["refresh_token"] = json!(world.refresh);
        granted["scope"] = json!(world.scope.clone().unwrap_or_default());
    }
    reply(200, &granted)
}

fn calendar(
    world: &mut World,
    method: &str,
    path: &[&str],
    query: &[(String, String)],
    headers: &HeaderMap,
    body: &Value,
) -> HttpResult {
    let get = |name: &str| query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    match (method, path) {
        ("POST", ["freeBusy"]) => {
            let id = body["items"][0]["id"].as_str().unwrap_or_default().to_owned();
            if id == "nobody@example.org" {
                let errors = json!({"calendars": {id: {"errors": [{"domain": "global", "reason": "notFound"}], "busy": []}}});
                return reply(200, &errors);
            }
            let busy: Vec<Value> =
                world.busy.iter().map(|(start, end)| json!({"start": start, "end": end})).collect();
            reply(200, &json!({"kind": "calendar#freeBusy", "calendars": {id: {"busy": busy}}}))
        }
        ("POST", ["calendars", _, "events"]) => {
            let id = body["id"].as_str().unwrap_or_default().to_owned();
            let is_plain = |c: char| c.is_ascii_digit() || ('a'..='v').contains(&c);
            if !(5..=1024).contains(&id.len()) || !id.chars().all(is_plain) {
                return error(400, "invalid", "Invalid resource id value.");
            }
            if world.events.contains_key(&id) {
                return error(409, "duplicate", "The requested identifier already exists.");
            }
            let mut event = body.clone();
            event["status"] = json!("confirmed");
            event["etag"] = json!("\"1\"");
            // Google takes whoever adds the event for its organizer.
            event["organizer"] = json!({"email": "ada@gmail.example", "self": true});
            event["iCalUID"] = json!(format!("{id}@google.com"));
            world.events.insert(id, event.clone());
            reply(200, &event)
        }
        ("GET", ["calendars", _, "events"]) => {
            let uid = get("iCalUID").unwrap();
            let found: Vec<&Value> = world.events.values().filter(|event| event["iCalUID"] == uid).collect();
            reply(200, &json!({ "items": found }))
        }
        ("GET", ["calendars", _, "events", id, "instances"]) => {
            let start = get("originalStart").unwrap();
            let mut found = world.events[*id].clone();
            found["id"] = json!(format!("{id}_{}", start.replace(['-', ':'], "").to_lowercase()));
            found["recurringEventId"] = json!(id);
            found["originalStartTime"] = json!({ "dateTime": start });
            reply(200, &json!({ "items": [found] }))
        }
        ("PATCH" | "DELETE", ["calendars", _, "events", id]) => {
            assert_eq!(get("sendUpdates"), Some("none"));
            // A single occurrence is created from its series when it is first changed.
            let series = id.split_once('_').and_then(|(series, _)| world.events.get(series)).cloned();
            let Some(mut event) = world.events.get(*id).cloned().or(series) else {
                return error(404, "notFound", "Not Found");
            };
            if headers.get("if-match").is_none_or(|wanted| event["etag"] != wanted.to_str().unwrap()) {
                return error(412, "conditionNotMet", "Precondition Failed");
            }
            for (key, value) in body.as_object().into_iter().flatten() {
                event[key] = value.clone();
            }
            if method == "DELETE" {
                event["status"] = json!("cancelled");
            }
            event["etag"] = json!(format!("\"{}\"", world.events.len() + 7));
            event["id"] = json!(id);
            world.events.insert((*id).to_owned(), event.clone());
            if method == "DELETE" { reply(204, &Value::Null) } else { reply(200, &event) }
        }
        ("GET", ["calendars", _, "events", id]) => match world.events.get(*id) {
            Some(event) => reply(200, event),
            None => error(404, "notFound", "Not Found"),
        },
        ("GET", ["calendars", id]) => {
            reply(200, &json!({"id": id, "summary": "Ada", "timeZone": "Europe/Paris"}))
        }
        _ => error(404, "notFound", "Not Found"),
    }
}
