//! The table of verbs. A verb is a file with its flags, help and code, and a line here. Workflows declare the verbs
//! that start them (`start_workflow.rs`).

mod activity;
mod apis;
mod attachments;
mod auth;
mod completions;
mod compose;
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
mod python;
mod reclassify;
mod request;
mod run;
mod sessions;
mod show;
mod snooze;
mod start;
mod start_workflow;
mod stop;
mod threads;
mod undo;
mod unsubscribe;
mod view;
mod watch;

use super::context::Context;
use super::failure::Failure;
use super::output::Output;
use crate::text::wrap;
use clap::{ArgMatches, Command, FromArgMatches, Subcommand};
use start_workflow::StartWorkflow;
use std::time::Duration;

/// How wide what a verb does is written in the help of all verbs.
const HELP_COLUMNS: usize = 80;

/// Makes the enum of verbs, the call of each, and the groups of the help, from one table.
macro_rules! verbs {
    ($($group:literal { $($verb:ident => $args:path,)+ })+) => {
        /// The headings of the help, each with its verbs.
        const GROUPS: &[(&str, &[&str])] = &[$(($group, &[$(stringify!($verb),)+]),)+];

        /// Every verb of the table, in the order of the help.
        #[derive(Debug, clap::Subcommand)]
        pub(super) enum TableVerb {
            $($($verb($args),)+)+
        }

        impl TableVerb {
            pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
                match self {
                    // Each is boxed: as one function they take longer to compile than anything else here.
                    $($(TableVerb::$verb(args) => Box::pin(args.run(context)).await,)+)+
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

    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
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
        let help = grouped_help(&verbs);
        let verbs = verbs.into_iter().enumerate().map(|(at, verb)| verb.display_order(at));
        command.subcommands(verbs).help_template(help)
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        TableVerb::has_subcommand(name) || StartWorkflow::commands().any(|verb| verb.get_name() == name)
    }
}

/// The help of all verbs, by group. clap knows no headings for verbs.
fn grouped_help(verbs: &[Command]) -> String {
    let is_in =
        |verb: &Command, group: &[&str]| group.iter().any(|name| name.eq_ignore_ascii_case(verb.get_name()));
    let in_table = |verb: &Command| GROUPS.iter().any(|(_, group)| is_in(verb, group));
    let mut text = String::new();
    for (heading, group) in GROUPS {
        text += &format!("{heading}:\n");
        // Workflows' own verbs stand next to `start`.
        let starts = group.contains(&"Start");
        let shown =
            |verb: &&Command| !verb.is_hide_set() && (is_in(verb, group) || starts && !in_table(verb));
        for verb in verbs.iter().filter(shown) {
            let about = verb.get_about().map(ToString::to_string).unwrap_or_default();
            let mut name = verb.get_name();
            for line in wrap(&about, HELP_COLUMNS) {
                text += &format!("  {name:<12} {line}\n");
                name = "";
            }
        }
        text.push('\n');
    }
    format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{text}Options:\n{{options}}{{after-help}}"
    )
}

verbs! {
    "Deciding" {
        List => list::Args,
        Show => show::Args,
        View => view::Args,
        Accept => decide::Accept,
        Edit => decide::Edit,
        Respond => decide::Respond,
        Ignore => decide::Ignore,
        Undo => undo::Args,
        Snooze => snooze::Args,
        Draft => decide::Draft,
    }
    "Starting and running" {
        Start => start::Args,
        Continue => proceed::Args,
        Run => run::Args,
        Watch => watch::Args,
        Stop => stop::Args,
        Pause => pause::Args,
        Resume => pause::Resume,
    }
    "Agents and programs" {
        Connect => connect::Args,
        Sessions => sessions::Args,
        Request => request::Args,
        Mcp => mcp::Args,
        Grants => grants::Args,
    }
    "Mail" {
        Mail => mail::Args,
        Reclassify => reclassify::Args,
        Memory => memory::Args,
        Eval => eval::Args,
    }
    "Looking back" {
        Threads => threads::Args,
        Decisions => decisions::Args,
        Activity => activity::Args,
        Fork => fork::Args,
        Export => export::Args,
        Prune => prune::Args,
    }
    "Set-up" {
        Demo => demo::Args,
        Init => init::Args,
        Auth => auth::Args,
        Doctor => doctor::Args,
        Config => config::Args,
        Python => python::Args,
        Apis => apis::Args,
        Graph => graph::Args,
        Completions => completions::Args,
        Man => man::Args,
    }
}
