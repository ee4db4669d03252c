//! The table of verbs. A verb is a file with its flags, its help and what it does, and a line here.

mod accept;
mod activity;
mod analyze;
mod answer;
mod apis;
mod ask;
mod auth;
mod completions;
mod config;
pub(super) mod demo;
mod docs;
mod doctor;
mod draft;
mod edit;
mod eval;
mod export;
mod export_audit;
mod export_thread;
mod fork;
mod grants;
mod graph;
mod ignore;
pub(super) mod init;
mod list;
mod mail;
mod man;
mod mcp;
mod memory;
mod pause;
mod proceed;
mod prune;
mod reclassify;
mod request;
mod respond;
mod resume;
mod run;
mod sheet;
mod show;
mod snooze;
mod start;
mod status;
mod stop;
mod threads;
mod undo;
mod view;
mod watch;

use super::context::Context;
use super::failure::Failure;
use super::output::Answer;

/// Makes the closed list of verbs and the way to each from one table.
macro_rules! verbs {
    ($($verb:ident => $file:ident),+ $(,)?) => {
        /// Every verb, in the order of the help.
        #[derive(Debug, clap::Subcommand)]
        pub(super) enum Verb {
            $($verb($file::Args),)+
        }

        impl Verb {
            /// Does what the verb says.
            pub(super) async fn run(self, context: Context<'_>) -> Result<Answer, Failure> {
                match self {
                    // Each in its own box: as one function they take the compiler longer than anything else here.
                    $(Verb::$verb(args) => Box::pin(args.run(context)).await,)+
                }
            }
        }
    };
}

verbs! {
    Demo => demo,
    Init => init,
    List => list,
    View => view,
    Accept => accept,
    Edit => edit,
    Respond => respond,
    Ignore => ignore,
    Undo => undo,
    Snooze => snooze,
    Draft => draft,
    Start => start,
    Analyze => analyze,
    Ask => ask,
    Docs => docs,
    Sheet => sheet,
    Request => request,
    Answer => answer,
    Mcp => mcp,
    Continue => proceed,
    Stop => stop,
    Pause => pause,
    Resume => resume,
    Status => status,
    Run => run,
    Watch => watch,
    Mail => mail,
    Auth => auth,
    Threads => threads,
    Show => show,
    Fork => fork,
    Reclassify => reclassify,
    Prune => prune,
    Activity => activity,
    Export => export,
    Memory => memory,
    Grants => grants,
    Apis => apis,
    Graph => graph,
    Doctor => doctor,
    Eval => eval,
    Config => config,
    Completions => completions,
    Man => man,
}
