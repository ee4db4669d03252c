//! A thread looked at closely: its conversation, what each step changed, what its models were told.

use super::local::Local;
use super::screen;
use crate::graph::ThreadId;
use crate::inbox::{CallView, Card, StepStates};
use crate::store::{Prompt, StoreError};
use crate::text::Visible;
use serde_json::Value;

impl Local {
    /// The card of what it asks now, or the one its workflow draws of the state as it is.
    pub(super) fn read_conversation(&self, id: &ThreadId) -> Result<Card, StoreError> {
        let asked = self.engine().store().outcome(id)?.interrupts;
        if let Some(asked) = asked.first() {
            return Ok(self.read_card(asked)?.1);
        }
        let item = self.engine().store().as_result(id)?;
        let state = self.engine().state_at(&item.thread, None)?;
        let drawn = match (self.engine().registry().get(&item.workflow), state) {
            (Some(spec), Some(state)) => spec.card(&state, &item),
            _ => Card::default(),
        };
        Ok(if drawn.blocks.is_empty() && !item.args.is_null() { screen::output(&item) } else { drawn })
    }

    /// Folds up to a step, and then the step.
    pub(super) fn read_states(&self, id: &ThreadId, step: u64) -> Result<StepStates, StoreError> {
        let line = self.engine().store().line(id)?;
        if step >= line.steps {
            let last = line.steps.saturating_sub(1);
            let text = format!("thread `{}` has steps 0 to {last}, no step {step}", line.id);
            return Err(StoreError::Conflict(text));
        }
        let before = self.written(&line.id, &line.workflow, step)?;
        let after = self.written(&line.id, &line.workflow, step + 1)?;
        Ok(StepStates::between(step, &before, &after))
    }

    /// The state after so many steps; null where this build does not know the workflow.
    fn written(&self, id: &ThreadId, workflow: &str, steps: u64) -> Result<Value, StoreError> {
        let state = self.engine().state_at(id, Some(steps))?;
        let (Some(state), Some(spec)) = (state, self.engine().registry().get(workflow)) else {
            return Ok(Value::Null);
        };
        let text = spec.workflow.write(&state).map_err(|e| StoreError::Conflict(e.to_string()))?;
        Ok(serde_json::from_str(&text).unwrap_or(Value::Null))
    }

    /// The words of a model call.
    pub(super) fn read_call(&self, id: &ThreadId, call: u64) -> Result<CallView, StoreError> {
        let stored = self.engine().store().prompt(id, call)?;
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
            Some(prompt) => tell(&mut view, &prompt),
            None => {
                let why = "its words were not kept: they were too long, or an older sayso made the call";
                view.missing = Some(why.to_owned());
            }
        }
        Ok(view)
    }
}

fn tell(view: &mut CallView, prompt: &Prompt) {
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

/// Who said it, and what.
fn message(message: &Value) -> (String, String) {
    let words = |key: &str| message[key].as_str().unwrap_or_default();
    let mut said = words("text").to_owned();
    for call in message["calls"].as_array().into_iter().flatten() {
        let name = call["name"].as_str().unwrap_or_default();
        said += &format!("\n→ {name} {}", call["args"]);
    }
    let who = match words("role") {
        "tool" => format!("tool {}", words("name")),
        role => role.to_owned(),
    };
    (Visible::line(&who).into_string(), said.trim_start_matches('\n').to_owned())
}
