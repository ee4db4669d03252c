//! What describes a section of the file and its keys: names, allowed values, defaults and help.
//!
//! Each key is declared once, by `section!` in the file of its feature, and `sections.rs` lists the sections. Reading,
//! environment variables, error messages, `sayso config` and `config.example.toml` all use these declarations.

use toml::Value;

/// The lines of a doc comment.
pub(super) type Help = &'static [&'static str];

/// A section of the file.
#[derive(Clone, Copy)]
pub(super) struct Section {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    pub(super) keys: &'static [Key],
    pub(super) about: Help,
    /// Its name in the example. Without one, the example shows a named section's samples but not its keys.
    pub(super) sample_name: &'static str,
    /// Whole sections as somebody might write them, shown in the example after the keys.
    pub(super) samples: &'static str,
}

/// Whether a section appears once, once per name, or in an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shape {
    /// `[budget]`
    One,
    /// `[models.cheap]`
    Named,
    /// `[[mail]]`, in the order written
    Array,
}

/// A key of a section.
#[derive(Clone, Copy)]
pub(super) struct Key {
    /// As written; a leading `*` stands for any word.
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) preset: Preset,
    pub(super) help: Help,
}

/// What a key may hold.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Text,
    Texts,
    Choice(&'static [&'static str]),
    Count {
        least: i64,
        most: i64,
    },
    Amount {
        most: f64,
    },
    /// A nested section. If its name is empty, its keys belong to the enclosing section.
    Keys(&'static [Key]),
}

/// What an unset key means, and an example value. Values are spelled as in an environment variable.
#[derive(Clone, Copy)]
pub(super) struct Preset {
    default: Option<&'static str>,
    example: Option<&'static str>,
    /// What happens without a value.
    unset: &'static str,
    range: Option<(i64, i64)>,
    /// The name that the example shows for a key with a `*`.
    called: Option<&'static str>,
}

const NOTHING: Preset = Preset { default: None, example: None, unset: "none", range: None, called: None };

/// A key with a default.
pub(super) const fn default(value: &'static str) -> Preset {
    Preset { default: Some(value), ..NOTHING }
}

/// A key without a default, and an example value.
pub(super) const fn example(value: &'static str) -> Preset {
    NOTHING.example(value)
}

/// A nested section, whose keys have their own presets.
pub(super) const fn within() -> Preset {
    NOTHING
}

impl Preset {
    /// Shows this value rather than the default.
    pub(super) const fn example(self, value: &'static str) -> Self {
        Self { example: Some(value), ..self }
    }

    /// Says what happens without a value.
    pub(super) const fn or(self, unset: &'static str) -> Self {
        Self { unset, ..self }
    }

    /// Shows a key that stands for many under the name of one of them.
    pub(super) const fn called(self, name: &'static str) -> Self {
        Self { called: Some(name), ..self }
    }

    /// The least and the most a number may be.
    pub(super) const fn range(self, least: i64, most: i64) -> Self {
        Self { range: Some((least, most)), ..self }
    }
}

impl Section {
    pub(super) const fn one(name: &'static str) -> Self {
        Self { name, shape: Shape::One, keys: &[], about: &[], sample_name: "", samples: "" }
    }

    pub(super) const fn named(name: &'static str, sample_name: &'static str, samples: &'static str) -> Self {
        Self { shape: Shape::Named, sample_name, samples, ..Self::one(name) }
    }

    pub(super) const fn array(name: &'static str, samples: &'static str) -> Self {
        Self { shape: Shape::Array, samples, ..Self::one(name) }
    }

    pub(super) const fn with(self, about: Help, keys: &'static [Key]) -> Self {
        Self { about, keys, ..self }
    }

    /// Its keys by their full names; a dot leads into a nested section.
    pub(super) fn full_keys(&self) -> Vec<(String, &'static Key)> {
        let mut keys = Vec::new();
        collect(self.keys, "", &mut keys);
        keys
    }

    /// The key with this name, or the `*` key that matches it.
    pub(super) fn key(&self, name: &str) -> Option<&'static Key> {
        self.full_keys().into_iter().find(|(path, _)| is_named(path, name)).map(|(_, key)| key)
    }

    /// Whether `name` is a section nested in this one, such as the `outgoing` of `[mail.outgoing]`.
    pub(super) fn has_within(&self, name: &str) -> bool {
        !name.is_empty() && self.keys.iter().any(|key| key.name == name && matches!(key.kind, Kind::Keys(_)))
    }
}

fn collect(keys: &'static [Key], within: &str, paths: &mut Vec<(String, &'static Key)>) {
    for key in keys {
        let path = join(within, key.name);
        match key.kind {
            Kind::Keys(keys) => collect(keys, &path, paths),
            _ => paths.push((path, key)),
        }
    }
}

/// The full name of a key in the section `within`.
pub(super) fn join(within: &str, key: &str) -> String {
    if within.is_empty() || key.is_empty() { format!("{within}{key}") } else { format!("{within}.{key}") }
}

/// Whether `name` is the key `pattern`, or matches its `*`.
pub(super) fn is_named(pattern: &str, name: &str) -> bool {
    match pattern.strip_prefix('*') {
        Some(suffix) => name.len() > suffix.len() && name.ends_with(suffix),
        None => pattern == name,
    }
}

impl Key {
    pub(super) const fn new(name: &'static str, kind: Kind, preset: Preset, help: Help) -> Self {
        let kind = match (kind, preset.range) {
            (Kind::Count { .. }, Some((least, most))) => Kind::Count { least, most },
            (Kind::Amount { .. }, Some((_, most))) => Kind::Amount { most: most as f64 },
            (kind, _) => kind,
        };
        Self { name, kind, preset, help }
    }

    /// The environment variable that sets this key of `section`.
    pub(super) fn variable(&self, section: &Section) -> String {
        format!("SAYSO_{}__{}", section.name, self.name).to_uppercase()
    }

    pub(super) fn default(&self) -> Option<Value> {
        self.preset.default.map(|text| self.kind.spelled(text))
    }

    /// What happens when there is no value.
    pub(super) fn unset(&self) -> &'static str {
        self.preset.unset
    }

    /// The example's line for the key; it is named `path` there, unless its preset has another name.
    pub(super) fn line(&self, path: &str) -> String {
        let text = self.preset.example.or(self.preset.default).unwrap_or_default();
        let value = match self.kind {
            // Keeps a number as it was typed: `2.00` reads better as dollars than `2.0`.
            Kind::Count { .. } | Kind::Amount { .. } => text.to_owned(),
            kind => kind.spelled(text).to_string(),
        };
        format!("{} = {value}", self.preset.called.unwrap_or(path))
    }

    /// Whether the example shows the default.
    pub(super) fn shows_default(&self) -> bool {
        self.preset.default.is_some() && self.preset.example.is_none()
    }
}

impl Kind {
    /// Parses a value. Text that does not look like a number stays text, and the check reports it.
    pub(super) fn spelled(self, text: &str) -> Value {
        let text = text.trim();
        match self {
            Self::Text | Self::Choice(_) | Self::Keys(_) => text.into(),
            Self::Texts => {
                text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().into()
            }
            Self::Count { .. } => text.parse::<i64>().map_or_else(|_| text.into(), Value::from),
            Self::Amount { .. } => text.parse::<f64>().map_or_else(|_| text.into(), Value::from),
        }
    }
}
