//! `sayso analyze`, `sayso sheet` and other verbs that start a workflow; each workflow declares its own.

use crate::app::VERBS;
use crate::cli::context::Context;
use crate::cli::drive::WaitArgs;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::cli::talk;
use crate::inbox;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::Value;

/// A workflow's verb with its typed arguments.
#[derive(Debug)]
pub struct StartWorkflow {
    verb: inbox::WorkflowVerb,
    typed: ArgMatches,
    waiting: WaitArgs,
}

impl StartWorkflow {
    /// The definitions of these verbs.
    pub(super) fn commands() -> impl Iterator<Item = Command> {
        VERBS.iter().map(|verb| {
            let command = (verb.augment)(Command::new(verb.name));
            // Adding flags would replace the verb's description, so set it again.
            let about = command.get_about().cloned().unwrap_or_default();
            WaitArgs::augment_args(command).about(about)
        })
    }

    /// The typed verb, if it is one of these.
    pub(super) fn from_matches(matches: &ArgMatches) -> Result<Option<Self>, clap::Error> {
        let Some((name, typed)) = matches.subcommand() else { return Ok(None) };
        let Some(verb) = VERBS.iter().find(|verb| verb.name == name) else { return Ok(None) };
        let waiting = WaitArgs::from_arg_matches(typed)?;
        Ok(Some(Self { verb: *verb, typed: typed.clone(), waiting }))
    }

    /// Starts the workflow; holds the conversation at the terminal if there is one.
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let folder = context.open()?;
        let talks = talk::is_possible(&folder.format) && !self.waiting.is_wanted();
        let input =
            (self.verb.input)(&self.typed, talks).map_err(|error| Failure::usage(error.to_string()))?;
        let input = folder.with_model(self.verb.name, input);
        let outcome = folder.inbox().threads().start(self.verb.name.to_owned(), Value::Object(input)).await?;
        if talks {
            return talk::converse(&folder, outcome.thread).await;
        }
        self.waiting.follow_work(&folder, outcome).await
    }
}
