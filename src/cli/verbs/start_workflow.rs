//! `sayso analyze`, `sayso sheet` and other verbs that start a workflow; each workflow declares its own.

use crate::app::VERBS;
use crate::cli::context::{Context, OpenFolder, check_keys};
use crate::cli::drive::WaitArgs;
use crate::cli::failure::Failure;
use crate::cli::output::{Format, Output};
use crate::engine::graph::ThreadId;
use crate::inbox::{self, Outcome};
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

    /// Whether the inbox opens at the thread, instead of an answer being printed.
    pub fn opens_inbox(&self, format: &Format) -> bool {
        !format.is_json() && !self.waiting.is_wanted()
    }

    /// Starts the workflow for a person who goes on with it in the inbox.
    pub async fn open(self, context: Context) -> Result<(OpenFolder, ThreadId), Failure> {
        let folder = context.open()?;
        // Nothing is started for a screen that won't open.
        check_keys(&folder.config).map_err(Failure::failed)?;
        let outcome = self.start(&folder, true).await?;
        Ok((folder, outcome.thread))
    }

    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let folder = context.open()?;
        let outcome = self.start(&folder, false).await?;
        self.waiting.follow_work(&folder, outcome).await
    }

    async fn start(&self, folder: &OpenFolder, talks: bool) -> Result<Outcome, Failure> {
        let input =
            (self.verb.input)(&self.typed, talks).map_err(|error| Failure::usage(error.to_string()))?;
        let input = folder.with_model(self.verb.name, input);
        Ok(folder.inbox().threads().start(self.verb.name.to_owned(), Value::Object(input)).await?)
    }
}
