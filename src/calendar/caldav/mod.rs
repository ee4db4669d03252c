//! CalDAV (RFC 4791): a calendar on the person's server, shared with other programs.
//!
//! Promises: the calendar is found from any address of the server (the calendar's, the person's, the server's root).
//! The same code as for files follows recurrences and zones, so the server need not. An event is added only where
//! nothing exists yet, is found again by its UID wherever it is, and is changed or removed only in the version we read.
//! The password goes only to the configured server, encrypted unless that is this machine. Unreadable data is an error,
//! never free time.

mod discover;
mod events;
mod xml;

use super::busy::{Window, busy_times};
use super::entry::entries_of;
use super::lines::{self, Component};
use super::write::utc;
use super::{BoxFuture, Busy, Calendar, CalendarError, InvitedEvent, Revision};
use crate::config::CalDavServer;
use crate::text::read_error_text;
use crate::tools::web::{Reply, WebClient, WebError, WebRequest, WebTimeouts, safe_excerpt, secret};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use discover::Collection;
use events::Object;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use reqwest::header::{AUTHORIZATION, HeaderName};
use reqwest::{Method, Url};
use secrecy::ExposeSecret;
use tokio::sync::OnceCell;
use xml::{CALDAV, DAV, Node};

/// The maximum size of a response.
const MAX_REPLY: usize = 64 << 20;

pub struct CalDav {
    server: CalDavServer,
    person: TimeZone,
    wait: WebTimeouts,
    name: String,
    web: OnceCell<WebClient>,
    collection: OnceCell<Collection>,
}

impl CalDav {
    /// The calendar from a config. Makes no request yet.
    pub fn new(server: &CalDavServer, person: TimeZone) -> Self {
        Self::with_timeouts(server, person, WebTimeouts::default())
    }

    /// Like `new`, with other timeouts.
    pub fn with_timeouts(server: &CalDavServer, person: TimeZone, wait: WebTimeouts) -> Self {
        let name = server.calendar.clone().unwrap_or_else(|| "calendar".to_owned());
        let (web, collection) = (OnceCell::new(), OnceCell::new());
        Self { server: server.clone(), person, wait, name, web, collection }
    }

    async fn web(&self) -> Result<&WebClient, CalendarError> {
        let make = async || {
            let url =
                Url::parse(&self.server.url).map_err(|_| "url in [calendar] is no address".to_owned())?;
            let ca = match &self.server.ca_file {
                Some(path) => {
                    let read = tokio::fs::read(path).await;
                    Some(read.map_err(|error| {
                        format!("ca_file {} cannot be read: {}", path.display(), read_error_text(&error))
                    })?)
                }
                None => None,
            };
            WebClient::new(&url, ca.as_deref(), self.wait)
        };
        self.web.get_or_try_init(make).await.map_err(CalendarError::Permanent)
    }

    /// Makes a request with the password.
    async fn ask(&self, ask: WebRequest) -> Result<Reply, CalendarError> {
        let web = self.web().await?;
        let user = &self.server.user;
        let whose = format!("the password of {} at {}", safe_excerpt(user), web.place());
        let password = secret(&self.server.password, &whose).await.map_err(CalendarError::Permanent)?;
        let shown = BASE64_STANDARD.encode(format!("{user}:{}", password.expose_secret()));
        let reply = web.ask(&ask.header(AUTHORIZATION, &format!("Basic {shown}"))).await;
        let reply = reply.map_err(|error| match error {
            WebError::NotSent(text) => CalendarError::Temporary(text),
            WebError::MaybeSent(text) => CalendarError::Unknown(text),
        })?;
        if reply.status == 401 {
            return Err(CalendarError::Permanent(format!(
                "{} refused the password of {}; check user and password (some servers want an app password)",
                web.place(),
                safe_excerpt(user)
            )));
        }
        Ok(reply)
    }

    /// Makes a request that changes nothing, so an unknown outcome is harmless.
    async fn look(&self, ask: WebRequest) -> Result<Reply, CalendarError> {
        self.ask(ask).await.map_err(|error| match error {
            CalendarError::Unknown(text) => CalendarError::Temporary(text),
            other => other,
        })
    }

    async fn collection(&self) -> Result<&Collection, CalendarError> {
        self.collection.get_or_try_init(|| self.discover()).await
    }

    /// Asks the server about several resources at once.
    async fn multistatus(
        &self,
        method: &[u8],
        url: &Url,
        depth: &str,
        body: String,
    ) -> Result<Multistatus, CalendarError> {
        let method = Method::from_bytes(method).unwrap_or_default();
        let ask =
            WebRequest::new(method, url.clone()).body("application/xml; charset=utf-8", body.into_bytes());
        let ask = ask.header(HeaderName::from_static("depth"), depth).most(MAX_REPLY);
        let reply = self.look(ask).await?;
        let place = self.web().await?.place();
        match reply.status {
            207 if !reply.is_complete => Err(CalendarError::Permanent(format!(
                "the calendar at {place} has more than {} MiB for one look; name a smaller one",
                MAX_REPLY >> 20
            ))),
            207 => {
                match xml::read(&reply.body)
                    .filter(|node| node.namespace == DAV && node.name == "multistatus")
                {
                    Some(node) => Ok(Multistatus::Properties(node)),
                    None => Err(CalendarError::Temporary(format!("{place} does not answer with CalDAV"))),
                }
            }
            301 | 302 | 303 | 307 | 308 => {
                Ok(Multistatus::Elsewhere(reply.header("location").unwrap_or_default().to_owned()))
            }
            // The server hides what is not the person's as if it did not exist.
            403 | 404 | 405 | 410 | 501 => Ok(Multistatus::Nothing),
            429 | 500.. => Err(CalendarError::Temporary(format!("{place} fails (status {})", reply.status))),
            status => Err(CalendarError::Permanent(format!("{place} refused (status {status})"))),
        }
    }

    /// The events that match a filter.
    async fn query(&self, filter: &str) -> Result<Vec<Object>, CalendarError> {
        let url = self.collection().await?.url.clone();
        let body = format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<C:calendar-query xmlns:D=\"{DAV}\" xmlns:C=\"{CALDAV}\">\
             <D:prop><D:getetag/><C:calendar-data/></D:prop><C:filter><C:comp-filter name=\"VCALENDAR\">\
             <C:comp-filter name=\"VEVENT\">{filter}</C:comp-filter></C:comp-filter></C:filter></C:calendar-query>"
        );
        let place = self.web().await?.place();
        let responses = match self.multistatus(b"REPORT", &url, "1", body).await? {
            Multistatus::Properties(node) => node,
            Multistatus::Elsewhere(_) | Multistatus::Nothing => {
                let text = format!("the calendar at {place} is not there any more; check [calendar]");
                return Err(CalendarError::Permanent(text));
            }
        };
        let mut objects = Vec::new();
        for response in responses.all(DAV, "response") {
            let data = properties(response).find_map(|props| props.get(CALDAV, "calendar-data"));
            match data {
                Some(data) => {
                    let href = response.get(DAV, "href").map_or("", |href| href.text.trim());
                    let version = properties(response).find_map(|props| props.get(DAV, "getetag"));
                    objects.push(Object {
                        url: url.join(href).unwrap_or_else(|_| url.clone()),
                        version: version.map(|version| version.text.trim().to_owned()).unwrap_or_default(),
                        text: data.text.clone().into_bytes(),
                    });
                }
                // It was deleted during the query.
                None if response.get(DAV, "status").is_some_and(|status| status.text.contains(" 404")) => {}
                // Skipping it would invent free time.
                None => {
                    let text = format!("{place} names an event and does not show it; try again");
                    return Err(CalendarError::Temporary(text));
                }
            }
        }
        Ok(objects)
    }

    async fn times(&self, from: Timestamp, until: Timestamp) -> Result<Vec<Busy>, CalendarError> {
        // Times without a zone are the person's, and the server does not know that zone.
        let day = jiff::SignedDuration::from_hours(24);
        let wider = (from.saturating_sub(day).unwrap_or(from), until.saturating_add(day).unwrap_or(until));
        let filter = format!("<C:time-range start=\"{}\" end=\"{}\"/>", utc(wider.0), utc(wider.1));
        let mut entries = Vec::new();
        for object in self.query(&filter).await? {
            let calendars = self.read(&object.text)?;
            let read = entries_of(&calendars, &self.person);
            entries.extend(read.map_err(|(title, uid, error)| self.broken(&title, &uid, &error))?);
        }
        busy_times(&entries, &Window { from, until, person: &self.person })
            .map_err(|(entry, error)| self.broken(&entry.title, &entry.uid, &error))
    }

    fn read(&self, text: &[u8]) -> Result<Vec<Component>, CalendarError> {
        lines::read(text).map_err(|error| {
            CalendarError::Permanent(format!("an event of {} is damaged: {error}", self.place()))
        })
    }

    fn place(&self) -> String {
        self.web.get().map_or_else(String::new, |web| web.place().to_owned())
    }

    fn broken(&self, title: &str, uid: &str, error: &dyn std::fmt::Display) -> CalendarError {
        super::broken(&format!("at {}", self.place()), title, uid, error)
    }
}

/// The result of a request about several resources.
enum Multistatus {
    Properties(Node),
    /// A redirect; the location as the server wrote it.
    Elsewhere(String),
    Nothing,
}

/// The properties that a response actually has.
fn properties(response: &Node) -> impl Iterator<Item = &Node> {
    let is_there = |stat: &&Node| stat.get(DAV, "status").is_none_or(|status| status.text.contains(" 200"));
    response.all(DAV, "propstat").filter(is_there).filter_map(|stat| stat.get(DAV, "prop"))
}

impl Calendar for CalDav {
    fn name(&self) -> &str {
        &self.name
    }

    fn busy(&self, from: Timestamp, until: Timestamp) -> BoxFuture<'_, Result<Vec<Busy>, CalendarError>> {
        Box::pin(self.times(from, until))
    }

    fn add<'a>(&'a self, event: &'a [u8]) -> BoxFuture<'a, Result<(), CalendarError>> {
        Box::pin(self.put(event))
    }

    fn events_of<'a>(&'a self, uid: &'a str) -> BoxFuture<'a, Result<Vec<InvitedEvent>, CalendarError>> {
        Box::pin(self.of_uid(uid))
    }

    fn revise<'a>(
        &'a self,
        event: &'a [u8],
        sender: &'a str,
        revision: Revision,
    ) -> BoxFuture<'a, Result<(), CalendarError>> {
        Box::pin(self.make_revision(event, sender, revision))
    }

    fn check(&self) -> BoxFuture<'_, Result<String, CalendarError>> {
        Box::pin(async move {
            let collection = self.collection().await?;
            let (name, place) = (safe_excerpt(&collection.name), self.place());
            if collection.writable {
                Ok(format!("{name} at {place} can be read and written"))
            } else {
                Err(CalendarError::Permanent(format!("{name} at {place} can be read, but not written")))
            }
        })
    }
}
