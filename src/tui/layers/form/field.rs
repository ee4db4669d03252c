//! One field: its kind, taken from its schema, and the text typed in it.

use crate::text::{Visible, when};
use crate::tui::editor::Editor;
use crate::tui::words;
use jiff::{Timestamp, Zoned};
use serde_json::{Number, Value};

/// What a field accepts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FieldKind {
    #[default]
    Text,
    /// Several lines.
    Long,
    /// A number.
    Number {
        is_integer: bool,
    },
    YesNo,
    Choice(Vec<String>),
    /// A point in time as people write it; what they typed becomes RFC 3339.
    DateTime,
    /// Strings, one per line.
    List,
    /// Anything else, as JSON.
    Json,
    Fixed,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Field {
    /// The argument's name.
    pub name: String,
    /// The schema's description.
    pub help: String,
    pub kind: FieldKind,
    /// What else it could hold: the people that a reply leaves out.
    pub examples: Vec<String>,
    /// Whether it may be left empty.
    pub optional: bool,
    /// Whether it names a file or a folder.
    pub path: bool,
    /// Whether an empty field counts as missing instead of as an empty string.
    pub rejects_empty: bool,
    pub editor: Editor,
    /// What is wrong with the text.
    pub error: Option<String>,
    /// Whether what was chosen in another field leaves no place for it.
    pub is_left_out: bool,
    original: Value,
}

/// Names of arguments that are files or folders, unless the schema says so itself.
const PATH_NAMES: &[&str] =
    &["path", "file", "dir", "folder", "inputs", "workbook", "out", "directory", "attachments"];

/// Names of arguments that are long texts, unless the schema says so itself.
const LONG_TEXT_NAMES: &[&str] =
    &["body", "content", "text", "message", "code", "instruction", "query", "description"];

/// The arguments of a mail, in the order people expect.
pub(super) const MAIL_ORDER: &[&str] = &[
    "to",
    "cc",
    "bcc",
    "subject",
    "content",
    "body",
    "text",
    "message",
    "attachments",
    "remind_after",
    "from",
];

impl Field {
    /// The field for an argument with this schema and value, as seen from `now`.
    pub fn new(
        root: &Value,
        name: &str,
        schema: &Value,
        value: Option<&Value>,
        required: bool,
        now: &Zoned,
    ) -> Self {
        let (schema, nullable) = resolve(root, schema);
        let kind = kind(name, schema, value);
        let word = |key: &str| schema.get(key).and_then(Value::as_str).unwrap_or_default();
        let path = matches!(kind, FieldKind::Text | FieldKind::List)
            && (word("format") == "path" || PATH_NAMES.contains(&name));
        let value = value.or_else(|| schema.get("default")).cloned();
        let text = to_text(&kind, value.as_ref().or_else(|| schema.get("const")), now);
        let editor = match kind {
            FieldKind::Long | FieldKind::List | FieldKind::Json => Editor::long(&text),
            _ => Editor::line(&text),
        };
        Self {
            name: name.to_owned(),
            help: Visible::line(word("description")).into_string(),
            examples: schema.get("examples").and_then(Value::as_array).map_or_else(Vec::new, |examples| {
                examples.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }),
            optional: nullable || !required,
            original: value
                .or_else(|| schema.get("const").filter(|_| required).cloned())
                .unwrap_or(Value::Null),
            kind,
            path,
            rejects_empty: false,
            editor,
            error: None,
            is_left_out: false,
        }
    }

    /// A plain text box.
    pub fn text_box() -> Self {
        Self { kind: FieldKind::Long, editor: Editor::long(""), ..Self::default() }
    }

    /// Whether it is the text of a letter.
    pub fn is_body(&self) -> bool {
        self.kind == FieldKind::Long && words::BODY_ARGS.contains(&self.name.as_str())
    }

    /// The field people most likely want to change: a time, or else a letter.
    pub fn first_to_edit(fields: &[Self]) -> Option<usize> {
        let first =
            |is_it: fn(&Self) -> bool| fields.iter().position(|field| !field.is_left_out && is_it(field));
        first(|field| field.kind == FieldKind::DateTime).or_else(|| first(Self::is_body))
    }

    /// The typed text as an argument, as seen from `now`; `None` if the field was left empty and may be.
    pub fn value(&self, now: &Zoned) -> Result<Option<Value>, String> {
        let text = self.editor.text();
        let line = text.trim();
        if line.is_empty() && self.optional && self.kind != FieldKind::Fixed {
            return Ok(None);
        }
        if line.is_empty() && self.rejects_empty && self.kind != FieldKind::Fixed {
            return Err("is required".to_owned());
        }
        Ok(Some(match &self.kind {
            FieldKind::Fixed if self.original.is_null() && self.optional => return Ok(None),
            FieldKind::Fixed => self.original.clone(),
            FieldKind::Text | FieldKind::Long => Value::from(text),
            FieldKind::Choice(_) => Value::from(line),
            FieldKind::Number { is_integer } => {
                let number = serde_json::from_str::<Number>(line).ok();
                let fits = |number: &Number| !is_integer || number.as_f64().is_some_and(|n| n.fract() == 0.0);
                let error = if *is_integer { "write a whole number" } else { "write a number" };
                Value::Number(number.filter(fits).ok_or(error.to_owned())?)
            }
            FieldKind::YesNo => match line.to_ascii_lowercase().as_str() {
                "yes" | "y" | "true" => Value::Bool(true),
                "no" | "n" | "false" => Value::Bool(false),
                _ => return Err("write yes or no; space changes it".to_owned()),
            },
            // An untouched time stays as it was written, whatever it was.
            FieldKind::DateTime
                if self.original.is_string() && text == to_text(&self.kind, Some(&self.original), now) =>
            {
                self.original.clone()
            }
            FieldKind::DateTime => {
                let at = when::parse_time(line, now)?;
                let is_same_time = |text: &str| text.parse::<Timestamp>().is_ok_and(|other| other == at);
                if self.original.as_str().is_some_and(is_same_time) {
                    self.original.clone()
                } else if is_same_time(line) {
                    Value::from(line)
                } else {
                    let local = at.to_zoned(now.time_zone().clone());
                    Value::from(local.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string())
                }
            }
            FieldKind::List => {
                text.lines().map(str::trim).filter(|line| !line.is_empty()).map(Value::from).collect()
            }
            FieldKind::Json => serde_json::from_str(text).map_err(|e| format!("this is not JSON: {e}"))?,
        }))
    }

    /// The time it means, in words; `None` if it is no time.
    pub fn time(&self, now: &Zoned) -> Option<String> {
        if self.kind != FieldKind::DateTime {
            return None;
        }
        let at = when::parse_time(self.editor.text(), now).ok()?.to_zoned(now.time_zone().clone());
        Some(at.strftime("%A %-d %B %Y, %H:%M").to_string())
    }

    /// Its text for a draft. Days pass and people travel, so a time is kept with its date and offset.
    pub fn draft_text(&self, now: &Zoned) -> String {
        match self.value(now) {
            Ok(Some(Value::String(time))) if self.kind == FieldKind::DateTime => time,
            Ok(_) | Err(_) => self.editor.text().to_owned(),
        }
    }

    /// Puts back the text of a draft.
    pub fn restore(&mut self, draft: &str, now: &Zoned) {
        if self.kind == FieldKind::DateTime {
            self.editor.set(&local_time(draft, now));
        } else {
            self.editor.set(draft);
        }
    }

    /// Switches to the field's next choice, if it has choices.
    pub fn next_choice(&mut self) -> bool {
        let current = self.editor.text().trim().to_ascii_lowercase();
        match &self.kind {
            FieldKind::YesNo => self.editor.set(if current == "yes" { "no" } else { "yes" }),
            FieldKind::Choice(choices) => {
                let index = choices.iter().position(|choice| choice.to_ascii_lowercase() == current);
                let next = index.map_or(0, |index| (index + 1) % choices.len().max(1));
                let Some(next) = choices.get(next).cloned() else { return false };
                self.editor.set(&next);
            }
            FieldKind::Text
            | FieldKind::Long
            | FieldKind::Number { .. }
            | FieldKind::DateTime
            | FieldKind::List
            | FieldKind::Json
            | FieldKind::Fixed => return false,
        }
        true
    }

    /// What it is for and what it accepts, without saying anything twice.
    pub fn about(&self, now: &Zoned) -> String {
        let repeats_name =
            self.help.trim_start_matches("The ").trim_end_matches('.') == self.name.replace('_', " ");
        let help = if repeats_name { "" } else { self.help.as_str() };
        let hint = match &self.kind {
            FieldKind::Long if !help.is_empty() => String::new(),
            FieldKind::Text if self.path && !help.is_empty() => "<complete> completes".to_owned(),
            FieldKind::List if self.path && !help.is_empty() => {
                "one per line; <complete> completes".to_owned()
            }
            _ => self.hint(now),
        };
        match (help, hint.as_str()) {
            ("", hint) => hint.to_owned(),
            (help, "") => help.to_owned(),
            (help, hint) => format!("{help} · {hint}"),
        }
    }

    /// What it accepts, in a few words; for a time, how it is understood.
    pub fn hint(&self, now: &Zoned) -> String {
        match &self.kind {
            FieldKind::Text if self.path => "a path; <complete> completes".to_owned(),
            FieldKind::List if self.path => "paths, one per line; <complete> completes".to_owned(),
            FieldKind::Text => String::new(),
            FieldKind::Long => "text".to_owned(),
            FieldKind::Number { is_integer: true } => "a whole number".to_owned(),
            FieldKind::Number { is_integer: false } => "a number".to_owned(),
            FieldKind::YesNo => "yes or no; space changes it".to_owned(),
            FieldKind::Choice(choices) => format!("{}; space changes it", choices.join(" | ")),
            FieldKind::DateTime => {
                self.time(now).unwrap_or_else(|| "a time, such as thu 15:00 or 2026-11-19 15:00".to_owned())
            }
            FieldKind::List => "one per line".to_owned(),
            FieldKind::Json => "JSON".to_owned(),
            FieldKind::Fixed => "cannot be changed".to_owned(),
        }
    }
}

/// A schema without its references and its `null`, and whether it had a `null`.
pub(super) fn resolve<'s>(root: &'s Value, schema: &'s Value) -> (&'s Value, bool) {
    let mut schema = schema;
    let mut nullable = false;
    // Schemas come from outside too, so a reference to itself must end.
    for _ in 0..16 {
        if let Some(pointer) = schema.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix('#'))
        {
            match root.pointer(pointer) {
                Some(target) => schema = target,
                None => break,
            }
        } else if let Some(variants) =
            schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array)
        {
            let is_null = |variant: &&Value| variant.get("type").and_then(Value::as_str) == Some("null");
            let mut others = variants.iter().filter(|variant| !is_null(variant));
            match (others.next(), others.next()) {
                (Some(only), None) => (schema, nullable) = (only, true),
                _ => break,
            }
        } else {
            break;
        }
    }
    (schema, nullable || types(schema).contains(&"null"))
}

fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(some)) => some.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn kind(name: &str, schema: &Value, value: Option<&Value>) -> FieldKind {
    if schema.get("const").is_some() {
        return FieldKind::Fixed;
    }
    if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
        let words: Vec<String> = choices.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        return if words.len() == choices.len() { FieldKind::Choice(words) } else { FieldKind::Json };
    }
    let types: Vec<&str> = types(schema).into_iter().filter(|word| *word != "null").collect();
    match types.as_slice() {
        ["string"] => match schema.get("format").and_then(Value::as_str) {
            Some("date-time") => FieldKind::DateTime,
            Some("multiline" | "markdown" | "textarea") => FieldKind::Long,
            _ if LONG_TEXT_NAMES.contains(&name) => FieldKind::Long,
            _ if value.and_then(Value::as_str).is_some_and(|text| text.contains('\n')) => FieldKind::Long,
            _ => FieldKind::Text,
        },
        ["integer"] => FieldKind::Number { is_integer: true },
        ["number"] => FieldKind::Number { is_integer: false },
        ["boolean"] => FieldKind::YesNo,
        ["array"] if is_text_list(schema, value) => FieldKind::List,
        [] => match value.and_then(Value::as_str) {
            Some(text) if text.contains('\n') => FieldKind::Long,
            Some(_) => FieldKind::Text,
            None => FieldKind::Json,
        },
        _ => FieldKind::Json,
    }
}

fn is_text_list(schema: &Value, value: Option<&Value>) -> bool {
    let has_text_items =
        schema.get("items").is_none_or(|items| types(items) == ["string"] && items.get("enum").is_none());
    // An item that would not survive the round trip is edited as JSON.
    let is_plain = |item: &Value| {
        item.as_str().is_some_and(|text| !text.contains('\n') && !text.is_empty() && text.trim() == text)
    };
    has_text_items && value.and_then(Value::as_array).is_none_or(|items| items.iter().all(is_plain))
}

fn to_text(kind: &FieldKind, value: Option<&Value>, now: &Zoned) -> String {
    match (kind, value) {
        (_, None | Some(Value::Null)) => String::new(),
        (FieldKind::YesNo, Some(Value::Bool(yes))) => if *yes { "yes" } else { "no" }.to_owned(),
        (FieldKind::List, Some(Value::Array(items))) => {
            items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
        }
        (FieldKind::Json, Some(value)) => serde_json::to_string_pretty(value).unwrap_or_default(),
        (FieldKind::DateTime | FieldKind::Fixed, Some(Value::String(text))) => local_time(text, now),
        (_, Some(Value::String(text))) => text.clone(),
        (_, Some(value)) => value.to_string(),
    }
}

/// A time by the person's clock, unless it would be read back as another one.
fn local_time(text: &str, now: &Zoned) -> String {
    let Ok(at) = text.parse::<Timestamp>() else { return text.to_owned() };
    let shown = at.to_zoned(now.time_zone().clone()).strftime("%Y-%m-%d %H:%M").to_string();
    if when::parse_time(&shown, now) == Ok(at) { shown } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_field_says_nothing_twice() {
        let now = Zoned::default();
        let about =
            |name: &str, schema: Value| Field::new(&Value::Null, name, &schema, None, true, &now).about(&now);
        let text = |about: &str| json!({"type": "string", "description": about});
        let paths = json!({"type": "array", "items": {"type": "string"}, "description": "Files to attach."});
        assert_eq!(about("subject", text("The subject.")), "");
        assert_eq!(about("content", text("The text, plain.")), "The text, plain.");
        assert_eq!(about("content", text("")), "text");
        assert_eq!(about("attachments", paths), "Files to attach. · one per line; <complete> completes");
    }
}
