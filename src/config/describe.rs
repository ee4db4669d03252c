//! The config as `sayso config` shows it: what the file says, and the defaults of what it leaves out.
//!
//! Shows where a secret is kept and whether it is set, never the secret itself.

use std::collections::BTreeMap;
use std::path::Path;

use toml::de::DeValue;

use super::document::Document;
use super::error::Error;
use super::inputs::Inputs;
use super::paths::Paths;
use super::secret::Secret;
use super::settings::Config;
use crate::text::Visible;

/// Shows every default, which a test makes sure of.
const EXAMPLE: &str = include_str!("../../config.example.toml");

/// One key, for a person to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The whole key, as in `models.cheap.provider`.
    pub key: String,
    pub value: Visible,
}

/// Where the data and the file are, which model was picked, and every key that has a value.
pub(super) fn settings(
    inputs: &Inputs,
    paths: &Paths,
    text: Option<&str>,
    config: &Config,
) -> Result<Vec<Setting>, Error> {
    let file = match &paths.config {
        Some(path) if text.is_some() => path.display().to_string(),
        Some(path) => format!("(none; {} would be read)", path.display()),
        None => "(none)".to_owned(),
    };
    let head = [("data", paths.data.display().to_string()), ("config", file)];
    let head = head.into_iter().chain(config.picked.clone().map(|name| ("model", name)));
    let mut rows = BTreeMap::new();
    for text in [EXAMPLE, text.unwrap_or_default()] {
        let document = Document::parse(Path::new(""), text, &inputs.host, Path::new(""))?;
        rows.extend(document.rows().into_iter().map(|(key, value)| {
            let shown = shown(&key, value, inputs);
            (key, shown)
        }));
    }
    let rows = head.map(|(key, value)| (key.to_owned(), value)).chain(rows);
    Ok(rows.map(|(key, value)| Setting { key, value: Visible::line(&value) }).collect())
}

fn shown(key: &str, value: &DeValue<'_>, inputs: &Inputs) -> String {
    match value {
        DeValue::String(name) if key.ends_with("_env") => {
            let state = if inputs.env.get(name).is_some() { "set" } else { "not set" };
            format!("{} ({state})", Secret::Env(name.to_string()))
        }
        DeValue::String(command) if key.ends_with("_command") => {
            Secret::Command(command.to_string()).to_string()
        }
        DeValue::String(text) => text.to_string(),
        DeValue::Array(items) if items.is_empty() => "(none)".to_owned(),
        DeValue::Array(items) => {
            let words = items.iter().filter_map(|item| item.get_ref().as_str());
            // The value of a header may be a command with a secret in it.
            let name = |word: &'_ str| word.split_once(':').map_or(word, |(name, _)| name).to_owned();
            let shown = |word: &'_ str| if key.ends_with(".headers") { name(word) } else { word.to_owned() };
            words.map(shown).collect::<Vec<_>>().join(", ")
        }
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(_) | DeValue::Datetime(_) | DeValue::Table(_) => String::new(),
    }
}
