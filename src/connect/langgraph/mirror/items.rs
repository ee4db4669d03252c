//! The questions of a server's thread as questions of this inbox.

use super::state::{Batch, Mirror};
use crate::connect::langgraph::answer::answer;
use crate::connect::langgraph::api::MAX_INTERRUPTS;
use crate::connect::langgraph::shape::{Action, Pending, RemoteQuestion, Shape, read};
use crate::engine::graph::{Allow, Decision, Interrupt, Kind, Labels, Warning};
use crate::inbox::proposal;
use crate::text::exact::is_exact;
use crate::text::{Visible, hex, hidden_count, short_line, truncate};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The action of a question that cannot be shown.
pub(super) const UNREADABLE: &str = "unreadable";

/// The width of titles and gists.
const LINE: usize = 120;

/// The questions of a batch; there is always at least one.
pub(super) fn items(state: &Mirror, batch: &Batch) -> Vec<Interrupt> {
    let all = match read_all(batch) {
        Ok(all) => all,
        Err(why) => return vec![unreadable(state, batch, &why)],
    };
    let alone = all.iter().map(|question| question.actions.len()).sum::<usize>() == 1;
    let mut items = Vec::new();
    for (n, (pending, question)) in batch.pending.iter().zip(&all).enumerate() {
        for (m, action) in question.actions.iter().enumerate() {
            items.push(item(state, pending, question.shape, action, (n, m), alone));
        }
    }
    items
}

/// Reads every interrupt, or says why one of them cannot be decided here. They are answered together or not at all.
pub(super) fn read_all(batch: &Batch) -> Result<Vec<RemoteQuestion>, String> {
    if batch.pending.len() > MAX_INTERRUPTS {
        return Err(format!("it asks more than {MAX_INTERRUPTS} questions at once"));
    }
    batch.pending.iter().map(read).collect()
}

/// The answer to a batch: a JSON text of interrupts and their answers; `None` ends the thread.
pub(super) fn resume(
    batch: &Batch,
    decided: impl Fn(&str) -> Option<Decision>,
) -> Result<Option<String>, String> {
    let all = match read_all(batch) {
        Ok(all) => all,
        // This is the only possible decision on a question that cannot be shown.
        Err(_) if decided(UNREADABLE) == Some(Decision::Ignore) => return Ok(None),
        Err(why) => return Err(why),
    };
    let mut parts = Vec::new();
    for (n, (pending, question)) in batch.pending.iter().zip(&all).enumerate() {
        let decisions = (0..question.actions.len()).map(|m| decided(&key(n, m)));
        let decisions: Option<Vec<Decision>> = decisions.collect();
        let Some(decisions) = decisions else { return Err("not everything is answered".to_owned()) };
        let Some(value) = answer(question, &decisions)? else { return Ok(None) };
        parts.push(format!("{}:{value}", Value::from(pending.id.as_str())));
    }
    Ok(Some(format!("{{{}}}", parts.join(","))))
}

/// The action of the item with this key, and its interrupt. Questions may differ only in their text, so only the key
/// tells them apart.
pub(super) fn action_of<'b>(batch: &'b Batch, item_key: &str) -> Option<(&'b Pending, Shape, Action)> {
    for (n, pending) in batch.pending.iter().enumerate() {
        let Ok(question) = read(pending) else { continue };
        let matching = question.actions.into_iter().enumerate().find(|(m, _)| key(n, *m) == item_key);
        if let Some((_, action)) = matching {
            return Some((pending, question.shape, action));
        }
    }
    None
}

fn key(interrupt: usize, action: usize) -> String {
    format!("{interrupt}.{action}")
}

fn item(
    state: &Mirror,
    pending: &Pending,
    shape: Shape,
    action: &Action,
    (n, m): (usize, usize),
    alone: bool,
) -> Interrupt {
    let args: Value = serde_json::from_str(&action.args).unwrap_or_default();
    let words = Visible::line(action.description.trim()).into_string();
    let title = match shape {
        Shape::Free if !words.is_empty() => words.clone(),
        Shape::Free => format!("{} asks", state.title_line()),
        Shape::Inbox | Shape::Batched | Shape::PerCall => {
            format!("{} · {}", action.name, state.title_line())
        }
    };
    let title = short_line(&title, LINE);
    let mut item = proposal(&key(n, m), action.kind, &action.name, &args, &title);
    item.gist = truncate(&words, LINE).into_owned();
    item.schema = action.schema.clone();
    item.labels = action.labels.clone();
    item.allow = action.allow;
    // Ending the thread would leave the other questions unanswered.
    if shape == Shape::Free && !alone {
        item.allow.ignore = false;
    }
    item.warnings = warnings(state, action);
    set_common_fields(state, &mut item, &[&pending.id, &pending.value]);
    item
}

fn unreadable(state: &Mirror, batch: &Batch, why: &str) -> Interrupt {
    let args = json!({"why": why});
    let title = format!("{} asks what cannot be shown", state.title_line());
    let mut item = proposal(UNREADABLE, Kind::Question, UNREADABLE, &args, &title);
    item.gist = Visible::line(why).into_string();
    item.allow = Allow { ignore: true, ..Allow::default() };
    item.labels = Labels::new("", "", "end the thread");
    set_common_fields(state, &mut item, &[&batch.fingerprint]);
    item
}

fn set_common_fields(state: &Mirror, item: &mut Interrupt, shown: &[&str]) {
    item.source = Some(state.of.server.clone());
    // Whatever the server does with an answer, we cannot undo it from here.
    item.irreversible = true;
    let mut hash = Sha256::new();
    for part in [state.of.server.as_str(), &state.of.thread].iter().chain(shown) {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    item.shown_with = vec![hex(&hash.finalize())];
}

fn warnings(state: &Mirror, action: &Action) -> Vec<Warning> {
    let warning = |code: &str, text: &str| Warning::caution(code, text);
    let mut warnings = Vec::new();
    if let Some(why) = &state.not_sent {
        warnings.push(warning("not_sent", &format!("Your last answer was not sent: {why}.")));
    }
    let value: Value = serde_json::from_str(&action.args).unwrap_or_default();
    if hides(&value) || hidden_count(&action.name) > 0 {
        let text =
            "There are characters in it that cannot be seen; they are shown as ⟨U+…⟩ and sent as they came.";
        warnings.push(warning("hidden_characters", text));
    }
    if !is_exact(&action.args) {
        let text =
            "A number in it is too long for lists and forms; the card shows it as it is, and it is sent so.";
        warnings.push(warning("long_number", text));
    }
    warnings
}

/// Whether the person is shown something other than what is sent.
fn hides(value: &Value) -> bool {
    match value {
        Value::String(text) => hidden_count(text) > 0,
        Value::Array(items) => items.iter().any(hides),
        Value::Object(fields) => fields.iter().any(|(key, value)| hidden_count(key) > 0 || hides(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

impl Mirror {
    fn title_line(&self) -> String {
        use crate::engine::graph::State as _;
        Visible::line(&self.title()).into_string()
    }
}
