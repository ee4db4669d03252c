//! Requests: forbidden addresses in every disguise, redirects, rebinding, and answers without an end.

use crate::report;
use sayso::tools::http::{Call, Host, Http, HttpError, Limits, Method, Resolve};
use std::collections::VecDeque;
use std::future::Future;
use std::io::{Read, Write};
use std::net::{IpAddr, TcpListener, TcpStream};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Answers from a list, one look-up after the other; the last answer stays.
struct Names(Mutex<VecDeque<Vec<IpAddr>>>);

impl Names {
    fn of(answers: &[&[&str]]) -> Arc<Self> {
        let parse = |texts: &&[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
        Arc::new(Self(Mutex::new(answers.iter().map(parse).collect())))
    }
}

impl Resolve for Names {
    fn resolve<'a>(
        &'a self,
        _: &'a str,
    ) -> Pin<Box<dyn Future<Output = std::io::Result<Vec<IpAddr>>> + Send + 'a>> {
        let mut answers = self.0.lock().unwrap();
        let answer = if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() };
        Box::pin(async move { Ok(answer.unwrap_or_default()) })
    }
}

/// A server on this machine that counts whoever comes and lets `answer` speak.
struct Server {
    port: u16,
    came: Arc<AtomicUsize>,
}

impl Server {
    fn start(answer: impl Fn(&str, &mut TcpStream) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let came = Arc::new(AtomicUsize::new(0));
        let count = came.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                count.fetch_add(1, Ordering::SeqCst);
                let mut request = Vec::new();
                let mut buffer = [0; 1024];
                while !request.windows(4).any(|four| four == b"\r\n\r\n") {
                    match stream.read(&mut buffer) {
                        Ok(0) | Err(_) => break,
                        Ok(read) => request.extend_from_slice(&buffer[..read]),
                    }
                }
                answer(&String::from_utf8_lossy(&request), &mut stream);
            }
        });
        Self { port, came }
    }

    fn came(&self) -> usize {
        self.came.load(Ordering::SeqCst)
    }

    fn host(&self, name: &str, private: bool) -> Host {
        Host { name: name.to_owned(), port: Some(self.port), private }
    }
}

fn ok(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
}

fn get(url: impl Into<String>) -> Call {
    Call { method: Method::Get, url: url.into(), headers: Vec::new(), body: None }
}

fn small() -> Limits {
    Limits { bytes: 64 << 10, time: Duration::from_millis(700), ..Limits::default() }
}

/// Ways to write an address that must not be reached.
const FORMS: &str = "
    127.0.0.1 127.1 127.0.1 0x7f.1 0x7f000001 2130706433 017700000001 0177.0.0.1 0x7f.0x0.0x0.0x1 127.0.0.1.
    127.255.255.254 0 0.0.0.0 0x0 [::1] [0:0:0:0:0:0:0:1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1]
    [0:0:0:0:0:ffff:127.0.0.1] [::127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b:1::7f00:1] [2002:7f00:1::]
    [2001:0:7f00:1::] [fe80::1] [fec0::1] [fc00::1] [fd00::1] [fd00:ec2::254] [ff02::1] [ff05::2]
    [2001:db8::1] [100::1] [3fff::1] 10.0.0.1 10.255.255.255 0x0a000001 167772161 172.16.0.1 172.31.255.255
    192.168.0.1 192.168.1 3232235521 169.254.169.254 0xA9FEA9FE 2852039166 169.254.0.1 100.64.0.1
    100.100.100.200 100.127.255.255 168.63.129.16 192.0.0.1 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1
    224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 １２７.０.０.１ 127。0。0。1 ①②⑦.⓪.⓪.①
";

#[tokio::test]
async fn s01_forbidden_addresses_are_not_connected_to() {
    let server = Server::start(|_, stream| drop(stream.write_all(ok("reached").as_bytes())));
    let mut trials = 0;
    // As written: the list names the host, so only the address itself is in the way.
    for form in FORMS.split_whitespace() {
        let url = format!("http://{form}:{}/", server.port);
        let host = reqwest::Url::parse(&url).unwrap().host_str().unwrap().to_owned();
        let error = Http::default().send(&get(&url), &[server.host(&host, false)]).await.unwrap_err();
        assert!(matches!(error, HttpError::Refused(_)), "{form}: {error}");
        trials += 1;
    }
    // And by a name that leads there, alone or among good ones.
    for addresses in [
        &["127.0.0.1"][..],
        &["::1"],
        &["::ffff:127.0.0.1"],
        &["8.8.8.8", "127.0.0.1"],
        &["2606:4700::1111", "fe80::1"],
        &["192.168.1.1"],
        &["169.254.169.254"],
    ] {
        let http = Http::new(Names::of(&[addresses]), small());
        let url = format!("http://innocent.example:{}/", server.port);
        let error = http.send(&get(url), &[server.host("innocent.example", false)]).await.unwrap_err();
        assert!(matches!(error, HttpError::Refused(_)), "{addresses:?}: {error}");
        trials += 1;
    }
    assert_eq!(server.came(), 0);
    // The way through is open where the person's config says so.
    let url = format!("http://127.0.0.1:{}/", server.port);
    let answer = Http::default().send(&get(url), &[server.host("127.0.0.1", true)]).await.unwrap();
    assert_eq!(answer.body, b"reached");
    report("S01", "forbidden addresses, every form", trials);
}

#[tokio::test]
async fn s02_redirects_are_checked_again_and_addresses_stay_pinned() {
    let inner = Server::start(|_, stream| drop(stream.write_all(ok("secret").as_bytes())));
    let port = inner.port;
    let outer = Server::start(move |request, stream| {
        let place = request.split(' ').nth(1).unwrap_or("/");
        let to = match place {
            "/port" => format!("http://127.0.0.1:{port}/"),
            "/name" => "http://inner.example/".to_owned(),
            "/scheme" => "file:///etc/passwd".to_owned(),
            "/user" => "http://a:b@outer.example/".to_owned(),
            "/loop" => "/loop".to_owned(),
            "/once" => "/good".to_owned(),
            _ => {
                return drop(
                    stream.write_all(ok(if request.contains("x-key") { "kept" } else { "bare" }).as_bytes()),
                );
            }
        };
        let head = "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nConnection: close\r\nLocation: ";
        drop(stream.write_all(format!("{head}{to}\r\n\r\n").as_bytes()));
    });
    let hosts = [outer.host("127.0.0.1", true), Host::public("inner.example")];
    let http = Http::new(Names::of(&[&["127.0.0.1"]]), Limits { time: Duration::from_secs(20), ..small() });
    let at = |path: &str| {
        let headers = vec![("x-key".to_owned(), "k".to_owned())];
        Call { headers, ..get(format!("http://127.0.0.1:{}{path}", outer.port)) }
    };
    for path in ["/port", "/name", "/scheme", "/user"] {
        let error = http.send(&at(path), &hosts).await.unwrap_err();
        assert!(matches!(error, HttpError::Refused(_)), "{path}: {error}");
    }
    let error = http.send(&at("/loop"), &hosts).await.unwrap_err();
    assert!(matches!(error, HttpError::NoAnswer(_)), "{error}");
    assert_eq!(http.send(&at("/once"), &hosts).await.unwrap().body, b"kept");
    // A request that changes something is never repeated elsewhere.
    let post = Call { method: Method::Post, ..at("/once") };
    assert_eq!(http.send(&post, &hosts).await.unwrap().status, 302);
    assert_eq!(inner.came(), 0);

    // Rebinding: one answer when it is checked, another when it is connected to. There is one look-up, and the
    // connection goes to what it said; the next request looks anew, and is checked anew.
    let names = Names::of(&[&["127.0.0.1"], &["127.0.0.2"], &["127.0.0.2"]]);
    let http = Http::new(names.clone(), Limits { time: Duration::from_secs(20), ..small() });
    let url = format!("http://rebind.example:{port}/");
    let answer = http.send(&get(&url), &[inner.host("rebind.example", true)]).await.unwrap();
    assert_eq!((answer.body.as_slice(), names.0.lock().unwrap().len()), (&b"secret"[..], 2));
    let error = http.send(&get(&url), &[inner.host("rebind.example", false)]).await.unwrap_err();
    assert!(matches!(error, HttpError::Refused(_)), "{error}");
    assert_eq!((inner.came(), names.0.lock().unwrap().len()), (1, 1));
    report("S02", "redirects and rebinding", 9);
}

#[tokio::test]
async fn s03_answers_without_an_end_are_capped() {
    let bomb = {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        packer.write_all(&vec![b'0'; 64 << 20]).unwrap();
        packer.finish().unwrap()
    };
    assert!(bomb.len() < 100 << 10, "{}", bomb.len());
    let server = Server::start(move |request, stream| {
        let head = "HTTP/1.1 200 OK\r\nConnection: close\r\n";
        let place = request.split(' ').nth(1).unwrap_or("/").to_owned();
        let mut say = |bytes: &[u8]| stream.write_all(bytes).is_ok();
        match place.as_str() {
            "/endless" => {
                say(format!("{head}\r\n").as_bytes());
                while say(&[b'x'; 8192]) {}
            }
            "/silent" => {
                // Held open until the other side gives up.
                let _ = stream.read(&mut [0; 1]);
            }
            "/drip" => {
                say(format!("{head}\r\n").as_bytes());
                let _ = stream.read(&mut [0; 1]);
            }
            "/cut" => {
                say(format!("{head}Content-Length: 100\r\n\r\nhalf").as_bytes());
            }
            "/headers" => {
                say(head.as_bytes());
                for n in 0.. {
                    if !say(format!("X-{n}: y\r\n").as_bytes()) {
                        break;
                    }
                }
            }
            _ => {
                say(format!("{head}Content-Encoding: gzip\r\n\r\n").as_bytes());
                say(&bomb);
            }
        }
    });
    let http = Http::new(Names::of(&[&["127.0.0.1"]]), small());
    let hosts = [server.host("127.0.0.1", true)];
    for path in ["/endless", "/silent", "/drip", "/cut", "/headers", "/bomb"] {
        let url = format!("http://127.0.0.1:{}{path}", server.port);
        let error = http.send(&get(url), &hosts).await.unwrap_err();
        assert!(matches!(error, HttpError::NoAnswer(_)), "{path}: {error}");
    }
    report("S03", "endless, slow, cut and bursting answers", 6);
}
