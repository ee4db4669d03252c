//! Puts answers into words, in code: every number and name comes from the response and from nowhere else.

use super::parts::{Entity, Table};
use super::resolve::{describe, value_at};
use super::values::plain;
use crate::text::{Visible, short_line};
use crate::tools::catalogue::{Catalogue, EntityKind, Line, Operation};
use serde_json::{Map, Value};

/// The most lines of a list and the most fields of a thing that are shown at once.
pub(super) const MAX_SHOWN: usize = 100;

/// The most columns of a table for things that no catalogue describes.
const MAX_COLUMNS: usize = 6;

/// The longest value on a line.
const MAX_VALUE_WIDTH: usize = 200;

/// Fields that may hold the title of a thing that no catalogue describes.
const TITLES: &[&str] =
    &["title", "name", "display_name", "full_name", "label", "summary", "subject", "key", "id"];

/// One answer, and what it answers.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    pub catalogue: &'a Catalogue,
    pub operation: &'a Operation,
    pub parameters: Option<&'a Map<String, Value>>,
    pub about: Option<&'a Entity>,
    pub response: &'a Value,
    /// How many entries earlier pages showed.
    pub before: usize,
    /// Its heading, if it already has one.
    pub heading: Option<&'a str>,
}

/// The answer as text, and as a table if it is a list.
pub(super) fn answer(part: &Part<'_>) -> (String, Option<Table>) {
    let data = list_in(part.catalogue.data_of(part.response));
    let kind = part.catalogue.entities.get(&part.operation.returns);
    let heading = heading(part);
    match data {
        Value::Array(items) if items.is_empty() && part.before > 0 => {
            (format!("{heading}: nothing is left; {} were shown, and that was all.", part.before), None)
        }
        Value::Array(items) if items.is_empty() => (format!("{heading}: nothing was found."), None),
        Value::Array(items) => page(kind, &heading, items, part.before),
        Value::Object(fields) if fields.is_empty() => (format!("{heading}: nothing was found."), None),
        Value::Object(fields) => (format!("{heading}:\n\n{}", fields_text(kind, data, fields)), None),
        empty if empty.is_null() || empty == "" => (format!("{heading}: done; the answer is empty."), None),
        other => (format!("{heading}: {}", short(other)), None),
    }
}

/// A page of a list after the `before` entries already shown.
pub(super) fn page(
    kind: Option<&EntityKind>,
    heading: &str,
    items: &[Value],
    before: usize,
) -> (String, Option<Table>) {
    let items = &items[..items.len().min(MAX_SHOWN)];
    let rows = items.iter().enumerate();
    let rows: Vec<String> =
        rows.map(|(n, item)| format!("{}. {}", before + n + 1, line(kind, item))).collect();
    (format!("{heading}:\n\n{}", rows.join("\n")), table(kind, items, before))
}

/// The entries, if the answer is a list.
pub(super) fn entries<'v>(catalogue: &Catalogue, response: &'v Value) -> Option<&'v [Value]> {
    list_in(catalogue.data_of(response)).as_array().map(Vec::as_slice)
}

/// The list, if it is in an object next to data about it.
fn list_in(data: &Value) -> &Value {
    let Value::Object(fields) = data else { return data };
    let mut lists = fields
        .values()
        .filter(|value| value.as_array().is_some_and(|list| list.iter().any(Value::is_object)));
    let field_count = fields.len();
    match (lists.next(), lists.next()) {
        (Some(list), None) if field_count <= 6 => list,
        _ => data,
    }
}

/// What was asked, in a few words.
pub(super) fn heading(part: &Part<'_>) -> String {
    if let Some(heading) = part.heading {
        return heading.to_owned();
    }
    let name = part.operation.tool_name.trim();
    let mut text = name.strip_prefix("Get ").unwrap_or(name).to_owned();
    let takes = |kind: &str| part.operation.parameters().any(|one| one.entity.as_deref() == Some(kind));
    if let Some(about) = part.about.filter(|about| takes(&about.kind)) {
        text += &format!(", {}", describe(about));
    }
    let is_worth_showing = |name: &&String| {
        let parameter = part.operation.parameter(name);
        parameter.is_some_and(|one| one.entity.is_none() && !matches!(name.as_str(), "limit" | "offset"))
    };
    let shown_parameters =
        part.parameters.into_iter().flat_map(Map::iter).filter(|(name, _)| is_worth_showing(name));
    let shown_parameters: Vec<String> =
        shown_parameters.map(|(name, value)| format!("{name} {}", short(value))).collect();
    if !shown_parameters.is_empty() {
        text += &format!(" ({})", shown_parameters.join(", "));
    }
    Visible::line(&text).into_string()
}

/// A thing on one line: `"Title" by Name (1,234 plays)`.
fn line(kind: Option<&EntityKind>, item: &Value) -> String {
    let Some(layout) = kind.and_then(|kind| kind.line.as_ref()) else { return undescribed(item) };
    let Some(title) = title(layout, item) else { return undescribed(item) };
    let mut text = format!("\"{title}\"");
    let part =
        |path: &Option<String>| value_at(item, path.as_deref()?).map(short).filter(|text| !text.is_empty());
    if let Some(by) = part(&layout.by) {
        text += &format!(" by {by}");
    }
    if let Some(to) = part(&layout.to) {
        text += &format!(" to {to}");
    }
    let mut details: Vec<String> = Vec::new();
    details.extend(part(&layout.kind));
    details.extend(part(&layout.handle).map(|handle| format!("@{handle}")));
    details.extend(
        layout
            .figures
            .iter()
            .filter_map(|(path, what)| Some(format!("{} {what}", figure(value_at(item, path)?)))),
    );
    if !details.is_empty() {
        text += &format!(" ({})", details.join(", "));
    }
    text
}

fn title(line: &Line, item: &Value) -> Option<String> {
    line.title.iter().find_map(|path| value_at(item, path)).map(short).filter(|title| !title.is_empty())
}

fn undescribed(item: &Value) -> String {
    match item {
        Value::Object(_) => match TITLES.iter().find_map(|key| value_at(item, key)) {
            Some(title) => format!("\"{}\"", short(title)),
            None => short(item),
        },
        other => short(other),
    }
}

/// Everything worth showing about one thing, one line each.
fn fields_text(kind: Option<&EntityKind>, data: &Value, fields: &Map<String, Value>) -> String {
    let row = |name: &str, value: String| format!("- {name}: {value}");
    let described: Vec<String> = match kind.filter(|kind| !kind.fields.is_empty()) {
        Some(kind) => {
            let described_fields =
                kind.fields.iter().filter_map(|(name, path)| Some((name, path, value_at(data, path)?)));
            described_fields
                .filter(|(_, _, value)| **value != "")
                .map(|(name, path, value)| row(name, reading(kind.line.as_ref(), path)(value)))
                .collect()
        }
        None => Vec::new(),
    };
    if !described.is_empty() {
        return described.join("\n");
    }
    let non_null = fields.iter().filter(|(_, value)| !value.is_null());
    let rows: Vec<String> = non_null
        .take(MAX_SHOWN)
        .map(|(name, value)| row(&short(&name.as_str().into()), short(value)))
        .collect();
    rows.join("\n")
}

fn table(kind: Option<&EntityKind>, items: &[Value], before: usize) -> Option<Table> {
    let columns: Vec<(String, Vec<String>)> = match kind.and_then(|kind| kind.line.as_ref()) {
        Some(line) => {
            let mut columns = vec![("title".to_owned(), line.title.clone())];
            for (name, path) in
                [("by", &line.by), ("to", &line.to), ("handle", &line.handle), ("kind", &line.kind)]
            {
                columns.extend(path.as_ref().map(|path| (name.to_owned(), vec![path.clone()])));
            }
            columns.extend(line.figures.iter().map(|(path, what)| (what.clone(), vec![path.clone()])));
            columns
        }
        None => {
            let Some(Value::Object(first)) = items.first() else { return None };
            let simple_fields = first.iter().filter(|(_, value)| !value.is_object() && !value.is_array());
            simple_fields.take(MAX_COLUMNS).map(|(key, _)| (key.clone(), vec![key.clone()])).collect()
        }
    };
    if columns.is_empty() || items.iter().any(|item| !item.is_object()) {
        return None;
    }
    let head = std::iter::once("#".to_owned()).chain(columns.iter().map(|(name, _)| name.clone()));
    let line = kind.and_then(|kind| kind.line.as_ref());
    let cell = |item: &Value, paths: &[String]| {
        let value = paths.iter().find_map(|path| Some(reading(line, path)(value_at(item, path)?)));
        value.unwrap_or_default()
    };
    let rows = items.iter().enumerate().map(|(n, item)| {
        let cells = columns.iter().map(|(_, paths)| cell(item, paths));
        std::iter::once((before + n + 1).to_string()).chain(cells).collect()
    });
    Some(Table { head: head.collect(), rows: rows.collect() })
}

/// How a field is written: only what the catalogue calls a figure counts something, other numbers are ids and years.
fn reading(line: Option<&Line>, path: &str) -> fn(&Value) -> String {
    let is_figure = line.is_some_and(|line| line.figures.iter().any(|(figure, _)| figure == path));
    if is_figure { figure } else { short }
}

/// A figure for reading; whole numbers get separators.
fn figure(value: &Value) -> String {
    match value.as_i64() {
        Some(number) => {
            let digits = number.unsigned_abs().to_string();
            let mut grouped = String::new();
            for (index, digit) in digits.chars().enumerate() {
                if index > 0 && (digits.len() - index) % 3 == 0 {
                    grouped.push(',');
                }
                grouped.push(digit);
            }
            if number < 0 { format!("-{grouped}") } else { grouped }
        }
        None => short(value),
    }
}

fn short(value: &Value) -> String {
    short_line(plain(value).trim(), MAX_VALUE_WIDTH)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn figures_have_separators_and_nothing_is_made_up() {
        for (value, expected) in [
            (json!(0), "0"),
            (json!(999), "999"),
            (json!(1234), "1,234"),
            (json!(-1234567), "-1,234,567"),
            (json!(1.5), "1.5"),
            (json!("1234"), "1234"),
        ] {
            assert_eq!(figure(&value), expected);
        }
        let kind = EntityKind {
            fields: vec![("plays".into(), "play_count".into()), ("released".into(), "year".into())],
            line: Some(Line {
                title: vec!["title".into()],
                by: Some("user.name".into()),
                figures: vec![("play_count".into(), "plays".into())],
                ..Line::default()
            }),
            ..EntityKind::default()
        };
        let track = json!({"title": "Example Track", "user": {"name": "Example Artist"}, "play_count": 1234});
        assert_eq!(line(Some(&kind), &track), "\"Example Track\" by Example Artist (1,234 plays)");
        assert_eq!(line(Some(&kind), &json!({"title": "Alone"})), "\"Alone\"");
        assert_eq!(line(Some(&kind), &json!({"id": 7})), "\"7\"");
        assert_eq!(line(None, &json!("rock")), "rock");
        let data = json!({"id": 48151623, "year": 2024, "play_count": 1234});
        let fields = data.as_object().unwrap();
        assert_eq!(fields_text(Some(&kind), &data, fields), "- plays: 1,234\n- released: 2024");
        assert_eq!(fields_text(None, &data, fields), "- id: 48151623\n- play_count: 1234\n- year: 2024");
        let cells = table(None, std::slice::from_ref(&data), 0).unwrap().rows;
        assert_eq!(cells, [["1", "48151623", "1234", "2024"]]);
    }
}
