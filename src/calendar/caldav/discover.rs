//! Finds the calendar (RFC 6764, RFC 5397): from the address to the person, to their home, to its calendars.

use super::xml::{CALDAV, DAV, Node};
use super::{CalDav, Multistatus, properties};
use crate::calendar::CalendarError;
use crate::tools::web::safe_excerpt;
use reqwest::Url;

/// How many redirects are followed.
const MAX_REDIRECTS: usize = 5;
/// How many calendars an error lists.
const MAX_NAMED: usize = 12;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Collection {
    /// Its path ends with a slash.
    pub url: Url,
    pub name: String,
    /// Whether the server allows writing. If it does not say, we try.
    pub writable: bool,
}

/// What we found out first.
enum Discovered {
    Calendar(Collection),
    /// The folder with somebody's calendars.
    Home(Url),
    /// Who is logged in.
    Person(Url),
    Unknown,
}

const PROPERTIES: &str = "<D:resourcetype/><D:displayname/><D:current-user-principal/><D:current-user-privilege-set/>\
    <C:calendar-home-set/><C:supported-calendar-component-set/>";

impl CalDav {
    pub(super) async fn discover(&self) -> Result<Collection, CalendarError> {
        let place = self.web().await?.place().to_owned();
        let home = match self.ask_around().await? {
            Discovered::Calendar(collection) => return Ok(collection),
            Discovered::Home(home) => Some(home),
            Discovered::Person(person) => self.home_of(person).await?,
            Discovered::Unknown => None,
        };
        let Some(home) = home else {
            return Err(CalendarError::Permanent(format!(
                "{place} shows no calendars of {}; check url and user in [calendar]",
                safe_excerpt(&self.server.user)
            )));
        };
        let Some((at, node)) = self.find(&self.same_server(home)?, "1").await? else {
            return Err(CalendarError::Permanent(format!("{place} has no calendars where it says they are")));
        };
        let all: Vec<Collection> =
            node.all(DAV, "response").filter_map(|response| calendar(response, &at)).collect();
        let chosen = choose(&all, self.server.calendar.as_deref(), &place)?;
        Ok(Collection { url: self.same_server(chosen.url.clone())?, ..chosen.clone() })
    }

    /// Asks at the config's address, which may be the calendar itself, the person, or any folder above, and at the two
    /// other usual places.
    async fn ask_around(&self) -> Result<Discovered, CalendarError> {
        let start = Url::parse(&self.server.url)
            .map_err(|_| CalendarError::Permanent("url in [calendar] is no address".to_owned()))?;
        let places = [Some(start.clone()), start.join("/.well-known/caldav").ok(), start.join("/").ok()];
        for url in places.into_iter().flatten() {
            let Some((at, node)) = self.find(&url, "0").await? else { continue };
            let Some(response) = node.get(DAV, "response") else { continue };
            if let Some(collection) = calendar(response, &at)
                && self.server.calendar.as_ref().is_none_or(|name| is_called(&collection, name))
            {
                return Ok(Discovered::Calendar(collection));
            }
            if let Some(home) = link(response, &at, CALDAV, "calendar-home-set") {
                return Ok(Discovered::Home(home));
            }
            if let Some(person) = link(response, &at, DAV, "current-user-principal") {
                return Ok(Discovered::Person(person));
            }
        }
        Ok(Discovered::Unknown)
    }

    /// The folder of a person's calendars.
    async fn home_of(&self, person: Url) -> Result<Option<Url>, CalendarError> {
        let reply = self.find(&self.same_server(person)?, "0").await?;
        Ok(reply.and_then(|(at, node)| link(node.get(DAV, "response")?, &at, CALDAV, "calendar-home-set")))
    }

    /// Asks about an address, and follows redirects.
    async fn find(&self, url: &Url, depth: &str) -> Result<Option<(Url, Node)>, CalendarError> {
        let mut at = url.clone();
        for _ in 0..=MAX_REDIRECTS {
            let body = format!(
                "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<D:propfind xmlns:D=\"{DAV}\" xmlns:C=\"{CALDAV}\">\
                 <D:prop>{PROPERTIES}</D:prop></D:propfind>"
            );
            match self.multistatus(b"PROPFIND", &at, depth, body).await? {
                Multistatus::Properties(node) => return Ok(Some((at, node))),
                Multistatus::Nothing => return Ok(None),
                Multistatus::Elsewhere(to) => {
                    let Ok(next) = at.join(&to) else { return Ok(None) };
                    at = self.same_server(next)?;
                }
            }
        }
        Ok(None)
    }

    /// The password goes only to the server in the config.
    pub(super) fn same_server(&self, url: Url) -> Result<Url, CalendarError> {
        let configured = Url::parse(&self.server.url).ok();
        if configured.is_some_and(|configured| configured.origin() == url.origin()) {
            return Ok(url);
        }
        let elsewhere = safe_excerpt(&url.origin().ascii_serialization());
        Err(CalendarError::Permanent(format!(
            "the calendar is on another server ({elsewhere}); write that as url in [calendar] if you trust it"
        )))
    }
}

/// The link in a property of the resource at `at`.
fn link(response: &Node, at: &Url, namespace: &str, name: &str) -> Option<Url> {
    let href = properties(response).find_map(|props| props.get(namespace, name)?.get(DAV, "href"));
    let href = href.map(|href| href.text.trim()).filter(|href| !href.is_empty())?;
    at.join(href).ok()
}

/// The one calendar to use. If that is unclear, the error says what to write into the config.
fn choose<'a>(
    all: &'a [Collection],
    name: Option<&str>,
    place: &str,
) -> Result<&'a Collection, CalendarError> {
    let candidates: Vec<&Collection> =
        all.iter().filter(|one| name.is_none_or(|name| is_called(one, name))).collect();
    let mut names: Vec<String> = all.iter().take(MAX_NAMED).map(|one| safe_excerpt(&one.name)).collect();
    if all.len() > MAX_NAMED {
        names.push("…".to_owned());
    }
    let names = names.join(", ");
    Err(CalendarError::Permanent(match (candidates.as_slice(), name.map(safe_excerpt)) {
        ([only], _) => return Ok(only),
        _ if all.is_empty() => format!("there is no calendar at {place}; make one there"),
        (_, None) => format!("{place} has several calendars; name one with calendar: {names}"),
        ([], Some(name)) => format!("there is no calendar {name} at {place}; there are {names}"),
        (_, Some(name)) => {
            format!("several calendars at {place} are called {name}; write the whole address as url")
        }
    }))
}

/// The event calendar that a response describes; `None` if it is something else.
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

fn is_called(collection: &Collection, name: &str) -> bool {
    collection.name.eq_ignore_ascii_case(name) || last(&collection.url) == name
}
