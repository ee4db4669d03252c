//! The config as `sayso config` shows it: what the file says, and the defaults of what it leaves out.
//!
//! Shows where a secret is kept and whether it is set, never the secret itself.

use std::path::Path;

use toml::de::DeValue;

use super::document::Document;
use super::error::Error;
use super::headers;
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

/// The rows that are not keys of the file, and the file's.
pub(super) fn settings(
    inputs: &Inputs,
    paths: &Paths,
    text: Option<&str>,
    config: &Config,
) -> Result<Vec<Setting>, Error> {
    let read = |text| Document::parse(Path::new("config.example.toml"), text, &inputs.host, Path::new(""));
    let (defaults, written) = (read(EXAMPLE)?, read(text.unwrap_or_default())?);
    let mut rows = defaults.rows();
    for (key, value) in written.rows() {
        match rows.iter_mut().find(|(known, _)| *known == key) {
            Some(row) => row.1 = value,
            None => {
                let section = |key: &str| key.split('.').next().map(str::to_owned);
                let last = rows.iter().rposition(|(known, _)| section(known) == section(&key));
                rows.insert(last.map_or(rows.len(), |last| last + 1), (key, value));
            }
        }
    }
    let file = match &paths.config {
        Some(path) if text.is_some() => path.display().to_string(),
        Some(path) => format!("(none; {} would be read)", path.display()),
        None => "(none)".to_owned(),
    };
    let head = [("data", paths.data.display().to_string()), ("config", file)];
    let head = head.into_iter().chain(config.picked.clone().map(|name| ("model", name)));
    let head = head.map(|(key, value)| (key.to_owned(), value));
    let rows = rows.into_iter().map(|(key, value)| {
        let shown = shown(&key, value, inputs);
        (key, shown)
    });
    Ok(head.chain(rows).map(|(key, value)| Setting { key, value: Visible::line(&value) }).collect())
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
            let is_header = key.ends_with(".headers");
            let shown = |word: &str| if is_header { headers::shown(word) } else { word.to_owned() };
            words.map(shown).collect::<Vec<_>>().join(", ")
        }
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(_) | DeValue::Datetime(_) | DeValue::Table(_) => String::new(),
    }
}
