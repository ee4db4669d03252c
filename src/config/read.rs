//! Reads the file and the environment into [`Entries`].
//!
//! Promises: every unknown section, unknown key and wrong type is refused, by name and line, first line first. Does not
//! know what values mean together; each feature decides that.

use std::path::Path;

use toml::de::{DeTable, DeValue};
use toml::{Spanned, Value};

use super::entries::{Address, Entries, ordinal};
use super::error::{Error, hint, quoted};
use super::inputs::Env;
use super::keys::{Section, Shape, join};
use super::origin::Origin;
use super::sections::{self, SECTIONS};
use crate::text::words::letters_and_digits;

/// Reads the text of the file at `path`.
pub(super) fn file(entries: &mut Entries, path: &Path, text: &str) -> Result<(), Error> {
    let source = Source { path, text };
    let root = DeTable::parse(text).map_err(|error| {
        // The error's own Display quotes the line, which may hold a secret.
        let at = source.origin(error.span().map_or(0, |span| span.start));
        Error::Syntax { message: error.message().lines().collect::<Vec<_>>().join(", "), at }
    })?;
    for (name, value) in in_order(root.get_ref()) {
        let at = source.origin(name.span().start);
        let Some(section) = sections::find(name.get_ref()) else {
            let names = SECTIONS.iter().map(|section| section.name);
            let hint = hint(name.get_ref(), names, "the sections are");
            return Err(Error::UnknownSection { name: quoted(name.get_ref()), at, hint });
        };
        let table = || {
            let table = value.get_ref().as_table();
            table.ok_or_else(|| not_a_section(section, section.name.to_owned(), at.clone()))
        };
        match section.shape {
            Shape::Array => list(entries, &source, section, value, &at)?,
            Shape::One => keys(entries, &source, section, "", "", table()?)?,
            Shape::Named => {
                for (name, value) in in_order(table()?) {
                    let at = source.origin(name.span().start);
                    let address = Address::new(section, name.get_ref(), "");
                    let Some(table) = value.get_ref().as_table() else {
                        return Err(not_a_section(section, address.header(), at));
                    };
                    entries.begin(section, name.get_ref(), at);
                    keys(entries, &source, section, name.get_ref(), "", table)?;
                }
            }
        }
    }
    Ok(())
}

/// Reads the sections of an array, one `[[mail]]` after another.
fn list(
    entries: &mut Entries,
    source: &Source<'_>,
    section: &'static Section,
    value: &Spanned<DeValue<'_>>,
    at: &Origin,
) -> Result<(), Error> {
    let wrong = || not_a_section(section, section.name.to_owned(), at.clone());
    for (index, item) in value.get_ref().as_array().ok_or_else(wrong)?.iter().enumerate() {
        let name = ordinal(index + 1);
        let table = item.get_ref().as_table().ok_or_else(wrong)?;
        entries.begin(section, &name, source.origin(item.span().start));
        keys(entries, source, section, &name, "", table)?;
    }
    Ok(())
}

/// Reads the keys of a section, or of the nested section `within`.
fn keys(
    entries: &mut Entries,
    source: &Source<'_>,
    section: &'static Section,
    name: &str,
    within: &str,
    table: &DeTable<'_>,
) -> Result<(), Error> {
    for (key, value) in in_order(table) {
        let at = source.origin(key.span().start);
        let bare = key.get_ref();
        let key = join(within, bare);
        if let (true, Some(table)) = (section.has_within(&key), value.get_ref().as_table()) {
            keys(entries, source, section, name, &key, table)?;
            continue;
        }
        let address = Address::new(section, name, &key);
        let Some(known) = section.key(&key) else {
            let (section_name, key) = (address.header(), key.as_str());
            if names_a_secret(bare) {
                return Err(Error::SecretInFile { key: quoted(key), section: section_name, at });
            }
            let keys = section.full_keys();
            let hint = hint(key, keys.iter().map(|(name, _)| name.as_str()), "the keys are");
            return Err(Error::UnknownKey { key: quoted(key), section: section_name, at, hint });
        };
        let value = plain(value.get_ref()).ok_or_else(|| Error::BadValue {
            key: address.to_string(),
            at: at.clone(),
            why: "is a number too large to read".to_owned(),
        })?;
        entries.write(address, known.kind, value, at)?;
    }
    Ok(())
}

/// Reads the variables that set single keys: `SAYSO_BUDGET__DAY` sets `day` in `[budget]`.
pub(super) fn env(entries: &mut Entries, env: &Env) -> Result<(), Error> {
    let sections = || SECTIONS.iter().filter(|section| section.shape == Shape::One);
    let variables: Vec<_> = sections()
        .flat_map(|section| section.keys.iter().map(move |key| (key.variable(section), section, key)))
        .collect();
    for name in env.names().filter(|name| name.starts_with("SAYSO_") && name.contains("__")) {
        let Some((_, section, key)) = variables.iter().find(|(variable, ..)| variable == name) else {
            let near = crate::text::nearest(name, variables.iter().map(|(variable, ..)| variable.as_str()));
            let hint = match near {
                Some(near) => format!("did you mean {near}?"),
                None => "unset it; `sayso config` lists the keys".to_owned(),
            };
            return Err(Error::UnknownVariable { name: quoted(name), hint });
        };
        let Some(value) = env.get(name) else { continue };
        let address = Address::new(section, "", key.name);
        let origin = Origin::Env(name.to_owned());
        let Some(text) = value.to_str() else {
            let why = "must be UTF-8 text".to_owned();
            return Err(Error::BadValue { key: address.to_string(), at: origin, why });
        };
        entries.write(address, key.kind, key.kind.spelled(text), origin)?;
    }
    Ok(())
}

/// The table's entries in the order of the file, so that the first mistake is the one reported.
fn in_order<'t, 'i>(
    table: &'t DeTable<'i>,
) -> Vec<(&'t Spanned<toml::de::DeString<'i>>, &'t Spanned<DeValue<'i>>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

/// The value without its position; `None` if a number in it does not fit. Tables are refused later, whatever they hold.
fn plain(value: &DeValue<'_>) -> Option<Value> {
    Some(match value {
        DeValue::String(text) => text.as_ref().into(),
        DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix()).ok()?.into(),
        DeValue::Float(number) => number.as_str().parse::<f64>().ok()?.into(),
        DeValue::Boolean(yes) => (*yes).into(),
        DeValue::Datetime(date) => (*date).into(),
        DeValue::Array(items) => {
            Value::Array(items.iter().map(|item| plain(item.get_ref())).collect::<Option<_>>()?)
        }
        DeValue::Table(_) => toml::Table::new().into(),
    })
}

/// Whether someone who writes this key is about to paste a secret.
fn names_a_secret(key: &str) -> bool {
    matches!(
        letters_and_digits(key).as_str(),
        "apikey" | "key" | "token" | "apitoken" | "secret" | "password"
    )
}

fn not_a_section(section: &Section, name: String, at: Origin) -> Error {
    let example = match section.shape {
        Shape::One => format!("[{}]", section.name),
        Shape::Named => format!("[{}.NAME]", section.name),
        Shape::Array => format!("[[{}]]", section.name),
    };
    Error::NotASection { name, at, example }
}

struct Source<'a> {
    path: &'a Path,
    text: &'a str,
}

impl Source<'_> {
    fn origin(&self, offset: usize) -> Origin {
        let before = &self.text.as_bytes()[..offset.min(self.text.len())];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        Origin::File { path: self.path.to_owned(), line }
    }
}
