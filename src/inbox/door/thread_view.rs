//! A close look at a thread: its conversation, what each step changed, what its models were told.

use super::Inbox;
use super::cards::result_card;
use crate::engine::graph::ThreadId;
use crate::engine::store::{Prompt, Store};
use crate::inbox::{CallView, Card, InboxError, StepStates, ThreadView};
use crate::text::Visible;
use serde_json::Value;

impl Inbox {
    /// Everything on record about a thread, and its state.
    pub(super) fn read_thread(&self, id: &ThreadId) -> Result<ThreadView, InboxError> {
        let stored = self.store().threads().view(id)?;
        let line = stored.line;
        // The state at the time the rest was read, whatever has happened since.
        let state = self.state_after(&line.id, &line.workflow, line.steps)?;
        Ok(ThreadView {
            id: line.id,
            workflow: line.workflow,
            title: line.title,
            status: line.status,
            state,
            output: stored.output,
            error: stored.error,
            parent: line.parent,
            forked_from: line.forked_from,
            steps: stored.steps,
            questions: stored.questions,
            decisions: stored.decisions,
            effects: stored.effects,
            usage: self.store().statistics().usage(id)?,
            trace: super::trace::trace(&self.engine, id)?,
        })
    }

    /// The card of its open question, or the card its workflow draws from the current state.
    pub(super) fn read_conversation(&self, id: &ThreadId) -> Result<Card, InboxError> {
        let asked = self.store().threads().outcome(id)?.interrupts;
        if let Some(asked) = asked.first() {
            return Ok(self.read_card(asked)?.1);
        }
        let result = self.store().inbox().thread(id)?;
        let drawn = self.draw_result(&result)?;
        Ok(if drawn.blocks.is_empty() && !result.output.is_null() { result_card(&result) } else { drawn })
    }

    /// Compares the states before and after a step.
    pub(super) fn read_states(&self, id: &ThreadId, step: u64) -> Result<StepStates, InboxError> {
        let line = self.store().threads().line(id)?;
        if step >= line.steps {
            let last = line.steps.saturating_sub(1);
            let text = format!("thread `{}` has steps 0 to {last}, no step {step}", line.id);
            return Err(InboxError::Conflict(text));
        }
        let before = self.state_after(&line.id, &line.workflow, step)?;
        let after = self.state_after(&line.id, &line.workflow, step + 1)?;
        Ok(StepStates::between(step, &before, &after))
    }

    /// The state after this many steps; null if this build does not know the workflow.
    fn state_after(&self, id: &ThreadId, workflow: &str, steps: u64) -> Result<Value, InboxError> {
        let state = self.engine.state_at(id, Some(steps))?;
        let (Some(state), Some(spec)) = (state, self.engine.registry().get(workflow)) else {
            return Ok(Value::Null);
        };
        let text = spec.workflow.write(&state).map_err(|e| InboxError::Conflict(e.to_string()))?;
        Ok(serde_json::from_str(&text).unwrap_or(Value::Null))
    }
}

/// The text of a model call.
pub(super) fn read_call(store: &Store, id: &ThreadId, call: u64) -> Result<CallView, InboxError> {
    let stored = store.statistics().prompt(id, call)?;
    let mut view = CallView {
        task: stored.task,
        model: stored.model,
        system: String::new(),
        messages: Vec::new(),
        rules: Value::Null,
        answer: None,
        calls: Vec::new(),
        error: stored.error,
        missing: None,
    };
    match stored.prompt {
        Some(prompt) => fill_from_prompt(&mut view, &prompt),
        None => {
            let why = "its text was not saved: it was too long, or an older sayso made the call";
            view.missing = Some(why.to_owned());
        }
    }
    Ok(view)
}

fn fill_from_prompt(view: &mut CallView, prompt: &Prompt) {
    let read = |text: &str| serde_json::from_str(text).unwrap_or(Value::Null);
    let words = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut head = read(&prompt.head);
    view.system = words(&head["system"]);
    if let Some(fields) = head.as_object_mut() {
        fields.remove("system");
        fields.retain(|_, value| !value.is_null() && *value != Value::Array(Vec::new()));
    }
    view.rules = head;
    view.messages = read(&prompt.messages).as_array().into_iter().flatten().map(message).collect();
    if let Some(answer) = prompt.answer.as_deref().map(read) {
        view.answer = Some(words(&answer["text"]));
        let calls = answer["calls"].as_array().into_iter().flatten();
        view.calls = calls.map(|call| (words(&call["name"]), call["args"].clone())).collect();
    }
}

/// The role and the text.
fn message(message: &Value) -> (String, String) {
    let field = |key: &str| message[key].as_str().unwrap_or_default();
    let mut text = field("text").to_owned();
    for call in message["calls"].as_array().into_iter().flatten() {
        let name = call["name"].as_str().unwrap_or_default();
        text += &format!("\n→ {name} {}", call["args"]);
    }
    let who = match field("role") {
        "tool" => format!("tool {}", field("name")),
        role => role.to_owned(),
    };
    (Visible::line(&who).into_string(), text.trim_start_matches('\n').to_owned())
}
