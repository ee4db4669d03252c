//! Lets serde read parsed TOML, and keeps what each error is about: the key, and its place in the text.
//!
//! toml's own errors are finished sentences, and some quote the value, which may be a secret. These are the parts, of
//! which `document` makes a sentence with the line and the nearest key.

use std::fmt;
use std::path::PathBuf;
use std::vec;

use serde::de::value::{SeqDeserializer, StrDeserializer};
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, Expected, MapAccess, SeqAccess, Unexpected, Visitor,
};
use serde::{Deserialize as _, forward_to_deserialize_any};
use thiserror::Error;
use toml::Spanned;
use toml::de::{DeArray, DeString, DeTable, DeValue};

/// The name of a field whose struct shares the keys of the struct it is in. serde's `flatten` would not refuse unknown
/// keys, and would lose the lines.
pub(super) const SHARED: &str = "";

/// A secret's field `api_key_*` is read from `api_key_env`, `api_key_command` or `api_key_file`.
pub(super) const KEPT: [&str; 3] = ["env", "command", "file"];

/// The keys that are read into these fields.
pub(super) fn spelled(fields: &[&str]) -> Vec<String> {
    let keys = |field: &&str| match field.strip_suffix('*') {
        Some(stem) => KEPT.map(|kind| format!("{stem}{kind}")).to_vec(),
        None => vec![(*field).to_owned()],
    };
    fields.iter().filter(|field| **field != SHARED).flat_map(keys).collect()
}

/// One step from a section to a value in it.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Key(String),
    /// An item of a list, counted from 1.
    Item(usize),
}

/// What is wrong, and where.
#[derive(Debug, Error)]
#[error("{what:?}")]
pub(super) struct Fault {
    pub(super) what: What,
    pub(super) path: Vec<Step>,
    /// Where in the text it begins.
    pub(super) at: Option<usize>,
}

#[derive(Debug)]
pub(super) enum What {
    UnknownKey { key: String, known: Vec<String> },
    MissingKey { key: String, hint: String },
    WrongType { expected: String, found: &'static str },
    NoChoice { word: String, choices: &'static [&'static str] },
    BadValue(String),
}

impl What {
    fn anywhere(self) -> Fault {
        Fault { what: self, path: Vec::new(), at: None }
    }
}

impl Fault {
    fn at(mut self, at: usize) -> Self {
        self.at.get_or_insert(at);
        self
    }

    fn within(mut self, step: Step, at: usize) -> Self {
        self.path.insert(0, step);
        self.at(at)
    }

    fn also_known(mut self, keys: &[&'static str]) -> Self {
        if let (What::UnknownKey { known, .. }, []) = (&mut self.what, &self.path[..]) {
            known.extend(spelled(keys));
        }
        self
    }
}

impl serde::de::Error for Fault {
    fn custom<T: fmt::Display>(why: T) -> Self {
        What::BadValue(why.to_string()).anywhere()
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let found = match found {
            Unexpected::Str(_) => "a string",
            Unexpected::Signed(_) => "a whole number",
            Unexpected::Float(_) => "a number with a fraction",
            Unexpected::Bool(_) => "true or false",
            Unexpected::Seq => "a list",
            Unexpected::Map => "a section",
            _ => "a date",
        };
        What::WrongType { expected: expected.to_string(), found }.anywhere()
    }

    fn unknown_field(key: &str, known: &'static [&'static str]) -> Self {
        What::UnknownKey { key: key.to_owned(), known: spelled(known) }.anywhere()
    }

    fn unknown_variant(word: &str, choices: &'static [&'static str]) -> Self {
        What::NoChoice { word: word.to_owned(), choices }.anywhere()
    }
}

type Entry<'d> = (&'d Spanned<DeString<'d>>, &'d Spanned<DeValue<'d>>);

/// Expands a path as written.
type Expand<'d> = &'d dyn Fn(&str) -> PathBuf;

/// A value that serde can read.
pub(super) struct Node<'d> {
    value: Value<'d>,
    expand: Expand<'d>,
}

enum Value<'d> {
    Written(&'d DeValue<'d>),
    /// Where a secret is kept: one of [`KEPT`], and what was written.
    Kept(&'static str, &'d DeValue<'d>),
    /// The keys of a section that belong to its [`SHARED`] field.
    Keys(Vec<Entry<'d>>),
}

impl<'d> Node<'d> {
    pub(super) fn new(value: &'d DeValue<'d>, expand: Expand<'d>) -> Self {
        Self { value: Value::Written(value), expand }
    }
}

impl<'de> Deserializer<'de> for Node<'_> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let value = match self.value {
            Value::Written(value) => value,
            Value::Keys(entries) => return visitor.visit_map(Table::new(entries, &[], self.expand)),
            Value::Kept(kind, value) => {
                let text = String::deserialize(Node::new(value, self.expand))?;
                let is_path = kind == "file";
                let text = if is_path { (self.expand)(&text).to_string_lossy().into_owned() } else { text };
                return visitor.visit_seq(SeqDeserializer::new([kind, &text].into_iter()));
            }
        };
        match value {
            DeValue::String(text) => visitor.visit_str(text),
            DeValue::Integer(integer) => {
                let number = i64::from_str_radix(integer.as_str(), integer.radix());
                visitor.visit_i64(number.map_err(|_| Fault::custom("is a number too large to read"))?)
            }
            DeValue::Float(number) => {
                let number = number.as_str().parse();
                visitor.visit_f64(number.map_err(|_| Fault::custom("is not a number"))?)
            }
            DeValue::Boolean(yes) => visitor.visit_bool(*yes),
            DeValue::Datetime(_) => Err(Fault::invalid_type(Unexpected::Other("date"), &visitor)),
            DeValue::Array(items) => visitor.visit_seq(List { items, next: 0, expand: self.expand }),
            DeValue::Table(table) => visitor.visit_map(Table::new(in_order(table), &[], self.expand)),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let entries = match self.value {
            Value::Keys(entries) => entries,
            Value::Written(DeValue::Table(table)) => in_order(table),
            // serde would take a list for a struct, too.
            Value::Written(DeValue::Array(_)) => return Err(Fault::invalid_type(Unexpected::Seq, &visitor)),
            _ => return self.deserialize_any(visitor),
        };
        visitor.visit_map(Table::new(entries, fields, self.expand))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match self.value {
            Value::Written(DeValue::String(word)) => visitor.visit_enum(StrDeserializer::new(word)),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_some(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf unit unit_struct newtype_struct seq
        tuple tuple_struct map identifier ignored_any
    }
}

/// The table's entries in the order of the file, so that the first mistake is the one reported.
pub(super) fn in_order<'d>(table: &'d DeTable<'d>) -> Vec<Entry<'d>> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

struct Table<'d> {
    entries: vec::IntoIter<Entry<'d>>,
    current: Option<Entry<'d>>,
    /// The keys for the field that shares them.
    shared: Vec<Entry<'d>>,
    /// The fields of secrets that were read, and from which key.
    kept: Vec<(&'static str, &'d str)>,
    fields: &'static [&'static str],
    expand: Expand<'d>,
}

impl<'d> Table<'d> {
    fn new(entries: Vec<Entry<'d>>, fields: &'static [&'static str], expand: Expand<'d>) -> Self {
        let is_own = |(key, _): &Entry<'_>| {
            let key = key.get_ref().as_ref();
            !fields.contains(&SHARED) || fields.contains(&key) || kept_field(fields, key).is_some()
        };
        let (own, shared): (Vec<_>, Vec<_>) = entries.into_iter().partition(is_own);
        Self { entries: own.into_iter(), current: None, shared, kept: Vec::new(), fields, expand }
    }
}

/// The field of a secret that `key` is for, and where the secret is kept.
fn kept_field(fields: &[&'static str], key: &str) -> Option<(&'static str, &'static str)> {
    KEPT.into_iter().find_map(|kind| {
        let stem = key.strip_suffix(kind)?;
        let field = fields.iter().find(|field| field.strip_suffix('*') == Some(stem))?;
        Some((*field, kind))
    })
}

impl<'de> MapAccess<'de> for Table<'_> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Fault> {
        self.current = self.entries.next();
        let (mut name, at) = match self.current {
            Some((key, _)) => (key.get_ref().as_ref(), key.span().start),
            None if self.shared.is_empty() => return Ok(None),
            None => (SHARED, 0),
        };
        if let Some((field, _)) = kept_field(self.fields, name) {
            if let Some((_, first)) = self.kept.iter().find(|(known, _)| *known == field) {
                let why = format!("says the same as {first}; keep one of them");
                return Err(Fault::custom(why).within(Step::Key(name.to_owned()), at));
            }
            self.kept.push((field, name));
            name = field;
        }
        seed.deserialize(StrDeserializer::new(name)).map(Some).map_err(|fault: Fault| fault.at(at))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Fault> {
        let expand = self.expand;
        let Some((key, value)) = self.current.take() else {
            let keys = Value::Keys(std::mem::take(&mut self.shared));
            let read = seed.deserialize(Node { value: keys, expand });
            return read.map_err(|fault| fault.also_known(self.fields));
        };
        let (name, value) = (key.get_ref().as_ref(), value.get_ref());
        let value = match kept_field(self.fields, name) {
            Some((_, kind)) => Value::Kept(kind, value),
            None => Value::Written(value),
        };
        let read = seed.deserialize(Node { value, expand });
        read.map_err(|fault| fault.within(Step::Key(name.to_owned()), key.span().start))
    }
}

struct List<'d> {
    items: &'d DeArray<'d>,
    next: usize,
    expand: Expand<'d>,
}

impl<'de> SeqAccess<'de> for List<'_> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Fault> {
        let Some(item) = self.items.get(self.next) else { return Ok(None) };
        self.next += 1;
        let read = seed.deserialize(Node::new(item.get_ref(), self.expand));
        read.map(Some).map_err(|fault| fault.within(Step::Item(self.next), item.span().start))
    }
}
