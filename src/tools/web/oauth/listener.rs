//! The one-shot listener on loopback to which the browser brings the answer.
//!
//! It is bound before anybody learns its port, so nobody can be there first. Only a GET of `/` with exactly this host
//! and port and the right state counts; everything else is rejected, and we keep waiting. After the answer that counts,
//! the port is closed, so that none can come twice.

use super::pkce::Secrets;
use futures_util::stream::{FuturesUnordered, StreamExt};
use reqwest::Url;
use std::io;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The longest request we read, in bytes.
const LONGEST: usize = 16 << 10;
/// How long one caller may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// How many callers we serve at once.
const AT_ONCE: usize = 32;

/// What the browser brought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Redirected {
    /// A code to exchange for tokens.
    Code(String),
    /// The person or the server refused; holds the server's error code.
    Refused(String),
}

/// An answer, and the browser that waits for the result.
pub struct Callback {
    pub answer: Redirected,
    browser: TcpStream,
}

impl Callback {
    /// Tells the person in the browser. Ignores a browser that has gone away.
    pub async fn tell(mut self, title: &str, text: &str) {
        let _ = tokio::time::timeout(PATIENCE, respond(&mut self.browser, "200 OK", title, text)).await;
    }
}

/// A port on loopback, open for one answer.
pub struct Listener {
    listener: TcpListener,
    host: String,
}

impl Listener {
    /// Opens a port that the system picks.
    pub async fn open() -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let host = format!("127.0.0.1:{}", listener.local_addr()?.port());
        Ok(Self { listener, host })
    }

    /// The URL to redirect the browser to.
    pub fn redirect(&self) -> String {
        format!("http://{}/", self.host)
    }

    /// Waits for the answer with the right state, and closes the port. Callers are served concurrently, so that a
    /// silent one holds nobody up.
    pub async fn answer(self, secrets: &Secrets) -> io::Result<Callback> {
        let mut callers = FuturesUnordered::new();
        loop {
            tokio::select! {
                accepted = self.listener.accept(), if callers.len() < AT_ONCE => {
                    let (stream, _) = accepted?;
                    callers.push(tokio::time::timeout(PATIENCE, serve_caller(stream, &self.host, secrets)));
                }
                Some(result) = callers.next(), if !callers.is_empty() => {
                    if let Ok(Some(callback)) = result {
                        return Ok(callback);
                    }
                }
            }
        }
    }
}

/// Reads one caller's request; `None` if it brought no answer that counts.
async fn serve_caller(mut stream: TcpStream, host: &str, secrets: &Secrets) -> Option<Callback> {
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let mut chunk = [0; 2048];
        let length = stream.read(&mut chunk).await.ok()?;
        head.extend_from_slice(&chunk[..length]);
        if length == 0 || head.len() > LONGEST {
            return None;
        }
    }
    match read(&head, host, secrets) {
        Ok(answer) => Some(Callback { answer, browser: stream }),
        Err((status, why)) => {
            let _ = respond(&mut stream, status, "This is not the answer sayso is waiting for", why).await;
            None
        }
    }
}

/// The answer in a request's head, or the rejection.
fn read(head: &[u8], host: &str, secrets: &Secrets) -> Result<Redirected, (&'static str, &'static str)> {
    let bad = |why| Err(("400 Bad Request", why));
    let Ok(head) = str::from_utf8(head) else { return bad("It is not text.") };
    let mut lines = head.split("\r\n");
    let words: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
    let [method, target, _] = words.as_slice() else { return bad("It is not HTTP.") };
    let hosts: Vec<&str> = lines
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_once(':'))
        .filter(|(name, _)| name.eq_ignore_ascii_case("host"))
        .map(|(_, value)| value.trim())
        .collect();
    // A name that resolves to this machine could belong to somebody else's page.
    if hosts != [host] {
        return Err(("421 Misdirected Request", "It was meant for another host."));
    }
    if *method != "GET" {
        return Err(("405 Method Not Allowed", "Only GET is understood."));
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    if path != "/" {
        return Err(("404 Not Found", "There is nothing here."));
    }
    let Ok(url) = Url::parse(&format!("http://{host}/?{query}")) else { return bad("It cannot be read.") };
    let pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
    let one = |name: &str| {
        let mut values = pairs.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_str());
        values.next().filter(|_| values.next().is_none())
    };
    if !one("state").is_some_and(|state| secrets.is_state(state)) {
        return bad("It does not belong to the login that was begun here.");
    }
    match (one("code"), one("error")) {
        (Some(code), None) if !code.is_empty() => Ok(Redirected::Code(code.to_owned())),
        (None, Some(error)) => Ok(Redirected::Refused(error.to_owned())),
        _ => bad("It contains neither a code nor an error."),
    }
}

/// A page with only our own text, which loads nothing and is not cached.
async fn respond(stream: &mut TcpStream, status: &str, title: &str, text: &str) -> io::Result<()> {
    let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let (title, text) = (escape(title), escape(text));
    let page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>sayso</title>\
         <body style=\"font-family: sans-serif; margin: 4em auto; max-width: 32em\"><h1>{title}</h1><p>{text}</p></body></html>\n"
    );
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\
         Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n\
         Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'\r\n\r\n",
        page.len()
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(page.as_bytes()).await?;
    stream.shutdown().await
}
