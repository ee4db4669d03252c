//! `sayso draft`: kept, not sent.

use crate::cli::context::Context;
use crate::cli::decide::{Binding, not_a_result};
use crate::cli::failure::Failure;
use crate::cli::ids::target;
use crate::cli::output::Answer;
use crate::graph::Decision;

/// Keep what is proposed as a draft; nothing leaves
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    sayso draft i7k2m9q4x\n  \
    sayso draft i7k2 --args-hash 9f86d081 --wait")]
pub(in crate::cli) struct Args {
    /// The interrupt
    id: String,
    #[command(flatten)]
    binding: Binding,
}

impl Args {
    pub(super) async fn run(self, context: Context<'_>) -> Result<Answer, Failure> {
        let id = not_a_result(target(&self.id)?, "draft")?;
        let here = context.open()?;
        self.binding.decide(&here, id, Decision::Draft, self.binding.shown()).await
    }
}
