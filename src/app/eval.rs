//! Measures how well the configured model triages: on the set that comes with the program, on mails the user has
//! sorted, or on the user's own past decisions. The model is asked about each mail alone; nothing is changed.

use super::accounts::accounts;
use super::models::ConfiguredModels;
use super::setup::Setup;
use crate::agent::Models;
use crate::agent::llm;
use crate::agent::mail_facts::{Class, User};
use crate::config::{Config, Env};
use crate::engine::graph::{AnyState, Decision, Kind};
use crate::engine::store::{PastDecision, StoreError};
use crate::text::digest_from_hex;
use crate::workflows::email::{Email, defaults, eval, prompts};
use jiff::Timestamp;
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

#[derive(Clone, Debug, Serialize)]
pub struct TriageEval {
    /// The model, as its provider calls it.
    pub model: String,
    pub right: usize,
    pub total: usize,
    /// How often each right class (outer) got each answer (inner).
    pub confusion: BTreeMap<&'static str, BTreeMap<&'static str, usize>>,
    pub misses: Vec<eval::Miss>,
    pub failures: Vec<Unanswered>,
    pub input_tokens: u64,
    pub output_tokens: u64,
    #[serde(skip)]
    text: String,
}

/// A case without an answer.
#[derive(Clone, Debug, Serialize)]
pub struct Unanswered {
    pub id: String,
    pub error: String,
}

impl fmt::Display for TriageEval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.model, self.text)
    }
}

/// Tries the model that triages mail on `cases`. Calls `on_progress` with the number of cases done and their total. If
/// the model does not answer at all, the error says what to do.
pub async fn eval_triage(
    config: &Arc<Config>,
    env: &Env,
    cases: &[eval::Case],
    on_progress: &(dyn Fn(usize, usize) + Send + Sync),
) -> Result<TriageEval, String> {
    let explained = |error: llm::ModelError| format!("{error}. {}", error.explain());
    let models = ConfiguredModels::new(config.clone(), env.clone());
    let picked = models.pick("email", "triage", None).map_err(explained)?;
    let model = picked.model;
    llm::check(&*model).await.map_err(explained)?;
    let report = eval::triage(&*model, cases, &prompts::triage_request, on_progress).await;
    let row = |row: &[usize; 3]| Class::ALL.into_iter().map(Class::as_str).zip(*row).collect();
    let rows = Class::ALL.into_iter().zip(&report.confusion);
    Ok(TriageEval {
        model: picked.name,
        right: report.correct_count(),
        total: report.total(),
        confusion: rows.map(|(class, counts)| (class.as_str(), row(counts))).collect(),
        text: report.to_string(),
        input_tokens: report.usage.input,
        output_tokens: report.usage.output,
        misses: report.misses,
        failures: report.failures.into_iter().map(|(id, error)| Unanswered { id, error }).collect(),
    })
}

/// The built-in set, or mails the user has sorted.
pub fn labelled_mails(config: &Config, user_set: Option<&Path>) -> Result<Vec<eval::Case>, String> {
    match user_set {
        Some(path) => eval::own_set(path, &reader(config)),
        None => eval::triage_set().map_err(|e| format!("the labelled set cannot be read: {e}")),
    }
}

/// Which of a person's past decisions to take, and with which memory.
#[derive(Clone, Debug, Default)]
pub struct PastMails {
    pub since: Option<Timestamp>,
    /// The newest ones, at most this many.
    pub limit: usize,
    /// The profile to use instead of today's.
    pub profile: Option<String>,
}

impl Setup {
    /// The mails a person has decided on, each with the class the first decision gave it.
    pub fn decided_mails(&self, past: PastMails) -> Result<Vec<eval::Case>, String> {
        let failed = |e: StoreError| e.to_string();
        let engine = self.engine(self.workflows().map_err(|e| e.to_string())?);
        let profile = match past.profile {
            Some(text) => text,
            None => {
                let newest = self.store.memory().newest(defaults::TRIAGE).map_err(failed)?;
                newest.map_or_else(|| defaults::preset(defaults::TRIAGE).to_owned(), |newest| newest.profile)
            }
        };
        let reader = reader(&self.config);
        let mut seen = HashSet::new();
        let mut cases = Vec::new();
        for past in self.store.inbox().past_decisions(past.since, past.limit).map_err(failed)? {
            let Some(expect) = class(&past) else { continue };
            let state = engine.state_at(&past.thread, Some(past.step)).map_err(failed)?;
            let digest = state.as_ref().and_then(AnyState::get::<Email>).map(|mail| mail.about.clone());
            let Some(digest) = digest.as_deref().and_then(digest_from_hex) else { continue };
            if seen.insert(digest) {
                let raw = self.store.blob(&digest).map_err(failed)?;
                cases.push(eval::Case::new(past.thread.to_string(), expect, &raw, &reader, &profile)?);
            }
        }
        Ok(cases)
    }
}

/// The class that an answer gives a mail; `None` if the answer does not tell.
fn class(past: &PastDecision) -> Option<Class> {
    match (past.kind, &past.decision) {
        (Kind::Triage, Decision::Accept | Decision::Edit { .. } | Decision::Draft) => Some(Class::Notify),
        (Kind::Triage, Decision::Respond { .. }) => Some(Class::Respond),
        (Kind::Triage, Decision::Ignore) => Some(Class::Ignore),
        // A user who refuses a reply may have wanted to know about the mail, or not even that.
        (Kind::Approval | Kind::Question, Decision::Ignore) | (Kind::Trouble, _) => None,
        (Kind::Approval | Kind::Question, _) => Some(Class::Respond),
    }
}

/// The person whose mail the user's set is.
fn reader(config: &Config) -> User {
    let mut addresses: Vec<String> =
        accounts(config).into_iter().flat_map(|account| account.addresses).collect();
    addresses.extend(Some(config.user.address.clone()).filter(|address| !address.is_empty()));
    addresses.sort();
    addresses.dedup();
    User { name: config.user.name.clone(), addresses, background: config.user.background.clone() }
}
