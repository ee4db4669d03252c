//! A fake Google on loopback: logins, Gmail and Calendar, with faults on demand.
//!
//! Like the real one it gives sent mail a Message-ID of its own. It forgets its history when told to and records every
//! request. It runs in a thread of its own, so that real processes can talk to it.
#![allow(dead_code)]

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, Response, Uri};
use base64::Engine as _;
use base64::prelude::{BASE64_URL_SAFE, BASE64_URL_SAFE_NO_PAD};
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

#[derive(Clone, Debug)]
pub struct StoredMail {
    pub id: String,
    pub thread: String,
    pub labels: BTreeSet<String>,
    pub raw: Vec<u8>,
    pub date: i64,
}

impl StoredMail {
    pub fn header(&self, name: &str) -> Option<String> {
        let text = String::from_utf8_lossy(&self.raw).replace("\r\n", "\n").replace("\n ", " ");
        let prefix = format!("{}:", name.to_lowercase());
        let lines = text.split("\n\n").next()?.lines();
        let line = lines.into_iter().find(|line| line.to_lowercase().starts_with(&prefix))?;
        Some(line[prefix.len()..].trim().to_owned())
    }
}

#[derive(Default)]
pub struct World {
    pub mails: Vec<StoredMail>,
    /// Number, what happened, the mail, and the labels it was about.
    history: Vec<(u64, &'static str, String, Vec<String>)>,
    history_id: u64,
    /// History up to this id is forgotten.
    forgotten: u64,
    pub labels: Vec<(String, String)>,
    pub drafts: Vec<(String, String)>,
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
    fn record(&mut self, what: &'static str, id: &str, labels: Vec<String>) {
        self.history_id += 10;
        self.history.push((self.history_id, what, id.to_owned(), labels));
    }

    fn next_number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    pub fn put(&mut self, raw: &[u8], labels: &[&str], thread: Option<String>) -> String {
        let n = self.next_number();
        let id = format!("18f{n:013x}");
        let labels: Vec<String> = labels.iter().map(|label| (*label).to_owned()).collect();
        self.mails.push(StoredMail {
            id: id.clone(),
            thread: thread.unwrap_or_else(|| format!("t{id}")),
            labels: labels.iter().cloned().collect(),
            raw: raw.to_vec(),
            date: 1_000 * i64::try_from(n).unwrap() + jiff::Timestamp::now().as_millisecond(),
        });
        self.record("messagesAdded", &id, labels);
        id
    }

    pub fn mail(&self, id: &str) -> Option<&StoredMail> {
        self.mails.iter().find(|mail| mail.id == id)
    }

    pub fn relabel(&mut self, id: &str, add: &[&str], remove: &[&str]) {
        let Some(mail) = self.mails.iter_mut().find(|mail| mail.id == id) else { return };
        for label in remove {
            mail.labels.remove(*label);
        }
        mail.labels.extend(add.iter().map(|label| (*label).to_owned()));
        let added: Vec<String> = add.iter().map(|label| (*label).to_owned()).collect();
        self.record(if added.is_empty() { "labelsRemoved" } else { "labelsAdded" }, id, added);
    }

    pub fn delete(&mut self, id: &str) {
        self.mails.retain(|mail| mail.id != id);
    }

    /// Forgets what happened until now.
    pub fn forget_history(&mut self) {
        self.history_id += 1000;
        self.forgotten = self.history_id;
        self.history.clear();
    }

    pub fn fault(&mut self, call: &str, fault: Fault) {
        self.faults.push_back((call.to_owned(), fault));
    }

    pub fn count(&self, call: &str) -> usize {
        self.requests.iter().filter(|request| request.contains(call)).count()
    }

    /// The mails that were sent.
    pub fn sent(&self) -> Vec<StoredMail> {
        self.mails.iter().filter(|mail| mail.labels.contains("SENT")).cloned().collect()
    }
}

/// The server. It ends with the process.
#[derive(Clone)]
pub struct Google {
    pub address: String,
    world: Arc<Mutex<World>>,
}

impl Google {
    pub fn start() -> Self {
        let world = Arc::new(Mutex::new(World {
            history_id: 1000,
            refresh: REFRESH.to_owned(),
            labels: vec![("INBOX".into(), "INBOX".into()), ("Label_1".into(), "Work".into())],
            ..World::default()
        }));
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let shared = world.clone();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async move {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                axum::serve(listener, Router::new().fallback(answer).with_state(shared)).await.unwrap();
            });
        });
        Self { address, world }
    }

    pub fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub fn deliver(&self, raw: &str) -> String {
        self.world().put(raw.replace('\n', "\r\n").as_bytes(), &["INBOX", "UNREAD"], None)
    }

    /// A login with valid tokens on disk.
    pub fn login(&self, folder: &Path) -> sayso::config::Google {
        let login = self.login_without_tokens(folder);
        let access = format!("canary-access-{}", self.world().next_number());
        self.world().access.insert(access.clone());
        self.tokens(&access).save(&login).unwrap();
        login
    }

    pub fn tokens(&self, access: &str) -> sayso::web::oauth::Tokens {
        let hour = jiff::SignedDuration::from_hours(1);
        sayso::web::oauth::Tokens {
            client_id: CLIENT.to_owned(),
            scopes: vec![sayso::web::google::GMAIL.to_owned()],
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
            gmail_url: self.address.clone(),
            calendar_url: format!("{}/calendar/v3", self.address),
            tokens: folder.join("google/home.json"),
        }
    }

    /// The config section that points to this server.
    pub fn config(&self) -> String {
        let at = &self.address;
        format!(
            "[google]\nclient_id = \"{CLIENT}\"\nclient_secret_command = \"echo {SECRET}\"\nauth_url = \"{at}/auth\"\n\
             token_url = \"{at}/token\"\ngmail_url = \"{at}\"\ncalendar_url = \"{at}/calendar/v3\"\n"
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
        ("POST", ["upload", "gmail", "v1", "users", "me", rest @ ..]) => upload(world, rest, body),
        (_, ["gmail", "v1", "users", "me", rest @ ..]) => gmail(world, method.as_str(), rest, &query, &json),
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

fn message_json(mail: &StoredMail, query: &[(String, String)]) -> Value {
    let format = query.iter().find(|(key, _)| key == "format").map_or("full", |(_, value)| value.as_str());
    let mut json = json!({
        "id": mail.id, "threadId": mail.thread, "labelIds": mail.labels,
        "internalDate": mail.date.to_string(), "historyId": "1", "sizeEstimate": mail.raw.len(),
    });
    if format == "raw" {
        json["raw"] = json!(BASE64_URL_SAFE.encode(&mail.raw));
    }
    if format == "metadata" {
        let names = query.iter().filter(|(key, _)| key == "metadataHeaders").map(|(_, name)| name);
        let headers = names.filter_map(|name| Some(json!({"name": name, "value": mail.header(name)?})));
        json["payload"] = json!({"headers": headers.collect::<Vec<_>>()});
    }
    json
}

fn gmail(
    world: &mut World,
    method: &str,
    path: &[&str],
    query: &[(String, String)],
    body: &Value,
) -> HttpResult {
    let get = |name: &str| query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let gone = || error(404, "notFound", "Requested entity was not found.");
    match (method, path) {
        ("GET", ["profile"]) => {
            let profile =
                json!({"emailAddress": "ada@gmail.example", "historyId": world.history_id.to_string()});
            reply(200, &profile)
        }
        ("GET", ["labels"]) => {
            let labels = world.labels.iter().map(|(id, name)| json!({"id": id, "name": name}));
            reply(200, &json!({"labels": labels.collect::<Vec<_>>()}))
        }
        ("POST", ["labels"]) => {
            let name = body["name"].as_str().unwrap_or_default().to_owned();
            if name.is_empty() || world.labels.iter().any(|(_, known)| *known == name) {
                return error(409, "aborted", "Label name exists or conflicts");
            }
            let id = format!("Label_{}", world.next_number() + 10);
            world.labels.push((id.clone(), name.clone()));
            reply(200, &json!({"id": id, "name": name}))
        }
        ("GET", ["history"]) => history(world, query),
        ("GET", ["messages"]) => {
            let labels: Vec<&str> =
                query.iter().filter(|(key, _)| key == "labelIds").map(|(_, label)| label.as_str()).collect();
            let words = get("q").unwrap_or_default();
            let id = words.strip_prefix("rfc822msgid:").map(|id| format!("<{id}>"));
            let after = words.strip_prefix("after:").and_then(|after| after.parse::<i64>().ok());
            let before = words.strip_prefix("before:").and_then(|before| before.parse::<i64>().ok());
            let fits = |mail: &&StoredMail| {
                labels.iter().all(|label| mail.labels.contains(*label))
                    && !mail.labels.contains("TRASH")
                    && id.as_ref().is_none_or(|id| mail.header("Message-ID").as_ref() == Some(id))
                    && after.is_none_or(|after| mail.date / 1000 > after)
                    && before.is_none_or(|before| mail.date / 1000 < before)
            };
            let mut found: Vec<&StoredMail> = world.mails.iter().filter(fits).collect();
            found.reverse();
            paged(&found, query, "messages", |mail| json!({"id": mail.id, "threadId": mail.thread}))
        }
        ("GET", ["messages", id]) => match world.mail(id) {
            Some(mail) => reply(200, &message_json(mail, query)),
            None => gone(),
        },
        ("POST", ["messages", id, verb @ ("trash" | "untrash")]) => {
            if world.mail(id).is_none() {
                return gone();
            }
            match *verb {
                "trash" => world.relabel(id, &["TRASH"], &["INBOX"]),
                _ => world.relabel(id, &[], &["TRASH"]),
            }
            reply(200, &json!({"id": id}))
        }
        ("POST", ["messages", id, "modify"]) => {
            let list = |key: &str| -> Vec<String> {
                body[key]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(|it| it.as_str().map(str::to_owned))
                    .collect()
            };
            let (add, remove) = (list("addLabelIds"), list("removeLabelIds"));
            if world.mail(id).is_none() {
                return gone();
            }
            let system = |label: &str| matches!(label, "UNREAD" | "SPAM" | "TRASH");
            if add.iter().any(|label| !system(label) && !world.labels.iter().any(|(known, _)| known == label))
            {
                return error(400, "invalidArgument", "Invalid label");
            }
            let add: Vec<&str> = add.iter().map(String::as_str).collect();
            let remove: Vec<&str> = remove.iter().map(String::as_str).collect();
            world.relabel(id, &add, &remove);
            reply(200, &json!({"id": id}))
        }
        ("GET", ["threads", thread]) => {
            let mails: Vec<Value> = world
                .mails
                .iter()
                .filter(|mail| mail.thread == *thread)
                .map(|mail| message_json(mail, query))
                .collect();
            if mails.is_empty() { gone() } else { reply(200, &json!({"id": thread, "messages": mails})) }
        }
        ("GET", ["drafts"]) => {
            let drafts: Vec<Value> = world
                .drafts
                .iter()
                .map(|(id, mail)| json!({"id": id, "message": {"id": mail, "threadId": "t"}}))
                .collect();
            reply(200, &json!({"drafts": drafts}))
        }
        _ => gone(),
    }
}

fn paged<T>(items: &[T], query: &[(String, String)], name: &str, show: impl Fn(&T) -> Value) -> HttpResult {
    let get = |name: &str| query.iter().find(|(key, _)| key == name)?.1.parse::<usize>().ok();
    // Pages are small, so that there are several.
    let (from, count) = (get("pageToken").unwrap_or(0), get("maxResults").unwrap_or(100).min(7));
    let page: Vec<Value> = items.iter().skip(from).take(count).map(show).collect();
    let mut json = json!({"resultSizeEstimate": items.len()});
    if !page.is_empty() {
        json[name] = json!(page);
    }
    if from + count < items.len() {
        json["nextPageToken"] = json!((from + count).to_string());
    }
    reply(200, &json)
}

fn history(world: &World, query: &[(String, String)]) -> HttpResult {
    let start =
        query.iter().find(|(key, _)| key == "startHistoryId").and_then(|(_, id)| id.parse::<u64>().ok());
    let Some(start) = start.filter(|start| *start >= world.forgotten) else {
        return error(404, "notFound", "Requested entity was not found.");
    };
    let news: Vec<_> =
        world.history.iter().filter(|(id, what, ..)| *id > start && *what != "labelsRemoved").collect();
    let show = |(id, what, mail, labels): &&(u64, &'static str, String, Vec<String>)| {
        let now = world.mail(mail).map(|mail| mail.labels.clone()).unwrap_or_default();
        let message = json!({"id": mail, "threadId": "t", "labelIds": now});
        let mut record = json!({"id": id.to_string(), "messages": [{"id": mail}]});
        record[*what] = match *what {
            "messagesAdded" => json!([{"message": message}]),
            _ => json!([{"message": message, "labelIds": labels}]),
        };
        record
    };
    let page = paged(&news, query, "history", show)?;
    // The current history id goes with each page.
    let (parts, body) = page.into_parts();
    let bytes =
        futures_util::FutureExt::now_or_never(axum::body::to_bytes(body, usize::MAX)).unwrap().unwrap();
    let mut json: Value = serde_json::from_slice(&bytes).unwrap();
    json["historyId"] = json!(world.history_id.to_string());
    reply(parts.status.as_u16(), &json)
}

fn upload(world: &mut World, path: &[&str], body: &Bytes) -> HttpResult {
    let text = body.to_vec();
    let (metadata, raw) = upload_parts(&text);
    let raw = String::from_utf8_lossy(&raw).into_owned();
    match path {
        ["messages", "send"] => {
            let thread = metadata["threadId"].as_str().map(str::to_owned);
            if thread.as_ref().is_some_and(|thread| !world.mails.iter().any(|mail| mail.thread == *thread)) {
                return error(404, "notFound", "Requested entity was not found.");
            }
            // Gmail sets a Message-ID of its own.
            let own = format!("Message-ID: <CA{}@mail.gmail.example>", world.next_number());
            let lines = raw.split("\r\n").map(|line| match line.to_lowercase().starts_with("message-id:") {
                true => own.clone(),
                false => line.to_owned(),
            });
            let raw = lines.collect::<Vec<_>>().join("\r\n");
            let id = world.put(raw.as_bytes(), &["SENT"], thread);
            let thread = world.mail(&id).unwrap().thread.clone();
            reply(200, &json!({"id": id, "threadId": thread, "labelIds": ["SENT"]}))
        }
        ["drafts"] => {
            let thread = metadata["message"]["threadId"].as_str().map(str::to_owned);
            let mail = world.put(raw.as_bytes(), &["DRAFT"], thread);
            let id = format!("r{}", world.next_number());
            world.drafts.push((id.clone(), mail.clone()));
            reply(200, &json!({"id": id, "message": {"id": mail}}))
        }
        _ => error(404, "notFound", "Not Found"),
    }
}

/// The metadata and the mail of an upload.
fn upload_parts(body: &[u8]) -> (Value, Vec<u8>) {
    let text = String::from_utf8_lossy(body);
    let boundary = text.lines().next().unwrap().to_owned();
    let parts: Vec<&str> = text.split(&format!("{boundary}\r\n")).filter(|part| !part.is_empty()).collect();
    assert_eq!(parts.len(), 2, "{text}");
    let content = |part: &str| part.split_once("\r\n\r\n").unwrap().1.to_owned();
    assert!(parts[1].starts_with("Content-Type: message/rfc822\r\n"));
    let raw = content(parts[1]);
    let raw = raw.strip_suffix(&format!("\r\n{boundary}--\r\n")).unwrap().to_owned();
    (serde_json::from_str(content(parts[0]).trim()).unwrap(), raw.into_bytes())
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
