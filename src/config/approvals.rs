//! `[approvals]`: how long an accepted action can be taken back, and when an unanswered question expires.

use std::collections::BTreeMap;
use std::time::Duration;

use super::duration::parse_never_or_duration;
use super::error::{Error, quoted};
use super::keys::{Section, default};
use super::models::WORKFLOW;
use super::policy::PolicySection;
use super::reader::{FromKey, FromSection as _, Reader, Sources, section};

/// The kinds that may expire. Trouble never does: only a person can say whether something happened.
const KINDS: [&str; 3] = ["triage", "approval", "question"];

/// The keys 1 to 9.
const MAX_REFUSALS: usize = 9;

const LONGEST_REFUSAL: usize = 200;

fn is_a_line(text: &str) -> bool {
    !text.trim().is_empty() && text.chars().count() <= LONGEST_REFUSAL && !text.chars().any(char::is_control)
}

section! {
    /// How approvals behave.
    pub(super) struct ApprovalsSection in one("approvals") {
        /// How many seconds you have to take back something you accepted. 0 acts at once.
        hold ("hold_seconds"): Duration = default("10").range(0, 86_400),
        /// The same for a call of a coding agent, which waits in the meantime; a call with a warning is held for
        /// hold_seconds. This applies to what you decide in the inbox; `sayso accept` answers at once.
        hold_agents: Duration = default("2").range(0, 86_400),
        /// Ready-made refusals, nine at most: on a card from a coding agent, `r` and a digit send the one with that
        /// number.
        refusals: Vec<String> = default("").example("Not now., Use the tests that are there."),
        /// When a question that nobody answers is ignored for you: never, or after a time such as 12h, 7d or 2w.
        /// Nothing is done then, nothing is learned from it, and the thread says that the policy did it. Time counts
        /// only while this machine is running, and starts over when new mail comes in or a snoozed question comes back;
        /// trouble never expires.
        expire: String = default("never"),
        /// The kinds this applies to: triage, approval, question. A workflow (`[workflow.NAME]` expire) or a tool
        /// (`[policy.TOOL]` expire) may have its own time, or never.
        expire_kinds: Vec<String> = default("approval, question"),
    }
}

/// How approvals behave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approvals {
    /// How long an accepted effect can be taken back; zero acts at once.
    pub hold: Duration,
    /// How long an answer to a program can be taken back.
    pub hold_agents: Duration,
    /// The user's own refusals, numbered from 1.
    pub refusals: Vec<String>,
    /// When an unanswered question expires.
    pub expiry: Expiry,
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
    pub(super) fn read(sources: Sources<'_>) -> Result<Self, Error> {
        let reader = sources.one(ApprovalsSection::SECTION);
        let approvals = ApprovalsSection::read(&reader)?;
        let kinds = approvals.expire_kinds;
        if let Some(odd) = kinds.iter().find(|kind| !KINDS.contains(&kind.as_str())) {
            let why = format!("has no kind {:?}; choose among {}", quoted(odd), KINDS.join(", "));
            return Err(reader.bad("expire_kinds", why));
        }
        let refusals = approvals.refusals;
        if refusals.len() > MAX_REFUSALS {
            let why = format!("has {} refusals; there are keys for {MAX_REFUSALS}", refusals.len());
            return Err(reader.bad("refusals", why));
        }
        if let Some(odd) = refusals.iter().find(|text| !is_a_line(text)) {
            let why = format!(
                "has {:?}; a refusal is one line of at most {LONGEST_REFUSAL} characters",
                quoted(odd)
            );
            return Err(reader.bad("refusals", why));
        }
        let expiry = Expiry {
            all: parse_never_or_duration(&reader, "expire", &approvals.expire)?,
            kinds,
            workflows: expire_by_name(sources, WORKFLOW, |reader| FromKey::from_key(reader, "expire"))?,
            tools: expire_by_name(sources, PolicySection::SECTION, |reader| {
                Ok(PolicySection::read(reader)?.expire)
            })?,
        };
        Ok(Self { hold: approvals.hold, hold_agents: approvals.hold_agents, refusals, expiry })
    }
}

/// Reads the key `expire` of every section that has one.
fn expire_by_name(
    sources: Sources<'_>,
    section: &'static Section,
    expire: impl Fn(&Reader<'_>) -> Result<Option<String>, Error>,
) -> Result<BTreeMap<String, Option<Duration>>, Error> {
    let mut expiry = BTreeMap::new();
    for reader in sources.each(section) {
        if let Some(text) = expire(&reader)? {
            expiry.insert(reader.name.clone(), parse_never_or_duration(&reader, "expire", &text)?);
        }
    }
    Ok(expiry)
}
