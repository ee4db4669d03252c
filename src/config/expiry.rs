//! After how long a question that nobody answers is over, by tool, by workflow, or for all of a kind.

use std::collections::BTreeMap;
use std::time::Duration;

use super::error::{Error, quoted};
use super::raw;
use super::resolve::Meaning;

/// The kinds that may expire. Trouble never does: whether something happened is for a person to say.
const KINDS: [&str; 3] = ["triage", "approval", "question"];

/// The longest time that can be written: ten years.
const LONGEST: u64 = 3660 * 86_400;

/// When questions expire. Without a word in the config none does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expiry {
    /// `[approvals] expire`: for every question of `kinds`.
    pub all: Option<Duration>,
    /// The kinds it holds for.
    pub kinds: Vec<String>,
    /// `[workflow.NAME] expire`; `None` is never.
    pub workflows: BTreeMap<String, Option<Duration>>,
    /// `[policy.TOOL] expire`; `None` is never.
    pub tools: BTreeMap<String, Option<Duration>>,
}

impl Expiry {
    /// After how long such a question is over: the tool's word counts before the workflow's, and that before the
    /// general one.
    pub fn of(&self, workflow: &str, tool: &str, kind: &str) -> Option<Duration> {
        let family = || workflow.split_once('/').and_then(|(family, _)| self.workflows.get(family));
        let named = self.tools.get(tool).or_else(|| self.workflows.get(workflow)).or_else(family);
        match named {
            Some(named) => *named,
            None => self.all.filter(|_| self.kinds.iter().any(|known| known == kind)),
        }
    }

    /// Whether nothing ever expires.
    pub fn is_off(&self) -> bool {
        let named = || self.tools.values().chain(self.workflows.values());
        self.all.is_none() && named().all(Option::is_none)
    }
}

impl Meaning<'_> {
    /// Takes `expire` out of the sections that have it besides other keys.
    pub(super) fn expiry(&self, file: &mut raw::File) -> Result<Expiry, Error> {
        let kinds = std::mem::take(&mut file.approvals.expire_kinds);
        if let Some(odd) = kinds.iter().find(|kind| !KINDS.contains(&kind.as_str())) {
            let why = format!("has no kind {:?}; choose among {}", quoted(odd), KINDS.join(", "));
            return Err(self.bad("approvals", "", "expire_kinds", why));
        }
        let all = self.lasting("approvals", "", "expire", &file.approvals.expire)?;
        let (mut workflows, mut tools) = (BTreeMap::new(), BTreeMap::new());
        for (name, keys) in &mut file.workflow {
            if let Some(text) = keys.remove("expire") {
                workflows.insert(name.clone(), self.lasting("workflow", name, "expire", &text)?);
            }
        }
        for (tool, policy) in &file.policy {
            if let Some(text) = &policy.expire {
                tools.insert(tool.clone(), self.lasting("policy", tool, "expire", text)?);
            }
        }
        Ok(Expiry { all, kinds, workflows, tools })
    }

    pub(super) fn lasting(
        &self,
        section: &'static str,
        name: &str,
        key: &'static str,
        text: &str,
    ) -> Result<Option<Duration>, Error> {
        if text == "never" {
            return Ok(None);
        }
        lasting(text).map(Some).ok_or_else(|| {
            let why = format!("must be never, or a time such as 12h, 7d or 2w, not {:?}", quoted(text));
            self.bad(section, name, key, why)
        })
    }
}

/// How long a word such as `30m`, `12h`, `7d` or `2w` means; ten years at most.
pub fn lasting(word: &str) -> Option<Duration> {
    let (count, unit) = word.split_at_checked(word.len().checked_sub(1)?)?;
    let seconds = match unit {
        "m" => 60,
        "h" => 3600,
        "d" => 86_400,
        "w" => 7 * 86_400,
        _ => return None,
    };
    let digits = !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
    let lasts = digits.then(|| count.parse::<u64>().ok()?.checked_mul(seconds)).flatten();
    lasts.filter(|lasts| (1..=LONGEST).contains(lasts)).map(Duration::from_secs)
}
