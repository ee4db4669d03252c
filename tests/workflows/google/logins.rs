//! Logging in: the right answer, and every wrong one.

use super::{WAIT, assert_no_canary};
use crate::support::google::{Fault, Google};
use sayso::tools::web::google::{EVENTS, MAIL};
use sayso::tools::web::oauth::{self, Bearer, Login, LoginError, Tokens};
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const PATIENCE: Duration = Duration::from_secs(60);

struct Browser {
    google: Google,
    folder: tempfile::TempDir,
    login: sayso::config::Google,
}

impl Browser {
    fn new() -> Self {
        let (google, folder) = (Google::start(), tempfile::tempdir().unwrap());
        let login = google.login_without_tokens(folder.path());
        Self { google, folder, login }
    }

    async fn begin(&self) -> Login {
        oauth::begin(&self.login, &[MAIL], WAIT).await.unwrap()
    }

    /// A login whose answer the browser brings: the page it is shown, and what came of it.
    async fn answered(&self) -> (String, Result<Tokens, LoginError>) {
        let login = self.begin().await;
        let (back, _) = self.google.consent(login.address());
        self.bring(login, &target(&back)).await
    }

    /// Brings this to a login.
    async fn bring(&self, login: Login, target: &str) -> (String, Result<Tokens, LoginError>) {
        let host = host(login.redirect());
        let finish = tokio::spawn(login.finish(PATIENCE));
        let page = exchange(&host, get(target, &host)).await.unwrap();
        (page, finish.await.unwrap())
    }
}

/// Sends a request to a port and gives the response; `None` if nobody listens there.
async fn exchange(address: &str, request: String) -> Option<String> {
    let mut stream = tokio::net::TcpStream::connect(address).await.ok()?;
    stream.write_all(request.as_bytes()).await.ok()?;
    let mut response = String::new();
    stream.read_to_string(&mut response).await.ok()?;
    Some(response)
}

fn host(redirect: &str) -> String {
    redirect.trim_start_matches("http://").trim_end_matches('/').to_owned()
}

fn get(target: &str, host: &str) -> String {
    format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n")
}

fn target(url: &reqwest::Url) -> String {
    format!("{}?{}", url.path(), url.query().unwrap())
}

fn state_of(url: &reqwest::Url) -> String {
    url.query_pairs().find(|(key, _)| key == "state").unwrap().1.into_owned()
}

#[tokio::test]
async fn the_tokens_of_a_login_are_private() {
    let browser = Browser::new();
    let login = browser.begin().await;
    let (back, _) = browser.google.consent(login.address());
    let host = host(login.redirect());
    let (page, tokens) = browser.bring(login, &target(&back)).await;
    let tokens = tokens.unwrap();
    assert!(page.starts_with("HTTP/1.1 200 OK\r\n") && page.contains("sayso is logged in"), "{page}");
    assert!(page.contains("default-src 'none'") && page.contains("no-store"), "{page}");
    assert!(!page.contains("code-") && !page.contains("canary"), "{page}");
    assert_eq!(tokens.scopes, [MAIL]);
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&browser.login.tokens), 0o600);
    assert_eq!(mode(browser.login.tokens.parent().unwrap()), 0o700);
    assert!(Tokens::load(&browser.login).unwrap() == tokens);
    // What was brought once cannot be brought again: the port is closed.
    assert_eq!(exchange(&host, get(&target(&back), &host)).await, None);
    assert_eq!(browser.google.world().exchanges, 1);
}

#[tokio::test]
async fn wrong_callbacks_are_refused_and_the_right_one_still_counts() {
    let browser = Browser::new();
    let login = browser.begin().await;
    let (back, _) = browser.google.consent(login.address());
    let host = host(login.redirect());
    let finish = tokio::spawn(login.finish(PATIENCE));
    let right = target(&back);
    let state = state_of(&back);
    let wrong = [
        (get("/favicon.ico", &host), "404"),
        (get(&right.replacen('/', "/x", 1), &host), "404"),
        (get(&right.replacen('/', "//", 1), &host), "404"),
        (get("/?code=stolen", &host), "400"),
        (get("/?code=stolen&state=guessed", &host), "400"),
        (get(&format!("/?code=stolen&state={}", &state[1..]), &host), "400"),
        (get(&format!("/?code=stolen&state={state}&state={state}"), &host), "400"),
        (get(&format!("/?code=stolen&code=too&state={state}"), &host), "400"),
        (get(&format!("/?state={state}"), &host), "400"),
        (get(&right, "evil.example"), "421"),
        (get(&right, "localhost"), "421"),
        (format!("GET {right} HTTP/1.1\r\n\r\n"), "421"),
        (format!("GET {right} HTTP/1.1\r\nHost: {host}\r\nHost: evil.example\r\n\r\n"), "421"),
        (format!("POST {right} HTTP/1.1\r\nHost: {host}\r\n\r\n"), "405"),
        ("\u{1}\u{2}\r\n\r\n".to_owned(), "400"),
    ];
    // Somebody who says nothing, and somebody who says too much, hold nobody up.
    let _silent = tokio::net::TcpStream::connect(&host).await.unwrap();
    let endless = exchange(&host, format!("GET /{} HTTP/1.1", "a".repeat(64 << 10))).await;
    assert!(endless.is_none_or(|response| response.is_empty()));
    for (request, status) in wrong {
        let response = exchange(&host, request.clone()).await.unwrap();
        assert!(response.starts_with(&format!("HTTP/1.1 {status} ")), "{request} {response}");
        assert!(!response.contains("stolen") && !response.contains("evil"), "{response}");
    }
    assert_eq!(browser.google.world().exchanges, 0, "nothing of this was exchanged");
    exchange(&host, get(&right, &host)).await.unwrap();
    finish.await.unwrap().unwrap();
    assert_eq!(browser.google.world().exchanges, 1);
}

#[tokio::test]
async fn two_logins_at_once_do_not_take_each_others_answers() {
    let browser = Browser::new();
    let (one, two) = (browser.begin().await, browser.begin().await);
    let (host_one, host_two) = (host(one.redirect()), host(two.redirect()));
    assert_ne!(host_one, host_two, "the port is ours before anybody is told of it");
    let taken = tokio::net::TcpListener::bind(&host_one).await;
    assert!(taken.is_err(), "nobody else can listen there");
    let (back_one, _) = browser.google.consent(one.address());
    let (back_two, _) = browser.google.consent(two.address());
    let (one, two) = (tokio::spawn(one.finish(PATIENCE)), tokio::spawn(two.finish(PATIENCE)));
    let crossed = exchange(&host_two, get(&target(&back_one), &host_two)).await.unwrap();
    assert!(crossed.starts_with("HTTP/1.1 400 "), "{crossed}");
    exchange(&host_one, get(&target(&back_one), &host_one)).await.unwrap();
    exchange(&host_two, get(&target(&back_two), &host_two)).await.unwrap();
    assert!(one.await.unwrap().is_ok() && two.await.unwrap().is_ok());
}

#[tokio::test]
async fn a_code_is_worth_nothing_without_its_verifier() {
    let browser = Browser::new();
    let login = browser.begin().await;
    let other = browser.begin().await;
    // A code that was given for another login's challenge.
    let (_, stolen) = browser.google.consent(other.address());
    let state = state_of(&reqwest::Url::parse(login.address()).unwrap());
    let (page, outcome) = browser.bring(login, &format!("/?code={stolen}&state={state}")).await;
    assert!(page.contains("sayso is not logged in"), "{page}");
    let error = outcome.err().unwrap().to_string();
    assert!(error.contains("rejected the answer") && error.contains("sayso auth google"), "{error}");
    assert!(!browser.login.tokens.exists());
}

#[tokio::test]
async fn a_refused_or_unanswered_login_fails() {
    let browser = Browser::new();
    let login = browser.begin().await;
    let (mut back, _) = browser.google.consent(login.address());
    let state = state_of(&back);
    back.query_pairs_mut().clear().append_pair("state", &state).append_pair("error", "access_denied");
    let error = browser.bring(login, &target(&back)).await.1.err().unwrap().to_string();
    assert!(error.contains("refused in the browser"), "{error}");

    let login = browser.begin().await;
    let error = login.finish(Duration::from_millis(20)).await.err().unwrap().to_string();
    assert!(error.contains("nobody answered"), "{error}");
    assert_eq!(browser.google.world().exchanges, 0);
}

#[tokio::test]
async fn a_failed_exchange_says_why_and_stores_nothing() {
    let full = r#"{"access_token": "canary-a", "refresh_token": "canary-r", "scope": "SCOPE"}"#;
    let less = full.replace("SCOPE", EVENTS);
    let cases = [
        (Fault::Cut, "broke off"),
        (Fault::Reply(500, vec![], String::new()), "is busy (500)"),
        (Fault::Reply(401, vec![], r#"{"error": "invalid_client"}"#.into()), "check client_id"),
        (Fault::Reply(404, vec![], "<html>".into()), "check token_url"),
        (Fault::Reply(200, vec![], "<html>canary</html>".into()), "without a token"),
        (Fault::Reply(200, vec![], r#"{"access_token": 7}"#.into()), "without a token"),
        (Fault::Reply(200, vec![], r#"{"access_token": "canary\r\nx: y"}"#.into()), "without a token"),
        (Fault::Reply(200, vec![], r#"{"access_token": "canary-a"}"#.into()), "no refresh token"),
        (Fault::Reply(200, vec![], less), "tick every box"),
        (Fault::Reply(302, vec![("location", "http://evil.example/".into())], String::new()), "status 302"),
        (Fault::Endless, "without a token"),
    ];
    for (fault, words) in cases {
        let browser = Browser::new();
        browser.google.world().fault("POST /token", fault.clone());
        let (page, outcome) = browser.answered().await;
        let error = outcome.err().unwrap().to_string();
        assert!(error.contains(words), "{fault:?}: {error}");
        assert_no_canary(&(error + &page));
        assert!(!browser.login.tokens.exists(), "{fault:?}");
    }
}

#[tokio::test]
async fn a_missing_client_secret_says_where_it_should_be() {
    let mut browser = Browser::new();
    browser.login.client_secret = Some(sayso::config::Secret::Env("NO_SUCH_SECRET".to_owned()));
    let error = browser.answered().await.1.err().unwrap().to_string();
    assert!(error.contains("NO_SUCH_SECRET is not set"), "{error}");
}

#[tokio::test]
async fn tokens_that_cannot_be_used_say_what_to_do() {
    let browser = Browser::new();
    let bearer = || Bearer::new(browser.login.clone(), &[MAIL], WAIT);
    let again = |error: Option<LoginError>, words: &str| match error {
        Some(LoginError::LoginRequired(text) | LoginError::Permanent(text)) => {
            assert!(text.contains(words), "{text}");
            assert_no_canary(&text);
        }
        other => panic!("{other:?}"),
    };
    again(bearer().token().await.err(), "sayso auth google --account home");
    browser.google.login(browser.folder.path());
    let path = &browser.login.tokens;
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o640)).unwrap();
    again(bearer().token().await.err(), "chmod 600");
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o600)).unwrap();
    assert!(bearer().token().await.is_ok());
    std::fs::write(path, b"{\"refresh_token\": \"canary").unwrap();
    again(bearer().token().await.err(), "damaged");
    let mut old = browser.google.tokens("canary-access");
    old.scopes = vec!["https://www.googleapis.com/auth/gmail.modify".to_owned()];
    old.save(&browser.login).unwrap();
    again(bearer().token().await.err(), "does not cover https://mail.google.com/; run `sayso auth google");
    let mut other = browser.login.clone();
    other.client_id = "another".to_owned();
    browser.google.login(browser.folder.path());
    again(Bearer::new(other, &[MAIL], WAIT).token().await.err(), "another client_id");
}

#[tokio::test]
async fn a_refresh_survives_a_caller_that_gives_up() {
    let mut browser = Browser::new();
    browser.login = browser.google.login(browser.folder.path());
    browser.google.world().access.clear();
    let mut tokens = Tokens::load(&browser.login).unwrap();
    tokens.expires_at = jiff::Timestamp::UNIX_EPOCH;
    tokens.save(&browser.login).unwrap();
    let rotated = r#"{"access_token": "canary-new", "refresh_token": "canary-rotated", "expires_in": 3000}"#;
    browser.google.world().fault("POST /token", Fault::Reply(200, vec![], rotated.into()));
    let bearer = Bearer::new(browser.login.clone(), &[MAIL], WAIT);
    // It is asked, and given up as soon as it waits.
    let asking = bearer.token();
    tokio::select! { biased; _ = asking => panic!("it does wait"), () = std::future::ready(()) => {} }
    // Either nothing was begun, or it is finished and kept before anybody else gets a turn.
    assert_eq!(bearer.token().await.unwrap(), "canary-new");
    let kept = Tokens::load(&browser.login).unwrap();
    assert!(kept.refresh_token == "canary-rotated" && kept.access_token == "canary-new");
    assert_eq!(browser.google.world().count("POST /token"), 1);
}
