//! `sayso answer`: reads the answer to a request.

use crate::cli::context::Context;
use crate::cli::failure::{Exit, Failure};
use crate::cli::ids::{Target, target};
use crate::cli::output::Output;
use crate::cli::request::format_answer;

/// Read the answer to a request
#[derive(Debug, clap::Args)]
#[command(
    hide = true,
    after_help = "It prints {type, args, by, at}: type is accept, edit, respond, ignore, expired or withdrawn, and null \
    while there is no answer that stands.\n\n\
    Exit codes: 0 accepted, edited or responded to, 4 ignored, 5 expired or withdrawn, 6 not answered yet.\n\n\
    Examples:\n  \
    sayso answer i7k2m9q4x\n  \
    sayso answer i7k2 --json | jq .args"
)]
pub struct Args {
    /// The request, or its thread
    pub(super) id: String,
}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let target = target(&self.id)?;
        let folder = context.open()?;
        let answer = match target {
            Target::Interrupt(id) => folder.inbox().requests().answer(&id).await,
            Target::Result(thread) => folder.inbox().requests().answer_in(&thread).await,
        };
        let answer = answer.map_err(|error| Failure::from_inbox(&error, Exit::Usage))?;
        format_answer(&folder.format, &answer, Exit::Unanswered)
    }
}
