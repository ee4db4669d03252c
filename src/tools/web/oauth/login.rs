//! Logging in: the URL to open, the answer, and its exchange for tokens.

use super::LoginError;
use super::listener::{Listener, Redirected};
use super::pkce::{Secrets, challenge};
use super::tokens::{Tokens, log_in};
use crate::config::Google;
use crate::tools::web::{WebClient, WebError, WebRequest, WebTimeouts, safe_excerpt, secret};
use jiff::{SignedDuration, Timestamp};
use reqwest::{Method, Url};
use secrecy::ExposeSecret;
use serde_json::Value;
use std::time::Duration;

/// The longest lifetime of a token we believe, in seconds.
const LONGEST: i64 = 24 * 3600;

/// A login in progress.
pub struct Login {
    login: Google,
    scopes: Vec<String>,
    secrets: Secrets,
    listener: Listener,
    redirect: String,
    address: String,
    wait: WebTimeouts,
}

/// Starts a login: the port is open before anybody learns of it.
pub async fn begin(login: &Google, scopes: &[&str], wait: WebTimeouts) -> Result<Login, LoginError> {
    let secrets = Secrets::new().map_err(LoginError::Temporary)?;
    let listener = Listener::open().await.map_err(|error| {
        LoginError::Temporary(format!("no port on 127.0.0.1 can be opened for the answer: {error}"))
    })?;
    let redirect = listener.redirect();
    let mut url = parsed(&login.auth_url, "auth_url")?;
    url.query_pairs_mut()
        .append_pair("response_type", "code")
        .append_pair("client_id", &login.client_id)
        .append_pair("redirect_uri", &redirect)
        .append_pair("scope", &scopes.join(" "))
        .append_pair("state", &secrets.state)
        .append_pair("code_challenge", &challenge(&secrets.verifier))
        .append_pair("code_challenge_method", "S256")
        // Without these two, a second login gets no refresh token.
        .append_pair("access_type", "offline")
        .append_pair("prompt", "consent");
    let scopes = scopes.iter().map(|scope| (*scope).to_owned()).collect();
    Ok(Login { login: login.clone(), scopes, secrets, listener, redirect, address: url.into(), wait })
}

impl Login {
    /// The URL to open in a browser.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Where the browser brings the answer.
    pub fn redirect(&self) -> &str {
        &self.redirect
    }

    /// Waits for the person, exchanges the answer for tokens, and stores them.
    pub async fn finish(self, patience: Duration) -> Result<Tokens, LoginError> {
        let Self { login, scopes, secrets, listener, redirect, wait, .. } = self;
        let answered = tokio::time::timeout(patience, listener.answer(&secrets)).await;
        let Ok(answered) = answered else {
            let minutes = patience.as_secs().div_ceil(60);
            let text = format!("nobody answered within {minutes} minutes; {} again", log_in(&login));
            return Err(LoginError::LoginRequired(text));
        };
        let callback = answered
            .map_err(|error| LoginError::Temporary(format!("cannot listen for the answer: {error}")))?;
        let exchanged = match &callback.answer {
            Redirected::Code(code) => exchange(&login, &scopes, &secrets, &redirect, code, wait).await,
            Redirected::Refused(why) if why == "access_denied" => Err(LoginError::LoginRequired(format!(
                "access was refused in the browser; {} to try again",
                log_in(&login)
            ))),
            Redirected::Refused(why) => {
                Err(LoginError::Permanent(format!("the login was refused ({})", safe_excerpt(why))))
            }
        };
        match &exchanged {
            Ok(_) => callback.tell("sayso is logged in", "You can close this page.").await,
            Err(error) => callback.tell("sayso is not logged in", &format!("{error}.")).await,
        }
        exchanged
    }
}

async fn exchange(
    login: &Google,
    scopes: &[String],
    secrets: &Secrets,
    redirect: &str,
    code: &str,
    wait: WebTimeouts,
) -> Result<Tokens, LoginError> {
    let form = [
        ("grant_type", "authorization_code"),
        ("code", code),
        ("redirect_uri", redirect),
        ("code_verifier", &secrets.verifier),
    ];
    let granted = match request_tokens(login, wait, &form).await? {
        TokenReply::Tokens(granted) => granted,
        TokenReply::Invalid(why) => {
            let text = format!("Google rejected the answer ({why}); {} again", log_in(login));
            return Err(LoginError::LoginRequired(text));
        }
    };
    let Some(refresh_token) = granted.refresh_token else {
        let text =
            "Google gave no refresh token; take sayso's access away at myaccount.google.com/permissions, and";
        return Err(LoginError::LoginRequired(format!("{text} {} again", log_in(login))));
    };
    // People can leave boxes unticked. A server that does not list the scopes has granted what we asked for.
    let allowed = granted.scopes.unwrap_or_else(|| scopes.to_vec());
    if let Some(missing) = scopes.iter().find(|scope| !allowed.contains(scope)) {
        let text = format!(
            "access to {} was not allowed; {} again and tick every box",
            safe_excerpt(missing),
            log_in(login)
        );
        return Err(LoginError::LoginRequired(text));
    }
    let tokens = Tokens {
        client_id: login.client_id.clone(),
        scopes: allowed,
        refresh_token,
        access_token: granted.access_token,
        expires_at: granted.expires_at,
    };
    tokens.save(login)?;
    Ok(tokens)
}

/// What the token server granted.
pub(super) struct Grant {
    pub access_token: String,
    pub refresh_token: Option<String>,
    pub expires_at: Timestamp,
    pub scopes: Option<Vec<String>>,
}

/// The token server's answer.
pub(super) enum TokenReply {
    Tokens(Grant),
    /// The code or refresh token is no longer valid (`invalid_grant`).
    Invalid(String),
}

/// Asks the token server. No error quotes what we sent or received.
pub(super) async fn request_tokens(
    login: &Google,
    wait: WebTimeouts,
    form: &[(&str, &str)],
) -> Result<TokenReply, LoginError> {
    let url = parsed(&login.token_url, "token_url")?;
    let web = WebClient::new(&url, None, wait).map_err(LoginError::Permanent)?;
    let client_secret = match &login.client_secret {
        Some(client_secret) => {
            let read = secret(client_secret, "the secret of Google's client").await;
            Some(read.map_err(LoginError::Permanent)?)
        }
        None => None,
    };
    let mut body = url.clone();
    body.query_pairs_mut().clear().extend_pairs(form).append_pair("client_id", &login.client_id);
    if let Some(secret) = &client_secret {
        body.query_pairs_mut().append_pair("client_secret", secret.expose_secret());
    }
    let body = body.query().unwrap_or_default().as_bytes().to_vec();
    let ask =
        WebRequest::new(Method::POST, url).body("application/x-www-form-urlencoded", body).most(64 << 10);
    let reply = web.ask(&ask).await.map_err(|error| match error {
        WebError::NotSent(text) | WebError::MaybeSent(text) => LoginError::Temporary(text),
    })?;
    let place = web.place();
    let json: Option<Value> = serde_json::from_slice(&reply.body).ok().filter(Value::is_object);
    if !(200..300).contains(&reply.status) {
        let word = |key: &str| json.as_ref().and_then(|json| json.get(key)?.as_str()).map(safe_excerpt);
        return Err(match (reply.status, word("error").as_deref()) {
            (429 | 500.., _) => LoginError::Temporary(format!("{place} is busy ({})", reply.status)),
            (_, Some("invalid_grant")) => {
                let why = word("error_description").unwrap_or_else(|| "invalid_grant".to_owned());
                return Ok(TokenReply::Invalid(why));
            }
            (_, Some(error)) => LoginError::Permanent(format!(
                "{place} does not take the client ({error}); check client_id and client_secret in [google]"
            )),
            (status, None) => LoginError::Permanent(format!(
                "{place} answers with status {status} where tokens should come from; check token_url in [google]"
            )),
        });
    }
    let odd = || LoginError::Temporary(format!("{place} answered without a token that can be used"));
    let json = json.ok_or_else(odd)?;
    let text =
        |key: &str| json.get(key).and_then(Value::as_str).filter(|text| is_token(text)).map(str::to_owned);
    let seconds = json.get("expires_in").and_then(Value::as_i64).unwrap_or(3600).clamp(0, LONGEST);
    let expires_at = Timestamp::now().saturating_add(SignedDuration::from_secs(seconds));
    let scopes = json.get("scope").and_then(Value::as_str);
    Ok(TokenReply::Tokens(Grant {
        access_token: text("access_token").ok_or_else(odd)?,
        refresh_token: text("refresh_token"),
        expires_at: expires_at.unwrap_or(Timestamp::MAX),
        scopes: scopes.map(|scopes| scopes.split_whitespace().map(str::to_owned).collect()),
    }))
}

/// Whether it can be put into a header.
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.len() <= 16 << 10 && text.bytes().all(|byte| byte.is_ascii_graphic())
}

fn parsed(url: &str, key: &str) -> Result<Url, LoginError> {
    Url::parse(url).map_err(|_| LoginError::Permanent(format!("{key} in [google] is not a URL")))
}
