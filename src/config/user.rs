//! `[user]`: whose inbox this is.

use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::tz::TimeZone;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _};

use super::document::Section;
use super::duration::Lasts;
use super::error::quoted;
use super::inputs::{Host, at_home};
use super::values::{Address, section, switch};

section! {
    /// Whose inbox this is; by default nobody's in particular, in UTC.
    pub struct User {
        /// The user's name; empty if not given.
        pub name: String,
        /// Who the user is and what matters to them, for prompts; empty if not given.
        pub background: String,
        /// Decides when the user's days begin and end.
        #[serde(deserialize_with = "time_zone")]
        pub time_zone: TimeZone = TimeZone::UTC,
        /// The user's address; empty if not given.
        #[serde(deserialize_with = "Address::one")]
        pub address: String,
        /// Other addresses that reach the user.
        #[serde(deserialize_with = "Address::many")]
        pub aliases: Vec<String>,
        /// What is added below the user's mail; empty if not given.
        pub signature: String,
        /// Whether replies quote the mail they answer.
        #[serde(deserialize_with = "switch")]
        pub quote: bool = true,
        /// How long after sending a mail the user is reminded that nobody has answered it.
        #[serde(deserialize_with = "Lasts::plain")]
        pub remind_after: Option<Duration>,
        /// The user's home folder, if it is known.
        #[serde(skip)]
        pub home: Option<PathBuf>,
    }
}

impl User {
    /// Adds what the machine knows about its user.
    pub(super) fn resolve(mut self, section: &Section<'_>, host: &Host) -> Self {
        if !section.has("time_zone") {
            self.time_zone = host.time_zone.clone();
        }
        self.home = host.home.clone();
        self
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

fn time_zone<'de, D: Deserializer<'de>>(deserializer: D) -> Result<TimeZone, D::Error> {
    let name = String::deserialize(deserializer)?;
    TimeZone::get(&name).map_err(|_| {
        let name = quoted(&name);
        D::Error::custom(format!("has no time zone {name:?}; write one such as Europe/Paris or UTC"))
    })
}
