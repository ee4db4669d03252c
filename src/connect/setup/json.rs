//! Adds entries to a JSON file and removes them again. Comments, order and spacing of everything else stay.

use super::is_ours;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstContainerNode, CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::{Map, Value};

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

/// The file with these entries, each once. What somebody added to one of them stays in it, and so do empty lists that
/// were there `before`.
pub(super) fn with(text: &str, entries: &[Entry], before: Option<&str>) -> Result<String, String> {
    let root = parse(text)?;
    let object = top(&root)?;
    let mut hooks = our_hooks(&object);
    for entry in entries {
        put(&object, entry, &mut hooks)?;
    }
    // What is left is of an earlier version, or for other flags.
    let was_there = was_in(before);
    hooks.into_iter().for_each(|hook| hook.take_out(&was_there));
    let after = root.to_string();
    Ok(if after == text { after } else { with_final_newline(after) })
}

/// The file without these entries, and without the objects and lists that are empty then, unless they were there
/// `before`.
pub(super) fn without(text: &str, entries: &[Entry], before: Option<&str>) -> Result<String, String> {
    let root = parse(text)?;
    let removed = take_out(&top(&root)?, entries, &was_in(before));
    Ok(if removed { root.to_string() } else { text.to_owned() })
}

/// Whether a file has something of ours.
pub(super) fn has_ours(text: &str, entries: &[Entry]) -> bool {
    let object = parse(text).ok().and_then(|root| root.object_value());
    object.is_some_and(|object| take_out(&object, entries, &|_| true))
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

/// A hook of ours in a file.
struct Hook {
    event: String,
    group: CstObject,
    hook: CstObject,
}

impl Hook {
    /// Removes it, and what is empty without it, unless it was there before.
    fn take_out(self, was_there: WasThere<'_>) {
        let list = self.group.parent();
        self.hook.remove();
        if !hooks_of_group(&self.group).is_empty() {
            return;
        }
        self.group.remove();
        let path = ["hooks".to_owned(), self.event];
        let event = list.and_then(|list| list.parent());
        if let Some(event) = event.filter(|_| !was_there(&path)) {
            remove_empty(event);
        }
    }
}

/// Whether something was at a path before.
type WasThere<'a> = &'a dyn Fn(&[String]) -> bool;

fn was_in(before: Option<&str>) -> impl Fn(&[String]) -> bool {
    let before = before.and_then(|before| parse(before).ok()?.object_value());
    move |path| {
        let Some((name, above)) = path.split_last() else { return false };
        before.as_ref().and_then(|before| find_object(before, above)?.get(name)).is_some()
    }
}

fn our_hooks(object: &CstObject) -> Vec<Hook> {
    let mut ours = Vec::new();
    for prop in object.object_value("hooks").map(|hooks| hooks.properties()).unwrap_or_default() {
        let groups = prop.array_value().map(|list| list.elements()).unwrap_or_default();
        for group in groups.iter().filter_map(CstNode::as_object) {
            let hooks = hooks_of_group(&group).into_iter().filter(is_our_hook);
            let hook = |hook: CstNode| {
                let event = prop.decoded_name()?;
                Some(Hook { event, group: group.clone(), hook: hook.as_object()? })
            };
            ours.extend(hooks.filter_map(hook));
        }
    }
    ours
}

fn equals(node: &CstNode, value: &Value) -> bool {
    node.to_serde_value().as_ref() == Some(value)
}

fn find_object(object: &CstObject, path: &[String]) -> Option<CstObject> {
    path.iter().try_fold(object.clone(), |object, name| object.object_value(name))
}

/// Puts an entry where it belongs. `hooks` are those in the file that no entry has been put into.
fn put(object: &CstObject, entry: &Entry, hooks: &mut Vec<Hook>) -> Result<(), String> {
    match entry {
        Entry::Hook { event, group } => {
            let matcher = |group: &CstObject| group.get("matcher")?.value()?.to_serde_value();
            let fits =
                |hook: &Hook| hook.event == *event && matcher(&hook.group).as_ref() == group.get("matcher");
            let there = hooks.iter().position(fits).map(|at| hooks.remove(at).hook);
            match (there, group.pointer("/hooks/0").and_then(Value::as_object)) {
                (Some(hook), Some(ours)) => merge(&hook, ours),
                _ => drop(list_at(object, &["hooks".to_owned(), (*event).to_owned()])?.append(input(group))),
            }
        }
        Entry::Set { path, value } => {
            let Some((name, above)) = path.split_last() else { return Ok(()) };
            set(&object_at(object, above)?, name, value);
        }
        Entry::Member { path, text } => {
            let (list, ours) = (list_at(object, path)?, Value::from(text.as_str()));
            if !list.elements().iter().any(|element| equals(element, &ours)) {
                list.append(input(&ours));
            }
        }
    }
    Ok(())
}

/// Sets a member; of an object only what we have in it.
fn set(object: &CstObject, name: &str, value: &Value) {
    let Some(prop) = object.get(name) else { return drop(object.append(name, input(value))) };
    match (prop.object_value(), value.as_object()) {
        (Some(there), Some(ours)) => merge(&there, ours),
        _ if prop.value().is_some_and(|there| equals(&there, value)) => {}
        _ => prop.set_value(input(value)),
    }
}

fn merge(object: &CstObject, ours: &Map<String, Value>) {
    ours.iter().for_each(|(name, value)| set(object, name, value));
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

/// Removes everything of ours, and what is empty then and was not there before; returns whether there was anything.
fn take_out(object: &CstObject, entries: &[Entry], was_there: WasThere<'_>) -> bool {
    let hooks = our_hooks(object);
    let mut removed = !hooks.is_empty();
    hooks.into_iter().for_each(|hook| hook.take_out(was_there));
    if let Some(hooks) = object.get("hooks").filter(|_| removed && !was_there(&["hooks".to_owned()])) {
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
            if was_there(&path[..depth]) {
                break;
            }
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
fn hooks_of_group(group: &CstObject) -> Vec<CstNode> {
    group.array_value("hooks").map(|hooks| hooks.elements()).unwrap_or_default()
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
