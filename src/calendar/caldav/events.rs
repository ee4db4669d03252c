//! Events on the server: adds them, finds them by UID, changes and removes them.

use super::xml::escaped;
use super::{CalDav, MAX_REPLY};
use crate::calendar::file::name_for;
use crate::calendar::invited::{InvitedEvent, events_of, holds};
use crate::calendar::lines;
use crate::calendar::revise::{News, Revision, only_uid, revise};
use crate::calendar::{CalendarError, short};
use crate::tools::web::{Reply, WebRequest};
use reqwest::header::{HeaderName, IF_MATCH, IF_NONE_MATCH};
use reqwest::{Method, Url};

const KIND: &str = "text/calendar; charset=utf-8; component=VEVENT";
/// How often we read an event again if others change it.
const TRIES: usize = 4;

/// An event as the server stores it.
pub(super) struct Object {
    pub url: Url,
    /// Its ETag when we read it; empty if the server does not say.
    pub version: String,
    pub text: Vec<u8>,
}

impl CalDav {
    /// The URL of an event that we added.
    async fn url_of(&self, uid: &str) -> Result<Url, CalendarError> {
        let mut url = self.collection().await?.url.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().push(&name_for(uid));
        }
        Ok(url)
    }

    pub(super) async fn put(&self, event: &[u8]) -> Result<(), CalendarError> {
        let calendars = lines::read(event)
            .map_err(|error| CalendarError::Permanent(format!("the event is no calendar text: {error}")))?;
        let uid = only_uid(&calendars)
            .map_err(|error| CalendarError::Permanent(format!("the event cannot be put in: {error}")))?;
        let ask = WebRequest::new(Method::PUT, self.url_of(&uid).await?)
            .body(KIND, event.to_vec())
            .header(IF_NONE_MATCH, "*");
        let reply = self.ask(ask).await?;
        let place = self.place();
        match reply.status {
            200..300 => Ok(()),
            412 if self.locate(&uid).await?.is_some() => Ok(()),
            412 => Err(CalendarError::Permanent(format!("another event is in its place at {place}"))),
            // It exists under another name.
            409 if self.locate(&uid).await?.is_some() => Ok(()),
            403 => {
                Err(CalendarError::Permanent(format!("{place} does not let events be put in (status 403)")))
            }
            _ => Err(self.refused(&reply)),
        }
    }

    /// Why a server did not do what we asked.
    fn refused(&self, reply: &Reply) -> CalendarError {
        let place = self.place();
        match reply.status {
            429 => CalendarError::Temporary(format!("{place} asks sayso to wait")),
            500.. => CalendarError::Unknown(format!("{place} failed midway ({})", reply.status)),
            status => CalendarError::Permanent(format!("{place} does not take the event (status {status})")),
        }
    }

    /// Finds an event by its UID: first where we would have put it, then anywhere.
    async fn locate(&self, uid: &str) -> Result<Option<Object>, CalendarError> {
        let url = self.url_of(uid).await?;
        let ask = WebRequest::new(Method::GET, url.clone()).most(MAX_REPLY);
        let reply = self.look(ask).await?;
        match reply.status {
            200 if holds(&self.read(&reply.body)?, uid) => {
                let version = reply.header("etag").unwrap_or_default().to_owned();
                return Ok(Some(Object { url, version, text: reply.body }));
            }
            200 | 404 | 410 => {}
            status => {
                return Err(CalendarError::Temporary(format!("{} fails (status {status})", self.place())));
            }
        }
        let filter = format!(
            "<C:prop-filter name=\"UID\"><C:text-match collation=\"i;octet\">{}</C:text-match></C:prop-filter>",
            escaped(uid)
        );
        for object in self.query(&filter).await? {
            if holds(&self.read(&object.text)?, uid) {
                return Ok(Some(object));
            }
        }
        Ok(None)
    }

    /// The server's events for a UID.
    pub(super) async fn of_uid(&self, uid: &str) -> Result<Vec<InvitedEvent>, CalendarError> {
        let Some(object) = self.locate(uid).await? else { return Ok(Vec::new()) };
        let calendars = self.read(&object.text)?;
        events_of(&calendars, uid, &self.person).map_err(|error| self.broken("", uid, &error))
    }

    /// Changes or removes an event in the version we read; if it has changed since, reads it again.
    pub(super) async fn make_revision(
        &self,
        event: &[u8],
        sender: &str,
        revision: Revision,
    ) -> Result<(), CalendarError> {
        let news = News::read(event, sender, revision, &self.person)?;
        for _ in 0..TRIES {
            let Some(object) = self.locate(&news.uid).await? else { return news.applies(&[]).map(drop) };
            let calendars = self.read(&object.text)?;
            let Some(revised) = revise(&object.text, &calendars, &news, &self.person)? else { return Ok(()) };
            if object.version.is_empty() {
                let text = format!("{} does not say which version of an event it has (ETag)", self.place());
                return Err(CalendarError::Permanent(text));
            }
            let url = self.same_server(object.url)?;
            let home = &self.collection().await?.url;
            if url.path().trim_end_matches('/') == home.path().trim_end_matches('/') {
                return Err(CalendarError::Permanent(format!(
                    "{} does not say where the event is",
                    self.place()
                )));
            }
            let ask = if revised.is_empty {
                // The server must not write to anybody itself.
                WebRequest::new(Method::DELETE, url).header(HeaderName::from_static("schedule-reply"), "F")
            } else {
                WebRequest::new(Method::PUT, url).body(KIND, revised.bytes)
            };
            let reply = self.ask(ask.header(IF_MATCH, &object.version)).await?;
            match reply.status {
                200..300 => return Ok(()),
                // Somebody else was faster.
                404 | 410 | 412 => {}
                403 => {
                    let text = format!("{} does not let events be changed (status 403)", self.place());
                    return Err(CalendarError::Permanent(text));
                }
                _ => return Err(self.refused(&reply)),
            }
        }
        Err(CalendarError::Temporary(format!(
            "another program keeps changing the event {} at {}; try again later",
            short(&news.uid),
            self.place()
        )))
    }
}
