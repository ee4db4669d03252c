//! Adds entries to a JSON file and removes them again. Comments, order and spacing of everything else stay.

use super::is_ours;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstContainerNode, CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::Value;

/// An entry of ours in a JSON file.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    /// A hook, added as a group to its event's list.
    Hook { event: &'static str, group: Value },
    /// A value at a path.
    Set { path: Vec<String>, value: Value },
    /// A string in a list.
    Member { path: Vec<String>, text: String },
}

impl Entry {
    pub(super) fn set(path: &[&str], value: Value) -> Self {
        Entry::Set { path: path.iter().map(|name| (*name).to_owned()).collect(), value }
    }

    pub(super) fn member(path: &[&str], text: String) -> Self {
        Entry::Member { path: path.iter().map(|name| (*name).to_owned()).collect(), text }
    }
}

/// The file with these entries, each once.
pub(super) fn with(text: &str, entries: &[Entry]) -> Result<String, String> {
    let root = parse(text)?;
    let object = top(&root)?;
    // Entries of an earlier version or with other flags are replaced if they differ, and stay if they do not.
    if entries.iter().all(|entry| has(&object, entry)) && count_our_hooks(&object) == hooks_in(entries) {
        return Ok(text.to_owned());
    }
    take_out(&object, entries);
    for entry in entries {
        put(&object, entry)?;
    }
    Ok(with_final_newline(root.to_string()))
}

/// The file without these entries.
pub(super) fn without(text: &str, entries: &[Entry]) -> Result<String, String> {
    let root = parse(text)?;
    let object = top(&root)?;
    let removed = take_out(&object, entries);
    Ok(if removed { root.to_string() } else { text.to_owned() })
}

/// Parses a file.
pub(super) fn value(text: &str) -> Result<Value, String> {
    parse(text)?.to_serde_value().ok_or_else(|| "it holds no JSON".to_owned())
}

/// The members of an object in a file, in order, each with whether it is this word or an object with this word. One word
/// for all of them is a member `*`.
pub(super) fn members_with_word(text: &str, name: &str, word: &str) -> Vec<(String, bool)> {
    let Some(root) = parse(text).ok().and_then(|root| root.object_value()) else { return Vec::new() };
    let Some(node) = root.get(name).and_then(|member| member.value()) else { return Vec::new() };
    let says = |node: &CstNode| match node.to_serde_value() {
        Some(Value::Object(members)) => members.values().any(|member| member == word),
        value => value.is_some_and(|value| value == word),
    };
    let Some(object) = node.as_object() else { return vec![("*".to_owned(), says(&node))] };
    let named = |member: &jsonc_parser::cst::CstObjectProp| {
        Some((member.name()?.decoded_value().ok()?, says(&member.value()?)))
    };
    object.properties().iter().filter_map(named).collect()
}

fn parse(text: &str) -> Result<CstRootNode, String> {
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    CstRootNode::parse(text, &ParseOptions::default())
        .map_err(|error| format!("it cannot be read as JSON: {error}; fix it first"))
}

fn top(root: &CstRootNode) -> Result<CstObject, String> {
    root.object_value_or_create().ok_or_else(|| "it holds no JSON object".to_owned())
}

fn with_final_newline(mut text: String) -> String {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// How many of our hooks it has.
fn count_our_hooks(object: &CstObject) -> usize {
    let groups = object.object_value("hooks").map(|hooks| hooks.properties()).unwrap_or_default();
    let groups = groups.iter().filter_map(|event| event.array_value()).flat_map(|list| list.elements());
    groups.flat_map(|group| hooks_of_group(&group)).filter(is_our_hook).count()
}

fn hooks_in(entries: &[Entry]) -> usize {
    entries.iter().filter(|entry| matches!(entry, Entry::Hook { .. })).count()
}

fn has(object: &CstObject, entry: &Entry) -> bool {
    match entry {
        Entry::Hook { event, group } => {
            let list = object.object_value("hooks").and_then(|hooks| hooks.array_value(event));
            list.is_some_and(|list| list.elements().iter().any(|element| equals(element, group)))
        }
        Entry::Set { path, value } => {
            let Some((name, above)) = path.split_last() else { return false };
            let element = find_object(object, above).and_then(|object| object.get(name)?.value());
            element.is_some_and(|element| equals(&element, value))
        }
        Entry::Member { path, text } => {
            let Some((name, above)) = path.split_last() else { return false };
            let list = find_object(object, above).and_then(|object| object.array_value(name));
            list.is_some_and(|list| {
                list.elements().iter().any(|element| equals(element, &Value::from(text.as_str())))
            })
        }
    }
}

fn equals(node: &CstNode, value: &Value) -> bool {
    node.to_serde_value().as_ref() == Some(value)
}

fn find_object(object: &CstObject, path: &[String]) -> Option<CstObject> {
    path.iter().try_fold(object.clone(), |object, name| object.object_value(name))
}

fn put(object: &CstObject, entry: &Entry) -> Result<(), String> {
    match entry {
        Entry::Hook { event, group } => {
            list_at(object, &["hooks".to_owned(), (*event).to_owned()])?.append(input(group));
        }
        Entry::Set { path, value } => {
            let Some((name, above)) = path.split_last() else { return Ok(()) };
            let object = object_at(object, above)?;
            match object.get(name) {
                Some(existing) => existing.set_value(input(value)),
                None => {
                    object.append(name, input(value));
                }
            }
        }
        Entry::Member { path, text } => {
            list_at(object, path)?.append(CstInputValue::from(text.as_str()));
        }
    }
    Ok(())
}

fn object_at(object: &CstObject, path: &[String]) -> Result<CstObject, String> {
    path.iter().try_fold(object.clone(), |object, name| {
        object.object_value_or_create(name).ok_or_else(|| format!("`{name}` is not an object; fix it first"))
    })
}

fn list_at(object: &CstObject, path: &[String]) -> Result<CstArray, String> {
    let Some((name, above)) = path.split_last() else { return Err("a list has a name".to_owned()) };
    let object = object_at(object, above)?;
    object.array_value_or_create(name).ok_or_else(|| format!("`{name}` is not a list; fix it first"))
}

/// Removes everything of ours, and containers that become empty; returns whether there was anything.
fn take_out(object: &CstObject, entries: &[Entry]) -> bool {
    let mut removed = false;
    for event in object.object_value("hooks").map(|hooks| hooks.properties()).unwrap_or_default() {
        let Some(list) = event.array_value() else { continue };
        let mut removed_here = false;
        for group in list.elements() {
            let hooks: Vec<CstNode> = hooks_of_group(&group);
            let (our, theirs): (Vec<_>, Vec<_>) = hooks.into_iter().partition(is_our_hook);
            if our.is_empty() {
                continue;
            }
            removed_here = true;
            if theirs.is_empty() {
                group.remove();
            } else {
                our.into_iter().for_each(CstNode::remove);
            }
        }
        removed |= removed_here;
        if removed_here && list.elements().is_empty() {
            event.remove();
        }
    }
    if removed && let Some(hooks) = object.get("hooks") {
        remove_empty(hooks.into());
    }
    for entry in entries {
        let (path, node) = match entry {
            Entry::Hook { .. } => continue,
            Entry::Set { path, .. } => {
                let Some((name, above)) = path.split_last() else { continue };
                let prop = find_object(object, above).and_then(|object| object.get(name));
                (path, prop.map(CstNode::from))
            }
            Entry::Member { path, text } => {
                let Some((name, above)) = path.split_last() else { continue };
                let list = find_object(object, above).and_then(|object| object.array_value(name));
                let ours = |node: &CstNode| equals(node, &Value::from(text.as_str()));
                (path, list.and_then(|list| list.elements().into_iter().find(ours)))
            }
        };
        let Some(node) = node else { continue };
        removed = true;
        node.remove();
        // Containers above it that are now empty, from the inside out.
        for depth in (1..=path.len()).rev() {
            let Some((name, above)) = path[..depth].split_last() else { continue };
            if let Some(prop) = find_object(object, above).and_then(|object| object.get(name)) {
                remove_empty(prop.into());
            }
        }
    }
    removed
}

fn remove_empty(prop: CstContainerNode) {
    let Some(prop) = prop.as_object_prop() else { return };
    let is_empty = match (prop.object_value(), prop.array_value()) {
        (Some(object), _) => object.properties().is_empty(),
        (None, Some(list)) => list.elements().is_empty(),
        (None, None) => false,
    };
    if is_empty {
        prop.remove();
    }
}

/// The hooks of a group.
fn hooks_of_group(group: &CstNode) -> Vec<CstNode> {
    let hooks = group.as_object().and_then(|group| group.array_value("hooks"));
    hooks.map(|hooks| hooks.elements()).unwrap_or_default()
}

fn is_our_hook(hook: &CstNode) -> bool {
    let value = hook.to_serde_value();
    let command = value.as_ref().and_then(|hook| hook.get("command")?.as_str());
    command.is_some_and(is_ours)
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(is) => CstInputValue::Bool(*is),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(fields) => {
            CstInputValue::Object(fields.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}
