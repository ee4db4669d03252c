//! Leaves a mailing list with one request (RFC 8058), after the person approved it.

use super::tools;
use crate::engine::graph::{BoxFuture, Effect, EffectError, EffectTrace};
use crate::mail::risk::Receiver;
use crate::mail::{Mail, Unsubscribe};
use crate::tools::http::{Call, Host, Http, HttpAnswer, HttpError, Method};
use reqwest::Url;
use serde_json::{Value, json};

/// Why no thread can ask about leaving the mail's list; `None` if one can.
pub fn cannot_leave(mail: &Mail, receiver: Option<&Receiver>) -> Option<String> {
    if tools::unsubscribe_args(mail, receiver).is_some() {
        return None;
    }
    let ways = mail.list.as_ref().map(|list| list.unsubscribe.as_slice()).unwrap_or_default();
    Some(match ways.first() {
        Some(Unsubscribe::OneClick { url }) => format!(
            "your mail server has not confirmed that this unsubscribe link comes from the list (DKIM); open it \
             yourself if you trust the sender: {url}"
        ),
        Some(Unsubscribe::Page { url }) => format!("to leave this list, open this page yourself: {url}"),
        Some(Unsubscribe::Mail { .. }) | None => "this mail doesn't say how to leave its list".to_owned(),
    })
}

/// The host of a URL, as the HTTP client reads it; empty if it has none.
pub(super) fn host(url: &str) -> String {
    let url = Url::parse(url).ok();
    url.as_ref().and_then(Url::host_str).unwrap_or_default().to_owned()
}

/// Makes the one request. The frozen bytes are its URL.
pub(super) struct LeaveList(pub Http);

impl Effect for LeaveList {
    fn perform<'a>(&'a self, frozen: &'a [u8]) -> BoxFuture<'a, Result<Value, EffectError>> {
        Box::pin(async move {
            let url = String::from_utf8_lossy(frozen).into_owned();
            if !url.to_ascii_lowercase().starts_with("https://") {
                return Err(EffectError::Refused("unsubscribing works only over https".to_owned()));
            }
            // Only the public internet and the usual port; redirects are not followed.
            let hosts = [Host::public(&host(&url))];
            let kind = ("content-type".to_owned(), "application/x-www-form-urlencoded".to_owned());
            let body = Some(b"List-Unsubscribe=One-Click".to_vec());
            let call = Call { method: Method::Post, url, headers: vec![kind], body };
            outcome_of(self.0.send(&call, &hosts).await)
        })
    }

    fn find<'a>(&'a self, _: &'a [u8]) -> BoxFuture<'a, EffectTrace> {
        let text = "there is no way to check whether the list received it";
        Box::pin(async move { EffectTrace::Unknown(text.to_owned()) })
    }
}

/// Tells from the response whether the person is off the list.
fn outcome_of(answer: Result<HttpAnswer, HttpError>) -> Result<Value, EffectError> {
    match answer {
        Ok(HttpAnswer { status: 200..300, .. }) => Ok(json!({})),
        Ok(HttpAnswer { status, .. }) if status >= 500 => {
            Err(EffectError::Unknown(format!("the list's server failed midway (status {status})")))
        }
        Ok(HttpAnswer { status: status @ 300..400, .. }) => Err(EffectError::Refused(format!(
            "the list's server redirects elsewhere (status {status}), and sayso does not follow; you may still be on the list"
        ))),
        Ok(HttpAnswer { status, .. }) => Err(EffectError::Refused(format!(
            "the list's server refused it (status {status}); you are still on the list"
        ))),
        Err(HttpError::Refused(text)) => Err(EffectError::Refused(text)),
        Err(HttpError::NotFound(text) | HttpError::NotSent(text)) => Err(EffectError::NotDone(text)),
        Err(HttpError::NoAnswer(text)) => Err(EffectError::Unknown(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::parse;
    use crate::tools::http::{Limits, Resolve, TestServer, Trust, crypto};
    use std::sync::Arc;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio_rustls::TlsAcceptor;
    use tokio_rustls::rustls::ServerConfig;
    use tokio_rustls::rustls::pki_types::pem::PemObject;
    use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

    fn answered(status: u16) -> Result<Value, EffectError> {
        let (kind, link) = (String::new(), String::new());
        outcome_of(Ok(HttpAnswer { status, kind, retry_after: None, link, body: Vec::new() }))
    }

    #[test]
    fn only_a_plain_yes_is_one() {
        assert!(answered(200).is_ok() && answered(204).is_ok());
        for status in [301, 302, 307, 400, 404, 405, 410, 429] {
            assert!(matches!(answered(status), Err(EffectError::Refused(_))), "{status}");
        }
        assert!(matches!(answered(500), Err(EffectError::Unknown(_))));
        let failed = |error| outcome_of(Err(error));
        assert!(matches!(failed(HttpError::NotSent(String::new())), Err(EffectError::NotDone(_))));
        assert!(matches!(failed(HttpError::NoAnswer(String::new())), Err(EffectError::Unknown(_))));
        assert!(matches!(failed(HttpError::Refused(String::new())), Err(EffectError::Refused(_))));
    }

    #[tokio::test]
    async fn nothing_but_https_to_the_public_internet_is_asked() {
        let leave = LeaveList(Http::default());
        for url in [
            "http://news.example/u",
            "https://127.0.0.1/u",
            "https://[::1]/u",
            "https://10.0.0.1/u",
            "https://news.example:8443/u",
            "https://ada:secret@news.example/u",
            "https://news.example@127.0.0.1/u",
        ] {
            let outcome = leave.perform(url.as_bytes()).await;
            assert!(matches!(outcome, Err(EffectError::Refused(_))), "{url}: {outcome:?}");
        }
        assert!(
            matches!(leave.find(b"").await, EffectTrace::Unknown(_)),
            "it is never asked twice by itself"
        );
    }

    /// Resolves every name to this address, public or not.
    struct Names(&'static str);

    impl Resolve for Names {
        fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, std::io::Result<Vec<std::net::IpAddr>>> {
            Box::pin(async { Ok(vec![self.0.parse().unwrap()]) })
        }
    }

    fn fixture(name: &str) -> String {
        format!("{}/tests/fixtures/tls/{name}", env!("CARGO_MANIFEST_DIR"))
    }

    /// A list's server that answers one request over TLS. The task returns what the server received.
    async fn server(certificate: &str, reply: &'static str) -> (TestServer, tokio::task::JoinHandle<String>) {
        let chain = CertificateDer::pem_file_iter(fixture(&format!("{certificate}.pem"))).unwrap();
        let key = PrivateKeyDer::from_pem_file(fixture(&format!("{certificate}.key"))).unwrap();
        let config = ServerConfig::builder_with_provider(crypto());
        let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
        let config = config.with_single_cert(chain.map(Result::unwrap).collect(), key).unwrap();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let ca = std::fs::read(fixture("ca.pem")).unwrap();
        let Ok(Trust::Issuers(issuers)) = Trust::issuers(&ca) else { panic!("a bad fixture") };
        let test_server = TestServer { server: listener.local_addr().unwrap(), issuers };
        let received = tokio::spawn(async move {
            let (plain, _) = listener.accept().await.unwrap();
            // A client that does not trust the certificate hangs up here.
            let Ok(mut io) = TlsAcceptor::from(Arc::new(config)).accept(plain).await else {
                return String::new();
            };
            let mut received = Vec::new();
            while !received.ends_with(b"One-Click") {
                match io.read_buf(&mut received).await {
                    Ok(0) | Err(_) => break,
                    Ok(_) => {}
                }
            }
            let _ = io.write_all(reply.as_bytes()).await;
            let _ = io.shutdown().await;
            String::from_utf8(received).unwrap()
        });
        (test_server, received)
    }

    fn leave(names: &'static str, test_server: TestServer) -> LeaveList {
        LeaveList(Http::new(Arc::new(Names(names)), Limits::default()).with_test_server(test_server))
    }

    const PUBLIC: &str = "203.0.114.7";
    const OK_RESPONSE: &str = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";

    #[tokio::test]
    async fn the_one_request_is_made_over_tls_and_says_nothing_else() {
        let (test_server, received) = server("localhost", OK_RESPONSE).await;
        leave(PUBLIC, test_server).perform(b"https://localhost:443/u/7?list=news").await.unwrap();
        let received = received.await.unwrap().to_lowercase();
        assert!(received.starts_with("post /u/7?list=news http/1.1\r\n"), "{received}");
        assert!(received.contains("content-type: application/x-www-form-urlencoded\r\n"), "{received}");
        assert!(received.ends_with("\r\n\r\nlist-unsubscribe=one-click"), "{received}");
        for header in ["cookie", "authorization", "referer", "from:"] {
            assert!(!received.contains(header), "{header}: {received}");
        }
    }

    #[tokio::test]
    async fn a_server_that_sends_elsewhere_or_fails_is_told_nothing_more() {
        let moved = "HTTP/1.1 302 Found\r\nlocation: https://127.0.0.1/\r\ncontent-length: 0\r\n\r\n";
        let (test_server, received) = server("localhost", moved).await;
        let outcome = leave(PUBLIC, test_server).perform(b"https://localhost/u").await;
        assert!(matches!(&outcome, Err(EffectError::Refused(text)) if text.contains("302")), "{outcome:?}");
        assert!(received.await.unwrap().starts_with("POST"));
        let (test_server, _received) =
            server("localhost", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n").await;
        let outcome = leave(PUBLIC, test_server).perform(b"https://localhost/u").await;
        assert!(matches!(outcome, Err(EffectError::Unknown(_))), "the answer broke off: {outcome:?}");
    }

    #[tokio::test]
    async fn a_server_that_is_not_who_it_says_hears_nothing() {
        for certificate in ["elsewhere", "expired"] {
            let (test_server, received) = server(certificate, OK_RESPONSE).await;
            let outcome = leave(PUBLIC, test_server).perform(b"https://localhost/u").await;
            assert!(matches!(outcome, Err(EffectError::NotDone(_))), "{certificate}: {outcome:?}");
            assert_eq!(received.await.unwrap(), "", "{certificate}");
        }
    }

    #[tokio::test]
    async fn a_name_that_leads_home_is_not_asked_even_over_tls() {
        for address in ["127.0.0.1", "::1", "10.1.2.3", "169.254.169.254"] {
            let (test_server, received) = server("localhost", OK_RESPONSE).await;
            let outcome = leave(address, test_server).perform(b"https://localhost/u").await;
            assert!(matches!(outcome, Err(EffectError::Refused(_))), "{address}: {outcome:?}");
            assert!(!received.is_finished(), "nobody has connected");
            received.abort();
        }
    }

    #[test]
    fn a_list_that_cannot_be_left_from_here_says_why() {
        let why = |lines: &str| {
            let mail = parse(format!("{lines}From: a@news.example\r\n\r\nx").as_bytes()).unwrap();
            cannot_leave(&mail, None)
        };
        assert!(why("").unwrap().contains("doesn't say how"));
        assert!(
            why("List-Unsubscribe: <https://news.example/u>\r\n")
                .unwrap()
                .contains("open this page yourself")
        );
        let one_click = "List-Unsubscribe: <https://news.example/u>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n";
        assert!(why(one_click).unwrap().contains("(DKIM)"));
        for post in ["", "List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"] {
            let both = "List-Unsubscribe: <https://news.example/u>, <mailto:u@news.example>\r\n";
            assert_eq!(why(&format!("{both}{post}")), None);
        }
    }

    #[test]
    fn a_host_is_named_without_its_port_and_the_user() {
        for (url, expected) in [
            ("https://news.example/u?x=1", "news.example"),
            ("HTTPS://News.Example:443?x=1", "news.example"),
            ("https://news.example:8443/u", "news.example"),
            ("https://bank.example@evil.example/u", "evil.example"),
            ("https://bücher.example/u", "xn--bcher-kva.example"),
            ("news.example/u", ""),
        ] {
            assert_eq!(host(url), expected, "{url}");
        }
    }
}
