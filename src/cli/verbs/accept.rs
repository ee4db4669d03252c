//! `sayso accept`: as proposed.

use crate::cli::context::Context;
use crate::cli::decide::Binding;
use crate::cli::failure::Failure;
use crate::cli::ids::{Target, target};
use crate::cli::output::Answer;
use crate::graph::Decision;

/// Accept what is proposed, or file a result away
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    sayso accept i7k2m9q4x\n  \
    sayso accept i7k2 --args-hash 9f86d081 --wait\n  \
    sayso accept t3h8w1z5c     files the thread's result away")]
pub(in crate::cli) struct Args {
    /// The interrupt, or the thread with a result
    id: String,
    #[command(flatten)]
    binding: Binding,
}

impl Args {
    pub(super) async fn run(self, context: Context<'_>) -> Result<Answer, Failure> {
        let target = target(&self.id)?;
        let here = context.open()?;
        match target {
            Target::Interrupt(id) => {
                self.binding.decide(&here, id, Decision::Accept, self.binding.shown()).await
            }
            Target::Result(thread) => self.binding.file_away(&here, thread).await,
        }
    }
}
