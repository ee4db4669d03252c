//! `[google]`: the OAuth client that sayso uses at Google, and Google's addresses.

use std::path::{Path, PathBuf};

use super::error::Error;
use super::keys::{default, example};
use super::reader::{FromSection as _, Reader, section};
use super::secret::Secret;
use super::url::unsafe_url;

section! {
    /// Google, for mail servers with login = "google" and calendars of kind google. Both need an OAuth client of your
    /// own and `sayso auth google`; its --help says how to get one.
    pub(super) struct GoogleSection in one("google") {
        client_id: Option<String> =
            example("123456-abc.apps.googleusercontent.com").or("none; a login at Google needs one"),
        /// Where the client's secret is kept; set one of the three.
        client_secret_env: Option<String> = example("GOOGLE_CLIENT_SECRET"),
        client_secret_command: Option<String> = example("pass show google/sayso"),
        client_secret_file: Option<String> = example("~/.secrets/google"),
        /// Google's addresses. Change them only for tests or for a gateway of your own; they have to begin with
        /// https://, unless they are on this machine.
        auth_url: String = default("https://accounts.google.com/o/oauth2/v2/auth"),
        token_url: String = default("https://oauth2.googleapis.com/token"),
        calendar_url: String = default("https://www.googleapis.com/calendar/v3"),
    }
}

/// A login at Google: an account, and everything needed to use it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Google {
    /// The login's name: that of the `[[mail]]` it belongs to.
    pub account: String,
    /// The id of the OAuth client.
    pub client_id: String,
    /// Where the client's secret is kept, if it has one. Google calls it secret, and gives it to every desktop program.
    pub client_secret: Option<Secret>,
    /// Where the user is asked to consent.
    pub auth_url: String,
    /// Where tokens come from.
    pub token_url: String,
    /// Google Calendar's base URL, without a trailing slash.
    pub calendar_url: String,
    /// The file its tokens are kept in.
    pub tokens: PathBuf,
}

/// The section, before an account is chosen.
pub(super) struct GoogleApp<'a> {
    reader: Reader<'a>,
    keys: GoogleSection,
    client_secret: Option<Secret>,
    folder: PathBuf,
}

impl<'a> GoogleApp<'a> {
    pub(super) fn read(reader: Reader<'a>, data: &Path) -> Result<Self, Error> {
        let keys = GoogleSection::read(&reader)?;
        let urls = [
            ("auth_url", &keys.auth_url),
            ("token_url", &keys.token_url),
            ("calendar_url", &keys.calendar_url),
        ];
        for (key, url) in urls {
            if let Some(why) = unsafe_url(url) {
                return Err(reader.bad(key, why));
            }
        }
        let secret_sources = [&keys.client_secret_env, &keys.client_secret_command, &keys.client_secret_file];
        let client_secret = reader.secret("client_secret", secret_sources)?;
        Ok(Self { reader, keys, client_secret, folder: data.join("google") })
    }

    /// The login for an account. If the client id is missing, the error says how to get one.
    pub(super) fn login(&self, account: &str) -> Result<Google, Error> {
        let keys = &self.keys;
        let client_id = keys.client_id.clone().filter(|id| !id.trim().is_empty()).ok_or_else(|| {
            let hint =
                "write the id of an OAuth client of your own; `sayso auth google --help` says how to get one";
            self.reader.missing("client_id", hint)
        })?;
        Ok(Google {
            account: account.to_owned(),
            client_id,
            client_secret: self.client_secret.clone(),
            auth_url: keys.auth_url.clone(),
            token_url: keys.token_url.clone(),
            calendar_url: keys.calendar_url.trim_end_matches('/').to_owned(),
            tokens: self.folder.join(format!("{account}.json")),
        })
    }
}
