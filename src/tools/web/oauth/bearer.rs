//! The token that requests show. When it expires, one task renews it for all.

use super::LoginError;
use super::login::{TokenReply, request_tokens};
use super::tokens::{Tokens, lock, log_in};
use crate::config::Google;
use crate::tools::web::WebTimeouts;
use jiff::{SignedDuration, Timestamp};
use std::sync::{Arc, Mutex, PoisonError};

/// A token that expires this soon is renewed before use.
const SPARE: SignedDuration = SignedDuration::from_secs(60);

/// The tokens of a login. Clones share them.
#[derive(Clone)]
pub struct Bearer(Arc<Inner>);

struct Inner {
    login: Google,
    /// What the login has to cover.
    scopes: &'static [&'static str],
    wait: WebTimeouts,
    cache: Mutex<TokenCache>,
    /// Held by the task that renews.
    gate: Arc<tokio::sync::Mutex<()>>,
}

#[derive(Default)]
struct TokenCache {
    tokens: Option<Tokens>,
    /// A refresh token that the server no longer knows: we do not try it again until there is another.
    dead: Option<String>,
}

impl Bearer {
    /// The tokens of a login. Reads nothing yet.
    pub fn new(login: Google, scopes: &'static [&'static str], wait: WebTimeouts) -> Self {
        Self(Arc::new(Inner { login, scopes, wait, cache: Mutex::default(), gate: Arc::default() }))
    }

    /// What to do if the login no longer works.
    pub fn log_in(&self) -> String {
        log_in(&self.0.login)
    }

    /// A token that should be valid.
    pub async fn token(&self) -> Result<String, LoginError> {
        match self.0.current(None) {
            Some(token) => Ok(token),
            None => self.renew(None).await,
        }
    }

    /// A token to replace one that was refused.
    pub async fn instead_of(&self, refused: &str) -> Result<String, LoginError> {
        self.renew(Some(refused.to_owned())).await
    }

    /// Renews the token unless another task has done so meanwhile. Continues even if the caller goes away: receiving a
    /// new refresh token and not storing it would lose the login.
    async fn renew(&self, refused: Option<String>) -> Result<String, LoginError> {
        let gate = self.0.gate.clone().lock_owned().await;
        if let Some(token) = self.0.current(refused.as_deref()) {
            return Ok(token);
        }
        let inner = self.0.clone();
        let renewing = tokio::spawn(async move {
            let renewed = inner.renew(refused.as_deref()).await;
            drop(gate);
            renewed
        });
        let failed = |_| LoginError::Temporary("renewing the token was given up".to_owned());
        renewing.await.map_err(failed)?
    }
}

impl Inner {
    fn cache(&self) -> std::sync::MutexGuard<'_, TokenCache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn current(&self, refused: Option<&str>) -> Option<String> {
        let cache = self.cache();
        cache.tokens.as_ref().filter(|tokens| is_good(tokens, refused)).map(|it| it.access_token.clone())
    }

    async fn renew(&self, refused: Option<&str>) -> Result<String, LoginError> {
        let login = self.login.clone();
        let loaded = tokio::task::spawn_blocking(move || {
            // First check that there is a login at all: only then is there a folder to lock.
            Tokens::load(&login)?;
            let lock = lock(&login).map_err(|error| {
                LoginError::Temporary(format!("the tokens of {} cannot be locked: {error}", login.account))
            })?;
            Ok((Tokens::load(&login)?, lock))
        });
        let given_up = |_| LoginError::Temporary("reading the tokens was given up".to_owned());
        let (mut tokens, _lock) = loaded.await.map_err(given_up)??;
        // Renewing a login does not add to what the person allowed.
        if let Some(missing) = self.scopes.iter().find(|scope| !tokens.scopes.iter().any(|it| it == *scope)) {
            let account = &self.login.account;
            let text = format!("the login of {account} does not cover {missing}; {}", log_in(&self.login));
            return Err(LoginError::LoginRequired(text));
        }
        // Another process may have renewed it.
        if !is_good(&tokens, refused) {
            let dead = self.cache().dead.clone();
            if dead.as_deref() == Some(&tokens.refresh_token) {
                return Err(self.over());
            }
            let form = [("grant_type", "refresh_token"), ("refresh_token", &tokens.refresh_token)];
            let granted = match request_tokens(&self.login, self.wait, &form).await? {
                TokenReply::Tokens(granted) => granted,
                TokenReply::Invalid(_) => {
                    self.cache().dead = Some(tokens.refresh_token.clone());
                    return Err(self.over());
                }
            };
            tokens.access_token = granted.access_token;
            tokens.expires_at = granted.expires_at;
            if let Some(refresh) = granted.refresh_token {
                tokens.refresh_token = refresh;
            }
            let (login, renewed) = (self.login.clone(), tokens.clone());
            let saved = tokio::task::spawn_blocking(move || renewed.save(&login)).await;
            saved.map_err(|_| LoginError::Temporary("keeping the tokens was given up".to_owned()))??;
        }
        let token = tokens.access_token.clone();
        self.cache().tokens = Some(tokens);
        Ok(token)
    }

    fn over(&self) -> LoginError {
        LoginError::LoginRequired(format!(
            "Google does not accept the login of {} any more (it was revoked, or has expired); {}",
            self.login.account,
            log_in(&self.login)
        ))
    }
}

fn is_good(tokens: &Tokens, refused: Option<&str>) -> bool {
    let later = Timestamp::now().saturating_add(SPARE).unwrap_or(Timestamp::MAX);
    !tokens.access_token.is_empty() && refused != Some(&tokens.access_token) && tokens.expires_at > later
}
