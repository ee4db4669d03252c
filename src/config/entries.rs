//! The values read so far, each with its address and its origin: file, environment and flags in one map.
//!
//! Only values that passed [`check`] get in, so readers find the type that the key declares.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use toml::Value;

use super::error::{Error, hint, quoted};
use super::keys::{Kind, Section, Shape};
use super::origin::Origin;

/// The full name of a key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Address {
    pub(super) section: &'static str,
    shape: Shape,
    /// The `cheap` of `[models.cheap]`; empty if the section appears only once, an [`ordinal`] if it is in an array.
    pub(super) name: String,
    pub(super) key: String,
}

impl Address {
    pub(super) fn new(section: &Section, name: &str, key: &str) -> Self {
        Self { section: section.name, shape: section.shape, name: name.to_owned(), key: key.to_owned() }
    }

    /// The section's header without its outer brackets.
    pub(super) fn header(&self) -> String {
        if self.name.is_empty() {
            return self.section.to_owned();
        }
        if self.shape == Shape::Array {
            return format!("[{}]", self.section);
        }
        let is_bare = self.name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
        let name = quoted(&self.name);
        if is_bare { format!("{}.{name}", self.section) } else { format!("{}.{name:?}", self.section) }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.shape == Shape::Array {
            let number = self.name.trim_start_matches('0');
            return write!(f, "{}.{number}.{}", self.section, quoted(&self.key));
        }
        write!(f, "{}.{}", self.header(), quoted(&self.key))
    }
}

/// The name of the `n`th section of an array, counted from 1. Names sort in the order written.
pub(super) fn ordinal(n: usize) -> String {
    format!("{n:07}")
}

/// A value and where it came from.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) value: Value,
    pub(super) origin: Origin,
}

/// All values written so far.
#[derive(Default)]
pub(super) struct Entries {
    map: BTreeMap<Address, Entry>,
    /// Named sections, including those without a key, and where each begins.
    named: BTreeMap<(&'static str, String), Origin>,
}

impl Entries {
    /// Checks a value and writes it over the value of an earlier source.
    pub(super) fn write(
        &mut self,
        address: Address,
        kind: Kind,
        value: Value,
        origin: Origin,
    ) -> Result<(), Error> {
        let value = check(&address, kind, value, &origin)?;
        self.put(address, value, origin);
        Ok(())
    }

    /// Writes one of our own values, unchecked.
    pub(super) fn put(&mut self, address: Address, value: Value, origin: Origin) {
        self.map.insert(address, Entry { value, origin });
    }

    /// Remembers where a named section begins.
    pub(super) fn begin(&mut self, section: &Section, name: &str, origin: Origin) {
        self.named.entry((section.name, name.to_owned())).or_insert(origin);
    }

    pub(super) fn get(&self, section: &Section, name: &str, key: &str) -> Option<&Entry> {
        self.map.get(&Address::new(section, name, key))
    }

    /// The text of a key, if it is set.
    pub(super) fn text(&self, section: &Section, name: &str, key: &str) -> Option<&str> {
        self.get(section, name, key)?.value.as_str()
    }

    /// Where a key was written, or else where its section begins.
    pub(super) fn origin(&self, section: &Section, name: &str, key: &str) -> Origin {
        let written = self.get(section, name, key).map(|entry| &entry.origin);
        let begun = || self.named.get(&(section.name, name.to_owned()));
        written.or_else(begun).cloned().unwrap_or(Origin::Default)
    }

    /// The names under a section; one empty name if it appears only once.
    pub(super) fn names(&self, section: &Section) -> BTreeSet<String> {
        match section.shape {
            Shape::One => BTreeSet::from([String::new()]),
            Shape::Named | Shape::Array => self
                .named
                .keys()
                .filter(|(of, _)| *of == section.name)
                .map(|(_, name)| name.clone())
                .collect(),
        }
    }

    /// The keys written in one section.
    pub(super) fn section<'a>(
        &'a self,
        section: &'a Section,
        name: &'a str,
    ) -> impl Iterator<Item = (&'a Address, &'a Entry)> {
        self.map.iter().filter(move |(address, _)| address.section == section.name && address.name == name)
    }

    /// Replaces the keys of one section with copies of another's, origins included.
    pub(super) fn replace(&mut self, to: (&Section, &str), from: (&Section, &str)) {
        let copies: Vec<_> = self
            .section(from.0, from.1)
            .map(|(address, entry)| (Address::new(to.0, to.1, &address.key), entry.clone()))
            .collect();
        self.map.retain(|address, _| (address.section, address.name.as_str()) != (to.0.name, to.1));
        self.map.extend(copies);
    }

    /// Overwrites every value of a section whose key ends with `suffix`.
    pub(super) fn overwrite(&mut self, section: &Section, suffix: &str, value: &Value, origin: &Origin) {
        let named = |address: &Address| address.section == section.name && address.key.ends_with(suffix);
        for (_, entry) in self.map.iter_mut().filter(|(address, _)| named(address)) {
            *entry = Entry { value: value.clone(), origin: origin.clone() };
        }
    }
}

/// What to write instead of `kind = "gmail"`, which was a kind of its own once.
const GMAIL: &str = r#"Gmail is IMAP and SMTP. Write these lines and run `sayso auth google`:
kind = "imap"
host = "imap.gmail.com"
login = "google"    # or password_command, with an app password
outgoing = { kind = "smtp", host = "smtp.gmail.com" }"#;

/// Checks `value` against the key's kind. A whole number is accepted as an amount.
fn check(address: &Address, kind: Kind, value: Value, origin: &Origin) -> Result<Value, Error> {
    let wrong_type = |expected, value: &Value| Error::WrongType {
        key: address.to_string(),
        at: origin.clone(),
        expected,
        found: type_name(value),
    };
    let bad = |why| Error::BadValue { key: address.to_string(), at: origin.clone(), why };
    match (kind, value) {
        (Kind::Text, Value::String(text)) => Ok(text.into()),
        (Kind::Text, value) => Err(wrong_type("a string", &value)),
        (Kind::Texts, Value::Array(items)) => match items.iter().find(|item| !item.is_str()) {
            None => Ok(items.into()),
            Some(item) => Err(wrong_type("a list of strings", item)),
        },
        (Kind::Texts, value) => Err(wrong_type("a list of strings", &value)),
        (Kind::Choice(choices), Value::String(text)) => {
            if choices.contains(&text.as_str()) {
                return Ok(text.into());
            }
            let hint = match (address.section, text.as_str()) {
                ("mail", "gmail") => GMAIL.to_owned(),
                _ => hint(&text, choices.iter().copied(), "choose one of"),
            };
            Err(bad(format!("cannot be {:?}; {hint}", quoted(&text))))
        }
        (Kind::Choice(_), value) => Err(wrong_type("a string", &value)),
        (Kind::Count { least, most }, Value::Integer(count)) => {
            if (least..=most).contains(&count) {
                return Ok(count.into());
            }
            Err(bad(format!("must be from {least} to {most}, not {count}")))
        }
        (Kind::Count { .. }, value) => Err(wrong_type("a whole number", &value)),
        // Whole numbers so large that this rounds them are far out of range.
        (Kind::Amount { most }, Value::Integer(integer)) => amount(integer as f64, most).map_err(bad),
        (Kind::Amount { most }, Value::Float(number)) => amount(number, most).map_err(bad),
        (Kind::Amount { .. }, value) => Err(wrong_type("a number", &value)),
        (Kind::Keys(_), value) => Err(wrong_type("a section", &value)),
    }
}

fn amount(number: f64, most: f64) -> Result<Value, String> {
    if (0.0..=most).contains(&number) {
        return Ok(number.into());
    }
    Err(format!("must be from 0 to {most}, not {number}"))
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "a string",
        Value::Integer(_) => "a whole number",
        Value::Float(_) => "a number with a fraction",
        Value::Boolean(_) => "true or false",
        Value::Datetime(_) => "a date",
        Value::Array(_) => "a list",
        Value::Table(_) => "a section",
    }
}
