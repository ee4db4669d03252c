//! `[google]`: the OAuth client that sayso uses at Google, and Google's addresses.

use std::path::{Path, PathBuf};

use super::document::Section;
use super::error::Error;
use super::secret::Secret;
use super::url::SafeUrl;
use super::values::section;

section! {
    pub(super) struct GoogleSection {
        client_id: Option<String>,
        #[serde(rename = "client_secret_*")]
        client_secret: Option<Secret>,
        auth_url: SafeUrl = SafeUrl("https://accounts.google.com/o/oauth2/v2/auth".to_owned()),
        token_url: SafeUrl = SafeUrl("https://oauth2.googleapis.com/token".to_owned()),
        calendar_url: SafeUrl = SafeUrl("https://www.googleapis.com/calendar/v3".to_owned()),
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
    section: Section<'a>,
    client_id: Option<String>,
    /// A login without an account and an id.
    login: Google,
    folder: PathBuf,
}

impl GoogleSection {
    pub(super) fn resolve<'a>(self, section: Section<'a>, data: &Path) -> GoogleApp<'a> {
        let login = Google {
            account: String::new(),
            client_id: String::new(),
            client_secret: self.client_secret,
            auth_url: self.auth_url.0,
            token_url: self.token_url.0,
            calendar_url: self.calendar_url.0.trim_end_matches('/').to_owned(),
            tokens: PathBuf::new(),
        };
        let client_id = self.client_id.filter(|id| !id.trim().is_empty());
        GoogleApp { section, client_id, login, folder: data.join("google") }
    }
}

impl GoogleApp<'_> {
    /// The login for an account. If the client id is missing, the error says how to get one.
    pub(super) fn login(&self, account: &str) -> Result<Google, Error> {
        let hint =
            "write the id of an OAuth client of your own; `sayso auth google --help` says how to get one";
        let client_id = self.client_id.clone().ok_or_else(|| self.section.missing("client_id", hint))?;
        let tokens = self.folder.join(format!("{account}.json"));
        Ok(Google { account: account.to_owned(), client_id, tokens, ..self.login.clone() })
    }
}
