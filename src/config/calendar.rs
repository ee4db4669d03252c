//! `[calendar]`: where the user's calendar is.

use std::path::PathBuf;

use serde::Deserialize;
use strum::IntoStaticStr;

use super::document::Section;
use super::error::Error;
use super::google::{Google, GoogleApp};
use super::mail::{Mail, MailSource, is_account_name};
use super::mail_server::MailLogin;
use super::secret::Secret;
use super::url::SafeUrl;
use super::user::User;
use super::values::section;

section! {
    pub(super) struct CalendarSection {
        kind: CalendarKind,
        path: Option<String>,
        calendar: Option<String>,
        account: Option<String>,
        #[serde(rename = "")]
        server: DavKeys,
    }
}

section! {
    /// The keys that only CalDAV uses.
    struct DavKeys {
        url: Option<SafeUrl>,
        user: Option<String>,
        #[serde(rename = "password_*")]
        password: Option<Secret>,
        ca_file: Option<String>,
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, IntoStaticStr)]
#[serde(rename_all = "lowercase", expecting = "a string")]
#[strum(serialize_all = "lowercase")]
enum CalendarKind {
    #[default]
    Ics,
    Google,
    Caldav,
}

/// Where the user's calendar is, from `[calendar]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Calendar {
    /// An iCalendar file, or a folder of them.
    Ics {
        /// The file or folder.
        path: PathBuf,
    },
    /// Google Calendar.
    Google {
        /// The login.
        google: Google,
        /// Which of the account's calendars, by Google's id.
        calendar: String,
    },
    /// A calendar on a CalDAV server.
    CalDav {
        /// The server and the login for it.
        server: CalDavServer,
    },
}

/// A CalDAV server and the login for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalDavServer {
    /// Any of its addresses: the server's root, the user's, or the calendar's.
    pub url: String,
    /// The login name.
    pub user: String,
    /// Where the password is kept.
    pub password: Secret,
    /// Which calendar, by its name or the last part of its address; the only one if not set.
    pub calendar: Option<String>,
    /// Certificates to trust instead of the machine's, in PEM.
    pub ca_file: Option<PathBuf>,
}

impl CalendarSection {
    /// The calendar; `None` if none is configured.
    pub(super) fn resolve(
        self,
        section: &Section<'_>,
        user: &User,
        accounts: &[Mail],
        google: &GoogleApp<'_>,
    ) -> Result<Option<Calendar>, Error> {
        let (for_server, others): (&[&str], &[&str]) = match self.kind {
            CalendarKind::Ics => (DavKeys::KEYS, &["account", "calendar"]),
            CalendarKind::Google => (DavKeys::KEYS, &["path"]),
            CalendarKind::Caldav => (&[], &["path", "account"]),
        };
        section.refuse(self.kind.into(), for_server.iter().chain(others))?;
        match self.kind {
            CalendarKind::Ics => Ok(self.path.map(|path| Calendar::Ics { path: section.path(&path) })),
            CalendarKind::Google => {
                let first = || {
                    let logs_in = |mail: &&Mail| match &mail.source {
                        MailSource::Imap { server, .. } => matches!(server.login, MailLogin::Google(_)),
                        MailSource::Maildir { .. } => false,
                    };
                    accounts.iter().find(logs_in).map(|mail| mail.name.clone())
                };
                let account = self.account.or_else(first).unwrap_or_else(|| "google".to_owned());
                if !is_account_name(&account) || account.starts_with('.') {
                    return Err(section.bad("account", "must be the name of an account, one short word"));
                }
                let google = google.login(&account)?;
                let calendar = self.calendar.unwrap_or_else(|| "primary".to_owned());
                Ok(Some(Calendar::Google { google, calendar }))
            }
            CalendarKind::Caldav => {
                Ok(Some(Calendar::CalDav { server: self.server.resolve(section, user, self.calendar)? }))
            }
        }
    }
}

impl DavKeys {
    fn resolve(
        self,
        section: &Section<'_>,
        user: &User,
        calendar: Option<String>,
    ) -> Result<CalDavServer, Error> {
        let hint = "write the server's address, such as https://dav.example.org/";
        let SafeUrl(url) = self.url.ok_or_else(|| section.missing("url", hint))?;
        let hint = "say where the password is kept, here or with password_env or password_file";
        let password = self.password.ok_or_else(|| section.missing("password_command", hint))?;
        let user_address = (!user.address.is_empty()).then(|| user.address.clone());
        let name =
            self.user.or(user_address).ok_or_else(|| section.missing("user", "write as whom to log in"))?;
        if name.contains(|c: char| c.is_control() || c == ':') {
            return Err(section.bad("user", "must be a plain name without a colon"));
        }
        let ca_file = self.ca_file.map(|path| section.path(&path));
        Ok(CalDavServer { url, user: name, password, calendar, ca_file })
    }
}
