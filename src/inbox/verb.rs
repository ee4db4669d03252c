//! Verbs of the command line by which people start a workflow, as the workflow declares them.

use clap::{ArgMatches, Args, Command};
use serde_json::{Map, Value};

/// The keys a workflow starts with.
type StartInput = Map<String, Value>;

/// What is typed after a workflow's verb.
pub trait StartVerb: Args {
    /// The keys of `start`; `talks` if the conversation is held at the terminal.
    fn input(&self, talks: bool) -> StartInput;
}

/// A verb that starts a workflow.
#[derive(Clone, Copy, Debug)]
pub struct WorkflowVerb {
    /// The verb, and the workflow it starts.
    pub name: &'static str,
    /// Adds its flags and its help.
    pub augment: fn(Command) -> Command,
    /// The keys of `start`.
    pub input: fn(&ArgMatches, bool) -> Result<StartInput, clap::Error>,
}

impl WorkflowVerb {
    /// The verb of a workflow.
    pub const fn of<V: StartVerb>(name: &'static str) -> Self {
        Self {
            name,
            augment: V::augment_args,
            input: |matches, talks| Ok(V::from_arg_matches(matches)?.input(talks)),
        }
    }
}
