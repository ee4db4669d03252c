//! Connections to mail servers: always encrypted, and every wait has a limit.
//!
//! Promises: no byte of a secret or a mail goes over a connection whose certificate was not checked; every wait ends;
//! an error says what to do and never contains a secret.

mod login;
mod stream;
mod tls;

pub(super) use login::Login;
pub(super) use stream::{LineError, Wire};

use crate::config::MailServer;
use crate::text::io_error_text;
use crate::tools::web::safe_excerpt;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use std::io;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

/// How long an address may take to answer before we also try the next one.
const NEXT_ADDRESS_AFTER: Duration = Duration::from_millis(500);

/// Timeouts and pauses.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    pub connect: Duration,
    pub answer: Duration,
    /// For the answer after a whole mail was sent.
    pub verdict: Duration,
    /// Between two checks of a connection we only listen on.
    pub listen: Duration,
    /// Before reconnecting after a break; the pause grows up to sixty times this.
    pub again: Duration,
    /// Before checking again whether a server has filed sent mail itself.
    pub filing: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(30),
            answer: Duration::from_secs(90),
            verdict: Duration::from_secs(5 * 60),
            listen: Duration::from_secs(4 * 60),
            again: Duration::from_secs(5),
            filing: Duration::from_secs(2),
        }
    }
}

pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// Why we cannot talk to a server.
#[derive(Debug, thiserror::Error)]
pub(super) enum NetError {
    #[error("there is no server {host} ({why}); check the host's name and the network")]
    NoHost { host: String, why: String },
    #[error("{place} cannot be reached ({why}); check host, port and the network")]
    Unreachable { place: String, why: String },
    #[error("{place} did not answer within {seconds} seconds")]
    Slow { place: String, seconds: u64 },
    #[error("the connection to {place} broke off ({why})")]
    Cut { place: String, why: String },
    #[error("the certificate of {host} {why}")]
    Certificate { host: String, why: String },
    #[error("{place} does not speak TLS there ({why}); set tls = {other:?}, or another port")]
    NotTls { place: String, why: String, other: &'static str },
    #[error("{place} offers no STARTTLS; set tls = \"tls\" and its port; sayso never connects unencrypted")]
    NoStartTls { place: String },
    #[error("{place} sent data before the connection was encrypted")]
    Injected { place: String },
    #[error("{0}")]
    Trust(String),
    #[error("{0}")]
    Secret(String),
    /// The server that renews tokens does not answer as it should.
    #[error("{0}")]
    TokenServer(String),
    /// The person has to log in again.
    #[error("{0}")]
    Login(String),
}

impl NetError {
    /// Whether trying again may help.
    pub(super) fn is_temporary(&self) -> bool {
        match self {
            Self::NoHost { .. } | Self::Unreachable { .. } | Self::Slow { .. } | Self::Cut { .. } => true,
            Self::TokenServer(_) => true,
            Self::Certificate { .. } | Self::NotTls { .. } | Self::NoStartTls { .. } => false,
            Self::Injected { .. } | Self::Trust(_) | Self::Secret(_) | Self::Login(_) => false,
        }
    }
}

/// The server's name for errors.
pub(super) fn place(server: &MailServer) -> String {
    format!("{}:{}", server.host, server.port)
}

/// A connection error in words.
pub(super) fn plain(error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::UnexpectedEof {
        return "the server hung up".to_owned();
    }
    safe_excerpt(&io_error_text(error))
}

/// Connects, without encryption yet.
pub(super) async fn connect(server: &MailServer, patience: &Timeouts) -> Result<TcpStream, NetError> {
    let no_host = |why: String| NetError::NoHost { host: server.host.clone(), why };
    let connecting = async {
        let lookup = tokio::net::lookup_host((server.host.as_str(), server.port)).await;
        let addresses = lookup.map_err(|error| no_host(plain(&error)))?;
        match first_to_answer(addresses.map(TcpStream::connect)).await {
            Some(Ok(stream)) => Ok(stream),
            Some(Err(error)) => Err(NetError::Unreachable { place: place(server), why: plain(&error) }),
            None => Err(no_host("it has no address".to_owned())),
        }
    };
    let slow = |_| NetError::Slow { place: place(server), seconds: patience.connect.as_secs() };
    let stream = tokio::time::timeout(patience.connect, connecting).await.map_err(slow)??;
    // Commands are short, and each waits for its answer.
    let _ = stream.set_nodelay(true);
    Ok(stream)
}

/// The first attempt that succeeds, or else the last error; `None` without attempts. The next attempt begins when one
/// fails or takes long, so a broken IPv6 does not keep us from IPv4.
async fn first_to_answer<T>(
    mut attempts: impl Iterator<Item = impl Future<Output = io::Result<T>>>,
) -> Option<io::Result<T>> {
    let mut running = FuturesUnordered::new();
    let mut last = None;
    loop {
        running.extend(attempts.next());
        match tokio::time::timeout(NEXT_ADDRESS_AFTER, running.next()).await {
            Ok(Some(Ok(stream))) => return Some(Ok(stream)),
            Ok(Some(Err(error))) => last = Some(Err(error)),
            Ok(None) => return last,
            Err(_) => {}
        }
    }
}

/// Encrypts a connection.
pub(super) async fn secure(
    server: &MailServer,
    stream: Box<dyn Stream>,
    patience: &Timeouts,
) -> Result<Box<dyn Stream>, NetError> {
    let handshake = tls::handshake(server, stream);
    match tokio::time::timeout(patience.connect, handshake).await {
        Ok(result) => result,
        Err(_) => Err(NetError::Slow { place: place(server), seconds: patience.connect.as_secs() }),
    }
}

/// The mail with CRLF line ends, as sent over the wire.
pub(super) fn crlf(raw: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(raw.len() + raw.len() / 40);
    let mut rest = raw.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        match byte {
            b'\r' => {
                rest.next_if_eq(&b'\n');
                out.extend_from_slice(b"\r\n");
            }
            b'\n' => out.extend_from_slice(b"\r\n"),
            other => out.push(other),
        }
    }
    if !out.ends_with(b"\r\n") {
        out.extend_from_slice(b"\r\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_address_that_does_not_answer_does_not_stop_the_others() {
        enum Address {
            Silent,
            Refuses,
            Answers,
        }
        use Address::{Answers, Refuses, Silent};
        let first = async |addresses: Vec<Address>| {
            let attempts = addresses.into_iter().enumerate().map(|(n, address)| async move {
                match address {
                    Silent => std::future::pending().await,
                    Refuses => Err(io::Error::from(io::ErrorKind::ConnectionRefused)),
                    Answers => Ok(n),
                }
            });
            let limit = Timeouts::default().connect;
            tokio::time::timeout(limit, first_to_answer(attempts)).await.ok().flatten()
        };
        assert_eq!(first(vec![Silent, Answers]).await.unwrap().unwrap(), 1);
        assert_eq!(first(vec![Refuses, Silent, Refuses, Answers, Answers]).await.unwrap().unwrap(), 3);
        assert!(first(vec![Refuses, Refuses]).await.unwrap().is_err());
        assert!(first(vec![Silent, Refuses]).await.is_none(), "the silent one may still answer");
        assert!(first(Vec::new()).await.is_none());
    }
}
