//! The file: its text, its values, and the line of each. Makes the sentences that say what is wrong with it.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::deserialize::{Fault, KEPT, Node, Step, What, in_order, spelled};
use super::error::{Error, hint, quoted};
use super::headers::{Header, HeaderLine};
use super::inputs::Host;
use super::secret::Secret;
use crate::text::words::letters_and_digits;

/// The file, parsed.
pub(super) struct Document<'a> {
    path: &'a Path,
    text: &'a str,
    root: Spanned<DeValue<'a>>,
    host: &'a Host,
    /// The folder that relative paths start from.
    base: &'a Path,
}

impl<'a> Document<'a> {
    pub(super) fn parse(
        path: &'a Path,
        text: &'a str,
        host: &'a Host,
        base: &'a Path,
    ) -> Result<Self, Error> {
        let root = DeTable::parse(text).map_err(|error| {
            // The error's own Display quotes the line, which may hold a secret.
            let message = error.message().lines().collect::<Vec<_>>().join(", ");
            let at = place(path, text, error.span().map(|span| span.start));
            Error::Wrong(format!("{message} {at}; correct the line"))
        })?;
        let root = Spanned::new(root.span(), DeValue::Table(root.into_inner()));
        Ok(Self { path, text, root, host, base })
    }

    /// Reads the whole file.
    pub(super) fn read<'de, T: Deserialize<'de>>(&self) -> Result<T, Error> {
        let expand = |text: &str| self.expand(text);
        T::deserialize(Node::new(self.root.get_ref(), &expand)).map_err(|fault| self.error(fault))
    }

    fn expand(&self, text: &str) -> PathBuf {
        self.host.expand_from(self.base, Path::new(text))
    }

    /// A section, for what is found once the file is read.
    pub(super) fn section(&'a self, name: &str) -> Section<'a> {
        Section { document: self, path: Vec::new() }.key(name)
    }

    /// Every value with its full key, in the order written; empty lists of sections have none.
    pub(super) fn rows(&self) -> Vec<(String, &DeValue<'_>)> {
        let mut rows = Vec::new();
        collect(&mut rows, &mut Vec::new(), self.root.get_ref());
        rows
    }

    /// The value at `path`, or else at the longest part of it that is written, and where that begins.
    fn find(&self, path: &[Step]) -> (usize, Option<usize>) {
        let (mut value, mut at) = (&self.root, None);
        for (depth, step) in path.iter().enumerate() {
            let next = match (step, value.get_ref()) {
                (Step::Key(name), DeValue::Table(table)) => {
                    let entry = table.iter().find(|(key, _)| key.get_ref() == name.as_str());
                    entry.map(|(key, value)| (key.span().start, value))
                }
                (Step::Item(n), DeValue::Array(items)) => {
                    items.get(n.saturating_sub(1)).map(|item| (item.span().start, item))
                }
                _ => None,
            };
            let Some((begins, inner)) = next else { return (depth, at) };
            (value, at) = (inner, Some(begins));
        }
        (path.len(), at)
    }

    fn place(&self, at: Option<usize>) -> String {
        place(self.path, self.text, at)
    }

    fn error(&self, Fault { what, path, at }: Fault) -> Error {
        let (name, header, at) = (name(&path), header(&path), self.place(at));
        Error::Wrong(match what {
            What::UnknownKey { key, known } => {
                let known = known.iter().map(String::as_str);
                let kept = known.clone().filter_map(|key| key.strip_suffix("env"));
                let kept = kept.flat_map(|stem| KEPT.map(|kind| format!("{stem}{kind}")));
                let secrets = kept.collect::<Vec<_>>().join(", ");
                let key = quoted(&key);
                if path.is_empty() {
                    format!("unknown section [{key}] {at}; {}", hint(&key, known, "the sections are"))
                } else if names_a_secret(&key) && !secrets.is_empty() {
                    format!(
                        "{key:?} in {header} {at} would keep a secret in the file; write where it is kept: {secrets}"
                    )
                } else {
                    format!("unknown key {key:?} in {header} {at}; {}", hint(&key, known, "the keys are"))
                }
            }
            What::MissingKey { key, hint } => format!("{header} {at} needs {key}; {hint}"),
            What::WrongType { expected, found } => {
                let expected = match (expected.as_str(), path.len()) {
                    ("a sequence", 1) => &format!("a list of sections, each under [[{name}]]"),
                    ("a sequence", _) => "a list",
                    ("a map", _) => "a section",
                    ("i64", _) => "a whole number",
                    ("f64", _) => "a number",
                    (expected, _) => expected,
                };
                format!("{name} {at} must be {expected}, not {found}")
            }
            What::NoChoice { word, choices } => {
                let hint = hint(&word, choices.iter().copied(), "choose one of");
                format!("{name} {at} cannot be {:?}; {hint}", quoted(&word))
            }
            What::BadValue(why) => format!("{name} {at} {why}"),
        })
    }
}

/// A section of the file, for what is found wrong once it is read, and for what its values mean there.
#[derive(Clone)]
pub(super) struct Section<'a> {
    document: &'a Document<'a>,
    path: Vec<Step>,
}

impl Section<'_> {
    /// What is under `key`.
    pub(super) fn key(&self, key: &str) -> Self {
        self.step(Step::Key(key.to_owned()))
    }

    /// The `n`th section of a list, counted from 0.
    pub(super) fn item(&self, n: usize) -> Self {
        self.step(Step::Item(n + 1))
    }

    fn step(&self, step: Step) -> Self {
        let mut section = self.clone();
        section.path.push(step);
        section
    }

    /// Whether a key is written.
    pub(super) fn has(&self, key: &str) -> bool {
        let path = self.key(key).path;
        self.document.find(&path).0 == path.len()
    }

    /// The key that is written for a field.
    fn written(&self, field: &str) -> Option<String> {
        let kept = KEPT.map(|kind| format!("{field}_{kind}"));
        [field.to_owned()].into_iter().chain(kept).find(|key| self.has(key))
    }

    fn error(&self, what: What) -> Error {
        let (path, at) = (self.path.clone(), self.document.find(&self.path).1);
        self.document.error(Fault { what, path, at })
    }

    /// The error for something that cannot be as it is.
    pub(super) fn wrong(&self, why: impl Into<String>) -> Error {
        self.error(What::BadValue(why.into()))
    }

    /// The error for a value that is not allowed.
    pub(super) fn bad(&self, key: &str, why: impl Into<String>) -> Error {
        self.key(key).wrong(why)
    }

    /// The error for a required value that is missing.
    pub(super) fn missing(&self, key: &str, hint: &str) -> Error {
        self.error(What::MissingKey { key: key.to_owned(), hint: hint.to_owned() })
    }

    /// The error for a key of a section that serde cannot know.
    pub(super) fn unknown(&self, key: &str, known: &[&str]) -> Error {
        let at = self.document.find(&self.key(key).path).1;
        let what = What::UnknownKey { key: key.to_owned(), known: spelled(known) };
        self.document.error(Fault { what, path: self.path.clone(), at })
    }

    /// The error for a model that is not defined.
    pub(super) fn no_model<'m>(
        &self,
        key: &str,
        model: &str,
        known: impl Iterator<Item = &'m String>,
    ) -> Error {
        Error::no_model(model, &self.document.place(self.document.find(&self.key(key).path).1), known)
    }

    /// Refuses fields that mean nothing for this kind: they were written by mistake.
    pub(super) fn refuse<'k>(
        &self,
        kind: &str,
        fields: impl IntoIterator<Item = &'k &'k str>,
    ) -> Result<(), Error> {
        match fields.into_iter().find_map(|field| self.written(field)) {
            Some(key) => {
                let why = format!("means nothing for kind {kind:?}; leave it out, or change the kind");
                Err(self.bad(&key, why))
            }
            None => Ok(()),
        }
    }

    /// Refuses more than one of these fields.
    pub(super) fn only_one(&self, fields: &[&str]) -> Result<(), Error> {
        let mut written = fields.iter().filter_map(|field| self.written(field));
        match (written.next(), written.next()) {
            (Some(first), Some(key)) => {
                Err(self.bad(&key, format!("says the same as {first}; keep one of them")))
            }
            _ => Ok(()),
        }
    }

    /// Refuses words that are not among those known.
    pub(super) fn among(&self, key: &str, words: &[String], known: &[&str]) -> Result<(), Error> {
        match words.iter().find(|word| !known.contains(&word.as_str())) {
            Some(odd) => {
                let hint = hint(odd, known.iter().copied(), "choose among");
                Err(self.bad(key, format!("cannot have {:?}; {hint}", quoted(odd))))
            }
            None => Ok(()),
        }
    }

    /// Expands a path as written.
    pub(super) fn path(&self, text: &str) -> PathBuf {
        self.document.expand(text)
    }

    /// Expands a command's program, which may be in the home folder.
    pub(super) fn command(&self, mut words: Vec<String>) -> Vec<String> {
        if let Some(program) = words.first_mut().filter(|program| program.starts_with("~/")) {
            *program = self.path(program).to_string_lossy().into_owned();
        }
        words
    }

    /// Headers as they are sent, with the paths in them expanded.
    pub(super) fn headers(&self, written: Vec<HeaderLine>) -> Vec<(String, Header)> {
        let expand = |HeaderLine(name, value)| match value {
            Header::Secret(Secret::File(path)) => {
                (name, Header::Secret(Secret::File(self.path(&path.to_string_lossy()))))
            }
            value => (name, value),
        };
        written.into_iter().map(expand).collect()
    }
}

/// `at /x/config.toml:7`, or just the file.
fn place(path: &Path, text: &str, at: Option<usize>) -> String {
    let Some(at) = at else { return format!("in {}", path.display()) };
    let before = &text.as_bytes()[..at.min(text.len())];
    let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
    format!("at {}:{line}", path.display())
}

fn collect<'d>(rows: &mut Vec<(String, &'d DeValue<'d>)>, path: &mut Vec<Step>, value: &'d DeValue<'d>) {
    let mut enter = |step, value| {
        path.push(step);
        collect(rows, path, value);
        path.pop();
    };
    match value {
        DeValue::Table(table) => {
            for (key, value) in in_order(table) {
                enter(Step::Key(key.get_ref().clone().into_owned()), value.get_ref());
            }
        }
        DeValue::Array(items) if items.iter().any(|item| item.get_ref().is_table()) => {
            for (n, item) in items.iter().enumerate() {
                enter(Step::Item(n + 1), item.get_ref());
            }
        }
        value => rows.push((name(path), value)),
    }
}

/// The full name of a key, such as `mail.2.outgoing.kind`.
fn name(path: &[Step]) -> String {
    let words: Vec<_> = path.iter().map(word).collect();
    words.join(".")
}

/// The header of a section: `[mail.outgoing]`, `[[mail]]`.
fn header(path: &[Step]) -> String {
    let words: Vec<_> = path.iter().filter(|step| matches!(step, Step::Key(_))).map(word).collect();
    match path.last() {
        Some(Step::Item(_)) => format!("[[{}]]", words.join(".")),
        _ => format!("[{}]", words.join(".")),
    }
}

fn word(step: &Step) -> String {
    match step {
        Step::Item(n) => n.to_string(),
        Step::Key(key) if key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')) => {
            quoted(key)
        }
        Step::Key(key) => format!("{:?}", quoted(key)),
    }
}

/// Whether someone who writes this key is about to paste a secret.
fn names_a_secret(key: &str) -> bool {
    matches!(
        letters_and_digits(key).as_str(),
        "apikey" | "key" | "token" | "apitoken" | "secret" | "password"
    )
}
