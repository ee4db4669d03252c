//! Measures how well the configured model triages, on a labelled set: the built-in one or the user's.

use super::accounts::accounts;
use super::models::ConfiguredModels;
use crate::config::{Config, Env};
use crate::llm;
use crate::workflows::Models;
use crate::workflows::email::eval;
use crate::workflows::email::prompts;
use crate::workflows::mail_facts::{Class, User};
use serde::Serialize;
use std::collections::BTreeMap;
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

/// Tries the model that triages mail on the built-in set, or on the user's. Calls `on_progress` with the number of
/// cases done and their total. If the model does not answer at all, the error says what to do.
pub async fn eval_triage(
    config: &Arc<Config>,
    env: &Env,
    user_set: Option<&Path>,
    on_progress: &(dyn Fn(usize, usize) + Send + Sync),
) -> Result<TriageEval, String> {
    let explained = |error: llm::ModelError| format!("{error}. {}", error.explain());
    let models = ConfiguredModels::new(config.clone(), env.clone());
    let picked = models.pick("email", "triage", None).map_err(explained)?;
    let model = picked.model;
    llm::check(&*model).await.map_err(explained)?;
    let cases = match user_set {
        Some(path) => eval::own_set(path, &reader(config))?,
        None => eval::triage_set().map_err(|e| format!("the labelled set cannot be read: {e}"))?,
    };
    let report = eval::triage(&*model, &cases, &prompts::triage_request, on_progress).await;
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

/// The person whose mail the user's set is.
fn reader(config: &Config) -> User {
    let mut addresses: Vec<String> =
        accounts(config).into_iter().flat_map(|account| account.addresses).collect();
    addresses.extend(Some(config.user.address.clone()).filter(|address| !address.is_empty()));
    addresses.sort();
    addresses.dedup();
    User { name: config.user.name.clone(), addresses, background: config.user.background.clone() }
}
