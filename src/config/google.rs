//! `[google]`: as which program sayso comes to Google, and where Google is.

use super::error::Error;
use super::raw;
use super::resolve::{Meaning, wrong_with_url};
use super::secret::Secret;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

/// A login at Google: one of its accounts, and everything it takes to use it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Google {
    /// What the login is called: the name of the `[[mail]]` it belongs to.
    pub account: String,
    /// As which program sayso comes.
    pub client_id: String,
    /// Where the program's secret is kept, if it has one. Google calls it secret, and gives it to every desktop program.
    pub client_secret: Option<Secret>,
    /// Where the person is asked.
    pub auth_url: String,
    /// Where tokens come from.
    pub token_url: String,
    /// Where Gmail is, without a slash at its end.
    pub gmail_url: String,
    /// Where Google Calendar is, without a slash at its end.
    pub calendar_url: String,
    /// The file its tokens are kept in.
    pub tokens: PathBuf,
}

/// The section, before an account is named.
pub(super) struct GoogleApp {
    client_id: Option<String>,
    client_secret: Option<Secret>,
    auth_url: String,
    token_url: String,
    gmail_url: String,
    calendar_url: String,
    folder: PathBuf,
}

impl GoogleApp {
    /// The login of an account; `None` where nobody said as which program to come.
    pub(super) fn login(&self, account: &str) -> Option<Google> {
        Some(Google {
            account: account.to_owned(),
            client_id: self.client_id.clone()?,
            client_secret: self.client_secret.clone(),
            auth_url: self.auth_url.clone(),
            token_url: self.token_url.clone(),
            gmail_url: self.gmail_url.clone(),
            calendar_url: self.calendar_url.clone(),
            tokens: self.folder.join(format!("{account}.json")),
        })
    }
}

impl Meaning<'_> {
    pub(super) fn google(&self, google: raw::Google, data: &Path) -> Result<GoogleApp, Error> {
        let urls = [
            ("auth_url", &google.auth_url),
            ("token_url", &google.token_url),
            ("gmail_url", &google.gmail_url),
            ("calendar_url", &google.calendar_url),
        ];
        for (key, url) in urls {
            if let Some(why) = unsafe_url(url) {
                return Err(self.bad("google", "", key, why));
            }
        }
        let keys = ["client_secret_env", "client_secret_command", "client_secret_file"];
        let written = [&google.client_secret_env, &google.client_secret_command, &google.client_secret_file];
        let base = |url: String| url.trim_end_matches('/').to_owned();
        Ok(GoogleApp {
            client_id: google.client_id.filter(|id| !id.trim().is_empty()),
            client_secret: self.secret("google", "", keys, written)?,
            auth_url: google.auth_url,
            token_url: google.token_url,
            gmail_url: base(google.gmail_url),
            calendar_url: base(google.calendar_url),
            folder: data.join("google"),
        })
    }

    /// The login an account needs; an error says how to get there.
    pub(super) fn google_login(&self, app: &GoogleApp, account: &str) -> Result<Google, Error> {
        app.login(account).ok_or_else(|| {
            let hint =
                "write the id of an OAuth client of your own; `sayso auth gmail --help` says how to get one";
            self.missing("google", "", "client_id", hint)
        })
    }
}

/// Why secrets must not go to an address: in the clear they go to this machine alone.
pub(super) fn unsafe_url(url: &str) -> Option<&'static str> {
    if let Some(why) = wrong_with_url(url) {
        return Some(why);
    }
    let rest = url.strip_prefix("http://")?;
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = match host.strip_prefix('[') {
        Some(six) => six.split(']').next().unwrap_or_default(),
        None => host.rsplit_once(':').map_or(host, |(host, _)| host),
    };
    let here = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    (!here)
        .then_some("must begin with https://, for secrets go there; only this machine is reached by http://")
}

#[cfg(test)]
mod tests {
    use super::unsafe_url;

    #[test]
    fn secrets_leave_this_machine_encrypted() {
        for fine in ["https://a.example/x", "http://127.0.0.1:8080", "http://[::1]:80/x", "http://localhost/"]
        {
            assert_eq!(unsafe_url(fine), None, "{fine}");
        }
        for odd in ["http://a.example", "http://10.0.0.1/", "http://127.0.0.1.evil.example/", "ftp://x", "x"]
        {
            assert!(unsafe_url(odd).is_some(), "{odd}");
        }
    }
}
