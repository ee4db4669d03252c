//! `config.example.toml` and the sections agree.

use std::collections::BTreeSet;

use super::*;
use crate::config::entries::Entries;
use crate::config::keys::{Kind, Section};
use crate::config::reader::Choice as _;

const EXAMPLE: &str = include_str!("../../../config.example.toml");

/// `SAYSO_UPDATE_EXAMPLE=1 cargo test --lib config::` writes the file again.
#[test]
fn the_example_is_made_from_the_sections() {
    if std::env::var_os("SAYSO_UPDATE_EXAMPLE").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("config.example.toml");
        std::fs::write(path, crate::config::example()).unwrap();
        return;
    }
    assert!(
        EXAMPLE == crate::config::example(),
        "config.example.toml is old; write it anew with SAYSO_UPDATE_EXAMPLE=1 cargo test --lib config::"
    );
}

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
        let keys = section.full_keys();
        let written: BTreeSet<&str> = entries
            .names(section)
            .iter()
            .flat_map(|name| keys.iter().filter(|(key, _)| is_written(&entries, section, name, key)))
            .map(|(key, _)| key.as_str())
            .collect();
        let known: BTreeSet<&str> = keys.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(written, known, "[{}]", section.name);
    }
}

fn is_written(entries: &Entries, section: &Section, name: &str, key: &str) -> bool {
    let example = match (section.name, key) {
        ("keys", _) => "accept",
        (_, key) if key.starts_with('*') => "final_model",
        (_, key) => key,
    };
    entries.get(section, name, example).is_some()
}

/// The least and the most that a number may be fit its field's type.
#[test]
fn the_key_table_and_the_structs_agree() {
    for section in SECTIONS.iter().filter(|section| section.shape == Shape::One) {
        for key in section.keys {
            let Kind::Count { least, most } = key.kind else { continue };
            for count in [least, most] {
                resolve(&format!("[{}]\n{} = {count}", section.name, key.name));
            }
        }
    }
    for name in Provider::WORDS {
        assert_eq!(Provider::from_word(name).unwrap().name(), *name);
        resolve(&format!("[model]\nprovider = \"{name}\"\nname = \"x\""));
    }
    for level in ["off", "error", "warn", "info", "debug", "trace"] {
        resolve(&format!("[log]\nlevel = \"{level}\""));
    }
}
