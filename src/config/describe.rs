//! The config as `sayso config` shows it: every key, its value, and where that came from.
//!
//! Shows where a secret is kept and whether it is set, never the secret itself.

use toml::Value;

use super::entries::{Address, Entries};
use super::headers;
use super::inputs::Env;
use super::keys::{Key, Shape, is_named};
use super::origin::Origin;
use super::secret::Secret;
use super::sections::SECTIONS;
use crate::text::Visible;

/// One key, for a person to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The whole key, as in `models.cheap.provider`.
    pub key: String,
    /// The value as shown; if there is none, what happens then, in parentheses.
    pub value: Visible,
    /// Where the value came from.
    pub origin: Origin,
}

/// Every key of every section that appears only once, and the written keys of the others.
pub(super) fn settings(entries: &Entries, env: &Env) -> Vec<Setting> {
    let mut settings = Vec::new();
    for section in SECTIONS {
        for name in entries.names(section) {
            for (path, key) in section.full_keys() {
                let mut written = entries
                    .section(section, &name)
                    .filter(|(address, _)| is_named(&path, &address.key))
                    .map(|(address, entry)| Setting {
                        key: address.to_string(),
                        value: Visible::line(&shown(key, &entry.value, env)),
                        origin: entry.origin.clone(),
                    })
                    .peekable();
                if written.peek().is_none() && section.shape == Shape::One {
                    settings.push(Setting {
                        key: Address::new(section, &name, &path).to_string(),
                        value: Visible::line(&format!("({})", key.unset())),
                        origin: Origin::Default,
                    });
                }
                settings.extend(written);
            }
        }
    }
    settings
}

fn shown(key: &Key, value: &Value, env: &Env) -> String {
    match (key.name, value) {
        (key, Value::String(name)) if key.ends_with("_env") => {
            let state = if env.get(name).is_some() { "set" } else { "not set" };
            format!("{} ({state})", Secret::Env(name.clone()))
        }
        (key, Value::String(command)) if key.ends_with("_command") => {
            Secret::Command(command.clone()).to_string()
        }
        (_, Value::String(text)) => text.clone(),
        (_, Value::Array(items)) if items.is_empty() => "(none)".to_owned(),
        ("headers", Value::Array(items)) => {
            items.iter().filter_map(Value::as_str).map(headers::shown).collect::<Vec<_>>().join(", ")
        }
        (_, Value::Array(items)) => items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "),
        (_, Value::Float(amount)) => amount.to_string(),
        (_, value) => value.to_string(),
    }
}
