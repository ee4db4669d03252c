//! The command line: the same core as the screen, for scripts and for people.
//!
//! Promises: a verb prints its whole answer or nothing. Errors go to stderr as one sentence that says what happened,
//! why, and what to do. Input from outside reaches the terminal only as text. The exit code says which of a few things
//! happened ([`Exit`]). Help, completions and the man page come from the definitions of flags and verbs.
//!
//! Not here: rules about decisions (`inbox`), driving (`app`), the screen. A verb asks the
//! [`Inbox`](crate::service::Inbox) and turns the answer into text or JSON.
//!
//! `args` parses the command line, `verbs` has a file for each verb, `context` opens what a verb needs, `output`
//! prints; `talk` holds a conversation at the terminal; `watchdog` ends a hook that takes too long.

mod args;
mod context;
mod drive;
mod failure;
mod global;
mod hook;
mod ids;
mod log;
mod outcome;
mod output;
mod pages;
mod pairs;
mod print;
mod progress;
mod query;
mod request;
mod table;
mod talk;
mod text_input;
mod values;
mod verbs;
mod watchdog;
mod wizard;

pub use context::{CheckKeys, EditText};
pub use failure::Exit;

use crate::app::{App, Setup, TourStep};
use crate::config::Config;
use crate::graph::BoxFuture;
use crate::inbox::Registry;
use args::Sayso;
use clap::{CommandFactory, Parser};
use context::Context;
use failure::Failure;
use output::Answer;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::sync::Arc;
use verbs::{TableVerb, Verb, connect, demo, init};
use watchdog::Watchdog;
use wizard::FirstChoice;

/// Shows the inbox on the screen until the user leaves it.
pub type ShowScreen<'a> =
    Box<dyn FnOnce(App, Arc<Config>, Vec<TourStep>) -> BoxFuture<'static, Result<(), anyhow::Error>> + 'a>;

/// Runs the command line and returns the exit code. `workflows` builds the workflows once a data folder is open.
/// `screen` is shown if no verb is given. Verbs use `edit` to open an editor, and `keys` to check the config's keys for
/// the screen.
pub fn main(
    args: impl IntoIterator<Item = OsString>,
    workflows: impl Fn(&Setup) -> anyhow::Result<Registry>,
    screen: ShowScreen<'_>,
    edit: EditText,
    keys: CheckKeys,
) -> Exit {
    let mut watchdog = None;
    let answer = match Sayso::try_parse_from(args) {
        // Before anything that may take long: the config, the database, stdin.
        Ok(typed) => match typed.verb.as_ref().and_then(Verb::hook_patience).map(Watchdog::start).transpose()
        {
            Ok(started) => {
                watchdog = started;
                run(typed, Box::new(workflows), screen, edit, keys)
            }
            Err(failure) => Err(failure),
        },
        Err(error) => args::from_clap(&error),
    };
    if let Some(watchdog) = watchdog {
        watchdog.stand_down();
    }
    let printed = answer.and_then(Answer::print);
    printed.unwrap_or_else(|failure| failure.print())
}

fn run(
    typed: Sayso,
    workflows: context::Workflows<'_>,
    screen: ShowScreen<'_>,
    edit: EditText,
    keys: CheckKeys,
) -> Result<Answer, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|e| Failure::failed(format!("cannot start: {e}; try again")))?;
    let context = Context::new(typed.global, workflows, edit, keys, Sayso::command);
    let terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let needs = |what: &str| Failure::usage(format!("the inbox needs a terminal, and there is none; {what}"));
    let first = typed.verb.is_none() && terminal && context.is_new();
    let verb = match if first { Some(runtime.block_on(wizard::welcome())?) } else { None } {
        Some(FirstChoice::Leave) => return Ok(Answer::nothing()),
        Some(FirstChoice::Connect) => {
            let agent = runtime.block_on(wizard::which_agent())?;
            Some(Verb::Table(TableVerb::Connect(connect::Args::plain(agent))))
        }
        Some(FirstChoice::Init) => Some(Verb::Table(TableVerb::Init(init::Args::plain()))),
        Some(FirstChoice::Demo) => Some(Verb::Table(TableVerb::Demo(demo::Args::plain()))),
        Some(FirstChoice::Inbox) => None,
        None => typed.verb,
    };
    let mut tour = Vec::new();
    let folder = match verb {
        Some(Verb::Table(TableVerb::Init(init))) if terminal && init.asks(&context.format) => {
            let (folder, answer) = runtime.block_on(init.open(context))?;
            answer.print()?;
            if !runtime.block_on(wizard::Prompt.confirm("Open the inbox now?"))? {
                return Ok(Answer::nothing());
            }
            folder
        }
        Some(Verb::Table(TableVerb::Demo(demo))) if demo.wants_screen(&context.format) => {
            if !terminal {
                return Err(needs("`sayso demo --no-tui` only sets the demo up"));
            }
            let folder = runtime.block_on(demo.open(context))?;
            tour = demo.tour(&folder);
            folder
        }
        Some(verb) => return runtime.block_on(verb.run(context)),
        None if terminal => context.open()?,
        None => return Err(needs("`sayso list` shows what is open, `sayso --help` all verbs")),
    };
    let (app, config) = folder.into_parts();
    runtime.block_on(screen(app, config, tour))?;
    Ok(Answer::nothing())
}
