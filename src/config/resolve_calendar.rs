//! From what was typed of a calendar to what is meant.

use super::error::Error;
use super::google::{GoogleApp, unsafe_url};
use super::mail::{CalDavServer, Calendar, Mail, MailSource};
use super::raw_mail::{self as raw, CalendarKind};
use super::resolve::Meaning;
use super::settings::User;

impl Meaning<'_> {
    /// The calendar; `None` where nothing is said of one.
    pub(super) fn calendar(
        &self,
        calendar: raw::Calendar,
        user: &User,
        accounts: &[Mail],
        google: &GoogleApp,
    ) -> Result<Option<Calendar>, Error> {
        let server = [
            ("url", calendar.url.is_some()),
            ("user", calendar.user.is_some()),
            ("password_env", calendar.password_env.is_some()),
            ("password_command", calendar.password_command.is_some()),
            ("password_file", calendar.password_file.is_some()),
            ("ca_file", calendar.ca_file.is_some()),
        ];
        let (path, account) = (("path", calendar.path.is_some()), ("account", calendar.account.is_some()));
        let named = ("calendar", calendar.calendar.is_some());
        let (kind, superfluous): (_, Vec<(&str, bool)>) = match calendar.kind {
            CalendarKind::Ics => ("ics", server.into_iter().chain([account, named]).collect()),
            CalendarKind::Google => ("google", server.into_iter().chain([path]).collect()),
            CalendarKind::Caldav => ("caldav", vec![path, account]),
        };
        if let Some((key, _)) = superfluous.into_iter().find(|(_, is_written)| *is_written) {
            return Err(self.bad(
                "calendar",
                "",
                key,
                format!("means nothing for kind {kind:?}; leave it out"),
            ));
        }
        match calendar.kind {
            CalendarKind::Ics => Ok(calendar.path.map(|path| Calendar::Ics { path: self.path(&path) })),
            CalendarKind::Google => {
                let first = || {
                    let gmail = |mail: &&Mail| matches!(mail.source, MailSource::Gmail { .. });
                    accounts.iter().find(gmail).map(|mail| mail.name.clone())
                };
                let account = calendar.account.or_else(first).unwrap_or_else(|| "google".to_owned());
                let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '@' | '+');
                if account.is_empty() || account.starts_with('.') || !account.chars().all(is_plain) {
                    let why = "must be the name of an account, one short word";
                    return Err(self.bad("calendar", "", "account", why));
                }
                let google = self.google_login(google, &account)?;
                let calendar = calendar.calendar.unwrap_or_else(|| "primary".to_owned());
                Ok(Some(Calendar::Google { google, calendar }))
            }
            CalendarKind::Caldav => {
                let hint = "write the server's address, such as https://dav.example.org/";
                let url = calendar.url.ok_or_else(|| self.missing("calendar", "", "url", hint))?;
                if let Some(why) = unsafe_url(&url) {
                    return Err(self.bad("calendar", "", "url", why));
                }
                let keys = ["password_env", "password_command", "password_file"];
                let written = [&calendar.password_env, &calendar.password_command, &calendar.password_file];
                let password = self.secret("calendar", "", keys, written)?;
                let hint = "say where the password is kept, here or with password_env or password_file";
                let password =
                    password.ok_or_else(|| self.missing("calendar", "", "password_command", hint))?;
                let person = (!user.address.is_empty()).then(|| user.address.clone());
                let name = calendar.user.or(person);
                let name =
                    name.ok_or_else(|| self.missing("calendar", "", "user", "write as whom to log in"))?;
                if name.contains(|c: char| c.is_control() || c == ':') {
                    return Err(self.bad("calendar", "", "user", "must be a plain name without a colon"));
                }
                Ok(Some(Calendar::CalDav {
                    server: CalDavServer {
                        url,
                        user: name,
                        password,
                        calendar: calendar.calendar,
                        ca_file: calendar.ca_file.map(|path| self.path(&path)),
                    },
                }))
            }
        }
    }
}
