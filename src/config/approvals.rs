//! `[approvals]`: how long an accepted action can be taken back, and when an unanswered question expires.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};

use super::document::Section;
use super::duration::Lasts;
use super::error::{Error, quoted};
use super::values::{Whole, section};

/// The kinds that may expire. Trouble never does: only a person can say whether something happened.
const KINDS: [&str; 3] = ["triage", "approval", "question"];

/// The keys 1 to 9.
const MAX_REFUSALS: usize = 9;

const LONGEST_REFUSAL: usize = 200;

section! {
    /// How approvals behave.
    #[derive(Eq)]
    pub struct Approvals {
        /// How long an accepted effect can be taken back; zero acts at once.
        #[serde(rename = "hold_seconds", with = "Whole::<0, 86_400>")]
        pub hold: Duration = Duration::from_secs(10),
        /// How long an answer to a program can be taken back.
        #[serde(with = "Whole::<0, 86_400>")]
        pub hold_agents: Duration = Duration::from_secs(2),
        /// The user's own refusals, numbered from 1.
        #[serde(deserialize_with = "refusals")]
        pub refusals: Vec<String>,
        expire: Lasts,
        expire_kinds: Vec<String> = vec!["approval".to_owned(), "question".to_owned()],
        /// When an unanswered question expires, in all of the file.
        #[serde(skip)]
        pub expiry: Expiry,
    }
}

/// When questions expire. None does unless the config says so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expiry {
    /// `[approvals] expire`: for every question of `kinds`.
    pub all: Option<Duration>,
    /// The kinds that `all` applies to.
    pub kinds: Vec<String>,
    /// `[workflow.NAME] expire`; `None` is never.
    pub workflows: BTreeMap<String, Option<Duration>>,
    /// `[policy.TOOL] expire`; `None` is never.
    pub tools: BTreeMap<String, Option<Duration>>,
}

impl Expiry {
    /// How long until such a question expires. The tool's setting wins over the workflow's, and that over the general
    /// one.
    pub fn of(&self, workflow: &str, tool: &str, kind: &str) -> Option<Duration> {
        let family = || workflow.split_once('/').and_then(|(family, _)| self.workflows.get(family));
        let setting = self.tools.get(tool).or_else(|| self.workflows.get(workflow)).or_else(family);
        match setting {
            Some(setting) => *setting,
            None => self.all.filter(|_| self.kinds.iter().any(|known| known == kind)),
        }
    }

    /// Whether nothing ever expires.
    pub fn is_off(&self) -> bool {
        let settings = || self.tools.values().chain(self.workflows.values());
        self.all.is_none() && settings().all(Option::is_none)
    }
}

impl Approvals {
    /// Adds the times that workflows and tools have of their own.
    pub(super) fn resolve(
        mut self,
        section: &Section<'_>,
        workflows: BTreeMap<String, Option<Duration>>,
        tools: BTreeMap<String, Option<Duration>>,
    ) -> Result<Self, Error> {
        section.among("expire_kinds", &self.expire_kinds, &KINDS)?;
        self.expiry = Expiry { all: self.expire.0, kinds: self.expire_kinds.clone(), workflows, tools };
        Ok(self)
    }
}

fn refusals<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let refusals = Vec::<String>::deserialize(deserializer)?;
    if refusals.len() > MAX_REFUSALS {
        let count = refusals.len();
        return Err(D::Error::custom(format!("has {count} refusals; there are keys for {MAX_REFUSALS}")));
    }
    let is_a_line = |text: &str| {
        let is_short = text.chars().count() <= LONGEST_REFUSAL;
        !text.trim().is_empty() && is_short && !text.chars().any(char::is_control)
    };
    match refusals.iter().find(|text| !is_a_line(text)) {
        Some(odd) => Err(D::Error::custom(format!(
            "has {:?}; a refusal is one line of at most {LONGEST_REFUSAL} characters",
            quoted(odd)
        ))),
        None => Ok(refusals),
    }
}
