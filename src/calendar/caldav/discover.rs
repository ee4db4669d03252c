//! Finding the calendar (RFC 6764, RFC 5397): from the address to the person, to their home, to what is in it.

use super::xml::{CALDAV, DAV, Node};
use super::{CalDav, Multistatus, properties};
use crate::calendar::CalendarError;
use crate::web::said;
use reqwest::Url;

/// How many redirects are followed.
const MOST_REDIRECTS: usize = 5;
/// How many calendars an error names.
const NAMED: usize = 12;

/// A calendar on the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Collection {
    /// Where it is; its path ends with a slash.
    pub url: Url,
    /// What it is called.
    pub name: String,
    /// Whether the server says that it may be written; one that does not say lets it be tried.
    pub writable: bool,
}

const PROPERTIES: &str = "<D:resourcetype/><D:displayname/><D:current-user-principal/><D:current-user-privilege-set/>\
    <C:calendar-home-set/><C:supported-calendar-component-set/>";

impl CalDav {
    pub(super) async fn discover(&self) -> Result<Collection, CalendarError> {
        let place = self.web().await?.place().to_owned();
        let lasting = |text: String| CalendarError::Lasting(text);
        let start = Url::parse(&self.server.url)
            .map_err(|_| lasting("url in [calendar] is no address".to_owned()))?;
        let mut principal = None;
        let mut home = None;
        // The address as it is written may be the calendar itself, the person, or any folder above.
        for url in [Some(start.clone()), start.join("/.well-known/caldav").ok(), start.join("/").ok()]
            .into_iter()
            .flatten()
        {
            let Some((at, node)) = self.find(&url, "0").await? else { continue };
            let Some(response) = node.get(DAV, "response") else { continue };
            if let Some(collection) = calendar(response, &at)
                && self.server.calendar.as_ref().is_none_or(|wanted| is_called(&collection, wanted))
            {
                return Ok(collection);
            }
            home =
                home.or_else(|| href(response, CALDAV, "calendar-home-set").and_then(|to| at.join(&to).ok()));
            principal = principal
                .or_else(|| href(response, DAV, "current-user-principal").and_then(|to| at.join(&to).ok()));
            if home.is_some() || principal.is_some() {
                break;
            }
        }
        if let (None, Some(person)) = (&home, &principal) {
            let found = self.find(&self.same_server(person.clone())?, "0").await?;
            home = found.and_then(|(at, node)| {
                at.join(&href(node.get(DAV, "response")?, CALDAV, "calendar-home-set")?).ok()
            });
        }
        let Some(home) = home else {
            let text = format!(
                "{place} shows no calendars of {}; check url and user in [calendar]",
                said(&self.server.user)
            );
            return Err(lasting(text));
        };
        let found = self.find(&self.same_server(home)?, "1").await?;
        let (at, node) =
            found.ok_or_else(|| lasting(format!("{place} has no calendars where it says they are")))?;
        let all: Vec<Collection> =
            node.all(DAV, "response").filter_map(|response| calendar(response, &at)).collect();
        let mut there: Vec<String> = all.iter().take(NAMED).map(|one| said(&one.name)).collect();
        if all.len() > NAMED {
            there.push("…".to_owned());
        }
        let there = there.join(", ");
        let fits: Vec<&Collection> = match &self.server.calendar {
            Some(wanted) => all.iter().filter(|one| is_called(one, wanted)).collect(),
            None => all.iter().collect(),
        };
        match (fits.as_slice(), &self.server.calendar) {
            ([only], _) => Ok(Collection { url: self.same_server(only.url.clone())?, ..(*only).clone() }),
            ([], _) if all.is_empty() => {
                Err(lasting(format!("there is no calendar at {place}; make one there")))
            }
            ([], wanted) => {
                let wanted = said(wanted.as_deref().unwrap_or_default());
                Err(lasting(format!("there is no calendar {wanted} at {place}; there are {there}")))
            }
            (_, None) => {
                Err(lasting(format!("{place} has several calendars; name one with calendar: {there}")))
            }
            (_, Some(wanted)) => {
                let wanted = said(wanted);
                Err(lasting(format!(
                    "several calendars at {place} are called {wanted}; write the whole address as url"
                )))
            }
        }
    }

    /// Asks about an address, going on to where the server says it is now.
    async fn find(&self, url: &Url, depth: &str) -> Result<Option<(Url, Node)>, CalendarError> {
        let mut at = url.clone();
        for _ in 0..=MOST_REDIRECTS {
            let body = format!(
                "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<D:propfind xmlns:D=\"{DAV}\" xmlns:C=\"{CALDAV}\">\
                 <D:prop>{PROPERTIES}</D:prop></D:propfind>"
            );
            match self.multistatus(b"PROPFIND", &at, depth, body).await? {
                Multistatus::Said(node) => return Ok(Some((at, node))),
                Multistatus::Nothing => return Ok(None),
                Multistatus::Elsewhere(to) => {
                    let Ok(next) = at.join(&to) else { return Ok(None) };
                    at = self.same_server(next)?;
                }
            }
        }
        Ok(None)
    }

    /// The password goes to the server of the config and to no other.
    pub(super) fn same_server(&self, url: Url) -> Result<Url, CalendarError> {
        let configured = Url::parse(&self.server.url).ok();
        if configured.is_some_and(|known| known.origin() == url.origin()) {
            return Ok(url);
        }
        let elsewhere = said(&url.origin().ascii_serialization());
        Err(CalendarError::Lasting(format!(
            "the calendar is on another server ({elsewhere}); write that as url in [calendar] if you trust it"
        )))
    }
}

/// The address inside a property.
fn href(response: &Node, space: &str, name: &str) -> Option<String> {
    let found = properties(response).find_map(|props| props.get(space, name)?.get(DAV, "href"));
    found.map(|href| href.text.trim().to_owned()).filter(|href| !href.is_empty())
}

/// The calendar for events that a response tells of; `None` where it is something else.
fn calendar(response: &Node, at: &Url) -> Option<Collection> {
    let props = || properties(response);
    props().find_map(|props| props.get(DAV, "resourcetype")?.get(CALDAV, "calendar"))?;
    let kinds = props().find_map(|props| props.get(CALDAV, "supported-calendar-component-set"));
    let is_for_events =
        |set: &Node| set.all(CALDAV, "comp").any(|comp| comp.called.eq_ignore_ascii_case("VEVENT"));
    if kinds.is_some_and(|set| !set.inside.is_empty() && !is_for_events(set)) {
        return None;
    }
    let mut url = at.join(response.get(DAV, "href")?.text.trim()).ok()?;
    if !url.path().ends_with('/') {
        url.set_path(&format!("{}/", url.path()));
    }
    let name =
        props().find_map(|props| props.get(DAV, "displayname")).map(|name| name.text.trim().to_owned());
    let name = name.filter(|name| !name.is_empty()).unwrap_or_else(|| last(&url));
    let allowed = props().find_map(|props| props.get(DAV, "current-user-privilege-set"));
    let writes = ["write", "write-content", "bind", "all"];
    let writable = allowed.is_none_or(|set| {
        set.all(DAV, "privilege").any(|one| one.inside.iter().any(|it| writes.contains(&it.name.as_str())))
    });
    Some(Collection { url, name, writable })
}

fn last(url: &Url) -> String {
    let last = url.path_segments().and_then(|mut path| path.rfind(|part| !part.is_empty()));
    last.unwrap_or_default().to_owned()
}

fn is_called(collection: &Collection, wanted: &str) -> bool {
    collection.name.eq_ignore_ascii_case(wanted) || last(&collection.url) == wanted
}
