//! The models of the config, opened when they are first needed.

use super::demo_script::{Script, is_demo};
use crate::agent::llm::{self, Model, ModelError, ModelSettings, Recorder, Replayer};
use crate::agent::{Models, Picked};
use crate::config::{Config, Env, Model as Configured, Provider};
use crate::text::read_error_text;
use crate::workflows::RULES;
use serde_json::Value;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The environment variable that names a recording to answer from.
const REPLAY: &str = "SAYSO_REPLAY";

/// Whether the demo's script stands in for a model.
pub fn plays_demo_script(config: &Config) -> bool {
    is_scripted(config, &config.model)
}

/// Whether this model is the demo's script. Other providers are what they are, in the demo as elsewhere.
fn is_scripted(config: &Config, configured: &Configured) -> bool {
    configured.provider == Provider::Builtin && is_demo(&config.data)
}

/// Models by their label in the config. `SAYSO_RECORD` and `SAYSO_REPLAY` name cassettes for bug reports.
pub struct ConfiguredModels {
    config: Arc<Config>,
    env: Env,
    open: Mutex<HashMap<String, Arc<dyn Model>>>,
}

impl ConfiguredModels {
    /// The models a config describes; their keys come from `env`.
    pub fn new(config: Arc<Config>, env: Env) -> Self {
        Self { config, env, open: Mutex::default() }
    }

    fn opened(&self, configured: &Configured) -> Result<Arc<dyn Model>, ModelError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = open.get(&configured.label) {
            return Ok(model.clone());
        }
        let model = self.make(configured)?;
        open.insert(configured.label.clone(), model.clone());
        Ok(model)
    }

    fn configured(
        &self,
        workflow: &str,
        role: &str,
        wanted: Option<&str>,
    ) -> Result<&Configured, ModelError> {
        match wanted {
            // A model picked for everything overrides `wanted`.
            Some(name) if self.config.picked.is_none() => {
                self.config.model_named(name).map_err(|e| settings(name, e.to_string()))
            }
            _ => Ok(self.config.model_for(workflow, role)),
        }
    }

    fn picked(&self, configured: &Configured) -> Result<Picked, ModelError> {
        let is_scripted = is_scripted(&self.config, configured);
        Ok(Picked {
            model: self.opened(configured)?,
            name: if is_scripted { Script::NAME.to_owned() } else { configured.name.clone() },
            builtin: matches!(configured.provider, Provider::Builtin | Provider::Me) && !is_scripted,
            person: configured.provider == Provider::Me,
            server: Some(configured.base_url.clone()).filter(|url| !url.is_empty()),
            window: configured.context_tokens,
        })
    }

    fn make(&self, configured: &Configured) -> Result<Arc<dyn Model>, ModelError> {
        let label = &configured.label;
        let path = |name: &str| self.env.get(name).map(PathBuf::from);
        if let Some(path) = path(REPLAY) {
            let replayer = Replayer::open(&path).map_err(|e| {
                settings(
                    label,
                    format!("the recording {} cannot be read: {}", path.display(), read_error_text(&e)),
                )
            })?;
            return Ok(Arc::new(replayer));
        }
        let mut chosen = ModelSettings::new(label, configured.provider, &configured.name);
        if !matches!(configured.provider, Provider::Builtin | Provider::Me) {
            chosen.base_url = Some(configured.base_url.clone());
        }
        let secret = configured.api_key.as_ref().map(|secret| secret.read(&self.env));
        chosen.key =
            secret.transpose().map_err(|e| settings(label, format!("its key is not available: {e}")))?;
        chosen.max_concurrent = configured.max_concurrent;
        chosen.requests_per_minute = configured.requests_per_minute;
        chosen.idle_timeout = configured.idle_timeout;
        let number = |tokens: u64| u32::try_from(tokens).unwrap_or(u32::MAX);
        if let Some(tokens) = configured.max_output_tokens {
            chosen.max_output_tokens = number(tokens);
        }
        chosen.context_window = configured.context_tokens.map(number);
        chosen.temperature = configured.temperature.map(|heat| heat as f32);
        let secrets = chosen.key.iter().cloned().collect();
        let model = if is_scripted(&self.config, configured) {
            Arc::new(Script::open(&self.config.data).map_err(|why| settings(label, why))?)
        } else {
            llm::open(&chosen, RULES)?
        };
        match path("SAYSO_RECORD") {
            None => Ok(model),
            Some(path) => {
                let recorder = Recorder::wrap(model, &path, secrets)
                    .map_err(|e| settings(label, format!("{} cannot be recorded to: {e}", path.display())))?;
                Ok(Arc::new(recorder))
            }
        }
    }
}

/// Makes a tiny real call to each configured model. Returns its label, and its answer or what to do.
pub async fn check_models(config: &Arc<Config>, env: &Env) -> Vec<(String, Result<String, String>)> {
    let models = ConfiguredModels::new(config.clone(), env.clone());
    let mut checked = Vec::new();
    let others =
        config.models.values().filter(|model| !matches!(model.provider, Provider::Builtin | Provider::Me));
    for configured in std::iter::once(&config.model).chain(others) {
        if configured.provider == Provider::Builtin && !is_scripted(config, configured) {
            let text = "none is set up: rules triage your mail, and you write the answers";
            checked.push((configured.label.clone(), Ok(text.to_owned())));
            continue;
        }
        let answer = match models.opened(configured) {
            Ok(model) => llm::check(&*model).await,
            Err(error) => Err(error),
        };
        let answer = answer.map_err(|error| format!("{error}. {}", error.explain()));
        checked.push((configured.label.clone(), answer));
    }
    checked
}

impl Models for ConfiguredModels {
    fn pick(&self, workflow: &str, role: &str, wanted: Option<&str>) -> Result<Picked, ModelError> {
        self.picked(self.configured(workflow, role, wanted)?)
    }

    fn pick_only(&self, name: &str) -> Result<Picked, ModelError> {
        self.picked(self.config.model_named(name).map_err(|e| settings(name, e.to_string()))?)
    }

    fn check_name(&self, name: &str) -> Result<(), String> {
        self.config.model_named(name).map(|_| ()).map_err(|e| e.to_string())
    }

    fn has_any(&self) -> bool {
        let mut all = self.config.models.values().chain([&self.config.model]);
        all.any(|one| {
            is_scripted(&self.config, one) || !matches!(one.provider, Provider::Builtin | Provider::Me)
        })
    }

    fn check_answers(&self, workflow: &str, roles: &[&str], input: &Value) -> Result<(), String> {
        let wanted = input.get("model").and_then(Value::as_str);
        let is_builtin = |role: &&str| {
            self.configured(workflow, role, wanted).is_ok_and(|model| model.provider == Provider::Builtin)
        };
        if self.env.get(REPLAY).is_some() || !roles.iter().any(is_builtin) {
            return Ok(());
        }
        if is_demo(&self.config.data) {
            return Script::open(&self.config.data)?.check_thread(workflow, input);
        }
        let file = match &self.config.file {
            Some(file) => format!("put one into [model] of {}, or run `sayso init`", file.display()),
            None => "`sayso init` sets one up".to_owned(),
        };
        Err(format!(
            "{workflow} needs a language model, and none is configured for it; {file}, or take its place yourself: \
             --model me"
        ))
    }
}

fn settings(label: &str, why: String) -> ModelError {
    ModelError::Settings { model: label.to_owned(), why }
}
