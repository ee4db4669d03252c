//! `sayso undo`: takes a decision back.

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::ids::interrupt;
use crate::cli::outcome;
use crate::cli::output::Answer;

/// Take a decision back, while its thread has not acted on it
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  sayso undo i7k2m9q4x")]
pub(in crate::cli) struct Args {
    /// The interrupt that was decided
    id: String,
}

impl Args {
    pub(super) async fn run(self, context: Context<'_>) -> Result<Answer, Failure> {
        let id = interrupt(&self.id)?;
        let here = context.open()?;
        let outcome = here.backend().undo(id).await?;
        here.page.answer(&outcome, |page| outcome::text(page, &outcome))
    }
}
