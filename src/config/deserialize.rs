//! Lets serde read parsed TOML, and keeps what each error is about: the key, and its place in the text.
//!
//! toml's own errors are finished sentences, and some quote the value, which may be a secret. These are the parts, of
//! which `document` makes a sentence with the line and the nearest key.

use std::fmt;
use std::vec;

use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, Expected, MapAccess, SeqAccess, Unexpected, Visitor,
};
use serde::forward_to_deserialize_any;
use thiserror::Error;
use toml::Spanned;
use toml::de::{DeArray, DeString, DeTable, DeValue};

/// The name of a field whose struct shares the keys of the struct it is in. serde's `flatten` would not refuse unknown
/// keys, and would lose the lines.
pub(super) const SHARED: &str = "";

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
    UnknownKey { key: String, known: Vec<&'static str> },
    MissingKey { key: String, hint: String },
    WrongType { expected: String, found: String },
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
            known.extend(keys);
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
        What::WrongType { expected: expected.to_string(), found: found.to_owned() }.anywhere()
    }

    fn unknown_field(key: &str, known: &'static [&'static str]) -> Self {
        What::UnknownKey { key: key.to_owned(), known: known.to_vec() }.anywhere()
    }

    fn unknown_variant(word: &str, choices: &'static [&'static str]) -> Self {
        What::NoChoice { word: word.to_owned(), choices }.anywhere()
    }
}

type Entry<'d> = (&'d Spanned<DeString<'d>>, &'d Spanned<DeValue<'d>>);

/// A value that serde can read.
pub(super) enum Node<'d> {
    Value(&'d DeValue<'d>),
    /// The keys of a section that belong to its [`SHARED`] field.
    Keys(Vec<Entry<'d>>),
}

impl<'de> Deserializer<'de> for Node<'_> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self {
            Self::Keys(entries) => visitor.visit_map(Table::new(entries, &[])),
            Self::Value(value) => match value {
                DeValue::String(text) => visitor.visit_str(text),
                DeValue::Integer(integer) => match i64::from_str_radix(integer.as_str(), integer.radix()) {
                    Ok(integer) => visitor.visit_i64(integer),
                    Err(_) => Err(Fault::custom("is a number too large to read")),
                },
                DeValue::Float(number) => match number.as_str().parse() {
                    Ok(number) => visitor.visit_f64(number),
                    Err(_) => Err(Fault::custom("is a number too large to read")),
                },
                DeValue::Boolean(yes) => visitor.visit_bool(*yes),
                DeValue::Datetime(_) => Err(Fault::invalid_type(Unexpected::Other("date"), &visitor)),
                DeValue::Array(items) => visitor.visit_seq(List { items, next: 0 }),
                DeValue::Table(table) => visitor.visit_map(Table::new(in_order(table), &[])),
            },
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match self {
            Self::Keys(entries) => visitor.visit_map(Table::new(entries, fields)),
            Self::Value(DeValue::Table(table)) => visitor.visit_map(Table::new(in_order(table), fields)),
            // Any list would do for a struct, too.
            Self::Value(DeValue::Array(_)) => Err(Fault::invalid_type(Unexpected::Seq, &visitor)),
            other => other.deserialize_any(visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match self {
            Self::Value(DeValue::String(word)) => visitor.visit_enum(StrDeserializer::new(word)),
            other => other.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier ignored_any
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
    fields: &'static [&'static str],
}

impl<'d> Table<'d> {
    fn new(entries: Vec<Entry<'d>>, fields: &'static [&'static str]) -> Self {
        let is_own =
            |(key, _): &Entry<'_>| !fields.contains(&SHARED) || fields.contains(&key.get_ref().as_ref());
        let (own, shared): (Vec<_>, Vec<_>) = entries.into_iter().partition(is_own);
        Self { entries: own.into_iter(), current: None, shared, fields }
    }
}

impl<'de> MapAccess<'de> for Table<'_> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Fault> {
        self.current = self.entries.next();
        let (name, at) = match self.current {
            Some((key, _)) => (key.get_ref().as_ref(), key.span().start),
            None if self.shared.is_empty() => return Ok(None),
            None => (SHARED, 0),
        };
        seed.deserialize(StrDeserializer::new(name)).map(Some).map_err(|fault: Fault| fault.at(at))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Fault> {
        match self.current.take() {
            Some((key, value)) => seed.deserialize(Node::Value(value.get_ref())).map_err(|fault| {
                fault.within(Step::Key(key.get_ref().clone().into_owned()), key.span().start)
            }),
            None => {
                let keys = Node::Keys(std::mem::take(&mut self.shared));
                seed.deserialize(keys).map_err(|fault| fault.also_known(self.fields))
            }
        }
    }
}

struct List<'d> {
    items: &'d DeArray<'d>,
    next: usize,
}

impl<'de> SeqAccess<'de> for List<'_> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Fault> {
        let Some(item) = self.items.get(self.next) else { return Ok(None) };
        self.next += 1;
        let read = seed.deserialize(Node::Value(item.get_ref()));
        read.map(Some).map_err(|fault| fault.within(Step::Item(self.next), item.span().start))
    }
}
