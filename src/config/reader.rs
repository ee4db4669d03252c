//! Reads one section into Rust types: the values of its keys, and where each was written, for errors.
//!
//! `section!` declares a section's keys and the struct that they fill; `choice!` declares an enum of words.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use toml::Value;

use super::entries::{Address, Entries};
use super::error::Error;
use super::inputs::Inputs;
use super::keys::{Help, Key, Kind, Section, join};
use super::origin::Origin;
use super::secret::Secret;

/// All sources, layered.
#[derive(Clone, Copy)]
pub(super) struct Sources<'a> {
    pub(super) entries: &'a Entries,
    pub(super) inputs: &'a Inputs,
    /// The folder that relative paths start from.
    pub(super) base: &'a Path,
}

impl<'a> Sources<'a> {
    /// A section that appears only once.
    pub(super) fn one(self, section: &'static Section) -> Reader<'a> {
        Reader { sources: self, section, name: String::new(), within: String::new() }
    }

    /// Every section of a named kind or of an array.
    pub(super) fn each(self, section: &'static Section) -> impl Iterator<Item = Reader<'a>> {
        let names = self.entries.names(section);
        names.into_iter().map(move |name| Reader { name, ..self.one(section) })
    }
}

/// Reads one section.
pub(super) struct Reader<'a> {
    sources: Sources<'a>,
    section: &'static Section,
    /// The `cheap` of `[models.cheap]`; empty if the section appears only once.
    pub(super) name: String,
    /// The nested section, such as `outgoing`; usually empty.
    within: String,
}

impl<'a> Reader<'a> {
    pub(super) fn inputs(&self) -> &'a Inputs {
        self.sources.inputs
    }

    /// What the config calls it: its own name, or else its section's.
    pub(super) fn label(&self) -> &str {
        if self.name.is_empty() { self.section.name } else { &self.name }
    }

    /// A reader for the nested section `key`.
    pub(super) fn within(&self, key: &str) -> Reader<'a> {
        Reader { within: join(&self.within, key), name: self.name.clone(), ..*self }
    }

    /// The full name of a key, including the nested section.
    pub(super) fn full_key(&self, key: &str) -> String {
        join(&self.within, key)
    }

    fn value(&self, key: &str) -> Option<&'a Value> {
        let entry = self.sources.entries.get(self.section, &self.name, &self.full_key(key))?;
        Some(&entry.value)
    }

    /// Whether a key has a value, written or by default.
    pub(super) fn has(&self, key: &str) -> bool {
        self.value(key).is_some()
    }

    /// Every key that was written, for a section in which any word can be a key.
    pub(super) fn all<T: FromKey>(&self) -> Result<BTreeMap<String, T>, Error> {
        let written = self.sources.entries.section(self.section, &self.name);
        written.map(|(address, _)| Ok((address.key.clone(), T::from_key(self, &address.key)?))).collect()
    }

    fn parse<T>(&self, key: &str, parse: impl FnOnce(&Value) -> Option<T>) -> Result<T, Error> {
        self.value(key).and_then(parse).ok_or_else(|| self.missing(key, "write a value"))
    }

    /// Where a key was written, or else where its section begins.
    pub(super) fn origin(&self, key: &str) -> Origin {
        self.sources.entries.origin(self.section, &self.name, &self.full_key(key))
    }

    /// The error for a value that is not allowed.
    pub(super) fn bad(&self, key: &str, why: impl Into<String>) -> Error {
        let address = Address::new(self.section, &self.name, &self.full_key(key)).to_string();
        Error::BadValue { key: address, at: self.origin(key), why: why.into() }
    }

    /// The error for a required value that is missing.
    pub(super) fn missing(&self, key: &str, hint: impl Into<String>) -> Error {
        Error::MissingKey {
            section: self.header(),
            key: self.full_key(key),
            at: self.origin(key),
            hint: hint.into(),
        }
    }

    /// Its header without the outer brackets.
    pub(super) fn header(&self) -> String {
        Address::new(self.section, &self.name, "").header()
    }

    /// Expands a path as written.
    pub(super) fn path(&self, text: &str) -> PathBuf {
        self.sources.inputs.host.expand_from(self.sources.base, Path::new(text))
    }

    /// Expands a command's program, which may be in the home folder.
    pub(super) fn command(&self, mut words: Vec<String>) -> Vec<String> {
        if let Some(program) = words.first_mut().filter(|program| program.starts_with("~/")) {
            *program = self.path(program).to_string_lossy().into_owned();
        }
        words
    }

    /// Where a secret is kept: in the variable `NAME_env`, in what `NAME_command` prints, or in `NAME_file`.
    pub(super) fn secret(
        &self,
        name: &str,
        [variable, command, file]: [&Option<String>; 3],
    ) -> Result<Option<Secret>, Error> {
        let sources = [
            (format!("{name}_env"), self.variable(name, "key", variable)?),
            (format!("{name}_command"), command.clone().map(Secret::Command)),
            (format!("{name}_file"), file.as_ref().map(|path| Secret::File(self.path(path)))),
        ];
        self.only_one(sources)
    }

    /// Users who paste the secret itself into `NAME_env` must not see it again in an error or in `sayso config`.
    pub(super) fn variable(
        &self,
        name: &str,
        noun: &str,
        variable: &Option<String>,
    ) -> Result<Option<Secret>, Error> {
        if variable.as_deref().is_some_and(|variable| !is_variable(variable)) {
            let why = format!(
                "must be the name of an environment variable, in capitals, and not the {noun} itself"
            );
            return Err(self.bad(&format!("{name}_env"), why));
        }
        Ok(variable.clone().map(Secret::Env))
    }

    /// The value of several keys, of which at most one may be written.
    pub(super) fn only_one<T>(
        &self,
        values: impl IntoIterator<Item = (String, Option<T>)>,
    ) -> Result<Option<T>, Error> {
        let mut written = values.into_iter().filter_map(|(key, value)| Some((key, value?)));
        let Some((first, value)) = written.next() else { return Ok(None) };
        match written.next() {
            None => Ok(Some(value)),
            Some((key, _)) => {
                Err(self.bad(&key, format!("says the same as {}; keep one of them", self.full_key(&first))))
            }
        }
    }
}

pub(super) fn is_variable(name: &str) -> bool {
    let is_capital = |c: char| c.is_ascii_uppercase() || c == '_';
    name.starts_with(is_capital) && name.chars().all(|c| is_capital(c) || c.is_ascii_digit())
}

/// A struct that the keys of a section fill. `section!` implements it.
pub(super) trait FromSection: Sized {
    const ABOUT: Help;
    const KEYS: &'static [Key];

    fn read(reader: &Reader<'_>) -> Result<Self, Error>;
}

/// A type that a key's value can have.
pub(super) trait FromKey: Sized {
    const KIND: Kind;

    /// The value of a key. It exists and is of this kind: values are checked before they get here.
    fn from_key(reader: &Reader<'_>, key: &str) -> Result<Self, Error>;
}

/// An enum of words to choose from. `choice!` implements it.
pub(super) trait Choice: Copy {
    const WORDS: &'static [&'static str];

    fn word(self) -> &'static str;
    fn from_word(word: &str) -> Option<Self>;
}

impl<T: Choice> FromKey for T {
    const KIND: Kind = Kind::Choice(T::WORDS);

    fn from_key(reader: &Reader<'_>, key: &str) -> Result<Self, Error> {
        reader.parse(key, |value| T::from_word(value.as_str()?))
    }
}

impl<T: FromKey> FromKey for Option<T> {
    const KIND: Kind = T::KIND;

    fn from_key(reader: &Reader<'_>, key: &str) -> Result<Self, Error> {
        reader.has(key).then(|| T::from_key(reader, key)).transpose()
    }
}

impl FromKey for String {
    const KIND: Kind = Kind::Text;

    fn from_key(reader: &Reader<'_>, key: &str) -> Result<Self, Error> {
        reader.parse(key, |value| value.as_str().map(str::to_owned))
    }
}

impl FromKey for Vec<String> {
    const KIND: Kind = Kind::Texts;

    fn from_key(reader: &Reader<'_>, key: &str) -> Result<Self, Error> {
        reader.parse(key, |value| {
            value.as_array()?.iter().map(|item| Some(item.as_str()?.to_owned())).collect()
        })
    }
}

/// A switch: `on` or `off`.
impl FromKey for bool {
    const KIND: Kind = Kind::Choice(&["on", "off"]);

    fn from_key(reader: &Reader<'_>, key: &str) -> Result<Self, Error> {
        reader.parse(key, |value| Some(value.as_str()? == "on"))
    }
}

impl FromKey for f64 {
    const KIND: Kind = Kind::Amount { most: f64::MAX };

    fn from_key(reader: &Reader<'_>, key: &str) -> Result<Self, Error> {
        reader.parse(key, Value::as_float)
    }
}

/// Whole seconds.
impl FromKey for Duration {
    const KIND: Kind = u64::KIND;

    fn from_key(reader: &Reader<'_>, key: &str) -> Result<Self, Error> {
        u64::from_key(reader, key).map(Duration::from_secs)
    }
}

macro_rules! counts {
    ($($type:ty),*) => {
        $(impl FromKey for $type {
            const KIND: Kind = Kind::Count { least: 0, most: i64::MAX };

            fn from_key(reader: &Reader<'_>, key: &str) -> Result<Self, Error> {
                reader.parse(key, |value| value.as_integer()?.try_into().ok())
            }
        })*
    };
}
counts!(u16, u32, u64, usize);

/// Declares the keys of a section or a nested section, and the struct that they fill.
///
/// Doc comments become the help in `config.example.toml`. A key has its field's name, unless a name is in parentheses.
macro_rules! section {
    (
        $(#[doc = $about:literal])*
        $(#[derive($($derive:ident),*)])?
        $vis:vis struct $name:ident $(in $shape:ident($($argument:expr),*))? {
            $(
                $(#[doc = $help:literal])*
                $field_vis:vis $field:ident $(($key:literal))?: $type:ty = $preset:expr,
            )*
        }
    ) => {
        $(#[doc = $about])*
        $(#[derive($($derive),*)])?
        $vis struct $name {
            $($(#[doc = $help])* $field_vis $field: $type,)*
        }

        $(impl $name {
            pub(super) const SECTION: &'static $crate::config::keys::Section =
                &$crate::config::keys::Section::$shape($($argument),*).with(
                    <Self as $crate::config::reader::FromSection>::ABOUT,
                    <Self as $crate::config::reader::FromSection>::KEYS,
                );
        })?

        impl $crate::config::reader::FromSection for $name {
            const ABOUT: $crate::config::keys::Help = &[$($about),*];
            const KEYS: &'static [$crate::config::keys::Key] = &[$(
                $crate::config::keys::Key::new(
                    $crate::config::reader::section!(@key $field $($key)?),
                    <$type as $crate::config::reader::FromKey>::KIND,
                    $preset,
                    &[$($help),*],
                ),
            )*];

            fn read(
                reader: &$crate::config::reader::Reader<'_>,
            ) -> Result<Self, $crate::config::error::Error> {
                use $crate::config::reader::FromKey;
                Ok(Self {
                    $($field: FromKey::from_key(reader, $crate::config::reader::section!(@key $field $($key)?))?,)*
                })
            }
        }

        impl $crate::config::reader::FromKey for $name {
            const KIND: $crate::config::keys::Kind =
                $crate::config::keys::Kind::Keys(<Self as $crate::config::reader::FromSection>::KEYS);

            fn from_key(
                reader: &$crate::config::reader::Reader<'_>,
                key: &str,
            ) -> Result<Self, $crate::config::error::Error> {
                $crate::config::reader::FromSection::read(&reader.within(key))
            }
        }
    };
    (@key $field:ident) => { stringify!($field) };
    (@key $field:ident $key:literal) => { $key };
}
pub(super) use section;

/// Declares an enum of words to choose from.
macro_rules! choice {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $($(#[$variant_meta:meta])* $variant:ident = $word:literal,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $name {
            $($(#[$variant_meta])* $variant,)*
        }

        impl $crate::config::reader::Choice for $name {
            const WORDS: &'static [&'static str] = &[$($word),*];

            fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}
pub(super) use choice;
