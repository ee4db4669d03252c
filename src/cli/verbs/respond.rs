//! `sayso respond`: words to the agent.

use crate::cli::context::Context;
use crate::cli::decide::{Binding, words};
use crate::cli::failure::Failure;
use crate::cli::ids::{Target, target};
use crate::cli::output::Answer;
use crate::graph::Decision;

/// Answer with words; they go to the agent, not to the sender
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    sayso respond i7k2m9q4x \"Shorter, and offer Thursday instead\"\n  \
    sayso respond i7k2 - < answer.txt")]
pub(in crate::cli) struct Args {
    /// The interrupt, or the thread with a result to go on from
    id: String,
    /// The words; - reads them from stdin
    #[arg(allow_hyphen_values = true)]
    text: String,
    #[command(flatten)]
    binding: Binding,
}

impl Args {
    pub(super) async fn run(self, context: Context<'_>) -> Result<Answer, Failure> {
        let target = target(&self.id)?;
        let text = words(&self.text)?;
        let here = context.open()?;
        match target {
            Target::Interrupt(id) => {
                let respond = Decision::Respond { text };
                self.binding.decide(&here, id, respond, self.binding.shown()).await
            }
            Target::Result(thread) => self.binding.go_on(&here, thread, text).await,
        }
    }
}
