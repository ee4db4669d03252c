//! What a person reviews in a thread: its questions, what a step changed, what a model was told.
//!
//! States and prompts can be large. The views here are bounded and say so if something was left out; the store keeps
//! everything.

use crate::engine::graph::{Hash, InterruptId, Kind, Labels, Warning};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value};

/// Longer texts are cut when a state is shown, in bytes.
const TEXT: usize = 16 * 1024;

/// How many members of a list or an object are shown.
const MEMBERS: usize = 2_000;

/// How many changes of a step are listed.
const CHANGES: usize = 400;

/// How deep a state is shown.
const DEPTH: usize = 48;

/// A question that a thread asked, and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QuestionView {
    pub id: InterruptId,
    /// The step that asked it; for trouble, the step that could not be taken.
    pub step: u64,
    pub kind: Kind,
    /// The tool's name, `notify`, or a trouble's code.
    pub action: String,
    /// One line for the list.
    pub title: String,
    /// A second line: what it is about.
    pub gist: String,
    /// The person or thing it comes from.
    pub source: Option<String>,
    pub args: Value,
    /// The hash that a decision is bound to.
    #[serde(serialize_with = "super::item::in_hex")]
    pub args_hash: Hash,
    pub labels: Labels,
    pub warnings: Vec<Warning>,
    /// `open`, `decided` or `closed`.
    pub state: &'static str,
    /// Why nobody can answer it any more, if nobody did.
    pub closed: Option<String>,
    /// When it was asked.
    pub at: Timestamp,
}

impl QuestionView {
    /// Whether it still waits for an answer.
    pub fn is_open(&self) -> bool {
        self.state == "open"
    }
}

/// A part of a state that a step changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// The path, as in `messages[3].text`.
    pub path: String,
    /// The old value, if there was one.
    pub before: Option<Value>,
    /// The new value, if there is one.
    pub after: Option<Value>,
}

/// A step's effect on the state.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepStates {
    /// The step's number.
    pub n: u64,
    /// What it changed, in the order of the state.
    pub changes: Vec<Change>,
    /// How many more changes are not listed.
    pub untold: usize,
    /// The whole state after the step.
    pub state: Value,
    /// Whether the state was too large to show whole.
    pub cut: bool,
}

impl StepStates {
    /// Compares two states.
    pub fn between(n: u64, before: &Value, after: &Value) -> Self {
        let mut changes = Changes::default();
        changes.compare(String::new(), Some(before), Some(after), 0);
        let (state, cut) = bounded(after);
        Self { n, changes: changes.listed, untold: changes.omitted, state, cut }
    }
}

/// Exactly what a model was told and what it answered.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CallView {
    pub task: String,
    pub model: String,
    /// The instructions above the conversation.
    pub system: String,
    /// The conversation, oldest first: role and text.
    pub messages: Vec<(String, String)>,
    /// The tools it could call and the required shape of its answer, as given to the model.
    pub rules: Value,
    /// Its text; `None` if the call failed.
    pub answer: Option<String>,
    /// The tools it wanted to call, with their arguments.
    pub calls: Vec<(String, Value)>,
    /// Why it failed, as a fixed word.
    pub error: Option<String>,
    /// Why the text is missing, if it is.
    pub missing: Option<String>,
}

#[derive(Default)]
struct Changes {
    listed: Vec<Change>,
    omitted: usize,
}

impl Changes {
    fn compare(&mut self, path: String, before: Option<&Value>, after: Option<&Value>, depth: usize) {
        if before == after {
            return;
        }
        match (before, after) {
            (Some(Value::Object(old)), Some(Value::Object(new))) if depth < DEPTH => {
                for (name, value) in old {
                    self.compare(member(&path, name), Some(value), new.get(name), depth + 1);
                }
                for (name, value) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
                    self.compare(member(&path, name), None, Some(value), depth + 1);
                }
            }
            (Some(Value::Array(old)), Some(Value::Array(new))) if depth < DEPTH => {
                for at in 0..old.len().max(new.len()) {
                    self.compare(format!("{path}[{at}]"), old.get(at), new.get(at), depth + 1);
                }
            }
            _ if self.listed.len() < CHANGES => {
                let value = |value: Option<&Value>| value.map(|value| bounded(value).0);
                self.listed.push(Change { path, before: value(before), after: value(after) });
            }
            _ => self.omitted += 1,
        }
    }
}

fn member(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// The value cut to a readable size, and whether anything was left out.
pub fn bounded(value: &Value) -> (Value, bool) {
    let mut cut = false;
    (bound(value, 0, &mut cut), cut)
}

fn bound(value: &Value, depth: usize, cut: &mut bool) -> Value {
    match value {
        Value::String(text) if text.len() > TEXT => {
            *cut = true;
            let end = (0..=TEXT).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
            Value::from(format!("{} … ({} bytes more)", &text[..end], text.len() - end))
        }
        Value::Array(_) | Value::Object(_) if depth >= DEPTH => {
            *cut = true;
            Value::from("… (deeper than is shown)")
        }
        Value::Array(items) => {
            let mut members: Vec<Value> =
                items.iter().take(MEMBERS).map(|item| bound(item, depth + 1, cut)).collect();
            if items.len() > MEMBERS {
                *cut = true;
                members.push(Value::from(format!("… ({} more)", items.len() - MEMBERS)));
            }
            Value::Array(members)
        }
        Value::Object(fields) => {
            *cut |= fields.len() > MEMBERS;
            let members = fields.iter().take(MEMBERS);
            Value::Object(
                members
                    .map(|(name, field)| (name.clone(), bound(field, depth + 1, cut)))
                    .collect::<Map<_, _>>(),
            )
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_what_a_step_changed_is_told() {
        let before = json!({"a": 1, "log": ["x"], "deep": {"same": true, "gone": 2}});
        let after = json!({"a": 1, "log": ["x", "y"], "deep": {"same": true, "new": null}});
        let between = StepStates::between(3, &before, &after);
        let changes: Vec<(&str, Option<Value>, Option<Value>)> =
            between.changes.iter().map(|c| (c.path.as_str(), c.before.clone(), c.after.clone())).collect();
        assert_eq!(
            changes,
            [
                ("deep.gone", Some(json!(2)), None),
                ("deep.new", None, Some(json!(null))),
                ("log[1]", None, Some(json!("y"))),
            ]
        );
        assert!(!between.cut && between.untold == 0);
        assert!(StepStates::between(3, &after, &after).changes.is_empty());
    }

    #[test]
    fn large_states_are_cut_and_say_so() {
        let long = "ü".repeat(TEXT);
        let deep = (0..200).fold(json!("x"), |inner, _| json!([inner]));
        let wide: Vec<u64> = (0..5_000).collect();
        for value in [json!(long), deep, json!(wide)] {
            let (shown, cut) = bounded(&value);
            assert!(cut);
            assert!(shown.to_string().len() < 40_000);
        }
        let between = StepStates::between(0, &json!([]), &json!(wide));
        assert_eq!((between.changes.len(), between.untold), (CHANGES, 5_000 - CHANGES));
        assert_eq!(bounded(&json!({"a": [1]})), (json!({"a": [1]}), false));
    }
}
