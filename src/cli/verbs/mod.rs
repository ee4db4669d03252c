//! The table of verbs. A verb is a file with its flags, help and code, and a line here. Workflows declare the verbs
//! that start them (`start_workflow.rs`).

mod activity;
mod answer;
mod apis;
mod attachments;
mod auth;
mod completions;
mod config;
pub(super) mod connect;
mod decide;
mod decisions;
pub(super) mod demo;
mod doctor;
mod eval;
mod export;
mod export_audit;
mod export_thread;
mod fork;
mod grants;
mod graph;
pub(super) mod init;
mod list;
mod mail;
mod man;
mod mcp;
mod memory;
mod pause;
mod proceed;
mod prune;
mod put_away;
mod reclassify;
mod request;
mod resume;
mod run;
mod sessions;
mod show;
mod snooze;
mod start;
mod start_workflow;
mod status;
mod stop;
mod threads;
mod undo;
mod unsubscribe;
mod view;
mod watch;
mod why;

use super::context::Context;
use super::failure::Failure;
use super::output::Answer;
use clap::{ArgMatches, Command, FromArgMatches, Subcommand};
use start_workflow::StartWorkflow;
use std::time::Duration;

/// Makes the enum of verbs, and the call of each, from one table.
macro_rules! verbs {
    ($($verb:ident => $args:path),+ $(,)?) => {
        /// Every verb of the table, in the order of the help.
        #[derive(Debug, clap::Subcommand)]
        pub(super) enum TableVerb {
            $($verb($args),)+
        }

        impl TableVerb {
            pub(super) async fn run(self, context: Context<'_>) -> Result<Answer, Failure> {
                match self {
                    // Each is boxed: as one function they take longer to compile than anything else here.
                    $(TableVerb::$verb(args) => Box::pin(args.run(context)).await,)+
                }
            }
        }
    };
}

/// The verb that the user typed.
#[derive(Debug)]
pub(super) enum Verb {
    /// A verb of the table.
    Table(TableVerb),
    /// A verb that starts a workflow.
    Start(StartWorkflow),
}

impl Verb {
    /// How long a hook waits for an answer; `None` for any other verb.
    pub(super) fn hook_patience(&self) -> Option<Duration> {
        match self {
            Verb::Table(TableVerb::Request(request)) => request.hook_patience(),
            Verb::Table(_) | Verb::Start(_) => None,
        }
    }

    pub(super) async fn run(self, context: Context<'_>) -> Result<Answer, Failure> {
        match self {
            Verb::Table(verb) => verb.run(context).await,
            Verb::Start(start) => start.run(context).await,
        }
    }
}

impl FromArgMatches for Verb {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        match StartWorkflow::from_matches(matches)? {
            Some(start) => Ok(Verb::Start(start)),
            None => TableVerb::from_arg_matches(matches).map(Verb::Table),
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Subcommand for Verb {
    fn augment_subcommands(command: Command) -> Command {
        let table = TableVerb::augment_subcommands(Command::new("verbs"));
        let mut verbs: Vec<Command> = table.get_subcommands().cloned().collect();
        let after_start = verbs.iter().position(|verb| verb.get_name() == "start").map_or(0, |at| at + 1);
        verbs.splice(after_start..after_start, StartWorkflow::commands());
        command.subcommands(verbs.into_iter().enumerate().map(|(at, verb)| verb.display_order(at)))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        TableVerb::has_subcommand(name) || StartWorkflow::commands().any(|verb| verb.get_name() == name)
    }
}

verbs! {
    Demo => demo::Args,
    Init => init::Args,
    List => list::Args,
    View => view::Args,
    Why => why::Args,
    Accept => decide::Accept,
    Edit => decide::Edit,
    Respond => decide::Respond,
    Ignore => decide::Ignore,
    Undo => undo::Args,
    Snooze => snooze::Args,
    Draft => decide::Draft,
    Start => start::Args,
    Request => request::Args,
    Answer => answer::Args,
    Mcp => mcp::Args,
    Connect => connect::Args,
    Sessions => sessions::Args,
    Continue => proceed::Args,
    Stop => stop::Args,
    Pause => pause::Args,
    Resume => resume::Args,
    Status => status::Args,
    Run => run::Args,
    Watch => watch::Args,
    Mail => mail::Args,
    Auth => auth::Args,
    Threads => threads::Args,
    Decisions => decisions::Args,
    Show => show::Args,
    Fork => fork::Args,
    Reclassify => reclassify::Args,
    Prune => prune::Args,
    Activity => activity::Args,
    Export => export::Args,
    Memory => memory::Args,
    Grants => grants::Args,
    Apis => apis::Args,
    Graph => graph::Args,
    Doctor => doctor::Args,
    Eval => eval::Args,
    Config => config::Args,
    Completions => completions::Args,
    Man => man::Args,
}
