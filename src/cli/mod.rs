//! The command line: the same core as the screen, for scripts and for hands.
//!
//! Promises: what a verb prints is either its whole answer or nothing; errors go to stderr as one sentence that says
//! what, why and what to do; nothing that came from outside reaches the terminal as anything but text; and the exit
//! code says which of a few things happened ([`Exit`]). The definitions of flags and verbs are the one source of help,
//! completions and the man page.
//!
//! What is not here: any rule about what may be decided (`inbox`), any driving (`app`), any screen. A verb asks the
//! [`Inbox`](crate::service::Inbox), and turns what it says into text or JSON.
//!
//! The road: `args` is what was typed, `verbs` the table of verbs with a file each, `context` opens what a verb
//! needs, `output` prints; `talk` holds a conversation at the terminal.

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
mod request;
mod table;
mod talk;
mod values;
mod verbs;
mod wizard;
mod words;

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
use wizard::First;

/// Shows the inbox on the screen until the person leaves it.
pub type ShowScreen<'a> =
    Box<dyn FnOnce(App, Arc<Config>, Vec<TourStep>) -> BoxFuture<'static, Result<(), anyhow::Error>> + 'a>;

/// Lets a person edit text in a program of theirs; the second is how the file's name ends.
pub type EditText = fn(&str, &str) -> Result<String, String>;

/// Says which of the config's keys the screen would refuse, and why.
pub type CheckKeys = fn(&Config) -> Result<(), String>;

/// Does what `args` say and gives the exit code. `workflows` is asked for the workflows once a data folder is open;
/// `screen` is shown where no verb is given; `edit` is used where a verb needs an editor, and `keys` where one looks at
/// what the screen would say.
pub fn main(
    args: impl IntoIterator<Item = OsString>,
    workflows: impl Fn(&Setup) -> anyhow::Result<Registry>,
    screen: ShowScreen<'_>,
    edit: EditText,
    keys: CheckKeys,
) -> Exit {
    let answer = match Sayso::try_parse_from(args) {
        Ok(typed) => run(typed, Box::new(workflows), screen, edit, keys),
        Err(error) => args::from_clap(&error),
    };
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
        Some(First::Leave) => return Ok(Answer::nothing()),
        Some(First::Connect) => {
            let agent = runtime.block_on(wizard::which_agent())?;
            Some(Verb::Own(TableVerb::Connect(connect::Args::plain(agent))))
        }
        Some(First::Init) => Some(Verb::Own(TableVerb::Init(init::Args::plain()))),
        Some(First::Demo) => Some(Verb::Own(TableVerb::Demo(demo::Args::plain()))),
        Some(First::Inbox) => None,
        None => typed.verb,
    };
    let mut tour = Vec::new();
    let here = match verb {
        Some(Verb::Own(TableVerb::Init(init))) if terminal && init.asks(&context.page) => {
            let (here, answer) = runtime.block_on(init.open(context))?;
            answer.print()?;
            if !runtime.block_on(wizard::Prompt.yes("Open the inbox now?"))? {
                return Ok(Answer::nothing());
            }
            here
        }
        Some(Verb::Own(TableVerb::Demo(demo))) if demo.wants_screen(&context.page) => {
            if !terminal {
                return Err(needs("`sayso demo --no-tui` only sets the demo up"));
            }
            let here = runtime.block_on(demo.open(context))?;
            tour = demo.tour(&here);
            here
        }
        Some(verb) => return runtime.block_on(verb.run(context)),
        None if terminal => context.open()?,
        None => return Err(needs("`sayso list` shows what is open, `sayso --help` all verbs")),
    };
    let (app, config) = here.for_screen();
    runtime.block_on(screen(app, config, tour))?;
    Ok(Answer::nothing())
}
