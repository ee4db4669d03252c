//! The command line: the same core as the screen, for scripts and for people.
//!
//! Promises: a verb prints its whole answer or nothing. Errors go to stderr as one sentence that says what happened,
//! why, and what to do. Input from outside reaches the terminal only as text. The exit code says which of a few things
//! happened ([`Exit`]). Help, completions and the man page come from the definitions of flags and verbs.
//!
//! Not here: rules about decisions (`inbox`), driving (`app`). A verb asks the
//! [`Inbox`](crate::inbox::door::Inbox) and turns the answer into text or JSON.
//!
//! `args` parses the command line, `verbs` has a file for each verb, `context` opens what a verb needs, `output`
//! prints; `watchdog` ends a hook that takes too long.

mod args;
mod called;
mod context;
mod drive;
mod failure;
mod global;
mod hook;
mod ids;
mod last_week;
mod log;
mod outcome;
mod output;
mod pages;
mod pairs;
mod print;
mod progress;
mod query;
mod table;
mod text_input;
mod values;
mod verbs;
mod watchdog;
mod wizard;

pub use context::Workflows;
pub use failure::Exit;

use crate::tui;
use args::Sayso;
use clap::{CommandFactory, Parser};
use context::{Context, check_keys};
use failure::Failure;
use output::Output;
use std::ffi::OsString;
use std::io::IsTerminal;
use verbs::{TableVerb, Verb, connect, demo, init};
use watchdog::Watchdog;
use wizard::FirstChoice;

/// Runs the command line and returns the exit code; without a verb, shows the inbox on the screen. `workflows` builds
/// the workflows once a data folder is open.
pub fn main(args: impl IntoIterator<Item = OsString>, workflows: Workflows) -> Exit {
    let mut watchdog = None;
    let answer = match Sayso::try_parse_from(args) {
        // Before anything that may take long: the config, the database, stdin.
        Ok(typed) => match typed.verb.as_ref().and_then(Verb::hook_patience).map(Watchdog::start).transpose()
        {
            Ok(started) => {
                watchdog = started;
                run(typed, workflows)
            }
            Err(failure) => Err(failure),
        },
        Err(error) => args::from_clap(&error),
    };
    if let Some(watchdog) = watchdog {
        watchdog.stand_down();
    }
    let printed = answer.and_then(Output::print);
    printed.unwrap_or_else(|failure| failure.print())
}

fn run(typed: Sayso, workflows: Workflows) -> Result<Output, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|e| Failure::failed(format!("cannot start: {e}; try again")))?;
    let context = Context::new(typed.global, workflows, Sayso::command);
    let terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let needs = |what: &str| Failure::usage(format!("the inbox needs a terminal, and there is none; {what}"));
    let first = typed.verb.is_none() && terminal && context.is_new();
    let verb = match if first { Some(runtime.block_on(wizard::welcome())?) } else { None } {
        Some(FirstChoice::Leave) => return Ok(Output::nothing()),
        Some(FirstChoice::Connect) => {
            let agent = runtime.block_on(wizard::which_agent())?;
            Some(Verb::Table(TableVerb::Connect(connect::Args::plain(agent))))
        }
        Some(FirstChoice::Init) => Some(Verb::Table(TableVerb::Init(init::Args::default()))),
        Some(FirstChoice::Demo) => Some(Verb::Table(TableVerb::Demo(demo::Args::default()))),
        Some(FirstChoice::Inbox) => None,
        None => typed.verb,
    };
    let (mut tour, mut started) = (Vec::new(), None);
    let folder = match verb {
        Some(Verb::Table(TableVerb::Demo(demo))) if demo.wants_screen(&context.format) => {
            if !terminal {
                return Err(needs("`sayso demo --no-tui` only sets the demo up"));
            }
            let folder = runtime.block_on(demo.open(context))?;
            tour = demo.tour(&folder);
            folder
        }
        Some(Verb::Start(start)) if tui::check_terminal().is_ok() && start.opens_inbox(&context.format) => {
            let (folder, thread) = runtime.block_on(start.open(context))?;
            started = Some(thread);
            folder
        }
        Some(verb) => return runtime.block_on(verb.run(context)),
        None if terminal => context.open()?,
        None => return Err(needs("`sayso list` shows what is open, `sayso --help` all verbs")),
    };
    let (app, config) = folder.into_parts();
    check_keys(&config).map_err(Failure::failed)?;
    let options = tui::Options { tour, started, ..(&*config).into() };
    runtime.block_on(tui::run(app, options)).map_err(|error| Failure::failed(error.to_string()))?;
    Ok(Output::nothing())
}
