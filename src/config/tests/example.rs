//! `config.example.toml`, the key table and the structs tell the same story.

use std::collections::BTreeSet;

use serde::Deserialize as _;

use super::*;
use crate::config::entries::Entries;
use crate::config::keys::Key;

const EXAMPLE: &str = include_str!("../../../config.example.toml");

#[test]
fn the_example_shows_every_default() {
    let values = |text: &str| {
        let config = resolve(text);
        config
            .describe()
            .iter()
            .map(|setting| (setting.key.clone(), setting.value.clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(values(EXAMPLE), values(""));
}

/// The example with its optional settings switched on.
fn whole_text() -> String {
    EXAMPLE
        .lines()
        .map(|line| match line.strip_prefix('#') {
            Some(setting) if !setting.is_empty() && !setting.starts_with(' ') => format!("{setting}\n"),
            _ => format!("{line}\n"),
        })
        .collect()
}

fn whole_example() -> Entries {
    let mut entries = Entries::default();
    read::file(&mut entries, Path::new("config.example.toml"), &whole_text()).unwrap();
    entries
}

#[test]
fn the_example_has_every_key() {
    let entries = whole_example();
    for section in SECTIONS {
        let written: BTreeSet<&str> = entries
            .names(section)
            .iter()
            .flat_map(|name| {
                let keys: Vec<_> =
                    section.keys.iter().filter(|key| is_written(&entries, section.name, name, key)).collect();
                keys.into_iter().map(|key| key.name)
            })
            .collect();
        let known: BTreeSet<&str> = section.keys.iter().map(|key| key.name).collect();
        assert_eq!(written, known, "[{}]", section.name);
    }
}

fn is_written(entries: &Entries, section: &'static str, name: &str, key: &Key) -> bool {
    let example = match (section, key.name) {
        ("keys", _) => "accept",
        (_, name) if name.starts_with('*') => "final_model",
        (_, name) => name,
    };
    entries.get(section, name, example).is_some()
}

/// With every key of the table written, serde must find a field for each.
#[test]
fn the_key_table_and_the_structs_agree() {
    let written = (Path::new("config.example.toml"), whole_text());
    let (entries, _) = layers::lay(&inputs(), Some((written.0, &written.1))).unwrap();
    let table = entries.to_table();
    raw::File::deserialize(table).unwrap();
    for name in Provider::NAMES {
        assert_eq!(Provider::from_name(name).unwrap().name(), *name);
        resolve(&format!("[model]\nprovider = \"{name}\"\nname = \"x\""));
    }
    for level in ["off", "error", "warn", "info", "debug", "trace"] {
        resolve(&format!("[log]\nlevel = \"{level}\""));
    }
}
