//! One request: checked, pinned to an address, sent, and its answer read within limits.

use super::address::forbidden;
use super::target::{self, Host, Target};
use crate::tools::web::{Trust, build_client, root_cause};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::{Client, ClientBuilder, Response, Url};
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// Resolves host names.
pub trait Resolve: Send + Sync {
    /// All addresses of `host`.
    fn resolve<'a>(
        &'a self,
        host: &'a str,
    ) -> Pin<Box<dyn Future<Output = std::io::Result<Vec<IpAddr>>> + Send + 'a>>;
}

/// The machine's resolver.
struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve<'a>(
        &'a self,
        host: &'a str,
    ) -> Pin<Box<dyn Future<Output = std::io::Result<Vec<IpAddr>>> + Send + 'a>> {
        Box::pin(async move {
            // What the system says about a failure means little to people.
            let addresses = tokio::net::lookup_host((host, 0))
                .await
                .map_err(|_| std::io::Error::other("check its name, and whether you are online"))?;
            Ok(addresses.map(|address| address.ip()).collect())
        })
    }
}

/// How long a request may take, and how much it may read.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// For everything, from redirects to the last byte.
    pub time: Duration,
    pub connect: Duration,
    /// The most bytes read of an answer, decompressed.
    pub bytes: usize,
    /// How many redirects are followed, for requests that change nothing.
    pub redirects: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_secs(30), connect: Duration::from_secs(10), bytes: 4 << 20, redirects: 3 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "UPPERCASE")]
pub enum Method {
    Get,
    Head,
    Post,
    Put,
    Patch,
    Delete,
}

impl Method {
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// Parses a method, in any case.
    pub fn from_word(word: &str) -> Option<Self> {
        let all = [Self::Get, Self::Head, Self::Post, Self::Put, Self::Patch, Self::Delete];
        all.into_iter().find(|method| method.word().eq_ignore_ascii_case(word))
    }

    /// Whether it only reads.
    pub fn reads(self) -> bool {
        matches!(self, Self::Get | Self::Head)
    }

    fn to_reqwest(self) -> reqwest::Method {
        match self {
            Self::Get => reqwest::Method::GET,
            Self::Head => reqwest::Method::HEAD,
            Self::Post => reqwest::Method::POST,
            Self::Put => reqwest::Method::PUT,
            Self::Patch => reqwest::Method::PATCH,
            Self::Delete => reqwest::Method::DELETE,
        }
    }
}

/// A request.
#[derive(Clone, Debug)]
pub struct Call {
    pub method: Method,
    /// The full URL.
    pub url: String,
    /// Header fields beyond those of every request.
    pub headers: Vec<(String, String)>,
    pub body: Option<Vec<u8>>,
}

/// The server's answer.
#[derive(Clone, Debug, Default)]
pub struct HttpAnswer {
    pub status: u16,
    /// The media type as the server gives it; empty if it gives none.
    pub kind: String,
    /// How many seconds to wait, if the server says so.
    pub retry_after: Option<u64>,
    /// The `Link` header fields, unparsed.
    pub link: String,
    pub body: Vec<u8>,
}

/// Why there is no answer. The kind decides whether the request may be repeated.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// It is not allowed; nothing was sent.
    #[error("{0}")]
    Refused(String),
    /// The host's name leads nowhere; nothing was sent.
    #[error("{0}")]
    NotFound(String),
    /// The server could not be reached; nothing was sent.
    #[error("{0}")]
    NotSent(String),
    /// It was sent, but no complete answer came within the limits.
    #[error("{0}")]
    NoAnswer(String),
}

/// Fields that belong to the connection, or could smuggle something past it.
const RESERVED_HEADERS: &[&str] = &[
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "upgrade",
    "te",
    "trailer",
    "cookie",
    "proxy-authorization",
    "proxy-connection",
    "keep-alive",
    "accept-encoding",
];

/// How many clients we keep. Each knows one address; making one reads the machine's certificates.
const MAX_CLIENTS: usize = 16;

/// Sends requests.
#[derive(Clone)]
pub struct Http {
    resolver: Arc<dyn Resolve>,
    limits: Limits,
    clients: Arc<Mutex<Clients>>,
    play: Option<Arc<Play>>,
    #[cfg(test)]
    test_server: Option<TestServer>,
}

/// Answers in place of the network.
type Play = dyn Fn(&Call) -> Result<HttpAnswer, HttpError> + Send + Sync;

/// Where tests send a request that has passed every check: a server on loopback, and who issued its certificate.
#[cfg(test)]
#[derive(Clone)]
pub(crate) struct TestServer {
    pub server: SocketAddr,
    pub issuers: tokio_rustls::rustls::RootCertStore,
}

/// Clients by the name and single address that each knows, the newest last.
type Clients = Vec<((String, SocketAddr), Client)>;

impl Default for Http {
    fn default() -> Self {
        Self::new(Arc::new(SystemResolver), Limits::default())
    }
}

impl Http {
    /// With another resolver or other limits.
    pub fn new(resolver: Arc<dyn Resolve>, limits: Limits) -> Self {
        Self {
            resolver,
            limits,
            clients: Arc::default(),
            play: None,
            #[cfg(test)]
            test_server: None,
        }
    }

    /// Sends nothing over the network: `play` answers what passes the checks.
    pub fn played(play: impl Fn(&Call) -> Result<HttpAnswer, HttpError> + Send + Sync + 'static) -> Self {
        Self { play: Some(Arc::new(play)), ..Self::default() }
    }

    /// The same, but redirected to a test server after every check.
    #[cfg(test)]
    pub(crate) fn with_test_server(mut self, test_server: TestServer) -> Self {
        self.test_server = Some(test_server);
        self
    }

    /// Sends a request to one of `hosts`.
    pub async fn send(&self, call: &Call, hosts: &[Host]) -> Result<HttpAnswer, HttpError> {
        let deadline = Instant::now() + self.limits.time;
        let mut target = target::parse(&call.url, hosts).map_err(HttpError::Refused)?;
        let mut headers = header_map(&call.headers)?;
        if let Some(play) = &self.play {
            return play(call);
        }
        let mut followed = 0;
        loop {
            let response = self.send_once(call, &target, headers.clone(), deadline).await?;
            let Some(next) = redirect_target(&response, &target).filter(|_| call.method.reads()) else {
                return self.read(response, deadline).await;
            };
            if followed == self.limits.redirects {
                return Err(HttpError::NoAnswer(format!("{} redirects too many times", target.host)));
            }
            followed += 1;
            let next = target::check(next, hosts).map_err(|why| {
                HttpError::Refused(format!("{} redirects elsewhere, and {why}", target.host))
            })?;
            if next.host != target.host
                || next.port != target.port
                || next.url.scheme() != target.url.scheme()
            {
                // Another server must not see headers meant for the first.
                headers.clear();
            }
            target = next;
        }
    }

    async fn send_once(
        &self,
        call: &Call,
        target: &Target,
        headers: HeaderMap,
        deadline: Instant,
    ) -> Result<Response, HttpError> {
        let late = || HttpError::NotSent(format!("{} could not be reached in time", target.host));
        let address = timeout_at(deadline, self.pinned_address(target)).await.map_err(|_| late())??;
        let (client, url) = self.client_for(target, address).map_err(HttpError::NotSent)?;
        let mut request = client.request(call.method.to_reqwest(), url).headers(headers);
        if let Some(body) = &call.body {
            request = request.body(body.clone());
        }
        match timeout_at(deadline, request.send()).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) if error.is_connect() || error.is_builder() => {
                let why = reason(&error);
                Err(HttpError::NotSent(format!("{} cannot be reached: {why}", target.host)))
            }
            Ok(Err(error)) => {
                Err(HttpError::NoAnswer(format!("{} gave no answer: {}", target.host, reason(&error))))
            }
            Err(_) => Err(HttpError::NoAnswer(format!("{} did not answer in time", target.host))),
        }
    }

    #[cfg(not(test))]
    fn client_for(&self, target: &Target, address: SocketAddr) -> Result<(Client, Url), String> {
        Ok((self.client(target, address)?, target.url.clone()))
    }

    #[cfg(test)]
    fn client_for(&self, target: &Target, address: SocketAddr) -> Result<(Client, Url), String> {
        let mut url = target.url.clone();
        let Some(test_server) = &self.test_server else { return Ok((self.client(target, address)?, url)) };
        let _ = url.set_port(Some(test_server.server.port()));
        let trust = Trust::Issuers(test_server.issuers.clone());
        let client =
            build_client(self.limits.connect, trust, |builder| pin(builder, target, test_server.server));
        Ok((client?, url))
    }

    /// A client that knows only this address, made once. Names are still resolved and checked for every request; if a
    /// name moves to another address, it gets another client.
    fn client(&self, target: &Target, address: SocketAddr) -> Result<Client, String> {
        let key = (target.host.clone(), address);
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, client)) = clients.iter().find(|(client_key, _)| *client_key == key) {
            return Ok(client.clone());
        }
        let client =
            build_client(self.limits.connect, Trust::Machine, |builder| pin(builder, target, address))?;
        if clients.len() == MAX_CLIENTS {
            clients.remove(0);
        }
        clients.push((key, client.clone()));
        Ok(client)
    }

    /// The address the request goes to. If any address of a name is forbidden, the name is not used at all.
    async fn pinned_address(&self, target: &Target) -> Result<SocketAddr, HttpError> {
        let addresses = match target.host.parse::<IpAddr>() {
            Ok(address) => vec![address],
            Err(_) => self.resolver.resolve(&target.host).await.map_err(|error| {
                HttpError::NotFound(format!("the host {} cannot be found; {error}", target.host))
            })?,
        };
        if !target.private
            && let Some((address, purpose)) =
                addresses.iter().find_map(|at| forbidden(*at).map(|purpose| (at, purpose)))
        {
            let text = format!(
                "{} leads to {address}, which is {purpose}; sayso does not connect there",
                target.host
            );
            return Err(HttpError::Refused(text));
        }
        let first = addresses
            .first()
            .ok_or_else(|| HttpError::NotSent(format!("the host {} has no address", target.host)))?;
        Ok(SocketAddr::new(*first, target.port))
    }

    async fn read(&self, mut response: Response, deadline: Instant) -> Result<HttpAnswer, HttpError> {
        let text = |name: &str| {
            let value = response.headers().get(name).and_then(|value| value.to_str().ok());
            value.unwrap_or_default().to_owned()
        };
        let links = response.headers().get_all("link").iter().filter_map(|value| value.to_str().ok());
        let links: Vec<&str> = links.collect();
        let mut answer = HttpAnswer {
            status: response.status().as_u16(),
            kind: text("content-type"),
            retry_after: text("retry-after").trim().parse().ok(),
            link: links.join(", "),
            body: Vec::new(),
        };
        let host = response.url().host_str().unwrap_or_default().to_owned();
        let coding = text("content-encoding");
        if !(coding.is_empty() || coding.eq_ignore_ascii_case("identity")) {
            return Err(HttpError::NoAnswer(format!("{host} packed its answer, though it was asked not to")));
        }
        loop {
            let chunk = timeout_at(deadline, response.chunk()).await;
            match chunk {
                Err(_) => return Err(HttpError::NoAnswer(format!("{host} answers too slowly"))),
                Ok(Err(error)) => {
                    let why = reason(&error);
                    return Err(HttpError::NoAnswer(format!("the answer of {host} broke off: {why}")));
                }
                Ok(Ok(None)) => return Ok(answer),
                Ok(Ok(Some(chunk))) if answer.body.len() + chunk.len() > self.limits.bytes => {
                    let most = self.limits.bytes >> 10;
                    return Err(HttpError::NoAnswer(format!(
                        "the answer of {host} is longer than {most} KiB"
                    )));
                }
                Ok(Ok(Some(chunk))) => answer.body.extend_from_slice(&chunk),
            }
        }
    }
}

/// Makes a client know a single address.
fn pin(builder: ClientBuilder, target: &Target, address: SocketAddr) -> ClientBuilder {
    builder
        .no_proxy()
        // A reused connection may be half closed, and a request lost on it would be in doubt.
        .pool_max_idle_per_host(0)
        .resolve_to_addrs(&target.host, &[address])
}

fn header_map(pairs: &[(String, String)]) -> Result<HeaderMap, HttpError> {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        let refuse = |why: &str| HttpError::Refused(format!("the header field `{name}` {why}"));
        let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| refuse("has no valid name"))?;
        if RESERVED_HEADERS.contains(&header.as_str()) {
            return Err(refuse("is not for a request to set"));
        }
        let value =
            HeaderValue::from_str(value).map_err(|_| refuse("holds what no header field may hold"))?;
        headers.append(header, value);
    }
    Ok(headers)
}

/// The redirect target, if the answer is a redirect.
fn redirect_target(response: &Response, target: &Target) -> Option<Url> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let place = response.headers().get(LOCATION)?.to_str().ok()?;
    target.url.join(place).ok()
}

fn reason(error: &reqwest::Error) -> String {
    root_cause(error).unwrap_or_else(|| "the connection failed".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_name_that_is_not_found_is_not_explained_in_the_systems_words() {
        let error = SystemResolver.resolve("no\0name").await.unwrap_err();
        assert_eq!(error.to_string(), "check its name, and whether you are online");
    }
}
