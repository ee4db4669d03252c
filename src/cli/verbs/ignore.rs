//! `sayso ignore`: do not.

use crate::cli::context::Context;
use crate::cli::decide::{Binding, not_a_result};
use crate::cli::failure::Failure;
use crate::cli::ids::target;
use crate::cli::output::Answer;
use crate::graph::Decision;

/// Do not do what is proposed
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    sayso ignore i7k2m9q4x\n  \
    sayso ignore i7k2 --wait --timeout 60")]
pub(in crate::cli) struct Args {
    /// The interrupt
    id: String,
    #[command(flatten)]
    binding: Binding,
}

impl Args {
    pub(super) async fn run(self, context: Context<'_>) -> Result<Answer, Failure> {
        let id = not_a_result(target(&self.id)?, "ignore")?;
        let here = context.open()?;
        self.binding.decide(&here, id, Decision::Ignore, self.binding.shown()).await
    }
}
