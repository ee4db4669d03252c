//! The config as `sayso config` shows it: every key, what it is set to, and who said so.
//!
//! Shows where a secret is kept and whether it is there, never the secret.

use toml::Value;

use super::entries::{Address, Entries};
use super::headers;
use super::inputs::Env;
use super::keys::{Key, Preset, SECTIONS, Shape};
use super::origin::Origin;
use super::secret::Secret;
use crate::text::Visible;

/// One key, for a person to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The whole key, as in `models.cheap.provider`.
    pub key: String,
    /// The value as shown; in parentheses what happens when there is none.
    pub value: Visible,
    /// Where the value came from.
    pub origin: Origin,
}

/// Every key of every section that stands once, and the written keys of named ones.
pub(super) fn settings(entries: &Entries, env: &Env) -> Vec<Setting> {
    let mut settings = Vec::new();
    for section in SECTIONS {
        for name in entries.names(section) {
            for key in section.keys {
                let mut written = entries
                    .section(section, &name)
                    .filter(|(address, _)| section.key(&address.key).is_some_and(|of| of.name == key.name))
                    .map(|(address, entry)| Setting {
                        key: address.to_string(),
                        value: Visible::line(&shown(key, &entry.value, env)),
                        origin: entry.origin.clone(),
                    })
                    .peekable();
                if written.peek().is_none() && section.shape == Shape::One {
                    settings.push(unset(Address::new(section.name, &name, key.name), key));
                }
                settings.extend(written);
            }
        }
    }
    settings
}

fn unset(address: Address, key: &Key) -> Setting {
    let meaning = match key.preset {
        Preset::Unset(meaning) => meaning,
        Preset::Text(_) | Preset::Texts(_) | Preset::Count(_) | Preset::Amount(_) | Preset::Required => {
            "none"
        }
    };
    Setting {
        key: address.to_string(),
        value: Visible::line(&format!("({meaning})")),
        origin: Origin::Default,
    }
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
