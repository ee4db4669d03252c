//! `[user]`: whose inbox this is.

use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::tz::TimeZone;

use super::duration::parse_never_or_duration;
use super::error::{Error, quoted};
use super::inputs::at_home;
use super::keys::{default, example};
use super::reader::{FromSection as _, Reader, section};

section! {
    /// Whose inbox this is. Agents read it.
    pub(super) struct UserSection in one("user") {
        name: Option<String> = example("Ada Example"),
        /// Who you are and what matters to you, in your own words.
        background: Option<String> =
            example("I run a small workshop in Lyon. Customers first, newsletters never."),
        /// Your time zone, if it is not the system's.
        time_zone: Option<String> = example("Europe/Paris").or("the system's"),
        /// Your address and the others that reach you. Each mail account may have its own.
        address: Option<String> = example("ada@example.org"),
        aliases: Vec<String> = default(""),
        /// What is added below your mail.
        signature: Option<String> = example("Ada Example"),
        /// Whether replies quote the mail they answer: on | off
        quote: bool = default("on"),
        /// When to remind you of a mail you sent that nobody has answered: never, or after a time such as 3d or 2w. You
        /// can set remind_after for a single mail when you edit it.
        remind_after: String = default("never"),
    }
}

/// Whose inbox this is.
#[derive(Clone, Debug)]
pub struct User {
    /// The user's name; empty if not given.
    pub name: String,
    /// Who the user is and what matters to them, for prompts; empty if not given.
    pub background: String,
    /// Decides when the user's days begin and end.
    pub time_zone: TimeZone,
    /// The user's address; empty if not given.
    pub address: String,
    /// Other addresses that reach the user.
    pub aliases: Vec<String>,
    /// What is added below the user's mail; empty if not given.
    pub signature: String,
    /// Whether replies quote the mail they answer.
    pub quote: bool,
    /// The user's home folder, if it is known.
    pub home: Option<PathBuf>,
    /// How long after sending a mail the user is reminded that nobody has answered it.
    pub remind_after: Option<Duration>,
}

/// Nobody in particular, in UTC.
impl Default for User {
    fn default() -> Self {
        Self {
            name: String::new(),
            background: String::new(),
            time_zone: TimeZone::UTC,
            address: String::new(),
            aliases: Vec::new(),
            signature: String::new(),
            quote: true,
            home: None,
            remind_after: None,
        }
    }
}

impl User {
    pub(super) fn read(reader: &Reader<'_>) -> Result<Self, Error> {
        let user = UserSection::read(reader)?;
        let host = &reader.inputs().host;
        let time_zone = match &user.time_zone {
            None => host.time_zone.clone(),
            Some(name) if host.time_zone.iana_name() == Some(name) => host.time_zone.clone(),
            Some(name) => TimeZone::get(name).map_err(|_| {
                let why =
                    format!("has no time zone {:?}; write one such as Europe/Paris or UTC", quoted(name));
                reader.bad("time_zone", why)
            })?,
        };
        check_addresses(reader, "address", &user.address)?;
        check_addresses(reader, "aliases", &user.aliases)?;
        Ok(Self {
            name: user.name.unwrap_or_default(),
            background: user.background.unwrap_or_default(),
            time_zone,
            address: user.address.unwrap_or_default(),
            aliases: user.aliases,
            signature: user.signature.unwrap_or_default(),
            quote: user.quote,
            home: host.home.clone(),
            remind_after: parse_never_or_duration(reader, "remind_after", &user.remind_after)?,
        })
    }

    /// Expands a path that the user typed: `~` is their home folder.
    pub fn path(&self, typed: &str) -> PathBuf {
        let typed = Path::new(typed);
        at_home(typed, self.home.as_deref()).unwrap_or_else(|| typed.to_owned())
    }

    /// Every address of the user in `[user]`; accounts may have more.
    pub fn addresses(&self) -> impl Iterator<Item = &str> {
        let address = (!self.address.is_empty()).then_some(self.address.as_str());
        address.into_iter().chain(self.aliases.iter().map(String::as_str))
    }
}

/// Refuses text that is surely no address: it would make the user's own mail look like somebody else's.
pub(super) fn check_addresses<'a>(
    reader: &Reader<'_>,
    key: &str,
    addresses: impl IntoIterator<Item = &'a String>,
) -> Result<(), Error> {
    let is_odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '<' | '>' | ',' | ';');
    for address in addresses {
        let is_whole = address.rsplit_once('@').is_some_and(|(user, domain)| {
            !user.is_empty() && !domain.is_empty() && !address.contains(is_odd)
        });
        if !is_whole {
            let why = format!("must be a bare address such as ada@example.org, not {:?}", quoted(address));
            return Err(reader.bad(key, why));
        }
    }
    Ok(())
}
