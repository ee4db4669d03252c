//! `[calendar]`: where the user's calendar is.

use std::path::PathBuf;

use super::error::Error;
use super::google::{Google, GoogleApp};
use super::keys::{default, example};
use super::mail::{Mail, MailSource, is_account_name};
use super::mail_server::MailLogin;
use super::reader::{Choice as _, FromSection as _, Reader, choice, section};
use super::secret::Secret;
use super::url::unsafe_url;
use super::user::User;

section! {
    /// Your calendar.
    pub(super) struct CalendarSection in one("calendar") {
        /// ics (an iCalendar file, or a folder of them) | google | caldav
        kind: CalendarKind = default("ics"),
        path: Option<String> = example("~/calendar.ics").or("there is no calendar"),
        /// google and caldav: which calendar; not needed for Google's primary one, or if the server has only one.
        calendar: Option<String> = example("Work").or("primary at Google, the only one on a server"),
        /// google: which account of `[[mail]]` logs in (after `sayso auth google --account NAME`).
        account: Option<String> = example("ada").or("the first with login = \"google\""),
        /// caldav: the server, the login, and where the password is kept; set one of the three. ca_file is for a server
        /// of your own.
        url: Option<String> = example("https://dav.example.org/").or("none; caldav needs one"),
        user: Option<String> = example("ada").or("user.address"),
        password_env: Option<String> = example("DAV_PASSWORD"),
        password_command: Option<String> = example("pass show dav"),
        password_file: Option<String> = example("~/.secrets/dav"),
        ca_file: Option<String> = example("~/ca.pem").or("the machine's certificates"),
    }
}

choice! {
    pub(super) enum CalendarKind {
        Ics = "ics",
        Google = "google",
        Caldav = "caldav",
    }
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

impl Calendar {
    /// The secret it takes to reach it, if any.
    pub(super) fn secret(&self) -> Option<&Secret> {
        match self {
            Self::Ics { .. } => None,
            Self::Google { google, .. } => google.client_secret.as_ref(),
            Self::CalDav { server } => Some(&server.password),
        }
    }
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

/// The keys that only CalDAV uses.
const SERVER: [&str; 6] = ["url", "user", "password_env", "password_command", "password_file", "ca_file"];

impl Calendar {
    /// The calendar; `None` if none is configured.
    pub(super) fn read(
        reader: &Reader<'_>,
        user: &User,
        accounts: &[Mail],
        google: &GoogleApp<'_>,
    ) -> Result<Option<Self>, Error> {
        let keys = CalendarSection::read(reader)?;
        let (for_server, others): (&[&str], &[&str]) = match keys.kind {
            CalendarKind::Ics => (&SERVER, &["account", "calendar"]),
            CalendarKind::Google => (&SERVER, &["path"]),
            CalendarKind::Caldav => (&[], &["path", "account"]),
        };
        if let Some(key) = for_server.iter().chain(others).find(|key| reader.has(key)) {
            let kind = keys.kind.word();
            return Err(reader.bad(key, format!("means nothing for kind {kind:?}; leave it out")));
        }
        match keys.kind {
            CalendarKind::Ics => Ok(keys.path.map(|path| Self::Ics { path: reader.path(&path) })),
            CalendarKind::Google => {
                let first = || {
                    let logs_in = |mail: &&Mail| match &mail.source {
                        MailSource::Imap { server, .. } => matches!(server.login, MailLogin::Google(_)),
                        MailSource::Maildir { .. } => false,
                    };
                    accounts.iter().find(logs_in).map(|mail| mail.name.clone())
                };
                let account = keys.account.or_else(first).unwrap_or_else(|| "google".to_owned());
                if !is_account_name(&account) || account.starts_with('.') {
                    return Err(reader.bad("account", "must be the name of an account, one short word"));
                }
                let google = google.login(&account)?;
                let calendar = keys.calendar.unwrap_or_else(|| "primary".to_owned());
                Ok(Some(Self::Google { google, calendar }))
            }
            CalendarKind::Caldav => Ok(Some(Self::CalDav { server: keys.server(reader, user)? })),
        }
    }
}

impl CalendarSection {
    fn server(self, reader: &Reader<'_>, user: &User) -> Result<CalDavServer, Error> {
        let hint = "write the server's address, such as https://dav.example.org/";
        let url = self.url.ok_or_else(|| reader.missing("url", hint))?;
        if let Some(why) = unsafe_url(&url) {
            return Err(reader.bad("url", why));
        }
        let password_sources = [&self.password_env, &self.password_command, &self.password_file];
        let hint = "say where the password is kept, here or with password_env or password_file";
        let password = reader.secret("password", password_sources)?;
        let password = password.ok_or_else(|| reader.missing("password_command", hint))?;
        let user_address = (!user.address.is_empty()).then(|| user.address.clone());
        let name =
            self.user.or(user_address).ok_or_else(|| reader.missing("user", "write as whom to log in"))?;
        if name.contains(|c: char| c.is_control() || c == ':') {
            return Err(reader.bad("user", "must be a plain name without a colon"));
        }
        let ca_file = self.ca_file.map(|path| reader.path(&path));
        Ok(CalDavServer { url, user: name, password, calendar: self.calendar, ca_file })
    }
}
