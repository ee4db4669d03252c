//! A server on loopback whose every connection is played by a function.

use sayso::config::{AfterHandling, Mail, MailLogin, MailMode, MailServer, MailSource, MailTls, Secret};
use sayso::mail::Timeouts;
use sayso::tools::web::crypto;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// A password that must appear nowhere but in what a server is sent.
pub const CANARY: &str = "canary-7f3a-password";

pub trait Io: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Io for T {}

/// One connection, from the server's side.
pub struct Talk {
    io: Option<BufReader<Box<dyn Io>>>,
    certificate: &'static str,
    heard: Heard,
    /// The tag of the last IMAP command.
    pub tag: String,
}

impl Talk {
    pub async fn say(&mut self, text: impl AsRef<[u8]>) {
        let Some(io) = self.io.as_mut() else { return };
        // Whoever hung up hears nothing.
        let _ = io.write_all(text.as_ref()).await;
        let _ = io.flush().await;
    }

    /// The next line; `None` when the other side hung up.
    pub async fn hear(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.io.as_mut()?.read_line(&mut line).await.unwrap_or(0);
        if read == 0 {
            return None;
        }
        let line = line.trim_end().to_owned();
        self.heard.0.lock().unwrap().push(line.clone());
        Some(line)
    }

    /// The next IMAP command without its tag.
    pub async fn command(&mut self) -> Option<String> {
        let line = self.hear().await?;
        let (tag, rest) = line.split_once(' ')?;
        self.tag = tag.to_owned();
        Some(rest.to_owned())
    }

    /// Ends the IMAP command.
    pub async fn ok(&mut self, text: &str) {
        let line = format!("{} OK {text}\r\n", self.tag);
        self.say(line).await;
    }

    pub async fn bytes(&mut self, many: usize) -> Vec<u8> {
        let mut bytes = vec![0; many];
        match self.io.as_mut() {
            Some(io) => io.read_exact(&mut bytes).await.map(|_| bytes).unwrap_or_default(),
            None => Vec::new(),
        }
    }

    /// Makes the connection safe.
    pub async fn start_tls(&mut self) {
        let io = self.io.take().unwrap().into_inner();
        // A client that does not trust us hangs up in the middle.
        if let Ok(io) = acceptor(self.certificate).accept(io).await {
            self.io = Some(BufReader::new(Box::new(io)));
        }
    }

    /// Says nothing any more, and does not hang up either.
    pub async fn hang(&mut self) {
        std::future::pending::<()>().await;
    }
}

/// What a server heard, over all connections.
#[derive(Clone, Default)]
pub struct Heard(Arc<Mutex<Vec<String>>>);

impl Heard {
    pub fn count(&self, part: &str) -> usize {
        self.0.lock().unwrap().iter().filter(|line| line.contains(part)).count()
    }

    pub fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tls").join(name)
}

fn acceptor(certificate: &str) -> TlsAcceptor {
    let chain = CertificateDer::pem_file_iter(fixture(&format!("{certificate}.pem"))).unwrap();
    let chain = chain.collect::<Result<Vec<_>, _>>().unwrap();
    let key = PrivateKeyDer::from_pem_file(fixture(&format!("{certificate}.key"))).unwrap();
    let config = ServerConfig::builder_with_provider(crypto());
    let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    TlsAcceptor::from(Arc::new(config.with_single_cert(chain, key).unwrap()))
}

/// Plays a server. With `tls` each connection is safe from its first byte.
pub async fn play<F>(
    tls: MailTls,
    certificate: &'static str,
    part: impl Fn(Talk) -> F + Send + 'static,
) -> (u16, Heard)
where
    F: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let heard = Heard::default();
    let kept = heard.clone();
    tokio::spawn(async move {
        loop {
            let Ok((stream, _)) = listener.accept().await else { return };
            let stream: TcpStream = stream;
            stream.set_nodelay(true).unwrap();
            let io: Box<dyn Io> = Box::new(stream);
            let io = Some(BufReader::new(io));
            let mut talk = Talk { io, certificate, heard: kept.clone(), tag: String::new() };
            if tls == MailTls::Tls {
                talk.start_tls().await;
            }
            if talk.io.is_some() {
                tokio::spawn(part(talk));
            }
        }
    });
    (port, heard)
}

/// Long enough for a busy machine, short enough where a test waits for its end.
pub fn patience() -> Timeouts {
    Timeouts {
        connect: Duration::from_secs(20),
        answer: Duration::from_secs(20),
        verdict: Duration::from_secs(20),
        listen: Duration::from_secs(20),
        again: Duration::from_millis(1),
        filing: Duration::from_millis(1),
    }
}

pub fn server(port: u16) -> MailServer {
    MailServer {
        host: "localhost".to_owned(),
        port,
        tls: MailTls::Tls,
        user: "ada@example.org".to_owned(),
        login: MailLogin::Password(Secret::Command(format!("echo {CANARY}"))),
        ca_file: Some(fixture("ca.pem")),
        tls_pin: None,
    }
}

pub fn account(server: MailServer) -> Mail {
    Mail {
        name: "home".to_owned(),
        source: MailSource::Imap { server, folders: vec!["INBOX".to_owned()], drafts: None, sent: None },
        address: "ada@example.org".to_owned(),
        aliases: Vec::new(),
        mode: MailMode::Act,
        model: None,
        handled_done: AfterHandling::Seen,
        handled_ignored: AfterHandling::None,
        outgoing: None,
    }
}
