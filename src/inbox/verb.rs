//! Command-line verbs that start a workflow, as workflows declare them.

use crate::text::sanitize_typed;
use clap::{ArgMatches, Args, Command};
use serde::Serialize;
use serde_json::{Map, Value};

/// The input a workflow starts with.
type StartInput = Map<String, Value>;

/// The arguments typed after a workflow's verb.
pub trait StartVerb: Args + Serialize {
    /// The input of `start`: what was typed, under its own names. `talks` is true if a person goes on with
    /// it in the inbox.
    fn input(&self, _talks: bool) -> StartInput {
        let Ok(Value::Object(mut keys)) = serde_json::to_value(self) else { return StartInput::new() };
        keys.retain(|_, value| !value.is_null());
        for value in keys.values_mut() {
            if let Value::String(text) = value {
                *text = sanitize_typed(text);
            }
        }
        keys
    }
}

/// A verb that starts a workflow.
#[derive(Clone, Copy, Debug)]
pub struct WorkflowVerb {
    /// The verb, which is also the name of the workflow.
    pub name: &'static str,
    /// Adds its flags and help.
    pub augment: fn(Command) -> Command,
    /// The input of `start`.
    pub input: fn(&ArgMatches, bool) -> Result<StartInput, clap::Error>,
}

impl WorkflowVerb {
    pub const fn of<V: StartVerb>(name: &'static str) -> Self {
        Self {
            name,
            augment: V::augment_args,
            input: |matches, talks| Ok(V::from_arg_matches(matches)?.input(talks)),
        }
    }
}
