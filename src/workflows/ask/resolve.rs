//! Finds which thing a name means, among things of its kind. Never guesses if there are several.

use super::parts::Entity;
use crate::text::Visible;
use crate::text::words::letters_and_digits;
use crate::tools::catalogue::{Catalogue, EntityKind};
use serde_json::Value;

/// How many things a person may choose from.
const MAX_CHOICES: usize = 8;

/// The things of this kind in a search result. An item without any of the kind's name fields is of another kind.
pub(super) fn things(catalogue: &Catalogue, kind: &str, answer: &Value) -> Vec<Entity> {
    let Some(entity_kind) = catalogue.entities.get(kind) else { return Vec::new() };
    let data = catalogue.data_of(answer);
    let items = data.as_array().map(Vec::as_slice).unwrap_or(std::slice::from_ref(data));
    items.iter().filter_map(|item| thing(entity_kind, kind, item)).collect()
}

fn thing(entity_kind: &EntityKind, kind: &str, item: &Value) -> Option<Entity> {
    let id = id_of(entity_kind, item)?;
    let names: Vec<&str> =
        entity_kind.names.iter().filter_map(|name| value_at(item, name)?.as_str()).collect();
    let name = Visible::line(names.first()?).into_string();
    let line = entity_kind.line.as_ref();
    let by = line.and_then(|line| value_at(item, line.by.as_deref()?)?.as_str());
    let handle = line.and_then(|line| value_at(item, line.handle.as_deref()?)?.as_str());
    let about = match (by, handle) {
        (Some(by), _) => format!("by {by}"),
        (None, Some(handle)) => format!("@{handle}"),
        (None, None) => String::new(),
    };
    Some(Entity { kind: kind.to_owned(), id, name, about: Visible::line(&about).into_string() })
}

/// The one thing that is certainly meant, or the candidates.
pub(super) fn pick(things: Vec<Entity>, name: &str) -> Result<Entity, Vec<Entity>> {
    let exact: Vec<Entity> = things.iter().filter(|thing| is_called(thing, name)).cloned().collect();
    let mut certain = match (exact.is_empty(), things.len()) {
        (false, _) => exact,
        (true, 1) if letters_and_digits(&things[0].name).contains(&letters_and_digits(name)) => things,
        (true, _) => return Err(things.into_iter().take(MAX_CHOICES).collect()),
    };
    let handle_index = certain.iter().position(|one| {
        one.about
            .strip_prefix('@')
            .is_some_and(|handle| letters_and_digits(handle) == letters_and_digits(name))
    });
    match (handle_index, certain.len()) {
        (Some(index), _) => Ok(certain.swap_remove(index)),
        (None, 1) => Ok(certain.swap_remove(0)),
        (None, _) => Err(certain.into_iter().take(MAX_CHOICES).collect()),
    }
}

/// Whether the words are this thing's name, or its name and owner.
fn is_called(thing: &Entity, words: &str) -> bool {
    if let Some(handle) = words.strip_prefix('@') {
        return letters_and_digits(&thing.about) == letters_and_digits(handle);
    }
    let name = letters_and_digits(&thing.name);
    // A name without letters is compared as it is.
    if name.is_empty() {
        return thing.name.trim() == words.trim();
    }
    let handle = thing.about.strip_prefix('@').map(letters_and_digits);
    name == letters_and_digits(words)
        || handle == Some(letters_and_digits(words))
        || letters_and_digits(&describe(thing)) == letters_and_digits(words)
}

/// The shown thing that the person's words choose, by number or by name.
pub(super) fn choose(shown: &[Entity], words: &str) -> Option<Entity> {
    if let Ok(number) = words.trim().trim_end_matches('.').parse::<usize>() {
        return number.checked_sub(1).and_then(|index| shown.get(index)).cloned();
    }
    let mut matches = shown.iter().filter(|thing| is_called(thing, words));
    match (matches.next(), matches.next()) {
        (Some(one), None) => Some(one.clone()),
        _ => None,
    }
}

/// An id that is spelled out: `id 7eP5n`.
pub(super) fn spelled_id(words: &str) -> Option<String> {
    let (first, rest) = words.trim().split_once([' ', ':', '='])?;
    let id = rest.trim_start_matches([' ', ':', '=']).trim();
    (first.eq_ignore_ascii_case("id") && !id.is_empty() && !id.contains(char::is_whitespace))
        .then(|| id.to_owned())
}

/// A thing in words.
pub(super) fn describe(thing: &Entity) -> String {
    format!("{} {}", thing.name, thing.about).trim_end().to_owned()
}

/// The id of a thing of this kind in an answer about another: of the first item in a list, or of its owner.
pub(super) fn id_in(catalogue: &Catalogue, returns: &str, kind: &str, answer: &Value) -> Option<String> {
    let data = catalogue.data_of(answer);
    let first = data.as_array().map_or(Some(data), |items| items.first())?;
    let entity_kind = catalogue.entities.get(kind)?;
    let thing = if returns == kind { Some(first) } else { first.get(kind) };
    id_of(entity_kind, thing?)
}

fn id_of(kind: &EntityKind, item: &Value) -> Option<String> {
    match value_at(item, &kind.id)? {
        Value::String(id) if !id.is_empty() => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    }
}

/// The value at a path such as `user.name`.
pub(super) fn value_at<'v>(item: &'v Value, path: &str) -> Option<&'v Value> {
    let value = path.split('.').try_fold(item, |value, key| value.get(key))?;
    (!value.is_null()).then_some(value)
}
